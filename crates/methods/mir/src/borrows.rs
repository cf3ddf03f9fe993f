//! The aliasing model: Tree Borrows (Villani and others, PLDI 2025), but stricter, because a foreign read disables a
//! `&mut`. Each reference is a node whose parent is the pointer it was derived from. A node has a permission for each
//! byte that it covers. An access updates the permissions of all nodes, or is undefined behaviour.

use super::interpret::{Check, Undefined};

/// The maximum number of nodes of a tree, with the root. A set of nodes is a `u64`.
const MAX_NODES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    /// Of a `&mut` that has not been written through yet.
    Reserved,
    Active,
    Frozen,
    Disabled,
}

/// The protector that a call puts on a reference or box in its arguments, until it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protector {
    None,
    /// Of a box: its memory may be freed during the call.
    Weak,
    /// Of a reference: its memory must not be freed during the call.
    Strong,
}

#[derive(Clone, Debug)]
struct Node {
    used: bool,
    parent: u8,
    protector: Protector,
    lo: u32,
    hi: u32,
    /// The index of its first permission.
    first: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The first is the root: the allocation itself, with every permission.
    nodes: Vec<Node>,
    permissions: Vec<Permission>,
}

/// An access to the bytes `lo..hi`, through the node `tag`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) tag: u8,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    pub(crate) write: bool,
}

impl Permission {
    /// The permission after an access. `child`: the access is through this node or a descendant, otherwise it is
    /// foreign. `None` if the access is undefined behaviour.
    fn after(self, child: bool, write: bool, protected: bool) -> Option<Self> {
        match (child, write) {
            (true, false) => (self != Self::Disabled).then_some(self),
            (true, true) => matches!(self, Self::Reserved | Self::Active).then_some(Self::Active),
            // A foreign read. Under Tree Borrows it freezes an active node and leaves a reserved one unchanged. The
            // rule is not final, and under Stacked Borrows a foreign read invalidates the `&mut`.
            (false, false) => match self {
                Self::Reserved | Self::Active if protected => None,
                Self::Reserved | Self::Active => Some(Self::Disabled),
                Self::Frozen | Self::Disabled => Some(self),
            },
            (false, true) => (!protected || self == Self::Disabled).then_some(Self::Disabled),
        }
    }
}

impl Node {
    /// The indices of its permissions for `lo..hi`.
    fn range(&self, lo: u32, hi: u32) -> std::ops::Range<usize> {
        let (from, to) = (lo.max(self.lo), hi.min(self.hi));
        if from >= to {
            return 0..0;
        }
        self.first + (from - self.lo) as usize..self.first + (to - self.lo) as usize
    }
}

impl Tree {
    pub(crate) fn new() -> Self {
        let protector = Protector::None;
        let root = Node { used: true, parent: 0, protector, lo: 0, hi: 0, first: 0 };
        Self { nodes: vec![root], permissions: vec![] }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() == MAX_NODES && self.nodes.iter().all(|node| node.used)
    }

    /// Whether a strong protector forbids freeing the allocation.
    pub(crate) fn is_strongly_protected(&self) -> bool {
        self.nodes.iter().any(|node| node.used && node.protector == Protector::Strong)
    }

    /// Adds a node for a new reference and returns its tag. The tree must not be full.
    pub(crate) fn add(
        &mut self,
        parent: u8,
        lo: u32,
        hi: u32,
        mutable: bool,
        protector: Protector,
    ) -> u8 {
        let first = self.permissions.len();
        let start = if mutable { Permission::Reserved } else { Permission::Frozen };
        self.permissions.resize(first + (hi - lo) as usize, start);
        let node = Node { used: true, parent, protector, lo, hi, first };
        match self.nodes.iter().position(|node| !node.used) {
            Some(free) => {
                self.nodes[free] = node;
                free as u8
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u8
            }
        }
    }

    /// A node and its ancestors, as a set.
    fn with_ancestors(&self, tag: u8) -> u64 {
        let (mut set, mut tag) = (1, tag);
        while tag != 0 {
            set |= 1 << tag;
            tag = self.nodes[tag as usize].parent;
        }
        set
    }

    /// All nodes but the root.
    fn references(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().skip(1).filter(|(_, node)| node.used)
    }

    /// Whether an access is defined.
    pub(crate) fn allows(&self, access: Access) -> Check {
        self.allows_except(access, 0)
    }

    /// As `allows`, without the permissions of some nodes.
    fn allows_except(&self, access: Access, except: u64) -> Check {
        let accessing = self.with_ancestors(access.tag);
        for (index, node) in self.references().filter(|(index, _)| except >> index & 1 == 0) {
            let child = accessing >> index & 1 == 1;
            let protected = node.protector != Protector::None;
            let permissions = &self.permissions[node.range(access.lo, access.hi)];
            let defined = |permission: &Permission| {
                permission.after(child, access.write, protected).is_some()
            };
            if !permissions.iter().all(defined) {
                return Err(Undefined::Borrow);
            }
        }
        Ok(())
    }

    /// Updates the permissions for an access that is allowed.
    pub(crate) fn apply(&mut self, access: Access) {
        self.apply_except(access, 0);
    }

    /// As `apply`, without the permissions of some nodes.
    fn apply_except(&mut self, access: Access, except: u64) {
        let accessing = self.with_ancestors(access.tag);
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if !node.used || except >> index & 1 == 1 {
                continue;
            }
            let child = accessing >> index & 1 == 1;
            let protected = node.protector != Protector::None;
            for permission in &mut self.permissions[node.range(access.lo, access.hi)] {
                *permission =
                    permission.after(child, access.write, protected).unwrap_or(*permission);
            }
        }
    }

    /// The implicit access when a protector ends: through the node itself, without effect on its descendants.
    pub(crate) fn protector_end_access(&mut self, tag: u8) -> Check {
        let node = self.nodes[tag as usize].clone();
        let is_below = |index: usize| {
            index != tag as usize && self.with_ancestors(index as u8) >> tag & 1 == 1
        };
        let descendants = self
            .references()
            .filter(|(index, _)| is_below(*index))
            .fold(0, |all, (index, _)| all | 1 << index);
        for byte in node.lo..node.hi {
            let permission = self.permissions[node.first + (byte - node.lo) as usize];
            if permission == Permission::Disabled {
                continue;
            }
            let write = permission == Permission::Active;
            let access = Access { tag, lo: byte, hi: byte + 1, write };
            self.allows_except(access, descendants)?;
            self.apply_except(access, descendants);
        }
        Ok(())
    }

    pub(crate) fn unprotect(&mut self, tag: u8) {
        self.nodes[tag as usize].protector = Protector::None;
    }

    /// Removes all nodes except those of a set, the protected ones, and the ancestors of both.
    pub(crate) fn prune(&mut self, kept: u64) {
        let protected = self.references().filter(|(_, node)| node.protector != Protector::None);
        let kept = protected.fold(kept, |kept, (index, _)| kept | 1 << index);
        let needed = self.references().filter(|(index, _)| kept >> index & 1 == 1);
        let needed = needed.fold(1, |all: u64, (index, _)| all | self.with_ancestors(index as u8));
        let mut permissions = vec![];
        for (index, node) in self.nodes.iter_mut().enumerate().skip(1) {
            node.used &= needed >> index & 1 == 1;
            if node.used {
                let old = node.first..node.first + (node.hi - node.lo) as usize;
                node.first = permissions.len();
                permissions.extend_from_slice(&self.permissions[old]);
            }
        }
        self.permissions = permissions;
    }
}
