//! Which references into an allocation are still good: Tree Borrows (Villani and others, PLDI 2025), made stricter
//! where it lets somebody else read what a `&mut` refers to. A reference is a node below what it was made from, and
//! has a permission for each byte of what it refers to. Every access changes the permissions of all nodes, or is
//! undefined.

use super::interpret::{Check, Undefined};

/// How many nodes a tree can have, the root among them.
const MOST: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    /// Of a `&mut` that was not written through yet.
    Reserved,
    Active,
    Frozen,
    Disabled,
}

/// Whether a call protects a reference that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    None,
    /// Of a box, which may be freed nevertheless.
    Weak,
    Strong,
}

#[derive(Clone, Debug)]
struct Node {
    used: bool,
    parent: u8,
    guard: Guard,
    lo: u32,
    hi: u32,
    /// Where its permissions begin.
    first: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// The first is the allocation itself, which may do everything.
    nodes: Vec<Node>,
    permissions: Vec<Permission>,
}

/// An access through a tag to some bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) tag: u8,
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    pub(crate) write: bool,
}

impl Permission {
    /// What an access makes of it; none if it is undefined.
    fn after(self, child: bool, write: bool, guarded: bool) -> Option<Self> {
        match (child, write) {
            (true, false) => (self != Self::Disabled).then_some(self),
            (true, true) => matches!(self, Self::Reserved | Self::Active).then_some(Self::Active),
            // Tree Borrows only freezes here, and not even that before the first write. Nobody has settled that, and
            // under Stacked Borrows a `&mut` is over as soon as somebody else looks.
            (false, false) => match self {
                Self::Reserved | Self::Active if guarded => None,
                Self::Reserved | Self::Active => Some(Self::Disabled),
                Self::Frozen | Self::Disabled => Some(self),
            },
            (false, true) => (!guarded || self == Self::Disabled).then_some(Self::Disabled),
        }
    }
}

impl Node {
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
        let root = Node { used: true, parent: 0, guard: Guard::None, lo: 0, hi: 0, first: 0 };
        Self { nodes: vec![root], permissions: vec![] }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() == MOST && self.nodes.iter().all(|node| node.used)
    }

    /// Whether memory that it is for must not be freed.
    pub(crate) fn is_guarded(&self) -> bool {
        self.nodes.iter().any(|node| node.used && node.guard == Guard::Strong)
    }

    /// A new reference; there must be room for it.
    pub(crate) fn add(&mut self, parent: u8, lo: u32, hi: u32, mutable: bool, guard: Guard) -> u8 {
        let first = self.permissions.len();
        let start = if mutable { Permission::Reserved } else { Permission::Frozen };
        self.permissions.resize(first + (hi - lo) as usize, start);
        let node = Node { used: true, parent, guard, lo, hi, first };
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

    /// A node and what it was made from, as a set.
    fn line(&self, tag: u8) -> u64 {
        let (mut line, mut tag) = (1, tag);
        while tag != 0 {
            line |= 1 << tag;
            tag = self.nodes[tag as usize].parent;
        }
        line
    }

    fn others(&self) -> impl Iterator<Item = (usize, &Node)> {
        self.nodes.iter().enumerate().skip(1).filter(|(_, node)| node.used)
    }

    /// Whether an access is defined.
    pub(crate) fn allows(&self, access: Access) -> Check {
        self.allows_but(access, 0)
    }

    fn allows_but(&self, access: Access, but: u64) -> Check {
        let line = self.line(access.tag);
        for (index, node) in self.others().filter(|(index, _)| but >> index & 1 == 0) {
            let (child, guarded) = (line >> index & 1 == 1, node.guard != Guard::None);
            let permissions = &self.permissions[node.range(access.lo, access.hi)];
            let fine =
                |permission: &Permission| permission.after(child, access.write, guarded).is_some();
            if !permissions.iter().all(fine) {
                return Err(Undefined::Borrow);
            }
        }
        Ok(())
    }

    /// An access that is allowed takes place.
    pub(crate) fn apply(&mut self, access: Access) {
        self.apply_but(access, 0);
    }

    fn apply_but(&mut self, access: Access, but: u64) {
        let line = self.line(access.tag);
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            if !node.used || but >> index & 1 == 1 {
                continue;
            }
            let (child, guarded) = (line >> index & 1 == 1, node.guard != Guard::None);
            for permission in &mut self.permissions[node.range(access.lo, access.hi)] {
                *permission = permission.after(child, access.write, guarded).unwrap_or(*permission);
            }
        }
    }

    /// The call that protects a reference ends: as if it was used once more, which its own children do not
    /// notice.
    pub(crate) fn touch_last(&mut self, tag: u8) -> Check {
        let node = self.nodes[tag as usize].clone();
        let children = self
            .others()
            .filter(|(index, _)| *index != tag as usize && self.line(*index as u8) >> tag & 1 == 1)
            .fold(0, |all, (index, _)| all | 1 << index);
        for byte in node.lo..node.hi {
            let permission = self.permissions[node.first + (byte - node.lo) as usize];
            if permission == Permission::Disabled {
                continue;
            }
            let write = permission == Permission::Active;
            let access = Access { tag, lo: byte, hi: byte + 1, write };
            self.allows_but(access, children)?;
            self.apply_but(access, children);
        }
        Ok(())
    }

    pub(crate) fn unguard(&mut self, tag: u8) {
        self.nodes[tag as usize].guard = Guard::None;
    }

    /// Forgets all nodes but some, those that they were made from, and the protected ones.
    pub(crate) fn prune(&mut self, kept: u64) {
        let guarded = self.others().filter(|(_, node)| node.guard != Guard::None);
        let kept = guarded.fold(kept, |kept, (index, _)| kept | 1 << index);
        let needed = self.others().filter(|(index, _)| kept >> index & 1 == 1);
        let needed = needed.fold(1, |all: u64, (index, _)| all | self.line(index as u8));
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
