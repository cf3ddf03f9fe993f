//! Traits and their implementations. Methods forward to functions, since a method cannot have a custom MIR body.

use super::Printer;

impl Printer<'_> {
    pub(super) fn traits(&mut self) {
        let program = self.program;
        for (number, it) in program.traits.iter().enumerate() {
            if it.methods.is_empty() && it.implementations.is_empty() {
                continue;
            }
            self.gap();
            self.numbered("pub trait Tr", number);
            self.push(" {\n");
            for index in 0..it.methods.len() {
                self.push("    ");
                self.method_head(number, index);
                self.push(";\n");
            }
            self.push("}\n");
            for implementation in &it.implementations {
                self.gap();
                self.numbered("impl Tr", number);
                self.push(" for ");
                self.of_type(implementation.of);
                self.push(" {\n");
                for (index, function) in implementation.functions.iter().enumerate() {
                    self.push("    #[inline]\n    ");
                    self.method_head(number, index);
                    self.numbered(" { f", *function);
                    self.push("(self");
                    for argument in 0..it.methods[index].parameters.len() {
                        self.numbered(", a", argument);
                    }
                    self.push(") }\n");
                }
                self.push("}\n");
            }
        }
    }

    fn method_head(&mut self, of: usize, method: usize) {
        let it = &self.program.traits[of].methods[method];
        self.numbered("fn m", method);
        self.push(if it.mutable { "(&mut self" } else { "(&self" });
        for (index, parameter) in it.parameters.iter().enumerate() {
            self.numbered(", a", index);
            self.push(": ");
            self.of_type(*parameter);
        }
        self.push(")");
        self.returns(it.returns, super::types::Lifetime::Elided);
    }

    /// `<dyn Tr0 as Tr0>::m1`.
    pub(super) fn method_name(&mut self, of: usize, method: usize) {
        self.numbered("<dyn Tr", of);
        self.numbered(" as Tr", of);
        self.numbered(">::m", method);
    }
}
