//! Scopes of rules and properties: binds the values of their levels.

use crate::cells::UNDEFINED;
use crate::form::{Level, PropertyForm, RuleForm, Scope};
use crate::machine::{Machine, Trap};

/// Whether to go on, or what fails.
type Visited = Result<bool, Trap>;

impl Machine {
    /// Visits every instance of a rule for which the guard is true.
    pub(crate) fn instances(
        &mut self,
        rule: &RuleForm,
        visit: &mut dyn FnMut(&mut Self) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let visit = &mut |m: &mut Self| visit(m).map(|()| true);
        self.all(&rule.scope, 0, visit).map(|_| ())
    }

    /// Whether a property is true for all values of the scope around it. As in the interpreter, an
    /// instance that decides takes precedence over one that fails: so a failure is no answer before all
    /// instances are known.
    pub(crate) fn holds(&mut self, property: &PropertyForm) -> Visited {
        let visit = &mut |m: &mut Self| Ok(m.value(&property.condition)? != 0);
        self.all(&property.scope, 0, visit)
    }

    /// Binds the levels from this one on and visits every instance that no condition skips, while
    /// visits return true. Returns whether all did.
    fn all(
        &mut self,
        scope: &Scope,
        level: usize,
        visit: &mut dyn FnMut(&mut Self) -> Visited,
    ) -> Visited {
        let (kept, conditions) = scope.at(level);
        for &register in kept {
            self.set_register(register, UNDEFINED);
        }
        for (condition, value) in conditions {
            if self.is_true(condition)? == *value {
                return Ok(true);
            }
        }
        match scope.levels.get(level) {
            None => visit(self),
            Some(Level::Let(statements)) => {
                self.statements(statements)?;
                self.all(scope, level + 1, visit)
            }
            Some(Level::Parameter(over)) => {
                match self.each(*over, |m| m.all(scope, level + 1, visit)) {
                    Err(Trap::Returned) => Ok(true),
                    outcome => outcome,
                }
            }
        }
    }
}
