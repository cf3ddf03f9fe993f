//! Instructions.

use std::fmt::Write as _;

use super::Printer;
use crate::ir::{
    Attachment, BlockId, Call, Clause, Code, Header, Instruction, Memory, Op, Operand, Type, Value,
};

impl Printer<'_> {
    pub(super) fn instruction(&mut self, instruction: &Instruction, code: &Code, header: &Header) {
        self.put("  ");
        if let Some(result) = instruction.result {
            self.name('%', &code.local(result).name);
            self.put(" = ");
        }
        let operands = &instruction.operands;
        match &instruction.op {
            Op::Binary(op) => self.plain(op.word(), instruction, code),
            Op::FloatBinary(op) => self.plain(op.word(), instruction, code),
            Op::ICmp(predicate) => {
                self.put("icmp ");
                self.flags(instruction.flags);
                self.spaced(predicate.word());
                self.pair(operands, code);
            }
            Op::FCmp(predicate) => {
                self.put("fcmp ");
                self.flags(instruction.flags);
                self.spaced(predicate.word());
                self.pair(operands, code);
            }
            Op::FNeg => self.list("fneg ", instruction, code),
            Op::Select => self.list("select ", instruction, code),
            Op::Freeze => self.list("freeze ", instruction, code),
            Op::ExtractElement => self.list("extractelement ", instruction, code),
            Op::InsertElement => self.list("insertelement ", instruction, code),
            Op::Cast(op, to) => {
                self.spaced(op.word());
                self.flags(instruction.flags);
                self.operands(operands, code);
                self.put(" to ");
                self.ty(to);
            }
            Op::Phi(blocks) => self.phi(blocks, instruction, code),
            Op::Call(call) => {
                if let Some(tail) = &call.tail {
                    self.spaced(tail);
                }
                self.put("call ");
                self.flags(instruction.flags);
                self.call(call, operands, code, header);
            }
            Op::Load(ty, memory) => {
                self.put("load ");
                self.put(if memory.ordering.is_some() { "atomic " } else { "" });
                self.put(if memory.volatile { "volatile " } else { "" });
                self.ty(ty);
                self.put(", ");
                self.operands(operands, code);
                self.access(memory);
            }
            Op::Store(memory) => {
                self.put("store ");
                self.put(if memory.ordering.is_some() { "atomic " } else { "" });
                self.put(if memory.volatile { "volatile " } else { "" });
                self.operands(operands, code);
                self.access(memory);
            }
            Op::Alloca { of, align, space, modifier } => {
                self.put("alloca ");
                if let Some(modifier) = modifier {
                    self.spaced(modifier);
                }
                self.ty(of);
                self.following(operands, code);
                if let Some(align) = align {
                    let _ = write!(self.text, ", align {align}");
                }
                if *space != 0 {
                    let _ = write!(self.text, ", addrspace({space})");
                }
            }
            Op::GetElementPtr { element } => {
                self.put("getelementptr ");
                self.flags(instruction.flags);
                self.ty(element);
                self.following(operands, code);
            }
            Op::ShuffleVector(mask, scalable) => {
                self.list("shufflevector ", instruction, code);
                self.mask(mask, *scalable);
            }
            Op::ExtractValue(path) => {
                self.list("extractvalue ", instruction, code);
                self.path(path);
            }
            Op::InsertValue(path) => {
                self.list("insertvalue ", instruction, code);
                self.path(path);
            }
            Op::CmpXchg { prefix, suffix } => {
                self.put("cmpxchg ");
                self.spaced(prefix);
                self.operands(operands, code);
                self.preceded(suffix);
            }
            Op::AtomicRmw { prefix, op, suffix } => {
                self.put("atomicrmw ");
                self.spaced(prefix);
                self.spaced(op);
                self.operands(operands, code);
                self.preceded(suffix);
            }
            Op::Fence(text) => {
                self.put("fence ");
                self.put(text);
            }
            Op::VaArg(ty) => {
                self.list("va_arg ", instruction, code);
                self.put(", ");
                self.ty(ty);
            }
            Op::LandingPad { of, cleanup, clauses } => {
                self.put("landingpad ");
                self.ty(of);
                self.put(if *cleanup { "\n          cleanup" } else { "" });
                for (clause, operand) in clauses.iter().zip(operands) {
                    self.put(match clause {
                        Clause::Catch => "\n          catch ",
                        Clause::Filter => "\n          filter ",
                    });
                    self.operand(operand, code);
                }
            }
            Op::Return if operands.is_empty() => self.put("ret void"),
            Op::Return => self.list("ret ", instruction, code),
            Op::Branch(to) => {
                self.put("br ");
                self.block(*to, code);
            }
            Op::CondBranch(yes, no) => {
                self.list("br ", instruction, code);
                for block in [yes, no] {
                    self.put(", ");
                    self.block(*block, code);
                }
            }
            Op::Switch { default, cases } => self.switch(*default, cases, instruction, code),
            Op::IndirectBranch(blocks) => {
                self.list("indirectbr ", instruction, code);
                self.put(", [");
                for (index, block) in blocks.iter().enumerate() {
                    self.put(if index == 0 { "" } else { ", " });
                    self.block(*block, code);
                }
                self.put("]");
            }
            Op::Invoke { call, normal, unwind } => {
                self.put("invoke ");
                self.call(call, operands, code, header);
                self.put("\n          to ");
                self.block(*normal, code);
                self.put(" unwind ");
                self.block(*unwind, code);
            }
            Op::Resume => self.list("resume ", instruction, code),
            Op::Unreachable => self.put("unreachable"),
        }
        for Attachment { name, node } in &instruction.metadata {
            self.put(", !");
            self.put(name);
            self.put(" ");
            self.put(node);
        }
        self.put("\n");
    }

    /// Keyword, flags, and two operands that share their type.
    fn plain(&mut self, word: &str, instruction: &Instruction, code: &Code) {
        self.spaced(word);
        self.flags(instruction.flags);
        self.pair(&instruction.operands, code);
    }

    fn pair(&mut self, operands: &[Operand], code: &Code) {
        let [first, second] = operands else { return };
        self.operand(first, code);
        self.put(", ");
        self.value(second, code);
    }

    /// Keyword, flags, and operands with their types.
    fn list(&mut self, word: &str, instruction: &Instruction, code: &Code) {
        self.put(word);
        self.flags(instruction.flags);
        self.operands(&instruction.operands, code);
    }

    fn operands(&mut self, operands: &[Operand], code: &Code) {
        for (index, operand) in operands.iter().enumerate() {
            self.put(if index == 0 { "" } else { ", " });
            self.operand(operand, code);
        }
    }

    /// Operands, each behind a comma.
    fn following(&mut self, operands: &[Operand], code: &Code) {
        for operand in operands {
            self.put(", ");
            self.operand(operand, code);
        }
    }

    fn operand(&mut self, operand: &Operand, code: &Code) {
        self.ty(&operand.ty);
        self.put(" ");
        self.value(operand, code);
    }

    fn value(&mut self, operand: &Operand, code: &Code) {
        match &operand.value {
            Value::Local(local) => self.name('%', &code.local(*local).name),
            Value::Constant(constant) => self.constant(constant, &operand.ty),
            Value::Metadata(text) => self.put(text),
        }
    }

    fn block(&mut self, block: BlockId, code: &Code) {
        self.put("label ");
        self.name('%', &code.block(block).name);
    }

    fn path(&mut self, path: &[u32]) {
        for index in path {
            let _ = write!(self.text, ", {index}");
        }
    }

    fn access(&mut self, memory: &Memory) {
        if let Some(ordering) = &memory.ordering {
            self.preceded(ordering);
        }
        if let Some(align) = memory.align {
            let _ = write!(self.text, ", align {align}");
        }
    }

    fn mask(&mut self, mask: &[Option<u32>], scalable: bool) {
        let lanes = mask.len();
        let scale = if scalable { "vscale x " } else { "" };
        let _ = write!(self.text, ", <{scale}{lanes} x i32> ");
        if mask.iter().all(|lane| *lane == Some(0)) {
            self.put("zeroinitializer");
        } else if mask.iter().all(Option::is_none) {
            self.put("poison");
        } else {
            for (index, lane) in mask.iter().enumerate() {
                self.put(if index == 0 { "<" } else { ", " });
                let _ = match lane {
                    Some(lane) => write!(self.text, "i32 {lane}"),
                    None => write!(self.text, "i32 poison"),
                };
            }
            self.put(">");
        }
    }

    fn phi(&mut self, blocks: &[BlockId], instruction: &Instruction, code: &Code) {
        self.put("phi ");
        self.flags(instruction.flags);
        let operands = &instruction.operands;
        self.ty(operands.first().map_or(&Type::Void, |first| &first.ty));
        for (index, (operand, block)) in operands.iter().zip(blocks).enumerate() {
            self.put(if index == 0 { " [ " } else { ", [ " });
            self.value(operand, code);
            self.put(", ");
            self.name('%', &code.block(*block).name);
            self.put(" ]");
        }
    }

    fn switch(
        &mut self,
        default: BlockId,
        cases: &[(u128, BlockId)],
        instruction: &Instruction,
        code: &Code,
    ) {
        self.list("switch ", instruction, code);
        self.put(", ");
        self.block(default, code);
        self.put(" [\n");
        let width = instruction.operands.first().and_then(|it| it.ty.int_width()).unwrap_or(128);
        for (case, block) in cases {
            let _ = write!(self.text, "    i{width} ");
            self.integer(*case, width);
            self.put(", ");
            self.block(*block, code);
            self.put("\n");
        }
        self.put("  ]");
    }

    fn call(&mut self, call: &Call, operands: &[Operand], code: &Code, header: &Header) {
        if let Some(convention) = &call.convention {
            self.spaced(convention);
        }
        self.spaced_attributes(&call.return_attributes);
        if let Some(space) = call.space {
            let _ = write!(self.text, "addrspace({space}) ");
        }
        self.ty(call.signature.as_ref().unwrap_or(&call.returns));
        self.put(" ");
        let Some((callee, mut arguments)) = operands.split_last() else { return };
        self.value(callee, code);
        self.put("(");
        for (index, attributes) in call.argument_attributes.iter().enumerate() {
            let Some((argument, rest)) = arguments.split_first() else { break };
            arguments = rest;
            self.put(if index == 0 { "" } else { ", " });
            self.ty(&argument.ty);
            self.put(" ");
            self.spaced_attributes(attributes);
            self.value(argument, code);
        }
        if header.variadic && call.tail.as_deref() == Some("musttail") {
            self.put(if call.argument_attributes.is_empty() { "..." } else { ", ..." });
        }
        self.put(")");
        self.preceded_attributes(&call.attributes);
        for (index, (name, count)) in call.bundles.iter().enumerate() {
            self.put(if index == 0 { " [ \"" } else { ", \"" });
            self.put(name);
            self.put("\"(");
            let count = (*count).min(arguments.len());
            self.operands(&arguments[..count], code);
            arguments = &arguments[count..];
            self.put(")");
        }
        self.put(if call.bundles.is_empty() { "" } else { " ]" });
    }
}
