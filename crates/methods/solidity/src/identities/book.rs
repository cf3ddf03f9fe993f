//! The rules that hold for Solidity's integers, by what arithmetic does at overflow.

use std::sync::LazyLock;

use identity::Library;
use identity::apply::Rulebook;
use identity::kernel::{Op, Semantics};

use super::writing;
use crate::model::Version;

/// The widths that rules are prepared for; preparing all would take seconds.
pub(super) const WIDTHS: [u16; 11] = [8, 16, 24, 32, 64, 112, 120, 128, 160, 248, 256];

/// One in so many of the synthesised rules is used at a width; they are many and alike.
const THINNING: usize = 8;

static UNCHECKED: LazyLock<Option<Rulebook>> = LazyLock::new(|| prepare("solidity-unchecked"));
static UNSIGNED: LazyLock<Option<Rulebook>> = LazyLock::new(|| prepare("solidity-unsigned"));
static SIGNED: LazyLock<Option<Rulebook>> = LazyLock::new(|| prepare("solidity-signed"));

fn prepare(semantics: &str) -> Option<Rulebook> {
    let library = Library::shared();
    let semantics = Semantics::named(semantics)?;
    let wanted = |rule: usize, width: u16| {
        let at = WIDTHS.iter().position(|it| *it == width).unwrap_or_default();
        !library.entries[rule].is_synthesised() || (rule + at).is_multiple_of(THINNING)
    };
    let speaks = |op: Op, from: &[u16], to: u16| {
        let known = from.iter().chain([&to]).all(|width| width.is_multiple_of(8) && *width <= 256);
        known && writing::has(op)
    };
    Some(Rulebook::speaking(&library.entries, semantics, &WIDTHS, &speaks, &wanted))
}

/// The rules for arithmetic of this kind. Before 0.8 all arithmetic wraps, and before 0.5 signed numbers are shifted with
/// another rounding.
pub(super) fn of(version: Version, checked: bool, signed: bool) -> Option<&'static Rulebook> {
    match (version, checked, signed) {
        (Version::V4 | Version::V4Late, _, true) => return None,
        (version, ..) if version < Version::V8 => &UNCHECKED,
        (_, false, _) => &UNCHECKED,
        (_, true, false) => &UNSIGNED,
        (_, true, true) => &SIGNED,
    }
    .as_ref()
}
