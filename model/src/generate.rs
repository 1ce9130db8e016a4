//! Generates random models, as texts, for tests.
//!
//! A model is determined by its seed: small types, a few variables (so that there are mostly fewer
//! than a few thousand states), functions, rules, start states and properties. All of the language
//! occurs: index types of every kind, arrays and matrices, records, unions, queues, sets, multisets with
//! `choose`, undefined values, aliases, `var` parameters, processes, quantifiers, loops. The texts
//! are meant to be correct models, but they may well fail when they run.
//!
//! A `Generator` holds the declarations and the scope. `types` generates and names types,
//! `expressions` generates expressions of a given type from the names in scope, `statements`
//! statements, `loops` loops over index types (some depend on the order of their iterations, some
//! do not), and `rules` everything at the top level.

mod types;
mod expressions;
mod statements;
mod loops;
mod rules;

use run::SplitMix64;
use types::{Declared, Ty};

/// The contents of random models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Options {
    /// The most index types.
    pub index_types: usize,
    /// The most values of an index type.
    pub largest: usize,
    /// Whether constructs may distinguish the values of an index type on purpose.
    pub traps: bool,
    /// Whether there are multisets.
    pub multisets: bool,
    /// Whether loops over the elements of a multiset may depend on an order. Then the text is no model.
    pub ordered_elements: bool,
    /// Whether there are queues.
    pub queues: bool,
    /// Whether there are sets.
    pub sets: bool,
    /// Whether there are temporal properties and requirements.
    pub formulas: bool,
    /// Whether functions begin by copying the arrays and records that they are passed without
    /// `var`. The model of a seed means the same with and without it.
    pub copies: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            index_types: 2,
            largest: 4,
            traps: true,
            multisets: true,
            ordered_elements: false,
            queues: true,
            sets: true,
            formulas: true,
            copies: false,
        }
    }
}

/// The random model of this seed, as text.
pub fn model(seed: u64, options: &Options) -> String {
    let mut generator = Generator {
        random: SplitMix64::new(seed),
        options: *options,
        text: String::new(),
        indent: 0,
        names: 0,
        declared: Declared::default(),
        scope: Vec::new(),
        functions: Vec::new(),
        may_write_globals: true,
        returns_boolean: false,
        chosen: Vec::new(),
        calls: 0,
    };
    generator.model();
    generator.text
}

/// A name in scope.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    of: Ty,
    kind: Kind,
}

/// The kind of a name, which decides where it may be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A variable of the state.
    Global,
    /// A declared variable, or a `var` parameter.
    Local,
    /// A parameter or a bound variable.
    Constant,
}

/// A function that may be called.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    /// Whether the parameter is `var`, and its type.
    parameters: Vec<(bool, Ty)>,
    result: Option<Ty>,
    has_effects: bool,
}

struct Generator {
    random: SplitMix64,
    options: Options,
    text: String,
    indent: usize,
    /// The number of names generated so far.
    names: usize,
    declared: Declared,
    scope: Vec<Named>,
    functions: Vec<Signature>,
    /// Whether the statements being generated may write global variables.
    may_write_globals: bool,
    /// Whether `return` must return a Boolean value here.
    returns_boolean: bool,
    /// Elements that the enclosing `choose`s have chosen: the position, and the multiset.
    chosen: Vec<(String, String)>,
    /// The number of calls in the current body: each may be large.
    calls: usize,
}

impl Generator {
    /// True in `percent` of all cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// One of the items; `None` if there are none.
    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        self.random.pick(items).cloned()
    }

    /// An unused name.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Writes a line.
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Writes `head`, the lines of `inside`, and `tail`.
    fn block(&mut self, head: &str, tail: &str, inside: impl FnOnce(&mut Self)) {
        self.line(head);
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.line(tail);
    }

    /// Brings names into scope while `inside` runs.
    fn with<T>(&mut self, names: Vec<Named>, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.len();
        self.scope.extend(names);
        let result = inside(self);
        self.scope.truncate(outer);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides() {
        let options = Options::default();
        assert_eq!(model(7, &options), model(7, &options));
        assert_ne!(model(7, &options), model(8, &options));
    }

    #[test]
    fn everything_occurs() {
        let texts: Vec<_> = (0..400).map(|seed| model(seed, &Options::default())).collect();
        for word in [
            "scalarset",
            "undirected ring",
            ": ring(",
            "enum",
            "record",
            "union",
            "multiset",
            "choose",
            "undefine",
            "isundefined",
            "ismember",
            "clear",
            "alias",
            "function",
            "procedure",
            "(var ",
            "ruleset",
            "process",
            "fair rule",
            "strongly fair",
            "for ",
            "forall",
            "exists",
            "while",
            "switch",
            "return",
            "assume",
            "assert",
            "invariant",
            "cover",
            "ltl",
            "justice",
            "compassion",
            ": exists t",
            "next(",
            "prev(",
            "adjacent(",
            "MultiSetAdd",
            "MultiSetRemove(",
            "MultiSetRemovePred",
            "MultiSetCount",
            "count ",
            "sum ",
            "put",
            "error",
            "boolean := ",
            "queue [",
            "push(",
            "pushfront(",
            "pop(",
            "head(",
            "last(",
            "length(",
            " in g",
            "MultiSetRemove(p",
            "] of queue",
            "set of ",
            "] of set of ",
            "insert(",
            "remove(",
            "size(",
            " - g",
            " <= g",
            "| {",
            " := [",
            "record0 {",
        ] {
            assert!(texts.iter().any(|text| text.contains(word)), "no model contains `{word}`");
        }
    }
}
