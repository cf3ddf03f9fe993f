//! Arguments and results as bytes. Aggregates are taken apart, and integers are widened to whole bytes, so that
//! nothing depends on how a data layout stores them.

use crate::interpret::{Lane, Pointer, Value};
use crate::ir::{FloatKind, Module, Type};

/// Scalars and vectors in a value, at most.
const MOST_LEAVES: usize = 32;

/// Lanes of a vector, at most.
const MOST_LANES: u32 = 64;

/// A scalar or a vector in an argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Where it is in an aggregate.
    pub(super) path: Vec<u32>,
    pub(super) ty: Type,
    /// The type that is loaded and stored.
    pub(super) container: Type,
    /// Bytes of one lane, and how many there are.
    pub(super) lane: usize,
    pub(super) lanes: usize,
}

impl Leaf {
    /// The scalars and vectors of a type; `None` if it cannot be passed.
    pub(super) fn all(module: &Module, ty: &Type, word: u32) -> Option<Vec<Self>> {
        let mut leaves = vec![];
        collect(module, ty, word, &mut vec![], &mut leaves)?;
        Some(leaves)
    }

    pub(super) fn size(&self) -> usize {
        self.lane * self.lanes
    }

    /// Whether it is wider in memory than it is.
    pub(super) fn is_widened(&self) -> bool {
        self.container != self.ty
    }

    /// The value at its place in an aggregate.
    pub(super) fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.path.iter().try_fold(value, |value, index| match value {
            Value::Many(elements) => elements.get(*index as usize),
            Value::Lane(_) => None,
        })
    }

    /// Its bytes in memory. `None` stands for a byte that can be anything.
    pub(super) fn bytes(
        &self,
        value: &Value,
        big_endian: bool,
        address: &dyn Fn(Pointer) -> Option<u64>,
    ) -> Vec<Option<u8>> {
        let mut bytes = vec![];
        for lane in value.lanes().into_iter().take(self.lanes) {
            let bits = match lane {
                Lane::Bits(bits) => Some(*bits),
                Lane::Pointer(pointer) => address(*pointer).map(u128::from),
                Lane::Poison | Lane::Undef | Lane::Varying(_) => None,
            };
            let each = (0..self.lane).map(|index| bits.map(|bits| (bits >> (8 * index)) as u8));
            if big_endian {
                bytes.extend(each.rev());
            } else {
                bytes.extend(each);
            }
        }
        bytes.resize(self.size(), None);
        bytes
    }
}

fn collect(
    module: &Module,
    ty: &Type,
    word: u32,
    path: &mut Vec<u32>,
    leaves: &mut Vec<Leaf>,
) -> Option<()> {
    if path.len() > 8 || leaves.len() >= MOST_LEAVES {
        return None;
    }
    let mut each = |types: &mut dyn Iterator<Item = &Type>| {
        for (index, ty) in types.enumerate() {
            path.push(index as u32);
            collect(module, ty, word, path, leaves)?;
            path.pop();
        }
        Some(())
    };
    match ty {
        Type::Named(name) => collect(module, module.definition(name)?, word, path, leaves),
        Type::Struct { fields, .. } => each(&mut fields.iter()),
        Type::Array { length, of } if *length <= MOST_LEAVES as u64 => {
            each(&mut std::iter::repeat_n(&**of, *length as usize))
        }
        Type::Vector { lanes, scalable: false, of } if *lanes <= MOST_LANES => {
            let (container, lane) = scalar(of, word)?;
            let (container, lanes) = (Type::vector(*lanes, container), *lanes as usize);
            leaves.push(Leaf { path: path.clone(), ty: ty.clone(), container, lane, lanes });
            Some(())
        }
        _ => {
            let (container, lane) = scalar(ty, word)?;
            leaves.push(Leaf { path: path.clone(), ty: ty.clone(), container, lane, lanes: 1 });
            Some(())
        }
    }
}

/// The type in memory of a scalar, and its size in bytes.
fn scalar(ty: &Type, word: u32) -> Option<(Type, usize)> {
    match ty {
        Type::Int(width @ 1..=128) => {
            let width = width.next_power_of_two().max(8);
            Some((Type::Int(width), width as usize / 8))
        }
        Type::Float(FloatKind::X86Fp80 | FloatKind::PpcFp128) => None,
        Type::Float(kind) => Some((ty.clone(), kind.bits() as usize / 8)),
        Type::Pointer { space: 0, .. } => Some((Type::POINTER, word as usize / 8)),
        _ => None,
    }
}
