//! Formulas about models: what becomes an atom, and which formula is left.

use ltl::{Formula, Formulas, Node};
use model::check;
use model::checked::Atom;

const MODEL: &str = "
type client: scalarset(3);
     phase: enum { I, R, G, K };
var st: array [client] of phase; x: 0..3; F1: boolean; free: boolean;
startstate for c: client do st[c] := I end; x := 0; F1 := true; free := true end;
ruleset c: client do
  rule \"request\" st[c] = I ==> st[c] := R end;
  rule \"give back\" st[c] = K ==> st[c] := I end;
end;
process server do ruleset c: client do rule \"grant\" st[c] = R & free ==> st[c] := K end end end;
";

/// The formula with all parentheses, atoms in brackets.
fn reading(formula: &str) -> String {
    let text = format!("{MODEL}\nltl \"p\": {formula};\n");
    let model = check(&text, &[]).unwrap_or_else(|errors| panic!("{formula}: {errors:#?}"));
    let property = &model.formulas[0];
    write(&property.formulas, &property.atoms, property.root)
}

fn write(formulas: &Formulas, atoms: &[Atom], f: Formula) -> String {
    let inner = |g| write(formulas, atoms, g);
    let all = |list: &[Formula], sign: &str| {
        let list: Vec<_> = list.iter().map(|&g| inner(g)).collect();
        format!("({})", list.join(sign))
    };
    match formulas.node(f) {
        Node::True => "true".to_owned(),
        Node::False => "false".to_owned(),
        Node::Atom(atom) => match &atoms[atom.index()] {
            Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. } => {
                format!("[{text}]")
            }
        },
        Node::Not(g) => format!("!{}", inner(g)),
        Node::Next(g) => format!("X{}", inner(g)),
        Node::Finally(g) => format!("F{}", inner(g)),
        Node::Globally(g) => format!("G{}", inner(g)),
        Node::And(list) => all(list, " & "),
        Node::Or(list) => all(list, " | "),
        Node::Implies(g, h) => format!("({} -> {})", inner(g), inner(h)),
        Node::Iff(g, h) => format!("({} <-> {})", inner(g), inner(h)),
        Node::Xor(g, h) => format!("({} xor {})", inner(g), inner(h)),
        Node::Until(g, h) => format!("({} U {})", inner(g), inner(h)),
        Node::Release(g, h) => format!("({} R {})", inner(g), inner(h)),
        Node::WeakUntil(g, h) => format!("({} W {})", inner(g), inner(h)),
        Node::StrongRelease(g, h) => format!("({} M {})", inner(g), inner(h)),
    }
}

#[test]
fn conditions_are_joined_into_atoms_as_large_as_can_be() {
    for (formula, expected) in [
        ("G(isundefined(x) | x = 1)", "G[isundefined(x) | x = 1]"),
        ("forall c: client. G(st[c] = R -> F st[c] = K)", "G([st[c] = R] -> F[st[c] = K])"),
        ("forall c: client. G(@request(c) -> F @grant(c))", "G([@request(c)] -> F[@grant(c)])"),
        // Operators of formulas are names inside expressions.
        ("forall c: client. G st[c] = G", "G[st[c] = G]"),
        ("G F1", "G[F1]"),
        // A chain is joined as far as it goes, on either side of what is temporal.
        ("F F1 & !isundefined(x) & x = 1", "(F[F1] & [!isundefined(x) & x = 1])"),
        ("F1 & free & F F1 & free & x = 1", "([F1 & free] & F[F1] & [free & x = 1])"),
        ("F1 | (X F1 | free) | x = 1", "([F1] | X[F1] | [free | x = 1])"),
        ("F1 & (free | X F1)", "([F1] & ([free] | X[F1]))"),
        // Tighter than comparisons: arithmetic, also in parentheses that are read again.
        ("G (x + 1) % 2 = 0", "G[(x + 1) % 2 = 0]"),
        ("G (x + 1 = 2)", "G[x + 1 = 2]"),
        ("(F1 -> free) U x = 1", "([F1 -> free] U [x = 1])"),
        ("!x = 1 U free", "(![x = 1] U [free])"),
        ("F1 <-> free", "[F1 <-> free]"),
        ("\"F1 & x = 1\" U free", "([\"F1 & x = 1\"] U [free])"),
        // Events: any arguments, by name alone, by whom.
        ("G F @grant(_) | G F @grant", "(GF[@grant(_)] | GF[@grant])"),
        ("G F grant", "GF[@grant]"),
        (
            "forall c: client. G(request(c) -> F @\"give back\"(c))",
            "G([@request(c)] -> F[@\"give back\"(c)])",
        ),
        ("forall c: client. G F @by(c) & G F @by(server)", "(GF[@by(c)] & GF[@by(server)])"),
        (
            "G (exists a: client do st[a] = K end -> F free)",
            "G([exists a: client do st[a] = K end] -> F[free])",
        ),
        ("G true & F false", "(Gtrue & Ffalse)"),
    ] {
        assert_eq!(reading(formula), expected, "{formula}");
    }
}
