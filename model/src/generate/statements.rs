//! Generates random statements, functions and calls.

use super::types::Ty;
use super::{Generator, Kind, Named, Signature};

impl Generator {
    /// One to `most` statements.
    pub(super) fn statements(&mut self, most: usize, depth: usize) {
        for _ in 0..=self.below(most) {
            self.statement(depth);
        }
    }

    /// A statement; at depth 0 only simple ones.
    pub(super) fn statement(&mut self, depth: usize) {
        if depth == 0 || self.try_statement(depth - 1).is_none() {
            self.assignment(depth);
        }
    }

    fn try_statement(&mut self, depth: usize) -> Option<()> {
        match self.below(39) {
            0..=3 => {
                let head = format!("if {} then", self.condition(depth));
                self.block(&head, "end;", |this| {
                    this.statements(2, depth);
                    if this.chance(30) {
                        this.indent -= 1;
                        this.line("else");
                        this.indent += 1;
                        this.statements(1, depth);
                    }
                });
            }
            4 => self.switch(depth)?,
            5..=9 | 35 | 36 => self.index_loop(depth)?,
            10 => {
                let name = self.fresh("k");
                let bound = Named { name: name.clone(), of: Ty::Range(1), kind: Kind::Constant };
                let head = format!("for {name} := 0 to 1 do");
                self.with(vec![bound], |this| {
                    this.block(&head, "end;", |this| this.statements(2, depth));
                });
            }
            11 => {
                let place = self.writable(&Ty::Range(2), depth)?;
                let more = if self.chance(30) { self.condition(depth) } else { "true".to_owned() };
                let head = format!("while ({place} < 2) & {more} do");
                self.block(&head, "end;", |this| this.line(&format!("{place} := {place} + 1;")));
            }
            12 | 13 => {
                let of = self.simple_type();
                let root = self.pick(&self.scope.clone())?;
                let of = if self.chance(50) { of } else { root.of };
                let place = self.writable(&of, depth)?;
                let name = self.fresh("a");
                let alias = Named { name: name.clone(), of, kind: Kind::Local };
                let head = format!("alias {name}: {place} do");
                self.with(vec![alias], |this| {
                    this.block(&head, "end;", |this| this.statements(2, depth));
                });
            }
            14 | 15 => {
                let call = self.call(None, depth, true)?;
                self.line(&format!("{call};"));
            }
            16 if self.chance(40) => {
                let of = self.simple_type();
                let place = self.writable(&of, depth)?;
                self.line(&format!("undefine {place};"));
            }
            17 => {
                let of = match self.below(3) {
                    0 if self.options.traps => self.simple_type(),
                    1 => Ty::Range(1 + self.below(2) as u32),
                    _ => Ty::Boolean,
                };
                let place = self.writable(&of, depth)?;
                self.line(&format!("clear {place};"));
            }
            18 | 19 => self.add_element(depth)?,
            27 | 28 => self.push(depth)?,
            29 => self.pop(depth)?,
            30 if self.chance(60) => self.visit(depth)?,
            31 | 32 => self.member(depth)?,
            33 => self.visit_set(depth)?,
            34 if self.options.traps => self.gather()?,
            20 => self.remove_elements(depth)?,
            37 | 38 => self.each_element(depth)?,
            21 if self.may_write_globals => {
                let word = ["assume", "assert", "assert", "cover"][self.below(4)];
                // Conditions that are mostly true, so that some runs remain.
                let (a, b) = (self.condition(depth), self.condition(depth));
                self.line(&format!("{word} ({a} | {b});"));
            }
            22 if self.chance(15) => {
                let head = format!("if {} then", self.condition(depth));
                self.block(&head, "end;", |this| this.line("error \"unlikely\";"));
            }
            23 if self.may_write_globals && self.chance(15) => self.line("put \"text\";"),
            24 if self.options.traps && self.may_write_globals && self.chance(15) => {
                let of = self.simple_type();
                let value = self.place(&of, depth, |_| true)?;
                self.line(&format!("put {value};"));
            }
            25 => {
                let of = self.simple_type();
                let place = self.writable(&of, depth)?;
                let call = self.call(Some(&of), depth, true)?;
                self.line(&format!("{place} := {call};"));
            }
            26 if self.options.traps && self.chance(30) => self.effects_in_quantifier(depth)?,
            _ => self.assignment(depth),
        }
        Some(())
    }

