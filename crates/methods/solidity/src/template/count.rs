//! Counts the solutions of a space exactly and finds the k-th one. Each connected component is a tree; the number of
//! solutions below a vertex is known for each of its values, and the number of all is the product over the trees.

use super::domain::values;
use super::relation::Relation;
use super::space::{Space, pick};
use crate::model::VariableId;

/// No space is larger than this: variables are fixed until it is not.
const LARGEST: u128 = 1 << 100;

/// The solutions of a space, countable and by number.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The class of each variable.
    classes: Vec<VariableId>,
    /// Values of the variables that are fixed.
    fixed: Vec<u8>,
    /// Trees in order of their roots.
    trees: Vec<Vertex>,
    total: u128,
}

#[derive(Clone, Debug)]
struct Vertex {
    id: VariableId,
    /// Each value and the number of solutions of the tree below with it.
    counts: Vec<(u8, u128)>,
    total: u128,
    children: Vec<(Relation, bool, Vertex)>,
}

impl Enumeration {
    /// Fixes variables of the space until it has at most 2^100 solutions; `draw` decides which and to what.
    pub fn of(space: &mut Space, mut draw: impl FnMut() -> u64) -> Self {
        loop {
            if let Some(enumeration) = Self::try_of(space) {
                return enumeration;
            }
            let ids = 0..space.len() as VariableId;
            let loose: Vec<VariableId> =
                ids.filter(|id| !space.domain(*id).is_power_of_two()).collect();
            let id = loose.get((draw() % loose.len().max(1) as u64) as usize).copied();
            let id = id.unwrap_or_default();
            let domain = space.domain(id);
            space.restrict(id, 1 << pick(domain, draw()));
        }
    }

    fn try_of(space: &Space) -> Option<Self> {
        let length = space.len() as VariableId;
        let classes: Vec<VariableId> = (0..length).map(|id| space.class(id)).collect();
        let fixed = classes.iter().map(|id| pick(space.domain(*id), 0)).collect();
        let mut neighbours = vec![vec![]; space.len()];
        for edge in &space.edges {
            let edge = space.current(edge);
            let loose = |id| !space.domain(id).is_power_of_two();
            if loose(edge.from) && loose(edge.to) && edge.from != edge.to {
                neighbours[usize::from(edge.from)].push((edge.to, edge.relation, true));
                neighbours[usize::from(edge.to)].push((edge.from, edge.relation, false));
            }
        }
        let mut seen = vec![false; space.len()];
        let mut trees = vec![];
        let mut total: u128 = 1;
        for id in 0..length {
            let is_root = classes[usize::from(id)] == id && !seen[usize::from(id)];
            if is_root && !space.domain(id).is_power_of_two() {
                let tree = grow(space, &neighbours, &mut seen, id)?;
                total = total.checked_mul(tree.total).filter(|total| *total <= LARGEST)?;
                trees.push(tree);
            }
        }
        Some(Self { classes, fixed, trees, total })
    }

    /// The number of solutions.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// The k-th solution, one value per variable. Numbers beyond the last start again.
    pub fn solution(&self, number: u128) -> Vec<u8> {
        let mut solution = self.fixed.clone();
        let mut rest = number;
        for tree in &self.trees {
            descend(tree, u128::MAX, rest % tree.total, &mut solution);
            rest /= tree.total;
        }
        for (index, class) in self.classes.iter().enumerate() {
            solution[index] = solution[usize::from(*class)];
        }
        solution
    }
}

