//! What is asked about small systems.

use super::{Event, Scope, Writer};

impl Writer {
    /// A formula with its quantifiers.
    pub(super) fn question(&mut self) -> String {
        let (quantifiers, scope) = self.quantifiers();
        let atoms: Vec<String> = (0..2 + self.below(2)).map(|_| self.atom(&scope)).collect();
        let depth = 2 + self.below(2);
        let formula =
            if self.chance(50) { self.template(&atoms) } else { self.formula(&atoms, depth) };
        format!("{quantifiers}{formula}")
    }

    /// A formula about what happens for ever: fairness is likely to matter.
    pub(super) fn recurrence(&mut self) -> String {
        let (quantifiers, scope) = self.quantifiers();
        let (p, q) = (self.atom(&scope), self.atom(&scope));
        let formula = match self.below(6) {
            0 => format!("G F {p}"),
            1 => format!("F G !{p}"),
            2 => format!("G({p} -> F {q})"),
            3 => format!("(G F {p}) -> G F {q}"),
            4 => format!("F({p} & X {q})"),
            _ => format!("G F ({p} & X {q})"),
        };
        format!("{quantifiers}{formula}")
    }

    /// Quantifiers of a formula, and the variables that they bind.
    fn quantifiers(&mut self) -> (String, Scope) {
        let (of, other) = (self.likely_type(), self.some_type());
        let tracked = |names: &[(&str, usize)]| -> Scope {
            names.iter().map(|(name, of)| ((*name).to_owned(), *of)).collect()
        };
        let named = |of: usize| self.types[of].name;
        match self.random.below(10) {
            0..2 => (String::new(), Scope::new()),
            2..6 => (format!("forall c: {}. ", named(of)), tracked(&[("c", of)])),
            6..8 => {
                (format!("forall distinct c, d: {}. ", named(of)), tracked(&[("c", of), ("d", of)]))
            }
            8 => (format!("forall c, d: {}. ", named(of)), tracked(&[("c", of), ("d", of)])),
            _ => (
                format!("forall c: {}, d: {}. ", named(of), named(other)),
                tracked(&[("c", of), ("d", other)]),
            ),
        }
    }

    /// Justice or compassion of every index or pair of them, or of nobody.
    pub(super) fn requirement(&mut self) -> String {
        let of = self.likely_type();
        let named = self.types[of].name;
        let (one, other) = (("c".to_owned(), of), ("d".to_owned(), of));
        let (quantifier, scope) = match self.below(8) {
            0..2 => (String::new(), Scope::new()),
            2..6 => (format!("forall c: {named}. "), vec![one]),
            6 => (format!("forall c, d: {named}. "), vec![one, other]),
            _ => (format!("forall distinct c, d: {named}. "), vec![one, other]),
        };
        let condition = self.literal(&scope, 0);
        if self.chance(50) {
            return format!("justice: {quantifier}{condition};\n");
        }
        let conclusion = self.literal(&scope, 0);
        format!("compassion: {quantifier}({condition}, {conclusion});\n")
    }

    fn atom(&mut self, scope: &[(String, usize)]) -> String {
        match self.below(10) {
            0..3 => {
                let at = self.below(self.events.len());
                let Event { name, parameters } = &self.events[at];
                let (name, parameters) = (*name, parameters.clone());
                if self.chance(25) {
                    return format!("@{name}");
                }
                let arguments: Vec<String> = parameters
                    .iter()
                    .map(|&of| {
                        let said = self.known(of, scope).filter(|_| self.random.below(4) > 0);
                        said.unwrap_or_else(|| "_".to_owned())
                    })
                    .collect();
                format!("@{name}({})", arguments.join(", "))
            }
            3 => {
                let fitting: Vec<String> = scope
                    .iter()
                    .filter(|(_, of)| self.owners.contains(of))
                    .map(|(name, _)| name.clone())
                    .chain(self.has_server.then(|| "server".to_owned()))
                    .collect();
                let who = self.random.pick(&fitting).cloned();
                format!("@by({})", who.unwrap_or_else(|| "_".to_owned()))
            }
            _ => self.literal(scope, 1),
        }
    }

    /// What is asked in practice.
    fn template(&mut self, atoms: &[String]) -> String {
        let (p, q, r) = (&atoms[0], &atoms[1], &atoms[atoms.len() - 1]);
        match self.below(14) {
            0 => format!("G({p} -> F {q})"),
            1 => format!("G({p} -> X {q})"),
            2 => format!("G !({p} & {q})"),
            3 => format!("F G {p}"),
            4 => format!("(G F {p}) -> G F {q}"),
            5 => format!("({p} U {q}) | G {p}"),
            6 => format!("G({p} -> ({q} W {r}))"),
            7 => format!("G({p} -> X({q} R {r}))"),
            8 => format!("G {p}"),
            9 => format!("{p} -> X ({q} -> X {r})"),
            10 => format!("!(({p} M {q}) & F {r})"),
            11 => format!("!F({p} & X({q} & X {r}))"),
            12 => format!("!(G F {p} & G F {q})"),
            _ => format!("!({p} & X G {q})"),
        }
    }

    fn formula(&mut self, atoms: &[String], depth: usize) -> String {
        if depth == 0 || self.chance(10) {
            return self.random.pick(atoms).expect("some atoms").clone();
        }
        let operator = self.below(11);
        let left = self.formula(atoms, depth - 1);
        if operator < 4 {
            return format!("{} ({left})", ["!", "X", "F", "G"][operator]);
        }
        let right = self.formula(atoms, depth - 1);
        let operator = ["U", "R", "W", "M", "&", "|", "->"][operator - 4];
        format!("(({left}) {operator} ({right}))")
    }
}
