//! Compiles checked models to closures for the [`machine`](super::machine).
//!
//! Every node becomes a closure, and so do frequent small groups of nodes (`st[c] = Idle` is one
//! closure), so that a guard costs a few indirect calls. Operations that the machine does not have
//! (copying, clearing or comparing whole multisets) are [`Unsupported`]: the rule or function that
//! needs one is left to the reference interpreter.
//!
//! A rule's frame has a fixed address in memory, directly after the state, so its locals have fixed
//! addresses; those of a function are relative to the frame of its call.

mod expression;
pub(super) mod once;
mod place;
mod statement;
pub(super) mod types;

use super::cells::{Layout, Slots, width};
use super::machine::{Code, Eval, Exec, FunctionCode, Locate};
use model::checked::{
    Expression, ExpressionKind, FunctionId, Local, LocalId, LocalKind, Model, Property, Root, Rule,
    Scope, Selector,
};
use model::types::{Type, TypeId};
use model::walk;
use once::{GuardScope, bound_by};
use place::Address;
use std::ops::Range;
use types::Values;

/// The machine cannot do this; the reference interpreter can.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unsupported;

/// A result of compilation.
pub(super) type Compiled<T> = Result<T, Unsupported>;

/// The scope and condition of a rule or a property.
pub(super) struct Block {
    /// The levels of the scope, outermost first.
    pub(super) levels: Vec<Level>,
    /// Conjuncts of the condition that are evaluated when the first k levels are bound, in order. A
    /// conjunct is never evaluated before one to the left of it.
    pub(super) conditions: Vec<Vec<Eval>>,
    /// Cells that are reset to undefined before the conditions of level k are evaluated: they hold
    /// values that are kept while further levels are bound (see [`once`]).
    pub(super) kept: Vec<Vec<usize>>,
    /// For a property: conditions with values. If one has its value when k levels are bound, the
    /// property is true for all values of the remaining levels.
    pub(super) deciders: Vec<Vec<(Eval, i64)>>,
    /// Cells of the frame.
    pub(super) frame: usize,
}

/// One level of a scope, which binds a local.
pub(super) enum Level {
    /// Binds one value after another.
    Parameter {
        /// The address of the local.
        address: usize,
        /// The values.
        values: Values,
    },
    /// Binds one element of a multiset after another, equal ones once.
    Choose {
        /// The cell that holds the address of the chosen slot.
        address: usize,
        /// The address of the multiset.
        multiset: Locate,
        /// The number of slots.
        capacity: usize,
        /// Cells from one slot to the next.
        stride: usize,
        /// The cells of the outer levels that choose, which hold the addresses of their slots.
        outer: Vec<usize>,
    },
    /// Binds one value or address.
    Alias {
        /// The address of the local.
        address: usize,
        /// The value or the address that is stored there.
        target: Eval,
    },
}

/// Compiles the functions of a model. A function that cannot be compiled is `None`, and so is every
/// function that calls it.
pub(super) fn functions(model: &Model, layout: &Layout) -> Code {
    let mut supported = vec![true; model.functions.len()];
    loop {
        let compiled: Vec<Option<FunctionCode>> = (0..model.functions.len())
            .map(|k| supported[k].then(|| function(model, layout, &supported, k).ok()).flatten())
            .collect();
        let now: Vec<bool> = compiled.iter().map(Option::is_some).collect();
        if now == supported {
            return Code { functions: compiled };
        }
        supported = now;
    }
}

fn function(
    model: &Model,
    layout: &Layout,
    supported: &[bool],
    k: usize,
) -> Compiled<FunctionCode> {
    let function = &model.functions[k];
    let mut compiler = Compiler::new(model, layout, supported, &function.locals, Base::Relative);
    compiler.result = function.result;
    let body = compiler.block(&function.body)?;
    Ok(FunctionCode {
        body,
        frame: compiler.size,
        variables: compiler.variables(),
        returns: function.result.is_some(),
    })
}

