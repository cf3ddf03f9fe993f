//! Checks terminators: successors, unwinding, calls, records.

use super::super::program::{Block, Callee, Operand, Place, RECORDED, Reason, Terminator, Unwind};
use super::super::types::{Kind, TypeId, Types, Width};
use super::body::{Body, sized};
use super::{Check, ensure, is_value};

impl Body<'_> {
    pub(super) fn terminator(self, block: &Block) -> Check {
        match &block.terminator {
            Terminator::Goto(target) => self.edge(block, *target),
            Terminator::Switch { on, arms, otherwise } => {
                self.switch(on, arms)?;
                self.edge(block, *otherwise)?;
                arms.iter().try_for_each(|(_, target)| self.edge(block, *target))
            }
            Terminator::Call { callee, arguments, destination, target, unwind } => {
                self.edge(block, *target)?;
                self.unwind(block, *unwind)?;
                let wanted = self.value(destination)?;
                ensure(!self.is_packed(destination), "call destination in a packed struct")?;
                let given = self.arguments(arguments)?;
                self.call(callee, &given, wanted)
            }
            Terminator::Drop { place, target, unwind } => {
                self.edge(block, *target)?;
                self.unwind(block, *unwind)?;
                self.value(place)?;
                ensure(!self.is_packed(place), "drop of a packed field")
            }
            Terminator::TailCall { callee, arguments } => {
                ensure(!block.cleanup, "tail call in a cleanup block")?;
                let named = matches!(callee, Callee::Function(..) | Callee::Pointer(_));
                ensure(named, "tail call of a callee that is not a function")?;
                let given = self.arguments(arguments)?;
                let own = self.function;
                ensure(given == own.parameter_types(), "tail call signature mismatch")?;
                self.call(callee, &given, own.returns())
            }
            Terminator::Record { values, target } => {
                self.edge(block, *target)?;
                self.record(values)
            }
            Terminator::Return => ensure(!block.cleanup, "return in a cleanup block"),
            Terminator::Unreachable => Ok(()),
            Terminator::Resume => ensure(block.cleanup, "resume outside of cleanup"),
            Terminator::Terminate(_) => ensure(block.cleanup, "abort outside of cleanup"),
        }
    }

    fn edge(self, from: &Block, target: usize) -> Check {
        let to = self.function.blocks.get(target).ok_or("unknown block")?;
        ensure(target != 0, "jump to the first block")?;
        ensure(from.cleanup == to.cleanup, "jump into or out of cleanup")
    }

    fn unwind(self, from: &Block, unwind: Unwind) -> Check {
        match unwind {
            Unwind::Continue => ensure(!from.cleanup, "cleanup block may unwind"),
            Unwind::Terminate(Reason::InCleanup) => {
                ensure(from.cleanup, "abort reason `InCleanup` outside of cleanup")
            }
            Unwind::Unreachable | Unwind::Terminate(Reason::Abi) => Ok(()),
            Unwind::Cleanup(target) => {
                ensure(!from.cleanup, "cleanup block may unwind")?;
                let to = self.function.blocks.get(target).ok_or("unknown block")?;
                ensure(to.cleanup, "unwind target is not a cleanup block")
            }
        }
    }

    fn switch(self, on: &Operand, arms: &[(u128, usize)]) -> Check {
        let of = self.operand(on)?;
        let known = matches!(self.types.kind(of), Kind::Int(_) | Kind::Bool | Kind::Char);
        ensure(known, "switch on an unsupported type")?;
        ensure(!arms.is_empty(), "switch without arms")?;
        // rustc's MIR validator accepts it, but its passes rely on a single arm.
        ensure(of != Types::BOOL || arms.len() == 1, "switch on a bool with more than one arm")?;
        let good = arms.iter().all(|(bits, _)| is_value(self.types, of, *bits));
        ensure(good, "switch arm is not a valid value of the type")?;
        let distinct = if arms.len() < 16 {
            (1..arms.len()).all(|at| arms[..at].iter().all(|(bits, _)| *bits != arms[at].0))
        } else {
            let mut bits: Vec<u128> = arms.iter().map(|(bits, _)| *bits).collect();
            bits.sort_unstable();
            bits.windows(2).all(|pair| pair[0] != pair[1])
        };
        ensure(distinct, "duplicate switch arm")
    }

    fn arguments(self, arguments: &[Operand]) -> Result<Vec<TypeId>, &'static str> {
        arguments
            .iter()
            .map(|argument| {
                let of = self.operand(argument)?;
                let packed = matches!(argument, Operand::Move(place) if self.is_packed(place));
                ensure(!packed, "move of a packed field into a call")?;
                Ok(of)
            })
            .collect()
    }

    fn call(self, callee: &Callee, given: &[TypeId], wanted: TypeId) -> Check {
        let result_is = |of: TypeId| ensure(of == wanted, "return type mismatch");
        let kind = |of: TypeId| self.types.kind(of);
        match callee {
            Callee::Function(number, generics) => self.direct(*number, generics, given, wanted),
            Callee::Pointer(place) => match kind(self.value(place)?) {
                Kind::Function { parameters, returns } => {
                    ensure(parameters == given, "argument type mismatch")?;
                    result_is(*returns)
                }
                _ => Err("callee is not a function pointer"),
            },
            Callee::Method(of, method) => self.dynamic((*of, *method), given, wanted),
            Callee::Catch(number) => {
                let function = self.callee(*number)?;
                ensure(function.generics == 0, "`catch_unwind` of a generic function")?;
                ensure(function.parameter_types() == given, "argument type mismatch")?;
                let dropped = self.types.needs_drop(function.returns());
                ensure(!dropped, "`catch_unwind` of a function whose result needs drop")?;
                result_is(Types::BOOL)
            }
            Callee::Intrinsic(intrinsic) => {
                let result = intrinsic.result(given, wanted, self.types);
                result_is(result.ok_or("invalid arguments for the intrinsic")?)
            }
            Callee::NewBox | Callee::BlackBox | Callee::NewManual | Callee::ManualToInner => {
                let [one] = given else { return Err("wrong number of arguments") };
                match callee {
                    Callee::BlackBox => result_is(*one),
                    Callee::NewManual => ensure(
                        *kind(wanted) == Kind::Manual(*one),
                        "not a `ManuallyDrop` of this type",
                    ),
                    Callee::ManualToInner => ensure(
                        *kind(*one) == Kind::Manual(wanted),
                        "not a `ManuallyDrop` of this type",
                    ),
                    _ => ensure(*kind(wanted) == Kind::Heap(*one), "not a box of this type"),
                }
            }
            Callee::BoxToPointer | Callee::BoxFromPointer => {
                let [one] = given else { return Err("wrong number of arguments") };
                let (owner, pointer) = match callee {
                    Callee::BoxToPointer => (*one, wanted),
                    _ => (wanted, *one),
                };
                let Kind::Heap(to) = *kind(owner) else { return Err("not a box") };
                let good = *kind(pointer) == Kind::Pointer { mutable: true, to };
                ensure(good, "not a pointer to the content type of the box")
            }
            Callee::Raise => {
                ensure(given.is_empty(), "wrong number of arguments")?;
                result_is(Types::UNIT)
            }
        }
    }

    fn direct(self, number: usize, generics: &[TypeId], given: &[TypeId], wanted: TypeId) -> Check {
        let function = self.callee(number)?;
        ensure(function.generics == generics.len(), "wrong number of generic arguments")?;
        let (with, constants) = generics.split_at(function.type_parameters());
        for of in with {
            sized(self.types, self.function, *of)?;
            ensure(self.types.is_copy(*of), "type argument is not `Copy`")?;
        }
        for (it, wanted) in constants.iter().zip(&function.constants) {
            ensure(self.constant_argument(*it)? == *wanted, "const argument type mismatch")?;
        }
        let parameters = function.parameter_types();
        ensure(parameters.len() == given.len(), "wrong number of arguments")?;
        let same = |pattern: TypeId, of: TypeId| is_instance(self.types, pattern, generics, of);
        let good = parameters.iter().zip(given).all(|(pattern, of)| same(*pattern, *of));
        ensure(good, "argument type mismatch")?;
        ensure(same(function.returns(), wanted), "return type mismatch")
    }

    /// The type of a const argument.
    fn constant_argument(self, it: TypeId) -> Result<TypeId, &'static str> {
        ensure((it.0 as usize) < self.types.len(), "unknown type")?;
        match self.types.kind(it) {
            Kind::Value(of, _) => Ok(*of),
            _ => self.constant_parameter(it),
        }
    }

    fn record(self, values: &[Place]) -> Check {
        let mut words = 0;
        for value in values {
            let of = self.value(value)?;
            words += match self.types.kind(of) {
                Kind::Int(int) if int.width == Width::W128 => 2,
                _ => 1,
            };
            let shown = self.types.is_scalar(of) || self.types.is_enum(of);
            ensure(shown, "record of a value that is neither a scalar nor an enum")?;
        }
        ensure((1..=RECORDED).contains(&words), "record of too few or too many words")
    }
}

