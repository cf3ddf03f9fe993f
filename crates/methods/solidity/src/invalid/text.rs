//! Changes the source of a valid program so that it violates a constraint. What is changed is found by the names that
//! the printer gives to declarations.

use super::{Kind, Site, Violation};
use crate::model::{FunctionId, Length, Location, Mutability, StateId, Type, Visibility};
use crate::view::View;

/// The name of the variable that an inserted statement declares.
const NAME: &str = "w0";

/// The source with the violation; `None` if the declaration is not found.
pub(super) fn violate(view: &View<'_>, source: &str, violation: Violation) -> Option<String> {
    let mut text = Text { view, lines: source.lines().map(str::to_owned).collect() };
    match violation.site {
        Site::Contract(id) => text.contract(id, violation.kind),
        Site::Function(id) => text.function(id, violation.kind),
        Site::Parameter(id, at) => text.parameter(id, at, violation.kind),
        Site::State(id) => text.state(id, violation.kind),
    }?;
    let changed = text.lines.join("\n") + "\n";
    (changed != source).then_some(changed)
}

/// A type that a value of this type does not convert to implicitly, in any version.
pub(super) fn unconvertible(view: &View<'_>, ty: Type, number: u16) -> Option<String> {
    let choices: Vec<String> = match ty {
        Type::Uint(bits) => {
            let narrower = (bits > 8).then(|| format!("uint{}", bits - 8));
            let others = [format!("int{bits}"), "bool".to_owned()];
            narrower.into_iter().chain(others).collect()
        }
        Type::Int(bits) => {
            let narrower = (bits > 8).then(|| format!("int{}", bits - 8));
            narrower.into_iter().chain([format!("uint{bits}"), "bool".to_owned()]).collect()
        }
        Type::FixedBytes(bytes) => {
            let narrower = (bytes > 1).then(|| format!("bytes{}", bytes - 1));
            narrower.into_iter().chain([format!("uint{}", u16::from(bytes) * 8)]).collect()
        }
        Type::Bool => vec!["uint8".to_owned(), "bytes1".to_owned()],
        Type::Address => vec!["uint160".to_owned(), "bytes20".to_owned()],
        Type::Enum(_) => vec!["uint8".to_owned(), "uint256".to_owned()],
        Type::Wrapper(_) => match view.underlying(ty) {
            Type::Uint(bits) => vec![format!("uint{bits}")],
            Type::Int(bits) => vec![format!("int{bits}")],
            Type::FixedBytes(bytes) => vec![format!("bytes{bytes}")],
            Type::Bool => vec!["bool".to_owned()],
            Type::Address => vec!["address".to_owned()],
            _ => vec![],
        },
        _ => vec![],
    };
    choices.get(usize::from(number) % choices.len().max(1)).cloned()
}

struct Text<'a> {
    view: &'a View<'a>,
    lines: Vec<String>,
}

/// The header of a function: up to the end of its parameters, its visibility and mutability, and the rest.
struct Header {
    parameters: String,
    visibility: Visibility,
    mutability: Mutability,
    rest: String,
}

