//! Operations on pointers: address arithmetic, comparisons, casts from and to integers.
//!
//! Provenance is a region, or nothing: two pointers of no region that have the same address are the same. The
//! address of a local variable is arbitrary, so that whatever depends on it is in doubt.

use identity::kernel::Wire;

use super::encode::Encoder;
use super::memory::{Fact, Region};
use super::place::Spot;
use super::symbol::{ADDRESS, Lane, Symbol};
use super::value::shaped;
use super::{Encoding, Unencodable};
use crate::interpret::Shape;
use crate::ir::{Constant, Flags, Instruction, Operand, Predicate, Type};
use crate::semantics::{self, Domain};

/// One summand of an address.
enum Term {
    Fixed(u64),
    /// Of the index operand at this place, so many bytes each.
    Scaled(usize, u64),
}

impl Encoder<'_> {
    pub(super) fn shape(&self, ty: &Type) -> Encoding<Shape> {
        self.layout.shape(self.module, ty).map_err(Unencodable::from_stop)
    }

    /// Whether addresses have the size that is modelled.
    pub(super) fn ordinary_pointers(&self) -> Encoding<()> {
        let layout = &self.layout;
        if layout.unsupported.is_some() || layout.pointer_bits != 64 || layout.index_bits != 64 {
            return Err(Unencodable::new("pointers that are not of 64 bits"));
        }
        Ok(())
    }

    pub(super) fn spot(&mut self, pointer: &[Wire]) -> Spot {
        let (address, regions) = (pointer[..ADDRESS].to_vec(), pointer[ADDRESS..].to_vec());
        let is_absolute = regions.iter().all(|it| *it == Wire::FALSE);
        let (root, offset) = match is_absolute {
            true => {
                let (root, offset) = self.answers.places.of(self.wires, &address);
                (Some(root), offset)
            }
            false => (None, address.clone()),
        };
        Spot { regions, root, offset, address }
    }

    /// The address of a global variable or function.
    pub(super) fn global(&mut self, name: &str) -> Encoding<Symbol> {
        let known = self.answers.addresses.contains_key(name);
        let global = self.module.global(name);
        let is_function = self.module.header(name).is_some();
        if global.is_none() && !is_function {
            return Err(Unencodable::new("alias"));
        }
        if let Some(global) = global {
            let before = self.answers.globals.entry(name.into()).or_insert_with(|| global.clone());
            let is_same = before.is_constant == global.is_constant
                && before.initialiser == global.initialiser
                && before.ty == global.ty
                && before.prefix == global.prefix;
            if !is_same {
                return Err(Unencodable::new("a global variable was changed"));
            }
        }
        let word = self.answers.address(self.wires, name)?;
        let address = word.lane()?.word[..ADDRESS].to_vec();
        if known {
            return Ok(word);
        }
        let is_weak = |prefix: &str| prefix.split(' ').any(|it| it == "extern_weak");
        let Some(global) = global else {
            if !self.module.header(name).is_some_and(|it| is_weak(&it.prefix)) {
                let some = self.wires.graph.any(&address);
                self.answers.assume(self.wires, some);
            }
            return Ok(word);
        };
        if global.prefix.contains("thread_local") || global.space != 0 {
            return Err(Unencodable::new("thread-local variable or address space"));
        }
        if is_weak(&global.prefix) {
            return Ok(word);
        }
        let some = self.wires.graph.any(&address);
        self.answers.assume(self.wires, some);
        let Ok(shape) = self.shape(&global.ty) else { return Ok(word) };
        let align = global.align.unwrap_or_else(|| self.layout.align(&shape));
        let low = self.wires.graph.any(&address[..align.trailing_zeros() as usize]);
        self.answers.assume(self.wires, !low);
        let size = self.layout.store_size(&shape);
        self.answers.occupy(self.wires, &address, size);
        let is_replaced = global.prefix.split(' ').any(|it| {
            ["weak", "weak_odr", "linkonce", "linkonce_odr", "common", "available_externally"]
                .contains(&it)
                || it == "external"
                || it == "externally_initialized"
        });
        let is_exact = global.initialiser.is_some() && !is_replaced;
        let (root, _) = self.answers.places.of(self.wires, &address);
        let contents = match &global.initialiser {
            Some(initialiser) if global.is_constant && is_exact && size <= 64 => {
                let (ty, initialiser) = (global.ty.clone(), initialiser.clone());
                self.initial(&ty, &initialiser)
            }
            _ => None,
        };
        let is_constant = global.is_constant;
        let fact = Fact { root, bytes: size, is_exact, is_constant, contents };
        self.answers.contents.facts.push(fact);
        Ok(word)
    }

    /// The bytes of a constant, if they are plain numbers.
    fn initial(&mut self, ty: &Type, constant: &Constant) -> Option<Vec<super::memory::Byte>> {
        let value = self.constant(ty, constant).ok()?;
        let shape = self.shape(ty).ok()?;
        let bytes = self.bytes_of(&shape, &value).ok()?;
        let plain =
            |byte: &super::memory::Byte| byte.undef == Wire::FALSE && byte.regions.is_none();
        bytes.iter().all(plain).then_some(bytes)
    }

    pub(super) fn get_element_pointer(
        &mut self,
        instruction: &Instruction,
        element: &Type,
    ) -> Encoding<Symbol> {
        self.ordinary_pointers()?;
        let operands = &instruction.operands;
        let terms = self.terms(element, operands)?;
        let lanes =
            operands.iter().filter_map(|it| it.ty.lanes().filter(|_| it.ty.is_vector())).max();
        let mut read = vec![];
        for operand in operands {
            if operand.ty.lanes().is_none() {
                return Err(Unencodable::new("scalable vector"));
            }
            read.push(self.read_all(operand)?);
        }
        let mut results = vec![];
        for at in 0..lanes.unwrap_or(1) as usize {
            let lane = |number: usize| {
                let all: &Vec<Lane> = &read[number];
                if all.len() == 1 { all[0].clone() } else { all[at].clone() }
            };
            let base = lane(0);
            let mut poison = base.poison;
            let mut offset = self.wires.word(0, ADDRESS as u32);
            let mut word = base.word.clone();
            for term in &terms {
                let (part, bad) = match term {
                    Term::Fixed(bytes) => {
                        (self.wires.word(u128::from(*bytes), ADDRESS as u32), Wire::FALSE)
                    }
                    Term::Scaled(number, size) => {
                        let index = lane(*number);
                        let (part, bad) = self.scaled(&index, *size, instruction.flags);
                        (part, self.wires.graph.or(bad, index.poison))
                    }
                };
                poison = self.wires.graph.or(poison, bad);
                let (sum, bad) = self.offset_sum(&offset, &part, instruction.flags);
                poison = self.wires.graph.or(poison, bad);
                offset = sum;
                let (next, bad) = self.moved(&word, &part, instruction.flags)?;
                poison = self.wires.graph.or(poison, bad);
                word = next;
            }
            results.push(Lane { word, poison, undef: Wire::FALSE });
        }
        Ok(match lanes {
            None => Symbol::Lane(results.remove(0)),
            Some(_) => Symbol::Many(results.into_iter().map(Symbol::Lane).collect()),
        })
    }

    /// The summands of an address, with named types and fields resolved.
    fn terms(&self, element: &Type, operands: &[Operand]) -> Encoding<Vec<Term>> {
        let mut terms = vec![];
        let mut shape = self.shape(element)?;
        for (at, index) in operands.iter().enumerate().skip(1) {
            let inner = match (&shape, at) {
                (_, 1) => {
                    terms.push(Term::Scaled(at, self.layout.size(&shape)));
                    continue;
                }
                (Shape::Array(_, of) | Shape::Vector(_, of), _) => {
                    terms.push(Term::Scaled(at, self.layout.size(of)));
                    (**of).clone()
                }
                (Shape::Struct(fields), _) => {
                    let index = match index.as_constant().and_then(|it| it.lane(0)) {
                        Some(Constant::Int(index)) => usize::try_from(*index).ok(),
                        Some(Constant::Zero) => Some(0),
                        _ => None,
                    };
                    let field = index.and_then(|index| fields.fields.get(index));
                    let (offset, inner) = field.ok_or_else(|| Unencodable::new("field"))?;
                    terms.push(Term::Fixed(*offset));
                    inner.clone()
                }
                _ => return Err(Unencodable::new("index into a scalar")),
            };
            shape = inner;
        }
        Ok(terms)
    }

    /// An index times a size, and when that overflows although a flag says that it does not.
    fn scaled(&mut self, index: &Lane, size: u64, flags: Flags) -> (Vec<Wire>, Wire) {
        let width = index.word.len() as u32;
        let mut bad = Wire::FALSE;
        let wide = match width.cmp(&(ADDRESS as u32)) {
            std::cmp::Ordering::Less => self.wires.sext(&index.word, ADDRESS as u32),
            std::cmp::Ordering::Equal => index.word.clone(),
            std::cmp::Ordering::Greater => {
                let low = self.wires.trunc(&index.word, ADDRESS as u32);
                let back = self.wires.sext(&low, width);
                bad = !self.wires.eq(&back, &index.word);
                low
            }
        };
        let size = self.wires.word(u128::from(size), ADDRESS as u32);
        let product = self.wires.mul(&wide, &size);
        if flags.has(Flags::INBOUNDS) || flags.has(Flags::NUSW) {
            let over = self.wires.signed_product_overflows(&wide, &size);
            bad = self.wires.graph.or(bad, over);
        } else if !flags.has(Flags::NUW) {
            bad = Wire::FALSE;
        }
        if flags.has(Flags::NUW) {
            let over = self.wires.unsigned_product_overflows(&wide, &size);
            bad = self.wires.graph.or(bad, over);
        }
        (product, bad)
    }

    fn offset_sum(&mut self, a: &Vec<Wire>, b: &Vec<Wire>, flags: Flags) -> (Vec<Wire>, Wire) {
        let mut wanted = Flags::NONE;
        if flags.has(Flags::INBOUNDS) || flags.has(Flags::NUSW) {
            wanted |= Flags::NSW;
        }
        if flags.has(Flags::NUW) {
            wanted |= Flags::NUW;
        }
        let sum = semantics::binary(self.wires, crate::ir::BinaryOp::Add, wanted, a, b);
        (sum.value, sum.poison)
    }

    /// A pointer moved by an offset, and when flags make the result poison.
    fn moved(
        &mut self,
        base: &[Wire],
        offset: &Vec<Wire>,
        flags: Flags,
    ) -> Encoding<(Vec<Wire>, Wire)> {
        let from = self.spot(base);
        let mut bad = Wire::FALSE;
        let address = match from.root {
            Some(root) => {
                let total = self.wires.add(&from.offset, offset);
                let address = self.answers.places.at(self.wires, root, total.clone());
                if flags.has(Flags::INBOUNDS) {
                    let out = self.out_of_bounds(root, &from.offset, &total)?;
                    let moves = self.wires.graph.any(offset);
                    bad = self.wires.graph.and(moves, out);
                }
                let wraps = self.wraps(&from.address, offset, &address, flags);
                bad = self.wires.graph.or(bad, wraps);
                address
            }
            None => {
                let total = self.wires.add(&from.address, offset);
                if flags.has(Flags::INBOUNDS) || flags.has(Flags::NUSW) || flags.has(Flags::NUW) {
                    bad = self.leaves(&from, &total, flags)?;
                }
                total
            }
        };
        let mut word = address;
        word.extend(&from.regions);
        Ok((word, bad))
    }

    /// When an offset from a root is outside of the object, or the base was.
    fn out_of_bounds(&mut self, root: usize, from: &Vec<Wire>, to: &Vec<Wire>) -> Encoding<Wire> {
        let fact = self.answers.contents.facts.iter().find(|it| it.root == root && it.is_exact);
        let (low, high) = match fact.map(|it| it.bytes) {
            Some(bytes) => (
                self.wires.word(0, ADDRESS as u32),
                self.wires.word(u128::from(bytes), ADDRESS as u32),
            ),
            None => {
                let extent = self.answers.places.extent(self.wires, root)?;
                (extent.low, extent.high)
            }
        };
        let mut out = Wire::FALSE;
        for offset in [from, to] {
            let below = self.wires.slt(offset, &low);
            let above = self.wires.slt(&high, offset);
            let either = self.wires.graph.or(below, above);
            out = self.wires.graph.or(out, either);
        }
        Ok(out)
    }

    /// When adding an offset to an absolute address wraps although a flag says that it does not.
    fn wraps(&mut self, from: &Vec<Wire>, offset: &[Wire], to: &Vec<Wire>, flags: Flags) -> Wire {
        let mut bad = Wire::FALSE;
        let below = self.wires.ult(to, from);
        if flags.has(Flags::INBOUNDS) || flags.has(Flags::NUSW) {
            // A negative offset must lower the address, any other must not.
            let negative = offset[ADDRESS - 1];
            let wrong = self.wires.graph.xor(negative, below);
            let moves = self.wires.graph.any(offset);
            bad = self.wires.graph.and(moves, wrong);
        }
        if flags.has(Flags::NUW) {
            bad = self.wires.graph.or(bad, below);
        }
        bad
    }

    /// When a pointer into a region leaves it. Where the region's extent is not known, it is in doubt.
    fn leaves(&mut self, from: &Spot, to: &Vec<Wire>, flags: Flags) -> Encoding<Wire> {
        let regions = self.memory.regions.clone();
        let mut bad = Wire::FALSE;
        for region in &regions {
            let inside = from.regions[region.number];
            if inside == Wire::FALSE {
                continue;
            }
            let Some(size) = region.size else {
                let same = self.wires.eq(&from.address, to);
                let doubt = self.wires.graph.and(inside, !same);
                self.unsure_if(doubt, "inbounds of a parameter");
                continue;
            };
            let end = self.wires.word(u128::from(size), ADDRESS as u32);
            let (before, after) = (self.wires.ult(&end, &from.address), self.wires.ult(&end, to));
            let out = self.wires.graph.or(before, after);
            let here = self.wires.graph.and(inside, out);
            if flags.has(Flags::INBOUNDS) {
                bad = self.wires.graph.or(bad, here);
            } else {
                self.unsure_if(here, "the address of a local variable");
            }
            if flags.has(Flags::NUW) {
                let lower = self.wires.ult(to, &from.address);
                let lower = self.wires.graph.and(inside, lower);
                bad = self.wires.graph.or(bad, lower);
            }
        }
        let outside = from.is_outside(self.wires);
        self.unsure_if(outside, "a pointer that may be into a local variable");
        Ok(bad)
    }

    /// A comparison of pointers.
    pub(super) fn compare_pointers(
        &mut self,
        predicate: Predicate,
        flags: Flags,
        a: &Lane,
        b: &Lane,
    ) -> Encoding<Lane> {
        let (left, right) = (self.spot(&a.word), self.spot(&b.word));
        let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
        let (one, other) = match left.root.is_some() && left.root == right.root && is_equality {
            true => (left.offset.clone(), right.offset.clone()),
            false => (left.address.clone(), right.address.clone()),
        };
        let effect = semantics::compare(self.wires, predicate, flags, &one, &other);
        let mut result = effect.value[0];
        let locals: Vec<Region> =
            self.memory.regions.iter().filter(|it| it.size.is_some()).cloned().collect();
        for region in &locals {
            let (first, second) = (left.regions[region.number], right.regions[region.number]);
            let differ = self.wires.graph.xor(first, second);
            if differ != Wire::FALSE {
                // A local variable is nowhere near null; where else it is, nobody knows.
                let size = self.wires.word(u128::from(region.size.unwrap_or(0)), ADDRESS as u32);
                let mut known = Wire::FALSE;
                for (own, spot, rest) in [(first, &left, &right), (second, &right, &left)] {
                    let within = !self.wires.ult(&size, &spot.address);
                    let outside = rest.is_outside(self.wires);
                    let null = self.wires.graph.any(&rest.address);
                    let null = self.wires.graph.and(outside, !null);
                    let null = self.wires.graph.and(null, within);
                    let null = self.wires.graph.and(null, own);
                    known = self.wires.graph.or(known, null);
                }
                if is_equality {
                    let unequal = Wire::constant(predicate == Predicate::Ne);
                    result = self.wires.graph.choose(known, unequal, result);
                } else {
                    known = Wire::FALSE;
                }
                let doubt = self.wires.graph.and(differ, !known);
                let valid = self.wires.graph.or(a.poison, b.poison);
                let doubt = self.wires.graph.and(doubt, !valid);
                self.unsure_if(doubt, "the address of a local variable");
            } else if !is_equality && first != Wire::FALSE {
                self.unsure_if(first, "the order of addresses of a local variable");
            }
        }
        let poison = self.wires.graph.or(a.poison, b.poison);
        let poison = self.wires.graph.or(poison, effect.poison);
        Ok(Lane { word: vec![result], poison, undef: Wire::FALSE })
    }

    /// A pointer as a number, or a number as a pointer that may be into anything but a local variable.
    pub(super) fn pointer_cast(&mut self, operand: &Operand, to: &Type) -> Encoding<Symbol> {
        self.ordinary_pointers()?;
        let lanes = self.read_all(operand)?;
        let mut results = vec![];
        for lane in lanes {
            let word = if let Some(width) = to.int_width() {
                let relative = self.memory.regions.iter().filter(|it| it.size.is_some());
                let tags: Vec<Wire> = relative.map(|it| lane.word[ADDRESS + it.number]).collect();
                let local = self.wires.graph.any(&tags);
                let local = self.wires.graph.and(local, !lane.poison);
                self.unsure_if(local, "the address of a local variable");
                let address = lane.word[..ADDRESS].to_vec();
                match width as usize > ADDRESS {
                    true => self.wires.zext(&address, width),
                    false => self.wires.trunc(&address, width),
                }
            } else {
                let mut word = lane.word.clone();
                word.resize(ADDRESS, Wire::FALSE);
                Lane::pointer(word).word
            };
            results.push(Lane { word, poison: lane.poison, undef: Wire::FALSE });
        }
        Ok(shaped(to, results))
    }
}
