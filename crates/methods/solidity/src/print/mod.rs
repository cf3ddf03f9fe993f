//! Prints a program as Solidity. Declarations are printed if something uses them.

mod expression;
mod statement;
mod types;

use std::cell::Cell;

use crate::model::{
    Attribute, Contract, ContractKind, Function, FunctionId, FunctionKind, Local, LocalId,
    Location, Mutability, StateKind, TypeId, Version,
};
use crate::view::View;

/// The source of a program.
pub fn print(view: &View<'_>) -> String {
    let printer = Printer::new(view, false);
    printer.source()
}

/// The source of a template, with placeholders for its variables.
pub fn print_template(view: &View<'_>) -> String {
    let printer = Printer::new(view, true);
    printer.source()
}

struct Printer<'a> {
    view: &'a View<'a>,
    /// Whether variables are shown instead of their values.
    open: bool,
    structs: Cell<u64>,
    enums: Cell<u64>,
    wrappers: Cell<u64>,
    events: Cell<u64>,
    errors: Cell<u64>,
}

fn mark(cell: &Cell<u64>, number: u16) {
    cell.set(cell.get() | 1u64.checked_shl(u32::from(number)).unwrap_or(0));
}

fn is_marked(cell: &Cell<u64>, number: usize) -> bool {
    cell.get() & 1u64.checked_shl(number as u32).unwrap_or(0) != 0
}

impl<'a> Printer<'a> {
    fn new(view: &'a View<'a>, open: bool) -> Self {
        let none = || Cell::new(0);
        Self {
            view,
            open,
            structs: none(),
            enums: none(),
            wrappers: none(),
            events: none(),
            errors: none(),
        }
    }

    fn source(&self) -> String {
        let template = self.view.template;
        let mut contracts = String::with_capacity(2048);
        for (number, contract) in template.contracts.iter().enumerate() {
            self.contract(number, contract, &mut contracts);
        }
        self.free_functions(&mut contracts);
        let mut declarations = String::with_capacity(256);
        self.declarations(&mut declarations);
        let mut out = String::with_capacity(contracts.len() + declarations.len() + 64);
        if let Some(text) = self.placeholder(template.abi_coder, 'A') {
            out.push_str(&format!("pragma abicoder {text};\n"));
        } else if template.first_coder {
            // Before 0.8 it is the usual one.
            let modern = template.version >= Version::V8;
            out.push_str(if modern { "pragma abicoder v1;\n" } else { "" });
        } else if self.view.is_on(template.abi_coder) || template.version < Version::V8 {
            out.push_str(match template.version {
                it if it >= Version::V8 => "pragma abicoder v2;\n",
                it if it < Version::V5 => "",
                _ => "pragma experimental ABIEncoderV2;\n",
            });
        }
        let inner = self.imported();
        if inner > 0 {
            return self.in_files(&out, &declarations, inner);
        }
        out.push_str(&declarations);
        out.push_str(&contracts);
        out
    }

    /// How the file with the declarations outside of contracts is imported; 0 if all is in one file.
    fn imported(&self) -> u8 {
        if self.open { 0 } else { self.view.number(self.view.template.files).min(3) }
    }

    /// Two files: what is declared outside of contracts, with libraries, and the contracts.
    fn in_files(&self, head: &str, declarations: &str, how: u8) -> String {
        let template = self.view.template;
        let (mut inner, mut outer) = (String::new(), String::new());
        for (number, contract) in template.contracts.iter().enumerate() {
            let library = contract.kind == ContractKind::Library;
            self.contract(number, contract, if library { &mut inner } else { &mut outer });
        }
        self.free_functions(&mut inner);
        let import = match how {
            1 => "import \"lib.sol\";",
            2 => "import \"./lib.sol\";",
            _ => "import \"lib.sol\"; import * as All from \"lib.sol\";",
        };
        format!(
            "==== Source: lib.sol ====\n{head}{declarations}{inner}==== Source: case.sol ====\n{head}{import}\n{outer}"
        )
    }