/// The code of a rule.
pub(super) struct RuleCode {
    pub(super) block: Block,
    pub(super) body: Exec,
    /// Cells of memory that are undefined when the body starts: its declared variables.
    pub(super) variables: Vec<Range<usize>>,
    /// The arguments of the event, outermost first.
    pub(super) arguments: Vec<ArgumentAt>,
    /// The number of cells that they take.
    pub(super) argument_cells: usize,
    /// The parameter that names the executing process, if there is one: its cell among the
    /// arguments, and its type.
    pub(super) owner: Option<(usize, TypeId)>,
}

/// The cells that hold an argument of an event.
pub(super) enum ArgumentAt {
    /// This cell.
    Cell(usize),
    /// The element in the slot whose address is in the first cell; the second number is the
    /// element's width in cells.
    Chosen(usize, usize),
}

pub(super) fn rule<'m>(
    model: &'m Model,
    layout: &'m Layout,
    supported: &'m [bool],
    rule: &'m Rule,
) -> Compiled<RuleCode> {
    let base = Base::Fixed(layout.cells());
    let mut compiler = Compiler::new(model, layout, supported, &rule.locals, base);
    let Bound { levels, conditions, kept } = compiler.scope(&rule.scope, rule.guard.as_ref())?;
    let body = compiler.block(&rule.body)?;
    let arguments = rule
        .scope
        .iter()
        .filter_map(|one| match one {
            Scope::Parameter { local, .. } => Some(ArgumentAt::Cell(compiler.fixed(*local))),
            Scope::Choose { local, .. } => {
                let cells = width(&model.types, rule.locals[local.0 as usize].of);
                Some(ArgumentAt::Chosen(compiler.fixed(*local), cells))
            }
            Scope::Alias { .. } => None,
        })
        .collect();
    let at = layout.cells();
    let variables =
        compiler.variables().into_iter().map(|range| at + range.start..at + range.end).collect();
    let mut cells = 0;
    let mut owner = None;
    for one in &rule.scope {
        let (Scope::Parameter { local, .. } | Scope::Choose { local, .. }) = one else { continue };
        let of = rule.locals[local.0 as usize].of;
        if rule.owner.parameter == Some(*local) {
            owner = Some((cells, of));
        }
        cells += width(&model.types, of);
    }
    let deciders = Vec::new();
    let block = Block { levels, conditions, kept, deciders, frame: compiler.size };
    Ok(RuleCode { block, body, variables, arguments, argument_cells: cells, owner })
}

/// Compiles the condition of a property.
pub(super) fn property<'m>(
    model: &'m Model,
    layout: &'m Layout,
    supported: &'m [bool],
    property: &'m Property,
) -> Compiled<(Block, Eval)> {
    let base = Base::Fixed(layout.cells());
    let mut compiler = Compiler::new(model, layout, supported, &property.locals, base);
    let Bound { levels, conditions, kept } = compiler.scope(&property.scope, None)?;
    let condition = property.condition.as_ref().ok_or(Unsupported)?;
    let mut deciders = Vec::new();
    for level in 0..=levels.len() {
        let mut found = Vec::new();
        for one in once::deciders_around(&property.scope, level, condition, &property.locals) {
            found.push((compiler.simple(one.condition)?.eval(), i64::from(one.value)));
        }
        deciders.push(found);
    }
    let condition = compiler.simple(condition)?.eval();
    Ok((Block { levels, conditions, kept, deciders, frame: compiler.size }, condition))
}

/// Conditions that share a frame.
pub(super) struct Conditions {
    /// The conditions in order; `None` is left to the interpreter.
    pub(super) code: Vec<Option<Eval>>,
    /// The address of each local.
    pub(super) addresses: Vec<usize>,
    /// Cells of the frame.
    pub(super) frame: usize,
}

/// Compiles conditions over a frame whose first locals are bound by the caller.
pub(super) fn conditions<'e>(
    model: &Model,
    layout: &Layout,
    supported: &[bool],
    locals: &[Local],
    conditions: impl IntoIterator<Item = &'e Expression>,
) -> Conditions {
    let base = Base::Fixed(layout.cells());
    let mut compiler = Compiler::new(model, layout, supported, locals, base);
    let code = conditions
        .into_iter()
        .map(|condition| compiler.simple(condition).ok().map(expression::Simple::eval))
        .collect();
    let addresses = (0..locals.len() as u32).map(|k| compiler.fixed(LocalId(k))).collect();
    Conditions { code, addresses, frame: compiler.size }
}

