//! Calls: intrinsics with a model, functions of the module, and unknown callees.

use super::{Lowering, Scratch, library, metadata, narrow, result};
use crate::interpret::float::FloatOp;
use crate::interpret::lane::LaneOp;
use crate::interpret::program::{Action, CallStep, Callee, Effects, Guard, Promise, Step};
use crate::interpret::shape::Shape;
use crate::interpret::stop::Stop;
use crate::ir::{Attributes, Call, Constant, Header, Instruction, Type, Value as IrValue};
use crate::semantics::{Intrinsic, Reduction};

/// Intrinsics that do nothing.
const NOTHING: [&str; 10] = [
    // What it declares is metadata of accesses, which mark their runs.
    "llvm.experimental.noalias.scope.decl",
    "llvm.dbg.",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.pseudoprobe",
    "llvm.var.annotation",
    "llvm.codeview",
    "llvm.instrprof",
    "llvm.prefetch",
    "llvm.fake.use",
];

/// Intrinsics that return their first operand.
const MOVES: [&str; 7] = [
    "llvm.expect.",
    "llvm.ssa.copy.",
    "llvm.annotation.",
    "llvm.ptr.annotation.",
    "llvm.threadlocal.address.",
    "llvm.arithmetic.fence.",
    "llvm.expect.with.probability.",
];

/// Attributes of functions that optimisers treat specially.
const SPECIAL: [&str; 5] =
    ["modular-format", "allockind", "allocsize", "alloc-family", "convergent"];

const SPECIAL_REASON: &str = "allocation functions, convergent and modular-format calls";
const RETURNED: &str = "a returned argument of another type";

impl<'a> Lowering<'a> {
    pub(super) fn call(
        &mut self,
        scratch: &mut Scratch<'a>,
        instruction: &'a Instruction,
        call: &'a Call,
        normal: Option<u32>,
        before: &mut Vec<Step>,
    ) -> Result<Step, Stop> {
        let Some(name) = instruction.callee() else {
            return self.indirect(scratch, instruction, call, normal);
        };
        let number = call.arguments();
        if let Some(action) = self.intrinsic(scratch, instruction, call, name)? {
            if normal.is_some() {
                return Stop::unsupported("an invoke of an intrinsic");
            }
            let bundled = if matches!(action, Action::Assume(_)) {
                instruction.operands.len() - 1
            } else {
                number
            };
            let mut operands = Vec::with_capacity(bundled);
            for operand in instruction.operands.iter().take(bundled) {
                if let IrValue::Metadata(_) = operand.value {
                    return Stop::unsupported("metadata operands");
                }
                operands.push(self.source(scratch, operand)?);
            }
            let step = Step { result: result(instruction), operands, action };
            return Ok(self.guarded(scratch, instruction, call, step, before));
        }
        let mut step = self.unknown_or_defined(instruction, call, name)?;
        let mut operands = Vec::with_capacity(number);
        for operand in &instruction.operands[..number] {
            let IrValue::Metadata(text) = &operand.value else {
                operands.push(self.source(scratch, operand)?);
                continue;
            };
            // Part of what is called: rounding modes, for example.
            if let Callee::Unknown(name) = &mut step.callee {
                *name = format!("{name} {text}").into();
            }
        }
        if !call.bundles.is_empty() {
            step.opaque.get_or_insert_with(|| "operand bundles".into());
        }
        if !instruction.flags.is_empty() {
            before.push(narrow("fast-math flags of a call"));
        }
        let action = match normal {
            Some(block) => Action::Invoke(Box::new(step), block),
            None => Action::Call(Box::new(step)),
        };
        Ok(Step { result: result(instruction), operands, action })
    }

