//! Statements.

use super::Printer;
use super::expression::quoted;
use crate::model::{Assembly, CatchKind, Expression, Local, Statement, Version, Word};

impl Printer<'_> {
    pub(super) fn statements(
        &self,
        locals: &[Local],
        body: &[Statement],
        depth: usize,
        out: &mut String,
    ) {
        for statement in body {
            self.statement(locals, statement, depth, out);
        }
    }

    fn block(&self, locals: &[Local], body: &[Statement], depth: usize, out: &mut String) {
        out.push_str("{\n");
        self.statements(locals, body, depth + 1, out);
        indent(depth, out);
        out.push('}');
    }

    fn statement(&self, locals: &[Local], statement: &Statement, depth: usize, out: &mut String) {
        indent(depth, out);
        match statement {
            Statement::Let(id, initial) => {
                if let Some(local) = locals.get(usize::from(*id)) {
                    self.declaration(local, Some(*id), out);
                }
                if let Some(initial) = initial {
                    out.push_str(" = ");
                    self.expression(initial, out);
                }
                out.push(';');
            }
            Statement::LetMany(ids, call) => {
                out.push('(');
                for (index, id) in ids.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    if let Some((id, local)) =
                        id.and_then(|id| Some((id, locals.get(usize::from(id))?)))
                    {
                        self.declaration(local, Some(id), out);
                    }
                }
                out.push_str(") = ");
                self.expression(call, out);
                out.push(';');
            }
            Statement::Do(expression) => {
                self.expression(expression, out);
                out.push(';');
            }
            Statement::If(condition, yes, no) => {
                out.push_str("if (");
                self.expression(condition, out);
                out.push_str(") ");
                self.block(locals, yes, depth, out);
                if !no.is_empty() {
                    out.push_str(" else ");
                    self.block(locals, no, depth, out);
                }
            }
            Statement::For { counter, bound, body } => {
                out.push_str(&format!("for (uint256 v{counter} = 0; v{counter} < "));
                self.expression(bound, out);
                out.push_str(&format!("; v{counter}++) "));
                self.block(locals, body, depth, out);
            }
            Statement::While { counter, condition, bound, test_last, body } => {
                out.push_str(&format!("{{\n{}uint256 v{counter} = 0;\n", "    ".repeat(depth + 1)));
                indent(depth + 1, out);
                let mut test = format!("v{counter} < {bound} && ");
                self.expression(condition, &mut test);
                out.push_str(&if *test_last {
                    "do {\n".to_owned()
                } else {
                    format!("while ({test}) {{\n")
                });
                out.push_str(&format!("{}v{counter}++;\n", "    ".repeat(depth + 2)));
                self.statements(locals, body, depth + 2, out);
                indent(depth + 1, out);
                out.push_str(&if *test_last {
                    format!("}} while ({test});\n")
                } else {
                    "}\n".to_owned()
                });
                indent(depth, out);
                out.push('}');
            }
            Statement::Break => out.push_str("break;"),
            Statement::Continue => out.push_str("continue;"),
            Statement::Inner => out.push_str("_;"),
            Statement::Mention(which) => {
                let builtins = [
                    "keccak256",
                    "sha256",
                    "ripemd160",
                    "addmod",
                    "mulmod",
                    "ecrecover",
                    "assert",
                    "abi.encode",
                    "abi.encodePacked",
                ];
                out.push_str(&format!("{};", builtins[usize::from(*which) % builtins.len()]));
            }
            Statement::Assembly(block) => self.assembly(block, depth, out),
            Statement::Return(values) => {
                out.push_str("return");
                match values.as_slice() {
                    [] => {}
                    [value] => {
                        out.push(' ');
                        self.expression(value, out);
                    }
                    values => {
                        out.push_str(" (");
                        self.list(values, out);
                        out.push(')');
                    }
                }
                out.push(';');
            }
            Statement::Block(checked, body) => {
                if let Some(text) = self.placeholder(*checked, 'U') {
                    out.push_str(&format!("{text} "));
                } else if !self.view.is_on(*checked) && self.view.version() >= Version::V8 {
                    out.push_str("unchecked ");
                }
                self.block(locals, body, depth, out);
            }
            Statement::Require(condition, text, error) => {
                out.push_str("require(");
                self.expression(condition, out);
                if let Some((id, arguments)) = error {
                    out.push_str(&format!(", {}", self.raised(*id, arguments)));
                } else if let Some(text) = text {
                    out.push_str(&format!(", {}", quoted(text)));
                }
                out.push_str(");");
            }
            Statement::Assert(condition) => {
                out.push_str("assert(");
                self.expression(condition, out);
                out.push_str(");");
            }
            Statement::Revert(Some((id, arguments)), _) => {
                out.push_str(&format!("revert {};", self.raised(*id, arguments)));
            }
            Statement::Revert(None, text) => {
                out.push_str(&format!("revert({});", quoted(text)));
            }
            Statement::Emit(id, arguments) => {
                let emit = if self.view.version() < Version::V4Late { "" } else { "emit " };
                out.push_str(&format!("{emit}{}(", self.event(*id)));
                self.list(arguments, out);
                out.push_str(");");
            }
            Statement::Delete(place) => {
                out.push_str("delete ");
                self.expression(place, out);
                out.push(';');
            }
            Statement::Pop(array) => {
                self.expression(array, out);
                out.push_str(".pop();");
            }
            Statement::Swap(places, values) => {
                self.tuple(places, out);
                out.push_str(" = ");
                self.tuple(values, out);
                out.push(';');
            }
            Statement::Try { call, results, body, catches } => {
                out.push_str("try ");
                self.expression(call, out);
                if !results.is_empty() {
                    out.push_str(" returns (");
                    for (index, id) in results.iter().enumerate() {
                        out.push_str(if index > 0 { ", " } else { "" });
                        if let Some(local) = locals.get(usize::from(*id)) {
                            self.declaration(local, Some(*id), out);
                        }
                    }
                    out.push(')');
                }
                out.push(' ');
                self.block(locals, body, depth, out);
                for (kind, body) in catches {
                    out.push_str(&match kind {
                        CatchKind::Error(id) => format!(" catch Error(string memory v{id}) "),
                        CatchKind::Panic(id) => format!(" catch Panic(uint256 v{id}) "),
                        CatchKind::Data(id) => format!(" catch (bytes memory v{id}) "),
                        CatchKind::All => " catch ".to_owned(),
                    });
                    self.block(locals, body, depth, out);
                }
            }
        }
        out.push('\n');
    }

    /// A tuple; the first two of three components are one inside it.
    fn tuple(&self, items: &[Expression], out: &mut String) {
        out.push('(');
        match items {
            [first @ .., last] if first.len() == 2 => {
                self.tuple(first, out);
                out.push_str(", ");
                self.expression(last, out);
            }
            items => self.list(items, out),
        }
        out.push(')');
    }

    fn assembly(&self, block: &[Assembly], depth: usize, out: &mut String) {
        let safe = self.view.version() >= Version::Newest && block.len() % 2 == 1;
        let head = if safe { "assembly (\"memory-safe\") {\n" } else { "assembly {\n" };
        out.push_str(head);
        for statement in block {
            indent(depth + 1, out);
            let word = self.word(statement.word());
            match statement {
                Assembly::Set(local, _) => out.push_str(&format!("v{local} := {word}\n")),
                Assembly::Store(state, _) => {
                    out.push_str(&format!("sstore({}, {word})\n", self.slot(*state)));
                }
                Assembly::StoreItem(local, index, _) => {
                    let offset = u32::from(*index) * 32;
                    out.push_str(&format!("mstore(add(v{local}, {offset}), {word})\n"));
                }
                Assembly::Hash(hashes, _) => {
                    out.push_str(&format!("mstore(0, {word})\n"));
                    for (local, size) in hashes {
                        indent(depth + 1, out);
                        out.push_str(&format!("v{local} := keccak256(0, {size})\n"));
                    }
                }
                Assembly::Loop { sum, count, leaves_at, breaks, .. } => {
                    let leave = if *breaks { "break" } else { "continue" };
                    out.push_str(&format!(
                        "for {{ let i := 0 }} lt(i, {count}) {{ i := add(i, 1) }} {{\n"
                    ));
                    for line in [
                        "let w := i".to_owned(),
                        format!("w := add(w, {word})"),
                        format!("if eq(i, {leaves_at}) {{ {leave} }}"),
                        format!("v{sum} := add(v{sum}, w)"),
                    ] {
                        indent(depth + 2, out);
                        out.push_str(&line);
                        out.push('\n');
                    }
                    indent(depth + 1, out);
                    out.push_str("}\n");
                }
                Assembly::Stop(_) => out.push_str(&format!("if {word} {{ stop() }}\n")),
                Assembly::Scratch(local, _) => {
                    out.push_str(&format!("mstore(0, {word})\n"));
                    indent(depth, out);
                    out.push_str("}\n");
                    indent(depth, out);
                    out.push_str(head);
                    indent(depth + 1, out);
                    out.push_str(&format!("v{local} := mload(0)\n"));
                }
            }
        }
        indent(depth, out);
        out.push('}');
    }

    fn slot(&self, state: u16) -> String {
        match self.view.version() >= Version::V7 {
            true => format!("s{state}.slot"),
            false => format!("s{state}_slot"),
        }
    }

    fn word(&self, it: &Word) -> String {
        match it {
            Word::Local(id) => format!("v{id}"),
            Word::Number(number) => format!("{number}"),
            Word::Load(state) => format!("sload({})", self.slot(*state)),
            Word::Apply(instruction, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.word(part)).collect();
                format!("{}({})", instruction.text(), parts.join(", "))
            }
        }
    }

    fn raised(&self, id: u16, arguments: &[Expression]) -> String {
        let mut out = format!("{}(", self.error(id));
        self.list(arguments, &mut out);
        out.push(')');
        out
    }
}

fn indent(depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str("    ");
    }
}