/// The start of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// A fixed address.
    Fixed(usize),
    /// The machine's base.
    Relative,
}

/// The contents of a local's cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Value,
    /// One cell with an address.
    Reference,
}

struct Compiler<'m> {
    model: &'m Model,
    layout: &'m Layout,
    /// Which functions can be compiled.
    supported: &'m [bool],
    locals: &'m [Local],
    base: Base,
    /// The offset of each local in the frame.
    slots: Vec<usize>,
    modes: Vec<Mode>,
    /// Cells of the frame so far: locals, then temporaries.
    size: usize,
    /// The result type of the function that is compiled.
    result: Option<TypeId>,
    /// The scope around the guard that is compiled, while one is.
    around: Option<GuardScope<'m>>,
}

/// A compiled scope with the conditions of its guard, as in [`Block`].
struct Bound {
    levels: Vec<Level>,
    conditions: Vec<Vec<Eval>>,
    kept: Vec<Vec<usize>>,
}

/// The offset of the cell that holds the address of a function's result, if the result is not
/// simple.
const RESULT_AT: usize = 0;

impl<'m> Compiler<'m> {
    fn new(
        model: &'m Model,
        layout: &'m Layout,
        supported: &'m [bool],
        locals: &'m [Local],
        base: Base,
    ) -> Self {
        let types = &model.types;
        let (mut slots, mut modes) = (Vec::new(), Vec::new());
        // Every function's frame starts with the cell `RESULT_AT`.
        let mut size = usize::from(base == Base::Relative);
        for local in locals {
            let mode = match local.kind {
                // An alias of a simple value becomes `Value` where it is bound; a chosen local
                // holds the address of its slot.
                LocalKind::WritableParameter | LocalKind::Alias | LocalKind::Chosen => {
                    Mode::Reference
                }
                LocalKind::Parameter if !types.is_simple(local.of) => Mode::Reference,
                LocalKind::Bound | LocalKind::Variable | LocalKind::Parameter => Mode::Value,
            };
            slots.push(size);
            modes.push(mode);
            size += match mode {
                Mode::Value => width(types, local.of),
                Mode::Reference => 1,
            };
        }
        Compiler {
            model,
            layout,
            supported,
            locals,
            base,
            slots,
            modes,
            size,
            result: None,
            around: None,
        }
    }

    /// Reserves cells of the frame for an intermediate value and returns their offset.
    fn temporary(&mut self, cells: usize) -> usize {
        let offset = self.size;
        self.size += cells;
        offset
    }

    /// The cells of the frame that hold declared variables.
    fn variables(&self) -> Vec<Range<usize>> {
        let variables =
            (0..self.locals.len()).filter(|&k| self.locals[k].kind == LocalKind::Variable);
        let ranges = variables.map(|k| {
            let start = self.slots[k];
            start..start + width(&self.model.types, self.locals[k].of)
        });
        ranges.collect()
    }

    /// The address of an offset in the frame.
    fn in_frame(&self, offset: usize) -> Address {
        match self.base {
            Base::Fixed(base) => Address::Fixed(base + offset),
            Base::Relative => Address::Frame(offset),
        }
    }

    /// The address of a local's own cells.
    fn slot(&self, id: LocalId) -> Address {
        self.in_frame(self.slots[id.0 as usize])
    }