/// Whether `of` is `pattern` with generic arguments substituted.
fn is_instance(types: &Types, pattern: TypeId, with: &[TypeId], of: TypeId) -> bool {
    if !types.is_generic(pattern) {
        return pattern == of;
    }
    let same = |pattern: TypeId, of: TypeId| is_instance(types, pattern, with, of);
    match (types.kind(pattern), types.kind(of)) {
        (Kind::Parameter(index), _) => with.get(*index) == Some(&of),
        (Kind::Tuple(patterns), Kind::Tuple(parts)) => {
            patterns.len() == parts.len()
                && patterns.iter().zip(parts).all(|(pattern, part)| same(*pattern, *part))
        }
        (Kind::Array(pattern, length), Kind::Array(part, other)) => {
            length == other && same(*pattern, *part)
        }
        (Kind::ArrayOf(pattern, index), Kind::Array(part, _) | Kind::ArrayOf(part, _)) => {
            let wanted = types.array_of(*part, with.get(*index).copied(), usize::MAX);
            *types.kind(of) == wanted && same(*pattern, *part)
        }
        (Kind::Slice(pattern), Kind::Slice(part))
        | (Kind::Heap(pattern), Kind::Heap(part))
        | (Kind::Manual(pattern), Kind::Manual(part)) => same(*pattern, *part),
        (Kind::Pointer { mutable, to: pattern }, Kind::Pointer { mutable: other, to: part })
        | (
            Kind::Reference { mutable, to: pattern },
            Kind::Reference { mutable: other, to: part },
        ) => mutable == other && same(*pattern, *part),
        _ => false,
    }
}
