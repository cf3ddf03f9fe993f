; Functions whose planted mistakes both oracles judge. All of them are ours.

@table = constant [4 x i8] c"\01\02\04\08"

@counter = global i32 0

declare i8 @observe(i8)

declare i8 @pure(i8) memory(none) nounwind willreturn

declare i8 @llvm.smax.i8(i8, i8)

declare { i8, i1 } @llvm.uadd.with.overflow.i8(i8, i8)

declare void @llvm.assume(i1)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i8 @sum_of_products(i8 %a, i8 %b) {
  %c = mul nsw i8 %a, 3
  %d = add nuw i8 %b, 7
  %e = sub i8 %c, %d
  %f = xor i8 %e, 85
  ret i8 %f
}

define i8 @division(i8 %a, i8 noundef %b) {
  %zero = icmp eq i8 %b, 0
  %safe = select i1 %zero, i8 1, i8 %b
  %q = udiv i8 %a, %safe
  %r = lshr exact i8 %q, 1
  ret i8 %r
}

define i1 @ranges(i8 range(i8 2, 9) %a, i8 %b) {
  %c = add nsw i8 %a, -3
  %d = icmp slt i8 %c, 5
  %e = icmp ult i8 %b, 17
  %f = and i1 %d, %e
  ret i1 %f
}

define <2 x i8> @lanes(<2 x i8> %a, i8 %b) {
  %c = insertelement <2 x i8> %a, i8 %b, i32 1
  %d = shl <2 x i8> %c, <i8 1, i8 2>
  %e = icmp sgt <2 x i8> %d, <i8 4, i8 -4>
  %f = select <2 x i1> %e, <2 x i8> %d, <2 x i8> <i8 9, i8 10>
  ret <2 x i8> %f
}

define i8 @branches(i8 noundef %a, i8 %b) {
entry:
  switch i8 %a, label %other [
    i8 1, label %one
    i8 2, label %two
  ]

one:
  %x = add i8 %b, 1
  br label %done

two:
  %y = shl i8 %b, 1
  br label %done

other:
  %z = sub i8 0, %b
  br label %done

done:
  %r = phi i8 [ %x, %one ], [ %y, %two ], [ %z, %other ]
  ret i8 %r
}

define i8 @frozen(i8 %a) {
  %b = freeze i8 %a
  %c = and i8 %b, 15
  %d = add nuw nsw i8 %c, 1
  ret i8 %d
}

define i8 @events(i8 %a, i1 noundef %c) {
entry:
  %x = call i8 @observe(i8 %a)
  br i1 %c, label %more, label %done

more:
  %y = add i8 %a, 1
  %z = call i8 @observe(i8 %y)
  br label %done

done:
  %r = phi i8 [ %x, %entry ], [ %z, %more ]
  ret i8 %r
}

define i8 @pure_calls(i8 noundef %a) {
  %x = call i8 @pure(i8 %a)
  %y = call i8 @llvm.smax.i8(i8 %x, i8 4)
  %z = xor i8 %y, 1
  ret i8 %z
}

define i8 @overflow(i8 %a, i8 %b) {
  %pair = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %a, i8 %b)
  %sum = extractvalue { i8, i1 } %pair, 0
  %carry = extractvalue { i8, i1 } %pair, 1
  %r = select i1 %carry, i8 -1, i8 %sum
  ret i8 %r
}

define i8 @assumption(i8 noundef %a) {
  %c = icmp ult i8 %a, 16
  call void @llvm.assume(i1 %c)
  %r = add nuw i8 %a, -16
  ret i8 %r
}

define i32 @local_variable(i32 %a, i32 %b) {
  %p = alloca [2 x i32], align 4
  %q = getelementptr inbounds [2 x i32], ptr %p, i64 0, i64 1
  store i32 %a, ptr %p, align 4
  store i32 %b, ptr %q, align 4
  %x = load i32, ptr %p, align 4
  %y = load i32, ptr %q, align 4
  %r = sub i32 %x, %y
  ret i32 %r
}

define i8 @bytes_of_a_word(i32 %a) {
  %p = alloca i32, align 4
  store i32 %a, ptr %p, align 4
  %q = getelementptr i8, ptr %p, i64 2
  %r = load i8, ptr %q, align 1
  ret i8 %r
}

define void @stores(ptr %p, i8 %a, i8 %b) {
  store i8 %a, ptr %p, align 1
  %q = getelementptr i8, ptr %p, i64 1
  store i8 %b, ptr %q, align 1
  ret void
}

define i16 @loads(ptr %p) {
  %x = load i16, ptr %p, align 2
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %y = load i16, ptr %q, align 2
  %r = add i16 %x, %y
  ret i16 %r
}

define i8 @may_alias(ptr %p, ptr %q, i8 %a) {
  store i8 %a, ptr %p, align 1
  store i8 3, ptr %q, align 1
  %r = load i8, ptr %p, align 1
  ret i8 %r
}

define i8 @looks_up(i64 noundef %i) {
  %in = and i64 %i, 3
  %p = getelementptr inbounds [4 x i8], ptr @table, i64 0, i64 %in
  %r = load i8, ptr %p, align 1
  ret i8 %r
}

define void @counts(i32 %by) {
  %old = load i32, ptr @counter, align 4
  %new = add i32 %old, %by
  store i32 %new, ptr @counter, align 4
  ret void
}

define i16 @copies(ptr %p) {
  %own = alloca [4 x i8], align 2
  call void @llvm.memcpy.p0.p0.i64(ptr align 2 %own, ptr align 2 %p, i64 4, i1 false)
  %q = getelementptr inbounds i8, ptr %own, i64 2
  %r = load i16, ptr %q, align 2
  ret i16 %r
}

define i8 @repeats(i8 %a) {
entry:
  br label %loop

loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i8 [ 1, %entry ], [ %more, %loop ]
  %more = add i8 %sum, %a
  %next = add nuw i8 %i, 1
  %ends = icmp eq i8 %next, 5
  br i1 %ends, label %done, label %loop

done:
  ret i8 %more
}

define internal i8 @doubled(i8 %x) {
  %r = shl nsw i8 %x, 1
  ret i8 %r
}

define i8 @calls_a_function(i8 %a) {
  %x = call i8 @doubled(i8 %a)
  %r = add i8 %x, 3
  ret i8 %r
}