    fn free_functions(&self, out: &mut String) {
        let template = self.view.template;
        for (id, function) in template.functions.iter().enumerate() {
            if function.kind == FunctionKind::Free && is_listed(template, id) {
                self.function(id as FunctionId, function, "", out);
            }
        }
        for (wrapper, op, id) in &template.operators {
            if is_listed(template, usize::from(*id)) {
                mark(&self.wrappers, u16::from(*wrapper));
                let name = self.view.function_name(*id);
                out.push_str(&format!(
                    "using {{{name} as {}}} for U{wrapper} global;\n",
                    op.text()
                ));
            }
        }
    }

    /// The name of a variable, if variables are shown.
    fn placeholder(&self, attribute: Attribute, letter: char) -> Option<String> {
        match attribute {
            Attribute::Variable(id) if self.open => Some(format!("\u{27e8}{letter}{id}\u{27e9}")),
            _ => None,
        }
    }

    /// Types, events and errors that something uses. Structs may use earlier ones.
    fn declarations(&self, out: &mut String) {
        let template = self.view.template;
        let mut events = String::new();
        for (id, event) in template.events.iter().enumerate() {
            if is_marked(&self.events, id) && template.version >= Version::Newest {
                events.push_str(&format!("event Ev{id}("));
                for (index, (ty, indexed)) in event.parameters.iter().enumerate() {
                    if index > 0 {
                        events.push_str(", ");
                    }
                    self.type_name(*ty, &mut events);
                    events.push_str(if *indexed { " indexed" } else { "" });
                }
                events.push_str(if event.anonymous { ") anonymous;\n" } else { ");\n" });
            }
        }
        for (id, types) in template.errors.iter().enumerate() {
            if is_marked(&self.errors, id) {
                events.push_str(&format!("error Er{id}("));
                for (index, ty) in types.iter().enumerate() {
                    if index > 0 {
                        events.push_str(", ");
                    }
                    self.type_name(*ty, &mut events);
                }
                events.push_str(");\n");
            }
        }
        let mut structs = vec![];
        for (id, it) in template.structs.iter().enumerate().rev() {
            if is_marked(&self.structs, id) {
                let mut text = format!("struct S{id} {{ ");
                for (index, field) in it.fields.iter().enumerate() {
                    self.type_name(*field, &mut text);
                    text.push_str(&format!(" m{index}; "));
                }
                text.push_str("}\n");
                structs.push(text);
            }
        }
        for (id, ty) in template.wrappers.iter().enumerate() {
            if is_marked(&self.wrappers, id) {
                out.push_str(&format!("type U{id} is "));
                self.type_name(*ty, out);
                out.push_str(";\n");
            }
        }
        let inside = template.version < Version::V6;
        let start = out.len();
        for (id, members) in template.enums.iter().enumerate() {
            if is_marked(&self.enums, id) {
                let members: Vec<String> = (0..*members).map(|it| format!("M{it}")).collect();
                out.push_str(&format!("enum E{id} {{ {} }}\n", members.join(", ")));
            }
        }
        for text in structs.iter().rev() {
            out.push_str(text);
        }
        if inside && out.len() > start {
            out.insert_str(start, "contract T {\n");
            out.push_str("}\n");
        }
        out.push_str(&events);
    }

