//! Function bodies as custom MIR. Statements are printed alike in the expanded and the readable form.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Block, Callee, Function, Inlining, Named, Operand, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::types::Lifetime;
use super::{Form, Printer};

impl Printer<'_> {
    pub(super) fn function(&mut self, number: usize) {
        let function = &self.program.functions[number];
        self.locals = &function.locals;
        self.gap();
        self.push("#[custom_mir(dialect = \"runtime\", phase = \"initial\")]\n");
        self.head(number, function);
        match self.form {
            Form::Expanded => self.expanded_body(number, function),
            Form::Readable | Form::Surface => self.readable_body(number, function),
        }
    }

    pub(super) fn inlining(&mut self, function: &Function) {
        self.push(match function.inlining {
            Inlining::Free => "",
            Inlining::Never => "#[inline(never)]\n",
            Inlining::Always => "#[inline(always)]\n",
        });
    }

    fn head(&mut self, number: usize, function: &Function) {
        self.inlining(function);
        self.numbered("pub fn f", number);
        let parameters = function.parameter_types();
        let lifetime = self.signature_lifetime(parameters, function.returns(), Lifetime::Parameter);
        self.generics(lifetime, function);
        self.push("(");
        for (index, of) in parameters.iter().enumerate() {
            self.numbered(if index > 0 { ", _" } else { "_" }, index + 1);
            self.push(": ");
            self.type_with_lifetime(*of, lifetime);
        }
        self.push(")");
        self.returns(function.returns(), lifetime);
    }

    /// `<'a, T0: Copy, const N1: usize>`, or nothing.
    pub(super) fn generics(&mut self, lifetime: Lifetime, function: &Function) {
        let named = lifetime == Lifetime::Parameter;
        if !named && function.generics == 0 {
            return;
        }
        self.push(if named { "<'a" } else { "<" });
        for index in 0..function.generics {
            self.push(if named || index > 0 { ", " } else { "" });
            if let Some(of) = function.constant_parameter(index) {
                self.numbered("const N", index);
                self.push(": ");
                self.of_type(of);
            } else {
                self.numbered("T", index);
                self.push(": Copy");
            }
        }
        self.push(">");
    }

    fn expanded_body(&mut self, number: usize, function: &Function) {
        self.push(" {{\n");
        for (index, block) in function.blocks.iter().enumerate().skip(1) {
            self.numbered("let bb", index);
            let kind = if block.cleanup { "Cleanup;\n" } else { "Normal;\n" };
            self.push(" = BasicBlock::");
            self.push(kind);
        }
        self.push("{ let RET: ");
        self.of_type(function.returns());
        self.push(";\n");
        self.declarations(function, "");
        self.push("{ ");
        for (index, named) in function.debug.iter().enumerate() {
            self.numbered("__debuginfo(\"v", index);
            self.push("\", ");
            self.named(named);
            self.push(");\n");
        }
        self.push("{\n");
        for (index, block) in function.blocks.iter().enumerate() {
            self.push("{\n");
            self.block(number, index, block, "");
            self.push("};\n");
        }
        self.push("RET }}}}}\n");
    }

    fn readable_body(&mut self, number: usize, function: &Function) {
        self.push(" {\n    mir! {\n        type RET = ");
        self.of_type(function.returns());
        self.push(";\n");
        self.declarations(function, "        ");
        for (index, named) in function.debug.iter().enumerate() {
            self.numbered("        debug v", index);
            self.push(" => ");
            self.named(named);
            self.push(";\n");
        }
        for (index, block) in function.blocks.iter().enumerate() {
            self.push("        ");
            if index > 0 {
                self.numbered("bb", index);
                self.push(if block.cleanup { " (cleanup) = " } else { " = " });
            }
            self.push("{\n");
            self.block(number, index, block, "            ");
            self.push("        }\n");
        }
        self.push("    }\n}\n");
    }

    fn named(&mut self, named: &Named) {
        match named {
            Named::Place(place) => self.place(place),
            Named::Constant(constant) => self.constant(*constant),
        }
    }

    /// Declares all locals that are not parameters, and those that records need.
    fn declarations(&mut self, function: &Function, margin: &str) {
        for (local, of) in function.locals.iter().enumerate().skip(1 + function.parameters) {
            self.push(margin);
            self.numbered("let _", local);
            self.push(": ");
            self.of_type(*of);
            self.push(";\n");
        }
        self.recording_locals(function, margin);
    }

    fn block(&mut self, function: usize, number: usize, block: &Block, margin: &str) {
        for statement in &block.statements {
            self.push(margin);
            self.statement(statement);
            self.push(";\n");
        }
        match &block.terminator {
            Terminator::Record { values, target } => {
                self.record(function, number, values, *target, margin);
            }
            Terminator::Switch { on, arms, otherwise } => self.switch(on, arms, *otherwise, margin),
            terminator => {
                self.push(margin);
                self.terminator(terminator);
            }
        }
        self.push("\n");
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign(place, rvalue) => {
                self.target(place);
                self.push(" = ");
                self.rvalue(rvalue);
            }
            Statement::StorageLive(local) => {
                self.push("StorageLive(");
                self.local(*local);
                self.push(")");
            }
            Statement::StorageDead(local) => {
                self.push("StorageDead(");
                self.local(*local);
                self.push(")");
            }
            Statement::SetDiscriminant(place, variant) => {
                self.push("SetDiscriminant(");
                self.place(place);
                self.numbered(", ", *variant);
                self.push(")");
            }
            Statement::Assume(operand) => self.wrapped("Assume(", operand),
            Statement::Retag(place) => {
                self.push("Retag(");
                self.place(place);
                self.push(")");
            }
        }
    }

    pub(super) fn rvalue(&mut self, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(Operand::Constant(constant)) => self.constant(*constant),
            Rvalue::Use(one) => self.operand(one),
            Rvalue::Not(one) => {
                self.push("!");
                self.operand(one);
            }
            Rvalue::Negate(one) => {
                self.push("-");
                self.operand(one);
            }
            Rvalue::Binary(operator, left, right) => self.binary(left, operator.symbol(), right),
            Rvalue::Checked(operator, left, right) => {
                self.push("Checked(");
                self.binary(left, operator.symbol(), right);
                self.push(")");
            }
            // A type with a lifetime cannot be named inside a MIR body.
            Rvalue::Cast(one, to) if self.form != Form::Surface && self.types.has_lifetime(*to) => {
                self.wrapped("CastPtrToPtr(", one);
            }
            Rvalue::Cast(one, to) => {
                self.operand(one);
                self.push(" as ");
                self.of_type(*to);
            }
            Rvalue::Transmute(one, _) => self.wrapped("CastTransmute(", one),
            Rvalue::PointerCast(one, _) => self.wrapped("CastPtrToPtr(", one),
            Rvalue::Unsize(one, _) => self.wrapped("CastUnsize(", one),
            Rvalue::Length(one) => self.wrapped("PtrMetadata(", one),
            Rvalue::Offset(pointer, count) => {
                self.push("Offset(");
                self.operand(pointer);
                self.push(", ");
                self.operand(count);
                self.push(")");
            }
            Rvalue::Aggregate(of, number, parts) => self.aggregate(*of, *number, parts),
            Rvalue::Repeat(one, length) => {
                self.push("[");
                self.operand(one);
                self.numbered("; ", *length as usize);
                self.push("]");
            }
            Rvalue::RepeatOf(one, length) => {
                self.push("[");
                self.operand(one);
                self.push("; ");
                self.of_type(*length);
                self.push("]");
            }
            Rvalue::AddressOf(mutable, place) => {
                self.push(if *mutable { "&raw mut " } else { "&raw const " });
                self.target(place);
            }
            Rvalue::Reference(mutable, place) => {
                self.push(if *mutable { "&mut " } else { "&" });
                self.target(place);
            }
            Rvalue::Discriminant(place) => {
                self.push("Discriminant(");
                self.place(place);
                self.push(")");
            }
            Rvalue::Static(index) => {
                let mutable = self.program.statics[*index].mutable;
                self.numbered(if mutable { "StaticMut(G" } else { "Static(G" }, *index);
                self.push(")");
            }
        }
    }

    pub(super) fn binary(&mut self, left: &Operand, symbol: &str, right: &Operand) {
        self.operand(left);
        self.push(" ");
        self.push(symbol);
        self.push(" ");
        self.operand(right);
    }

    pub(super) fn wrapped(&mut self, name: &str, operand: &Operand) {
        self.push(name);
        self.operand(operand);
        self.push(")");
    }

    pub(super) fn aggregate(&mut self, of: TypeId, number: usize, parts: &[Operand]) {
        let types = self.types;
        match types.kind(of) {
            Kind::Array(..) => {
                self.push("[");
                self.operands(parts);
                self.push("]");
            }
            Kind::Adt(index) if types.is_enum(of) => {
                self.adt_name(*index);
                self.numbered("::V", number);
                if !parts.is_empty() {
                    self.push("(");
                    self.operands(parts);
                    self.push(")");
                }
            }
            Kind::Adt(index) => {
                self.adt_name(*index);
                self.push(" {");
                let first = if types.is_union(of) { number } else { 0 };
                for (offset, part) in parts.iter().enumerate() {
                    self.numbered(if offset > 0 { ", f" } else { " f" }, first + offset);
                    self.push(": ");
                    self.operand(part);
                }
                self.push(" }");
            }
            _ => {
                self.push("(");
                self.operands(parts);
                self.push(if parts.len() == 1 { ",)" } else { ")" });
            }
        }
    }

    fn switch(&mut self, on: &Operand, arms: &[(u128, usize)], otherwise: usize, margin: &str) {
        let of = on.type_in(self.locals, self.types).unwrap_or(Types::BOOL);
        // One arm per line in the forms for people; all in one line in the expanded form.
        let (before, after) = match self.form {
            Form::Expanded => ("", " "),
            Form::Readable | Form::Surface => (margin, "\n"),
        };
        self.push(margin);
        self.push("match ");
        self.operand(on);
        self.push(" {");
        self.push(after);
        let indent = if before.is_empty() { "" } else { "    " };
        for (bits, target) in arms {
            self.push(before);
            self.push(indent);
            self.pattern(of, *bits);
            self.numbered(" => bb", *target);
            self.push(",");
            self.push(after);
        }
        self.push(before);
        self.push(indent);
        self.numbered("_ => bb", otherwise);
        self.push(after);
        self.push(before);
        self.push("}");
    }

    /// A scalar as a pattern.
    pub(super) fn pattern(&mut self, of: TypeId, bits: u128) {
        match self.types.kind(of) {
            Kind::Bool => self.push(if bits == 0 { "false" } else { "true" }),
            Kind::Char => self.text.char(bits),
            Kind::Int(int) => self.text.int(*int, bits),
            _ => {}
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Goto(target) => {
                self.numbered("Goto(bb", *target);
                self.push(")");
            }
            Terminator::Call { callee, arguments, destination, target, unwind } => {
                self.push("Call(");
                self.target(destination);
                self.push(" = ");
                self.callee(callee, arguments);
                self.push("(");
                self.operands(arguments);
                self.numbered("), ReturnTo(bb", *target);
                self.push("), ");
                self.unwind(*unwind);
            }
            Terminator::Drop { place, target, unwind } => {
                self.push("Drop(");
                self.place(place);
                self.numbered(", ReturnTo(bb", *target);
                self.push("), ");
                self.unwind(*unwind);
            }
            Terminator::TailCall { callee, arguments } => {
                self.push("TailCall(");
                self.callee(callee, arguments);
                self.push("(");
                self.operands(arguments);
                self.push("))");
            }
            Terminator::Return => self.push("Return()"),
            Terminator::Unreachable => self.push("Unreachable()"),
            Terminator::Resume => self.push("UnwindResume()"),
            Terminator::Terminate(reason) => {
                self.push("UnwindTerminate(");
                self.push(reason.name());
                self.push(")");
            }
            // Printed by `switch` and `record`, because they need several lines.
            Terminator::Switch { .. } | Terminator::Record { .. } => {}
        }
    }

    fn unwind(&mut self, unwind: Unwind) {
        match unwind {
            Unwind::Continue => self.push("UnwindContinue())"),
            Unwind::Unreachable => self.push("UnwindUnreachable())"),
            Unwind::Cleanup(block) => {
                self.numbered("UnwindCleanup(bb", block);
                self.push("))");
            }
            Unwind::Terminate(reason) => {
                self.push("UnwindTerminate(");
                self.push(reason.name());
                self.push("))");
            }
        }
    }

    pub(super) fn callee(&mut self, callee: &Callee, arguments: &[Operand]) {
        match callee {
            Callee::Function(function, with) => {
                self.numbered("f", *function);
                for (index, of) in with.iter().enumerate() {
                    self.push(if index > 0 { ", " } else { "::<" });
                    self.of_type(*of);
                }
                self.push(if with.is_empty() { "" } else { ">" });
            }
            Callee::Method(of, method) => self.method_name(*of, *method),
            Callee::Pointer(place) if place.projections.is_empty() => self.place(place),
            // Without parentheses, a field would be parsed as a method.
            Callee::Pointer(place) => {
                self.push("(");
                self.place(place);
                self.push(")");
            }
            Callee::Catch(function) => {
                self.used.caught.push(*function);
                self.numbered("catch_f", *function);
            }
            Callee::Intrinsic(intrinsic) => self.intrinsic(*intrinsic, arguments),
            Callee::NewBox => self.push("Box::new"),
            Callee::BoxToPointer => self.push("Box::into_raw"),
            Callee::BoxFromPointer => self.push("Box::from_raw"),
            Callee::NewManual => self.push("core::mem::ManuallyDrop::new"),
            Callee::ManualToInner => self.push("core::mem::ManuallyDrop::into_inner"),
            Callee::BlackBox => self.push("core::hint::black_box"),
            Callee::Raise => {
                self.used.raise = true;
                self.push("raise");
            }
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, arguments: &[Operand]) {
        self.used.compare_bytes |= intrinsic == Intrinsic::CompareBytes;
        let first = arguments.first().and_then(|first| first.type_in(self.locals, self.types));
        let float = first.and_then(|of| match self.types.kind(of) {
            Kind::Float(float) => Some(*float),
            _ => None,
        });
        self.push(intrinsic.path(float));
    }
}