    /// A call through a pointer, or of inline assembly.
    fn indirect(
        &mut self,
        scratch: &mut Scratch<'a>,
        instruction: &'a Instruction,
        call: &'a Call,
        normal: Option<u32>,
    ) -> Result<Step, Stop> {
        let number = call.arguments();
        let Some(target) = instruction.operands.last() else {
            return Stop::unsupported("missing operands");
        };
        let mut arguments = vec![];
        for (operand, attributes) in instruction.operands.iter().zip(&call.argument_attributes) {
            let shape = self.shape(&operand.ty)?;
            let guard = self.guard(attributes, &shape);
            if let Some(reason) = guard.unsupported {
                return Stop::unsupported(reason);
            }
            arguments.push((shape, guard));
        }
        let mut operands = self.sources(scratch, &instruction.operands[..number])?;
        let bundles = (!call.bundles.is_empty()).then(|| "operand bundles".into());
        let none = Attributes::default();
        let has_limits = |it: &&Attributes| it.has("readonly") || it.has("writeonly");
        let limits = (effects(&call.attributes, &none) != effects(&none, &none)
            || call.argument_attributes.iter().any(|it| has_limits(&it)))
        .then(|| "memory attributes of a call".into());
        let special = SPECIAL.into_iter().any(|it| call.attributes.has(it));
        let special = special.then(|| SPECIAL_REASON.into());
        let (callee, opaque) = match target.as_constant() {
            Some(Constant::Text(text)) if call.is_asm => {
                (Callee::Unknown(text.clone()), Some("inline assembly".into()))
            }
            _ => {
                let shape = self.shape(&target.ty)?;
                operands.push(self.source(scratch, target)?);
                arguments.push((shape.clone(), Guard::of(&Attributes::default(), &shape)));
                (Callee::Pointer, special.or(bundles).or(limits))
            }
        };
        let shape = self.shape(&call.returns)?;
        let mut promised = Guard::of(&Attributes::default(), &shape);
        let mut guard = Guard::of(&call.return_attributes, &shape);
        promised.is_noalias = guard.is_noalias;
        guard.add_metadata(self.module, instruction, &shape);
        let is_returned = |attributes: &Attributes| attributes.has("returned");
        let returned = call.argument_attributes.iter().position(is_returned);
        if returned.is_some_and(|at| instruction.operands[at].ty != call.returns) {
            return Stop::unsupported(RETURNED);
        }
        let step = CallStep {
            callee,
            opaque,
            parameters: arguments.iter().map(|(shape, _)| Guard::of(&none, shape)).collect(),
            arguments,
            returns: (shape, guard),
            promised,
            callees: self.named_callees(instruction)?,
            returned,
            effects: effects(&none, &none),
            never_returns: call.attributes.has("noreturn"),
            is_tail: call.tail.is_some(),
        };
        let action = match normal {
            Some(block) => Action::Invoke(Box::new(step), block),
            None => Action::Call(Box::new(step)),
        };
        Ok(Step { result: result(instruction), operands, action })
    }

    /// The functions that `!callees` names. Calls of any other are undefined.
    fn named_callees(&mut self, instruction: &'a Instruction) -> Result<Option<Vec<u32>>, Stop> {
        let mut metadata = instruction.metadata.iter();
        let Some(attachment) = metadata.find(|it| &*it.name == "callees") else { return Ok(None) };
        let node = metadata::resolved(self.module, &attachment.node);
        let Some(names) = metadata::symbols(node) else {
            return Stop::unsupported("names of !callees");
        };
        names.iter().map(|name| self.symbol(name)).collect::<Result<_, _>>().map(Some)
    }

    /// Checks that attributes of the call ask for are made by a freeze-like move behind it. Intrinsics
    /// seldom have any, so that they are only marked.
    fn guarded(
        &self,
        scratch: &Scratch,
        instruction: &Instruction,
        call: &Call,
        step: Step,
        before: &mut Vec<Step>,
    ) -> Step {
        let shape = instruction.result.map(|it| self.shape(&scratch.code.local(it).ty));
        let Some(Ok(shape)) = shape else {
            // Copies have metadata about aliases, too.
            let mut guard = Guard::default();
            guard.add_metadata(self.module, instruction, &Shape::Void);
            before.extend(guard.narrowed.map(narrow));
            return step;
        };
        let mut guard = Guard::of(&call.return_attributes, &shape);
        guard.add_metadata(self.module, instruction, &shape);
        if !guard.is_trivial() {
            before.push(narrow("attributes of an intrinsic's result"));
        }
        step
    }

