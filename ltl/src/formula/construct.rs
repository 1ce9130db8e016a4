//! Smart constructors: operands sorted by id and without repetition, trivial identities applied.

use super::{Atom, Formula, Formulas, Node, Operator};

impl Formulas {
    /// `true` or `false`.
    pub const fn constant(&self, value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// An atom.
    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// `!f`; a double negation goes away.
    pub fn not(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False => Formula::TRUE,
            Node::True => Formula::FALSE,
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of the operands; `true` if there are none.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.lattice(operands, false)
    }

    /// The disjunction of the operands; `false` if there are none.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.lattice(operands, true)
    }

    /// `f & g`
    pub fn and2(&mut self, f: Formula, g: Formula) -> Formula {
        self.and([f, g])
    }

    /// `f | g`
    pub fn or2(&mut self, f: Formula, g: Formula) -> Formula {
        self.or([f, g])
    }

    /// `f` with other operands, as many as it has. It must be in negation normal form.
    pub fn with_operands(&mut self, f: Formula, operands: &[Formula]) -> Formula {
        if self.operands(f).eq(operands.iter().copied()) {
            return f;
        }
        match (self.operator(f), operands) {
            (Operator::And, all) => self.and(all.iter().copied()),
            (Operator::Or, any) => self.or(any.iter().copied()),
            (Operator::Next, &[g]) => self.next(g),
            (Operator::Finally, &[g]) => self.finally(g),
            (Operator::Globally, &[g]) => self.globally(g),
            (Operator::Until, &[g, h]) => self.until(g, h),
            (Operator::Release, &[g, h]) => self.release(g, h),
            (Operator::WeakUntil, &[g, h]) => self.weak_until(g, h),
            (Operator::StrongRelease, &[g, h]) => self.strong_release(g, h),
            _ => f,
        }
    }

    fn lattice(&mut self, operands: impl IntoIterator<Item = Formula>, or: bool) -> Formula {
        let (neutral, absorbing) = (self.constant(!or), self.constant(or));
        let mut flat = std::mem::take(&mut self.scratch);
        for f in operands {
            match self.node(f) {
                Node::And(inner) if !or => flat.extend_from_slice(inner),
                Node::Or(inner) if or => flat.extend_from_slice(inner),
                _ if f == neutral => {}
                _ => flat.push(f),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // f and !f: the negation was made later, so it stands after.
        let contradicts = |&f: &Formula| match self.node(f) {
            Node::Not(g) => flat.binary_search(&g).is_ok(),
            _ => f == absorbing,
        };
        let result = match flat[..] {
            [] => neutral,
            [only] => only,
            _ if flat.iter().any(contradicts) => absorbing,
            _ if or => self.intern(Node::Or(&flat)),
            _ => self.intern(Node::And(&flat)),
        };
        flat.clear();
        self.scratch = flat;
        result
    }

    /// `f xor g`
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, h) | (h, Formula::FALSE) => h,
            (Formula::TRUE, h) | (h, Formula::TRUE) => self.not(h),
            (f, g) if f == g => Formula::FALSE,
            (f, g) => self.intern(Node::Xor(f.min(g), f.max(g))),
        }
    }

    /// `f -> g`
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::TRUE, g) => g,
            (f, Formula::FALSE) => self.not(f),
            (f, g) if f == g => Formula::TRUE,
            (f, g) => self.intern(Node::Implies(f, g)),
        }
    }

    /// `f <-> g`
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::TRUE, h) | (h, Formula::TRUE) => h,
            (Formula::FALSE, h) | (h, Formula::FALSE) => self.not(h),
            (f, g) if f == g => Formula::TRUE,
            (f, g) => self.intern(Node::Iff(f.min(g), f.max(g))),
        }
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True => f,
            _ => self.intern(Node::Next(f)),
        }
    }

    /// `F f`
    pub fn finally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True | Node::Finally(_) => f,
            _ => self.intern(Node::Finally(f)),
        }
    }

    /// `G f`
    pub fn globally(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::False | Node::True | Node::Globally(_) => f,
            _ => self.intern(Node::Globally(f)),
        }
    }

    /// `f U g`
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (_, Formula::FALSE | Formula::TRUE) | (Formula::FALSE, _) => g,
            (Formula::TRUE, g) => self.finally(g),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::Until(f, g)),
        }
    }

    /// `f R g`
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (_, Formula::FALSE | Formula::TRUE) | (Formula::TRUE, _) => g,
            (Formula::FALSE, g) => self.globally(g),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::Release(f, g)),
        }
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::TRUE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::FALSE, g) => g,
            (f, Formula::FALSE) => self.globally(f),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::WeakUntil(f, g)),
        }
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        match (f, g) {
            (Formula::FALSE, _) | (_, Formula::FALSE) => Formula::FALSE,
            (Formula::TRUE, g) => g,
            (f, Formula::TRUE) => self.finally(f),
            (f, g) if f == g => f,
            (f, g) => self.intern(Node::StrongRelease(f, g)),
        }
    }
}
