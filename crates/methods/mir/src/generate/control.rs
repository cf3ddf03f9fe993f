//! How a straight-line sequence of statements ends: switches with dead blocks, and what a function records and
//! returns.

use super::super::interpret::Seen;
use super::super::program::{
    Operand, Operator, Place, Projection, RECORDED, Rvalue, Statement, Terminator,
};
use super::super::scalar;
use super::super::types::{Kind, TypeId, Types};
use super::body::Body;
use super::places::Purpose;
use super::{Generator, types};

impl Generator<'_> {
    pub(super) fn control(&mut self, body: &mut Body) {
        let weights = self.swarm.control;
        let mut draw = self.entropy.below(weights.iter().sum());
        for (kind, weight) in weights.iter().enumerate() {
            if draw < *weight {
                return match kind {
                    0 => self.switch(body),
                    1 => self.call_new(body),
                    2 => self.call_existing(body),
                    3 => self.iterate(body),
                    5 => self.intrinsic(body),
                    6 => self.record(body, 1),
                    7 => self.boxes_and_drops(body),
                    8 => self.catch(body),
                    9 => self.black_box_or_generic(body),
                    10 => self.idiom(body),
                    11 => self.traverse_list(body),
                    12 => self.by_value(body),
                    13 => self.vector_loop(body),
                    14 => self.odd_integers(body),
                    _ => {
                        let next = body.open();
                        self.follow(body, Terminator::Goto(next));
                    }
                };
            }
            draw -= weight;
        }
    }

    /// A switch on a value that is known: one target is taken, the others are dead blocks that join it later or
    /// jump back.
    pub(super) fn switch(&mut self, body: &mut Body) {
        let of = if self.entropy.chance(1, 2) { Types::BOOL } else { self.scalar_type() };
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return;
        }
        let Some(place) = self.pick(body, of, Purpose::Read) else { return };
        self.switch_on(body, place, of);
    }

    pub(super) fn switch_on(&mut self, body: &mut Body, place: Place, of: TypeId) {
        let Some(Seen::Bits(bits)) = self.known_value(body, &place) else { return };
        let free = !body.reserved[place.local] && !body.indices.contains(&place.local);
        let moved = self.swarm.moves && free && body.loops == 0 && self.entropy.chance(1, 2);
        let on = if moved { Operand::Move(place) } else { Operand::Copy(place) };
        if self.swarm.lines >= 60 && of != Types::BOOL && self.entropy.chance(1, 5) {
            return self.wide_switch(body, on, of, bits);
        }
        let mark = body.mark();
        let taken = body.open();
        let most = if self.swarm.lines < 60 { 1 } else { 3 };
        let dead_blocks: Vec<usize> =
            (0..self.entropy.between(1, most)).map(|_| self.dead_block(body, taken)).collect();
        let named = self.entropy.chance(1, 2);
        let mut arms = if named { vec![(bits, taken)] } else { vec![] };
        // rustc gives a switch on a bool at most one arm besides the otherwise target, and relies on it.
        let most = if of == Types::BOOL { 1 } else { usize::MAX };
        for dead_block in &dead_blocks[1..] {
            let value = self.neighbour(of, bits);
            if value != bits && arms.len() < most && arms.iter().all(|(other, _)| *other != value) {
                arms.push((value, *dead_block));
            }
        }
        let mut otherwise = if named { dead_blocks[0] } else { taken };
        if arms.is_empty() {
            // A switch needs an arm.
            let value = self.neighbour(of, bits);
            if value == bits {
                arms.push((bits, taken));
                otherwise = dead_blocks[0];
            } else {
                arms.push((value, dead_blocks[0]));
            }
        }
        if !self.follow(body, Terminator::Switch { on, arms, otherwise }) {
            body.reset(mark);
        }
    }

    /// A switch with many arms, several of which share a target. The values are dense, as for a jump table, or spread
    /// out.
    fn wide_switch(&mut self, body: &mut Body, on: Operand, of: TypeId, bits: u128) {
        let mark = body.mark();
        let (mut on, mut bits) = (on, bits);
        let count = self.entropy.between(4, 12);
        let dense = self.entropy.chance(2, 3);
        let mut first = 0;
        if let (Kind::Int(int), true) = (self.program.types.kind(of).clone(), dense) {
            if self.entropy.chance(1, 2) {
                // A mask limits the possible values.
                let most = if count > 7 { 15 } else { 7 };
                let low = Operand::constant(of, most);
                let rvalue = Rvalue::Binary(Operator::BitAnd, on.clone(), low);
                let Some(local) = self.in_new_local(body, of, rvalue) else { return };
                on = local;
                bits &= most;
            } else {
                let below = u128::from(self.entropy.below(count));
                first = scalar::truncate(bits.wrapping_sub(below), int.bits());
            }
        }
        let taken = body.open();
        let mut targets = vec![taken];
        for _ in 0..self.entropy.between(1, 4) {
            targets.push(self.dead_block(body, taken));
        }
        let mut arms: Vec<(u128, usize)> = vec![];
        for number in 0..count {
            let value = match self.program.types.kind(of) {
                Kind::Int(int) if dense => {
                    scalar::truncate(first.wrapping_add(u128::from(number)), int.bits())
                }
                Kind::Char if dense => u128::from(number) + 0x41,
                _ => self.neighbour(of, bits),
            };
            let target = self.entropy.pick(&targets).copied().unwrap_or(taken);
            let target = if value == bits { taken } else { target };
            if arms.iter().all(|(other, _)| *other != value) {
                arms.push((value, target));
            }
        }
        let named = arms.iter().any(|(value, _)| *value == bits);
        let other = self.entropy.pick(&targets).copied().unwrap_or(taken);
        let otherwise = if named { other } else { taken };
        body.lines += arms.len() as i64;
        if !self.follow(body, Terminator::Switch { on, arms, otherwise }) {
            body.reset(mark);
        }
    }

    /// A value of a type that differs by one bit, or any other.
    pub(super) fn neighbour(&mut self, of: TypeId, bits: u128) -> u128 {
        let value = match self.program.types.kind(of) {
            Kind::Bool => bits ^ 1,
            Kind::Int(int) if self.entropy.chance(1, 2) => scalar::truncate(
                bits ^ (1 << self.entropy.below(u64::from(int.bits()))),
                int.bits(),
            ),
            _ => types::bits(self.entropy, of, &self.program.types),
        };
        if scalar::is_valid(self.program.types.kind(of), value) { value } else { bits }
    }

    /// Records some scalars and enums; those that depend on more values are preferred.
    pub(super) fn record(&mut self, body: &mut Body, times: u64) {
        for _ in 0..times {
            let mut values: Vec<Place> = vec![];
            let mut words = 0;
            // Each recorded word takes two lines.
            let most = if self.swarm.lines < 40 { 2 } else { RECORDED };
            for draw in 0..4 + 2 * most {
                // More draws if nothing was found yet.
                if draw >= 2 * most && !values.is_empty() {
                    break;
                }
                let of = if self.swarm.enums > 0 && self.entropy.chance(1, 4) {
                    self.any_type()
                } else {
                    self.scalar_type()
                };
                let types = &self.program.types;
                if !types.is_scalar(of) && !types.is_enum(of) {
                    continue;
                }
                let more = if types.size(of) == 16 && types.is_scalar(of) { 2 } else { 1 };
                if words + more > most {
                    continue;
                }
                let Some(place) = self.pick(body, of, Purpose::Read) else { continue };
                if self.known_value(body, &place).is_none_or(|seen| !matches!(seen, Seen::Bits(_)))
                    || values.contains(&place)
                {
                    continue;
                }
                values.push(place);
                words += more;
            }
            if values.is_empty() {
                return;
            }
            let mark = body.mark();
            let target = body.open();
            body.lines += values.len() as i64;
            if !self.follow(body, Terminator::Record { values, target }) {
                body.reset(mark);
            }
        }
    }

    /// Records values, assigns the return place, and returns.
    pub(super) fn finish(&mut self, body: &mut Body) {
        let times = 1 + (body.locals.len() as u64 / 10).min(4);
        self.record(body, times);
        let of = body.locals[0];
        let ret = Place::local(0);
        let whole = self.known_value(body, &ret).is_some();
        if of != Types::UNIT && (!whole || self.entropy.chance(1, 2)) {
            let rvalue = self.rvalue(body, of, Purpose::Read);
            let done = rvalue.is_some_and(|rvalue| self.assign(body, ret, rvalue));
            if !done && !whole {
                // Any value, as the first attempt gave none.
                if let Some(operand) = self.find_or_build(body, of, 4) {
                    self.assign(body, Place::local(0), Rvalue::Use(operand));
                }
            }
        }
        if self.swarm.tail_calls && self.entropy.chance(3, 4) && self.end_in_tail_call(body) {
            return;
        }
        for local in body.marked.clone() {
            self.execute(body, Statement::StorageDead(local));
        }
        body.close(Terminator::Return);
    }

    /// The fields of a struct or tuple, as places.
    pub(super) fn fields(&self, place: &Place, of: TypeId) -> Vec<(Place, TypeId)> {
        let fields = self.program.types.fields(of).iter().enumerate();
        fields.map(|(field, part)| (place.then(Projection::Field(field)), *part)).collect()
    }
}
