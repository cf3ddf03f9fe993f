//! Addresses: where they come from and when two of them are equal.
//!
//! A pointer is a word of an address and one wire per region (`symbol.rs`). Pointers of no region are into
//! memory that the caller knows; their address is absolute. What an address was computed from (its root) and
//! how far it is from there are remembered, so that addresses of one root are compared by their offsets.

use std::collections::HashMap;

use identity::kernel::Wire;

use super::symbol::ADDRESS;
use super::wires::{Variable, Wires};
use super::{Encoding, Unencodable, variable};
use crate::semantics::Domain;

/// How many bits of an address are compared apart from the others.
const LOW: usize = 4;

/// A place in memory: that of one byte.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// One wire per region.
    pub(super) regions: Vec<Wire>,
    /// None where the address is relative to a region.
    pub(super) root: Option<usize>,
    pub(super) offset: Vec<Wire>,
    pub(super) address: Vec<Wire>,
}

/// An object whose extent is not known: the offsets of its first byte and of its end.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub(super) low: Vec<Wire>,
    pub(super) high: Vec<Wire>,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    roots: Vec<Vec<Wire>>,
    known: HashMap<Vec<Wire>, (usize, Vec<Wire>)>,
    extents: HashMap<usize, Extent>,
    /// The variables of extents.
    pub(super) variables: Vec<Variable>,
}

impl Places {
    /// The root of an absolute address, and the offset from it.
    pub(super) fn of(&mut self, wires: &mut Wires, address: &[Wire]) -> (usize, Vec<Wire>) {
        if let Some(known) = self.known.get(address) {
            return known.clone();
        }
        let root = self.roots.len();
        self.roots.push(address.to_vec());
        let place = (root, wires.word(0, ADDRESS as u32));
        self.known.insert(address.to_vec(), place.clone());
        place
    }

    /// The difference of two addresses that were computed from one.
    pub(super) fn difference(
        &self,
        wires: &mut Wires,
        a: &[Wire],
        b: &[Wire],
    ) -> Option<Vec<Wire>> {
        let ((first, from), (second, to)) = (self.known.get(a)?, self.known.get(b)?);
        (first == second).then(|| wires.sub(from, to))
    }

    /// The address at an offset from a root.
    pub(super) fn at(&mut self, wires: &mut Wires, root: usize, offset: Vec<Wire>) -> Vec<Wire> {
        let address = wires.add(&self.roots[root].clone(), &offset);
        self.known.entry(address.clone()).or_insert((root, offset));
        address
    }

    /// The extent of the object that a root points into. It may be anything.
    pub(super) fn extent(&mut self, wires: &mut Wires, root: usize) -> Encoding<Extent> {
        if let Some(known) = self.extents.get(&root) {
            return Ok(known.clone());
        }
        let (first, low) = variable(wires, ADDRESS as u32)?;
        let (second, high) = variable(wires, ADDRESS as u32)?;
        self.variables.extend([first, second]);
        let extent = Extent { low, high };
        self.extents.insert(root, extent.clone());
        Ok(extent)
    }
}

impl Spot {
    /// The place so many bytes behind.
    pub(super) fn plus(&self, wires: &mut Wires, bytes: u64) -> Self {
        if bytes == 0 {
            return self.clone();
        }
        let by = wires.word(u128::from(bytes), ADDRESS as u32);
        Self {
            regions: self.regions.clone(),
            root: self.root,
            offset: wires.add(&self.offset, &by),
            address: wires.add(&self.address, &by),
        }
    }

    /// Whether two places are the same.
    pub(super) fn is(&self, wires: &mut Wires, other: &Self) -> Wire {
        let (mine, yours) = match self.root.is_some() && self.root == other.root {
            true => (&self.offset, &other.offset),
            false => (&self.address, &other.address),
        };
        let is_other = |a: &[Wire], b: &[Wire]| a.iter().zip(b).any(|(&x, &y)| x == !y);
        if is_other(mine, yours) || is_other(&self.regions, &other.regions) {
            return Wire::FALSE;
        }
        let regions = match self.regions == other.regions {
            true => Wire::TRUE,
            false => wires.graph.same(&self.regions, &other.regions),
        };
        // Neighbouring bytes differ in low bits only, and share the comparison of the others.
        let low = wires.graph.same(&mine[..LOW], &yours[..LOW]);
        let high = wires.graph.same(&mine[LOW..], &yours[LOW..]);
        let same = wires.graph.and(low, high);
        wires.graph.and(regions, same)
    }

    /// When it is in none of the regions.
    pub(super) fn is_outside(&self, wires: &mut Wires) -> Wire {
        !wires.graph.any(&self.regions)
    }
}

impl Unencodable {
    pub(super) fn from_stop(stop: crate::interpret::Stop) -> Self {
        use crate::interpret::Stop;
        match stop {
            Stop::Unsupported(why) | Stop::Undefined(why) | Stop::Ends(why) => Self::new(&why),
            Stop::OutOfSteps => Self::new("too many steps"),
        }
    }
}
