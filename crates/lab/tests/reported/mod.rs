//! Bugs from LLVM's tracker, each with a program of our own that reproduces it, and the versions that have it.

use std::ops::RangeInclusive;

use lab::verdict::BreachKind;

pub(crate) struct Bug {
    /// Its number in LLVM's tracker.
    pub(crate) issue: u32,
    pub(crate) passes: &'static str,
    versions: RangeInclusive<u32>,
    /// Versions among them that are not known to have it.
    but: &'static [u32],
    kind: BreachKind,
    /// A part of the message.
    pub(crate) message: &'static str,
    /// Whether it needs arguments that are undef.
    pub(crate) undef: bool,
    /// Whether it is for the long check alone.
    pub(crate) is_slow: bool,
    pub(crate) source: &'static str,
}

impl Bug {
    /// How a version fails.
    pub(crate) fn kind_in(&self, version: u32) -> Option<BreachKind> {
        let has = self.versions.contains(&version) && !self.but.contains(&version);
        has.then_some(self.kind)
    }
}

pub(crate) const BUGS: &[Bug] = &[
    // Negation of a select of a negation without overflow.
    Bug {
        issue: 112_666,
        passes: "instcombine",
        versions: 13..=18,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: false,
        is_slow: false,
        source: r#"define i8 @f(i8 %a, i8 %b, i1 %which) {
  %negated = sub nsw i8 0, %a
  %chosen = select i1 %which, i8 %negated, i8 %a
  %r = sub i8 %b, %chosen
  ret i8 %r
}
"#,
    },
    // Products of large constants overflow in the pass.
    Bug {
        issue: 140_481,
        passes: "constraint-elimination",
        versions: 17..=19,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: false,
        is_slow: false,
        source: r#"declare void @llvm.assume(i1)

define i1 @f(i32 %a) {
  %negative = icmp slt i32 %a, 0
  call void @llvm.assume(i1 %negative)
  %sum = add nsw i32 %a, 4500000
  %minus = mul nsw i32 %sum, -4500000
  %product = mul nsw i32 %minus, 4500000
  %r = icmp sgt i32 %product, 0
  ret i1 %r
}
"#,
    },
    // An element beyond the vector becomes a division by poison.
    Bug {
        issue: 115_575,
        passes: "vector-combine",
        versions: 14..=19,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: false,
        is_slow: false,
        source: r#"define <2 x i16> @f(i16 %a) {
  %beyond = insertelement <2 x i16> poison, i16 %a, i64 6
  %r = sdiv <2 x i16> %beyond, <i16 7, i16 3>
  ret <2 x i16> %r
}
"#,
    },
    // A result of callbr is hoisted before it.
    Bug {
        issue: 64_215,
        passes: "loop-mssa(licm)",
        versions: 14..=17,
        but: &[],
        kind: BreachKind::Crash,
        message: "does not dominate",
        undef: false,
        is_slow: false,
        source: r#"declare void @use(i32)

define void @f() {
entry:
  %x = callbr i32 asm sideeffect "", "=r"()
          to label %loop []

loop:
  %frozen = freeze i32 %x
  call void @use(i32 %frozen)
  br label %loop
}
"#,
    },
    // Each use of an undef argument differs. The pass has the condition of another use since 16, and the fix since 17.
    Bug {
        issue: 62_200,
        passes: "instcombine,correlated-propagation",
        versions: 16..=16,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: true,
        is_slow: false,
        source: r#"define i32 @f(i32 %a) {
  %half = sdiv i32 %a, 2
  %big = icmp sgt i32 %half, 1
  %quarter = sdiv i32 %half, 2
  %also = icmp sgt i32 %quarter, 1
  %small = select i1 %also, i32 %quarter, i32 1
  %r = select i1 %big, i32 %half, i32 %small
  ret i32 %r
}
"#,
    },
    // An address that callbr returns is computed with behind it, where nothing may stand.
    Bug {
        issue: 64_721,
        passes: "sroa",
        versions: 14..=17,
        but: &[],
        kind: BreachKind::Crash,
        message: "invalid IR, left by SROA",
        undef: false,
        is_slow: false,
        source: r#"define i8 @f(i1 %which) {
entry:
  %own = alloca [16 x i8]
  br i1 %which, label %one, label %join

one:
  %other = callbr ptr asm "", "=r"()
          to label %join []

join:
  %p = phi ptr [ %other, %one ], [ %own, %entry ]
  %q = getelementptr i8, ptr %p, i64 4
  store i8 1, ptr %q
  ret i8 0
}
"#,
    },
    // Each use of an undef argument differs. Narrow, because the prover does not decide remainders of 32 bits.
    Bug {
        issue: 62_401,
        passes: "instcombine",
        versions: 14..=16,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: true,
        is_slow: false,
        source: r#"define <2 x i4> @f(<2 x i1> %which, <2 x i4> %a) {
  %mask = sext <2 x i1> %which to <2 x i4>
  %once = xor <2 x i4> %mask, <i4 5, i4 -5>
  %twice = xor <2 x i4> %once, <i4 5, i4 -5>
  %r = urem <2 x i4> %a, %twice
  ret <2 x i4> %r
}
"#,
    },
    // The number of repetitions is taken for one that a later phi has.
    Bug {
        issue: 126_012,
        passes: "indvars",
        versions: 14..=19,
        but: &[],
        kind: BreachKind::Miscompilation,
        message: "",
        undef: false,
        is_slow: false,
        source: r#"define i64 @f() {
entry:
  br label %outer

outer:
  %count = phi i64 [ 0, %entry ], [ %next, %latch ]
  %last = phi i64 [ 1, %entry ], [ %i, %latch ]
  %i = phi i64 [ 0, %entry ], [ %step, %latch ]
  %first = icmp eq i64 %i, 0
  br i1 %first, label %latch, label %body

body:
  %positive = icmp sgt i64 %last, 0
  %more = add i64 %count, 1
  %chosen = select i1 %positive, i64 %more, i64 0
  br label %latch

latch:
  %next = phi i64 [ %chosen, %body ], [ 0, %outer ]
  %step = add i64 %i, 1
  %done = icmp eq i64 %i, 6
  br i1 %done, label %exit, label %outer

exit:
  ret i64 %next
}
"#,
    },
    // The low bit of a product with a comparison is combined for ever.
    Bug {
        issue: 142_405,
        passes: "instcombine",
        versions: 17..=19,
        but: &[],
        kind: BreachKind::Hang,
        message: "",
        undef: false,
        is_slow: true,
        source: r#"declare i16 @llvm.smax.i16(i16, i16)

define i16 @f(i16 noundef %a) {
  %positive = call i16 @llvm.smax.i16(i16 %a, i16 0)
  %low = trunc i16 %positive to i8
  %wide = zext i8 %low to i16
  %same = icmp eq i16 %a, %wide
  %factor = zext i1 %same to i16
  %product = mul i16 %positive, %factor
  %r = and i16 %product, 1
  ret i16 %r
}
"#,
    },
];
