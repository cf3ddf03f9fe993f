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

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::super::types::{Adt, Int, Repr, Shape, Variant, Width};
    use super::*;

    fn plain(shape: Shape, repr: Repr) -> Adt {
        Adt { shape, repr, destructor: None }
    }

    #[test]
    fn what_points_to_itself_lies_where_rustc_puts_it() {
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
        assert!(layout.fixed && !layout.lends && types.layout(both).fixed);

        let of = types.announce();
        let lent = types.intern(Kind::Reference { mutable: false, to: of });
        let variant = |fields| Variant { fields, discriminant: None };
        let variants = vec![variant(vec![]), variant(vec![short, lent])];
        types.define([(of, plain(Shape::Enum(variants), Repr::Int(Int::U8)))]);
        let layout = types.layout(of);
        assert_eq!((layout.size, layout.align), (size_of::<List<'_>>(), align_of::<List<'_>>()));
        assert!(layout.fixed && layout.lends && types.layout(lent).fixed);
    }

    #[test]
    fn what_is_pointed_to_decides_whether_a_layout_is_fixed() {
        // Each points to the other, and one of them is laid out as rustc likes, or is not.
        for (repr, lends) in [(Repr::C, false), (Repr::Rust, true)] {
            let mut types = Types::new();
            let (one, other) = (types.announce(), types.announce());
            let to = |types: &mut Types, to| types.intern(Kind::Pointer { mutable: true, to });
            let (first, second) = (to(&mut types, other), to(&mut types, one));
            let mut fields = vec![Types::U32, second];
            if lends {
                fields.push(types.intern(Kind::Reference { mutable: true, to: Types::U8 }));
            }
            types.define([
                (one, plain(Shape::Struct(vec![first]), Repr::C)),
                (other, plain(Shape::Struct(fields), repr)),
            ]);
            for of in [one, other, first, second] {
                assert_eq!(types.layout(of).fixed, repr == Repr::C);
                assert_eq!(types.lends(of), lends);
            }
            // What is told of them one by one is what is told of them together.
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
    fn what_contains_itself_has_no_layout() {
        let mut types = Types::new();
        let of = types.announce();
        let pair = types.intern(Kind::Tuple(vec![Types::U8, of]));
        assert_eq!(types.endless(), None);
        types.define([(of, plain(Shape::Struct(vec![pair]), Repr::C))]);
        assert_eq!(types.endless(), Some(of));
    }
}
