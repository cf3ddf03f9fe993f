//! Inputs and runs as readable text.

use std::fmt::Write;

use crate::interpret::{BlockKey, Byte, Event, Input, Lane, Outcome, Pointer, Run, Value};

pub(crate) fn lane(lane: &Lane) -> String {
    match lane {
        Lane::Poison => "poison".into(),
        Lane::Undef => "undef".into(),
        Lane::Bits(bits) if *bits < 1024 => format!("{bits}"),
        Lane::Bits(bits) => format!("{bits:#x}"),
        Lane::Pointer(Pointer { block: Pointer::NOWHERE, address: 0 }) => "null".into(),
        Lane::Pointer(pointer) => format!("pointer {:#x}", { pointer.address }),
        Lane::Varying(_) => "a value that depends on undef".into(),
    }
}

pub(crate) fn value(of: &Value) -> String {
    match of {
        Value::Lane(inner) => lane(inner),
        Value::Many(elements) => {
            let elements: Vec<String> = elements.iter().map(value).collect();
            format!("<{}>", elements.join(", "))
        }
    }
}

pub(crate) fn byte(byte: &Byte) -> String {
    match byte {
        Byte::Uninitialised => "undef".into(),
        Byte::Poison => "poison".into(),
        Byte::Bits(bits) => format!("{bits:#04x}"),
        Byte::Fragment(pointer, part) => {
            format!("byte {part} of pointer {:#x}", { pointer.address })
        }
    }
}

pub(crate) fn key(key: &BlockKey) -> String {
    match key {
        BlockKey::Argument(index) => format!("block {index} of the input"),
        BlockKey::Global(name) | BlockKey::Function(name) => format!("@{name}"),
        BlockKey::External(_) => "memory of a callee".into(),
        BlockKey::Local(index) => format!("local variable {index}"),
    }
}

pub(crate) fn input(input: &Input) -> String {
    let argument = |argument: &Value| match argument {
        Value::Lane(Lane::Pointer(pointer)) if pointer.block != Pointer::NOWHERE => {
            format!("block {} + {}", pointer.block, { pointer.address })
        }
        other => value(other),
    };
    let arguments: Vec<String> = input.arguments.iter().map(argument).collect();
    let mut text = format!("({})", arguments.join(", "));
    for (index, block) in input.blocks.iter().enumerate() {
        let bytes: Vec<String> = block.bytes.iter().map(byte).collect();
        let _ = write!(text, "; block {index}, align {}: {}", block.align, bytes.join(" "));
    }
    text
}

pub(crate) fn run(run: &Run) -> String {
    match &run.outcome {
        Outcome::Undefined(reason) => format!("undefined behaviour: {reason}"),
        Outcome::Unsupported(reason) => format!("unsupported: {reason}"),
        Outcome::OutOfSteps => "too many steps".into(),
        Outcome::Returned { value: returned, events: calls, .. } => {
            let returned = returned.as_ref().map_or("nothing".into(), value);
            format!("{}returns {returned}", events(calls))
        }
        Outcome::Ends { reason, events: calls, .. } => {
            format!("{}ends: {reason}", events(calls))
        }
    }
}

fn events(events: &[Event]) -> String {
    let mut text = String::new();
    for event in events {
        let arguments: Vec<String> = event.arguments.iter().map(value).collect();
        let _ = write!(text, "{}({}), ", event.name, arguments.join(", "));
    }
    text
}
