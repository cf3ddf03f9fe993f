//! Memory for all inputs at once: a log of writes. A byte is what the last write to its place left there, and
//! in the beginning, or after a call that may write, what an unknown function of the place says. That function
//! also says whether the byte can be accessed, so that an access that was not there before is a failure.
//!
//! Local variables that no other function can know are regions of their own, with offsets for addresses;
//! so are parameters that nothing else points to. `access.rs` reads and writes values.

use std::collections::BTreeMap;

use identity::kernel::Wire;

use super::place::Spot;
use super::symbol::{ADDRESS, REGIONS};
use super::wires::{Variable, Wires};
use super::{Encoding, Unencodable, variable};
use crate::semantics::Domain;

#[derive(Clone, Debug)]
pub(super) struct Byte {
    pub(super) bits: Vec<Wire>,
    pub(super) poison: Wire,
    pub(super) undef: Wire,
    /// Of a part of a pointer, the regions that the pointer is into.
    pub(super) regions: Option<Vec<Wire>>,
}

/// A byte of memory that is not written by the function.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) byte: Byte,
    pub(super) is_valid: Wire,
    pub(super) is_writable: Wire,
}

/// A part of memory that only pointers that were computed from one pointer can access.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) number: usize,
    /// Of a local variable; addresses are then offsets.
    pub(super) size: Option<u64>,
    pub(super) align: u64,
    /// Whether callees can access it.
    pub(super) is_visible: bool,
    /// Whether the caller sees what it holds in the end.
    pub(super) is_observed: bool,
    /// Between its lifetime markers, if it has any.
    pub(super) is_alive: Wire,
}

#[derive(Debug)]
enum Write {
    Bytes {
        guard: Wire,
        bytes: Vec<(Spot, Byte)>,
    },
    /// The bytes of a region have no value any more.
    Fresh {
        guard: Wire,
        region: usize,
    },
    /// A call may have written whatever callees can access.
    Call {
        guard: Wire,
        version: usize,
    },
}

#[derive(Debug, Default)]
pub(super) struct Memory {
    writes: Vec<Write>,
    pub(super) regions: Vec<Region>,
}

/// What memory holds that the function did not write, shared by source and target.
#[derive(Debug, Default)]
pub(super) struct Contents {
    cells: BTreeMap<(usize, usize), Vec<(Spot, Cell)>>,
    /// What is known of places: asked before a new cell is made.
    pub(super) facts: Vec<Fact>,
    count: usize,
    pub(super) variables: Vec<Variable>,
}

/// So many bytes from a root on can be accessed.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) root: usize,
    pub(super) bytes: u64,
    /// Whether it ends there.
    pub(super) is_exact: bool,
    pub(super) is_constant: bool,
    pub(super) contents: Option<Vec<Byte>>,
}

/// How many bytes of memory may be named.
const CELLS: usize = 400;
const WRITES: usize = 120;

impl Byte {
    fn undef() -> Self {
        Self { bits: vec![Wire::FALSE; 8], poison: Wire::FALSE, undef: Wire::TRUE, regions: None }
    }

    pub(super) fn of(bits: Vec<Wire>) -> Self {
        Self { bits, poison: Wire::FALSE, undef: Wire::FALSE, regions: None }
    }

    fn select(wires: &mut Wires, condition: Wire, yes: &Self, no: &Self) -> Self {
        if condition == Wire::TRUE {
            return yes.clone();
        }
        let none = vec![Wire::FALSE; REGIONS];
        let regions = match (&yes.regions, &no.regions) {
            (None, None) => None,
            (yes, no) => {
                let (yes, no) = (yes.as_ref().unwrap_or(&none), no.as_ref().unwrap_or(&none));
                Some(wires.graph.select(condition, yes, no))
            }
        };
        Self {
            bits: wires.graph.select(condition, &yes.bits, &no.bits),
            poison: wires.graph.choose(condition, yes.poison, no.poison),
            undef: wires.graph.choose(condition, yes.undef, no.undef),
            regions,
        }
    }

    /// When a byte of the target is none that the source allows.
    pub(super) fn is_worse(&self, wires: &mut Wires, source: &Self) -> Wire {
        let none = vec![Wire::FALSE; REGIONS];
        let mut equal = wires.graph.same(&self.bits, &source.bits);
        if self.regions.is_some() || source.regions.is_some() {
            let own = self.regions.as_ref().unwrap_or(&none);
            let same = wires.graph.same(own, source.regions.as_ref().unwrap_or(&none));
            equal = wires.graph.and(equal, same);
        }
        let open = wires.graph.or(self.poison, self.undef);
        let wrong = wires.graph.or(open, !equal);
        let free = wires.graph.or(source.poison, source.undef);
        wires.graph.and(!free, wrong)
    }
}

