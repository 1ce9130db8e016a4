//! Certificates, altered: the checker accepts, rejects or refuses them, and accepts none of what is violated.
//!
//! Bodies are those of small models, for claims that hold and for claims that do not: of these, as much as can be
//! eliminated. They are altered number by number, then compressed again, or the compressed bytes are altered. Bytes
//! that begin with ASCII are a body themselves, compressed or not.

use super::choices::Choices;
use certify::draft::{Draft, Part};
use certify::{Guess, Limits, attempt};
use isonomy::{CheckOptions, CompiledModel, Demand, Fairness, Over, Verdict};
use judge::{Reference as _, Renaming};
use model::checked::Model;
use model::interpret::State;
use model::reference::ModelReference;
use run::Watch;
use std::sync::OnceLock;
use verify::{Claim, Demands, Refusal};

/// Models with formulas.
const MODELS: [(&str, &[&str]); 4] = [
    (
        include_str!("../../../../fixtures/cli/lock.m"),
        &[
            "forall c: client. G(st[c] = Waiting -> F st[c] = Working)",
            "forall distinct c, d: client. G !(st[c] = Working & st[d] = Working)",
            "G F @by(server)",
        ],
    ),
    (
        include_str!("../../../../fixtures/cli/mutex.m"),
        &["forall c: client. G !@take(c)", "F G taken", "G F !taken"],
    ),
    (
        include_str!("../../../../fixtures/cli/turns.m"),
        &["forall w: worker. F G turn != w", "forall w: worker. G F turn = w"],
    ),
    // What an assumption cuts.
    (
        "type who: scalarset(2);
         var x: 0..3; last: who;
         ruleset w: who do startstate last := w; x := 0 end end;
         process w: who do
           rule \"up\" x < 3 ==> x := x + 1; last := w end;
           fair rule \"down\" x > 0 ==> x := x - 1; last := w end;
         end;
         assume x != 3;
         justice \"low\" x = 0;",
        &["G F x = 0", "forall w: who. G F last = w", "F G x = 2"],
    ),
];

const FAIRNESS: [Fairness; 4] =
    [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global];

/// A claim, and the numbers of a certificate for as much of it as can be eliminated.
struct Case {
    model: usize,
    formula: usize,
    demand: Demand,
    holds: bool,
    numbers: Vec<u64>,
}

fn models() -> &'static [Model] {
    static MODELS_READ: OnceLock<Vec<Model>> = OnceLock::new();
    let read = |(text, formulas): &(&str, &[&str])| {
        isonomy::check_with(text, &[], formulas).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
    };
    MODELS_READ.get_or_init(|| MODELS.iter().map(read).collect())
}

fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = Vec::new();
        for (number, model) in models().iter().enumerate() {
            for formula in 0..model.questions.len() {
                for (k, fairness) in FAIRNESS.into_iter().enumerate() {
                    for is_reduced in [false, true] {
                        let over = [Over::Processes, Over::Events][(k + formula) % 2];
                        let demand = Demand { fairness, over, declared: formula % 2 == 0 };
                        cases.push(case(number, model, formula, demand, is_reduced));
                    }
                }
            }
        }
        cases
    })
}

fn case(number: usize, model: &Model, formula: usize, demand: Demand, is_reduced: bool) -> Case {
    let asked = &model.questions[formula];
    let system = CompiledModel::new(model);
    let options = CheckOptions { demand, ..CheckOptions::default() };
    let outcome = isonomy::check(&system, asked, &options, &Watch::none()).expect("no bug");
    let holds = match outcome.verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        other => panic!("{other:?}"),
    };
    let reference = ModelReference::new(model);
    let mut guess = Least { reference: &reference, all: renamings(&reference, is_reduced) };
    let watch = Watch::none();
    let limits = Limits { most_nodes: 100_000, ..Limits::new(1, &watch) };
    let made = attempt(&reference, asked, demand, &mut guess, Demands::default(), limits);
    let (draft, is_all) = made.expect("it is small");
    assert!(!is_all || holds, "certified, but violated");
    Case { model: number, formula, demand, holds, numbers: numbers(&draft) }
}

