target triple = "x86_64-unknown-linux-gnu"

declare float @llvm.fabs.f32(float)

define float @scaled(float %x, float %y) {
  %product = fmul nnan float %x, 2.000000e+00
  %size = call float @llvm.fabs.f32(float %product)
  %sum = fadd float %size, %y
  ret float %sum
}

define i1 @near(float %x, float %y) {
  %difference = fsub float %x, %y
  %is = fcmp olt float %difference, 1.000000e+00
  ret i1 %is
}

define double @switched(i8 %way, double %x) {
entry:
  switch i8 %way, label %other [
    i8 1, label %one
    i8 2, label %two
  ]

one:
  ret double %x

two:
  %negative = fneg double %x
  ret double %negative

other:
  ret double 0.000000e+00
}
