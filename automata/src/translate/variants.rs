//! Other forms of a formula: no simpler, but their tableau may be smaller.
//!
//! In the equations e, e' are pure eventualities, u, u' purely universal, f, g any formulas; each
//! has a dual, by which the same is done for G, &, R.
//!
//! | form | rewrites | why |
//! |---|---|---|
//! | joined | `F f \| e` to `F (f \| e)` | the state that waits for f is the one that starts; the disjunction needs none of its own |
//! | split | `G (e \| e')` to `G e \| G e'` | each part alone; a choice at the start instead of one in each step |
//! | | `u U g` to `g \| u & F g` | u holds from the start or not at all |
//! | | `e R g` to `g & (e \| G g)` | |
//!
//! They are exact: an eventuality that is false is so forever, a universal formula that is true is
//! so forever.

use hashbrown::HashMap;
use ltl::{Formula, Formulas, Node};

/// A way to write formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Joined,
    Split,
}

/// A formula in negation normal form, in another form; the same formula if there is none.
pub(super) fn variant(formulas: &mut Formulas, f: Formula, form: Form) -> Formula {
    let mut rewritten: HashMap<Formula, Formula> = HashMap::new();
    for part in formulas.subformulas(f) {
        let operands: Vec<_> = formulas.operands(part).map(|g| rewritten[&g]).collect();
        let whole = formulas.with_operands(part, &operands);
        let whole = match form {
            Form::Joined => joined(formulas, whole),
            Form::Split => split(formulas, whole),
        };
        rewritten.insert(part, whole);
    }
    rewritten[&f]
}

fn joined(formulas: &mut Formulas, f: Formula) -> Formula {
    let (operands, or) = match formulas.node(f) {
        Node::Or(operands) => (operands.to_vec(), true),
        Node::And(operands) => (operands.to_vec(), false),
        _ => return f,
    };
    // Those that go under the common operator, without their own; and the others.
    let (mut under, mut beside, mut wrapped) = (Vec::new(), Vec::new(), false);
    for g in operands {
        match formulas.node(g) {
            Node::Finally(h) if or => (under.push(h), wrapped = true).1,
            Node::Globally(h) if !or => (under.push(h), wrapped = true).1,
            _ if or && formulas.traits(g).is_eventual() => under.push(g),
            _ if !or && formulas.traits(g).is_universal() => under.push(g),
            _ => beside.push(g),
        }
    }
    if !wrapped || under.len() < 2 {
        return f;
    }
    let under = if or {
        let under = formulas.or(under);
        formulas.finally(under)
    } else {
        let under = formulas.and(under);
        formulas.globally(under)
    };
    beside.push(under);
    if or { formulas.or(beside) } else { formulas.and(beside) }
}

fn split(formulas: &mut Formulas, f: Formula) -> Formula {
    match formulas.node(f) {
        Node::Globally(g) => {
            let Node::Or(operands) = formulas.node(g) else { return f };
            let operands = operands.to_vec();
            if !operands.iter().all(|&h| formulas.traits(h).is_eventual()) {
                return f;
            }
            let parts: Vec<_> = operands.into_iter().map(|h| formulas.globally(h)).collect();
            formulas.or(parts)
        }
        Node::Finally(g) => {
            let Node::And(operands) = formulas.node(g) else { return f };
            let operands = operands.to_vec();
            if !operands.iter().all(|&h| formulas.traits(h).is_universal()) {
                return f;
            }
            let parts: Vec<_> = operands.into_iter().map(|h| formulas.finally(h)).collect();
            formulas.and(parts)
        }
        Node::Until(u, g) if formulas.traits(u).is_universal() => {
            let finally = formulas.finally(g);
            let wait = formulas.and2(u, finally);
            formulas.or2(g, wait)
        }
        Node::Release(e, g) if formulas.traits(e).is_eventual() => {
            let globally = formulas.globally(g);
            let hold = formulas.or2(e, globally);
            formulas.and2(g, hold)
        }
        _ => f,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ltl::Atom;
    use ltl::generate::{all_lassos, exhaustive};
    use ltl::normal::negation_normal_form;

    #[test]
    fn variants_mean_the_same() {
        let atoms = [Atom(0), Atom(1)];
        let mut formulas = Formulas::new();
        let words = all_lassos(&atoms, 1, 2);
        let mut changed = [0; 2];
        for f in exhaustive(5, &atoms, &mut formulas) {
            let f = negation_normal_form(&mut formulas, f);
            for (form, changed) in [Form::Joined, Form::Split].into_iter().zip(&mut changed) {
                let g = variant(&mut formulas, f, form);
                if g != f {
                    *changed += 1;
                    for word in &words {
                        assert_eq!(word.satisfies(&formulas, f), word.satisfies(&formulas, g));
                    }
                }
            }
        }
        assert!(changed.iter().all(|&count| count >= 20), "{changed:?}");
    }
}
