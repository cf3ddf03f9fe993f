//! Functions with a body. Locals and blocks are numbered; their names are kept beside, and are printed.

use std::sync::Arc;

use super::{Attachment, Attributes, Instruction, Type};

/// The number of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// The number of a basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    pub header: Header,
    pub body: Body,
}

/// Everything about a function but its body: the same for declarations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Without its `@`.
    pub name: Arc<str>,
    /// Linkage, visibility, calling convention and so on, as written before the result.
    pub prefix: Arc<str>,
    pub return_attributes: Attributes,
    pub returns: Type,
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
    /// `unnamed_addr` and `addrspace(N)`, which stand before the attributes.
    pub address: Arc<str>,
    /// Attributes of the function itself, groups resolved.
    pub attributes: Attributes,
    /// Section, comdat, alignment, gc, prefix data, personality, as written.
    pub suffix: Arc<str>,
    pub metadata: Vec<Attachment>,
}

/// The type and the attributes of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    pub ty: Type,
    pub attributes: Attributes,
}

/// The body of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    Code(Code),
    /// From the opening to the closing brace, as written (but attribute groups are resolved and unnamed
    /// locals are named), the names of the parameters, and why it could not be read.
    Opaque {
        parameters: Vec<Arc<str>>,
        text: Arc<str>,
        why: Arc<str>,
    },
}

/// The locals and basic blocks of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// The parameters come first, in order.
    pub locals: Vec<Local>,
    /// The first is the entry.
    pub blocks: Vec<Block>,
}

/// The name and the type of a local.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// Without its `%`. A number that the printer of LLVM gave is written with an underscore before it.
    pub name: Arc<str>,
    pub ty: Type,
}

/// Phis first, a terminator last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    pub name: Arc<str>,
    pub instructions: Vec<Instruction>,
}

impl Function {
    pub fn name(&self) -> &str {
        &self.header.name
    }

    pub fn code(&self) -> Option<&Code> {
        match &self.body {
            Body::Code(code) => Some(code),
            Body::Opaque { .. } => None,
        }
    }

    pub fn code_mut(&mut self) -> Option<&mut Code> {
        match &mut self.body {
            Body::Code(code) => Some(code),
            Body::Opaque { .. } => None,
        }
    }
}

impl Code {
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    pub fn block_mut(&mut self, id: BlockId) -> &mut Block {
        &mut self.blocks[id.0 as usize]
    }

    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// Whether a local or a block has this name. They share one space of names.
    pub fn has_name(&self, name: &str) -> bool {
        self.locals.iter().any(|local| &*local.name == name)
            || self.blocks.iter().any(|block| &*block.name == name)
    }

    /// A new local. Its name is made different from all others.
    pub fn add_local(&mut self, name: &str, ty: Type) -> LocalId {
        let name = unused(name, |name| self.has_name(name));
        self.locals.push(Local { name, ty });
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A new block without instructions. Its name is made different from all others.
    pub fn add_block(&mut self, name: &str) -> BlockId {
        let name = unused(name, |name| self.has_name(name));
        self.blocks.push(Block { name, instructions: vec![] });
        BlockId(self.blocks.len() as u32 - 1)
    }

    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    pub fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Instruction> {
        self.blocks.iter_mut().flat_map(|block| &mut block.instructions)
    }
}

impl Block {
    pub fn terminator(&self) -> Option<&Instruction> {
        self.instructions.last().filter(|last| last.op.is_terminator())
    }
}

/// The name, or the name with a number behind it that nothing else has.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> Arc<str> {
    if !taken(name) {
        return name.into();
    }
    let numbered = (1_u32..).map(|number| format!("{name}.{number}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or_default().into()
}
