declare i32 @observe(i32)

declare i32 @llvm.smax.i32(i32, i32)

declare <4 x i16> @llvm.umax.v4i16(<4 x i16>, <4 x i16>)

define i32 @distributes(i32 %a, i32 %b, i32 %c) {
  %1 = shl i32 %a, 4
  %2 = xor i32 %b, -1
  %3 = and i32 %c, %2
  %4 = add i32 %1, %3
  ret i32 %4
}

define i8 @divides_by_a_power(i8 %a) {
  %1 = and i8 %a, 15
  ret i8 %1
}

define i1 @compares_a_sum(i32 %a, i32 %b) {
  %1 = icmp slt i32 %a, %b
  ret i1 %1
}

define <4 x i16> @selects_lanes(<4 x i16> %a, <4 x i16> %b) {
  %1 = call <4 x i16> @llvm.umax.v4i16(<4 x i16> %a, <4 x i16> %b)
  %2 = shufflevector <4 x i16> %1, <4 x i16> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  ret <4 x i16> %2
}

define i32 @clamps(i32 %a) {
  %1 = call i32 @llvm.smax.i32(i32 %a, i32 0)
  ret i32 %1
}

define i32 @observes_twice(i32 %a, i1 %c) {
entry:
  %1 = call i32 @observe(i32 %a)
  br i1 %c, label %more, label %done

more:
  %2 = call i32 @observe(i32 %a)
  br label %done

done:
  %3 = phi i32 [ %1, %entry ], [ %2, %more ]
  ret i32 %3
}

define i32 @keeps_a_local_variable(i32 %a, i32 %b) {
  %1 = add i32 %a, %b
  ret i32 %1
}

define void @overwrites(ptr %p, i32 %a) {
  store i32 %a, ptr %p, align 4
  ret void
}

define i32 @sums_a_constant_number(i32 %a) {
  %1 = shl i32 %a, 2
  ret i32 %1
}

define i32 @switches(i32 %a) {
  %1 = icmp ult i32 %a, 2
  %2 = zext i1 %1 to i32
  %3 = add i32 %a, %2
  ret i32 %3
}
