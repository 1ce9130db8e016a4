//! Facts about the representatives and the objects of a product, shared by all searches in it.

use super::objects::{Object, Objects};
use super::requirements::{Facts, Family, Marker, Requirements};
use crate::narrow::to_u32;
use crate::product::narrow::Narrow;
use crate::product::{Product, Stop};
use crate::quotient::Representative;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;

/// The facts that were computed so far.
pub struct Knowledge<'k> {
    requirements: &'k Requirements,
    marker: Marker<'k>,
    objects: Objects,
    /// By representative: the number of its facts plus one; 0 if they were not computed yet.
    facts: Narrow,
    /// The different facts: many representatives share the same ones.
    different: Vec<Rc<Facts>>,
    numbers: HashMap<Rc<Facts>, u32>,
    /// A buffer for the facts that were computed last.
    found: Facts,
    /// Representatives that are not states of the system.
    removed: &'k HashSet<Representative>,
    /// Whether only the orbits of points matter.
    is_about_points: bool,
    points: usize,
}

impl<'k> Knowledge<'k> {
    /// Creates an empty table for a system with `points` points.
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

    /// The requirements of runs.
    pub(super) fn requirements(&self) -> &'k Requirements {
        self.requirements
    }

    /// The families of requirements.
    pub(crate) fn families(&self) -> &'k [Family] {
        &self.requirements.families
    }

    /// All objects.
    pub(super) fn objects(&mut self) -> &mut Objects {
        &mut self.objects
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Whether all objects of obligations are points, or are not moved.
    pub fn is_about_points(&self) -> bool {
        self.is_about_points
    }

    /// Whether global fairness is demanded.
    pub fn is_global(&self) -> bool {
        self.requirements.is_global
    }

    /// The object of a family that a step executes.
    pub(crate) fn executed(
        &mut self,
        family: usize,
        rule: u32,
        arguments: &[i64],
    ) -> Option<Object> {
        let Knowledge { requirements, objects, .. } = self;
        requirements.executed(&requirements.families[family], objects, rule, arguments)
    }

    /// Whether a representative is not a state of the system.
    pub(super) fn is_removed(&self, representative: Representative) -> bool {
        self.removed.contains(&representative)
    }

    /// The facts about a representative, computed once.
    pub(crate) fn facts(
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
            let (number, facts) = (to_u32(self.different.len()), Rc::new(self.found.clone()));
            self.numbers.insert(Rc::clone(&facts), number);
            self.different.push(facts);
            number
        };
        self.facts.set(at, number + 1);
        Ok(Rc::clone(&self.different[number as usize]))
    }
}
