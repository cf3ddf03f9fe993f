//! All calls of an executable: the functions of a module, each with a wrapper that loads the arguments of a call
//! and stores its result, and the table of calls.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use forge::Entropy;

use super::call::{Call, Signature, Variable, defined};
use super::globals::{Places, copy_of};
use super::leaf::Leaf;
use super::machine::Machine;
use crate::interpret::{Layout, Program};
use crate::ir::{Attribute, Attributes, Function, Header, Module, Type};
use crate::print::attributes;
use crate::refine::inputs;

/// How many inputs a function is called with.
const CALLS: usize = 8;

/// How many inputs are tried to find them.
const TRIES: usize = 24;

/// Attributes that a call must repeat, because they change how values are passed.
const PASSING: [&str; 6] = ["zeroext", "signext", "inreg", "byval", "sret", "nest"];

/// The module and the calls of an executable.
#[derive(Debug)]
pub struct Plan {
    /// The IR of the executable without its fixed part.
    pub text: String,
    /// Sections that must lie at an address, from low to high.
    pub sections: Vec<(String, u64)>,
    pub calls: Vec<Call>,
    /// What is done about each function.
    pub functions: Vec<Tested>,
    big_endian: bool,
    /// Bytes of an address.
    word: usize,
    places: Places,
}

/// A function of an executable, and its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    pub name: Arc<str>,
    /// Its calls.
    pub calls: Range<usize>,
    /// Why there are none.
    pub why: Option<String>,
}

impl Plan {
    /// Calls of the named functions of a module that is [prepared](super::prepare).
    pub fn new(module: &Module, names: &[Arc<str>], machine: &Machine) -> Self {
        Self::of(module, names, machine, &|_| true)
    }

    /// With one call only: the first of which `is_it` is true.
    pub fn demonstration(
        module: &Module,
        machine: &Machine,
        is_it: &dyn Fn(&Call) -> bool,
    ) -> Option<Self> {
        let mut names = module.functions.iter().map(|it| &it.header.name);
        names.find_map(|name| {
            let plan = Self::of(module, std::slice::from_ref(name), machine, is_it);
            (!plan.calls.is_empty()).then_some(plan)
        })
    }

    fn of(
        module: &Module,
        names: &[Arc<str>],
        machine: &Machine,
        is_wanted: &dyn Fn(&Call) -> bool,
    ) -> Self {
        let mut plan = Self {
            text: String::new(),
            sections: vec![],
            places: Places::default(),
            calls: vec![],
            functions: vec![],
            big_endian: Layout::of(module).big_endian,
            word: machine.word as usize / 8,
        };
        let mut wrappers: Vec<usize> = vec![];
        for name in names {
            let start = plan.calls.len();
            let why = match module.function(name) {
                Some(function) => plan.function(module, function, machine, is_wanted).err(),
                None => Some("there is no such function".to_owned()),
            };
            wrappers.resize(plan.calls.len(), plan.functions.len());
            let calls = start..plan.calls.len();
            plan.functions.push(Tested { name: name.clone(), calls, why });
        }
        let mut module = module.clone();
        plan.sections = plan.places.settle(&mut module);
        plan.text.insert_str(0, &module.text());
        plan.table(&wrappers, machine.word);
        plan
    }

