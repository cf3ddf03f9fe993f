; What LLVM 15 and later print.
source_filename = "x.c"
target datalayout = "e-m:e-p270:32:32-i64:64-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl nothing"

%pair = type { i32, i64 }
%0 = type { ptr, [2 x i8] }
%"odd name" = type <{ i8, i32 }>
%handle = type opaque

$group = comdat any

@0 = private unnamed_addr constant [4 x i8] c"a\22\\\00", align 1
@counter = internal thread_local(initialexec) global i32 0, section "data", align 4
@table = external addrspace(3) global [16 x float], align 16
@values = dso_local local_unnamed_addr global %pair { i32 -1, i64 9223372036854775807 }, comdat($group), align 8
@packed = global %"odd name" <{ i8 1, i32 2 }>
@zero = addrspace(1) externally_initialized global %0 zeroinitializer, !note !0
@address = global ptr getelementptr inbounds nuw (i8, ptr @values, i64 8)
@difference = global i64 sub (i64 ptrtoint (ptr @counter to i64), i64 ptrtoint (ptr @values to i64))
@vtable = constant ptr getelementptr inbounds inrange(-8, 16) ({ [3 x ptr] }, ptr @values, i32 0, i32 0, i32 1)
@where = global ptr blockaddress(@jumps, %first)
@wide = global i256 -12345678901234567890123456789012345678901234567890
@floats = global [5 x float] [float 1.000000e+00, float 0x3FB99999A0000000, float 0x7FF0000000000000, float -0.000000e+00, float 0x7FF8000000000000]
@lanes = global <2 x half> <half 0xH3C00, half 0xH7E00>
@other = global { bfloat, x86_fp80, fp128, ppc_fp128 } { bfloat 0xR3F80, x86_fp80 0xK3FFF8000000000000000, fp128 0xL00000000000000003FFF000000000000, ppc_fp128 0xM3FF00000000000000000000000000000 }
@second = alias i32, ptr @counter
@chosen = ifunc i32 (i32), ptr @resolver

; Function Attrs: nounwind
define internal fastcc noundef range(i8 -4, 10) i8 @integers(i8 noundef %0, i8 zeroext range(i8 0, 3) %b, ptr byval(%pair) align 8 captures(none) initializes((0, 4)) %p) unnamed_addr #0 section "text" align 16 {
  %2 = add nuw nsw i8 %0, %b
  %3 = sub i8 0, %2
  %4 = or disjoint i8 %3, -128
  %5 = udiv exact i8 %4, 3
  %wide = zext nneg i8 %5 to i32
  %narrow = trunc nuw nsw i32 %wide to i8
  %less = icmp samesign ult i8 %narrow, %b
  %chosen = select i1 %less, i8 %narrow, i8 poison
  %frozen = freeze i8 %chosen
  switch i8 %frozen, label %join [
    i8 -1, label %7
    i8 2, label %join
  ]

7:                                                ; preds = %1
  %8 = phi i8 [ %5, %1 ]
  br i1 true, label %join, label %9, !prof !5

9:                                                ; preds = %7
  unreachable

join:                                             ; preds = %7, %1, %1
  %10 = phi i8 [ 0, %1 ], [ 0, %1 ], [ %8, %7 ]
  ret i8 %10
}

define <4 x float> @floats.and.vectors(<4 x float> nofpclass(nan) %x, <vscale x 2 x i64> %y, i64 %i) #1 {
entry:
  %sum = fadd fast <4 x float> %x, splat (float 2.000000e+00)
  %neg = fneg nnan ninf <4 x float> %sum
  %less = fcmp reassoc olt <4 x float> %neg, zeroinitializer
  %one = extractelement <4 x i1> %less, i64 %i
  %in = insertelement <4 x float> %x, float 0x3FB99999A0000000, i64 1
  %mix = shufflevector <4 x float> %x, <4 x float> %in, <2 x i32> <i32 7, i32 poison>
  %all = shufflevector <vscale x 2 x i64> %y, <vscale x 2 x i64> poison, <vscale x 2 x i32> zeroinitializer
  %narrow = fptrunc contract <4 x float> %x to <4 x half>
  %picked = select nsz i1 %one, <4 x float> %x, <4 x float> %in
  %called = tail call nnan <4 x float> @llvm.fabs.v4f32(<4 x float> %picked)
  ret <4 x float> %called
}