/// The identity, and all renamings that exchange two values of one full index type, if wanted.
fn renamings(reference: &ModelReference<'_>, is_reduced: bool) -> Vec<Renaming> {
    let mut all = vec![reference.identity()];
    for (k, of) in reference.index_types().iter().enumerate() {
        if is_reduced && of.group == isonomy::terms::Group::Full {
            for (a, b) in (0..of.size).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let sizes = reference.index_types().into_iter().map(|of| of.size);
                let mut images: Vec<Vec<u32>> = sizes.map(|size| (0..size).collect()).collect();
                images[k].swap(a as usize, b as usize);
                all.push(Renaming::new(images).expect("a permutation"));
            }
        }
    }
    all
}

/// Takes the least image under some renamings, each of which undoes itself.
struct Least<'r, 'm> {
    reference: &'r ModelReference<'m>,
    all: Vec<Renaming>,
}

impl<'m> Guess<ModelReference<'m>> for Least<'_, 'm> {
    type By = Renaming;

    fn guess(&mut self, state: &State) -> Option<(State, Renaming)> {
        let image = |by: &Renaming| (self.reference.renamed_state(by, state), by.clone());
        let images = self.all.iter().map(image);
        let least = images.min_by_key(|(image, _)| format!("{image:?}"));
        let (image, by) = least.expect("the identity is there");
        (!by.is_identity()).then_some((image, by))
    }

    fn renaming(&self, by: &Renaming) -> Renaming {
        by.clone()
    }
}

/// The numbers of a body.
fn numbers(draft: &Draft) -> Vec<u64> {
    assert!(matches!(draft.parts[..], [Part::Elimination(_)]));
    let (mut all, mut number, mut shift) = (Vec::new(), 0, 0);
    for &byte in draft.written().bytes() {
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            all.push(number);
            (number, shift) = (0, 0);
        }
    }
    all
}

/// What must be true of any bytes.
pub fn check(bytes: &[u8]) {
    let cases = cases();
    if bytes.first().is_none_or(u8::is_ascii) {
        let case = &cases[bytes.len() % cases.len()];
        judge(case, bytes);
        judge(case, &compressed(bytes));
        return;
    }
    let mut choices = Choices::new(&bytes[1..]);
    let case = &cases[usize::from(choices.number()) % cases.len()];
    // What is proved of another claim may be presented for this one.
    let taken = if choices.below(8) == 0 { choices.below(cases.len()) } else { cases.len() };
    let mut altered = cases.get(taken).unwrap_or(case).numbers.clone();
    let flags = choices.byte();
    for _ in 0..=choices.below(6) {
        alter(&mut altered, &mut choices);
    }
    let mut body = certify::wire::Numbers::default();
    for &number in &altered {
        body.number(number);
    }
    let mut body = compressed(body.bytes());
    if flags.is_multiple_of(8) && !body.is_empty() {
        let at = usize::from(choices.number()) % body.len();
        body[at] ^= choices.byte();
    }
    judge(case, &body);
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    certify::wire::compress([bytes], &mut body).expect("memory can be written");
    body
}

/// What is accepted is so.
fn judge(case: &Case, body: &[u8]) {
    let model = &models()[case.model];
    let reference = ModelReference::new(model);
    let claims = [Claim::Formula(&model.questions[case.formula], case.demand)];
    let told = verify::verify(&reference, &claims, body, Demands::default(), 1, &Watch::none());
    match told {
        Ok(_) => assert!(case.holds, "accepted, but violated: {:?}", claims[0]),
        Err(Refusal::Stopped(reason)) => panic!("nothing stops it: {reason}"),
        Err(refusal) => assert!(!refusal.to_string().is_empty()),
    }
}

/// Does something to some numbers.
fn alter(numbers: &mut Vec<u64>, choices: &mut Choices<'_>) {
    let length = numbers.len().max(1);
    let at = usize::from(choices.number()) % length;
    let Some(&known) = numbers.get(at) else { return };
    match choices.below(9) {
        0 => numbers[at] = known.wrapping_add(1),
        1 => numbers[at] = known.wrapping_sub(1),
        2 => numbers[at] = 0,
        3 => numbers[at] = u64::from(choices.byte() % 8),
        4 => numbers[at] = [u64::MAX, u64::from(u32::MAX), 1 << 31, 127, 128][choices.below(5)],
        5 => drop(numbers.remove(at)),
        6 => numbers.insert(at, u64::from(choices.byte() % 8)),
        7 => numbers[at] = numbers[usize::from(choices.number()) % length],
        _ => {
            // A part is exchanged for another one of the same length.
            let from = usize::from(choices.number()) % length;
            let count = choices.below(16).min(length - at.max(from));
            let part = numbers[from..from + count].to_vec();
            numbers[at..at + count].copy_from_slice(&part);
        }
    }
}
