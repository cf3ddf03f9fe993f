//! What makes a value poison, and which operations propagate it.

use super::*;

#[test]
fn flags_make_poison() {
    let cases = [
        ("add nuw i8 %x, 1", 255, 254),
        ("add nsw i8 %x, 1", 127, 255),
        ("sub nuw i8 %x, 1", 0, 1),
        ("sub nsw i8 %x, 1", 128, 0),
        ("mul nuw i8 %x, 2", 128, 127),
        ("mul nsw i8 %x, 2", 64, 63),
        ("shl nuw i8 %x, 1", 128, 64),
        ("shl nsw i8 %x, 1", 64, 63),
        ("lshr exact i8 %x, 1", 1, 2),
        ("ashr exact i8 %x, 1", 129, 128),
        ("udiv exact i8 %x, 2", 3, 4),
        ("sdiv exact i8 %x, 2", 3, 254),
        ("or disjoint i8 %x, 1", 3, 2),
        ("shl i8 1, %x", 8, 7),
    ];
    for (op, poison, fine) in cases {
        let text = format!("define i8 @f(i8 %x) {{\n %r = {op}\n ret i8 %r\n}}");
        assert_eq!(lane(&text, &[n(poison)]), P, "{op}");
        assert!(matches!(lane(&text, &[n(fine)]), Lane::Bits(_)), "{op}");
    }
    let casts = [
        ("trunc nuw i8 %x to i4", 16, 15),
        ("trunc nsw i8 %x to i4", 8, 7),
        ("zext nneg i8 %x to i16", 128, 127),
    ];
    for (op, poison, fine) in casts {
        let to = op.rsplit(' ').next().unwrap();
        let text = format!("define {to} @f(i8 %x) {{\n %r = {op}\n ret {to} %r\n}}");
        assert_eq!(lane(&text, &[n(poison)]), P, "{op}");
        assert_eq!(lane(&text, &[n(fine)]), n(fine), "{op}");
    }
    let samesign = "define i1 @f(i8 %x) {\n %r = icmp samesign ult i8 %x, 3\n ret i1 %r\n}";
    assert_eq!(lane(samesign, &[n(128)]), P);
    assert_eq!(lane(samesign, &[n(2)]), n(1));
}

#[test]
fn select_needs_its_condition_and_one_arm() {
    let text =
        "define i8 @f(i1 %c, i8 %x, i8 %y) {\n %r = select i1 %c, i8 %x, i8 %y\n ret i8 %r\n}";
    assert_eq!(lane(text, &[n(1), n(5), P]), n(5));
    assert_eq!(lane(text, &[n(0), n(5), P]), P);
    assert_eq!(lane(text, &[P, n(5), n(5)]), P);
}

#[test]
fn phis_need_one_operand() {
    let text = "define i8 @f(i1 %c, i8 %x) {\n br i1 %c, label %a, label %b\na:\n br label %b\nb:\n \
                %r = phi i8 [ %x, %0 ], [ 9, %a ]\n ret i8 %r\n}";
    assert_eq!(lane(text, &[n(1), P]), n(9));
    assert_eq!(lane(text, &[n(0), P]), P);
}

#[test]
fn vectors_are_poison_lane_by_lane() {
    let text = "define <2 x i8> @f(i8 %x, i64 %i) {\n %v = insertelement <2 x i8> <i8 1, i8 2>, i8 %x, i64 %i\n \
                %r = add <2 x i8> %v, <i8 1, i8 1>\n ret <2 x i8> %r\n}";
    let many = |lanes: &[Lane]| Value::Many(lanes.iter().cloned().map(Value::Lane).collect());
    assert_eq!(returned(text, &[P, n(0)]), many(&[P, n(3)]));
    assert_eq!(returned(text, &[n(5), n(1)]), many(&[n(2), n(6)]));
    // An index out of bounds makes the whole vector poison.
    assert_eq!(returned(text, &[n(5), n(2)]), many(&[P, P]));
    let shuffle = "define <2 x i8> @f(i8 %x) {\n %v = insertelement <2 x i8> poison, i8 %x, i64 1\n \
                   %r = shufflevector <2 x i8> %v, <2 x i8> <i8 7, i8 8>, <2 x i32> <i32 1, i32 2>\n ret <2 x i8> %r\n}";
    assert_eq!(returned(shuffle, &[n(5)]), many(&[n(5), n(7)]));
    let extract =
        "define i8 @f(i64 %i) {\n %r = extractelement <2 x i8> <i8 7, i8 8>, i64 %i\n ret i8 %r\n}";
    assert_eq!(lane(extract, &[n(1)]), n(8));
    assert_eq!(lane(extract, &[n(2)]), P);
}