    fn remove_elements(&mut self, depth: usize) -> Option<()> {
        let (multiset, element) = self.multiset()?;
        if !self.may_write_globals {
            return None;
        }
        let position = self.fresh("p");
        let written = format!("{multiset}[{position}]");
        let condition = self.condition_on(&written, &element, depth);
        self.line(&format!("MultiSetRemovePred({position}: {multiset}, {condition});"));
        Some(())
    }

    fn effects_in_quantifier(&mut self, depth: usize) -> Option<()> {
        let of = self.index_type()?;
        let place = self.writable(&Ty::Boolean, depth)?;
        let name = self.fresh("q");
        let bound = Named { name: name.clone(), of: of.clone(), kind: Kind::Constant };
        let call = |this: &mut Self| this.call(Some(&Ty::Boolean), depth, true);
        let call = self.with(vec![bound], call)?;
        let shown = self.show(&of);
        self.line(&format!("{place} := exists {name}: {shown} do {call} end;"));
        Some(())
    }

    fn switch(&mut self, depth: usize) -> Option<()> {
        let k = self.below(self.declared.enumerations.len());
        let subject = self.place(&Ty::Enumeration(k), depth, |_| true)?;
        let members = self.declared.enumerations[k].1.clone();
        self.block(&format!("switch {subject}"), "end;", |this| {
            for member in &members[..members.len() - 1] {
                this.line(&format!("case {member}:"));
                this.statements(1, depth);
            }
            if this.chance(50) {
                this.line("else");
                this.statements(1, depth);
            }
        });
        Some(())
    }

    /// Adds an element to a queue.
    fn push(&mut self, depth: usize) -> Option<()> {
        let of = self.queue_type()?;
        let Ty::Queue(capacity, element) = &of else { return None };
        let queue = self.writable(&of, depth)?;
        let value = self.expression(element, depth)?;
        let word = ["push", "push", "pushfront"][self.below(3)];
        let push = format!("{word}({queue}, {value});");
        // Full queues would end too many runs.
        if self.chance(85) {
            let head = format!("if length({queue}) < {capacity} then");
            self.block(&head, "end;", |this| this.line(&push));
        } else {
            self.line(&push);
        }
        Some(())
    }

    /// Removes an element of a queue.
    fn pop(&mut self, depth: usize) -> Option<()> {
        let of = self.queue_type()?;
        let queue = self.writable(&of, depth)?;
        if self.chance(85) {
            let head = format!("if length({queue}) > 0 then");
            self.block(&head, "end;", |this| this.line(&format!("pop({queue});")));
        } else {
            self.line(&format!("pop({queue});"));
        }
        Some(())
    }

    /// A loop over the elements of a queue.
    fn visit(&mut self, depth: usize) -> Option<()> {
        let of = self.queue_type()?;
        let Ty::Queue(_, element) = &of else { return None };
        let queue = self.place(&of, depth, |_| true)?;
        let name = self.fresh("v");
        let bound = Named { name: name.clone(), of: (**element).clone(), kind: Kind::Constant };
        let head = format!("for {name} in {queue} do");
        self.with(vec![bound], |this| {
            this.block(&head, "end;", |this| this.statements(2, depth));
        });
        Some(())
    }

    /// Changes a set.
    fn member(&mut self, depth: usize) -> Option<()> {
        let of = self.set_type()?;
        let Ty::Set(element) = &of else { return None };
        let set = self.writable(&of, depth)?;
        let line = if self.chance(25) {
            format!("{set} := {};", self.set_expression(&of, depth)?)
        } else {
            let word = ["insert", "insert", "remove"][self.below(3)];
            format!("{word}({set}, {});", self.expression(element, depth)?)
        };
        self.line(&line);
        Some(())
    }

    /// A loop over the elements of a set. Its order matters unless the body makes none of it.
    fn visit_set(&mut self, depth: usize) -> Option<()> {
        let of = self.set_type()?;
        let Ty::Set(element) = &of else { return None };
        let set = self.set_expression(&of, depth.min(1))?;
        let name = self.fresh("v");
        let bound = Named { name: name.clone(), of: (**element).clone(), kind: Kind::Constant };
        let head = format!("for {name} in {set} do");
        self.with(vec![bound], |this| {
            this.block(&head, "end;", |this| {
                if this.chance(40)
                    && let Some(place) = this.writable(&of, 0)
                {
                    let word = ["insert", "remove"][this.below(2)];
                    this.line(&format!("{word}({place}, {name});"));
                } else {
                    this.statements(1, depth);
                }
            });
        });
        Some(())
    }