    /// Compiles the scope of a rule, and the conjuncts of its guard at the levels where they are
    /// evaluated.
    fn scope(&mut self, scope: &'m [Scope], guard: Option<&'m Expression>) -> Compiled<Bound> {
        let mut levels = Vec::new();
        // Aliases may fail, and they do so before the guard is evaluated.
        let mut earliest = 0;
        for one in scope {
            match one {
                Scope::Parameter { local, domain } => {
                    let address = self.fixed(*local);
                    levels.push(Level::Parameter {
                        address,
                        values: Values::of_parameter(&self.model.types, domain)?,
                    });
                }
                Scope::Alias { local, target } => {
                    let target = self.bind(*local, target)?;
                    levels.push(Level::Alias { address: self.fixed(*local), target });
                    earliest = levels.len();
                }
                Scope::Choose { local, multiset } => {
                    let Slots { capacity, stride, .. } = self.slots_of(multiset.of)?;
                    let at = self.address(multiset)?;
                    let address = self.fixed(*local);
                    let is_safe = matches!(at, Address::Fixed(_) | Address::Element { .. });
                    let chosen = levels.iter().filter_map(|level| match level {
                        Level::Choose { address, .. } => Some(*address),
                        Level::Parameter { .. } | Level::Alias { .. } => None,
                    });
                    let outer = chosen.collect();
                    let multiset = at.locate();
                    levels.push(Level::Choose { address, multiset, capacity, stride, outer });
                    if !is_safe {
                        earliest = levels.len();
                    }
                }
            }
        }
        let mut conditions: Vec<Vec<Eval>> = (0..=levels.len()).map(|_| Vec::new()).collect();
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); levels.len() + 1];
        for (level, conjunct) in conjuncts(scope, guard, earliest) {
            self.around = Some(GuardScope { scope, level, kept });
            let code = self.simple(conjunct)?.eval();
            conditions[level].push(code);
            kept = self.around.take().expect("it was there").kept;
        }
        Ok(Bound { levels, conditions, kept })
    }

    /// The arrangement of the slots of a multiset type.
    fn slots_of(&self, of: TypeId) -> Compiled<Slots> {
        let Type::Multiset { capacity, element } = *self.model.types.get(of) else {
            return Err(Unsupported);
        };
        let stride = 1 + width(&self.model.types, element);
        Ok(Slots { start: 0, capacity: capacity as usize, stride })
    }

    /// The address of a local of a rule.
    fn fixed(&self, id: LocalId) -> usize {
        match self.slot(id) {
            Address::Fixed(address) => address,
            _ => unreachable!("rules have fixed frames"),
        }
    }

    /// Computes the contents of an alias's cell: an address, or a simple value.
    fn bind(&mut self, local: LocalId, target: &Expression) -> Compiled<Eval> {
        if let ExpressionKind::Read(place) = &target.kind {
            let address = self.address(place)?.locate();
            self.modes[local.0 as usize] = Mode::Reference;
            return Ok(Box::new(move |code, m| Ok(address(code, m)? as i64)));
        }
        if self.model.types.is_simple(target.of) {
            self.modes[local.0 as usize] = Mode::Value;
            return Ok(self.simple(target)?.eval());
        }
        let address = self.complex(target)?.locate();
        self.modes[local.0 as usize] = Mode::Reference;
        Ok(Box::new(move |code, m| Ok(address(code, m)? as i64)))
    }

    fn is_supported(&self, id: FunctionId) -> Compiled<()> {
        if self.supported[id.0 as usize] { Ok(()) } else { Err(Unsupported) }
    }
}

/// The conjuncts of a guard, from left to right, each with the number of levels that are bound when
/// it is evaluated: as few as it needs, but not fewer than `earliest`, and not fewer than any
/// conjunct to the left of it.
pub(super) fn conjuncts<'e>(
    scope: &[Scope],
    guard: Option<&'e Expression>,
    earliest: usize,
) -> Vec<(usize, &'e Expression)> {
    let mut level = earliest;
    let mut found = Vec::new();
    if let Some(guard) = guard {
        split(guard, &mut found);
    }
    let mut placed = Vec::new();
    for conjunct in found {
        walk::expressions(conjunct, &mut |e| {
            walk::places(e, &mut |place| {
                let chosen = place.selectors.iter().filter_map(|one| match one {
                    Selector::Chosen(id) => Some(*id),
                    Selector::Field(_) | Selector::Element(_) => None,
                });
                let root = match place.root {
                    Root::Local(id) => Some(id),
                    Root::Global(_) => None,
                };
                for id in chosen.chain(root) {
                    level = level.max(bound_by(scope, id).unwrap_or(0));
                }
            });
        });
        placed.push((level, conjunct));
    }
    placed
}

/// The conjuncts of a condition, from left to right.
fn split<'e>(condition: &'e Expression, conjuncts: &mut Vec<&'e Expression>) {
    match &condition.kind {
        ExpressionKind::And(a, b) => {
            split(a, conjuncts);
            split(b, conjuncts);
        }
        _ => conjuncts.push(condition),
    }
}
