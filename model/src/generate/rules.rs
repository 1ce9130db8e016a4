//! Generates the top level of a random model.

use super::types::Ty;
use super::{Generator, Kind, Named};

impl Generator {
    /// Writes the whole model.
    pub(super) fn model(&mut self) {
        self.declare_types();
        self.declare_variables();
        self.declare_functions();
        for _ in 0..=self.below(2) {
            self.start();
        }
        for _ in 0..2 + self.below(4) {
            self.rules();
        }
        for _ in 0..self.below(3) {
            self.property();
        }
        if self.options.formulas {
            for _ in 0..self.below(3) {
                self.formula();
            }
        }
    }

    /// A start state, perhaps one for each value of some parameters.
    fn start(&mut self) {
        let mut parameters = Vec::new();
        // Values of index types have no names: without a parameter, variables of these types stay
        // undefined.
        for k in 0..self.declared.indices.len() {
            if self.chance(90) {
                parameters.push(Ty::Index(k));
            }
        }
        let large: Vec<_> = self
            .scope
            .iter()
            .filter(|named| matches!(named.of, Ty::Array(..) | Ty::Record(_)))
            .filter(|named| !Generator::is_collection(&named.of))
            .filter(|named| self.count(&named.of) < 100)
            .map(|named| named.of.clone())
            .collect();
        if self.chance(25) {
            parameters.extend(self.pick(&large));
        } else if self.chance(10) {
            parameters.push(self.domain_type());
        }
        if parameters.is_empty() {
            return self.start_body();
        }
        let names: Vec<_> = parameters
            .into_iter()
            .map(|of| Named { name: self.fresh("s"), of, kind: Kind::Constant })
            .collect();
        let quantifiers: Vec<_> =
            names.iter().map(|named| format!("{}: {}", named.name, self.show(&named.of))).collect();
        let head = format!("ruleset {} do", quantifiers.join("; "));
        self.with(names, |this| this.block(&head, "end;", Self::start_body));
    }

    fn start_body(&mut self) {
        let head = if self.chance(50) {
            format!("startstate \"{}\"", self.fresh("start "))
        } else {
            "startstate".to_owned()
        };
        self.calls = 0;
        self.line(&head);
        self.indent += 1;
        let locals = self.locals();
        self.indent -= 1;
        self.block("begin", "end;", |this| {
            let globals = this.scope.clone();
            for named in globals.iter().filter(|named| named.kind == Kind::Global) {
                this.set(&named.name, &named.of);
            }
            this.initialise(&locals);
            this.with(locals, |this| {
                if this.chance(40) {
                    this.statements(2, 2);
                }
            });
        });
    }

    /// Sets a whole variable, mostly to a constant.
    pub(super) fn set(&mut self, written: &str, of: &Ty) {
        if self.chance(2) {
            return;
        }
        let given = self.scope.iter().filter(|named| named.kind == Kind::Constant);
        let given: Vec<_> =
            given.filter(|named| named.of == *of).map(|named| named.name.clone()).collect();
        if let Some(name) = self.pick(&given)
            && self.chance(70)
        {
            return self.line(&format!("{written} := {name};"));
        }
        match of {
            Ty::Boolean => {
                let value = ["false", "false", "true"][self.below(3)];
                self.line(&format!("{written} := {value};"));
            }
            Ty::Range(high) => {
                let value = self.below(*high as usize + 1);
                self.line(&format!("{written} := {value};"));
            }
            Ty::Enumeration(k) => {
                let members = self.declared.enumerations[*k].1.clone();
                let value = self.pick(&members).expect("enumerations are not empty");
                self.line(&format!("{written} := {value};"));
            }
            Ty::Union(_, k) => {
                let value = self.declared.enumerations[*k].1[0].clone();
                self.line(&format!("{written} := {value};"));
            }
            Ty::Index(_) => {
                // Values of this type have no names, and other places in scope may be undefined.
                let bound: Vec<_> = self
                    .scope
                    .iter()
                    .filter(|named| named.kind == Kind::Constant && named.of == *of)
                    .map(|named| named.name.clone())
                    .collect();
                match self.pick(&bound) {
                    Some(name) => self.line(&format!("{written} := {name};")),
                    None => self.line(&format!("undefine {written};")),
                }
            }
            Ty::Array(index, element) => {
                let name = self.fresh("i");
                let head = format!("for {name}: {} do", self.show(index));
                let inner = format!("{written}[{name}]");
                let bound = Named { name, of: (**index).clone(), kind: Kind::Constant };
                self.with(vec![bound], |this| {
                    this.block(&head, "end;", |this| this.set(&inner, element));
                });
            }
            Ty::Record(k) => {
                for (field, of) in self.declared.records[*k].1.clone() {
                    self.set(&format!("{written}.{field}"), &of);
                }
            }
            Ty::Multiset(..) | Ty::Queue(..) | Ty::Set(_) => {}
        }
    }

    /// A rule and the blocks around it.
    fn rules(&mut self) {
        self.around(2);
    }

