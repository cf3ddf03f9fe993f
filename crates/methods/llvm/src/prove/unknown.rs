//! Calls of functions: those with a body are encoded in place; others are events, or functions of their
//! arguments and of memory. A callee may not return, unless it promises to.

use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::{Event, Unknown};
use super::encode::Encoder;
use super::escape;
use super::symbol::Symbol;
use super::value::{constrained, unknown_call};
use super::{Encoding, Unencodable};
use crate::interpret::{Effects, effects};
use crate::ir::{
    Attributes, Call, Constant, Flags, Header, Instruction, LocalId, Operand, Type, Value,
};

/// Attributes of arguments that change how they are passed.
const UNUSUAL: [&str; 5] = ["inalloca", "preallocated", "swifterror", "nest", "byref"];

impl Encoder<'_> {
    /// A call of a function, or through a pointer.
    pub(super) fn unknown(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        callee: Option<&str>,
    ) -> Encoding<Symbol> {
        let header = match callee {
            Some(name) => {
                let header = self.module.header(name);
                Some(header.ok_or_else(|| Unencodable::new("callee"))?)
            }
            None => None,
        };
        let none = Attributes::default();
        let own = header.map_or(&none, |header| &header.attributes);
        let has = |name: &str| call.attributes.has(name) || own.has(name);
        for name in ["returns_twice", "convergent", "strictfp"] {
            if has(name) {
                return Err(Unencodable::new(&format!("callee with {name}")));
            }
        }
        if let Some(header) = header {
            let count = header.parameters.len();
            let fits = call.arguments() == count || header.variadic && call.arguments() > count;
            let mut types = header.parameters.iter().zip(&instruction.operands);
            let has_types = types.all(|(parameter, argument)| parameter.ty == argument.ty);
            if !fits || !has_types || header.returns != call.returns {
                return Err(Unencodable::new("call with another signature"));
            }
        }
        if let Some(callee) = callee.filter(|name| self.module.function(name).is_some()) {
            return self.defined(call, instruction, callee);
        }
        let (values, returned) = self.passed(call, instruction, header)?;
        self.opaque(call, instruction, header, (values, returned))
    }

    /// A call of a function of the module.
    fn defined(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        callee: &str,
    ) -> Encoding<Symbol> {
        let module = self.module;
        let function = module.function(callee).ok_or_else(|| Unencodable::new("callee"))?;
        let header = &function.header;
        let is_replaced = |word: &str| {
            ["weak", "linkonce", "extern_weak", "available_externally"].contains(&word)
        };
        let copies = |it: &crate::ir::Parameter| it.attributes.has("byval");
        if header.prefix.split(' ').any(is_replaced)
            || header.variadic
            || header.parameters.iter().any(copies)
        {
            return Err(Unencodable::new("call of a defined function"));
        }
        let foreign = match self.counts.0 {
            0 => vec![],
            _ => escape::foreign_pointers(self.code),
        };
        for argument in &instruction.operands[..call.arguments()] {
            let is_foreign = |it: LocalId| foreign.get(it.0 as usize) == Some(&true);
            if argument.as_local().is_some_and(is_foreign) {
                return Err(Unencodable::new("pointer that may be to a local variable"));
            }
            let before = std::mem::replace(&mut self.opened, Wire::FALSE);
            self.operand(argument)?;
            let opened = std::mem::replace(&mut self.opened, before);
            self.unsure_if(opened, "argument that depends on undef");
        }
        let (values, _) = self.passed(call, instruction, Some(header))?;
        let result = self.inlined(function, &values)?;
        match result {
            Some(result) => self.answered(call, None, instruction, result),
            None => Symbol::build(&call.returns, module, &mut |width| {
                Ok(super::symbol::Lane::poison(width))
            })
            .or_else(|_| Ok(Symbol::Many(vec![]))),
        }
    }

    /// An intrinsic without a model whose attributes say that it computes its result from its operands.
    pub(super) fn opaque_intrinsic(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        callee: &str,
    ) -> Encoding<Symbol> {
        let header = self.module.header(callee).ok_or_else(|| unknown_call(callee))?;
        let effects = effects(&call.attributes, &header.attributes);
        let reads = effects.reads_arguments || effects.reads_others;
        let is_target = OWN_OF_TARGETS.iter().any(|it| callee.starts_with(it));
        let is_plain = |operand: &Operand| {
            !matches!(operand.value, Value::Metadata(_)) && !operand.ty.lane().is_pointer()
        };
        let arguments = &instruction.operands[..call.arguments()];
        if effects.is_event
            || reads
            || !is_target
            || !instruction.flags.is_empty()
            || !arguments.iter().all(is_plain)
            || header.attributes.has("convergent")
        {
            return Err(unknown_call(callee));
        }
        let (values, returned) = self.passed(call, instruction, Some(header))?;
        self.opaque(call, instruction, Some(header), (values, returned))
    }

    /// The arguments as the callee gets them, and the one that it returns.
    fn passed(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        header: Option<&Header>,
    ) -> Encoding<(Vec<Symbol>, Option<usize>)> {
        let mut values = vec![];
        let mut returned = None;
        for (at, argument) in instruction.operands[..call.arguments()].iter().enumerate() {
            let declared = header.and_then(|it| it.parameters.get(at)).map(|it| &it.attributes);
            let both = [Some(&call.argument_attributes[at]), declared];
            let has = |name: &str| both.iter().flatten().any(|attributes| attributes.has(name));
            if UNUSUAL.iter().any(|name| has(name)) {
                return Err(Unencodable::new("argument that is passed in an unusual way"));
            }
            if has("returned") {
                // It may have any type that a bit cast makes the type of the result.
                if argument.ty != call.returns {
                    return Err(Unencodable::new("returned argument of another type"));
                }
                returned = Some(at);
            }
            if has("dereferenceable") || has("dereferenceable_or_null") {
                self.promises += 1;
            }
            let (value, bad) = self.determined(argument, has("noundef"))?;
            if has("noundef") {
                self.undefined_if(bad);
            }
            let mut value = self.passed_on(value)?;
            for attributes in both.into_iter().flatten() {
                value = constrained(self.wires, &argument.ty, &value, attributes)?;
            }
            if has("noundef") {
                let broken = value.is_undetermined(self.wires);
                self.undefined_if(broken);
            }
            values.push(value);
        }
        Ok((values, returned))
    }

    /// A callee of which only attributes are known.
    fn opaque(
        &mut self,
        call: &Call,
        instruction: &Instruction,
        header: Option<&Header>,
        (mut values, returned): (Vec<Symbol>, Option<usize>),
    ) -> Encoding<Symbol> {
        let none = Attributes::default();
        let own = header.map_or(&none, |header| &header.attributes);
        let has = |name: &str| call.attributes.has(name) || own.has(name);
        let name: Arc<str> = match header {
            Some(header) => Arc::clone(&header.name),
            None => self.pointed_at(instruction, &mut values)?,
        };
        let effects = effects(&call.attributes, own);
        let Effects { reads_arguments, reads_others, .. } = effects;
        let reads = reads_arguments || reads_others;
        let writes = effects.writes_arguments || effects.writes_others;
        let comes_back =
            has("willreturn") && has("nounwind") || name.starts_with("llvm.") && !effects.is_event;
        let has_result = call.returns != Type::Void;
        let given = returned.map(|at| values[at].clone());
        let result = if comes_back && !effects.is_event && !writes {
            if !has_result {
                return Ok(Symbol::Many(vec![]));
            }
            let read: Vec<Symbol> =
                values.iter().map(|value| self.frozen_undef(value)).collect::<Encoding<_>>()?;
            let state = match (reads, self.memory.version()) {
                (false, _) => String::new(),
                (true, Some(version)) => format!(" in {version}"),
                (true, None) => format!(" apart {}", self.answers.unique()),
            };
            let name = format!("{name}{state}");
            let is_source = self.is_source;
            let function = Unknown { name: &name, flags: Flags::NONE, commutes: false, is_source };
            self.answers.apply(self.wires, self.module, &function, &read, &call.returns)?
        } else {
            if self.reached == Wire::FALSE {
                return Symbol::build(&call.returns, self.module, &mut |width| {
                    Ok(super::symbol::Lane::poison(width))
                })
                .or_else(|_| Ok(Symbol::Many(vec![])));
            }
            let number = self.events.len();
            let state = reads.then(|| self.memory.now());
            let arguments = values;
            let guard = self.reached;
            self.events.push(Event { guard, callee: Arc::clone(&name), arguments, state });
            if writes {
                self.memory.call(guard, number + 1)?;
            }
            if has("noreturn") {
                self.reached = Wire::FALSE;
            } else if !comes_back {
                let returns = self.answers.comes_back(self.wires, number)?;
                self.reached = self.wires.graph.and(guard, returns);
            }
            if !has_result {
                return Ok(Symbol::Many(vec![]));
            }
            self.answers.event(self.wires, self.module, &name, number, &call.returns)?
        };
        let result = given.unwrap_or(result);
        self.answered(call, header, instruction, result)
    }

    /// The name of what is called through a pointer, or of inline assembly. The pointer becomes an argument.
    fn pointed_at(
        &mut self,
        instruction: &Instruction,
        values: &mut Vec<Symbol>,
    ) -> Encoding<Arc<str>> {
        let callee = instruction.operands.last().ok_or_else(|| Unencodable::new("callee"))?;
        if let Some(Constant::Text(text)) = callee.as_constant() {
            return Ok(Arc::clone(text));
        }
        let (pointer, bad) = self.determined(callee, true)?;
        self.undefined_if(bad);
        values.push(pointer);
        Ok("a pointer".into())
    }

    /// The result under the attributes of call and callee, and its metadata.
    fn answered(
        &mut self,
        call: &Call,
        header: Option<&Header>,
        instruction: &Instruction,
        mut result: Symbol,
    ) -> Encoding<Symbol> {
        let declared = header.map(|it| &it.return_attributes);
        for attributes in [Some(&call.return_attributes), declared].into_iter().flatten() {
            result = constrained(self.wires, &call.returns, &result, attributes)?;
        }
        if let Some(range) = instruction.attachment("range") {
            result = self.ranged(result, range)?;
        }
        for attributes in [Some(&call.return_attributes), declared].into_iter().flatten() {
            if attributes.has("noundef") {
                let bad = result.is_undetermined(self.wires);
                self.undefined_if(bad);
            }
        }
        Ok(result)
    }

    /// Undef lanes with some value each.
    fn frozen_undef(&mut self, value: &Symbol) -> Encoding<Symbol> {
        match value {
            Symbol::Lane(lane) => self.read(lane).map(Symbol::Lane),
            Symbol::Many(many) => {
                let read = many.iter().map(|it| self.frozen_undef(it));
                read.collect::<Encoding<_>>().map(Symbol::Many)
            }
        }
    }

    /// A trap ends the program: an event that does not return.
    pub(super) fn trap(&mut self) -> Encoding<Symbol> {
        if self.reached != Wire::FALSE {
            let guard = self.reached;
            let state = Some(self.memory.now());
            self.events.push(Event { guard, callee: "trap".into(), arguments: vec![], state });
            self.reached = Wire::FALSE;
        }
        Ok(Symbol::Many(vec![]))
    }
}

/// Intrinsics of targets, which nothing but passes for the target know.
const OWN_OF_TARGETS: [&str; 12] = [
    "llvm.x86.",
    "llvm.aarch64.",
    "llvm.arm.",
    "llvm.amdgcn.",
    "llvm.ppc.",
    "llvm.riscv.",
    "llvm.nvvm.",
    "llvm.s390.",
    "llvm.wasm.",
    "llvm.hexagon.",
    "llvm.mips.",
    "llvm.loongarch.",
];