impl Text<'_> {
    /// The lines of a contract, its first line included.
    fn block(&self, contract: u8) -> Option<std::ops::Range<usize>> {
        let name = format!("C{contract}");
        let is_head = |line: &String| {
            let words: Vec<&str> = line.split(' ').collect();
            let words = words.strip_prefix(&["abstract"]).unwrap_or(&words);
            matches!(words, ["contract" | "library" | "interface", it, ..] if *it == name)
        };
        let first = self.lines.iter().position(is_head)?;
        let length = self.lines[first..].iter().position(|line| line == "}")?;
        Some(first..first + length)
    }

    fn contract(&mut self, id: u8, kind: Kind) -> Option<()> {
        let head = self.block(id)?.start;
        let bases = &self.view.template.contracts[usize::from(id)].bases;
        if kind == Kind::FunctionTwice {
            let function = format!("function {NAME}() pure {{}}");
            self.lines.splice(head..head, [function.clone(), function]);
            return Some(());
        }
        let line = &mut self.lines[head];
        match kind {
            Kind::AbstractIsCreated => line.insert_str(0, "abstract "),
            Kind::BasesInWrongOrder => {
                let before: Vec<String> = bases.iter().map(|it| format!("C{it}")).collect();
                let after: Vec<String> = before.iter().rev().cloned().collect();
                *line = line.replace(&before.join(", "), &after.join(", "));
            }
            _ => return None,
        }
        Some(())
    }

    /// The line and header of a function.
    fn header(&self, id: FunctionId) -> Option<(usize, Header)> {
        let function = self.view.template.functions.get(usize::from(id))?;
        let start = format!("    function {}(", self.view.function_name(id));
        let contract = function.contract?;
        let block = self.block(contract)?;
        // Overloads have the same name. They are printed in this order.
        let name = self.view.function_name(id);
        let all = &self.view.template.contracts.get(usize::from(contract))?.functions;
        let mut same = all.iter().filter(|other| self.view.function_name(**other) == name);
        let number = same.position(|other| *other == id)?;
        let first = block.start;
        let lines = self.lines[block].iter().enumerate();
        let mut headers = lines.filter(|(_, line)| line.starts_with(&start));
        let at = first + headers.nth(number)?.0;
        let line = &self.lines[at];
        let mut depth = 1;
        let end = line[start.len()..].find(|letter| {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        })?;
        let (parameters, rest) = line.split_at(start.len() + end + 1);
        let visibility = self.view.visibility(function.visibility);
        let mutability = self.view.mutability(function.mutability);
        let rest = rest.strip_prefix(' ')?.strip_prefix(visibility.text())?;
        let rest = match mutability.text() {
            "" => rest,
            text => rest.strip_prefix(' ')?.strip_prefix(text)?,
        };
        let (parameters, rest) = (parameters.to_owned(), rest.to_owned());
        Some((at, Header { parameters, visibility, mutability, rest }))
    }

    fn function(&mut self, id: FunctionId, kind: Kind) -> Option<()> {
        if kind == Kind::PrivateIsOverridden {
            let base = *self.view.template.functions.get(usize::from(id))?.overrides.first()?;
            self.close(base)?;
            return self.close(id);
        }
        let (at, mut header) = self.header(id)?;
        match kind {
            Kind::WriterIsView => header.mutability = Mutability::View,
            Kind::ReaderIsPure => header.mutability = Mutability::Pure,
            Kind::InternalIsPayable | Kind::OverrideIsPayable => {
                header.mutability = Mutability::Payable;
            }
            Kind::ValueForNonPayable => header.mutability = Mutability::NonPayable,
            Kind::CalledIsExternal | Kind::OverrideIsExternal => {
                header.visibility = Visibility::External;
            }
            Kind::CalledIsInternal => header.visibility = Visibility::Internal,
            Kind::VirtualIsPrivate => header.visibility = Visibility::Private,
            Kind::NoOverride => {
                let at = header.rest.find(" override")?;
                let end = at + " override".len();
                // With a list of bases, if there are several.
                let list = header.rest[end..].strip_prefix('(').and_then(|it| it.find(')'));
                header.rest.replace_range(at..end + list.map_or(0, |length| length + 2), "");
            }
            Kind::NoVirtual => header.rest = header.rest.replacen(" virtual", "", 1),
            Kind::NeedlessOverride => header.rest.insert_str(0, " override"),
            Kind::NestedUnchecked => {
                let statement = "        unchecked { unchecked { } }".to_owned();
                self.lines.insert(at + 1, statement);
                return Some(());
            }
            _ => return None,
        }
        let Header { parameters, visibility, mutability, rest } = header;
        let space = if mutability.text().is_empty() { "" } else { " " };
        self.lines[at] =
            format!("{parameters} {}{space}{}{rest}", visibility.text(), mutability.text());
        Some(())
    }

    /// Makes a function private.
    fn close(&mut self, id: FunctionId) -> Option<()> {
        let (at, header) = self.header(id)?;
        let Header { parameters, mutability, rest, .. } = header;
        let space = if mutability.text().is_empty() { "" } else { " " };
        let rest = rest.replacen(" virtual", "", 1);
        self.lines[at] = format!("{parameters} private{space}{}{rest}", mutability.text());
        Some(())
    }

    fn parameter(&mut self, id: FunctionId, number: u16, kind: Kind) -> Option<()> {
        let (at, header) = self.header(id)?;
        let local =
            self.view.template.functions[usize::from(id)].locals.get(usize::from(number))?;
        let (ty, place) = (self.view.ty(local.ty), self.view.location(local.location));
        let declared = format!(" {} v{number}", place.text());
        let name = match ty.is_reference() {
            true => type_before(&header.parameters, &declared)?,
            false => String::new(),
        };
        let statement = match kind {
            Kind::StorageParameter | Kind::NoLocation => {
                let storage = kind == Kind::StorageParameter;
                let word = if storage { " storage" } else { "" };
                let end = declaration(&header.parameters, &declared)?;
                let rest = &self.lines[at][end + declared.len()..];
                let start = &header.parameters[..end];
                self.lines[at] = format!("{start}{word} v{number}{rest}");
                return Some(());
            }
            Kind::Conversion => {
                format!("{} {NAME} = v{number};", unconvertible(self.view, ty, id ^ number)?)
            }
            Kind::LongerArray => {
                let Type::Array(_, Length::Fixed(length)) = ty else { return None };
                let element = name.strip_suffix(&format!("[{length}]"))?;
                let longer = length + 1;
                format!("{element}[{longer}] {} {NAME} = v{number};", place.text())
            }
            Kind::StorageOfCalldata => {
                format!("{name} {} {NAME} = v{number};", Location::Storage.text())
            }
            Kind::CalldataOfMemory => {
                format!("{name} {} {NAME} = v{number};", Location::Calldata.text())
            }
            Kind::OtherLocation => {
                let end = declaration(&header.parameters, &declared)?;
                let other = match place {
                    Location::Memory => Location::Calldata,
                    _ => Location::Memory,
                };
                let rest = &self.lines[at][end + declared.len()..];
                let start = &header.parameters[..end];
                self.lines[at] = format!("{start} {} v{number}{rest}", other.text());
                return Some(());
            }
            Kind::SliceOfDynamic => format!("v{number}[1:];"),
            Kind::CalldataIsWritten => format!("v{number}[0] = v{number}[1];"),
            _ => return None,
        };
        self.lines.insert(at + 1, format!("        {statement}"));
        Some(())
    }

    fn state(&mut self, id: StateId, kind: Kind) -> Option<()> {
        let state = self.view.template.states.get(usize::from(id))?;
        let block = self.block(state.contract)?;
        let names = [format!(" s{id};"), format!(" s{id} = ")];
        let is_it = |line: &String| {
            let declares = line.starts_with("    ") && !line[4..].starts_with(' ');
            let other = ["function ", "event ", "modifier ", "constructor", "}"];
            let other = other.iter().any(|word| line[4..].starts_with(word));
            declares && !other && names.iter().any(|name| line.contains(name))
        };
        let first = block.start + 1;
        let at = first + self.lines[first..block.end].iter().position(is_it)?;
        let word = match kind {
            Kind::ConstantWithoutValue | Kind::ConstantIsWritten => "constant",
            Kind::ImmutableIsWritten => "immutable",
            Kind::TransientWithValue => "transient",
            _ => return None,
        };
        let line = &mut self.lines[at];
        let name = names.iter().find_map(|name| line.find(name.as_str()))?;
        line.insert_str(name, &format!(" {word}"));
        Some(())
    }
}

/// Where a parameter is declared, by the text after its type: `v1` is not `v10`.
fn declaration(parameters: &str, declared: &str) -> Option<usize> {
    let ends = |end: char| parameters.find(&format!("{declared}{end}"));
    ends(',').or_else(|| ends(')'))
}

/// The type of a parameter, by the text that follows it in the list.
fn type_before(parameters: &str, declared: &str) -> Option<String> {
    let before = &parameters[..declaration(parameters, declared)?];
    let mut depth = 0;
    let start = before.char_indices().rev().find(|(_, letter)| {
        depth += match letter {
            ')' => 1,
            '(' => -1,
            _ => 0,
        };
        depth < 0 || depth == 0 && *letter == ','
    });
    let start = start.map_or(0, |(at, letter)| at + letter.len_utf8());
    Some(before[start..].trim().to_owned())
}