fn grow(
    space: &Space,
    neighbours: &[Vec<(VariableId, Relation, bool)>],
    seen: &mut [bool],
    id: VariableId,
) -> Option<Vertex> {
    seen[usize::from(id)] = true;
    let mut children = vec![];
    for (other, relation, forward) in &neighbours[usize::from(id)] {
        if !seen[usize::from(*other)] {
            children.push((*relation, *forward, grow(space, neighbours, seen, *other)?));
        }
    }
    let mut counts = vec![];
    let mut total: u128 = 0;
    for value in values(space.domain(id)) {
        let mut count: u128 = 1;
        for (relation, forward, child) in &children {
            let allowed = row(*relation, *forward, value);
            let below: u128 = child
                .counts
                .iter()
                .filter(|(value, _)| allowed & (1 << value) != 0)
                .map(|(_, count)| count)
                .sum();
            count = count.checked_mul(below).filter(|count| *count <= LARGEST)?;
        }
        if count > 0 {
            counts.push((value, count));
            total += count;
        }
    }
    Some(Vertex { id, counts, total, children })
}

fn row(relation: Relation, forward: bool, value: u8) -> u128 {
    if forward { relation.after(value) } else { relation.before(value) }
}

/// Sets the variables of a tree to its solution with this number, among those whose root has an allowed value.
fn descend(tree: &Vertex, allowed: u128, number: u128, solution: &mut [u8]) {
    let mut rest = number;
    for (value, count) in tree.counts.iter().filter(|(value, _)| allowed & (1 << value) != 0) {
        if rest >= *count {
            rest -= count;
            continue;
        }
        solution[usize::from(tree.id)] = *value;
        for (relation, forward, child) in &tree.children {
            let allowed = row(*relation, *forward, *value);
            let below: u128 = child
                .counts
                .iter()
                .filter(|(value, _)| allowed & (1 << value) != 0)
                .map(|(_, count)| count)
                .sum();
            descend(child, allowed, rest % below.max(1), solution);
            rest /= below.max(1);
        }
        return;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::template::VariableKind;

    /// A random space: small domains, then attempts at constraints.
    fn space(domains: &[u8], constraints: &[(u8, u8, bool, u64)]) -> Space {
        let mut space = Space::default();
        for domain in domains {
            space.fresh(VariableKind::Type, u128::from(*domain | 1) << 28);
        }
        for (from, to, equal, draw) in constraints {
            let from = u16::from(*from) % domains.len() as u16;
            let to = u16::from(*to) % domains.len() as u16;
            if *equal {
                space.unite(from, to, *draw);
            } else {
                space.relate(from, to, Relation::Converts, *draw);
            }
        }
        space
    }

    fn by_force(space: &Space) -> BTreeSet<Vec<u8>> {
        let mut all = vec![vec![]];
        for id in 0..space.len() as VariableId {
            let domain: Vec<u8> = values(space.domain(id)).collect();
            all = all
                .into_iter()
                .flat_map(|start: Vec<u8>| {
                    domain
                        .iter()
                        .map(move |it| [start.clone(), vec![*it]].concat())
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        all.into_iter().filter(|it| space.admits(it)).collect()
    }

    proptest! {
        #[test]
        fn the_solutions_are_exactly_those_found_by_force(
            domains in prop::collection::vec(any::<u8>(), 1..5),
            constraints in prop::collection::vec(any::<(u8, u8, bool, u64)>(), 0..6),
        ) {
            let mut space = space(&domains, &constraints);
            let expected = by_force(&space);
            let enumeration = Enumeration::of(&mut space, || 0);
            prop_assert_eq!(enumeration.total(), expected.len() as u128);
            let found: BTreeSet<Vec<u8>> =
                (0..enumeration.total()).map(|number| enumeration.solution(number)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_space_that_is_too_large_is_made_smaller() {
        let mut space = Space::default();
        for _ in 0..100 {
            space.fresh(VariableKind::Type, u128::MAX >> 26);
        }
        let mut next = 0;
        let enumeration = Enumeration::of(&mut space, || {
            next += 1;
            next
        });
        assert!((1 << 80..=LARGEST).contains(&enumeration.total()), "{}", enumeration.total());
        assert!(space.admits(&enumeration.solution(enumeration.total() - 1)));
    }
}
