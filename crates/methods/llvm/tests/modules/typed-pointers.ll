; What LLVM 13 and 14 print.
%node = type { i32, %node*, [4 x i16] }

@head = global %node* null, align 8
@first = global i8* getelementptr inbounds ([3 x i8], [3 x i8]* @text, i32 0, inrange i32 1)
@text = private constant [3 x i8] c"ab\00"
@function = global void (i32)* @uses
@next = global i32 add (i32 ptrtoint ([3 x i8]* @text to i32), i32 1)

define void @uses(i32 %0) {
  %2 = alloca %node, align 8
  %3 = getelementptr inbounds %node, %node* %2, i64 0, i32 2, i64 1
  store i16 1, i16* %3, align 2
  ret void
}

define i32 @walk(%node* %n, i32 (i8*)* %f, i8 addrspace(2)* %far) {
entry:
  %slot = alloca i32, align 4
  %value = getelementptr inbounds %node, %node* %n, i64 0, i32 0
  %link = getelementptr inbounds %node, %node* %n, i64 0, i32 1
  %next = load %node*, %node** %link, align 8
  %element = getelementptr %node, %node* %next, i64 0, i32 2, i64 1
  store i16 7, i16* %element, align 2
  %raw = bitcast %node* %n to i8*
  %r = call i32 %f(i8* %raw)
  call void bitcast (void (i32)* @uses to void (i32*)*)(i32* %slot)
  %count = call i32 (i8*, ...) @printf(i8* getelementptr inbounds ([3 x i8], [3 x i8]* @text, i64 0, i64 0), i32* %value)
  ret i32 %r
}

declare i32 @printf(i8*, ...)
