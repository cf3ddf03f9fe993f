//! The layouts of types that point to themselves. Sizes follow from what a type contains, which comes first; whether
//! a layout is fixed, and whether there is a lifetime, hangs on what is pointed to, too, and that may be the type itself.

use super::layout::{self, Layout};
use super::types::{Kind, TypeId, Types};

impl Types {
    /// The types that a type contains, not behind a pointer.
    fn contained(&self, of: usize) -> Vec<TypeId> {
        match &self.kinds[of] {
            Kind::Adt(index) => self.adts[*index].parts().collect(),
            Kind::Pointer { .. }
            | Kind::Reference { .. }
            | Kind::Heap(_)
            | Kind::Function { .. } => vec![],
            kind => kind.parts(),
        }
    }

    /// All types, each after those that it contains. What contains itself is left out, with all that contains that.
    fn inside_out(&self) -> Vec<usize> {
        let count = self.kinds.len();
        let mut wholes = vec![vec![]; count];
        let mut missing = vec![0; count];
        for (of, missing) in missing.iter_mut().enumerate() {
            let parts = self.contained(of);
            *missing = parts.len();
            // One that is not there never comes before.
            let there = parts.iter().filter(|part| (part.0 as usize) < count);
            there.for_each(|part| wholes[part.0 as usize].push(of));
        }
        let mut order: Vec<usize> = (0..count).filter(|of| missing[*of] == 0).collect();
        let mut next = 0;
        while let Some(part) = order.get(next).copied() {
            next += 1;
            for whole in &wholes[part] {
                missing[*whole] -= 1;
                if missing[*whole] == 0 {
                    order.push(*whole);
                }
            }
        }
        order
    }

    /// A type that contains itself, or something that does; its layout means nothing.
    pub(crate) fn endless(&self) -> Option<TypeId> {
        let later = |of: TypeId| self.contained(of.0 as usize).iter().any(|part| *part >= of);
        if !self.all().any(later) {
            return None;
        }
        let mut there = vec![false; self.kinds.len()];
        self.inside_out().into_iter().for_each(|of| there[of] = true);
        self.all().find(|of| !there[of.0 as usize])
    }

    /// Lays all types out anew.
    pub(super) fn settle(&mut self) {
        // What is pointed to is taken to be fixed and to lend nothing, until it turns out not to be so.
        let unknown = Layout { align: 1, fixed: true, ..Layout::default() };
        self.layouts = vec![unknown; self.kinds.len()];
        let order = self.inside_out();
        let mut settled = false;
        while !settled {
            settled = true;
            for of in &order {
                let new = layout::of(&self.kinds[*of], self);
                let old = &self.layouts[*of];
                settled &= (new.size, new.fixed, new.lends) == (old.size, old.fixed, old.lends);
                self.layouts[*of] = new;
            }
        }
    }
}
