//! Compiles places to addresses.

use super::types::Conversion;
use super::{Compiled, Compiler, Mode, Unsupported};
use crate::cells::{PRESENT, Slots, UNDEFINED, width};
use crate::machine::{Code, Eval, GONE, Locate, Machine, Trap};
use model::checked::{
    Argument, Expression, ExpressionKind, FunctionId, LocalId, LocalKind, Place, Root, Selector,
};
use model::types::{Type, TypeId};

/// Calls a function.
pub(super) type Call = Box<dyn Fn(&Code, &mut Machine) -> Result<(), Trap> + Send + Sync>;

/// The address of a value.
pub(super) enum Address {
    /// A fixed address.
    Fixed(usize),
    /// An offset from the base of the current function.
    Frame(usize),
    /// An element of an array at a fixed address, whose index is in a cell that is always defined
    /// and always in range: `base + memory[cell] * stride`, wrapping.
    Element { base: usize, cell: usize, stride: usize },
    /// A computed address.
    Other(Locate),
}

impl Address {
    pub(super) fn locate(self) -> Locate {
        match self {
            Address::Fixed(address) => Box::new(move |_, _| Ok(address)),
            Address::Frame(offset) => Box::new(move |_, m| Ok(m.base + offset)),
            Address::Element { base, cell, stride } => {
                Box::new(move |_, m| Ok(element(base, m.memory[cell], stride)))
            }
            Address::Other(locate) => locate,
        }
    }

    /// This address plus an offset in cells.
    fn behind(self, offset: usize) -> Address {
        match self {
            Address::Fixed(address) => Address::Fixed(address + offset),
            Address::Frame(frame) => Address::Frame(frame + offset),
            Address::Element { base, cell, stride } => {
                Address::Element { base: base.wrapping_add(offset), cell, stride }
            }
            Address::Other(locate) => {
                Address::Other(Box::new(move |code, m| Ok(locate(code, m)? + offset)))
            }
        }
    }
}

/// The address of an array element. `base` accounts for the least index, so that it may wrap.
#[inline]
pub(super) fn element(base: usize, index: i64, stride: usize) -> usize {
    base.wrapping_add((index as usize).wrapping_mul(stride))
}

