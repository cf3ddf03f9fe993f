declare void @use(i32)

declare i32 @llvm.umin.i32(i32, i32)

declare i32 @llvm.ctlz.i32(i32, i1 immarg)

define i32 @masked_sum(i32 %a, i32 %b) {
  %low = and i32 %a, 255
  %high = shl i32 %b, 8
  %both = or i32 %low, %high
  %more = add nuw i32 %both, 1
  ret i32 %more
}

define i32 @bounded(i32 noundef %a, i32 %b) {
  %least = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  %zeros = call i32 @llvm.ctlz.i32(i32 %least, i1 true)
  %some = sub nsw i32 %zeros, 3
  ret i32 %some
}

define i1 @ordered(i32 %a, i32 %b, i32 %c) {
  %first = icmp ult i32 %a, %b
  %second = icmp slt i32 %b, %c
  %both = select i1 %first, i1 %second, i1 false
  ret i1 %both
}

define void @used(i32 %a) {
  %twice = mul nsw i32 %a, 2
  call void @use(i32 %twice)
  ret void
}

define <2 x i8> @lanes(<2 x i8> %a, <2 x i8> %b) {
  %sum = add <2 x i8> %a, <i8 1, i8 -1>
  %mixed = shufflevector <2 x i8> %sum, <2 x i8> %b, <2 x i32> <i32 0, i32 3>
  %out = xor <2 x i8> %mixed, %b
  ret <2 x i8> %out
}