impl Cell {
    fn select(wires: &mut Wires, condition: Wire, yes: &Self, no: &Self) -> Self {
        Self {
            byte: Byte::select(wires, condition, &yes.byte, &no.byte),
            is_valid: wires.graph.choose(condition, yes.is_valid, no.is_valid),
            is_writable: wires.graph.choose(condition, yes.is_writable, no.is_writable),
        }
    }
}

impl Contents {
    /// What a place holds in a space (0, or the number of a region and one) after the call of a version.
    fn cell(
        &mut self,
        wires: &mut Wires,
        spot: &Spot,
        space: usize,
        version: usize,
    ) -> Encoding<Cell> {
        let known = self.cells.entry((space, version)).or_default();
        let mut same = vec![];
        for (place, cell) in known.iter() {
            match place.is(wires, spot) {
                Wire::FALSE => {}
                Wire::TRUE => return Ok(cell.clone()),
                equal => same.push((equal, cell.clone())),
            }
        }
        self.count += 1;
        if self.count > CELLS {
            return Err(Unencodable::new("many bytes of memory"));
        }
        let (number, word) = variable(wires, 11)?;
        self.variables.push(number);
        let mut byte = Byte::of(word[..8].to_vec());
        byte.poison = word[8];
        let mut cell = Cell { byte, is_valid: word[9], is_writable: word[10] };
        for (equal, known) in same {
            cell = Cell::select(wires, equal, &known, &cell);
        }
        for fact in &self.facts {
            if spot.root == Some(fact.root) {
                fact.apply(wires, &spot.offset, &mut cell);
            }
        }
        self.cells.entry((space, version)).or_default().push((spot.clone(), cell.clone()));
        Ok(cell)
    }
}

impl Fact {
    fn apply(&self, wires: &mut Wires, offset: &Vec<Wire>, cell: &mut Cell) {
        let end = wires.word(u128::from(self.bytes), ADDRESS as u32);
        let inside = wires.ult(offset, &end);
        cell.is_valid = match self.is_exact {
            true => inside,
            false => wires.graph.or(inside, cell.is_valid),
        };
        if self.is_constant {
            cell.is_writable = Wire::FALSE;
        } else if self.is_exact {
            cell.is_writable = wires.graph.or(inside, cell.is_writable);
        }
        for (at, byte) in self.contents.iter().flatten().enumerate() {
            let number = wires.word(at as u128, ADDRESS as u32);
            let here = wires.eq(offset, &number);
            if here != Wire::FALSE {
                cell.byte = Byte::select(wires, here, byte, &cell.byte);
            }
        }
    }
}

impl Memory {
    /// How many writes there are so far: names the present state.
    pub(super) fn now(&self) -> usize {
        self.writes.len()
    }

    pub(super) fn write(&mut self, guard: Wire, bytes: Vec<(Spot, Byte)>) -> Encoding<()> {
        self.push(Write::Bytes { guard, bytes })
    }

    /// Begins or ends the life of a local variable.
    pub(super) fn renew(
        &mut self,
        wires: &mut Wires,
        guard: Wire,
        at: usize,
        starts: bool,
    ) -> Encoding<()> {
        if let Some(region) = self.regions.iter_mut().find(|it| it.number == at) {
            region.is_alive = wires.graph.choose(guard, Wire::constant(starts), region.is_alive);
        }
        self.push(Write::Fresh { guard, region: at })
    }

    pub(super) fn call(&mut self, guard: Wire, version: usize) -> Encoding<()> {
        self.push(Write::Call { guard, version })
    }

    fn push(&mut self, write: Write) -> Encoding<()> {
        if self.writes.len() >= WRITES {
            return Err(Unencodable::new("many writes"));
        }
        self.writes.push(write);
        Ok(())
    }

    /// Whether some write up to a state may be to a place that callees (or the caller) can look at.
    pub(super) fn is_changed(&self, upto: usize, region: Option<usize>) -> bool {
        self.writes[..upto].iter().any(|write| match write {
            Write::Bytes { bytes, .. } => bytes.first().is_some_and(|(spot, _)| match region {
                Some(number) => spot.regions[number] != Wire::FALSE,
                None => !spot.regions.contains(&Wire::TRUE),
            }),
            Write::Fresh { region: number, .. } => region == Some(*number),
            Write::Call { .. } => false,
        })
    }

