//! Systems that do a or b all the time, and formulas that are violated by one schedule only: then every place of
//! a component takes one of the two, and whether its state takes both is a question about the group.

use model::check_with;
use model::checked::Model;
use run::SplitMix64;
use std::fmt::Write as _;

/// What a rule may do. The first two need a ring.
const BODIES: &[&str] = &[
    "h := next(h);",
    "h := next(h); x[h] := !x[h];",
    "x[h] := !x[h];",
    "for j: n do x[j] := !x[j]; end;",
    "for j: n do x[j] := !x[j]; end; x[h] := !x[h];",
    "x[h] := x[h];",
    // By somebody else.
    "h := i;",
    "x[h] := !x[h]; h := i;",
    "x[i] := !x[i];",
    "for j: n do x[j] := j = i | j = h; end;",
];

/// Where rules have a parameter.
const BY_OTHERS: usize = 6;

/// A system with schedules, and a text that tells of both.
pub fn system(seed: u64) -> (String, Model) {
    let mut random = SplitMix64::new(seed ^ 0x5c4ed);
    let (first, index) = match random.below(3) {
        0 => (2, format!("scalarset({})", 2 + random.below(2))),
        1 => (0, "ring(3)".to_owned()),
        _ => (0, "ring(4)".to_owned()),
    };
    let start = ["j = i", "j != i", "true"][random.below(3)];
    let mut text = format!(
        "type n: {index};\nvar h: n; x: array [n] of boolean;\n\
         ruleset i: n do startstate h := i; for j: n do x[j] := {start}; end; end; end;\n"
    );
    for name in ["a", "b"] {
        for _ in 0..=random.below(4) / 3 {
            let body = first + random.below(BODIES.len() - first);
            let _ = if body < BY_OTHERS {
                writeln!(text, "rule \"{name}\" {} end;", BODIES[body])
            } else {
                let body = BODIES[body];
                writeln!(text, "ruleset i: n do rule \"{name}\" i != h ==> {body} end; end;")
            };
        }
    }
    let questions: Vec<String> = (0..3).map(|_| schedule(&mut random)).collect();
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    let context = format!("seed {seed}:\n{text}\n{}", questions.join("\n"));
    let model = check_with(&text, &[], &questions);
    let model = model.unwrap_or_else(|errors| panic!("{errors:#?} in {context}"));
    (context, model)
}

/// A formula that only the runs violate that do a and b in a given order, again and again.
fn schedule(random: &mut SplitMix64) -> String {
    let length = 2 + random.below(3);
    let mut order: Vec<bool> = (0..length).map(|_| random.below(2) == 0).collect();
    order[0] = true;
    order[1 + random.below(length - 1)] = false;
    let later = |k: usize| "X ".repeat(k);
    let first: Vec<String> = order
        .iter()
        .enumerate()
        .map(|(k, is_a)| format!("{}{}@a", later(k), if *is_a { "" } else { "!" }))
        .collect();
    format!("!({} & G(@a <-> {}@a))", first.join(" & "), later(length))
}