    /// A loop over an index type that changes a queue or a set of all: its order matters.
    fn gather(&mut self) -> Option<()> {
        let over = self.index_type()?;
        let is_queue = self.chance(60);
        let of = if is_queue { self.queue_type()? } else { self.set_type()? };
        let place = self.writable(&of, 0)?;
        let name = self.fresh("i");
        let bound = Named { name: name.clone(), of: over.clone(), kind: Kind::Constant };
        let head = format!("for {name}: {} do", self.show(&over));
        let element = match &of {
            Ty::Queue(_, element) | Ty::Set(element) => (**element).clone(),
            _ => return None,
        };
        let value = self.with(vec![bound], |this| this.expression(&element, 1))?;
        let line = match &of {
            Ty::Queue(capacity, _) => {
                format!("if length({place}) < {capacity} then push({place}, {value}); end;")
            }
            _ => format!("if size({place}) < 1 then insert({place}, {value}); end;"),
        };
        self.block(&head, "end;", |this| this.line(&line));
        Some(())
    }

    /// Adds an element to a multiset.
    pub(super) fn add_element(&mut self, depth: usize) -> Option<()> {
        if !self.may_write_globals {
            return None;
        }
        let (multiset, element) = self.multiset()?;
        let value = self.expression(&element, depth)?;
        // Full multisets would end too many runs.
        let (position, capacity) = (self.fresh("p"), self.below(3));
        let add = format!("MultiSetAdd({value}, {multiset});");
        if self.chance(70) {
            let head = format!("if MultiSetCount({position}: {multiset}, true) <= {capacity} then");
            self.block(&head, "end;", |this| this.line(&add));
        } else {
            self.line(&add);
        }
        Some(())
    }

    /// `place := value`, of any type for which both exist.
    pub(super) fn assignment(&mut self, depth: usize) {
        for _ in 0..8 {
            let of = if self.chance(8) {
                match self.pick(&self.scope.clone()) {
                    Some(named) if !matches!(named.of, Ty::Multiset(..)) => named.of,
                    _ => continue,
                }
            } else {
                self.simple_type()
            };
            let Some(place) = self.writable(&of, depth) else { continue };
            let Some(value) = self.expression(&of, depth.min(2)) else { continue };
            if place == value {
                continue;
            }
            return self.line(&format!("{place} := {value};"));
        }
    }

    /// A place of this type that may be written here.
    pub(super) fn writable(&mut self, of: &Ty, depth: usize) -> Option<String> {
        let globals = self.may_write_globals;
        // Values of local variables are mostly lost.
        if globals
            && self.chance(60)
            && let Some(place) = self.place(of, depth, |named| named.kind == Kind::Global)
        {
            return Some(place);
        }
        self.place(of, depth, |named| match named.kind {
            Kind::Global => globals,
            Kind::Local => true,
            Kind::Constant => false,
        })
    }

