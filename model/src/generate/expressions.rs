//! Generates random expressions.
//!
//! Values of index types have no literals: an expression of such a type exists only if a name in
//! scope leads to one. Hence these methods return an `Option`.

use super::types::Ty;
use super::{Generator, Kind, Named};
use crate::syntax::IndexKind;

impl Generator {
    /// An expression of this type, of about this depth at most.
    pub(super) fn expression(&mut self, of: &Ty, depth: usize) -> Option<String> {
        if !Generator::is_simple(of) {
            if depth > 0
                && self.chance(30)
                && let Some(literal) = self.literal(of, depth - 1)
            {
                return Some(literal);
            }
            if depth > 0
                && self.chance(30)
                && let Some(element) = self.element_of_queue(of, depth - 1)
            {
                return Some(element);
            }
            if matches!(of, Ty::Set(_)) {
                return self.set_expression(of, depth);
            }
            let place = self.place(of, depth, |_| true)?;
            if depth > 0 && !matches!(of, Ty::Multiset(..)) && self.chance(10) {
                let other = self.place(of, depth, |_| true)?;
                return Some(format!("({} ? {place} : {other})", self.condition(0)));
            }
            return Some(place);
        }
        // Both branches of a conditional must have one type, but members of a union need not.
        if depth > 0 && !matches!(of, Ty::Union(..)) && self.chance(8) {
            let (yes, no) = (self.expression(of, depth - 1)?, self.expression(of, depth - 1)?);
            return Some(format!("({} ? {yes} : {no})", self.condition(depth - 1)));
        }
        if depth > 0
            && self.chance(12)
            && let Some(call) = self.call(Some(of), depth, false)
        {
            return Some(call);
        }
        if depth > 0
            && self.chance(8)
            && let Some(element) = self.element_of_queue(of, depth - 1)
        {
            return Some(element);
        }
        match of {
            Ty::Boolean => Some(self.condition(depth)),
            Ty::Range(high) => Some(self.number(*high, depth)),
            Ty::Enumeration(k) => {
                if self.chance(50)
                    && let Some(place) = self.place(of, depth, |_| true)
                {
                    return Some(place);
                }
                let members = self.declared.enumerations[*k].1.clone();
                self.pick(&members)
            }
            Ty::Index(k) => {
                let kind = self.declared.indices[*k].1;
                // A stored value may be undefined; a bound one is not.
                let bound = if self.chance(60) {
                    self.place(of, 0, |named| named.kind == Kind::Constant)
                } else {
                    None
                };
                let inner = match bound {
                    Some(bound) => bound,
                    None => self.place(of, depth.min(1), |_| true)?,
                };
                Some(match kind {
                    IndexKind::Ring if self.chance(25) => format!("next({inner})"),
                    IndexKind::Ring if self.chance(10) => format!("prev({inner})"),
                    _ => inner,
                })
            }
            Ty::Union(index, enumeration) => match self.below(3) {
                0 => self.expression(&Ty::Index(*index), depth),
                1 => self.expression(&Ty::Enumeration(*enumeration), depth),
                _ => self.place(of, depth, |_| true),
            }
            .or_else(|| self.expression(&Ty::Enumeration(*enumeration), depth)),
            Ty::Array(..) | Ty::Record(_) | Ty::Multiset(..) | Ty::Queue(..) | Ty::Set(_) => None,
        }
    }

    /// A record or an array that is made of its parts. The type of an array is not written, so that it
    /// must follow from where the literal stands.
    fn literal(&mut self, of: &Ty, depth: usize) -> Option<String> {
        match of {
            Ty::Record(k) => {
                let (name, fields) = self.declared.records[*k].clone();
                let mut parts = Vec::new();
                for (field, of) in fields {
                    // Those that are left out are undefined.
                    if self.chance(85)
                        && let Some(value) = self.expression(&of, depth)
                    {
                        parts.push(format!("{field}: {value}"));
                    }
                }
                Some(format!("{name} {{ {} }}", parts.join(", ")))
            }
            Ty::Array(index, element) => {
                let size = match &**index {
                    Ty::Boolean => 2,
                    Ty::Range(high) => *high as usize + 1,
                    Ty::Enumeration(k) => self.declared.enumerations[*k].1.len(),
                    _ => return None,
                };
                let parts: Option<Vec<_>> =
                    (0..size).map(|_| self.expression(element, depth)).collect();
                Some(format!("[{}]", parts?.join(", ")))
            }
            _ => None,
        }
    }

