//! The laws of printing, on tables and on random trees.

use super::*;
use crate::parser::{Parsed, parse, parse_expression};
use random::Trees;

mod random;

/// Parses a text without errors.
fn read(text: &str) -> Model {
    let Parsed { model, errors } = parse(text);
    assert_eq!(errors, [], "{text}");
    model
}

/// Prints the model of a text, and checks the laws.
fn printed(text: &str) -> String {
    let model = read(text);
    let printed = print(&model);
    let again = read(&printed);
    assert_eq!(again.items, model.items, "{printed}");
    let comments = |model: &Model| -> Vec<String> {
        model.comments.iter().map(|comment| comment.text.clone()).collect()
    };
    assert_eq!(comments(&again), comments(&model), "{printed}");
    assert_eq!(print(&again), printed, "printing again");
    printed
}

#[test]
fn the_layout_is_canonical() {
    let text = "CONST N:3 M : 0x10 TYPE c: scalarset(N); r: RING(2) s: enum{A,B,};
        m: record a,b: boolean; d: array[c]of 0..N-1 endrecord
        var x: c; net: multiset[4] of m; u: union{c,s}
        function f(a, b: c; var d: s): boolean; var l: c; begin return a=b end
        procedure p() begin if (a) then x:=1; elsif b then else clear x endif;
        switch x case 1,2: p() else undefine y end; for i: c; j:=0 to 4 by 2 do while x do put \"a\\n\" end end end
        startstate begin x:=1 end
        ruleset i: c; j: 0..1 do fair rule \"go\" x=i ==> var t: c; begin t:=i; x:=t end
        rule begin end alias q: x do invariant \"i\" q=i; assume true end end
        process c: c do choose e: net do strongly fair rule x ==> MultiSetRemove(e, net) end end end
        process server do rule error \"no\" end end
        ltl \"a\": forall c: c. G ( @go(c)  -> F x = c ) under strong fairness over events
        justice forall distinct a, b: c, d: (0..1). x=a
        compassion \"k\": (x=1,y) invariant forall i:c do x=i->y end";
    let expected = "\
const
  N: 3;
  M: 16;

type
  c: scalarset(N);
  r: ring(2);
  s: enum { A, B };
  m: record
    a, b: boolean;
    d: array [c] of 0..N - 1;
  end;

var
  x: c;
  net: multiset [4] of m;
  u: union { c, s };

function f(a, b: c; var d: s): boolean;
var
  l: c;
begin
  return a = b;
end;

procedure p();
begin
  if a then
    x := 1;
  elsif b then
  else
    clear x;
  end;
  switch x
  case 1, 2:
    p();
  else
    undefine y;
  end;
  for i: c; j := 0 to 4 by 2 do
    while x do
      put \"a\\n\";
    end;
  end;
end;

startstate
  x := 1;
end;

ruleset i: c; j: 0..1 do
  fair rule \"go\" x = i ==>
  var
    t: c;
  begin
    t := i;
    x := t;
  end;

  rule
  end;

  alias q: x do
    invariant \"i\" q = i;
    assume true;
  end;
end;

process c: c do
  choose e: net do
    strongly fair rule x ==>
      MultiSetRemove(e, net);
    end;
  end;
end;

process server do
  rule
    error \"no\";
  end;
end;

ltl \"a\": forall c: c. G ( @go(c) -> F x = c ) under strong fairness over events;
justice forall distinct a, b: c, d: (0..1). x = a;
compassion \"k\": (x = 1, y);
invariant forall i: c do x = i -> y end;
";
    assert_eq!(printed(text), expected);
}

