//! Programs that are invalid by one attribute: a valid program of the enumeration in which one attribute is moved outside
//! of its domain. A compiler must reject them. Only constraints that every compiler of the version enforces as an error
//! are used.
//!
//! `facts.rs` says what the functions of a program do, `sites.rs` where a constraint can be violated, `text.rs` changes
//! the printed source there, `method.rs` makes the cases.

mod facts;
mod method;
mod sites;
mod text;

use serde::{Deserialize, Serialize};

pub use method::Invalid;

use crate::model::Version;

/// A constraint between attributes that a program can violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Kind {
    StorageParameter,
    NoLocation,
    WriterIsView,
    ReaderIsPure,
    InternalIsPayable,
    CalledIsExternal,
    CalledIsInternal,
    VirtualIsPrivate,
    NoOverride,
    NoVirtual,
    NeedlessOverride,
    OverrideIsExternal,
    OverrideIsPayable,
    ConstantWithoutValue,
    ConstantIsWritten,
    ImmutableIsWritten,
    TransientWithValue,
    Conversion,
    LongerArray,
    StorageOfCalldata,
    CalldataOfMemory,
    CalldataIsWritten,
    BasesInWrongOrder,
    AbstractIsCreated,
    ValueForNonPayable,
    NestedUnchecked,
    PrivateIsOverridden,
    FunctionTwice,
    SliceOfDynamic,
    OtherLocation,
}

/// A constraint, the first version in which every compiler enforces it as an error, the last one, and why a program that
/// violates it is invalid.
struct Row(Kind, Version, &'static str);

const ROWS: &[Row] = {
    use Kind as K;
    use Version::{Newest, V4, V5, V6, V6Late, V7Late, V8};
    &[
        Row(K::StorageParameter, V5, "a parameter of an external function is in storage"),
        Row(K::NoLocation, V5, "a parameter has no data location"),
        Row(K::WriterIsView, V5, "a view function changes the state"),
        Row(K::ReaderIsPure, V5, "a pure function reads the state"),
        Row(K::InternalIsPayable, V4, "an internal function is payable"),
        Row(K::CalledIsExternal, V4, "an external function is called internally"),
        Row(K::CalledIsInternal, V4, "an internal function is called externally"),
        Row(K::VirtualIsPrivate, V6, "a virtual function is private"),
        Row(K::NoOverride, V6, "an overriding function does not say so"),
        Row(K::NoVirtual, V6, "a function that is overridden is not virtual"),
        Row(K::NeedlessOverride, V6, "a function overrides nothing"),
        Row(K::OverrideIsExternal, V5, "a public function is overridden by an external one"),
        Row(
            K::OverrideIsPayable,
            V5,
            "a function that is not payable is overridden by one that is",
        ),
        Row(K::ConstantWithoutValue, V5, "a constant has no value"),
        Row(K::ConstantIsWritten, V4, "a constant is written"),
        Row(K::ImmutableIsWritten, V6Late, "an immutable is written outside of the constructor"),
        Row(K::TransientWithValue, Newest, "a transient variable has an initial value"),
        Row(K::Conversion, V4, "a value does not convert to this type implicitly"),
        Row(K::LongerArray, V4, "an array in memory does not convert to a longer one"),
        Row(K::StorageOfCalldata, V5, "a storage pointer points to calldata or memory"),
        Row(K::CalldataOfMemory, V5, "a calldata pointer points to memory"),
        Row(K::CalldataIsWritten, V5, "calldata is written"),
        Row(K::BasesInWrongOrder, V4, "the bases of a contract are in the wrong order"),
        Row(K::AbstractIsCreated, V6, "an abstract contract is created"),
        Row(K::ValueForNonPayable, V5, "a function that is not payable is called with value"),
        Row(K::NestedUnchecked, V8, "an unchecked block is inside another one"),
        // The last four were each accepted by a few releases, which was a bug of theirs.
        Row(K::PrivateIsOverridden, V5, "a private function is overridden"),
        Row(K::FunctionTwice, V7Late, "a function outside of contracts is declared twice"),
        Row(K::SliceOfDynamic, V6, "an array whose elements have a dynamic size is sliced"),
        Row(K::OtherLocation, V6Late, "an overriding function has a parameter in another location"),
    ]
};

impl Kind {
    /// Why a program is invalid.
    pub(crate) fn reason(self) -> &'static str {
        ROWS.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// The constraints that every compiler of a version enforces.
    fn of(version: Version) -> impl Iterator<Item = Self> {
        ROWS.iter().filter(move |row| row.1 <= version).map(|row| row.0)
    }
}

/// One violation: a constraint and the declaration that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Violation {
    kind: Kind,
    site: Site,
}

/// Where a program is changed. The numbers are those of the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Site {
    Contract(u8),
    Function(u16),
    Parameter(u16, u16),
    State(u16),
}