#[test]
fn bitcasts_spread_poison_over_what_it_touches() {
    let text = "define <2 x i8> @f(i8 %x) {\n %v = insertelement <4 x i4> <i4 1, i4 2, i4 3, i4 4>, i4 poison, i64 1\n \
                %r = bitcast <4 x i4> %v to <2 x i8>\n ret <2 x i8> %r\n}";
    let value = returned(text, &[n(0)]);
    assert_eq!(value, Value::Many(Box::new([Value::POISON, Value::bits(0x43)])));
    let big = "target datalayout = \"E\"\ndefine i16 @f(i8 %x) {\n \
               %r = bitcast <2 x i8> <i8 1, i8 2> to i16\n ret i16 %r\n}";
    assert_eq!(lane(big, &[n(0)]), n(0x0102));
}

#[test]
fn broken_promises_of_values_are_poison() {
    let range = "define i8 @f(i8 range(i8 0, 4) %x) {\n ret i8 %x\n}";
    assert_eq!(lane(range, &[n(4)]), P);
    assert_eq!(lane(range, &[n(3)]), n(3));
    let wrapped = "define i8 @f(i8 range(i8 -2, 2) %x) {\n ret i8 %x\n}";
    assert_eq!(lane(wrapped, &[n(254)]), n(254));
    assert_eq!(lane(wrapped, &[n(2)]), P);
    let nonnull = "define i1 @f(ptr nonnull %x) {\n %r = icmp eq ptr %x, null\n ret i1 %r\n}";
    assert_eq!(lane(nonnull, &[NULL]), P);
    let class = "define float @f(float nofpclass(nan) %x) {\n ret float %x\n}";
    assert_eq!(lane(class, &[n(0x7fc0_0000)]), P);
    assert_eq!(lane(class, &[n(0)]), n(0));
}

#[test]
fn offsets_out_of_bounds_are_poison() {
    let offset = |flags: &str| {
        format!(
            "define ptr @f(ptr %p, i64 %i) {{\n %r = getelementptr {flags} i32, ptr %p, i64 %i\n ret ptr %r\n}}"
        )
    };
    let is_poison = |flags: &str, pointer: Lane, index: i64| {
        lane(&offset(flags), &[pointer, n(u128::from(index as u64))]) == P
    };
    assert!(is_poison("inbounds", block(0, 0), 5) && is_poison("inbounds", block(0, 0), -1));
    assert!(!is_poison("inbounds", block(0, 0), 4) && !is_poison("", block(0, 0), 5));
    assert!(is_poison("inbounds", NULL, 1) && !is_poison("inbounds", NULL, 0));
    assert!(is_poison("nuw", block(0, 8), -1) && !is_poison("nusw", block(0, 8), -1));
    assert!(is_poison("nusw", block(0, 0), i64::MAX) && !is_poison("", block(0, 0), i64::MAX));
}

/// A false alarm of a hunt: null is an address, whatever pointer it was computed from.
#[test]
fn a_pointer_that_is_masked_to_null_is_null() {
    let text = "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)\ndefine i1 @f(ptr %p) {\n  \
                %q = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 0)\n  %r = call i1 @g(ptr %q)\n  \
                ret i1 %r\n}\ndefine i1 @g(ptr nonnull %p) {\n  %r = icmp eq ptr %p, null\n  ret i1 %r\n}\n";
    assert_eq!(lane(text, &[block(0, 0)]), P);
}
