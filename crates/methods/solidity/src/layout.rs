//! The storage layout of types and contracts: slots, offsets and packing.

use ruint::aliases::U256;

use crate::model::{Length, StateId, StateKind, Type, TypeId};
use crate::view::View;

/// A position in storage. Values are counted from the low end of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub slot: U256,
    pub offset: u8,
}

impl Place {
    pub fn at(slot: U256) -> Self {
        Self { slot, offset: 0 }
    }
}

impl View<'_> {
    /// The number of bytes of a value type in storage; 32 for what always starts a slot.
    pub fn stored_bytes(&self, ty: Type) -> u8 {
        match self.underlying(ty) {
            Type::Uint(bits) | Type::Int(bits) => (bits / 8) as u8,
            Type::FixedBytes(bytes) => bytes,
            Type::Bool | Type::Enum(_) => 1,
            Type::Address | Type::Contract(_) => 20,
            _ => 32,
        }
    }

    /// The number of slots of a type, and whether it can share a slot.
    pub fn slots(&self, id: TypeId) -> u64 {
        match self.ty(id) {
            Type::Array(element, Length::Fixed(length)) => {
                let length = u64::from(length);
                match self.per_slot(element) {
                    Some(count) => length.div_ceil(count),
                    None => length * self.slots(element),
                }
            }
            Type::Struct(which) => self.struct_layout(self.fields(which)).1,
            _ => 1,
        }
    }

    /// How many elements of an array share a slot; `None` if each starts one.
    pub fn per_slot(&self, element: TypeId) -> Option<u64> {
        let ty = self.ty(element);
        if ty.is_reference() {
            return None;
        }
        Some(32 / u64::from(self.stored_bytes(ty)))
    }

    /// The slot and offset of each member, and the number of slots of all.
    pub fn struct_layout(&self, fields: &[TypeId]) -> (Vec<(u64, u8)>, u64) {
        let mut places = Vec::with_capacity(fields.len());
        let (mut slot, mut offset) = (0, 0);
        for field in fields {
            let ty = self.ty(*field);
            let bytes = if ty.is_reference() { 32 } else { self.stored_bytes(ty) };
            let fits = ty.is_value() && offset + bytes <= 32;
            if offset > 0 && !fits {
                slot += 1;
                offset = 0;
            }
            places.push((slot, offset));
            if ty.is_reference() {
                slot += self.slots(*field);
            } else {
                offset += bytes;
                // A full slot is left at once, so that nothing counts it twice.
                if offset == 32 {
                    slot += 1;
                    offset = 0;
                }
            }
        }
        (places, slot + u64::from(offset > 0))
    }

    /// The place of an element, counted from the first slot of the data.
    pub fn element(&self, data: U256, element: TypeId, index: u64) -> Place {
        match self.per_slot(element) {
            Some(count) => Place {
                slot: data.wrapping_add(U256::from(index / count)),
                offset: (index % count) as u8 * self.stored_bytes(self.ty(element)),
            },
            None => Place::at(
                data.wrapping_add(U256::from(index).wrapping_mul(U256::from(self.slots(element)))),
            ),
        }
    }

    /// The first slot of a contract: `layout at`.
    pub fn base_slot(&self, contract: u8) -> U256 {
        let layout = self.template.contracts.get(usize::from(contract)).map(|it| it.layout);
        match layout.map_or(0, |layout| self.number(layout)) {
            1 => U256::ONE,
            2 => U256::from(0x1_0000_0000_u64),
            3 => (U256::ONE << 255) + U256::from(0xffff),
            _ => U256::ZERO,
        }
    }

    /// State variables of a contract in the order of their declaration.
    pub fn declared_states(&self, contract: u8) -> Vec<StateId> {
        let Some(contract) = self.template.contracts.get(usize::from(contract)) else {
            return vec![];
        };
        permuted(&contract.states, self.number(contract.order))
    }

    /// The contracts that a contract consists of, the most basic first.
    pub fn linearised(&self, contract: u8) -> Vec<u8> {
        let mut order = linearise(self, contract);
        order.reverse();
        order
    }

    /// The place of each state variable of a contract in storage or transient storage.
    pub fn state_places(&self, contract: u8) -> Vec<(StateId, Place)> {
        let mut places = vec![];
        for kind in [StateKind::Storage, StateKind::Transient] {
            let ids: Vec<StateId> = self
                .linearised(contract)
                .into_iter()
                .flat_map(|it| self.declared_states(it))
                .filter(|id| self.state_kind(self.template.states[usize::from(*id)].kind) == kind)
                .collect();
            let types: Vec<TypeId> =
                ids.iter().map(|id| self.template.states[usize::from(*id)].ty).collect();
            let (layout, _) = self.struct_layout(&types);
            let base = match kind {
                StateKind::Storage => self.base_slot(contract),
                _ => U256::ZERO,
            };
            places.extend(ids.into_iter().zip(layout).map(|(id, (slot, offset))| {
                (id, Place { slot: base.wrapping_add(U256::from(slot)), offset })
            }));
        }
        places
    }
}

/// C3 linearisation, the most derived first. Bases are written from the most basic to the most derived.
fn linearise(view: &View<'_>, contract: u8) -> Vec<u8> {
    let Some(it) = view.template.contracts.get(usize::from(contract)) else { return vec![] };
    let mut lists: Vec<Vec<u8>> =
        it.bases.iter().rev().map(|base| linearise(view, *base)).collect();
    lists.push(it.bases.iter().rev().copied().collect());
    let mut order = vec![contract];
    loop {
        lists.retain(|list| !list.is_empty());
        let head = lists
            .iter()
            .map(|list| list[0])
            .find(|head| lists.iter().all(|list| !list[1..].contains(head)));
        let Some(head) = head else { return order };
        order.push(head);
        for list in &mut lists {
            list.retain(|it| *it != head);
        }
    }
}

/// The permutation with this rank; ranks start again after the last.
fn permuted(items: &[StateId], rank: u8) -> Vec<StateId> {
    let mut rest = items.to_vec();
    let mut rank = usize::from(rank);
    let mut out = Vec::with_capacity(items.len());
    while !rest.is_empty() {
        let at = rank % rest.len();
        rank /= rest.len();
        out.push(rest.remove(at));
    }
    out
}