define i32 @memory(ptr %p, ptr addrspace(1) %q, i64 %n) memory(argmem: readwrite) {
  %slot = alloca i32, align 4
  %many = alloca inalloca %pair, i64 %n, align 8
  %away = alloca i8, align 1, addrspace(5)
  %field = getelementptr inbounds nuw %pair, ptr %p, i64 0, i32 1
  %lanes = getelementptr i8, ptr %p, <2 x i64> <i64 1, i64 2>
  store volatile i32 7, ptr %slot, align 4
  store atomic i32 7, ptr %slot syncscope("singlethread") release, align 4
  %v = load i32, ptr %p, align 4, !range !6, !noundef !7
  %a = load atomic volatile i64, ptr addrspace(1) %q acquire, align 8
  %old = atomicrmw volatile umax ptr %p, i32 %v seq_cst, align 4
  %swap = cmpxchg weak ptr %p, i32 %v, i32 1 acq_rel monotonic, align 4
  %was = extractvalue { i32, i1 } %swap, 0
  %with = insertvalue { i32, [2 x i8] } undef, i8 1, 1, 0
  fence syncscope("agent") acquire
  %list = va_arg ptr %p, i32
  %bits = ptrtoaddr ptr %p to i64
  ret i32 %was
}

define i32 @calls(ptr %f, i32 %x, ...) personality ptr @personality {
entry:
  call void (ptr, ...) @printf(ptr nonnull @0, i32 %x, double 1.000000e+00)
  %r = musttail call i32 (ptr, i32, ...) %f(ptr %f, i32 %x, ...) #2
  ret i32 %r
}

define void @unwinding(ptr %f) personality ptr @personality {
entry:
  %v = invoke noundef i32 %f(i32 1) #2 [ "deopt"(i32 1, ptr %f), "gc-live"() ]
          to label %done unwind label %pad

done:
  %r = call i32 asm sideeffect "add %1, $0", "=r,r"(i32 %v) #2, !srcloc !8
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 8) ]
  %read = call i64 @llvm.read_register.i64(metadata !9)
  ret void

pad:
  %caught = landingpad { ptr, i32 }
          cleanup
          catch ptr @0
          filter [1 x ptr] [ptr @0]
  resume { ptr, i32 } %caught
}

define ptr @jumps(ptr %to) {
  indirectbr ptr %to, [label %first, label %second]

first:
  ret ptr null

second:
  ret ptr blockaddress(@jumps, %first)
}

define void @pads(i1 %0) personality ptr @personality {
  invoke void @personality(i1 %0)
          to label %3 unwind label %2

2:                                                ; preds = %1
  %pad = cleanuppad within none []
  cleanupret from %pad unwind to caller

3:                                                ; preds = %1
  call void @llvm.assume(i1 %0) #2
  ret void
}

define ptr @resolver() {
  ret ptr null
}

declare void @printf(ptr, ...)
declare <4 x float> @llvm.fabs.v4f32(<4 x float>) #3
declare !note !0 void @llvm.assume(i1 noundef)
declare i64 @llvm.read_register.i64(metadata)
declare i32 @personality(...)

attributes #0 = { nounwind alignstack=16 "key"="value" }
attributes #1 = { vscale_range(1,16) }
attributes #2 = { nounwind "only" }
attributes #3 = { nocallback nofree speculatable memory(none) }

!named = !{!0, !1}

!0 = !{!1, ptr addrspace(1) @zero}
!1 = distinct !{!1, !"self"}
!2 = !{!"unused"}
!5 = !{!"branch_weights", i32 1, i32 99}
!6 = !{i32 0, i32 100}
!7 = !{}
!8 = !{i64 12}
!9 = !{!"rsp"}