    /// A rule with at most `most` blocks around it.
    fn around(&mut self, most: usize) {
        match self.below(8) {
            0 | 1 if most > 0 => {
                let of = self.domain_type();
                let name = self.fresh("r");
                let head = format!("ruleset {name}: {} do", self.show(&of));
                self.with(vec![Named { name, of, kind: Kind::Constant }], |this| {
                    this.block(&head, "end;", |this| this.around(most - 1));
                });
            }
            2 if most == 2 => {
                let of = self.domain_type();
                let name = self.fresh("c");
                if self.chance(75) {
                    let head = format!("process {name}: {} do", self.show(&of));
                    self.with(vec![Named { name, of, kind: Kind::Constant }], |this| {
                        this.block(&head, "end;", |this| this.around(most - 1));
                    });
                } else {
                    let head = format!("process server{} do", self.below(2));
                    self.block(&head, "end;", |this| this.around(most - 1));
                }
            }
            3 if most > 0 => {
                let Some((multiset, element)) = self.multiset() else { return self.rule() };
                let position = self.fresh("e");
                let head = format!("choose {position}: {multiset} do");
                let written = format!("{multiset}[{position}]");
                let named = Named { name: written, of: element, kind: Kind::Constant };
                self.chosen.push((position, multiset));
                self.with(vec![named], |this| {
                    this.block(&head, "end;", |this| this.around(most - 1));
                });
                self.chosen.pop();
            }
            4 if most > 0 => {
                let of = self.simple_type();
                let Some(place) = self.place(&of, 1, |named| named.kind != Kind::Constant) else {
                    return self.rule();
                };
                let name = self.fresh("a");
                let head = format!("alias {name}: {place} do");
                self.with(vec![Named { name, of, kind: Kind::Local }], |this| {
                    this.block(&head, "end;", |this| this.around(most - 1));
                });
            }
            5 | 6 if most == 2 => {
                let of = self.index_type().unwrap_or(Ty::Boolean);
                let name = self.fresh("r");
                let head = format!("ruleset {name}: {} do", self.show(&of));
                self.with(vec![Named { name, of, kind: Kind::Constant }], |this| {
                    this.block(&head, "end;", Self::rule);
                });
            }
            _ => self.rule(),
        }
    }

    fn rule(&mut self) {
        let fairness = ["", "", "", "", "fair ", "strongly fair "][self.below(6)];
        let name = match self.below(4) {
            0 => String::new(),
            1 => format!(" \"{}\"", ["go", "do it"][self.below(2)]),
            _ => format!(" \"{}\"", self.fresh("step")),
        };
        self.calls = 0;
        let guard = if self.chance(90) { self.condition(2) } else { "true".to_owned() };
        self.line(&format!("{fairness}rule{name} {guard} ==>"));
        self.indent += 1;
        let locals = self.locals();
        self.indent -= 1;
        self.block("begin", "end;", |this| {
            this.initialise(&locals);
            this.with(locals, |this| {
                this.statements(3, 3);
                if let Some((position, multiset)) = this.pick(&this.chosen.clone())
                    && this.chance(60)
                {
                    this.line(&format!("MultiSetRemove({position}, {multiset});"));
                }
            });
        });
    }

    fn property(&mut self) {
        self.calls = 0;
        let words = ["invariant", "invariant", "cover", "cover", "assume", "liveness"];
        let word = words[self.below(words.len())];
        let mut bound = Vec::new();
        let mut parameters = Vec::new();
        for _ in 0..=self.below(2) {
            let of = self.index_type().unwrap_or(Ty::Boolean);
            let name = self.fresh("r");
            parameters.push(format!("{name}: {}", self.show(&of)));
            bound.push(Named { name, of, kind: Kind::Constant });
        }
        let head = format!("ruleset {} do", parameters.join("; "));
        let label = self.fresh("property ");
        self.with(bound, |this| {
            this.block(&head, "end;", |this| {
                let condition = format!("({} | {})", this.condition(2), this.condition(2));
                this.line(&format!("{word} \"{label}\" {condition};"));
            });
        });
    }

    fn formula(&mut self) {
        self.calls = 0;
        let Some(of) = self.index_type() else { return };
        let name = self.fresh("t");
        let tracked = format!("forall {name}: {}.", self.show(&of));
        let bound = Named { name, of, kind: Kind::Constant };
        let label = self.fresh("formula ");
        self.with(vec![bound], |this| {
            let (p, q) = (this.condition(1), this.condition(1));
            let some = tracked.replacen("forall", "exists", 1);
            let line = match this.below(6) {
                4 => format!("ltl \"{label}\": {some} G (({p}) -> F ({q}));"),
                5 => format!("ltl \"{label}\": {some} F G ({p}) | G F ({q});"),
                0 => format!("justice \"{label}\": {tracked} {p};"),
                1 => format!("compassion \"{label}\": {tracked} ({p}, {q});"),
                2 => format!("ltl \"{label}\": {tracked} G (({p}) -> F ({q}));"),
                _ => format!("ltl \"{label}\": {tracked} G F ({p}) under strong fairness;"),
            };
            this.line(&line);
        });
    }
}
