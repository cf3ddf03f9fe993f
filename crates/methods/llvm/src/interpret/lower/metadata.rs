//! Metadata attachments as checks.

use std::sync::Arc;

use super::guard::trimmed;
use crate::interpret::program::Guard;
use crate::interpret::shape::Shape;
use crate::ir::{Code, Instruction, Module, Op};
use crate::parse::context::references;

/// Attachments that do not change behaviour. What `llvm.loop` and access groups promise is for [`loop_promise`].
const HARMLESS: &str = "\
    dbg prof llvm.loop annotation nontemporal unpredictable srcloc nosanitize llvm.access.group \
    heapallocsite kcfi_type DIAssignID callees pcsections";

impl Guard {
    pub(super) fn add_metadata(
        &mut self,
        module: &Module,
        instruction: &Instruction,
        shape: &Shape,
    ) {
        for attachment in &instruction.metadata {
            let node = resolved(module, &attachment.node);
            match &*attachment.name {
                "noundef" => self.noundef = true,
                "nonnull" => self.nonnull = true,
                "align" => match numbers(node).as_deref() {
                    Some([align]) => self.align = self.align.max(Some(*align as u64)),
                    _ => self.narrowed = Some("!align"),
                },
                "dereferenceable" => match numbers(node).as_deref() {
                    Some([size]) => self.dereferenceable = Some(*size as u64),
                    _ => self.narrowed = Some("!dereferenceable"),
                },
                "dereferenceable_or_null" => match numbers(node).as_deref() {
                    Some([size]) => self.dereferenceable_or_null = Some(*size as u64),
                    _ => self.narrowed = Some("!dereferenceable_or_null"),
                },
                "range" => match (numbers(node), shape.lane()) {
                    (Some(ends), Shape::Int(width)) if ends.len() % 2 == 0 => {
                        let pairs = ends.chunks(2).map(|pair| (pair[0], pair[1]));
                        self.ranges = pairs.map(|pair| trimmed(pair, *width)).collect();
                    }
                    _ => self.narrowed = Some("!range"),
                },
                name if HARMLESS.split_whitespace().any(|it| it == name) => {}
                // Aliasing and invariance: promises about other accesses.
                _ => self.narrowed = Some("metadata without a model"),
            }
        }
    }
}

/// What the metadata of a loop promises about its body, if anything: iterations without dependences are a promise
/// about accesses of several iterations, and a loop that shall become one of vectors may sum floats up in another
/// order. Other hints leave behaviour as it is.
pub(super) fn loop_promise(
    module: &Module,
    code: &Code,
    instruction: &Instruction,
) -> Option<&'static str> {
    let attachment = instruction.metadata.iter().find(|it| &*it.name == "llvm.loop")?;
    let node = with_inner(module, &attachment.node, &mut vec![]);
    if node.contains("\"llvm.loop.parallel_accesses\"") {
        return Some("a loop whose iterations are independent by promise");
    }
    let reorders = ["\"llvm.loop.vectorize.enable\"", "\"llvm.loop.vectorize.width\""];
    let has_floats = || code.instructions().any(|it| matches!(it.op, Op::FloatBinary(_)));
    (reorders.iter().any(|hint| node.contains(hint)) && has_floats())
        .then_some("a loop that may sum floats up in another order")
}

/// The text of a node with those of the nodes that it refers to. Loops are nodes that refer to themselves.
fn with_inner(module: &Module, node: &str, seen: &mut Vec<u32>) -> String {
    let mut text = resolved(module, node).to_owned();
    let first: Option<u32> = node.strip_prefix('!').and_then(|rest| rest.parse().ok());
    seen.extend(first);
    for number in references(&text.clone()) {
        if !seen.contains(&number) {
            text += &with_inner(module, &format!("!{number}"), seen);
        }
    }
    text
}

pub(super) fn resolved<'a>(module: &'a Module, node: &'a str) -> &'a str {
    let number = node.strip_prefix('!').and_then(|rest| rest.parse::<u32>().ok());
    number.and_then(|number| module.nodes.get(&number)).map_or(node, |text| text)
}

/// The names of `!{ptr @f, ptr null, ptr @g}`.
pub(super) fn symbols(node: &str) -> Option<Vec<Arc<str>>> {
    let inner = node.trim().strip_prefix("!{")?.strip_suffix('}')?;
    let parts = inner.split(',').map(str::trim);
    let names = parts.filter_map(|part| part.split_once('@')).map(|(_, name)| name);
    names.map(|name| (!name.contains(['"', ' ', ')'])).then(|| name.into())).collect()
}

/// The integers of `!{i8 0, i8 2}`.
fn numbers(node: &str) -> Option<Vec<i128>> {
    let inner = node.trim().strip_prefix("!{")?.strip_suffix('}')?;
    let number = |part: &str| part.trim().split_once(' ')?.1.trim().parse().ok();
    inner.split(',').filter(|part| !part.trim().is_empty()).map(number).collect()
}
