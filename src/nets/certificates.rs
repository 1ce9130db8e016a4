//! Certificates of what holds of a net. The token game makes them and verifies them; the engine only
//! says which markings stand for others.

use crate::certify::{plain_if_left, telling};
use crate::check::renaming;
use crate::explore::{Options, explore};
use ::certify::{Guess, Limits, Made, Uncertified};
use engine::explore::{Deadlock, Symmetry as States};
use engine::symmetry::{Canonicaliser, Indices, Permutation, Reduction, Structure};
use engine::system::System as _;
use judge::Renaming;
use ltl::printer::{LENGTH_LIMIT, Syntax, print_named};
use nets::formula::{self, Atom};
use nets::game::NetVocabulary;
use nets::{Bounds, Formula, Game, Marking, Net, PackedNet, Symmetry};
use verify::Claim;

/// The symmetries of a net that formulas leave: those that tell no colours apart.
pub fn symmetry<'f>(net: &Net, formulas: impl IntoIterator<Item = &'f Formula>) -> Symmetry {
    let named = formulas.into_iter().flat_map(|formula| formula.named(net));
    Symmetry::of(net, &named.collect::<Vec<_>>())
}

/// The text of a formula, if it is read as the same formula.
pub fn text(net: &Net, formula: &Formula) -> Option<String> {
    let text = printed(formula, |atom| match atom {
        Atom::Marking(_) => format!("({})", formula::show_atom(net, atom)),
        Atom::Event(_) => formula::show_atom(net, atom),
    })?;
    let shape = |of: &Formula| printed(of, |atom| format!("{atom:?}"));
    let read = nets::text::parse(&text, net).ok()?;
    (shape(&read) == shape(formula)).then_some(text)
}

fn printed(formula: &Formula, name: impl Fn(&Atom) -> String) -> Option<String> {
    let names = (0..).map(ltl::Atom).zip(formula.atoms.iter().map(name)).collect();
    print_named(LENGTH_LIMIT, &formula.formulas, names, formula.root, Syntax::Isonomy).ok()
}

/// The representatives of the engine.
struct Representing<'p, 'n> {
    system: &'p PackedNet<'n>,
    indices: &'p Indices,
    canonicaliser: Canonicaliser<'p>,
}

impl<'n> Guess<Game<'n>> for Representing<'_, 'n> {
    type By = Permutation;

    fn guess(&mut self, marking: &Marking) -> Option<(Marking, Permutation)> {
        if self.indices.points() == 0 {
            return None;
        }
        let mut packed = self.system.packed(marking);
        let back = self.canonicaliser.canonicalise_with(&mut packed);
        (!back.is_identity()).then(|| (self.system.marking(&packed), back))
    }

    fn renaming(&self, by: &Permutation) -> Renaming {
        renaming(self.indices, by)
    }
}

/// Makes a certificate for claims that hold, about a net with these symmetries at most.
pub fn certify(
    net: &Net,
    symmetry: &Symmetry,
    claims: &[Claim<'_, NetVocabulary>],
    reduction: Reduction,
    limits: Limits<'_>,
) -> Result<Made, Uncertified> {
    let watch = telling(limits.watch);
    let limits = Limits { watch: &watch, ..limits };
    plain_if_left(reduction, limits, |reduction, limits| {
        let used = match reduction {
            Reduction::Off => Symmetry::none(net),
            Reduction::Canonical | Reduction::Sorted => symmetry.clone(),
        };
        let bounds = bounds(net, &used, limits)?;
        let system = PackedNet::new(net, used, bounds);
        let indices = system.indices();
        let structure = Structure::new(system.layout(), &indices);
        let canonicaliser = structure.canonicaliser();
        let mut guess = Representing { system: &system, indices: &indices, canonicaliser };
        ::certify::certify(&Game::new(net, symmetry), claims, &mut guess, limits)
    })
}

/// Room for all markings that can be reached.
fn bounds(net: &Net, symmetry: &Symmetry, limits: Limits<'_>) -> Result<Bounds, Uncertified> {
    let options = Options {
        deadlock: Deadlock::Off,
        symmetry: States::Canonical,
        threads: limits.threads,
        ..Options::default()
    };
    let mut bounds = Bounds::of_initial(net);
    loop {
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone());
        let found = explore(&system, &options, &system.watch(limits.watch));
        match (system.raised(), found.stopped) {
            (Some(raised), _) => bounds = raised.with_room(&bounds),
            (None, Some(reason)) => return Err(reason.into()),
            (None, None) => return Ok(bounds),
        }
    }
}
