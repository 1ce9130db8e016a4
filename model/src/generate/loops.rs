//! Generates random loops over index types: some depend on the order of their iterations, some do
//! not, and for some neither is known in advance.

use super::types::Ty;
use super::{Generator, Kind, Named};

impl Generator {
    /// A loop over an index type or a union, if there is one.
    pub(super) fn index_loop(&mut self, depth: usize) -> Option<()> {
        let of = match self.pick(&self.declared.unions.clone()) {
            Some((_, index, enumeration)) if self.chance(20) => Ty::Union(index, enumeration),
            _ => self.index_type()?,
        };
        let name = self.fresh("i");
        let head = format!("for {name}: {} do", self.show(&of));
        let bound = Named { name: name.clone(), of: of.clone(), kind: Kind::Constant };
        self.with(vec![bound], |this| {
            this.block(&head, "end;", |this| {
                for _ in 0..=this.below(2) {
                    let made = match this.below(if this.options.traps { 3 } else { 2 }) {
                        0 => this.innocent(&name, &of, depth),
                        1 => this.guarded_innocent(&name, &of, depth),
                        _ if this.chance(50) => this.trap(&name, &of, depth),
                        _ => None,
                    };
                    if made.is_none() {
                        if this.options.traps {
                            this.statement(depth);
                        } else {
                            this.line("-- nothing");
                        }
                    }
                }
            });
        });
        Some(())
    }

    fn guarded_innocent(&mut self, name: &str, of: &Ty, depth: usize) -> Option<()> {
        let condition = match self.below(3) {
            0 => format!("{name} != {}", self.expression(of, 0)?),
            1 => {
                let (array, element) = self.array_over(of, |_| true)?;
                self.condition_on(&format!("{array}[{name}]"), &element, 0)
            }
            _ => self.condition(depth),
        };
        self.line(&format!("if {condition} then"));
        self.indent += 1;
        if self.innocent(name, of, depth).is_none() {
            self.line("-- nothing");
        }
        self.indent -= 1;
        self.line("end;");
        Some(())
    }

    /// One of the forms that does not depend on the order, at least by itself.
    fn innocent(&mut self, name: &str, of: &Ty, depth: usize) -> Option<()> {
        match self.below(10) {
            // Each iteration writes its own element.
            0..=2 => {
                let (array, element) = self.array_over(of, |_| true)?;
                let written = format!("{array}[{name}]");
                self.element(&written, &element, depth)?;
            }
            // The loop counts.
            3 => {
                let place = self.writable(&Ty::Range(2), 0)?;
                let operation = ["+ 1", "+ 0", "- 1"][self.below(3)];
                self.line(&format!("{place} := {place} {operation};"));
            }
            // The loop accumulates a condition.
            4 | 5 => {
                let place = self.writable(&Ty::Boolean, 0)?;
                let operator = ["|", "&"][self.below(2)];
                let condition = match self.array_over(of, |_| true) {
                    Some((array, element)) if self.chance(70) => {
                        self.condition_on(&format!("{array}[{name}]"), &element, 0)
                    }
                    _ => self.condition(depth.min(1)),
                };
                self.line(&format!("{place} := {place} {operator} {condition};"));
            }
            // All iterations store the same value.
            6 => {
                let of = [Ty::Boolean, Ty::Enumeration(0), Ty::Range(1)][self.below(3)].clone();
                let place = self.writable(&of, 0)?;
                let value = match of {
                    Ty::Boolean => "true".to_owned(),
                    Ty::Range(_) => "1".to_owned(),
                    _ => self.declared.enumerations[0].1[0].clone(),
                };
                self.line(&format!("{place} := {value};"));
            }
            // Each iteration uses a local variable.
            7 => {
                let (array, element) = self.array_over(of, |_| true)?;
                let tmp = self.place(&element, 0, |named| named.kind == Kind::Local)?;
                let value = self.expression(&element, 0)?;
                self.line(&format!("{tmp} := {value};"));
                self.line(&format!("{array}[{name}] := {tmp};"));
            }
            // Each iteration adds a message.
            8 => self.add_element(depth)?,
            _ => self.index_loop(depth.checked_sub(1)?)?,
        }
        Some(())
    }

