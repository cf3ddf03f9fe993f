//! The binary constraints between attribute variables: "is more restricted than", per kind of attribute.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::domain::{TYPES, type_value, values};
use crate::model::{CallKind, Location, Mutability, Type, Visibility};

/// A constraint between the values of two variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// The first type converts to the second implicitly.
    Converts,
    /// An array with the first length can be copied to one with the second in storage.
    Copies,
    /// Data in the first location can be assigned to a variable with the second.
    Moves,
    /// A function with the first mutability can be called by one with the second.
    Calls,
    /// A function with this visibility can have this mutability.
    Pays,
    /// A parameter with this location can belong to a function with this visibility.
    Enters,
    /// The same before 0.6.9, where calldata and memory are those of external functions and of others.
    Entered,
    /// A function with this visibility can be called in this way.
    Reaches,
}

struct Table {
    forward: [u128; 128],
    backward: [u128; 128],
}

static TABLES: LazyLock<[Table; 8]> = LazyLock::new(|| {
    use Relation::{Calls, Converts, Copies, Entered, Enters, Moves, Pays, Reaches};
    [Converts, Copies, Moves, Calls, Pays, Enters, Entered, Reaches].map(|relation| {
        let mut table = Table { forward: [0; 128], backward: [0; 128] };
        for from in 0..TYPES as u8 {
            for to in 0..TYPES as u8 {
                if relation.holds(from, to) {
                    table.forward[usize::from(from)] |= 1 << to;
                    table.backward[usize::from(to)] |= 1 << from;
                }
            }
        }
        table
    })
});

impl Relation {
    /// The second values that this first value allows.
    pub fn after(self, from: u8) -> u128 {
        TABLES[self as usize].forward[usize::from(from)]
    }

    /// The first values that this second value allows.
    pub fn before(self, to: u8) -> u128 {
        TABLES[self as usize].backward[usize::from(to)]
    }

    /// The second values that some first value of a domain allows.
    pub fn image(self, domain: u128) -> u128 {
        values(domain).fold(0, |all, value| all | self.after(value))
    }

    /// The first values that some second value of a domain allows.
    pub fn preimage(self, domain: u128) -> u128 {
        values(domain).fold(0, |all, value| all | self.before(value))
    }

    fn holds(self, from: u8, to: u8) -> bool {
        match self {
            Self::Converts => converts(type_value(from), type_value(to)),
            // Length 0 is dynamic.
            Self::Copies => from < 6 && to < 6 && (to == 0 || (from != 0 && from <= to)),
            Self::Moves => {
                let small = from < 3 && to < 3;
                small && (from == to || to == Location::Memory as u8)
            }
            Self::Calls => {
                let small = from < 4 && to < 4;
                let needs = |it: u8| Mutability::numbered(it).min(Mutability::NonPayable);
                small && needs(from) <= needs(to)
            }
            Self::Pays => {
                let open = from == Visibility::Public as u8 || from == Visibility::External as u8;
                from < 4 && to < 4 && (open || to != Mutability::Payable as u8)
            }
            Self::Enters => {
                let closed = to == Visibility::Internal as u8 || to == Visibility::Private as u8;
                from < 3 && to < 4 && (closed || from != Location::Storage as u8)
            }
            Self::Entered => {
                let external = to == Visibility::External as u8;
                let closed = to == Visibility::Internal as u8 || to == Visibility::Private as u8;
                to < 4
                    && match Location::ALL.get(usize::from(from)) {
                        Some(Location::Calldata) => external,
                        Some(Location::Memory) => !external,
                        Some(Location::Storage) => closed,
                        None => false,
                    }
            }
            Self::Reaches => {
                let open = from == Visibility::Public as u8 || from == Visibility::External as u8;
                from < 4
                    && match CallKind::ALL.get(usize::from(to)) {
                        Some(CallKind::This | CallKind::Other) => open,
                        Some(CallKind::Library | CallKind::Attached | CallKind::Operator) => true,
                        Some(_) => from != Visibility::External as u8,
                        None => false,
                    }
            }
        }
    }
}

/// Whether a value type converts to another one implicitly.
fn converts(from: Type, to: Type) -> bool {
    match (from, to) {
        (Type::Uint(from), Type::Uint(to)) | (Type::Int(from), Type::Int(to)) => from <= to,
        (Type::FixedBytes(from), Type::FixedBytes(to)) => from <= to,
        _ => from == to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::type_bit;

    #[test]
    fn types_convert_to_wider_ones_of_their_kind_only() {
        let image = Relation::Converts.image(type_bit(Type::Uint(128)));
        assert_ne!(image & type_bit(Type::Uint(136)), 0);
        assert_eq!(image & type_bit(Type::Int(136)), 0);
        assert_eq!(image & type_bit(Type::FixedBytes(32)), 0);
    }

    #[test]
    fn a_fixed_array_copies_to_longer_and_dynamic_ones() {
        assert_eq!(Relation::Copies.after(3), 0b11_1001);
        assert_eq!(Relation::Copies.after(0), 0b1);
    }
}
