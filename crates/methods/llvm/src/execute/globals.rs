//! Global variables of an executable: each lies where the interpreter has it, so that pointers can be compared, and is
//! written again before a call. Linking is left to `lab`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::call::Variable;
use crate::interpret::{Block, BlockKey};
use crate::ir::{Constant, Global, Module};

/// Addresses of variables are multiples of this, as in the interpreter.
const ALIGN: u64 = 256;

/// Two variables in one piece of this size cannot both lie where the interpreter has them.
const SLOT: u64 = 1 << 16;

/// Definitions of all variables, visible and with a value: what a declaration means is decided by another module, and
/// the first words of some definitions say that another module may replace them.
pub(super) fn define(module: &mut Module) {
    for global in &mut module.globals {
        if global.initialiser.is_none() {
            global.initialiser = Some(Constant::Zero);
        }
        global.prefix = "".into();
        global.suffix = "".into();
        global.align = Some(global.align.unwrap_or(1).max(16));
    }
}

/// The variables that functions of an executable mention.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where each one lies, and the variable itself.
    placed: BTreeMap<u64, Arc<str>>,
    names: HashMap<Arc<str>, usize>,
}

impl Places {
    /// What a call must know about the globals that a function mentions, or why it cannot be called.
    pub(super) fn variables(
        &mut self,
        module: &Module,
        blocks: &[Block],
    ) -> Result<Vec<Variable>, String> {
        let mut variables = vec![];
        for block in blocks {
            let name = match &block.key {
                BlockKey::Global(name) => name,
                BlockKey::Function(_) => return Err("addresses of functions".to_owned()),
                BlockKey::Argument(_) | BlockKey::External(_) | BlockKey::Local(_) => {
                    return Err("blocks of unknown functions".to_owned());
                }
            };
            let first = self.placed.entry(block.base / SLOT).or_insert_with(|| name.clone());
            if first != name {
                return Err("global variables whose addresses collide".to_owned());
            }
            let next = self.names.len();
            let number = *self.names.entry(name.clone()).or_insert(next);
            let is_variable = module.global(name).is_some_and(|it| !it.is_constant);
            if is_variable {
                variables.push(Variable { name: name.clone(), number, size: block.bytes.len() });
            }
        }
        Ok(variables)
    }

    /// Gives each variable a section of its own, and adds a copy of its value. Returns the sections with their
    /// addresses.
    pub(super) fn settle(&self, module: &mut Module) -> Vec<(String, u64)> {
        let mut sections = vec![];
        let mut copies = vec![];
        for (slot, name) in &self.placed {
            let Some(number) = self.names.get(name) else { continue };
            let Some(global) = module.globals.iter_mut().find(|it| it.name == *name) else {
                continue;
            };
            let section = format!("mistrust_global_{number}");
            global.align = Some(ALIGN);
            global.suffix = format!(", section \"{section}\"").into();
            if !global.is_constant {
                copies.push(Global {
                    name: copy_of(*number).into(),
                    prefix: "internal".into(),
                    is_constant: true,
                    suffix: "".into(),
                    ..global.clone()
                });
            }
            sections.push((section, slot * SLOT + ALIGN));
        }
        module.globals.append(&mut copies);
        sections
    }
}

/// The name of the value of a variable.
pub(super) fn copy_of(number: usize) -> String {
    format!("mistrust_initial.{number}")
}
