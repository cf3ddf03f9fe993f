//! Traits, whose methods are called through pointers that do not say what they point to. A method is a function of the
//! program for each type that has it: what rustc is shown forwards to that, since no method can be in custom MIR.

use serde::{Deserialize, Serialize};

use super::program::Program;
use super::types::{Kind, TypeId, Types};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trait {
    pub(crate) methods: Vec<Method>,
    /// The types that have it, each once.
    pub(crate) implementations: Vec<Implementation>,
}

/// What a method takes besides `&self` or `&mut self`. There are no lifetimes in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Method {
    pub(crate) mutable: bool,
    pub(crate) parameters: Vec<TypeId>,
    pub(crate) returns: TypeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Implementation {
    pub(crate) of: TypeId,
    /// For each method the function that it is.
    pub(crate) functions: Vec<usize>,
}

impl Program {
    /// A method of a trait.
    pub(crate) fn method(&self, of: usize, method: usize) -> Option<&Method> {
        self.traits.get(of)?.methods.get(method)
    }

    /// The function that a method is for a type.
    pub(crate) fn implementation(&self, of: usize, method: usize, with: TypeId) -> Option<usize> {
        let mut all = self.traits.get(of)?.implementations.iter();
        all.find(|it| it.of == with)?.functions.get(method).copied()
    }

    /// Whether a type has a trait.
    pub(crate) fn implements(&self, of: TypeId, which: usize) -> bool {
        let all = self.traits.get(which).map(|it| &it.implementations);
        all.is_some_and(|all| all.iter().any(|it| it.of == of))
    }
}

impl Types {
    /// Whether only what points to it says how large it is: slices, and trait objects.
    pub(crate) fn is_unsized(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Slice(_) | Kind::Object(_))
    }

    /// The trait of a trait object that a pointer, reference or box points to.
    pub(crate) fn object(&self, of: TypeId) -> Option<usize> {
        let (Kind::Pointer { to, .. } | Kind::Reference { to, .. } | Kind::Heap(to)) =
            self.kind(of)
        else {
            return None;
        };
        match self.kind(*to) {
            Kind::Object(which) => Some(*which),
            _ => None,
        }
    }

    /// A pointer or reference to a slice.
    pub(crate) fn is_slice_pointer(&self, of: TypeId) -> bool {
        self.pointee(of).is_some_and(|to| matches!(self.kind(to), Kind::Slice(_)))
    }
}