    /// Writes a place of this type, or one of its parts.
    fn element(&mut self, written: &str, of: &Ty, depth: usize) -> Option<()> {
        let (written, of) = match of {
            Ty::Record(k) if self.chance(80) => {
                let fields = self.declared.records[*k].1.clone();
                let (field, of) = self.pick(&fields)?;
                (format!("{written}.{field}"), of)
            }
            Ty::Array(index, element) => {
                let subscript = self.expression(index, 0)?;
                (format!("{written}[{subscript}]"), (**element).clone())
            }
            _ => (written.to_owned(), of.clone()),
        };
        if Generator::is_simple(&of) && self.chance(15) {
            self.line(&format!("undefine {written};"));
        } else {
            let value = self.expression(&of, depth.min(1))?;
            self.line(&format!("{written} := {value};"));
        }
        Some(())
    }

    /// One of the forms that depend on the order, at least by themselves.
    fn trap(&mut self, name: &str, of: &Ty, depth: usize) -> Option<()> {
        match self.below(8) {
            // The value of the last iteration remains.
            0 => {
                let place = self.writable(of, 0)?;
                self.line(&format!("{place} := {name};"));
            }
            // Only the first iteration has an effect.
            1 => {
                let flag = self.writable(&Ty::Boolean, 0)?;
                let (array, element) = self.array_over(of, |_| true)?;
                self.line(&format!("if !{flag} then"));
                self.line(&format!("  {flag} := true;"));
                self.indent += 1;
                let made = self.element(&format!("{array}[{name}]"), &element, depth);
                self.indent -= 1;
                self.line("end;");
                made?;
            }
            // An iteration reads an element that another one writes.
            2 => {
                let (array, _) = self.array_over(of, Generator::is_simple)?;
                let other = self.expression(of, 1)?;
                let other = if let Ty::Index(k) = of
                    && self.declared.indices[*k].1 == crate::syntax::IndexKind::Ring
                {
                    format!("next({name})")
                } else {
                    other
                };
                self.line(&format!("{array}[{name}] := {array}[{other}];"));
            }
            // Some iterations reset, others count.
            3 => {
                let place = self.writable(&Ty::Range(2), 0)?;
                let condition = self.condition(depth.min(1));
                self.line(&format!(
                    "if {condition} then {place} := 0; else {place} := ({place} + 1) % 3; end;"
                ));
            }
            // An iteration returns.
            4 => {
                let condition = self.condition(depth.min(1));
                if !self.may_write_globals {
                    return None;
                }
                let value = if self.returns_boolean { " true" } else { "" };
                self.line(&format!("if {condition} then return{value}; end;"));
            }
            // Iterations write a matrix in rows and in columns.
            5 => {
                let (matrix, Ty::Array(inner, _)) =
                    self.array_over(of, |element| matches!(element, Ty::Array(..)))?
                else {
                    return None;
                };
                if *inner != *of {
                    return None;
                }
                let other = self.expression(of, 0)?;
                self.line(&format!("{matrix}[{name}][{other}] := true;"));
                self.line(&format!("{matrix}[{other}][{name}] := false;"));
            }
            // Iterations read the accumulated condition.
            6 => {
                let place = self.writable(&Ty::Boolean, 0)?;
                let (array, _) = self.array_over(of, |element| *element == Ty::Boolean)?;
                self.line(&format!("{place} := {place} | {array}[{name}];"));
                self.line(&format!("{array}[{name}] := {place};"));
            }
            // Some iterations count up, others down.
            _ => {
                let place = self.writable(&Ty::Range(2), 0)?;
                let condition = self.condition(0);
                self.line(&format!("{place} := {place} + ({condition} ? 1 : -1);"));
            }
        }
        Some(())
    }