#[test]
fn parentheses_stand_where_readers_need_them() {
    for (text, expected) in [
        ("((a))", "a"),
        ("a & b & c", "a & b & c"),
        ("a & (b & c)", "a & (b & c)"),
        ("a & b | c & d", "(a & b) | (c & d)"),
        ("a && b & c", "a && (b & c)"),
        ("a & b -> c | d", "a & b -> c | d"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("!a = b", "!(a = b)"),
        ("(!a) = b", "(!a) = b"),
        ("a = !b", "a = (!b)"),
        ("!(!a)", "!!a"),
        ("!a & b", "!a & b"),
        ("-(-a)", "-(-a)"),
        ("a - -b", "a - -b"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a + b) * -c", "(a + b) * (-c)"),
        ("-a * b", "-a * b"),
        ("1 << n + 1", "1 << (n + 1)"),
        ("(a = b) = (c = d)", "(a = b) = (c = d)"),
        ("a ? b : (c ? d : e)", "a ? b : (c ? d : e)"),
        ("a ? b ? c : d : e", "a ? (b ? c : d) : e"),
        ("(a ? b : c) + 1", "(a ? b : c) + 1"),
        ("MULTISETCOUNT(i: m, m[i].x = 1)", "MultiSetCount(i: m, m[i].x = 1)"),
        ("COUNT i: t; j: 0..1 do (a) END > count", "count i: t; j: 0..1 do a end > count"),
        ("Sum i: t do (a + 1) END * sum", "sum i: t do a + 1 end * sum"),
        (
            "exists i := 1 to n by -1; j: 0..1 do f(i, j) end",
            "exists i := 1 to n by -1; j: 0..1 do f(i, j) end",
        ),
    ] {
        let tree = parse_expression(text).expect("an expression");
        assert_eq!(print_expression(&tree), expected, "{text}");
        assert_eq!(parse_expression(expected).as_ref(), Ok(&tree), "{text}");
    }
}

#[test]
fn long_lines_are_broken() {
    let long = "a_rather_long_name[with_index].and_field";
    let text = format!(
        "rule \"r\" {long} = {long} & {long} & ({long} | {long} | {long}) ==> x := {long} end \
         type e: enum {{ {long_names} }}",
        long_names = ["first_of_many", "second_of_many", "third_of_many"].repeat(3).join(", ")
    );
    let expected = format!(
        "\
rule \"r\" {long} = {long}
    & {long}
    & ({long}
        | {long}
        | {long}) ==>
  x := {long};
end;

type
  e: enum {{
    first_of_many,
    second_of_many,
    third_of_many,
    first_of_many,
    second_of_many,
    third_of_many,
    first_of_many,
    second_of_many,
    third_of_many
  }};
"
    );
    assert_eq!(printed(&text), expected);
}

#[test]
fn comments_stay_where_they_belong() {
    let text = "\
-- A header,
-- of two lines.

const /* how many */ N: 3; -- three
  -- two
  M: 2;   /* M */ -- really

type s: enum { A, -- the first
  -- the second:
  B };
 r: record -- a record
    x: s;   -- its field
    /* the end */
  end; -- of r
-- what it does
rule \"r\" -- named
  a = b -- guard
==>
begin -- now
  x := 1; -- one
  -- two
  y := a /* inside */ + b;
  if x then -- then
    z := 1 -- last
  else -- else
    -- before
    w := 2
  end; -- if
  if x then
  else /* empty */
  end
  -- at the end
end -- r
-- between
invariant x; -- i
-- last";
    let expected = "\
-- A header,
-- of two lines.
/* how many */
const
  N: 3; -- three
  -- two
  M: 2; /* M */ -- really

type
  s: enum {
    A, -- the first
    -- the second:
    B
  };
  r: record -- a record
    x: s; -- its field
    /* the end */
  end; -- of r

-- what it does
rule \"r\" a = b ==> -- named
  -- guard
  -- now
  x := 1; -- one
  -- two
  y := a + b; /* inside */
  if x then -- then
    z := 1; -- last
  else -- else
    -- before
    w := 2;
  end; -- if
  if x then
  else /* empty */
  end;
  -- at the end
end; -- r

-- between
invariant x; -- i
-- last
";
    assert_eq!(printed(text), expected);
}

#[test]
fn comments_are_never_lost() {
    let text = "const N : ( 3 + 4 ) ; type t : array [ 0 .. N ] of record a , b : t ; end ; \
        var x : enum { A , B } ; function f ( a : t ; var b : t ) : t ; var c : t ; begin \
        return a ; end ; startstate \"s\" begin x := 1 ; end ; ruleset i : t ; j := 1 to 2 do \
        rule \"r\" x & forall k : record a : t ; end do y end ==> var z : t ; begin if x then p ( ) ; \
        elsif y then q ( a , b ) ; else switch x case 1 , 2 : clear y ; else end ; end ; \
        alias a : b do while x do end ; end ; end ; invariant \"i\" x ; end ; \
        ltl \"l\" : forall c : t . G ( x ) under strong fairness over events ; \
        compassion ( x , y ) ; process c : t do end ;";
    let words: Vec<&str> = text.split_whitespace().collect();
    for comment in ["/* c */ ", "-- c\n", "\n-- c\n", "\n/* a\n b */ -- d\n"] {
        for at in 0..=words.len() {
            let (before, behind) = words.split_at(at);
            printed(&format!("{} {comment}{}", before.join(" "), behind.join(" ")));
        }
        printed(&(words.join(&format!(" {comment}")) + comment));
    }
}

#[test]
fn strings_are_escaped() {
    let text = r#"rule "a\"b\\c\n\t\r “d”" end"#;
    assert_eq!(printed(text), "rule \"a\\\"b\\\\c\\n\\t\\r “d”\"\nend;\n");
}

#[test]
fn nothing_prints_as_nothing() {
    assert_eq!(printed(""), "");
    assert_eq!(printed("-- c"), "-- c\n");
    assert_eq!(printed("var const"), "var\n\nconst\n");
}

/// Pieces of formulas, right and wrong.
const PIECES: [&str; 44] = [
    "x", "G", "U", "X", "a1", "under", "weak", "fairness", "over", "events", "ltl", "process",
    "justice", "fair", "strongly", "choose", "by", "forall", "exists", "i: t", "do", "end",
    "endfor", "record", ";", ":", ".", ",", "(", ")", "[", "]", "{", "}", "->", "-", "=", "?", "@",
    "_", "7", "\"a b\"", "“c”", "/* e */",
];

/// Formulas are kept as text until names are known, so that faulty ones are printed, too.
#[test]
fn faulty_formulas_are_printed_the_same_again() {
    for text in [
        "ltl F forall i: t; rule end",
        "ltl \"n\": F forall i: t; ltl \"m\": G x;",
        "rule end ltl : \"a\" (x);",
        "rule end ltl : : x;",
        "rule end ltl : x : y;",
        "rule end ltl : \"a\" \"b\";",
        "var x: boolean; ltl \"a\" & x;",
        "ltl \"a --> b\": x;",
    ] {
        printed(text);
    }
    // A comment that would look like an implication behind the formula is refused before it, too.
    assert_eq!(parse("ltl --> c\nx;").errors.len(), 1);
    let mut random = run::SplitMix64::new(22);
    let mut accepted = 0;
    for _ in 0..60_000 {
        let mut text = String::new();
        let before = ["", "rule end ", "var v: boolean; ", "-- c\n"];
        let heads = ["ltl ", "ltl: ", "ltl \"n\": ", "ltl \"n\" ", "ltl forall c: t. ", "ltl : : "];
        let behind = ["", ";", ";;", "; -- d\n", " rule end", "; rule end", "; justice x", " end"];
        text += random.pick(&before).expect("a piece");
        text += random.pick(&heads).expect("a piece");
        for _ in 0..=random.below(7) {
            text += random.pick(&PIECES).expect("a piece");
            text += random.pick(&["", " ", " ", "\n", " -- f\n "]).expect("a blank");
        }
        text += random.pick(&behind).expect("a piece");
        let Parsed { errors, .. } = parse(&text);
        if errors.is_empty() {
            accepted += 1;
            printed(&text);
        }
    }
    assert!(accepted > 10_000, "only {accepted} are models");
}

#[test]
fn random_trees_are_read_as_they_were() {
    for seed in 0..2000 {
        let model = Trees::new(seed).model();
        let text = print(&model);
        let Parsed { model: again, errors } = parse(&text);
        assert_eq!(errors, [], "seed {seed}:\n{text}");
        assert_eq!(again, model, "seed {seed}:\n{text}");
        assert_eq!(print(&again), text, "seed {seed}");
    }
}

#[test]
fn deep_trees_are_printed() {
    let chain = format!("invariant x{}", " & x".repeat(900));
    let nested = format!("invariant {}x{}", "f(".repeat(900), ")".repeat(900));
    let blocks = format!("rule {}x := 1{} end", "if x then ".repeat(900), " end".repeat(900));
    for text in [chain, nested, blocks] {
        printed(&text);
    }
}
