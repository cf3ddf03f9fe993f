//! Whether one run of the target is what one run of the source allows.

use forge::Excess;

use super::text;
use crate::interpret::{
    Block, BlockKey, Byte, Bytes, Event, Lane, Memory, Outcome, Pointer, Program, Run, Shape,
    Value, float_class,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Allowed,
    /// What differs, in kind and in words.
    Differs(Excess, String),
    /// It cannot be decided, and why.
    Unsure(&'static str),
}

use Comparison::{Allowed, Differs, Unsure};

/// A program with one of its runs.
type Side<'a> = (&'a Program, &'a Run);

/// Undef of the target is many values at once: where the source chooses, it may allow them one by one.
pub(super) fn runs(source: Side, target: Side, chooses: bool, explains: bool) -> Comparison {
    match (&source.1.outcome, &target.1.outcome) {
        (Outcome::Undefined(_), _) => Allowed,
        (_, Outcome::Undefined(reason)) => {
            Differs(Excess::Undefined, format!("the target is undefined: {reason}"))
        }
        (
            Outcome::Returned { value, memory, events },
            Outcome::Returned { value: target_value, memory: target_memory, events: target_events },
        ) => {
            let memories = Memories { source: memory, target: target_memory, chooses, explains };
            all([
                &|| memories.events(events, target_events),
                &|| match (value, target_value) {
                    (Some(a), Some(b)) => match memories.values(a, b, false) {
                        // Signs and payloads of NaNs are kept by some operations and lost by others.
                        Differs(..) if is_nan_twice(source, target, (a, b)) => {
                            Unsure("bits of a NaN")
                        }
                        other => other,
                    },
                    (None, None) => Allowed,
                    _ => Differs(Excess::Wrong, "only one returns a value".into()),
                },
                &|| {
                    let was_written = source.1.has_let_write || target.1.has_let_write;
                    memories.all(source.0, target.0, was_written || !events.is_empty())
                },
            ])
        }
        (
            Outcome::Ends { memory, events, .. },
            Outcome::Ends { memory: target_memory, events: target_events, .. },
        ) => {
            let memories = Memories { source: memory, target: target_memory, chooses, explains };
            memories.events(events, target_events)
        }
        (Outcome::Returned { .. }, Outcome::Ends { reason, .. }) => {
            Differs(Excess::Wrong, format!("only the target ends early: {reason}"))
        }
        (Outcome::Ends { reason, .. }, Outcome::Returned { .. }) => {
            Differs(Excess::Wrong, format!("only the source ends early: {reason}"))
        }
        _ => Unsure("a run without a result"),
    }
}

/// Whether the values that both return are floats that are the same but for NaNs.
fn is_nan_twice(source: Side, target: Side, (a, b): (&Value, &Value)) -> bool {
    if !source.1.made_nan && !target.1.made_nan {
        return false;
    }
    let returns = source.0.functions.first().and_then(|it| it.returns.as_ref());
    let Some((Shape::Float(kind), _)) = returns.map(|(shape, guard)| (shape.lane(), guard)) else {
        return false;
    };
    let is_nan =
        |lane: &Lane| matches!(lane, Lane::Bits(bits) if float_class(*kind, *bits) & 3 != 0);
    let (left, right) = (a.lanes(), b.lanes());
    left.len() == right.len()
        && left.iter().zip(&right).all(|(a, b)| a == b || is_nan(a) && is_nan(b))
}

/// The bytes of the block with this key.
fn find<'a>(memory: &'a Memory, key: &BlockKey) -> Option<&'a Bytes> {
    let found = memory.blocks.iter().find(|block| block.key == *key);
    found.map(|block| &block.bytes)
}

/// The first that is not allowed; a difference counts more than doubt.
fn all(parts: [&dyn Fn() -> Comparison; 3]) -> Comparison {
    let mut result = Allowed;
    for part in parts {
        match part() {
            Allowed => {}
            Differs(excess, difference) => return Differs(excess, difference),
            Unsure(reason) => result = Unsure(reason),
        }
    }
    result
}