    fn contract(&self, number: usize, contract: &Contract, out: &mut String) {
        let keyword = match contract.kind {
            ContractKind::Contract => "contract",
            ContractKind::Abstract if self.view.version() < Version::V6 => "contract",
            ContractKind::Abstract => "abstract contract",
            ContractKind::Library => "library",
            ContractKind::Interface => "interface",
        };
        out.push_str(&format!("{keyword} C{number}"));
        for (index, base) in contract.bases.iter().enumerate() {
            out.push_str(if index == 0 { " is " } else { ", " });
            out.push_str(&format!("C{base}"));
            let listed = contract.constructor.is_none();
            let arguments = contract.base_arguments.iter().find(|(it, _)| listed && it == base);
            if let Some((_, arguments)) = arguments {
                out.push('(');
                self.list(arguments, out);
                out.push(')');
            }
        }
        if self.view.number(contract.layout) > 0 && !self.open {
            out.push_str(&format!(" layout at {}", self.view.base_slot(number as u8)));
        }
        out.push_str(" {\n");
        for (other, library) in self.view.template.contracts.iter().enumerate() {
            let uses = library.kind == ContractKind::Library && other < number;
            if uses && !matches!(contract.kind, ContractKind::Library | ContractKind::Interface) {
                out.push_str(&format!("    using C{other} for *;\n"));
            }
        }
        if let Some(text) = self.placeholder(contract.order, 'O') {
            out.push_str(&format!("    // {text}: the order of state variables\n"));
        }
        for id in self.view.declared_states(number as u8) {
            let state = &self.view.template.states[usize::from(id)];
            out.push_str("    ");
            self.type_name(state.ty, out);
            match self.placeholder(state.kind, 'K') {
                Some(text) => word(out, &text),
                None => word(out, self.view.state_kind(state.kind).text()),
            }
            match self.placeholder(state.visibility, 'V') {
                Some(text) => word(out, &text),
                None => word(out, self.view.visibility(state.visibility).text()),
            }
            out.push_str(&format!(" s{id}"));
            if let Some(initial) = &state.initial
                && self.view.state_kind(state.kind) != StateKind::Transient
            {
                out.push_str(" = ");
                self.expression(initial, out);
            }
            out.push_str(";\n");
        }
        if self.view.version() < Version::Newest {
            self.inner_events(number, out);
        }
        for id in &contract.modifiers {
            self.function(*id, &self.view.template.functions[usize::from(*id)], "    ", out);
        }
        for id in contract.constructor.iter().chain(&contract.functions) {
            self.function(*id, &self.view.template.functions[usize::from(*id)], "    ", out);
        }
        out.push_str("}\n");
    }

