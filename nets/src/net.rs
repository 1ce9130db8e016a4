//! Nets as they were read: everything is resolved and typed, and nothing is optimised.
//!
//! The sort of a place is a product of *classes* (sets of colours); that of black tokens is the empty
//! product. Nested products are flattened, and a variable over a product is a variable for each of its
//! components. So the colour of a token is a tuple of colours, which is kept as one number: its position
//! in the product, last component fastest ([`Net::encode`]).

use run::Span;
use std::collections::BTreeMap;

/// A net of places and transitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Net {
    /// Its id in the file.
    pub name: String,
    /// The classes of colours.
    pub classes: Vec<Class>,
    /// Functions from the colours of a class to those of another one: the elements of a partition.
    pub partitions: Vec<Partition>,
    /// The places.
    pub places: Vec<Place>,
    /// The transitions.
    pub transitions: Vec<Transition>,
}

/// A set of colours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The names of its colours, in order.
    pub colours: Vec<String>,
    /// Whether its colours have successors.
    pub is_cyclic: bool,
}

/// Which element of a partition a colour belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// The class that is divided.
    pub class: usize,
    /// The class of the elements.
    pub elements: usize,
    /// By colour.
    pub element_of: Vec<u32>,
}

/// Tokens by colour; none of the numbers is 0.
pub type Tokens = BTreeMap<u64, u64>;

/// A place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its id, by which formulas know it.
    pub id: String,
    /// The name that people read.
    pub name: String,
    /// The classes of the components of its tokens.
    pub sort: Vec<usize>,
    /// The tokens that it starts with.
    pub initial: Tokens,
    /// The place in the file that says that there is never more than one token here.
    pub safe: Option<Span>,
    /// Where it is declared.
    pub span: Span,
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Its id, by which formulas know it.
    pub id: String,
    /// The name that people read.
    pub name: String,
    /// Its variables, in the order in which the file declares them.
    pub variables: Vec<Variable>,
    /// The bindings that it allows.
    pub guard: Guard,
    /// What it takes: at most one arc for each place.
    pub inputs: Vec<Arc>,
    /// What it puts: at most one arc for each place.
    pub outputs: Vec<Arc>,
    /// Where it is declared.
    pub span: Span,
}

/// A variable of a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: usize,
}

/// What a transition takes from a place, or puts there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arc {
    /// The place.
    pub place: usize,
    /// A sum of tuples with coefficients, of which none is 0 and no two have the same parts.
    pub sum: Vec<(i64, Vec<Part>)>,
    /// Where it is written.
    pub span: Span,
}

/// A component of the tuples of an arc.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// Every colour of the class once.
    All,
    /// One colour.
    One(Term),
}

/// A colour that may depend on a binding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Term {
    /// What it depends on.
    pub base: Base,
    /// How many times the successor is taken: below `size`.
    pub shift: u32,
    /// The number of colours of its class.
    pub size: u32,
}

/// A variable or a colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Base {
    /// A variable, by its position among those of the transition.
    Variable(usize),
    /// A colour.
    Colour(u32),
}

/// A condition on bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Always or never.
    Constant(bool),
    /// All of them.
    And(Vec<Guard>),
    /// One of them.
    Or(Vec<Guard>),
    /// Not this one.
    Not(Box<Guard>),
    /// Two colours of one class are compared.
    Compare(Comparison, Side, Side),
}

/// A side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    /// The colour.
    pub term: Term,
    /// If not the colour itself is compared, but its element of a partition: the partition.
    pub partition: Option<usize>,
}

/// How colours are compared. Their order is that of their class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Whether it holds of these positions.
    pub fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::More => left > right,
            Comparison::AtLeast => left >= right,
        }
    }

    /// Whether it depends on the order of colours.
    pub fn is_order(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::Unequal)
    }
}

impl Net {
    /// The number of colours of a class.
    pub fn size(&self, class: usize) -> u32 {
        self.classes[class].colours.len() as u32
    }

    /// The number of tuples of a sort.
    pub fn tuples(&self, sort: &[usize]) -> u64 {
        sort.iter().map(|&class| u64::from(self.size(class))).product()
    }

    /// A tuple of colours as one number.
    pub fn encode(&self, sort: &[usize], colours: impl IntoIterator<Item = u32>) -> u64 {
        let sizes = sort.iter().map(|&class| u64::from(self.size(class)));
        colours
            .into_iter()
            .zip(sizes)
            .fold(0, |code, (colour, size)| code * size + u64::from(colour))
    }

    /// The tuple of a number.
    pub fn decode(&self, sort: &[usize], mut code: u64) -> Vec<u32> {
        let mut colours = vec![0; sort.len()];
        for (colour, &class) in colours.iter_mut().zip(sort).rev() {
            let size = u64::from(self.size(class));
            *colour = (code % size) as u32;
            code /= size;
        }
        colours
    }

    /// The place with an id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.iter().position(|one| one.id == id)
    }

    /// The transition with an id.
    pub fn transition(&self, id: &str) -> Option<usize> {
        self.transitions.iter().position(|one| one.id == id)
    }

    /// A token's colour, as people read it: nothing for a black one.
    pub fn show_colour(&self, sort: &[usize], code: u64) -> String {
        let colours = self.decode(sort, code);
        let names = sort.iter().zip(colours).map(|(&class, at)| self.colour(class, at));
        let names: Vec<&str> = names.collect();
        if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
    }

    /// The name of a colour.
    pub fn colour(&self, class: usize, at: u32) -> &str {
        &self.classes[class].colours[at as usize]
    }
}
