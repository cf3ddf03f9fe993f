//! Vectors: masked accesses, gathers, scalable vectors and reductions.

use super::*;

fn numbers(text: &str, arguments: &[Lane]) -> Vec<Option<u128>> {
    let number = |lane: &&Lane| match lane {
        Lane::Bits(bits) => Some(*bits),
        Lane::Poison => None,
        other => panic!("{other:?}"),
    };
    returned(text, arguments).lanes().iter().map(number).collect()
}

fn some(numbers: &[u128]) -> Vec<Option<u128>> {
    numbers.iter().copied().map(Some).collect()
}

#[test]
fn masked_loads_access_active_lanes_only() {
    let text = |mask: &str| {
        format!(
            "define <4 x i8> @f(ptr %p) {{\n %r = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr align 1 %p, <4 x i1> {mask}, <4 x i8> splat (i8 99))\n ret <4 x i8> %r\n}}\ndeclare <4 x i8> @llvm.masked.load.v4i8.p0(ptr, <4 x i1>, <4 x i8>)"
        )
    };
    let first_two = text("<i1 true, i1 true, i1 false, i1 false>");
    // Blocks have 16 bytes.
    assert_eq!(numbers(&first_two, &[block(0, 14)]), some(&[14, 15, 99, 99]));
    assert!(is_undefined(&text("splat (i1 true)"), &[block(0, 14)]));
    assert!(is_undefined(&text("<i1 true, i1 poison, i1 false, i1 false>"), &[block(0, 0)]));
    let old = "define <2 x i8> @f(ptr %p) {\n %r = call <2 x i8> @llvm.masked.load.v2i8.p0(ptr %p, i32 1, <2 x i1> <i1 false, i1 true>, <2 x i8> poison)\n ret <2 x i8> %r\n}\ndeclare <2 x i8> @llvm.masked.load.v2i8.p0(ptr, i32, <2 x i1>, <2 x i8>)";
    assert_eq!(numbers(old, &[block(0, 4)]), [None, Some(5)]);
}

#[test]
fn masked_stores_leave_other_lanes_alone() {
    let text = "define i32 @f(ptr %p) {\n call void @llvm.masked.store.v4i8.p0(<4 x i8> splat (i8 -1), ptr align 1 %p, <4 x i1> <i1 false, i1 true, i1 false, i1 false>)\n %r = load i32, ptr %p\n ret i32 %r\n}\ndeclare void @llvm.masked.store.v4i8.p0(<4 x i8>, ptr, <4 x i1>)";
    assert_eq!(lane(text, &[block(0, 0)]), n(0x0302_ff00));
}

#[test]
fn gathers_and_compressing_stores_pick_their_places() {
    let gather = "define <2 x i8> @f(ptr %p) {\n %q = getelementptr i8, ptr %p, <2 x i64> <i64 7, i64 100>\n \
                  %r = call <2 x i8> @llvm.masked.gather.v2i8.v2p0(<2 x ptr> %q, <2 x i1> <i1 true, i1 false>, <2 x i8> splat (i8 1))\n ret <2 x i8> %r\n}\ndeclare <2 x i8> @llvm.masked.gather.v2i8.v2p0(<2 x ptr>, <2 x i1>, <2 x i8>)";
    assert_eq!(numbers(gather, &[block(0, 0)]), some(&[7, 1]));
    let compress = "define i16 @f(ptr %p) {\n call void @llvm.masked.compressstore.v3i8(<3 x i8> <i8 40, i8 41, i8 42>, ptr %p, <3 x i1> <i1 true, i1 false, i1 true>)\n %r = load i16, ptr %p\n ret i16 %r\n}\ndeclare void @llvm.masked.compressstore.v3i8(<3 x i8>, ptr, <3 x i1>)";
    assert_eq!(lane(compress, &[block(0, 0)]), n(42 << 8 | 40));
}

