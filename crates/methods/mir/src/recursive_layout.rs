//! The layouts of recursive types. The size of a type depends on the types that it contains, which are laid out
//! first. Whether a layout is fixed and whether it has a lifetime also depend on the pointees, which can be the type
//! itself, so these are computed as a fixed point. `layout.rs` computes a single layout.

use super::layout::{self, Layout};
use super::types::{Kind, TypeId, Types};

impl Types {
    /// The types that a type contains by value.
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

    /// All types in topological order: each after those that it contains. Types that contain themselves are left out,
    /// with all types that contain them.
    fn containment_order(&self) -> Vec<usize> {
        let count = self.kinds.len();
        let mut containers = vec![vec![]; count];
        let mut missing = vec![0; count];
        for (of, missing) in missing.iter_mut().enumerate() {
            let parts = self.contained(of);
            *missing = parts.len();
            // A part that does not exist stays missing.
            let existing = parts.iter().filter(|part| (part.0 as usize) < count);
            existing.for_each(|part| containers[part.0 as usize].push(of));
        }
        let mut order: Vec<usize> = (0..count).filter(|of| missing[*of] == 0).collect();
        let mut next = 0;
        while let Some(part) = order.get(next).copied() {
            next += 1;
            for container in &containers[part] {
                missing[*container] -= 1;
                if missing[*container] == 0 {
                    order.push(*container);
                }
            }
        }
        order
    }

    /// A type of infinite size: it contains itself, or a type that does. Its layout is meaningless.
    pub(crate) fn infinitely_sized(&self) -> Option<TypeId> {
        let later = |of: TypeId| self.contained(of.0 as usize).iter().any(|part| *part >= of);
        if !self.all().any(later) {
            return None;
        }
        let mut finite = vec![false; self.kinds.len()];
        self.containment_order().into_iter().for_each(|of| finite[of] = true);
        self.all().find(|of| !finite[of.0 as usize])
    }

    /// Computes the layouts of all types.
    pub(super) fn compute_layouts(&mut self) {
        // The start of the fixed point: every pointee is assumed to be fixed and without a lifetime.
        let unknown = Layout { align: 1, fixed: true, ..Layout::default() };
        self.layouts = vec![unknown; self.kinds.len()];
        let order = self.containment_order();
        let mut stable = false;
        while !stable {
            stable = true;
            for of in &order {
                let new = layout::of(&self.kinds[*of], self);
                let old = &self.layouts[*of];
                stable &= (new.size, new.fixed, new.has_lifetime)
                    == (old.size, old.fixed, old.has_lifetime);
                self.layouts[*of] = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::super::types::{Adt, Int, Repr, Shape, Variant, Width};
    use super::*;

    fn plain(shape: Shape, repr: Repr) -> Adt {
        Adt { shape, repr, destructor: None }
    }

    #[test]
    fn layouts_of_types_that_point_to_themselves_agree_with_rustc() {
        #[repr(C)]
        struct Chain(u8, *mut Chain, [Option<Box<Chain>>; 2], u16);
        #[repr(u8)]
        enum List<'a> {
            _End,
            _More(u16, &'a List<'a>),
        }
        let mut types = Types::new();
        let of = types.announce();
        let pointer = types.intern(Kind::Pointer { mutable: true, to: of });
        let boxed = types.intern(Kind::Heap(of));
        let both = types.intern(Kind::Array(boxed, 2));
        let short = types.int(Int { signed: false, width: Width::W16 });
        let fields = vec![Types::U8, pointer, both, short];
        types.define([(of, plain(Shape::Struct(fields), Repr::C))]);
        let layout = types.layout(of);
        let rustc = (size_of::<Chain>(), align_of::<Chain>());
        assert_eq!((layout.size, layout.align), rustc);
        let offsets = [offset_of!(Chain, 1), offset_of!(Chain, 2), offset_of!(Chain, 3)];
        assert_eq!(layout.fields[0][1..], offsets);
        assert!(layout.fixed && !layout.has_lifetime && types.layout(both).fixed);

        let of = types.announce();
        let lent = types.intern(Kind::Reference { mutable: false, to: of });
        let variant = |fields| Variant { fields, discriminant: None };
        let variants = vec![variant(vec![]), variant(vec![short, lent])];
        types.define([(of, plain(Shape::Enum(variants), Repr::Int(Int::U8)))]);
        let layout = types.layout(of);
        assert_eq!((layout.size, layout.align), (size_of::<List<'_>>(), align_of::<List<'_>>()));
        assert!(layout.fixed && layout.has_lifetime && types.layout(lent).fixed);
    }

    #[test]
    fn a_layout_is_fixed_only_if_its_pointees_are() {
        // Two types point to each other. rustc chooses the layout of one of them, or it is fixed.
        for (repr, has_lifetime) in [(Repr::C, false), (Repr::Rust, true)] {
            let mut types = Types::new();
            let (one, other) = (types.announce(), types.announce());
            let to = |types: &mut Types, to| types.intern(Kind::Pointer { mutable: true, to });
            let (first, second) = (to(&mut types, other), to(&mut types, one));
            let mut fields = vec![Types::U32, second];
            if has_lifetime {
                fields.push(types.intern(Kind::Reference { mutable: true, to: Types::U8 }));
            }
            types.define([
                (one, plain(Shape::Struct(vec![first]), Repr::C)),
                (other, plain(Shape::Struct(fields), repr)),
            ]);
            for of in [one, other, first, second] {
                assert_eq!(types.layout(of).fixed, repr == Repr::C);
                assert_eq!(types.has_lifetime(of), has_lifetime);
            }
            // Deserialised types have the same layouts.
            let text = serde_json::to_string(&types).unwrap();
            let again: Types = serde_json::from_str(&text).unwrap();
            assert_eq!(
                again.all().map(|of| again.size(of)).sum::<usize>(),
                types.all().map(|of| types.size(of)).sum::<usize>()
            );
            assert_eq!(again, types);
        }
    }

    #[test]
    fn types_that_contain_themselves_are_infinitely_sized() {
        let mut types = Types::new();
        let of = types.announce();
        let pair = types.intern(Kind::Tuple(vec![Types::U8, of]));
        assert_eq!(types.infinitely_sized(), None);
        types.define([(of, plain(Shape::Struct(vec![pair]), Repr::C))]);
        assert_eq!(types.infinitely_sized(), Some(of));
    }
}
