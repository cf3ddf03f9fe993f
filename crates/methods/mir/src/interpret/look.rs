//! Read-only queries of the interpreter's state, for the generator and `observe.rs`.

use super::value::Value;
use super::{Frame, Interpreter, Scope, Seen};
use crate::float;
use crate::program::{Local, Place, Rvalue};
use crate::types::Kind;

impl Interpreter {
    /// The value of a place. `None` if reading it would be undefined.
    pub(crate) fn look(&self, scope: Scope<'_>, frame: &Frame, place: &Place) -> Option<Seen> {
        let types = scope.types;
        let spot = self.resolve(scope, frame, place, false).ok()?;
        let index = self.allows(&spot.at, spot.size, false).ok()?;
        self.validate(types, index, spot.of).ok()?;
        if types.is_enum(spot.of) {
            let variant = self.variant(types, index, spot.of).ok()?;
            return Some(Seen::Bits(variant as u128));
        }
        Some(match (types.kind(spot.of), self.load(types, index, spot.of)) {
            (Kind::Float(kind), Ok(Value::Bits(bits))) if float::is_nan(*kind, bits) => Seen::Nan,
            (_, Ok(Value::Bits(bits))) => Seen::Bits(bits),
            (_, Ok(Value::Nan)) => Seen::Nan,
            (Kind::Pointer { .. }, Ok(Value::Pointer(at))) => {
                at.address().map_or(Seen::Pointer, |address| Seen::Bits(address.into()))
            }
            (_, Ok(Value::Pointer(_) | Value::Wide(..))) => Seen::Pointer,
            _ => Seen::Whole,
        })
    }

    /// Whether a place that is read may overlap the place that is written. Pointers are followed as they are now. If
    /// one of them is not initialised yet, the answer is yes.
    pub(crate) fn may_overlap(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        rvalue: &Rvalue,
    ) -> bool {
        // A part that does not exist now, such as a field of an inactive variant, may be anywhere in the local.
        let span = |place: &Place| {
            let whole = || self.local(scope, frame, place.local).ok().filter(|_| !place.is_deref());
            let spot = self.resolve(scope, frame, place, false).ok().or_else(whole);
            spot.map(|spot| spot.span())
        };
        let operands = rvalue.operands();
        let mut read = operands.iter().filter_map(|operand| operand.place());
        match span(place) {
            Some(written) => read.any(|from| span(from).is_none_or(|it| it.overlaps(&written))),
            None => read.next().is_some(),
        }
    }

    /// Whether writing to the place would be defined.
    pub(crate) fn writable(&self, scope: Scope<'_>, frame: &Frame, place: &Place) -> bool {
        self.resolve(scope, frame, place, true).and_then(|spot| self.check_write(&spot)).is_ok()
    }

    /// By how many elements a raw pointer can be moved back and forth within its bounds. One of the numbers is negative
    /// if it is out of bounds.
    pub(crate) fn room(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Option<(i64, i64)> {
        let (of, value) = self.peek(scope, frame, place)?;
        let Kind::Pointer { to, .. } = scope.types.kind(of) else { return None };
        let at = value.pointer().ok()?;
        self.memory.target(&at).ok()?;
        match scope.types.size(*to) {
            0 => Some((0, 0)),
            size => {
                let offset = i64::from(at.offset.cast_signed());
                let back = (offset - i64::from(at.lo)).div_euclid(size as i64);
                Some((back, (i64::from(at.hi) - offset).div_euclid(size as i64)))
            }
        }
    }

    /// The length of the slice that a wide pointer in a local points to.
    pub(crate) fn length(&self, scope: Scope<'_>, frame: &Frame, local: Local) -> Option<u64> {
        let spot = self.local(scope, frame, local).ok()?;
        let index = self.allows(&spot.at, spot.size, false).ok()?;
        match self.load(scope.types, index, spot.of).ok()? {
            Value::Wide(_, length) => Some(length),
            _ => None,
        }
    }

    fn peek(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Option<(crate::types::TypeId, Value)> {
        let spot = self.resolve(scope, frame, place, false).ok()?;
        let index = self.allows(&spot.at, spot.size, false).ok()?;
        Some((spot.of, self.load(scope.types, index, spot.of).ok()?))
    }
}