struct Memories<'a> {
    source: &'a Memory,
    target: &'a Memory,
    chooses: bool,
    /// Whether differences are described: it takes time.
    explains: bool,
}

impl Memories<'_> {
    fn differs(&self, excess: Excess, text: impl FnOnce() -> String) -> Comparison {
        Differs(excess, if self.explains { text() } else { String::new() })
    }

    fn values(&self, source: &Value, target: &Value, is_passed: bool) -> Comparison {
        match (source, target) {
            (Value::Lane(a), Value::Lane(b)) => self.lanes(a, b, is_passed),
            (Value::Many(a), Value::Many(b)) if a.len() == b.len() => {
                let mut result = Allowed;
                for (a, b) in a.iter().zip(b) {
                    match self.values(a, b, is_passed) {
                        Allowed => {}
                        Differs(excess, difference) => return Differs(excess, difference),
                        unsure @ Unsure(_) => result = unsure,
                    }
                }
                result
            }
            _ => Unsure("values of different shapes"),
        }
    }

    fn lanes(&self, source: &Lane, target: &Lane, is_passed: bool) -> Comparison {
        let differs = |excess| {
            let shown = || format!("{} instead of {}", text::lane(target), text::lane(source));
            self.differs(excess, shown)
        };
        match (source, target) {
            (Lane::Poison, _) => Allowed,
            (Lane::Varying(_), _) | (_, Lane::Varying(_)) => {
                Unsure("a value that depends on undef")
            }
            (Lane::Undef, Lane::Poison) => differs(Excess::PoisonForUndef),
            (_, Lane::Poison) => differs(Excess::Undefined),
            (Lane::Undef, _) => Allowed,
            (_, Lane::Undef) if self.chooses => Unsure("undef in the target"),
            (Lane::Bits(a), Lane::Bits(b)) if a == b => Allowed,
            (Lane::Pointer(a), Lane::Pointer(b)) => self.pointers(*a, *b, is_passed),
            (_, Lane::Undef) => differs(Excess::Undefined),
            (Lane::Bits(_) | Lane::Pointer(_), _) => differs(Excess::Wrong),
        }
    }

    /// Pointers are equal if they point to the same place of the same block.
    fn pointers(&self, source: Pointer, target: Pointer, is_passed: bool) -> Comparison {
        let (a, b) = (self.source.block(source), self.target.block(target));
        match (a, b) {
            (None, None) if source.address == target.address => Allowed,
            (Some(a), Some(b)) if a.is_local() && b.is_local() => {
                // Passed to a callee, what it points to is compared.
                if is_passed { Allowed } else { Unsure("pointers to local variables") }
            }
            (Some(a), Some(b)) if a.key == b.key && source.address == target.address => Allowed,
            // Constants with the same content may share an address.
            (Some(a), Some(b)) if a.is_constant() && b.is_constant() => {
                Unsure("addresses of constants")
            }
            (None, _) | (_, None) if source.address == target.address => {
                Unsure("provenance of pointers")
            }
            _ => self.differs(Excess::Wrong, || {
                let (target, source) = (target.address, source.address);
                format!("the pointer {target:#x} instead of {source:#x}")
            }),
        }
    }

    fn bytes(&self, source: &Bytes, target: &Bytes) -> Comparison {
        let has_pointers = || source.iter().any(|byte| matches!(byte, Byte::Fragment(..)));
        if source.is_shared_with(target) && !has_pointers() {
            return Allowed;
        }
        for (index, (a, b)) in source.iter().zip(target.iter()).enumerate() {
            let is_same = match (a, b) {
                (Byte::Uninitialised | Byte::Poison, _) => true,
                (Byte::Bits(a), Byte::Bits(b)) => a == b,
                (Byte::Fragment(a, part), Byte::Fragment(b, other)) if part == other => {
                    match self.pointers(*a, *b, false) {
                        Allowed => true,
                        unsure @ Unsure(_) => return unsure,
                        Differs(..) => false,
                    }
                }
                (Byte::Fragment(..), Byte::Bits(_)) | (Byte::Bits(_), Byte::Fragment(..)) => {
                    return Unsure("pointers stored as integers");
                }
                (_, Byte::Uninitialised) if self.chooses => return Unsure("undef in the target"),
                (Byte::Bits(_) | Byte::Fragment(..), _) => false,
            };
            if !is_same {
                let excess = match b {
                    Byte::Uninitialised | Byte::Poison => Excess::Undefined,
                    Byte::Bits(_) | Byte::Fragment(..) => Excess::Wrong,
                };
                return self.differs(excess, || {
                    format!("byte {index} is {} instead of {}", text::byte(b), text::byte(a))
                });
            }
        }
        Allowed
    }

    /// Everything that the caller can look at.
    fn all(&self, source: &Program, target: &Program, has_events: bool) -> Comparison {
        let observed = |block: &&Block| block.is_observed && block.is_writable;
        for block in self.source.blocks.iter().filter(observed) {
            // A block that the target does not mention is as it was, unless callees may have changed it.
            let before = || find(&source.memory, &block.key).filter(|_| !has_events);
            let compared = match find(self.target, &block.key) {
                Some(other) => self.bytes(&block.bytes, other),
                // Pointers of both are into the blocks of the source.
                None => before().map_or(Allowed, |before| {
                    Memories { target: self.source, ..*self }.bytes(&block.bytes, before)
                }),
            };
            match compared {
                Allowed => {}
                Differs(excess, difference) => {
                    let place = || format!("{}: {difference}", text::key(&block.key));
                    return self.differs(excess, place);
                }
                unsure @ Unsure(_) => return unsure,
            }
        }
        for block in self.target.blocks.iter().filter(observed) {
            if find(self.source, &block.key).is_some() {
                continue;
            }
            let before = find(&target.memory, &block.key).filter(|_| !has_events);
            let Some(before) = before else { continue };
            let same = Memories { source: self.target, ..*self };
            if let Differs(excess, difference) = same.bytes(before, &block.bytes) {
                let place = || format!("{}: {difference}", text::key(&block.key));
                return self.differs(excess, place);
            }
        }
        Allowed
    }

    fn events(&self, source: &[Event], target: &[Event]) -> Comparison {
        let mut result = Allowed;
        for (index, (a, b)) in source.iter().zip(target.iter()).enumerate() {
            if a.name != b.name {
                return Differs(
                    Excess::Wrong,
                    format!("event {index} is {} instead of {}", b.name, a.name),
                );
            }
            for (at, (left, right)) in a.arguments.iter().zip(&b.arguments).enumerate() {
                match self.values(left, right, true) {
                    Allowed => {}
                    // Another block with the same content does as well.
                    Differs(..) if at < 64 && a.uncaptured >> at & 1 == 1 => {
                        result = Unsure("addresses that a callee cannot look at");
                    }
                    Differs(excess, difference) => {
                        let place = format!("an argument of event {index}: {difference}");
                        return Differs(excess, place);
                    }
                    unsure @ Unsure(_) => result = unsure,
                }
            }
            for (key, bytes) in &a.memory {
                let Some((_, other)) = b.memory.iter().find(|(other, _)| other == key) else {
                    continue;
                };
                match self.bytes(bytes, other) {
                    Allowed => {}
                    Differs(excess, difference) => {
                        let key = text::key(key);
                        return Differs(excess, format!("{key} at event {index}: {difference}"));
                    }
                    unsure @ Unsure(_) => result = unsure,
                }
            }
        }
        match source.len().cmp(&target.len()) {
            std::cmp::Ordering::Equal => result,
            std::cmp::Ordering::Less => {
                Differs(Excess::Wrong, format!("the target adds {}", target[source.len()].name))
            }
            std::cmp::Ordering::Greater => {
                Differs(Excess::Wrong, format!("the target lacks {}", source[target.len()].name))
            }
        }
    }
}