impl Compiler<'_> {
    /// Compiles the address of a place.
    pub(super) fn address(&mut self, place: &Place) -> Compiled<Address> {
        let types = &self.model.types;
        let (mut at, mut of) = match place.root {
            Root::Global(id) => {
                let of = self.model.variables[id.0 as usize].of;
                (Address::Fixed(self.layout.variable(id.0 as usize)), of)
            }
            Root::Local(id) => {
                let slot = self.slot(id);
                let at = match self.modes[id.0 as usize] {
                    Mode::Value => slot,
                    Mode::Reference => {
                        let slot = slot.locate();
                        Address::Other(Box::new(move |code, m| {
                            let slot = slot(code, m)?;
                            Ok(m.memory[slot] as usize)
                        }))
                    }
                };
                (at, self.locals[id.0 as usize].of)
            }
        };
        for selector in &place.selectors {
            match (selector, types.get(of)) {
                (Selector::Field(k), Type::Record(fields)) => {
                    let before = &fields[..*k as usize];
                    at = at.behind(before.iter().map(|&(_, of)| width(types, of)).sum());
                    of = fields[*k as usize].1;
                }
                (Selector::Element(index), &Type::Array { index: wanted, element }) => {
                    at = self.element(at, index, wanted, width(types, element))?;
                    of = element;
                }
                (Selector::Chosen(local), &Type::Multiset { element, .. }) => {
                    at = self.chosen(at, *local, of)?;
                    of = element;
                }
                _ => return Err(Unsupported),
            }
        }
        Ok(at)
    }

    /// Compiles the address of a chosen element of the multiset at `at`.
    fn chosen(&mut self, at: Address, local: LocalId, of: TypeId) -> Compiled<Address> {
        let slot = self.chosen_slot(at, local, of)?;
        Ok(Address::Other(Box::new(move |code, m| {
            let slot = slot(code, m)?;
            // The element follows the cell that marks it as present.
            if m.memory[slot] == PRESENT { Ok(slot + 1) } else { Err(Trap::Failure) }
        })))
    }

    /// Compiles the address of the slot of a chosen element, which must be in the multiset at `at`.
    pub(super) fn chosen_slot(
        &mut self,
        at: Address,
        local: LocalId,
        of: TypeId,
    ) -> Compiled<Locate> {
        let Slots { capacity, stride, .. } = self.slots_of(of)?;
        let (start, held) = (at.locate(), self.slot(local).locate());
        Ok(Box::new(move |code, m| {
            let start = start(code, m)?;
            let held = held(code, m)?;
            let slot = m.memory[held] as usize;
            let inside = (start..start + capacity * stride).contains(&slot);
            if inside { Ok(slot) } else { Err(Trap::Failure) }
        }))
    }

    fn element(
        &mut self,
        at: Address,
        index: &Expression,
        wanted: TypeId,
        stride: usize,
    ) -> Compiled<Address> {
        let types = &self.model.types;
        let low = match *types.get(wanted) {
            Type::Range { low, .. } => low,
            _ => 0,
        };
        // The address of index 0, as if the array had one.
        let origin = move |base: usize| base.wrapping_sub((low as usize).wrapping_mul(stride));
        if let Address::Fixed(base) = at
            && let Some(cell) = self.safe_cell(index, wanted)
        {
            return Ok(Address::Element { base: origin(base), cell, stride });
        }
        let index = self.simple_in(index, wanted)?.eval();
        Ok(match at {
            Address::Fixed(base) => {
                let base = origin(base);
                Address::Other(Box::new(move |code, m| Ok(element(base, index(code, m)?, stride))))
            }
            at => {
                let at = at.locate();
                Address::Other(Box::new(move |code, m| {
                    let base = at(code, m)?;
                    Ok(element(origin(base), index(code, m)?, stride))
                }))
            }
        })
    }

    /// The fixed cell of a bound variable whose values are all in the type `wanted`.
    fn safe_cell(&self, index: &Expression, wanted: TypeId) -> Option<usize> {
        let ExpressionKind::Read(Place { root: Root::Local(id), selectors, .. }) = &index.kind
        else {
            return None;
        };
        let local = &self.locals[id.0 as usize];
        let is_inside = local.of == wanted
            || match (self.model.types.get(local.of), self.model.types.get(wanted)) {
                (Type::Range { low, high }, Type::Range { low: least, high: most }) => {
                    least <= low && high <= most
                }
                _ => false,
            };
        if !selectors.is_empty() || local.kind != LocalKind::Bound || !is_inside {
            return None;
        }
        match self.slot(*id) {
            Address::Fixed(cell) => Some(cell),
            _ => None,
        }
    }

    /// Compiles the address of an expression's value that is not simple.
    pub(super) fn complex(&mut self, expression: &Expression) -> Compiled<Address> {
        if self.model.types.contains_multiset(expression.of) {
            return Err(Unsupported);
        }
        match &expression.kind {
            ExpressionKind::Read(place) => self.address(place),
            ExpressionKind::Call { function, arguments } => {
                let cells = width(&self.model.types, expression.of);
                let offset = self.temporary(cells);
                let result = self.in_frame(offset).locate();
                let call = self.call(*function, arguments, Some(self.in_frame(offset).locate()))?;
                Ok(Address::Other(Box::new(move |code, m| {
                    call(code, m)?;
                    result(code, m)
                })))
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.simple(condition)?.eval();
                let (yes, no) = (self.complex(yes)?.locate(), self.complex(no)?.locate());
                Ok(Address::Other(Box::new(move |code, m| {
                    if condition(code, m)? != 0 { yes(code, m) } else { no(code, m) }
                })))
            }
            _ => Err(Unsupported),
        }
    }

    /// Compiles a call; the result, if it is not simple, is stored at `result`.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[Argument],
        result: Option<Locate>,
    ) -> Compiled<Call> {
        self.is_supported(function)?;
        let callee = &self.model.functions[function.0 as usize];
        let types = &self.model.types;
        let mut made: Vec<Eval> = Vec::new();
        for (parameter, argument) in callee.locals[..callee.arity].iter().zip(arguments) {
            let by_reference =
                parameter.kind == LocalKind::WritableParameter || !types.is_simple(parameter.of);
            let value: Eval = match argument {
                Argument::Reference(place) => {
                    if types.contains_multiset(place.of) {
                        return Err(Unsupported);
                    }
                    let address = self.address(place)?.locate();
                    Box::new(move |code, m| Ok(address(code, m)? as i64))
                }
                Argument::Value(value) if by_reference => {
                    let address = self.complex(value)?.locate();
                    Box::new(move |code, m| Ok(address(code, m)? as i64))
                }
                // An undefined place is passed on undefined.
                Argument::Value(Expression { kind: ExpressionKind::Read(place), of, .. }) => {
                    let address = self.address(place)?.locate();
                    let conversion = Conversion::new(types, *of, parameter.of)?;
                    Box::new(move |code, m| {
                        let address = address(code, m)?;
                        match m.memory[address] {
                            GONE => Err(Trap::Failure),
                            UNDEFINED => Ok(UNDEFINED),
                            value => conversion.of(value).ok_or(Trap::Failure),
                        }
                    })
                }
                Argument::Value(value) => self.simple_in(value, parameter.of)?.eval(),
            };
            made.push(value);
        }
        let temporaries = self.temporary(made.len());
        let temporaries = self.in_frame(temporaries).locate();
        let function = function.0 as usize;
        Ok(Box::new(move |code, m| {
            // All arguments are computed first: computing one may use the memory of the callee's
            // frame.
            let held = temporaries(code, m)?;
            for (k, value) in made.iter().enumerate() {
                let value = value(code, m)?;
                m.memory[held + k] = value;
            }
            let top = m.top;
            if m.memory.len() <= top + made.len() {
                m.memory.resize(top + made.len() + 1, UNDEFINED);
            }
            // Parameters take one cell each, after `RESULT_AT`.
            for k in 0..made.len() {
                m.memory[top + 1 + k] = m.memory[held + k];
            }
            if let Some(result) = &result {
                let result = result(code, m)? as i64;
                m.memory[top + super::RESULT_AT] = result;
            }
            m.call(code, function)
        }))
    }
}
