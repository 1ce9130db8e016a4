//! Random formulas about a table, for the protocol and for the model.

use super::table::{CHOOSES_NUMBER, CHOOSES_PROCESS, EVENTS, Table};
use run::random::SplitMix64;

/// A formula for the protocol, and the same for the model.
pub(crate) fn random(random: &mut SplitMix64, table: &Table) -> (String, String) {
    // Two variables with different values need two values.
    let variables: &[&str] = match random.below(if table.processes > 1 { 4 } else { 3 }) {
        0 => &[],
        1 => &["c"],
        _ => &["c", "d"],
    };
    let is_distinct = variables.len() == 2 && random.below(2) == 0 && table.processes > 1;
    // Mostly about what recurs, so that fairness matters.
    let size = 1 + random.below(4);
    let (of_protocol, of_model) = formula(random, table, variables, size);
    let shape = ["G F ({})", "F G ({})", "G ({})", "{}"][random.below(4)];
    let bound = |of: &str| {
        let distinct = if is_distinct { "distinct " } else { "" };
        let is_bound = !variables.is_empty();
        if is_bound {
            format!("forall {distinct}{}: {of}. ", variables.join(", "))
        } else {
            String::new()
        }
    };
    (
        bound("Process") + &shape.replace("{}", &of_protocol),
        bound("proc") + &shape.replace("{}", &of_model),
    )
}

/// An implication, for the protocol and for the model: the formula, and that without the right side.
/// And the left side, as the protocol writes it.
pub(crate) fn implication(
    random: &mut SplitMix64,
    table: &Table,
) -> ([(String, String); 2], String) {
    let (left, of_left) = atom(random, table, &["c"]);
    let (right, of_right) = atom(random, table, &["c"]);
    let temporal = ["", "F ", "X "][random.below(3)];
    let both = |text: &dyn Fn(&str, &str) -> String| {
        let of_protocol = format!("forall c: Process. {}", text(&left, &right));
        let of_model = text(&format!("({of_left})"), &format!("({of_right})"));
        (of_protocol, format!("forall c: proc. {of_model}"))
    };
    let formula = both(&|left, right| format!("G ({left} -> {temporal}{right})"));
    let without = both(&|left, _| format!("G !{left}"));
    ([formula, without], left)
}

/// A formula with so many atoms.
fn formula(
    random: &mut SplitMix64,
    table: &Table,
    variables: &[&str],
    atoms: usize,
) -> (String, String) {
    if atoms == 1 {
        let (of_protocol, of_model) = atom(random, table, variables);
        let prefix = ["", "", "!", "F ", "G ", "X "][random.below(6)];
        return (format!("{prefix}{of_protocol}"), format!("{prefix}({of_model})"));
    }
    let left = 1 + random.below(atoms - 1);
    let (f, of_f) = formula(random, table, variables, left);
    let (g, of_g) = formula(random, table, variables, atoms - left);
    let operator = ["&", "|", "->", "U", "R", "W", "<->"][random.below(7)];
    let prefix = ["", "", "F ", "G "][random.below(4)];
    (format!("{prefix}(({f}) {operator} ({g}))"), format!("{prefix}(({of_f}) {operator} ({of_g}))"))
}

/// An atom: of states or of events.
fn atom(random: &mut SplitMix64, table: &Table, variables: &[&str]) -> (String, String) {
    let value = random.below(3);
    let variable = random.pick(variables).copied();
    let other = random.pick(variables).copied();
    let both = |text: String| (text.clone(), text);
    // Those with two arguments are the most interesting ones.
    let event = [0, 1, 2, 3, 3, 4, 4][random.below(7)];
    match (random.below(7), variable, other) {
        (0 | 1, Some(c), _) => (format!("at_{value}({c})"), format!("at[{c}] = {value}")),
        (2, Some(c), _) => (format!("holds({c})"), format!("!isundefined(holder) & holder = {c}")),
        (3, Some(c), Some(d)) => (format!("before({c}, {d})"), format!("at[{c}] < at[{d}]")),
        (4, Some(c), _) => both(format!("@by({c})")),
        (4, None, _) if table.has_server() => both("@by(server)".to_owned()),
        (5 | 6, _, _) if table.has(event) => {
            let name = EVENTS[event];
            let first = if random.below(3) == 0 { None } else { variable };
            let first = first.unwrap_or("_");
            both(match event {
                CHOOSES_PROCESS => format!("@{name}({first}, {})", other.unwrap_or("_")),
                CHOOSES_NUMBER => format!("@{name}({first}, {value})"),
                _ => format!("@{name}({first})"),
            })
        }
        _ => (format!("shared_{value}"), format!("shared = {value}")),
    }
}