    /// Before 0.8.22, events are declared in contracts.
    fn inner_events(&self, number: usize, out: &mut String) {
        let template = self.view.template;
        if !template.contracts[number].bases.is_empty() {
            return;
        }
        for (id, event) in template.events.iter().enumerate() {
            out.push_str(&format!("    event Ev{id}("));
            for (index, (ty, indexed)) in event.parameters.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                self.type_name(*ty, out);
                out.push_str(if *indexed { " indexed" } else { "" });
            }
            out.push_str(if event.anonymous { ") anonymous;\n" } else { ");\n" });
        }
    }

    fn function(&self, id: FunctionId, function: &Function, indent: &str, out: &mut String) {
        if !self.open {
            self.doc(function, indent, out);
        }
        out.push_str(indent);
        let constructor = function.kind == FunctionKind::Constructor;
        match function.kind {
            // Before 0.4.22, it is a function with the name of the contract.
            FunctionKind::Constructor if self.view.version() < Version::V4Late => {
                out.push_str(&format!("function C{}", function.contract.unwrap_or_default()));
            }
            FunctionKind::Constructor => out.push_str("constructor"),
            FunctionKind::Modifier => out.push_str(&format!("modifier mo{id}")),
            FunctionKind::Receive => out.push_str("receive"),
            FunctionKind::Fallback if self.view.version() < Version::V6 => {
                out.push_str("function ");
            }
            FunctionKind::Fallback => out.push_str("fallback"),
            FunctionKind::Ordinary | FunctionKind::Free => {
                out.push_str("function ");
                out.push_str(&self.view.function_name(id));
            }
        }
        out.push('(');
        let parameters = usize::from(function.parameters);
        self.parameters(&function.locals[..parameters], 0, true, out);
        out.push(')');
        let free = function.kind == FunctionKind::Free;
        let modifier = function.kind == FunctionKind::Modifier;
        if !free && !modifier && (!constructor || self.view.version() < Version::V7) {
            match self.placeholder(function.visibility, 'V') {
                Some(text) => word(out, &text),
                None if constructor => word(out, "public"),
                None => word(out, self.view.visibility(function.visibility).text()),
            }
        }
        match self.placeholder(function.mutability, 'M') {
            _ if modifier => {}
            Some(text) => word(out, &text),
            None => word(out, self.mutability(function)),
        }
        if function.is_virtual && self.view.version() >= Version::V6 {
            out.push_str(" virtual");
        }
        if !function.overrides.is_empty() && self.view.version() >= Version::V6 {
            out.push_str(" override");
            self.overridden(function, out);
        }
        if let Some(contract) = function.contract.filter(|_| constructor) {
            let contract = &self.view.template.contracts[usize::from(contract)];
            for (base, arguments) in &contract.base_arguments {
                out.push_str(&format!(" C{base}("));
                self.list(arguments, out);
                out.push(')');
            }
        }
        for (id, arguments) in &function.modifiers {
            out.push_str(&format!(" mo{id}("));
            self.list(arguments, out);
            out.push(')');
        }
        if function.returns > 0 {
            out.push_str(" returns (");
            let locals = &function.locals[parameters..parameters + usize::from(function.returns)];
            self.parameters(locals, function.parameters, function.named_returns, out);
            out.push(')');
        }
        if function.is_abstract {
            out.push_str(";\n");
            return;
        }
        out.push_str(" {\n");
        let depth = if free { 1 } else { 2 };
        self.statements(&function.locals, &function.body, depth, out);
        out.push_str(indent);
        out.push_str("}\n");
    }

    /// Before 0.4.16, functions that change nothing are constant.
    pub(super) fn mutability(&self, function: &Function) -> &'static str {
        match self.view.mutability(function.mutability) {
            Mutability::Pure | Mutability::View if self.view.version() < Version::V4Late => {
                "constant"
            }
            mutability => mutability.text(),
        }
    }

    /// A comment in the format that the compiler reads.
    fn doc(&self, function: &Function, indent: &str, out: &mut String) {
        let number = self.view.number(function.doc);
        if number == 0 {
            return;
        }
        let named = usize::from(function.parameters).min(function.locals.len());
        match number {
            1 => out.push_str(&format!("{indent}/// @dev Line one,\n{indent}/// line two.\n")),
            2 => {
                out.push_str(&format!("{indent}/** @dev Text.\n"));
                for id in 0..named {
                    out.push_str(&format!("{indent} * @param v{id} a value\n"));
                }
                out.push_str(&format!("{indent} */\n"));
            }
            _ if !function.overrides.is_empty() && self.view.version() >= Version::V7 => {
                let base = function.overrides.iter().max();
                let base = base.map(|id| &self.view.template.functions[usize::from(*id)]);
                if let Some(contract) = base.and_then(|it| it.contract) {
                    out.push_str(&format!("{indent}/// @inheritdoc C{contract}\n"));
                }
            }
            _ => out.push_str(&format!("{indent}/// @notice Text.\n")),
        }
    }

    /// Where a function overrides versions of several bases, these are named.
    fn overridden(&self, function: &Function, out: &mut String) {
        let template = self.view.template;
        let Some(own) = function.contract else { return };
        let bases: Vec<String> = template.contracts[usize::from(own)]
            .bases
            .iter()
            .filter(|base| {
                let order = self.view.linearised(**base);
                function.overrides.iter().any(|id| {
                    let contract = template.functions[usize::from(*id)].contract;
                    contract.is_some_and(|it| order.contains(&it))
                })
            })
            .map(|base| {
                let order = self.view.linearised(*base);
                let last = order.iter().rev().find(|it| {
                    let functions = &template.contracts[usize::from(**it)].functions;
                    functions.iter().any(|id| function.overrides.contains(id))
                });
                format!("C{}", last.unwrap_or(base))
            })
            .collect();
        let mut bases = bases;
        bases.sort_unstable();
        bases.dedup();
        if bases.len() > 1 {
            out.push_str(&format!("({})", bases.join(", ")));
        }
    }

    fn parameters(&self, locals: &[Local], first: LocalId, named: bool, out: &mut String) {
        for (index, local) in locals.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.declaration(local, named.then_some(first + index as LocalId), out);
        }
    }

    /// A type with its location and a name.
    fn declaration(&self, local: &Local, name: Option<LocalId>, out: &mut String) {
        self.located(local.ty, local.location, out);
        if let Some(id) = name {
            out.push_str(&format!(" v{id}"));
        }
    }

    pub(super) fn located(&self, ty: TypeId, location: Attribute, out: &mut String) {
        self.type_name(ty, out);
        let resolved = self.view.ty(ty);
        if resolved.is_reference() {
            match self.placeholder(location, 'L') {
                Some(text) => word(out, &text),
                // Parameters of external functions are in calldata without saying so.
                None if self.view.version() < Version::V5
                    && self.view.location(location) == Location::Calldata => {}
                None => word(out, self.view.location(location).text()),
            }
        }
    }
}

fn is_listed(template: &crate::model::Template, id: usize) -> bool {
    // A reduction drops a free function by leaving out its body.
    !template.functions[id].is_abstract
}

fn word(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push(' ');
        out.push_str(text);
    }
}