    /// The type of a queue in scope, of an element of an array perhaps.
    pub(super) fn queue_type(&mut self) -> Option<Ty> {
        let queue = |named: &Named| match &named.of {
            Ty::Array(_, element) if matches!(**element, Ty::Queue(..)) => {
                Some((**element).clone())
            }
            of => matches!(of, Ty::Queue(..)).then(|| of.clone()),
        };
        let found: Vec<_> = self.scope.iter().filter_map(queue).collect();
        self.pick(&found)
    }

    /// A value of this type in an element of a queue, which may well be empty.
    fn element_of_queue(&mut self, of: &Ty, depth: usize) -> Option<String> {
        let queue = self.queue_type()?;
        let Ty::Queue(capacity, element) = &queue else { return None };
        if !self.leads_to(element, of) {
            return None;
        }
        let written = self.place(&queue, depth, |_| true)?;
        let last = *capacity as usize;
        let written = match self.below(4) {
            0 | 1 => format!("head({written})"),
            2 => format!("last({written})"),
            _ => format!("{written}[{}]", self.below(last)),
        };
        self.path(written, element, of, depth)
    }

    /// A condition on a queue.
    fn condition_on_queue(&mut self, depth: usize) -> Option<String> {
        let of = self.queue_type()?;
        let Ty::Queue(capacity, element) = &of else { return None };
        let queue = self.place(&of, depth, |_| true)?;
        let length = self.below(*capacity as usize + 1);
        Some(match self.below(5) {
            0 => format!("length({queue}) > {length}"),
            1 => {
                let other = self.place(&of, depth, |_| true)?;
                format!("({queue} = {other})")
            }
            2 | 3 => format!("({} in {queue})", self.expression(element, depth)?),
            _ => {
                let part = self.simple_type();
                let value = self.element_of_queue(&part, depth)?;
                // Without a question before, this often fails.
                let asked =
                    if self.chance(50) { format!("length({queue}) > 0 & ") } else { String::new() };
                format!("({asked}{value} = {})", self.expression(&part, depth)?)
            }
        })
    }

    /// The type of a set in scope, of an element of an array perhaps.
    pub(super) fn set_type(&mut self) -> Option<Ty> {
        let set = |named: &Named| match &named.of {
            Ty::Array(_, element) if matches!(**element, Ty::Set(_)) => Some((**element).clone()),
            of => matches!(of, Ty::Set(_)).then(|| of.clone()),
        };
        let found: Vec<_> = self.scope.iter().filter_map(set).collect();
        self.pick(&found)
    }

    /// A set of this type, which begins with one that is stored.
    pub(super) fn set_expression(&mut self, of: &Ty, depth: usize) -> Option<String> {
        let Ty::Set(element) = of else { return None };
        let set = self.place(of, depth, |_| true)?;
        if depth == 0 || self.chance(40) {
            return Some(set);
        }
        let operator = ["|", "&", "-"][self.below(3)];
        let other = if self.chance(50) {
            let elements: Option<Vec<_>> =
                (0..self.below(3)).map(|_| self.expression(element, depth - 1)).collect();
            format!("{{ {} }}", elements?.join(", "))
        } else {
            self.set_expression(of, depth - 1)?
        };
        Some(format!("({set} {operator} {other})"))
    }

    /// A condition on a set.
    fn condition_on_set(&mut self, depth: usize) -> Option<String> {
        let of = self.set_type()?;
        let Ty::Set(element) = &of else { return None };
        let set = self.set_expression(&of, depth.min(1))?;
        Some(match self.below(5) {
            0 => format!("(size({set}) > {})", self.below(2)),
            1 => {
                let operator = ["<=", "=", "!="][self.below(3)];
                format!("({set} {operator} {})", self.place(&of, depth, |_| true)?)
            }
            _ => format!("({} in {set})", self.expression(element, depth)?),
        })
    }

    /// A comparison of whole records or arrays.
    fn comparison_of_wholes(&mut self, depth: usize) -> Option<String> {
        let whole = |named: &Named| matches!(named.of, Ty::Record(_) | Ty::Array(..));
        let wholes: Vec<_> = self.scope.iter().filter(|named| whole(named)).cloned().collect();
        let one = self.pick(&wholes)?;
        let other = self.expression(&one.of, depth)?;
        let operator = ["=", "!="][self.below(2)];
        Some(format!("({} {operator} {other})", one.name))
    }

