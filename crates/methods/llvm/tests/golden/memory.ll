@table = internal constant [4 x i16] [i16 1, i16 2, i16 4, i16 8]

define i16 @lookup(i64 %at) {
entry:
  %fits = icmp ult i64 %at, 4
  br i1 %fits, label %inside, label %outside

inside:
  %place = getelementptr inbounds [4 x i16], ptr @table, i64 0, i64 %at
  %found = load i16, ptr %place, align 2
  br label %outside

outside:
  %result = phi i16 [ 0, %entry ], [ %found, %inside ]
  ret i16 %result
}

define void @copy(ptr %to, ptr readonly %from) {
  %first = load i32, ptr %from, align 4
  store i32 %first, ptr %to, align 4
  %next = getelementptr i8, ptr %to, i64 4
  store i32 0, ptr %next, align 4
  ret void
}

define i32 @count(i32 %to) {
entry:
  %slot = alloca i32, align 4
  store i32 0, ptr %slot, align 4
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = load i32, ptr %slot, align 4
  %new = add i32 %old, %i
  store i32 %new, ptr %slot, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %to
  br i1 %more, label %loop, label %done

done:
  %sum = load i32, ptr %slot, align 4
  ret i32 %sum
}