    fn unknown_or_defined(
        &mut self,
        instruction: &'a Instruction,
        call: &'a Call,
        name: &str,
    ) -> Result<CallStep, Stop> {
        let Some(header) = self.module.header(name) else {
            return Stop::unsupported("a callee that is not declared");
        };
        let number = header.parameters.len();
        let has_variadic = call.arguments() > number && header.variadic;
        let mut types = header.parameters.iter().zip(&instruction.operands);
        if call.arguments() != number && !has_variadic
            || header.returns != call.returns
            || types.any(|(parameter, operand)| parameter.ty != operand.ty)
        {
            return Stop::unsupported("a call with another signature than its callee has");
        }
        if !has_convention_of(header, call) {
            return Stop::unsupported("a call with another convention than its callee has");
        }
        if header.attributes.has("returns_twice") {
            return Stop::unsupported("a callee that returns twice");
        }
        let (mut arguments, mut parameters) = (vec![], vec![]);
        let mut returned = None;
        let mut is_limited = effects(&call.attributes, &header.attributes)
            != effects(&Attributes::default(), &header.attributes);
        for (index, parameter) in header.parameters.iter().enumerate() {
            if parameter.ty == Type::Metadata {
                continue;
            }
            let shape = self.shape(&parameter.ty)?;
            let mut guard = self.guard(&parameter.attributes, &shape);
            parameters.push(guard.clone());
            guard.add(&call.argument_attributes[index], &shape);
            self.add_pointee(&mut guard, &call.argument_attributes[index]);
            let own = &parameters[parameters.len() - 1];
            is_limited |= (own.reads, own.writes) != (guard.reads, guard.writes);
            if let Some(reason) = guard.unsupported {
                return Stop::unsupported(reason);
            }
            let here = call.argument_attributes[index].has("returned");
            if here || parameter.attributes.has("returned") {
                if parameter.ty != call.returns {
                    return Stop::unsupported(RETURNED);
                }
                returned = Some(index);
            }
            arguments.push((shape, guard));
        }
        for index in number..call.arguments() {
            let shape = self.shape(&instruction.operands[index].ty)?;
            let guard = self.guard(&call.argument_attributes[index], &shape);
            parameters.push(Guard::of(&Attributes::default(), &shape));
            arguments.push((shape, guard));
        }
        let shape = self.shape(&call.returns)?;
        let mut promised = Guard::of(&header.return_attributes, &shape);
        let mut guard = promised.clone();
        guard.add(&call.return_attributes, &shape);
        // Nothing can check it, so every answer obeys it.
        promised.is_noalias = guard.is_noalias;
        guard.add_metadata(self.module, instruction, &shape);
        let has = |name| call.attributes.has(name) || header.attributes.has(name);
        let defined = self.module.function(name);
        if !name.starts_with("llvm.") && !self.program.called.iter().any(|(it, _)| **it == *name) {
            self.program.called.push((name.into(), defined.is_some()));
        }
        // Arguments that it only passes on may be dropped if the callback ignores them.
        let is_broker = header.metadata.iter().any(|it| &*it.name == "callback");
        let mut opaque = is_broker.then(|| "a callee with !callback".into());
        let callee = if let Some(function) = defined {
            let known = self.wanted.iter().position(|it| std::ptr::eq(*it, function));
            let index = known.unwrap_or(self.wanted.len());
            if known.is_none() {
                self.wanted.push(function);
            }
            Callee::Defined(index)
        } else {
            // A call that is no builtin does not keep optimisers from adding attributes to the declaration.
            let is_builtin = call.attributes.has("builtin") || !header.attributes.has("nobuiltin");
            if name.starts_with("llvm.") {
                opaque = Some(format!("the intrinsic {name}").into());
            } else if library::is_known(name) && is_builtin {
                opaque = Some(format!("the library function {name}").into());
            } else if is_limited {
                opaque = Some("memory attributes of a call".into());
            } else if SPECIAL.into_iter().any(has) {
                opaque = Some(SPECIAL_REASON.into());
            }
            Callee::Unknown(name.into())
        };
        Ok(CallStep {
            callee,
            opaque,
            arguments,
            parameters,
            returns: (shape, guard),
            promised,
            callees: None,
            returned,
            // What the call of an unknown function promises is not modelled.
            effects: match defined {
                Some(_) => effects(&call.attributes, &header.attributes),
                None => effects(&Attributes::default(), &header.attributes),
            },
            never_returns: has("noreturn"),
            is_tail: call.tail.is_some(),
        })
    }