#[test]
fn parts_of_vectors_are_moved() {
    let call = |ty: &str, name: &str, operands: &str| {
        format!(
            "define {ty} @f() {{\n %r = call {ty} @llvm.{name}({operands})\n ret {ty} %r\n}}\ndeclare {ty} @llvm.{name}(...)"
        )
    };
    let four = "<4 x i8> <i8 1, i8 2, i8 3, i8 4>";
    let text = call("<4 x i8>", "vector.reverse.v4i8", four).replace("(...)", "(<4 x i8>)");
    assert_eq!(numbers(&text, &[]), some(&[4, 3, 2, 1]));
    let operands = format!("{four}, i64 2");
    let text = call("<2 x i8>", "vector.extract.v2i8.v4i8", &operands);
    assert_eq!(numbers(&text.replace("(...)", "(<4 x i8>, i64)"), &[]), some(&[3, 4]));
    let operands = format!("{four}, <2 x i8> <i8 8, i8 9>, i64 2");
    let text = call("<4 x i8>", "vector.insert.v4i8.v2i8", &operands);
    let text = text.replace("(...)", "(<4 x i8>, <2 x i8>, i64)");
    assert_eq!(numbers(&text, &[]), some(&[1, 2, 8, 9]));
    let text =
        call("<4 x i8>", "vector.interleave2.v4i8", "<2 x i8> <i8 1, i8 3>, <2 x i8> <i8 2, i8 4>");
    let text = text.replace("(...)", "(<2 x i8>, <2 x i8>)");
    assert_eq!(numbers(&text, &[]), some(&[1, 2, 3, 4]));
    let operands = format!("{four}, {four}, i32 -1");
    let text = call("<4 x i8>", "vector.splice.v4i8", &operands);
    let text = text.replace("(...)", "(<4 x i8>, <4 x i8>, i32)");
    assert_eq!(numbers(&text, &[]), some(&[4, 1, 2, 3]));
}

#[test]
fn the_mask_of_active_lanes_does_not_wrap_around() {
    let text = "define <4 x i1> @f(i8 %a, i8 %b) {\n %r = call <4 x i1> @llvm.get.active.lane.mask.v4i1.i8(i8 %a, i8 %b)\n ret <4 x i1> %r\n}\ndeclare <4 x i1> @llvm.get.active.lane.mask.v4i1.i8(i8, i8)";
    assert_eq!(numbers(text, &[n(2), n(4)]), some(&[1, 1, 0, 0]));
    assert_eq!(numbers(text, &[n(254), n(255)]), some(&[1, 0, 0, 0]));
    assert_eq!(numbers(text, &[P, n(255)]), [None; 4]);
}

#[test]
fn scalable_vectors_have_as_many_lanes_as_the_range_of_vscale_says() {
    let text = |attributes: &str| {
        format!(
            "define i64 @f() {attributes} {{\n %v = call <vscale x 2 x i64> @llvm.stepvector.nxv2i64()\n %r = call i64 @llvm.vector.reduce.add.nxv2i64(<vscale x 2 x i64> %v)\n ret i64 %r\n}}\ndeclare <vscale x 2 x i64> @llvm.stepvector.nxv2i64()\ndeclare i64 @llvm.vector.reduce.add.nxv2i64(<vscale x 2 x i64>)"
        )
    };
    assert_eq!(lane(&text(""), &[]), n(1 + 2 + 3));
    assert_eq!(lane(&text("vscale_range(4,16)"), &[]), n((0..8).sum()));
    assert_eq!(lane(&text("vscale_range(1)"), &[]), n(1));
}

#[test]
fn sums_of_floats_are_in_order() {
    let text = "define float @f(float %x) {\n %r = call float @llvm.vector.reduce.fadd.v2f32(float %x, <2 x float> <float 1.0, float 2.0>)\n ret float %r\n}\ndeclare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)";
    assert_eq!(lane(text, &[n(u128::from(4.0_f32.to_bits()))]), n(u128::from(7.0_f32.to_bits())));
}

/// A false alarm of a hunt: the callee promises another factor than the run has.
#[test]
fn a_callee_with_another_vscale_range_is_not_run() {
    let text = |range: &str| {
        format!(
            "define i1 @f() {{\n  %r = call i1 @g()\n  ret i1 %r\n}}\n\
             define i1 @g() {range} {{\n  ret i1 1\n}}\n"
        )
    };
    assert!(matches!(run(&text("vscale_range(1,1)"), &[]), Outcome::Unsupported(_)));
    assert!(matches!(run(&text("vscale_range(1,4)"), &[]), Outcome::Returned { .. }));
}