    /// A Boolean expression.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        self.try_condition(depth)
            .or_else(|| self.place(&Ty::Boolean, depth.min(1), |_| true))
            .unwrap_or_else(|| ["true", "false"][self.below(2)].to_owned())
    }

    fn try_condition(&mut self, depth: usize) -> Option<String> {
        if depth == 0 {
            return match self.below(3) {
                0 => None,
                _ => self.comparison(0),
            };
        }
        let depth = depth - 1;
        Some(match self.below(16) {
            0 => format!("!({})", self.condition(depth)),
            1 | 2 => format!("({} & {})", self.condition(depth), self.condition(depth)),
            3 | 4 => format!("({} | {})", self.condition(depth), self.condition(depth)),
            5 => format!("({} -> {})", self.condition(depth), self.condition(depth)),
            6 | 7 => {
                let of = self.domain_type();
                let kind = ["forall", "exists"][self.below(2)];
                let name = self.fresh("q");
                let bound = Named { name: name.clone(), of: of.clone(), kind: Kind::Constant };
                let body = self.with(vec![bound], |this| this.condition(depth));
                format!("({kind} {name}: {} do {body} end)", self.show(&of))
            }
            8 => {
                let of = self.simple_type();
                let place = self.place(&of, depth, |named| named.kind != Kind::Constant)?;
                if self.chance(50) {
                    format!("isundefined({place})")
                } else {
                    // The usual way to read a place that may be undefined.
                    let other = self.expression(&of, depth)?;
                    format!("(!isundefined({place}) & {place} = {other})")
                }
            }
            9 => {
                let (_, index, enumeration) = self.pick(&self.declared.unions.clone())?;
                let place = self.place(&Ty::Union(index, enumeration), depth, |_| true)?;
                let member =
                    [Ty::Index(index), Ty::Enumeration(enumeration)][self.below(2)].clone();
                format!("ismember({place}, {})", self.show(&member))
            }
            10 => {
                let k =
                    self.declared.indices.iter().position(|i| i.1 == IndexKind::UndirectedRing)?;
                let (a, b) =
                    (self.expression(&Ty::Index(k), 0)?, self.expression(&Ty::Index(k), 0)?);
                format!("adjacent({a}, {b})")
            }
            11 => return self.call(Some(&Ty::Boolean), depth, false),
            12 if self.chance(50) => return self.comparison_of_wholes(depth),
            13 => {
                return self.condition_on_queue(depth).or_else(|| self.comparison(depth));
            }
            14 => {
                return self.condition_on_set(depth).or_else(|| self.comparison(depth));
            }
            _ => return self.comparison(depth),
        })
    }

    fn comparison(&mut self, depth: usize) -> Option<String> {
        let of = self.simple_type();
        let operators: &[_] = match of {
            Ty::Range(_) => &["=", "!=", "<", "<=", ">", ">="],
            _ => &["=", "!="],
        };
        let operator = operators[self.below(operators.len())];
        let a = self.place(&of, depth, |_| true)?;
        // A comparison of a place with itself is useless; another attempt mostly differs.
        let mut b = self.expression(&of, depth)?;
        if a == b {
            b = self.expression(&of, depth)?;
        }
        Some(format!("({a} {operator} {b})"))
    }

    /// A number from 0 to `high`, if its evaluation succeeds.
    pub(super) fn number(&mut self, high: u32, depth: usize) -> String {
        let literal = self.below(high as usize + 1).to_string();
        if depth == 0 {
            return self.place(&Ty::Range(high), 0, |_| true).unwrap_or(literal);
        }
        match self.below(8) {
            0 => literal,
            1 | 2 => format!(
                "(({} + {}) % {})",
                self.number(high, depth - 1),
                self.number(high, depth - 1),
                high + 1
            ),
            3 if self.chance(50) => self.count_of_elements(high, depth).unwrap_or(literal),
            3 => self.length_of_queue(high, depth).unwrap_or(literal),
            4 => self.total_of_values(high, depth),
            _ => self.place(&Ty::Range(high), depth, |_| true).unwrap_or(literal),
        }
    }

    fn length_of_queue(&mut self, high: u32, depth: usize) -> Option<String> {
        let of = self.queue_type()?;
        let queue = self.place(&of, depth - 1, |_| true)?;
        Some(format!("(length({queue}) % {})", high + 1))
    }

    fn total_of_values(&mut self, high: u32, depth: usize) -> String {
        let of = self.domain_type();
        let name = self.fresh("n");
        let bound = Named { name: name.clone(), of: of.clone(), kind: Kind::Constant };
        let is_count = self.chance(50);
        let body = self.with(vec![bound], |this| {
            if is_count { this.condition(depth - 1) } else { this.number(high, depth - 1) }
        });
        let word = if is_count { "count" } else { "sum" };
        format!("(({word} {name}: {} do {body} end) % {})", self.show(&of), high + 1)
    }

    fn count_of_elements(&mut self, high: u32, depth: usize) -> Option<String> {
        let (multiset, element) = self.multiset()?;
        let position = self.fresh("p");
        let condition = self.condition_on(&format!("{multiset}[{position}]"), &element, depth - 1);
        Some(format!("(MultiSetCount({position}: {multiset}, {condition}) % {})", high + 1))
    }

    /// A condition on a value of this type, written like this.
    pub(super) fn condition_on(&mut self, written: &str, of: &Ty, depth: usize) -> String {
        let element = Named { name: written.to_owned(), of: of.clone(), kind: Kind::Constant };
        let parts = self.paths(&element);
        let part = self.pick(&parts);
        self.with(vec![element], |this| {
            if this.chance(60)
                && let Some((path, of)) = part
                && let Some(other) = this.expression(&of, depth)
            {
                return format!("({path} = {other})");
            }
            this.condition(depth)
        })
    }

    /// The simple parts of a value that can be reached without a subscript.
    pub(super) fn paths(&self, named: &Named) -> Vec<(String, Ty)> {
        match &named.of {
            Ty::Record(k) => {
                let fields = self.declared.records[*k].1.iter();
                fields.map(|(field, of)| (format!("{}.{field}", named.name), of.clone())).collect()
            }
            of if Generator::is_simple(of) => vec![(named.name.clone(), of.clone())],
            _ => Vec::new(),
        }
    }

    /// A multiset of the state, and the type of its elements.
    pub(super) fn multiset(&mut self) -> Option<(String, Ty)> {
        let found: Vec<_> = self
            .scope
            .iter()
            .filter_map(|named| match &named.of {
                Ty::Multiset(_, element) => Some((named.name.clone(), (**element).clone())),
                _ => None,
            })
            .collect();
        self.pick(&found)
    }

    /// A place of exactly this type that starts from a name with the given property.
    pub(super) fn place(
        &mut self,
        of: &Ty,
        depth: usize,
        allowed: impl Fn(&Named) -> bool,
    ) -> Option<String> {
        let roots: Vec<_> = self
            .scope
            .iter()
            .filter(|named| allowed(named) && self.leads_to(&named.of, of))
            .cloned()
            .collect();
        // Names of inner scopes are preferred, so that loops use their variables.
        let root = if roots.len() > 1 && self.chance(30) {
            roots.last().cloned()
        } else {
            self.pick(&roots)
        }?;
        self.path(root.name, &root.of, of, depth)
    }

    fn leads_to(&self, from: &Ty, to: &Ty) -> bool {
        from == to
            || match from {
                Ty::Array(_, element) => self.leads_to(element, to),
                Ty::Record(k) => {
                    self.declared.records[*k].1.iter().any(|(_, of)| self.leads_to(of, to))
                }
                _ => false,
            }
    }

    fn path(&mut self, written: String, from: &Ty, to: &Ty, depth: usize) -> Option<String> {
        if from == to {
            return Some(written);
        }
        match from {
            Ty::Array(index, element) => {
                let subscript = self.subscript(index, depth)?;
                self.path(format!("{written}[{subscript}]"), element, to, depth)
            }
            Ty::Record(k) => {
                let fields = self.declared.records[*k].1.clone();
                let fields: Vec<_> =
                    fields.into_iter().filter(|(_, of)| self.leads_to(of, to)).collect();
                let (field, of) = self.pick(&fields)?;
                self.path(format!("{written}.{field}"), &of, to, depth)
            }
            _ => None,
        }
    }

    /// A subscript of this type: mostly a bound variable, because that is always defined.
    fn subscript(&mut self, of: &Ty, depth: usize) -> Option<String> {
        let fits = |named: &&Named| {
            named.kind == Kind::Constant
                && (named.of == *of
                    || matches!((of, &named.of), (Ty::Union(a, _), Ty::Index(b)) if a == b))
        };
        let bound: Vec<_> =
            self.scope.iter().filter(fits).map(|named| named.name.clone()).collect();
        if self.chance(85)
            && let Some(name) = self.pick(&bound)
        {
            return Some(name);
        }
        // Nested subscripts soon become unreadable.
        let found = if depth > 0 { self.expression(of, depth.min(2) - 1) } else { None };
        found.or_else(|| self.pick(&bound))
    }
}