    /// A number that is the same for states in which callees see the same memory, if that is obvious.
    pub(super) fn version(&self) -> Option<usize> {
        let visible = self.writes.iter().rev().find(|write| match write {
            Write::Bytes { bytes, .. } => bytes.first().is_some_and(|(spot, _)| {
                let hidden = |it: &Region| !it.is_visible && spot.regions[it.number] == Wire::TRUE;
                !self.regions.iter().any(hidden)
            }),
            Write::Fresh { region, .. } => {
                self.regions.iter().any(|it| it.number == *region && it.is_visible)
            }
            Write::Call { .. } => true,
        });
        match visible {
            None => Some(0),
            Some(Write::Call { guard: Wire::TRUE, version }) => Some(*version),
            Some(_) => None,
        }
    }

    /// The byte at a place in a state.
    pub(super) fn byte(
        &self,
        wires: &mut Wires,
        contents: &mut Contents,
        upto: usize,
        spot: &Spot,
    ) -> Encoding<Byte> {
        let mut layers: Vec<(Wire, Byte)> = vec![];
        let mut is_covered = false;
        'log: for write in self.writes[..upto].iter().rev() {
            match write {
                Write::Bytes { guard, bytes } => {
                    for (place, byte) in bytes {
                        let same = place.is(wires, spot);
                        let here = wires.graph.and(*guard, same);
                        if here != Wire::FALSE {
                            layers.push((here, byte.clone()));
                        }
                        if here == Wire::TRUE {
                            is_covered = true;
                            break 'log;
                        }
                    }
                }
                Write::Fresh { guard, region } => {
                    let here = wires.graph.and(*guard, spot.regions[*region]);
                    if here != Wire::FALSE {
                        layers.push((here, Byte::undef()));
                    }
                    if here == Wire::TRUE {
                        is_covered = true;
                        break;
                    }
                }
                Write::Call { guard, version } => {
                    let seen = self.is_seen(wires, spot);
                    let here = wires.graph.and(*guard, seen);
                    if here != Wire::FALSE {
                        let cell = self.untouched(wires, contents, spot, *version)?;
                        layers.push((here, cell.byte));
                    }
                    if here == Wire::TRUE {
                        is_covered = true;
                        break;
                    }
                }
            }
        }
        let mut layers = layers.into_iter().rev();
        let mut value = match is_covered {
            true => layers.next().map_or_else(Byte::undef, |(_, byte)| byte),
            false => self.untouched(wires, contents, spot, 0)?.byte,
        };
        for (here, byte) in layers {
            value = Byte::select(wires, here, &byte, &value);
        }
        Ok(value)
    }

    /// Whether and how a place outside of local variables can be accessed now.
    pub(super) fn rights(
        &self,
        wires: &mut Wires,
        contents: &mut Contents,
        spot: &Spot,
    ) -> Encoding<(Wire, Wire)> {
        let mut cell = self.untouched(wires, contents, spot, 0)?;
        for write in &self.writes {
            let Write::Call { guard, version } = write else { continue };
            let seen = self.is_seen(wires, spot);
            let here = wires.graph.and(*guard, seen);
            if here != Wire::FALSE {
                let later = self.untouched(wires, contents, spot, *version)?;
                cell = Cell::select(wires, here, &later, &cell);
            }
        }
        Ok((cell.is_valid, cell.is_writable))
    }

    /// When callees can access a place.
    fn is_seen(&self, wires: &mut Wires, spot: &Spot) -> Wire {
        let hidden = self.regions.iter().filter(|region| !region.is_visible);
        let hidden: Vec<Wire> = hidden.map(|region| spot.regions[region.number]).collect();
        !wires.graph.any(&hidden)
    }

    /// What a place holds without writes of the function.
    fn untouched(
        &self,
        wires: &mut Wires,
        contents: &mut Contents,
        spot: &Spot,
        version: usize,
    ) -> Encoding<Cell> {
        let outside = spot.is_outside(wires);
        let fresh = Cell { byte: Byte::undef(), is_valid: Wire::TRUE, is_writable: Wire::TRUE };
        let mut cell = match outside {
            Wire::FALSE => fresh.clone(),
            _ => contents.cell(wires, spot, 0, version)?,
        };
        for region in &self.regions {
            let inside = spot.regions[region.number];
            if inside == Wire::FALSE {
                continue;
            }
            let is_fresh = region.size.is_some() && version == 0;
            let own = match is_fresh {
                true => fresh.clone(),
                false => contents.cell(wires, spot, region.number + 1, version)?,
            };
            cell = Cell::select(wires, inside, &own, &cell);
        }
        Ok(cell)
    }
}