    /// A call of a function with this result, either with effects or without.
    pub(super) fn call(
        &mut self,
        result: Option<&Ty>,
        depth: usize,
        effects: bool,
    ) -> Option<String> {
        if self.calls >= 3 || (effects && !self.may_write_globals) {
            return None;
        }
        let fits = |f: &&Signature| f.result.as_ref() == result && f.has_effects == effects;
        let functions: Vec<_> = self.functions.iter().filter(fits).cloned().collect();
        let function = self.pick(&functions)?;
        self.calls += 1;
        let mut arguments = Vec::new();
        for (is_writable, of) in &function.parameters {
            arguments.push(if *is_writable {
                self.writable(of, depth.min(1))?
            } else {
                self.expression(of, depth.min(1))?
            });
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }

    /// Declares local variables, and assigns most of them.
    pub(super) fn locals(&mut self) -> Vec<Named> {
        let mut names = Vec::new();
        for _ in 0..self.below(3) {
            let mut of = self.simple_type();
            if Generator::has_indices(&of) && self.expression(&of, 0).is_none() {
                of = Ty::Boolean;
            }
            if self.chance(15) {
                of = Ty::Array(Box::new(self.domain_type()), Box::new(of));
            }
            let name = self.fresh("l");
            let initial = if self.chance(20) { self.expression(&of, 1) } else { None };
            let initial = initial.map_or(String::new(), |value| format!(" := {value}"));
            let line = format!("var {name}: {}{initial};", self.show(&of));
            self.line(&line);
            names.push(Named { name, of, kind: Kind::Local });
        }
        names
    }

    /// Assigns most of these variables, which are not in scope yet.
    pub(super) fn initialise(&mut self, names: &[Named]) {
        for named in names {
            match self.expression(&named.of, 1) {
                Some(value) if Generator::is_simple(&named.of) => {
                    if self.chance(90) {
                        self.line(&format!("{} := {value};", named.name));
                    }
                }
                _ => self.set(&named.name, &named.of),
            }
        }
    }

    /// Declares functions without effects and procedures.
    pub(super) fn declare_functions(&mut self) {
        for _ in 0..self.below(4) {
            let has_effects = self.chance(60);
            let result = if !has_effects || self.chance(30) {
                Some(if has_effects { Ty::Boolean } else { self.simple_type() })
            } else {
                None
            };
            let mut parameters = Vec::new();
            let mut names = Vec::new();
            // A function whose result contains indices takes a parameter of that type, so that it
            // always has a value to return.
            let given = result.clone().into_iter().filter(Generator::has_indices);
            for given in given.map(Some).chain(vec![None; self.below(3)]) {
                let is_given = given.is_some();
                let mut of = given.unwrap_or_else(|| self.simple_type());
                let is_writable = has_effects && self.chance(50);
                if !is_given && self.chance(45) {
                    // A variable's type is preferred, so that there is an argument to pass.
                    of = self.pick(&self.scope.clone()).map_or(of, |named| named.of);
                }
                // An array of queues may be passed, but no function has to return one.
                if matches!(of, Ty::Multiset(..)) {
                    of = Ty::Boolean;
                }
                let kind = if is_writable { Kind::Local } else { Kind::Constant };
                names.push(Named { name: self.fresh("x"), of: of.clone(), kind });
                parameters.push((is_writable, of));
            }
            let name = self.fresh("f");
            let is_copied =
                |named: &&Named| named.kind == Kind::Constant && !Generator::is_simple(&named.of);
            let copied: Vec<_> = names.iter().filter(is_copied).cloned().collect();
            let copied = if self.options.copies { copied } else { Vec::new() };
            let written: Vec<_> = names
                .iter()
                .map(|named| {
                    let var = if named.kind == Kind::Local { "var " } else { "" };
                    let is_copied = copied.iter().any(|one| one.name == named.name);
                    let mark = if is_copied { "_given" } else { "" };
                    format!("{var}{}{mark}: {}", named.name, self.show(&named.of))
                })
                .collect();
            let head = match &result {
                Some(of) => format!("function {name}({}): {};", written.join("; "), self.show(of)),
                None => format!("procedure {name}({});", written.join("; ")),
            };
            let given = names.first().map(|named| named.name.clone()).unwrap_or_default();
            self.calls = 0;
            self.may_write_globals = has_effects;
            self.returns_boolean = result.is_some();
            self.line(&head);
            self.indent += 1;
            for Named { name, of, .. } in &copied {
                let line = format!("var {name}: {};", self.show(of));
                self.line(&line);
            }
            let locals = self.locals();
            self.indent -= 1;
            self.with(names, |this| {
                this.block("begin", "end;", |this| {
                    for Named { name, .. } in &copied {
                        this.line(&format!("{name} := {name}_given;"));
                    }
                    this.initialise(&locals);
                    let has_locals = !locals.is_empty();
                    this.with(locals, |this| {
                        if has_effects || has_locals {
                            this.statements(2, 2);
                        }
                        if let Some(of) = &result {
                            let value = this.expression(of, 2).unwrap_or(given);
                            this.line(&format!("return {value};"));
                        }
                    });
                });
            });
            self.may_write_globals = true;
            self.returns_boolean = false;
            self.functions.push(Signature { name, parameters, result, has_effects });
        }
    }
}
