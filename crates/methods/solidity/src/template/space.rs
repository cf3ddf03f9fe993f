//! The variables and constraints of a template while it is generated. A constraint that would leave no solution is
//! refused and changes nothing.

use serde::{Deserialize, Serialize};

use super::domain::values;
use super::relation::Relation;
use crate::model::VariableId;

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariableKind {
    Type,
    Length,
    Location,
    Visibility,
    Mutability,
    Storage,
    Order,
    Checked,
    Call,
    Named,
    Doc,
    Files,
    Layout,
    Coder,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Variable {
    kind: VariableKind,
    #[serde(with = "crate::wide")]
    domain: u128,
    /// The variable that it was united with; itself if it stands for its class.
    class: VariableId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edge {
    pub(super) from: VariableId,
    pub(super) to: VariableId,
    pub(super) relation: Relation,
}

/// Attribute variables, their domains, and the constraints between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    variables: Vec<Variable>,
    pub(super) edges: Vec<Edge>,
}

impl Space {
    pub fn fresh(&mut self, kind: VariableKind, domain: u128) -> VariableId {
        let id = self.variables.len() as VariableId;
        self.variables.push(Variable { kind, domain, class: id });
        id
    }

    pub fn len(&self) -> usize {
        self.variables.len()
    }

    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    pub fn kind(&self, id: VariableId) -> VariableKind {
        self.variables[usize::from(id)].kind
    }

    /// The variable that stands for all that are equal to this one.
    pub fn class(&self, id: VariableId) -> VariableId {
        let mut id = id;
        loop {
            let class = self.variables[usize::from(id)].class;
            if class == id {
                return id;
            }
            id = class;
        }
    }

    pub fn domain(&self, id: VariableId) -> u128 {
        self.variables[usize::from(self.class(id))].domain
    }

    fn is_fixed(&self, id: VariableId) -> bool {
        self.domain(id).is_power_of_two()
    }

    /// Keeps only these values.
    pub fn restrict(&mut self, id: VariableId, allowed: u128) -> bool {
        let class = self.class(id);
        let domain = self.domain(class);
        if domain & allowed == domain {
            return true;
        }
        self.attempt(|space| {
            space.variables[usize::from(class)].domain &= allowed;
            space.propagate(class)
        })
    }

    /// Makes two variables equal. `draw` decides how a cycle is broken.
    pub fn unite(&mut self, left: VariableId, right: VariableId, draw: u64) -> bool {
        let (left, right) = (self.class(left), self.class(right));
        if left == right {
            return true;
        }
        let common = self.domain(left) & self.domain(right);
        if common == 0 {
            return false;
        }
        if self.is_connected(left, right) {
            let value = 1 << pick(common, draw);
            return self.attempt(|space| {
                space.variables[usize::from(left)].domain = value;
                space.variables[usize::from(right)].domain = value;
                space.propagate(left) && space.propagate(right)
            });
        }
        self.attempt(|space| {
            space.variables[usize::from(right)].class = left;
            space.variables[usize::from(left)].domain = common;
            space.propagate(left)
        })
    }

    /// Adds a constraint. `draw` decides how a cycle is broken.
    pub fn relate(
        &mut self,
        from: VariableId,
        to: VariableId,
        relation: Relation,
        draw: u64,
    ) -> bool {
        let (from, to) = (self.class(from), self.class(to));
        if from == to && self.kind(from) == self.kind(to) {
            // Every relation on one kind of attribute is reflexive.
            return true;
        }
        let edge = Edge { from, to, relation };
        if self.edges.iter().any(|it| self.current(it) == edge) {
            return true;
        }
        let loose = !self.is_fixed(from) && !self.is_fixed(to);
        let cyclic = loose && self.is_connected(from, to);
        self.attempt(|space| {
            if cyclic {
                let possible = space.domain(to) & relation.image(space.domain(from));
                if possible == 0 {
                    return false;
                }
                space.variables[usize::from(to)].domain = 1 << pick(possible, draw);
                if !space.propagate(to) {
                    return false;
                }
            }
            space.edges.push(edge);
            space.propagate(from) && space.propagate(to)
        })
    }

    /// An edge between classes.
    pub(super) fn current(&self, edge: &Edge) -> Edge {
        Edge { from: self.class(edge.from), to: self.class(edge.to), ..*edge }
    }

    /// Applies a change, and takes it back if it leaves no solution.
    fn attempt(&mut self, change: impl FnOnce(&mut Self) -> bool) -> bool {
        let variables = self.variables.clone();
        let edges = self.edges.len();
        let possible = change(self);
        if !possible {
            self.variables = variables;
            self.edges.truncate(edges);
        }
        possible
    }

    /// Arc consistency after the domain of a variable changed.
    fn propagate(&mut self, changed: VariableId) -> bool {
        let mut work = vec![self.class(changed)];
        while let Some(id) = work.pop() {
            let domain = self.domain(id);
            if domain == 0 {
                return false;
            }
            for index in 0..self.edges.len() {
                let edge = self.current(&self.edges[index]);
                let (other, allowed) = match () {
                    () if edge.from == id => (edge.to, edge.relation.image(domain)),
                    () if edge.to == id => (edge.from, edge.relation.preimage(domain)),
                    () => continue,
                };
                let old = self.domain(other);
                if old & allowed != old {
                    self.variables[usize::from(other)].domain = old & allowed;
                    work.push(other);
                }
            }
        }
        true
    }

    /// Whether a path of variables that are not fixed leads from one to the other.
    fn is_connected(&self, left: VariableId, right: VariableId) -> bool {
        if self.is_fixed(left) || self.is_fixed(right) {
            return false;
        }
        let mut seen = vec![left];
        let mut next = 0;
        while next < seen.len() {
            let id = seen[next];
            next += 1;
            if id == right {
                return true;
            }
            for edge in &self.edges {
                let edge = self.current(edge);
                let other = match () {
                    () if edge.from == id => edge.to,
                    () if edge.to == id => edge.from,
                    () => continue,
                };
                if !self.is_fixed(other) && !seen.contains(&other) {
                    seen.push(other);
                }
            }
        }
        false
    }

    /// Whether an assignment, one value per variable, satisfies everything.
    pub fn admits(&self, solution: &[u8]) -> bool {
        let value = |id: VariableId| solution.get(usize::from(id)).copied().unwrap_or(127);
        solution.len() == self.len()
            && (0..self.len() as VariableId).all(|id| {
                let class = self.class(id);
                value(id) == value(class) && self.domain(class) & (1 << (value(id) & 127)) != 0
            })
            && self.edges.iter().all(|edge| {
                edge.relation.after(value(edge.from)) & (1 << (value(edge.to) & 127)) != 0
            })
    }
}

/// One value of a domain that is not empty.
pub(super) fn pick(domain: u128, draw: u64) -> u8 {
    let count = u64::from(domain.count_ones()).max(1);
    values(domain).nth((draw % count) as usize).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Type;
    use crate::template::{INTEGERS, type_bit};

    #[test]
    fn a_constraint_without_solution_is_refused_and_changes_nothing() {
        let mut space = Space::default();
        let wide = space.fresh(VariableKind::Type, type_bit(Type::Uint(256)));
        let any = space.fresh(VariableKind::Type, INTEGERS);
        assert!(space.relate(wide, any, Relation::Converts, 0));
        assert_eq!(space.domain(any), type_bit(Type::Uint(256)));
        let narrow = space.fresh(VariableKind::Type, type_bit(Type::Uint(8)));
        let before = space.clone();
        assert!(!space.relate(any, narrow, Relation::Converts, 0));
        assert!(!space.unite(any, narrow, 0));
        assert_eq!(space, before);
    }

    #[test]
    fn united_variables_share_constraints() {
        let mut space = Space::default();
        let [a, b, c] = [0; 3].map(|_| space.fresh(VariableKind::Type, INTEGERS));
        assert!(space.relate(a, b, Relation::Converts, 0) && space.unite(b, c, 0));
        assert!(space.restrict(c, type_bit(Type::Uint(8))));
        assert_eq!(space.domain(a), type_bit(Type::Uint(8)));
    }
}