    /// The action of an intrinsic that has a model.
    fn intrinsic(
        &mut self,
        scratch: &Scratch,
        instruction: &'a Instruction,
        call: &Call,
        name: &str,
    ) -> Result<Option<Action>, Stop> {
        if !name.starts_with("llvm.") {
            return Ok(None);
        }
        let operands = &instruction.operands;
        let shape = |index: usize| match operands.get(index) {
            Some(operand) => self.shape(&operand.ty),
            None => Stop::unsupported("missing operands"),
        };
        let layout = &self.program.layout;
        let flags = instruction.flags;
        let starts = |prefix: &&str| name.starts_with(*prefix);
        let constant = |index: usize| match operands.get(index).and_then(|it| it.as_constant()) {
            Some(Constant::Int(value)) => Some(*value),
            _ => None,
        };
        if let Some(intrinsic) = Intrinsic::of(name) {
            let from = shape(0)?;
            let width = from.lane_bits(layout);
            if intrinsic.has_overflow() {
                return Ok(Some(Action::WithOverflow(intrinsic, width, from.lanes())));
            }
            let to = self.shape(&call.returns)?.lane_bits(layout);
            let op = LaneOp::Intrinsic(intrinsic, width, to);
            return Ok(Some(Action::Lanes(op, from.lanes())));
        }
        if let Some(reduction) = Reduction::of(name) {
            let Shape::Vector(lanes, of) = shape(0)? else {
                return Stop::unsupported("a reduction of another value");
            };
            return Ok(Some(Action::Reduce(reduction, of.lane_bits(layout), lanes)));
        }
        if name.contains(".constrained.") {
            return Ok(None);
        }
        if let Some(op) = FloatOp::of(name) {
            return self.float(scratch, op, flags, &shape(0)?).map(Some);
        }
        if name.starts_with("llvm.is.fpclass.") {
            let shape = shape(0)?;
            let Shape::Float(kind) = shape.lane() else { return Ok(None) };
            if let Some(reason) = scratch.floats {
                return Stop::unsupported(reason);
            }
            return Ok(Some(Action::Lanes(LaneOp::IsClass(*kind), shape.lanes())));
        }
        if name.starts_with("llvm.ldexp.") {
            let (from, by) = (shape(0)?, shape(1)?);
            let Shape::Float(kind) = from.lane() else { return Ok(None) };
            if let Some(reason) = scratch.floats {
                return Stop::unsupported(reason);
            }
            let op = LaneOp::LdExp(flags, *kind, by.lane_bits(layout));
            return Ok(Some(Action::Lanes(op, from.lanes())));
        }
        let signed = name.starts_with("llvm.fptosi.sat.");
        if signed || name.starts_with("llvm.fptoui.sat.") {
            let from = shape(0)?;
            let Shape::Float(kind) = from.lane() else { return Ok(None) };
            let to = self.shape(&call.returns)?.lane_bits(layout);
            let op = LaneOp::FloatToInt { signed, saturating: true, from: *kind, to };
            return Ok(Some(Action::Lanes(op, from.lanes())));
        }
        if name.starts_with("llvm.ptrmask.") {
            let (from, mask) = (shape(0)?, shape(1)?);
            let op = LaneOp::PointerMask(mask.lane_bits(layout));
            return Ok(Some(Action::Lanes(op, from.lanes())));
        }
        if let Some(action) = self.vector_intrinsic(scratch.floats, instruction, call, name)? {
            return Ok(Some(action));
        }
        if NOTHING.iter().any(starts) {
            return Ok(Some(Action::Nothing));
        }
        if MOVES.iter().any(starts) {
            return Ok(Some(Action::Move));
        }
        let align = |index: usize| {
            call.argument_attributes.get(index).and_then(|it| it.number("align")).unwrap_or(1)
        };
        let copies = name.starts_with("llvm.memcpy.");
        let moves = copies || name.starts_with("llvm.memmove.");
        if (moves || name.starts_with("llvm.memset.")) && !may_access(&call.attributes, moves) {
            return Stop::unsupported("memory attributes of a call");
        }
        if moves {
            let (aligns, volatile) = ((align(0), align(1)), constant(3) != Some(0));
            return Ok(Some(Action::Copy { may_overlap: !copies, aligns, volatile }));
        }
        if name.starts_with("llvm.memset.") && !name.contains("pattern") {
            let volatile = constant(3) != Some(0);
            return Ok(Some(Action::Fill { align: align(0), volatile }));
        }
        if name.starts_with("llvm.lifetime.start") {
            return Ok(Some(Action::Lifetime { starts: true }));
        }
        if name.starts_with("llvm.lifetime.end") {
            return Ok(Some(Action::Lifetime { starts: false }));
        }
        if name == "llvm.assume" {
            let mut promises = vec![];
            for (word, operands) in &call.bundles {
                let promise = match &**word {
                    "align" => Promise::Align,
                    "nonnull" => Promise::NonNull,
                    "noundef" => Promise::NoUndef,
                    "dereferenceable" => Promise::Dereferenceable,
                    _ => Promise::Other,
                };
                promises.push((promise, *operands));
            }
            return Ok(Some(Action::Assume(promises)));
        }
        if name == "llvm.trap" || name == "llvm.ubsantrap" {
            return Ok(Some(Action::Trap));
        }
        Ok(None)
    }
}

