//! What is known of the representatives and the objects of a product, for all searches in it.

use super::objects::{Object, Objects};
use super::requirements::{Facts, Family, Marker, Requirements};
use crate::product::narrow::Narrow;
use crate::product::{Product, Stop};
use crate::quotient::Representative;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// What is known so far.
pub struct Knowledge<'k> {
    requirements: &'k Requirements,
    marker: Marker<'k>,
    objects: Objects,
    /// By representative: the number of what is true of it, plus one.
    facts: Narrow,
    /// The different facts: of many representatives, the same is true.
    different: Vec<Rc<Facts>>,
    numbers: HashMap<Rc<Facts>, u32>,
    /// Those that were found last.
    found: Facts,
    /// Representatives that are no states of the system.
    removed: &'k HashSet<Representative>,
    /// Whether only orbits of points matter.
    is_about_points: bool,
    points: usize,
}

impl<'k> Knowledge<'k> {
    /// Nothing yet, of so many points.
    pub fn new(
        requirements: &'k Requirements,
        marker: Marker<'k>,
        objects: Objects,
        removed: &'k HashSet<Representative>,
        points: usize,
    ) -> Self {
        Knowledge {
            is_about_points: requirements.are_about_points(&objects),
            requirements,
            marker,
            objects,
            facts: Narrow::default(),
            different: Vec::new(),
            numbers: HashMap::new(),
            found: Facts::default(),
            removed,
            points,
        }
    }

    /// What is demanded.
    pub(super) fn requirements(&self) -> &'k Requirements {
        self.requirements
    }

    /// The families of requirements.
    pub(super) fn families(&self) -> &'k [Family] {
        &self.requirements.families
    }

    /// All objects.
    pub(super) fn objects(&mut self) -> &mut Objects {
        &mut self.objects
    }

    /// How many points there are.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Whether all objects that obligations are about are points, or are not moved.
    pub fn is_about_points(&self) -> bool {
        self.is_about_points
    }

    /// Whether global fairness is demanded.
    pub fn is_global(&self) -> bool {
        self.requirements.is_global
    }

    /// The object of a family that a step executes.
    pub(super) fn executed(
        &mut self,
        family: usize,
        rule: u32,
        arguments: &[i64],
    ) -> Option<Object> {
        let Knowledge { requirements, objects, .. } = self;
        requirements.executed(&requirements.families[family], objects, rule, arguments)
    }

    /// Whether a representative is no state of the system.
    pub(super) fn is_removed(&self, representative: Representative) -> bool {
        self.removed.contains(&representative)
    }

    /// What is true of a representative.
    pub(super) fn facts(
        &mut self,
        product: &mut impl Product,
        of: Representative,
    ) -> Result<Rc<Facts>, Stop> {
        let at = of.0 as usize;
        if let Some(known) = self.facts.get(at).checked_sub(1) {
            return Ok(Rc::clone(&self.different[known as usize]));
        }
        let is_removed = |one: Representative| self.removed.contains(&one);
        self.marker.facts(product, &mut self.objects, of, &is_removed, &mut self.found)?;
        let number = if let Some(&known) = self.numbers.get(&self.found) {
            known
        } else {
            let (number, facts) = (self.different.len() as u32, Rc::new(self.found.clone()));
            self.numbers.insert(Rc::clone(&facts), number);
            self.different.push(facts);
            number
        };
        self.facts.set(at, number + 1);
        Ok(Rc::clone(&self.different[number as usize]))
    }
}
