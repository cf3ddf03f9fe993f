//! Programs as plain Rust: functions, declarations and control flow. `plain.rs` and `expression.rs` print the
//! statements.

use super::super::program::{Constant, Function, Operand, Projection};
use super::super::types::{Kind, Shape, TypeId, Types};
use super::super::visit::{Mention, read};
use super::Printer;
use super::flow::{Node, structure};
use super::scope::{Declared, Facts, facts};
use super::types::Lifetime;

/// A function that is being printed.
pub(super) struct Body<'a> {
    pub(super) number: usize,
    pub(super) function: &'a Function,
    pub(super) facts: Vec<Facts>,
    /// Which locals have been declared.
    pub(super) declared: Vec<bool>,
    /// The labelled blocks and loops around the current position, outermost first.
    enclosing: Vec<Enclosing>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    Label,
    Loop(usize),
}

impl Printer<'_> {
    pub(super) fn surface(mut self) -> Option<String> {
        let program = self.program;
        for index in 0..self.types.adts.len() {
            self.adt(index);
        }
        for index in 0..program.statics.len() {
            self.static_item(index);
        }
        self.traits();
        for number in 0..program.functions.len() {
            self.plain_function(number)?;
        }
        self.prelude();
        self.main();
        Some(self.text.out.trim_start().to_owned())
    }

    fn plain_function(&mut self, number: usize) -> Option<()> {
        let types = self.types;
        let function = &self.program.functions[number];
        self.locals = &function.locals;
        if function.locals.iter().any(|of| types.needs_drop(*of)) {
            return None;
        }
        if self.may_read_inactive_variant(function) {
            return None;
        }
        let nodes = structure(function)?;
        let facts = facts(function, &nodes);
        let borrowed_unit =
            |(of, facts): (&TypeId, &Facts)| *of == Types::UNIT && facts.is_borrowed();
        if function.locals.iter().zip(&facts).any(borrowed_unit) {
            return None;
        }
        self.gap();
        self.plain_head(number, function, &facts);
        let is_unsafe = function.blocks.iter().any(|block| self.needs_unsafe(block));
        let margin = if is_unsafe { 2 } else { 1 };
        self.push(if is_unsafe { " {\n    unsafe {\n" } else { " {\n" });
        let declared = vec![false; function.locals.len()];
        let mut body = Body { number, function, facts, declared, enclosing: vec![] };
        self.first_declarations(&mut body, margin)?;
        let (last, rest) = nodes.split_last()?;
        self.nodes(rest, &mut body, margin)?;
        if *last != Node::Return {
            self.nodes(std::slice::from_ref(last), &mut body, margin)?;
        } else if function.returns() != Types::UNIT {
            self.margin(margin);
            self.push("ret\n");
        }
        self.push(if is_unsafe { "    }\n}\n" } else { "}\n" });
        Some(())
    }

    /// Whether a field of an inactive variant may be read. That is defined where the layout is fixed, but a `match`
    /// cannot express it.
    fn may_read_inactive_variant(&self, function: &Function) -> bool {
        let types = self.types;
        let mut found = false;
        read::function(function, &mut |mention| {
            let Mention::Place(place) = mention else { return };
            let mut of = function.locals[place.local];
            for projection in &place.projections {
                let fixed = types.layout(of).fixed && types.variants(of).len() > 1;
                found |= fixed && matches!(projection, Projection::Variant(..));
                of = projection.type_of(of, types).unwrap_or(Types::UNIT);
            }
        });
        found
    }

    fn plain_head(&mut self, number: usize, function: &Function, facts: &[Facts]) {
        self.inlining(function);
        let parameters = function.parameter_types();
        let lifetime = self.signature_lifetime(parameters, function.returns(), Lifetime::Parameter);
        self.numbered("pub fn f", number);
        self.generics(lifetime, function);
        self.push("(");
        for (index, of) in parameters.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            self.push(if facts[index + 1].is_mutable(true) { "mut " } else { "" });
            self.numbered("_", index + 1);
            self.push(": ");
            self.type_with_lifetime(*of, lifetime);
        }
        self.push(")");
        self.returns(function.returns(), lifetime);
    }

    pub(super) fn margin(&mut self, margin: usize) {
        for _ in 0..margin {
            self.push("    ");
        }
    }

    fn first_declarations(&mut self, body: &mut Body<'_>, margin: usize) -> Option<()> {
        let function = body.function;
        for (local, of) in function.locals.iter().enumerate() {
            let declared = body.facts[local].declared();
            if (1..=function.parameters).contains(&local) || *of == Types::UNIT {
                body.declared[local] = true;
            }
            if body.declared[local] || matches!(declared, Declared::Unused | Declared::AtFirstWrite)
            {
                continue;
            }
            body.declared[local] = true;
            self.margin(margin);
            self.push("let mut ");
            self.local(local);
            self.push(": ");
            self.of_type(*of);
            if declared == Declared::AtStartWithValue {
                self.push(" = ");
                self.placeholder(*of)?;
            }
            self.push(";\n");
        }
        Some(())
    }

    /// A placeholder value of a type, which is never read.
    fn placeholder(&mut self, of: TypeId) -> Option<()> {
        let types = self.types;
        match types.kind(of) {
            Kind::Tuple(parts) => {
                self.push("(");
                for part in parts {
                    self.placeholder(*part)?;
                    self.push(", ");
                }
                self.push(")");
            }
            Kind::Array(element, length) => {
                self.push("[");
                self.placeholder(*element)?;
                self.numbered("; ", *length as usize);
                self.push("]");
            }
            Kind::Adt(index) => {
                self.adt_name(*index);
                let fields = match &types.adts[*index].shape {
                    Shape::Struct(fields) => fields.as_slice(),
                    Shape::Union(fields) => fields.get(..1)?,
                    Shape::Enum(variants) => {
                        let plain = variants.iter().position(|one| one.fields.is_empty())?;
                        self.numbered("::V", plain);
                        return Some(());
                    }
                };
                self.push(" { ");
                for (number, field) in fields.iter().enumerate() {
                    self.numbered("f", number);
                    self.push(": ");
                    self.placeholder(*field)?;
                    self.push(", ");
                }
                self.push("}");
            }
            Kind::Pointer { mutable, .. } if !types.is_wide(of) => {
                self.push(if *mutable { "std::ptr::null_mut()" } else { "std::ptr::null()" });
            }
            _ if types.is_scalar(of) => self.constant(Constant { of, bits: 0 }),
            _ => return None,
        }
        Some(())
    }

    fn nodes(&mut self, nodes: &[Node<'_>], body: &mut Body<'_>, margin: usize) -> Option<()> {
        for node in nodes {
            if let Node::Block(block) = node {
                self.plain_block(*block, body, margin)?;
                continue;
            }
            self.margin(margin);
            match node {
                Node::Match { on, arms, otherwise } => {
                    self.branch(on, arms, otherwise, body, margin)?;
                }
                Node::Label(label, inside) => {
                    self.numbered("'bb", *label);
                    self.push(": {\n");
                    self.within(Enclosing::Label, inside, body, margin)?;
                }
                Node::Loop(head, inside) => {
                    if needs_label(*head, inside, false) {
                        self.numbered("'bb", *head);
                        self.push(": ");
                    }
                    self.push("loop {\n");
                    self.within(Enclosing::Loop(*head), inside, body, margin)?;
                }
                Node::Break(label) => {
                    self.numbered("break 'bb", *label);
                    self.push(";");
                }
                Node::BreakLoop(head) => self.jump_to_loop("break", *head, body),
                Node::Continue(head) => self.jump_to_loop("continue", *head, body),
                Node::Return if body.function.returns() == Types::UNIT => self.push("return;"),
                Node::Return => self.push("return ret;"),
                Node::Unreachable | Node::Block(_) => {
                    self.push("std::hint::unreachable_unchecked();");
                }
            }
            self.push("\n");
        }
        Some(())
    }

    fn jump_to_loop(&mut self, how: &str, head: usize, body: &Body<'_>) {
        self.push(how);
        if body.enclosing.last() != Some(&Enclosing::Loop(head)) {
            self.numbered(" 'bb", head);
        }
        self.push(";");
    }

    /// Nested code with its closing brace.
    fn within(
        &mut self,
        enclosing: Enclosing,
        nodes: &[Node<'_>],
        body: &mut Body<'_>,
        margin: usize,
    ) -> Option<()> {
        body.enclosing.push(enclosing);
        self.nodes(nodes, body, margin + 1)?;
        body.enclosing.pop();
        self.margin(margin);
        self.push("}");
        Some(())
    }

    fn branch(
        &mut self,
        on: &Operand,
        arms: &[(u128, Vec<Node<'_>>)],
        otherwise: &[Node<'_>],
        body: &mut Body<'_>,
        margin: usize,
    ) -> Option<()> {
        let of = on.type_in(self.locals, self.types)?;
        if of == Types::BOOL {
            let side = |wanted: u128| {
                let arm = arms.iter().find(|(bits, _)| *bits == wanted);
                arm.map_or(otherwise, |(_, arm)| arm.as_slice())
            };
            let (yes, no) = (side(1), side(0));
            self.push(if yes.is_empty() { "if !" } else { "if " });
            self.operand(on);
            self.push(" {\n");
            let (first, second) = if yes.is_empty() { (no, yes) } else { (yes, no) };
            self.nodes(first, body, margin + 1)?;
            if !second.is_empty() {
                self.margin(margin);
                self.push("} else {\n");
                self.nodes(second, body, margin + 1)?;
            }
            self.margin(margin);
            self.push("}");
            return Some(());
        }
        self.push("match ");
        self.operand(on);
        self.push(" {\n");
        for (bits, arm) in arms {
            self.margin(margin + 1);
            self.pattern(of, *bits);
            self.arm(arm, body, margin)?;
        }
        self.margin(margin + 1);
        self.push("_");
        self.arm(otherwise, body, margin)?;
        self.margin(margin);
        self.push("}");
        Some(())
    }

    fn arm(&mut self, nodes: &[Node<'_>], body: &mut Body<'_>, margin: usize) -> Option<()> {
        if nodes.is_empty() {
            self.push(" => {}\n");
            return Some(());
        }
        self.push(" => {\n");
        self.nodes(nodes, body, margin + 2)?;
        self.margin(margin + 1);
        self.push("}\n");
        Some(())
    }
}

/// Whether a `break` or `continue` of a loop is inside another loop or labelled block, so that it needs a label.
fn needs_label(head: usize, nodes: &[Node<'_>], nested: bool) -> bool {
    nodes.iter().any(|node| match node {
        Node::BreakLoop(of) | Node::Continue(of) => *of == head && nested,
        Node::Label(_, inside) | Node::Loop(_, inside) => needs_label(head, inside, true),
        Node::Match { arms, otherwise, .. } => {
            arms.iter().any(|(_, arm)| needs_label(head, arm, nested))
                || needs_label(head, otherwise, nested)
        }
        _ => false,
    })
}
