//! Traits, for dynamic dispatch. In the model each implementation of a method is a function of the program. In the
//! printed source the methods forward to those functions, because a method cannot be written in custom MIR.

use serde::{Deserialize, Serialize};

use super::program::Program;
use super::types::{Kind, TypeId, Types};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trait {
    pub(crate) methods: Vec<Method>,
    /// At most one per type.
    pub(crate) implementations: Vec<Implementation>,
}

/// The signature of a method, without its receiver (`&self` or `&mut self`). Its types contain no lifetimes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Method {
    pub(crate) mutable: bool,
    pub(crate) parameters: Vec<TypeId>,
    pub(crate) returns: TypeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Implementation {
    pub(crate) of: TypeId,
    /// The function of each method.
    pub(crate) functions: Vec<usize>,
}

impl Program {
    pub(crate) fn method(&self, of: usize, method: usize) -> Option<&Method> {
        self.traits.get(of)?.methods.get(method)
    }

    /// The function that implements a method for a type.
    pub(crate) fn implementation(&self, of: usize, method: usize, with: TypeId) -> Option<usize> {
        let mut all = self.traits.get(of)?.implementations.iter();
        all.find(|it| it.of == with)?.functions.get(method).copied()
    }

    /// Whether a type implements a trait.
    pub(crate) fn implements(&self, of: TypeId, which: usize) -> bool {
        let all = self.traits.get(which).map(|it| &it.implementations);
        all.is_some_and(|all| all.iter().any(|it| it.of == of))
    }
}

impl Types {
    /// Slices and trait objects.
    pub(crate) fn is_unsized(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Slice(_) | Kind::Object(_))
    }

    /// The trait, if `of` is a pointer, reference or box of a trait object.
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