    /// A loop over the elements of a multiset. Their order makes no difference, unless it may.
    pub(super) fn each_element(&mut self, depth: usize) -> Option<()> {
        if !self.may_write_globals {
            return None;
        }
        let (multiset, element) = self.multiset()?;
        let name = self.fresh("p");
        let own = Named {
            name: format!("{multiset}[{name}]"),
            of: element.clone(),
            kind: Kind::Constant,
        };
        self.block(&format!("for {name} in {multiset} do"), "end;", |this| {
            let guard = this.chance(40).then(|| this.own_condition(&own)).flatten();
            if let Some(guard) = &guard {
                this.line(&format!("if {guard} then"));
                this.indent += 1;
            }
            let made = if this.options.ordered_elements && this.chance(60) {
                this.with(vec![own.clone()], |this| this.statements(2, depth));
                Some(())
            } else {
                this.per_element(&name, &multiset, &own)
            };
            if made.is_none() {
                this.line("-- nothing");
            }
            if guard.is_some() {
                this.indent -= 1;
                this.line("end;");
            }
        });
        Some(())
    }

    /// A condition on an element of a multiset, and on nothing that is written.
    fn own_condition(&mut self, own: &Named) -> Option<String> {
        let parts = self.paths(own);
        let (path, of) = self.pick(&parts)?;
        Some(match &of {
            Ty::Boolean => path,
            Ty::Range(_) => format!("({path} < 1)"),
            Ty::Enumeration(k) => format!("({path} = {})", self.declared.enumerations[*k].1[0]),
            _ => match self.place(&of, 0, |named| named.kind == Kind::Constant) {
                Some(other) if self.chance(70) => format!("({path} != {other})"),
                _ => format!("isundefined({path})"),
            },
        })
    }

    /// What may be done for each element of a multiset, in any order.
    fn per_element(&mut self, name: &str, multiset: &str, own: &Named) -> Option<()> {
        let parts = self.paths(own);
        let line = match self.below(9) {
            0 | 1 => format!("MultiSetRemove({name}, {multiset});"),
            2 => {
                let (path, of) = self.pick(&parts)?;
                match of {
                    Ty::Boolean => format!("{path} := true;"),
                    Ty::Range(_) => format!("{path} := 0;"),
                    _ => format!("undefine {path};"),
                }
            }
            3 => {
                let place = self.writable(&Ty::Range(2), 0)?;
                format!("{place} := {place} + 1;")
            }
            4 => {
                let place = self.writable(&Ty::Boolean, 0)?;
                let operator = ["|", "&"][self.below(2)];
                format!("{place} := {place} {operator} {};", self.own_condition(own)?)
            }
            5 => format!("{} := true;", self.writable(&Ty::Boolean, 0)?),
            6 => {
                let (path, of) = self.pick(&parts)?;
                let (array, element) = self.array_over(&of, Generator::is_simple)?;
                match element {
                    Ty::Boolean => format!("{array}[{path}] := true;"),
                    Ty::Range(_) => format!("{array}[{path}] := 1;"),
                    _ => format!("undefine {array}[{path}];"),
                }
            }
            7 => {
                let (path, of) = self.pick(&parts)?;
                let set = self.writable(&Ty::Set(Box::new(of)), 0)?;
                format!("insert({set}, {path});")
            }
            _ => {
                let (other, of) = self.multiset()?;
                if other == multiset || of != own.of {
                    return None;
                }
                format!("MultiSetAdd({}, {other});", own.name)
            }
        };
        self.line(&line);
        Some(())
    }

    /// An array over this type that may be written, and the type of its elements.
    fn array_over(&mut self, of: &Ty, wanted: impl Fn(&Ty) -> bool) -> Option<(String, Ty)> {
        let globals = self.may_write_globals;
        let found: Vec<_> = self
            .scope
            .iter()
            .filter(|named| named.kind == Kind::Local || (named.kind == Kind::Global && globals))
            .filter_map(|named| match &named.of {
                Ty::Array(index, element) if **index == *of && wanted(element) => {
                    Some((named.name.clone(), (**element).clone()))
                }
                _ => None,
            })
            .collect();
        self.pick(&found)
    }
}
