//! Never claims: their text, what is refused, and what Spin says of them.

use super::{atoms, built, guards_over, random_automaton, run};
use automata::formats::{NotPromela, never};
use ltl::AtomKind;
use run::SplitMix64;
use std::fmt::Write as _;

/// The claim of the first automaton of a text.
fn claim(text: &str) -> Result<String, NotPromela> {
    let [(document, guards, automaton)] = &mut built(text)[..] else { panic!("one") };
    never::write(guards, automaton, document.atoms(), document.name())
}

fn with_body(acceptance: &str, body: &str) -> String {
    format!("HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: {acceptance} --BODY-- {body} --END--")
}

#[test]
fn claims_are_as_expected() {
    let table = [
        (
            with_body("1 Inf(0)", "State: 0 [t] 0 [0&!1] 1 State: 1 {0} [!1] 1"),
            "never {\nT0_init:\n  if\n  :: (true) -> goto T0_init\n  :: (p && !q) -> goto accept_S1\n  fi;\n\
             accept_S1:\n  if\n  :: (!q) -> goto accept_S1\n  fi;\n}\n",
        ),
        // Those that accept everything are one, and the last; one without edges blocks.
        (
            with_body(
                "1 Inf(0)",
                "State: 0 [0] 1 [1] 2 [0&1] 3 State: 1 {0} [t] 1 State: 2 State: 3 {0} [t] 3 State: 4 [t] 0",
            ),
            "never {\nT0_init:\n  if\n  :: (p) -> goto accept_all\n  :: (q) -> goto T0_S2\n  \
             :: (p && q) -> goto accept_all\n  fi;\nT0_S2:\n  false;\naccept_all:\n  skip\n}\n",
        ),
        (with_body("0 t", "State: 0 [t] 0"), "never {\naccept_init:\n  skip\n}\n"),
        (with_body("1 Inf(0)", "State: 0"), "never {\nT0_init:\n  false;\n}\n"),
        (
            with_body("0 t", "State: 0 [0|1] 0"),
            "never {\naccept_init:\n  if\n  :: (p || q) -> goto accept_init\n  fi;\n}\n",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(claim(&text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_claim_is_refused() {
    let refused = |text: &str| claim(text).expect_err(text);
    let edges = with_body("1 Inf(0)", "State: 0 [0] 0 {0} [1] 0");
    assert_eq!(refused(&edges), NotPromela::NotStateBased);
    let sets = with_body("2 Inf(0)&Inf(1)", "State: 0 [t] 0");
    assert_eq!(refused(&sets), NotPromela::AcceptanceSets(2));
    let event = with_body("0 t", "State: 0 [0] 0").replace("\"p\"", "\"@a( _)\"");
    assert_eq!(refused(&event), NotPromela::Event("@a(_)".to_owned()));
    // An atom that no label mentions does not matter.
    assert!(claim(&event.replace("[0]", "[1]")).is_ok());
}

#[test]
fn propositions_are_promela_expressions() {
    //  name                      in the claim, or why not
    let table = [
        ("p_1", Ok("p_1")),
        ("_pid", Ok("_pid")),
        ("x > 1", Ok("(x > 1)")),
        ("a[i] == -1 && !(b || c.d)", Ok("(a[i] == -1 && !(b || c.d))")),
        ("proc[1]@cs", Ok("(proc[1]@cs)")),
        ("len(q) < 3", Ok("(len(q) < 3)")),
        ("timeout || np_", Ok("(timeout || np_)")),
        ("x << 2 >= ~y % 7", Ok("(x << 2 >= ~y % 7)")),
        ("if", Err("it is a keyword")),
        ("_", Err("it is a keyword")),
        ("run p()", Err("it contains a keyword")),
        ("c_expr { 1 }", Err("it contains a keyword")),
        ("x = 1", Err("it contains a character that expressions do not have")),
        ("x; y", Err("it contains a character that expressions do not have")),
        ("x) -> skip :: (y", Err("its brackets do not match")),
        ("(x", Err("its brackets do not match")),
        ("(x]", Err("its brackets do not match")),
        ("x++", Err("it contains what is no operator of expressions")),
        ("x /* y */", Err("it contains what is no operator of expressions")),
        ("x // y", Err("it contains what is no operator of expressions")),
        ("x -> y", Err("it contains what is no operator of expressions")),
        ("c ! 3", Err("it sends, or an operator is missing")),
        ("c ? 3", Err("it contains a character that expressions do not have")),
        ("x\n#include", Err("it contains a character that expressions do not have")),
        ("x >", Err("an operand is missing")),
        ("x y", Err("an operator is missing between two operands")),
        ("> x", Err("an operand is missing")),
        ("()", Err("an operand is missing")),
        ("3x > 1", Err("a number contains letters")),
        ("", Err("an operand is missing")),
        (" ", Err("an operand is missing")),
        ("naïve", Err("it contains a character that expressions do not have")),
    ];
    for (name, expected) in table {
        let mut atoms = ltl::Atoms::new();
        let atom = atoms.intern(AtomKind::Proposition(name.to_owned()));
        let mut guards = guards_over(&atoms);
        let mut builder = automata::Builder::new();
        let guard = guards.atom(atom);
        builder.edge(guard, automata::Marks::NONE, automata::State(0));
        builder.end_state();
        let automaton = builder.finish(automata::State(0), 0);
        let found = never::write(&mut guards, &automaton, &atoms, None);
        let expected = match expected {
            Ok(text) => Ok(format!(
                "never {{\naccept_init:\n  if\n  :: ({text}) -> goto accept_init\n  fi;\n}}\n"
            )),
            Err(reason) => Err(NotPromela::Proposition(name.to_owned(), reason)),
        };
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn the_formula_stays_in_its_comment() {
    let names = ["a */ b", "*/", "**//", "/*/", "a\n*\n/", "* /", "/**/*/", "\\"];
    for name in names {
        let text = with_body("0 t", "State: 0 [0] 0");
        let text = text.replace("HOA: v1", &format!("HOA: v1 name: {}", ltl::atoms::quoted(name)));
        let claim = claim(&text).expect("a claim");
        let first = claim.lines().next().expect("a line");
        let comment = first.strip_prefix("never { /* ").and_then(|rest| rest.strip_suffix(" */"));
        let comment = comment.unwrap_or_else(|| panic!("{first}"));
        assert!(!comment.contains("*/") && !comment.contains("/*"), "{first}");
        assert_eq!(claim.lines().nth(1), Some("accept_init:"), "{claim}");
    }
}

/// A folder of its own for a test, empty.
fn folder(name: &str) -> String {
    let folder = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// A model in which the propositions take all values, with the claim.
fn model(propositions: &[&str], steps: &str, claim: &str) -> String {
    let mut out = String::new();
    for name in propositions {
        let _ = writeln!(out, "bool {name};");
    }
    format!("{out}byte x;\nactive proctype m() {{\n{steps}\n}}\n{claim}")
}

#[test]
fn spin_accepts_claims() {
    let folder = folder("spin-accepts");
    for seed in 0..25 {
        let mut random = SplitMix64::new(seed);
        let atoms = atoms(&["p", "q", "x > 1 && !(x == 7)"]);
        let mut guards = guards_over(&atoms);
        let automaton = random_automaton(&mut random, &mut guards, 3);
        let Ok(claim) = never::write(&mut guards, &automaton, &atoms, Some("p */ q /* \" '"))
        else {
            continue;
        };
        let steps = "do :: p = !p :: q = !q :: x < 9 -> x++ :: x = 0 od";
        std::fs::write(format!("{folder}/m.pml"), model(&["p", "q"], steps, &claim))
            .expect("written");
        let Some(output) = run("spin", &["-a", "m.pml"], &folder, "") else { return };
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = said.contains("rror") || !output.status.success();
        assert!(!errors, "seed {seed}\n{said}\n{claim}");
    }
}

/// Spin's verdicts on claims whose answer is known: does some run satisfy the claim?
#[test]
fn spin_finds_what_claims_describe() {
    // Some p that no q follows: the negation of G(p -> F q).
    let unanswered = with_body("1 Inf(0)", "State: 0 [t] 0 [0&!1] 1 State: 1 {0} [!1] 1");
    // F(p & q), as a state that accepts everything.
    let together = with_body("1 Inf(0)", "State: 0 [!0|!1] 0 [0&1] 1 State: 1 {0} [t] 1");
    // true, and false.
    let (all, nothing) = (with_body("0 t", "State: 0 [t] 0"), with_body("0 t", "State: 0"));
    let alternating = "do :: atomic { p = 1; q = 0 }; atomic { p = 0; q = 1 } od";
    let waiting = "p = 1; do :: x = 1 - x od";
    let both = "p = 1; q = 1; do :: x = 1 - x od";
    //  claim         model          satisfied by some run
    let table = [
        (&unanswered, alternating, false),
        (&unanswered, waiting, true),
        (&together, both, true),
        (&all, alternating, true),
        (&nothing, waiting, false),
    ];
    let folder = folder("spin-finds");
    for (text, steps, expected) in table {
        let claim = claim(text).expect("a claim");
        std::fs::write(format!("{folder}/m.pml"), model(&["p", "q"], steps, &claim))
            .expect("written");
        let Some(_) = run("spin", &["-a", "m.pml"], &folder, "") else { return };
        let compile = ["-w", "-O0", "-o", "pan", "pan.c"];
        let Some(output) = run("cc", &compile, &folder, "") else { return };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output =
            run(&format!("{folder}/pan"), &["-a"], &folder, "").expect("it was just built");
        let said = String::from_utf8_lossy(&output.stdout);
        let violated = !said.contains("errors: 0");
        assert!(said.contains("errors: "), "{said}");
        assert_eq!(violated, expected, "{steps}\n{claim}\n{said}");
    }
}
