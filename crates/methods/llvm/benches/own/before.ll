declare i32 @observe(i32)

declare i32 @llvm.smax.i32(i32, i32)

define i32 @distributes(i32 %a, i32 %b, i32 %c) {
  %1 = mul i32 %a, 12
  %2 = shl i32 %a, 2
  %3 = add i32 %1, %2
  %4 = xor i32 %b, -1
  %5 = and i32 %4, %c
  %6 = add i32 %3, %5
  ret i32 %6
}

define i8 @divides_by_a_power(i8 %a) {
  %1 = udiv i8 %a, 16
  %2 = mul i8 %1, 16
  %3 = sub i8 %a, %2
  ret i8 %3
}

define i1 @compares_a_sum(i32 %a, i32 %b) {
  %1 = add nsw i32 %a, 7
  %2 = add nsw i32 %b, 7
  %3 = icmp slt i32 %1, %2
  ret i1 %3
}

define <4 x i16> @selects_lanes(<4 x i16> %a, <4 x i16> %b) {
  %1 = icmp ult <4 x i16> %a, %b
  %2 = select <4 x i1> %1, <4 x i16> %b, <4 x i16> %a
  %3 = shufflevector <4 x i16> %2, <4 x i16> %a, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  ret <4 x i16> %3
}

define i32 @clamps(i32 %a) {
entry:
  %negative = icmp slt i32 %a, 0
  br i1 %negative, label %below, label %above

below:
  br label %done

above:
  br label %done

done:
  %result = phi i32 [ 0, %below ], [ %a, %above ]
  ret i32 %result
}

define i32 @observes_twice(i32 %a, i1 %c) {
entry:
  %1 = call i32 @observe(i32 %a)
  br i1 %c, label %more, label %done

more:
  %2 = add i32 %a, 0
  %3 = call i32 @observe(i32 %2)
  br label %done

done:
  %4 = phi i32 [ %1, %entry ], [ %3, %more ]
  ret i32 %4
}

define i32 @keeps_a_local_variable(i32 %a, i32 %b) {
  %place = alloca i32, align 4
  store i32 %a, ptr %place, align 4
  %1 = load i32, ptr %place, align 4
  %2 = add i32 %1, %b
  store i32 %2, ptr %place, align 4
  %3 = load i32, ptr %place, align 4
  ret i32 %3
}

define void @overwrites(ptr %p, i32 %a) {
  store i32 1, ptr %p, align 4
  store i32 %a, ptr %p, align 4
  ret void
}

define i32 @sums_a_constant_number(i32 %a) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %a
  %next = add i32 %i, 1
  %ends = icmp eq i32 %next, 4
  br i1 %ends, label %done, label %loop

done:
  ret i32 %more
}

define i32 @switches(i32 %a) {
entry:
  switch i32 %a, label %other [
    i32 0, label %zero
    i32 1, label %one
  ]

zero:
  ret i32 1

one:
  ret i32 2

other:
  ret i32 %a
}
