//! Accepted texts with their trees, and the errors of others.

use super::*;
use crate::syntax::{
    Declaration, Fairness, IndexKind, Item, Over, PropertyKind, QuantifierDomain, RuleFairness,
    RuleKind, Statement, StatementKind, Type, TypeKind,
};

mod colours;
mod errors;
mod limits;

/// The items of a text without errors.
fn items(text: &str) -> Vec<Item> {
    let Parsed { model, errors } = parse(text);
    assert_eq!(errors, [], "{text}");
    model.items
}

fn rule(text: &str) -> RuleKind {
    match items(text).pop() {
        Some(Item::Rule(rule)) => rule.kind,
        other => panic!("{text}: {other:?}"),
    }
}

fn body(text: &str) -> Vec<Statement> {
    match rule(&format!("startstate {text} end")) {
        RuleKind::Start { body, .. } => body,
        other => panic!("{text}: {other:?}"),
    }
}

fn type_(text: &str) -> Type {
    match items(&format!("type t: {text};")).pop() {
        Some(Item::Declaration(Declaration::Types(mut types))) => types.remove(0).1,
        other => panic!("{text}: {other:?}"),
    }
}

/// The expression with all of its parentheses.
fn grouped(text: &str) -> String {
    fn show(e: &Expression) -> String {
        use crate::syntax::ExpressionKind as E;
        match &e.kind {
            E::Number(value) => value.to_string(),
            E::Name(name) => name.clone(),
            E::Field(of, name) => format!("{}.{}", show(of), name.text),
            E::Element(of, index) => format!("{}[{}]", show(of), show(index)),
            E::Call { name, arguments } => {
                let arguments: Vec<_> = arguments.iter().map(show).collect();
                format!("{}({})", name.text, arguments.join(", "))
            }
            E::Record { name, fields } => {
                let fields: Vec<_> =
                    fields.iter().map(|(name, e)| format!("{}: {}", name.text, show(e))).collect();
                format!("{}{{{}}}", name.text, fields.join(", "))
            }
            E::Set(parts) => {
                format!("{{{}}}", parts.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            E::Array(parts) => {
                format!("[{}]", parts.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            E::Unary(operator, operand) => format!("({operator:?} {})", show(operand)),
            E::Binary(operator, left, right) => {
                format!("({} {operator:?} {})", show(left), show(right))
            }
            E::Conditional(a, b, c) => format!("({} ? {} : {})", show(a), show(b), show(c)),
            E::Quantified { kind, quantifiers, body } => {
                let names: Vec<_> = quantifiers.iter().map(|q| &q.name.text[..]).collect();
                format!("({kind:?} {} do {})", names.join("; "), show(body))
            }
            E::Total { kind, quantifiers, body } => {
                let names: Vec<_> = quantifiers.iter().map(|q| &q.name.text[..]).collect();
                format!("({kind:?} {} do {})", names.join("; "), show(body))
            }
            E::CountWhere { name, multiset, condition } => {
                format!("(count {}: {}, {})", name.text, show(multiset), show(condition))
            }
        }
    }
    show(&parse_expression(text).unwrap_or_else(|error| panic!("{text}: {error:?}")))
}

#[test]
fn operators_bind_by_the_table() {
    for (text, expected) in [
        ("a ? b : c", "(a ? b : c)"),
        ("a ? b ? 1 : 2 : c", "(a ? (b ? 1 : 2) : c)"),
        ("a -> b ? c : d", "((a Implies b) ? c : d)"),
        ("a || b -> c && d", "((a OrElse b) Implies (c AndAlso d))"),
        ("a || b && c", "(a OrElse (b AndAlso c))"),
        ("a && b | c", "(a AndAlso (b Or c))"),
        ("a | b ^ c & d", "(a Or (b Xor (c And d)))"),
        ("a & b & c", "((a And b) And c)"),
        ("!a = b", "(Not (a Equal b))"),
        ("!a & b", "((Not a) And b)"),
        ("a = !b & c", "((a Equal (Not b)) And c)"),
        ("a = !b = c", "(a Equal (Not (b Equal c)))"),
        ("!!a", "(Not (Not a))"),
        ("a == b & c != d", "((a Equal b) And (c NotEqual d))"),
        ("a << b + c < d", "((a ShiftLeft (b Add c)) Less d)"),
        ("a - b - c", "((a Subtract b) Subtract c)"),
        ("-a * b", "((Negate a) Multiply b)"),
        ("a + -b * c", "(a Add ((Negate b) Multiply c))"),
        ("- -a", "(Negate (Negate a))"),
        ("~-a % ~b", "((BitwiseNot (Negate a)) Remainder (BitwiseNot b))"),
        ("a[i].f[j - 1]", "a[i].f[(j Subtract 1)]"),
        ("f(a, g()) >= 0x1F", "(f(a, g()) GreaterOrEqual 31)"),
        ("IsUndefined(x) | TRUE", "(isundefined(x) Or true)"),
        ("forall i: t; j := 1 to 3 do a endforall & b", "((Forall i; j do a) And b)"),
        (
            "∀ i: t do ¬(∃ j: u do a ≠ b ∧ c end) end",
            "(Forall i do (Not (Exists j do ((a NotEqual b) AndAlso c))))",
        ),
        (
            "a ∨ b → c ≤ d ÷ 2 − e × 3 ∕ 4",
            "((a OrElse b) Implies (c LessOrEqual ((d Divide 2) Subtract ((e Multiply 3) Divide 4))))",
        ),
        (
            "MultiSetCount(i: net, net[i].to_ = n) > 0",
            "((count i: net, (net[i].to_ Equal n)) Greater 0)",
        ),
        ("count i: t; j := 1 to 3 do a end + 1", "((Count i; j do a) Add 1)"),
        ("Count i: t do count = j end = count", "((Count i do (count Equal j)) Equal count)"),
        ("sum i: t; j: t do sum + x end * 2", "((Sum i; j do (sum Add x)) Multiply 2)"),
        ("SUM i := 1 to 3 do i end + sum(i) + sum", "(((Sum i do i) Add sum(i)) Add sum)"),
        ("r { a: 1, b: x + 1 } = m[i]", "(r{a: 1, b: (x Add 1)} Equal m[i])"),
        ("v in { a, b, } | {} <= s", "((v In {a, b}) Or ({} LessOrEqual s))"),
        ("in in in & set = head(set).in[0]", "((in In in) And (set Equal head(set).in[0]))"),
        ("r {} != [1, [x, 2]]", "(r{} NotEqual [1, [x, 2]])"),
        ("count(i) + count[i].count", "(count(i) Add count[i].count)"),
        ("multisetcount(a, b)", "multisetcount(a, b)"),
        ("next(ring) = prev(process)", "(next(ring) Equal prev(process))"),
        ("(a)", "a"),
    ] {
        assert_eq!(grouped(text), expected, "{text}");
    }
}

#[test]
fn places_are_exact() {
    let text = "x + (y * f(z)) ";
    let sum = parse_expression(text).expect("it is one");
    let crate::syntax::ExpressionKind::Binary(_, left, right) = &sum.kind else { panic!("a sum") };
    for (e, expected) in [(&sum, "x + (y * f(z))"), (left, "x"), (right, "y * f(z)")] {
        assert_eq!(&text[e.place.0.start..e.place.0.end], expected);
    }
    let text = " rule \"r\" x = 1 ==> y := 2; endrule ; ";
    let Item::Rule(rule) = &items(text)[0] else { panic!("a rule") };
    assert_eq!(&text[rule.place.0.start..rule.place.0.end], "rule \"r\" x = 1 ==> y := 2; endrule");
}

#[test]
fn semicolons_and_begin_are_optional() {
    let long = items(
        "const N: 3; M: 2; type t: 0..N; var x, y: t; startstate begin x := 0; end; \
         rule x = 1 ==> begin x := 0; end; invariant x = 0;",
    );
    let short = items(
        "CONST N: 3 M: 2 TYPE t: 0..N VAR x, y,: t STARTSTATE x := 0 END \
         RULE x = 1 ==> x := 0 ENDRULE INVARIANT x = 0",
    );
    assert_eq!(long, short);
    assert_eq!(long.len(), 6);
}

#[test]
fn an_empty_text_is_an_empty_model() {
    for text in ["", " \n", "\u{feff}", "-- nothing", ";;", "/**/"] {
        assert_eq!(items(text), [], "{text}");
    }
}

#[test]
fn types_are_read() {
    let named = |name: &str| Type { kind: TypeKind::Named(name.into()), ..type_("x") };
    for (text, expected) in [
        ("Boolean", TypeKind::Named("boolean".into())),
        (
            "interleaved array [a] of b",
            TypeKind::Array { index: Box::new(named("a")), element: Box::new(named("b")) },
        ),
        ("union { a, b, }", TypeKind::Union(vec![named("a"), named("b")])),
        ("ring", TypeKind::Named("ring".into())),
        ("multiset", TypeKind::Named("multiset".into())),
        ("undirected", TypeKind::Named("undirected".into())),
        ("record end", TypeKind::Record(vec![])),
        ("enum {}", TypeKind::Enumeration(vec![])),
    ] {
        assert_eq!(type_(text).kind, expected, "{text}");
    }
    for (text, expected) in [
        ("scalarset(2)", IndexKind::Scalarset),
        ("Ring(N+1)", IndexKind::Ring),
        ("undirected ring(4)", IndexKind::UndirectedRing),
    ] {
        assert!(matches!(type_(text).kind, TypeKind::Index { kind, .. } if kind == expected));
    }
    for text in [
        "-1 .. +N - 1",
        "ring..5",
        "array [0..1] of array [enum {a, b}] of record x, y: t z: u endrecord",
        "multiset [N] of record a: t; end",
    ] {
        type_(text);
    }
}

#[test]
fn new_words_may_be_names() {
    let words = "ring undirected process ltl justice compassion fair strongly under fairness over \
                 weak strong global distinct next prev adjacent by choose multiset interleaved \
                 ismember program endprocess";
    for word in words.split_whitespace() {
        for text in [
            format!(
                "var x: boolean; {word}: boolean; {word}, y: 0..1 rule {word} ==> {word} := !{word} end"
            ),
            format!(
                "const {word}: 3 type t: {word}..4; {word}: t; procedure {word}({word}: t); begin {word}({word}); end"
            ),
            format!("rule begin var_ := {word}; {word}[1].{word} := {word} end"),
            format!("type e: enum {{ {word}, b }}; r: record {word}: t end"),
            format!("invariant {word} = {word} & x"),
            format!("ltl G {word};"),
            format!("ltl {word} & G ({word});"),
        ] {
            assert_eq!(parse(&text).errors, [], "{text}");
        }
    }
}

#[test]
fn statements_are_read() {
    let statements = body(
        "x := 1; a.b[c] := d; clear a[1]; undefine b; \
         if a then elsif b then x := 1; elsif c then else y := 2 endif; \
         switch x case 1, 2: y := 1; y := 2 case 3: else z := 1 endswitch;; \
         for i: t; j := 0 to N by 2 do x := i endfor; while a do b := c endwhile; \
         alias p: q; r: s[1] do p := 1 endalias; return; return x + 1; error \"e\"; put \"p\"; \
         put x; p(); q(a, b); assert a; invariant \"n\" b; assume c \"m\"; cover d; \
         MultiSetRemovePred(i: net, net[i] = 1); MultiSetAdd(m, net)",
    );
    let names: Vec<_> = statements
        .iter()
        .map(|statement| {
            let shown = format!("{:?}", statement.kind);
            shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(
        names.join(" "),
        "Assign Assign Clear Undefine If Switch For While Alias Return Return Error PutText Put \
         Call Call Property Property Property Property RemoveWhere Call"
    );
    let StatementKind::If { branches, otherwise } = &statements[4].kind else { panic!("an if") };
    assert_eq!((branches.len(), branches[1].1.len(), otherwise.is_some()), (3, 1, true));
    let StatementKind::Switch { cases, .. } = &statements[5].kind else { panic!("a switch") };
    assert_eq!((cases.len(), cases[0].0.len(), cases[0].1.len()), (2, 2, 2));
    let StatementKind::For { quantifiers, .. } = &statements[6].kind else { panic!("a for") };
    assert!(matches!(&quantifiers[1].domain, QuantifierDomain::Steps { by: Some(_), .. }));
}

#[test]
fn rules_are_read() {
    let fairness = |text: &str| match rule(text) {
        RuleKind::Rule { fairness, name, guard, .. } => {
            (fairness, name.map(|name| name.text), guard.is_some())
        }
        other => panic!("{text}: {other:?}"),
    };
    for (text, expected) in [
        ("rule end", (None, None, false)),
        ("rule begin end", (None, None, false)),
        ("rule x := 1 end", (None, None, false)),
        ("rule p(x); end", (None, None, false)),
        ("rule \"a\" x ==> end", (None, Some("a"), true)),
        ("rule \"a\" forall i := 1 to 2 do x end ==> var y: t; begin end", (None, Some("a"), true)),
        ("rule \"a\" if x then y := 1 end end", (None, Some("a"), false)),
        ("fair rule \"\" x ⇒ end", (Some(RuleFairness::Weak), Some(""), true)),
        (
            "Strongly Fair rule “a \\\"b\\\"” end",
            (Some(RuleFairness::Strong), Some("a \"b\""), false),
        ),
    ] {
        let expected = (expected.0, expected.1.map(str::to_owned), expected.2);
        assert_eq!(fairness(text), expected, "{text}");
    }
    for text in [
        "ruleset i: t; j: 0..1 do rule end; invariant x ruleset k: u do startstate end end endruleset",
        "alias a: b; c: d do rule end endalias",
        "choose i: net[1].q do rule end endchoose",
        "process c: client do rule end end",
        "process server do choose i: ms do rule end end endprocess",
        "process c: 0..1 do alias a: b do rule end end end",
        "ruleset a: array [t] of boolean do startstate x := a end end",
    ] {
        rule(text);
    }
    for (text, expected) in [
        ("invariant \"a\" x", (PropertyKind::Invariant, Some("a"))),
        ("assert x \"a\"", (PropertyKind::Assert, Some("a"))),
        ("assume x", (PropertyKind::Assume, None)),
        ("cover x", (PropertyKind::Cover, None)),
        ("liveness \"b\" x", (PropertyKind::Liveness, Some("b"))),
    ] {
        let RuleKind::Property(property) = rule(text) else { panic!("{text}") };
        let name = property.name.as_ref().map(|name| &name.text[..]);
        assert_eq!((property.kind, name), expected, "{text}");
    }
}

#[test]
fn functions_are_read() {
    for text in [
        "function f(a, b: t; var c: u): v; var x: t begin return a endfunction",
        "procedure p(); x := 1 end",
        "procedure p() var x: t; x := 1; endprocedure;",
        "function f(var a: t): array [t] of u begin endprocedure",
    ] {
        assert!(matches!(items(text)[..], [Item::Function(_)]), "{text}");
    }
}

#[test]
fn formulas_are_kept_as_text() {
    let under = |kind, over| Some((kind, over));
    for (text, tracked, formula, fairness) in [
        ("ltl G x", 0, "G x", None),
        ("ltl: G x;", 0, "G x", None),
        ("ltl \"a\" G x", 0, "G x", None),
        ("ltl \"a\": forall c: t. G(a[c] -> F b[c]);", 1, "G(a[c] -> F b[c])", None),
        ("ltl forall distinct a, b: t, c: (0..1). []<>@x(a,_)", 2, "[]<>@x(a,_)", None),
        ("ltl G /* c */ (a\n  & -- d\n b) ; ", 0, "G (a & b)", None),
        ("ltl forall i: t; j: u do a end U b;", 0, "forall i: t; j: u do a end U b", None),
        ("ltl G under; ", 0, "G under", None),
        ("ltl G x under weak fairness", 0, "G x", under(Fairness::Weak, None)),
        ("ltl x under none fairness;", 0, "x", under(Fairness::None, None)),
        (
            "ltl x under global fairness rule end; ltl x under global fairness",
            0,
            "x",
            under(Fairness::Global, None),
        ),
        (
            "ltl G x under strong fairness over events;",
            0,
            "G x",
            under(Fairness::Strong, Some(Over::Events)),
        ),
        (
            "ltl G x under Weak Fairness Over Processes",
            0,
            "G x",
            under(Fairness::Weak, Some(Over::Processes)),
        ),
        ("ltl \"a\";", 0, "\"a\"", None),
        ("ltl \"a\" \"b\";", 0, "\"b\"", None),
        ("ltl \"a\" under weak fairness", 0, "\"a\"", under(Fairness::Weak, None)),
        ("rule end ltl @\"a b\"(c) | \"x = 1; ltl\"", 0, "@\"a b\"(c) | \"x = 1; ltl\"", None),
    ] {
        let RuleKind::Ltl(found) = rule(text) else { panic!("{text}") };
        assert_eq!(found.tracked.len(), tracked, "{text}");
        assert_eq!(found.formula, formula, "{text}");
        assert_eq!(found.under.map(|under| (under.kind, under.over)), fairness, "{text}");
        let place = &text[found.place.0.start..found.place.0.end];
        let blanks = |c: &char| !c.is_whitespace();
        if !place.contains(['*', '\n']) {
            assert!(place.chars().filter(blanks).eq(formula.chars().filter(blanks)), "{place}");
        }
    }
}

#[test]
fn a_formula_ends_before_the_next_item() {
    for next in [
        "rule end",
        "ltl \"b\" F y",
        "ltl forall c: t. F y",
        "justice x",
        "compassion (x, y)",
        "fair rule end",
        "strongly fair rule end",
        "process p do end",
        "choose i: ms do end",
        "invariant x",
        "var y: t",
        "function f(); begin end",
    ] {
        for formula in ["G x", "F (x)", "a[1]", "x U y", "exists i: t do x end"] {
            let text = format!("ltl {formula} {next}");
            let found = items(&text);
            let Item::Rule(first) = &found[0] else { panic!("{text}") };
            let RuleKind::Ltl(property) = &first.kind else { panic!("{text}") };
            assert_eq!((&property.formula[..], found.len()), (formula, 2), "{text}");
        }
    }
}

#[test]
fn requirements_are_read() {
    let RuleKind::Justice { name, tracked, .. } = rule("justice \"l\": forall c: t. x[c] != K;")
    else {
        panic!("justice")
    };
    assert_eq!((name.is_some(), tracked.len()), (true, 1));
    let RuleKind::Compassion { tracked, .. } =
        rule("compassion forall distinct c, d: t. (x[c], (y[d]))")
    else {
        panic!("compassion")
    };
    assert_eq!((tracked[0].distinct, tracked[0].names.len()), (true, 2));
    rule("justice forall c: t do x[c] end");
}

#[test]
fn comments_are_kept_aside() {
    let text = "-- a\r\nvar x: t; /* b\n c */ -- d\n/* e */ rule end --f";
    let comments = parse(text).model.comments;
    let shown: Vec<_> = comments
        .iter()
        .map(|comment| {
            let place = comment.place.0;
            assert_eq!(&text[place.start..place.end], comment.text);
            let line = comment.line.0;
            (&comment.text[..], &text[line.start..line.end])
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("-- a", ""),
            ("/* b\n c */", "var x: t; "),
            ("-- d", "var x: t; /* b\n c */ "),
            ("/* e */", ""),
            ("--f", "/* e */ rule end "),
        ]
    );
}

#[test]
fn strings_have_escapes() {
    for (text, expected) in [
        (r#""a\"b\\c\n\t\x""#, "a\"b\\c\n\tx"),
        ("“a \u{201c}b”", "a “b"),
        ("“a\"", "a"),
        ("\"a\nb”\"", "a\nb”"),
    ] {
        let RuleKind::Rule { name, .. } = rule(&format!("rule {text} end")) else {
            panic!("a rule")
        };
        assert_eq!(name.map(|name| name.text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn includes_are_items_and_names() {
    for (text, count) in [
        ("include \"a.m\";", 1),
        ("var x: 0..1; INCLUDE \"a.m\" var y: 0..1", 3),
        ("ltl F x include \"a.m\"; invariant y", 3),
        ("var include: boolean; invariant include \"named\"; cover include", 3),
        ("const include: 1 include \"b.m\"", 2),
        ("type include: 0..1; var x: include; rule x = include ==> include := x end", 3),
    ] {
        assert_eq!(items(text).len(), count, "{text}");
    }
}

/// No item goes on after the separator, which stands between the files of a model.
#[test]
fn items_end_where_files_do() {
    for (first, second) in [
        ("var x: 0..1;", "ltl: F x"),
        ("const N: 1; M: 2", "fair rule true ==> end"),
        ("ltl F x", "ltl \"n\": G x"),
        ("ltl \"n\": F x", "\u{1c}"),
        ("invariant x", "include \"y\""),
        ("type t: 0..1", "justice: x"),
    ] {
        let apart = [items(first), items(second)].concat();
        assert_eq!(items(&format!("{first}\u{1c}{second}")), apart, "{first}");
    }
    let wrong = parse("var x\u{1c}: 0..1").errors;
    assert_eq!(wrong[0].message, "expected `:`, found U+001C");
}
