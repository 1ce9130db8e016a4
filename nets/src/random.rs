//! Random nets, for tests: every kind of arc and guard, and starts that are not symmetric.

use crate::net::{
    Arc, Base, Class, Comparison, Guard, Net, Part, Partition, Place, Side, Term, Tokens,
    Transition, Variable,
};
use run::{Span, SplitMix64};

/// Makes nets.
pub struct Generator(pub SplitMix64);

impl Generator {
    /// A number below this one.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next() % limit as u64).expect("it is small")
    }

    fn colour(&mut self, size: u32) -> u32 {
        u32::try_from(self.below(size as usize)).expect("it is small")
    }

    /// A net of a few places, transitions and colours.
    pub fn net(&mut self) -> Net {
        let classes: Vec<Class> = (0..=self.below(2))
            .map(|k| Class {
                name: format!("c{k}"),
                colours: (0..2 + self.below(3)).map(|at| format!("c{k}_{at}")).collect(),
                is_cyclic: true,
            })
            .collect();
        let mut net = Net {
            name: "random".to_owned(),
            classes,
            partitions: Vec::new(),
            places: Vec::new(),
            transitions: Vec::new(),
        };
        if self.below(3) == 0 {
            self.partition(&mut net);
        }
        let sizes: Vec<u32> = net.classes.iter().map(|one| one.colours.len() as u32).collect();
        for k in 0..2 + self.below(3) {
            let sort: Vec<usize> = (0..self.below(3)).map(|_| self.below(sizes.len())).collect();
            let mut initial = Tokens::new();
            for _ in 0..self.below(4) {
                let tuple: Vec<u32> = sort.iter().map(|&of| self.colour(sizes[of])).collect();
                *initial.entry(net.encode(&sort, tuple)).or_default() += 1 + self.below(2) as u64;
            }
            if self.below(3) == 0 {
                initial = (0..net.tuples(&sort)).map(|code| (code, 1)).collect();
            }
            let id = format!("p{k}");
            let name = id.clone();
            net.places.push(Place { id, name, sort, initial, safe: None, span: Span::at(0) });
        }
        for k in 0..=self.below(3) {
            let transition = self.transition(&net, &sizes, k);
            net.transitions.push(transition);
        }
        net
    }

    /// Divides the first class in two parts, which are the colours of another one.
    fn partition(&mut self, net: &mut Net) {
        let size = net.classes[0].colours.len();
        let element_of = (0..size).map(|_| self.colour(2)).collect();
        let elements = net.classes.len();
        let colours = vec!["low".to_owned(), "high".to_owned()];
        net.classes.push(Class { name: "part".to_owned(), colours, is_cyclic: false });
        net.partitions.push(Partition { class: 0, elements, element_of });
    }

    fn transition(&mut self, net: &Net, sizes: &[u32], number: usize) -> Transition {
        let variables: Vec<Variable> = (0..=self.below(3))
            .map(|k| Variable { name: format!("x{k}"), class: self.below(sizes.len()) })
            .collect();
        let (plain, moved) = (self.below(3) > 0, self.below(2) == 0);
        let mut arcs = || -> Vec<Arc> {
            let mut places: Vec<usize> = (0..net.places.len()).collect();
            let mut arcs = Vec::new();
            for _ in 0..=self.below(2) {
                let place = places.remove(self.below(places.len()));
                let sort = &net.places[place].sort;
                if sort.len() == 1 && self.below(6) == 0 {
                    // All colours but one.
                    let one = self.part(sort[0], sizes, &variables, true, moved);
                    if one != Part::All {
                        let sum = vec![(1, vec![Part::All]), (-1, vec![one])];
                        arcs.push(Arc { place, sum, span: Span::at(0) });
                        continue;
                    }
                }
                let sum = (0..=self.below(2))
                    .map(|_| {
                        let parts = net.places[place].sort.iter();
                        let parts = parts.map(|&of| self.part(of, sizes, &variables, plain, moved));
                        (1, parts.collect::<Vec<Part>>())
                    })
                    .collect::<Vec<_>>();
                let mut collected: Vec<(i64, Vec<Part>)> = Vec::new();
                for (number, parts) in sum {
                    match collected.iter_mut().find(|one| one.1 == parts) {
                        Some(known) => known.0 += number,
                        None => collected.push((number, parts)),
                    }
                }
                collected.sort_by(|a, b| a.1.cmp(&b.1));
                arcs.push(Arc { place, sum: collected, span: Span::at(0) });
            }
            arcs.sort_by_key(|arc| arc.place);
            arcs
        };
        let (inputs, outputs) = (arcs(), arcs());
        let mut guard = self.guard(sizes, &variables, plain, moved);
        if let Some(of) = net.partitions.first()
            && let Some(at) = variables.iter().position(|one| one.class == of.class)
        {
            let term = Term { base: Base::Variable(at), shift: 0, size: sizes[of.class] };
            let left = Side { term, partition: Some(0) };
            let right = self.side_of_partition(of, &variables, sizes);
            let comparison = [Comparison::Equal, Comparison::Unequal, Comparison::Less];
            let compared = Guard::Compare(comparison[self.below(3)], left, right);
            guard = Guard::And(vec![guard, compared]);
        }
        let id = format!("t{number}");
        let name = id.clone();
        Transition { id, name, variables, guard, inputs, outputs, span: Span::at(0) }
    }

    fn part(
        &mut self,
        class: usize,
        sizes: &[u32],
        variables: &[Variable],
        plain: bool,
        moved: bool,
    ) -> Part {
        let size = sizes[class];
        let fitting: Vec<usize> =
            (0..variables.len()).filter(|&at| variables[at].class == class).collect();
        if fitting.is_empty() || self.below(8) == 0 {
            if plain || self.below(2) == 0 {
                return Part::All;
            }
            return Part::One(Term { base: Base::Colour(self.colour(size)), shift: 0, size });
        }
        let base = Base::Variable(fitting[self.below(fitting.len())]);
        let shift = if moved && self.below(3) == 0 { 1 + self.colour(size - 1) } else { 0 };
        Part::One(Term { base, shift, size })
    }

    /// What an element of a partition is compared with: that of another colour, a variable, an element.
    fn side_of_partition(&mut self, of: &Partition, variables: &[Variable], sizes: &[u32]) -> Side {
        let (class, partition) =
            if self.below(2) == 0 { (of.class, Some(0)) } else { (of.elements, None) };
        let fitting: Vec<usize> =
            (0..variables.len()).filter(|&at| variables[at].class == class).collect();
        if fitting.is_empty() {
            let base = Base::Colour(self.colour(2));
            return Side { term: Term { base, shift: 0, size: 2 }, partition: None };
        }
        let base = Base::Variable(fitting[self.below(fitting.len())]);
        Side { term: Term { base, shift: 0, size: sizes[class] }, partition }
    }

    fn guard(&mut self, sizes: &[u32], variables: &[Variable], plain: bool, moved: bool) -> Guard {
        let left = self.below(variables.len());
        let class = variables[left].class;
        let right = self.part(class, sizes, variables, plain, moved);
        let Part::One(right) = right else { return Guard::Constant(true) };
        let left = Term { base: Base::Variable(left), shift: 0, size: sizes[class] };
        let comparison = match self.below(if plain { 3 } else { 6 }) {
            0 => return Guard::Constant(true),
            1 => Comparison::Equal,
            2 => Comparison::Unequal,
            3 => Comparison::Less,
            4 => Comparison::AtMost,
            _ => Comparison::AtLeast,
        };
        let side = |term| Side { term, partition: None };
        let one = Guard::Compare(comparison, side(left), side(right));
        if self.below(4) == 0 { Guard::Not(Box::new(one)) } else { one }
    }
}
