//! Promises that attributes and metadata make about values. A broken one makes the value poison, or the
//! behaviour undefined.

use super::float;
use super::interpreter::Interpreter;
use super::lane::Kind;
use super::program::Guard;
use super::shape::Shape;
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};

impl Interpreter<'_> {
    pub(crate) fn check(
        &mut self,
        guard: &Guard,
        shape: &Shape,
        value: Value,
    ) -> Result<Value, Stop> {
        if guard.is_trivial() {
            return Ok(value);
        }
        if guard.narrowed.is_some() {
            self.narrowed = guard.narrowed;
        }
        self.check_within(guard, shape, value)
    }

    fn check_within(&mut self, guard: &Guard, shape: &Shape, value: Value) -> Result<Value, Stop> {
        let lane = match value {
            Value::Lane(lane) => lane,
            Value::Many(elements) => {
                let mut checked = Vec::with_capacity(elements.len());
                for (index, element) in elements.into_vec().into_iter().enumerate() {
                    let inner = match shape {
                        Shape::Vector(_, of) | Shape::Array(_, of) => of,
                        Shape::Struct(fields) => &fields.fields[index].1,
                        _ => shape,
                    };
                    checked.push(self.check_within(guard, inner, element)?);
                }
                return Ok(Value::Many(checked.into()));
            }
        };
        let mut lane = lane;
        if guard.noundef && !matches!(lane, Lane::Bits(_) | Lane::Pointer(_)) {
            let kind = shape.kind(&self.program.layout);
            lane = match lane.settle(kind, &mut self.scope())? {
                None | Some(Lane::Poison) => {
                    return Stop::undefined("a noundef value is poison or undef");
                }
                Some(lane) => lane,
            };
        }
        let broken = match &lane {
            Lane::Bits(bits) => match shape {
                Shape::Float(kind) => guard.classes & float::class(*kind, *bits) != 0,
                _ => !in_ranges(&guard.ranges, *bits),
            },
            Lane::Pointer(pointer) => self.is_broken_pointer(guard, *pointer)?,
            Lane::Poison => {
                if guard.dereferenceable.is_some() || guard.dereferenceable_or_null.is_some() {
                    return Stop::undefined("a dereferenceable pointer is poison");
                }
                false
            }
            Lane::Undef | Lane::Varying(_) => {
                // Some choices break promises other than noundef.
                self.narrowed = Some("attributes on undef");
                false
            }
        };
        if !broken {
            return Ok(Value::Lane(lane));
        }
        // What is dereferenceable is noundef.
        let is_noundef = guard.noundef
            || guard.dereferenceable.is_some()
            || guard.dereferenceable_or_null.is_some();
        if is_noundef {
            return Stop::undefined("a noundef value breaks another attribute");
        }
        Ok(Value::POISON)
    }

    fn is_broken_pointer(&mut self, guard: &Guard, pointer: Pointer) -> Result<bool, Stop> {
        if guard.nonnull && pointer.is_null() {
            return Ok(true);
        }
        if let Some(align) = guard.align {
            if !pointer.address.is_multiple_of(align.max(1)) {
                return Ok(true);
            }
            self.mark_alignment(pointer, align);
        }
        let sizes =
            [guard.dereferenceable, guard.dereferenceable_or_null.filter(|_| !pointer.is_null())];
        for size in sizes.into_iter().flatten() {
            if size > 0 && self.memory.access(pointer, size, 1, false).is_err() {
                return Stop::undefined("a dereferenceable pointer cannot be dereferenced");
            }
        }
        Ok(false)
    }

    /// One value of a lane, for uses that every value of it is allowed to decide once.
    pub(crate) fn forced(&mut self, lane: &Lane, kind: Kind) -> Result<Lane, Stop> {
        lane.force(kind, &mut self.scope())
    }
}

/// Whether one of the half-open ranges, which may wrap around, holds it. Equal ends are the full range.
pub(crate) fn in_ranges(ranges: &[(u128, u128)], bits: u128) -> bool {
    let holds = |(first, end): &(u128, u128)| match first.cmp(end) {
        std::cmp::Ordering::Less => (*first..*end).contains(&bits),
        std::cmp::Ordering::Equal => true,
        std::cmp::Ordering::Greater => bits >= *first || bits < *end,
    };
    ranges.is_empty() || ranges.iter().any(holds)
}