/// Calls with another calling convention than that of the callee are undefined.
fn has_convention_of(header: &Header, call: &Call) -> bool {
    let mut words = header.prefix.split_whitespace();
    match &call.convention {
        Some(convention) => header.prefix.contains(&**convention),
        None => !words.any(|word| word.ends_with("cc")),
    }
}

/// What the attributes of a call and its callee allow.
pub(crate) fn effects(call: &Attributes, callee: &Attributes) -> Effects {
    let mut allowed = Allowed { arguments: RW, others: RW, inaccessible: RW };
    for attributes in [callee, call] {
        for attribute in &attributes.0 {
            match attribute.name() {
                "readnone" => allowed.limit([(0, 0); 3]),
                "readonly" => allowed.limit([(1, 0); 3]),
                "writeonly" => allowed.limit([(0, 1); 3]),
                "argmemonly" => allowed.limit([(1, 1), (0, 0), (0, 0)]),
                "inaccessiblememonly" => allowed.limit([(0, 0), (0, 0), (1, 1)]),
                "inaccessiblemem_or_argmemonly" => allowed.limit([(1, 1), (0, 0), (1, 1)]),
                "memory" => allowed.limit(memory(attribute.argument().unwrap_or(""))),
                _ => {}
            }
        }
    }
    let has = |name| call.has(name) || callee.has(name);
    // It has no effect but its result, whatever else is said.
    let is_pure = has("speculatable");
    Effects {
        reads_arguments: allowed.arguments.0,
        writes_arguments: allowed.arguments.1 && !is_pure,
        reads_others: allowed.others.0,
        writes_others: allowed.others.1 && !is_pure,
        // Without a state that it reads, it does the same each time.
        is_event: !is_pure
            && (allowed.others.1 || allowed.inaccessible.1)
            && (allowed.others.0 || allowed.inaccessible.0),
    }
}

/// Whether a call may do what its intrinsic does, which writes to what an argument points to and possibly reads.
pub(crate) fn may_access(call: &Attributes, reads: bool) -> bool {
    let effects = effects(call, &Attributes::default());
    effects.writes_arguments && (effects.reads_arguments || !reads)
}

const RW: (bool, bool) = (true, true);

struct Allowed {
    arguments: (bool, bool),
    others: (bool, bool),
    inaccessible: (bool, bool),
}

impl Allowed {
    fn limit(&mut self, to: [(u8, u8); 3]) {
        for (slot, (read, write)) in
            [&mut self.arguments, &mut self.others, &mut self.inaccessible].into_iter().zip(to)
        {
            slot.0 &= read == 1;
            slot.1 &= write == 1;
        }
    }
}

/// `read, argmem: readwrite, inaccessiblemem: none`, for arguments, others and inaccessible memory.
fn memory(text: &str) -> [(u8, u8); 3] {
    let access = |word: &str| match word.trim() {
        "none" => (0, 0),
        "read" => (1, 0),
        "write" => (0, 1),
        _ => (1, 1),
    };
    let parts = || text.split(',').map(str::trim);
    let default = parts().find(|part| !part.contains(':')).map_or((0, 0), access);
    let mut all = [default; 3];
    for (place, word) in parts().filter_map(|part| part.split_once(':')) {
        match place.trim() {
            "argmem" => all[0] = access(word),
            "inaccessiblemem" => all[2] = access(word),
            // errnomem, target memories: part of what is neither.
            _ => {
                let (read, write) = access(word);
                all[1] = (all[1].0 | read, all[1].1 | write);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_attributes_limit_what_callees_do() {
        let of = |text: &str| {
            let mut attributes = Attributes::default();
            attributes.add(text);
            effects(&attributes, &Attributes::default())
        };
        assert!(of("memory(readwrite)").is_event);
        assert!(of("memory(inaccessiblemem: readwrite)").is_event);
        assert!(!of("writeonly").is_event && of("writeonly").writes_others);
        assert!(!of("memory(none)").is_event && !of("readonly").is_event);
        let arguments = of("memory(argmem: read)");
        assert!(arguments.reads_arguments && !arguments.reads_others && !arguments.is_event);
        let mixed = of("memory(read, argmem: readwrite)");
        assert!(mixed.writes_arguments && mixed.reads_others && !mixed.writes_others);
        let may = |text: &str, reads| {
            let mut attributes = Attributes::default();
            attributes.add(text);
            may_access(&attributes, reads)
        };
        assert!(may("nounwind", true) && may("memory(argmem: readwrite)", true));
        assert!(may("memory(argmem: write)", false) && !may("memory(argmem: write)", true));
        assert!(!may("memory(none)", false) && !may("readonly", true));
    }
}
