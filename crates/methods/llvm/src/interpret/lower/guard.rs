//! Attributes as checks. What is known to have no effect on behaviour is listed; what is neither listed
//! nor checked marks the run, so that a difference is never blamed on it.

use crate::interpret::program::Guard;
use crate::interpret::shape::Shape;
use crate::ir::{Attribute, Attributes, Code, Op, Type};
use crate::semantics::Bits;

/// Attributes of parameters and results that promise nothing about values.
const HARMLESS: &str = "\
    signext zeroext inreg nofree nest swiftself immarg returned sret writable \
    dead_on_unwind allocptr noext elementtype alignstack nosync \
    swiftasync byval";

const REFUSED: [(&str, &str); 4] = [
    ("byref", "byref"),
    ("inalloca", "inalloca"),
    ("preallocated", "preallocated"),
    ("swifterror", "swifterror"),
];

impl Guard {
    pub(crate) fn of(attributes: &Attributes, shape: &Shape) -> Self {
        let mut guard = Self { reads: true, writes: true, is_captured: true, ..Self::default() };
        guard.add(attributes, shape);
        guard
    }

    /// Adds what more attributes promise: those of a call and of its callee hold together.
    pub(crate) fn add(&mut self, attributes: &Attributes, shape: &Shape) {
        for attribute in &attributes.0 {
            let number = || attribute.argument().and_then(|text| text.parse::<u64>().ok());
            match attribute.name() {
                "nocapture" => self.is_captured = false,
                "captures" => self.is_captured &= attribute.argument() != Some("none"),
                "dead_on_return" => self.is_dead_after = true,
                "noundef" => self.noundef = true,
                "nonnull" => self.nonnull = true,
                "noalias" => self.is_noalias = true,
                "align" => self.align = self.align.max(number()),
                "dereferenceable" => self.dereferenceable = self.dereferenceable.max(number()),
                "dereferenceable_or_null" => {
                    self.dereferenceable_or_null = self.dereferenceable_or_null.max(number());
                }
                "readonly" => self.restrict(true, false),
                "writeonly" => self.restrict(false, true),
                "readnone" => self.restrict(false, false),
                "range" => match (attribute.argument().and_then(range), shape.lane()) {
                    (Some(pair), Shape::Int(width)) => self.ranges = vec![trimmed(pair, *width)],
                    _ => self.narrowed = Some("range"),
                },
                "nofpclass" => match attribute.argument().and_then(classes) {
                    Some(mask) => self.classes |= mask,
                    None => self.narrowed = Some("nofpclass"),
                },
                name => {
                    if let Some((_, reason)) = REFUSED.iter().find(|(it, _)| *it == name) {
                        self.unsupported = Some(reason);
                    } else if !HARMLESS.split_whitespace().any(|it| it == name) {
                        self.narrowed = Some("an attribute without a model");
                    }
                }
            }
        }
    }

    /// `byval` and `sret` point to a whole value of their type: the caller guarantees that it can be accessed.
    pub(super) fn add_pointee(
        &mut self,
        attributes: &Attributes,
        size: impl Fn(&Type) -> Option<(u64, u64)>,
    ) {
        for attribute in &attributes.0 {
            let Attribute::Typed(name, ty) = attribute else { continue };
            if !matches!(&**name, "byval" | "sret") {
                continue;
            }
            let Some((size, align)) = size(ty) else {
                self.unsupported = Some("byval and sret of other types");
                return;
            };
            if &**name == "byval" {
                self.copied = Some(size);
                self.nonnull = true;
            } else {
                self.align = self.align.max(Some(align));
            }
            self.dereferenceable = self.dereferenceable.max(Some(size));
        }
    }

    fn restrict(&mut self, reads: bool, writes: bool) {
        self.is_restricted = true;
        self.reads &= reads;
        self.writes &= writes;
    }

    /// Whether there is anything to check about a value.
    pub(crate) fn is_trivial(&self) -> bool {
        !self.noundef
            && !self.nonnull
            && self.align.is_none()
            && self.dereferenceable.is_none()
            && self.dereferenceable_or_null.is_none()
            && self.ranges.is_empty()
            && self.classes == 0
            && self.narrowed.is_none()
    }
}

/// `i8 -1, 10`
fn range(text: &str) -> Option<(i128, i128)> {
    let (_, numbers) = text.trim().split_once(' ')?;
    let (first, end) = numbers.split_once(',')?;
    Some((first.trim().parse().ok()?, end.trim().parse().ok()?))
}

pub(super) fn trimmed((first, end): (i128, i128), width: u32) -> (u128, u128) {
    (Bits::new(first as u128, width).value, Bits::new(end as u128, width).value)
}

/// The words of `nofpclass`.
fn classes(text: &str) -> Option<u32> {
    let mut mask = 0;
    for word in text.split_whitespace() {
        mask |= match word {
            "all" => 1023,
            "nan" => 3,
            "snan" => 1,
            "qnan" => 2,
            "inf" => 4 | 512,
            "ninf" => 4,
            "pinf" => 512,
            "norm" => 8 | 256,
            "nnorm" => 8,
            "pnorm" => 256,
            "sub" => 16 | 128,
            "nsub" => 16,
            "psub" => 128,
            "zero" => 32 | 64,
            "nzero" => 32,
            "pzero" => 64,
            number => number.parse().ok()?,
        };
    }
    Some(mask)
}

/// Promises of a function about its own body that runs do not check.
pub(super) fn function_promises(attributes: &Attributes, code: &Code) -> Option<&'static str> {
    let may_read = |op: &Op| matches!(op, Op::Load(..) | Op::AtomicRmw { .. } | Op::CmpXchg { .. });
    let may_write = |op: &Op| {
        let atomic = matches!(op, Op::AtomicRmw { .. } | Op::CmpXchg { .. } | Op::Fence(_));
        atomic || matches!(op, Op::Store(_) | Op::Call(_) | Op::Invoke { .. })
    };
    let has = |test: &dyn Fn(&Op) -> bool| code.instructions().any(|it| test(&it.op));
    for attribute in &attributes.0 {
        match attribute.name() {
            "readonly" if has(&may_write) => return Some("readonly"),
            "memory" if attribute.argument() == Some("read") && !has(&may_write) => {}
            "memory"
            | "readnone"
            | "writeonly"
            | "argmemonly"
            | "inaccessiblememonly"
            | "inaccessiblemem_or_argmemonly"
                if has(&may_read) || has(&may_write) =>
            {
                return Some("memory attributes of the function");
            }
            _ => {}
        }
    }
    None
}