    /// What the program reads: the number of its first call.
    pub fn start(&self, call: usize) -> Vec<u8> {
        let mut bytes = (call as u64).to_le_bytes()[..self.word].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    fn function(
        &mut self,
        module: &Module,
        function: &Function,
        machine: &Machine,
        is_wanted: &dyn Fn(&Call) -> bool,
    ) -> Result<(), String> {
        let program = Program::new(module, function);
        if program.called.iter().any(|(_, has_body)| !has_body) {
            return Err("calls of unknown functions".to_owned());
        }
        let variables = self.places.variables(module, &program.memory.blocks)?;
        let header = &function.header;
        let all =
            |ty: &Type| Leaf::all(module, ty, machine.word).ok_or("a type that is not passed");
        let parameters = header.parameters.iter().map(|parameter| all(&parameter.ty));
        let signature = Signature {
            parameters: parameters.collect::<Result<_, _>>()?,
            returns: if header.returns == Type::Void { vec![] } else { all(&header.returns)? },
            big_endian: self.big_endian,
        };
        let mut why = None;
        let mut found = 0;
        for input in inputs(&program, function, TRIES, &mut Entropy::keyed(0)) {
            match Call::new(&program, &signature, &defined(input), &variables) {
                Ok(call) if !is_wanted(&call) => {}
                Ok(call) => {
                    self.calls.push(call);
                    found += 1;
                }
                Err(reason) => {
                    why.get_or_insert(reason);
                }
            }
            if found == CALLS {
                break;
            }
        }
        if found == 0 {
            return Err(why.unwrap_or_default());
        }
        let number = self.functions.len();
        wrapper(&mut self.text, number, header, &signature);
        Ok(())
    }

    /// The table that the library's loop reads.
    fn table(&mut self, wrappers: &[usize], word: u32) {
        let mut bytes: Vec<u8> = vec![];
        let mut place = |content: &[u8]| {
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            let start = bytes.len();
            bytes.extend_from_slice(content);
            format!("ptr getelementptr (i8, ptr @mistrust_bytes, i{word} {start})")
        };
        let mut rows = vec![];
        let mut blocks = vec![];
        for (call, wrapper) in self.calls.iter().zip(wrappers) {
            let arguments = place(&call.arguments);
            let first = blocks.len();
            for (address, content) in &call.blocks {
                let (at, length) = (place(content), content.len());
                let address = format!("ptr inttoptr (i{word} {address} to ptr)");
                blocks.push(format!("%mistrust_block {{ {address}, {at}, i{word} {length} }}"));
            }
            for Variable { name, number, size } in &call.variables {
                let (name, copy) = (quoted(name), copy_of(*number));
                blocks
                    .push(format!("%mistrust_block {{ ptr {name}, ptr @{copy}, i{word} {size} }}"));
            }
            let (size, many) = (call.result.len(), blocks.len() - first);
            let first = format!(
                "ptr getelementptr (%mistrust_block, ptr @mistrust_blocks, i{word} {first})"
            );
            rows.push(format!(
                "%mistrust_call {{ ptr @mistrust_call.{wrapper}, {arguments}, i{word} {size}, {first}, i{word} {many} }}"
            ));
        }
        let mut literal = String::with_capacity(3 * bytes.len());
        for byte in &bytes {
            let _ = write!(literal, "\\{byte:02X}");
        }
        let array = |rows: &[String]| match rows {
            [] => "zeroinitializer".to_owned(),
            rows => format!("[ {} ]", rows.join(",\n  ")),
        };
        let _ = write!(
            self.text,
            "\n%mistrust_call = type {{ ptr, ptr, i{word}, ptr, i{word} }}\n\
             %mistrust_block = type {{ ptr, ptr, i{word} }}\n\
             @mistrust_count = constant i{word} {count}\n\
             @mistrust_bytes = internal constant [{length} x i8] c\"{literal}\", align 16\n\
             @mistrust_blocks = internal constant [{many} x %mistrust_block] {blocks}\n\
             @mistrust_table = constant [{count} x %mistrust_call] {rows}\n",
            count = rows.len(),
            length = bytes.len(),
            many = blocks.len(),
            blocks = array(&blocks),
            rows = array(&rows),
        );
    }
}

/// A function of two pointers, to the arguments and to the result, that makes one call.
fn wrapper(text: &mut String, number: usize, header: &Header, signature: &Signature) {
    let _ = writeln!(
        text,
        "\ndefine internal void @mistrust_call.{number}(ptr %in, ptr %out) noinline {{"
    );
    let mut offset: usize = 0;
    let mut arguments = vec![];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        format!("%v{next}")
    };
    for (parameter, leaves) in header.parameters.iter().zip(&signature.parameters) {
        let ty = &parameter.ty;
        let mut whole = "undef".to_owned();
        for leaf in leaves {
            offset = offset.next_multiple_of(16);
            let (place, mut value) = (fresh(), fresh());
            let (container, narrow) = (&leaf.container, &leaf.ty);
            let _ = writeln!(text, "  {place} = getelementptr i8, ptr %in, i32 {offset}");
            let _ = writeln!(text, "  {value} = load {container}, ptr {place}, align 16");
            offset += leaf.size();
            if leaf.is_widened() {
                let trunc = fresh();
                let _ = writeln!(text, "  {trunc} = trunc {container} {value} to {narrow}");
                value = trunc;
            }
            if leaf.path.is_empty() {
                whole = value;
            } else {
                let (with, path) = (fresh(), path(leaf));
                let _ =
                    writeln!(text, "  {with} = insertvalue {ty} {whole}, {narrow} {value}{path}");
                whole = with;
            }
        }
        let passing = passing(&parameter.attributes);
        arguments.push(format!("{ty} {passing}{whole}"));
    }
    let (returns, arguments) = (&header.returns, arguments.join(", "));
    let result = if *returns == Type::Void { "" } else { "%r = " };
    let (prefix, passing) = (&header.prefix, passing(&header.return_attributes));
    let space = if prefix.is_empty() { "" } else { " " };
    let name = quoted(&header.name);
    let _ = writeln!(text, "  {result}call {prefix}{space}{passing}{returns} {name}({arguments})");
    let mut offset: usize = 0;
    for leaf in &signature.returns {
        let (container, narrow) = (&leaf.container, &leaf.ty);
        let mut value = "%r".to_owned();
        if !leaf.path.is_empty() {
            let (part, path) = (fresh(), path(leaf));
            let _ = writeln!(text, "  {part} = extractvalue {returns} {value}{path}");
            value = part;
        }
        if leaf.is_widened() {
            let wide = fresh();
            let _ = writeln!(text, "  {wide} = zext {narrow} {value} to {container}");
            value = wide;
        }
        let place = fresh();
        let _ = writeln!(text, "  {place} = getelementptr i8, ptr %out, i32 {offset}");
        let _ = writeln!(text, "  store {container} {value}, ptr {place}, align 1");
        offset += leaf.size();
    }
    text.push_str("  ret void\n}\n");
}

fn path(leaf: &Leaf) -> String {
    leaf.path.iter().map(|index| format!(", {index}")).collect()
}

/// The attributes that say how a value is passed, with a space behind them.
pub(super) fn passing(all: &Attributes) -> String {
    let is_copy = all.has("byval");
    let keeps = |it: &&Attribute| PASSING.contains(&it.name()) || is_copy && it.name() == "align";
    let kept = Attributes(all.0.iter().filter(keeps).cloned().collect());
    let text = attributes(&kept);
    if text.is_empty() { text } else { text + " " }
}

fn quoted(name: &str) -> String {
    format!("@\"{name}\"")
}
