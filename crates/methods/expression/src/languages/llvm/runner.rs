//! What is after the items of LLVM modules: declarations of intrinsics, and a `main` as in C. It reads and writes single
//! characters, so that it needs no pointers.

use std::fmt::Write as _;

use crate::languages::widths::ANY;
use crate::{Entry, Frame};

/// Reads and writes numbers.
const NUMBERS: &str = "\
declare i32 @getchar()
declare i32 @putchar(i32)
declare i32 @fflush(i64)

; The next number, and whether there was one, in the lowest bit.
define internal i264 @next() noinline {
start:
  br label %skip
skip:
  %c = call i32 @getchar()
  %blank = icmp eq i32 %c, 32
  %line = icmp eq i32 %c, 10
  %ignored = or i1 %blank, %line
  br i1 %ignored, label %skip, label %first
first:
  %end = icmp slt i32 %c, 0
  br i1 %end, label %none, label %digits
none:
  ret i264 0
digits:
  %value = phi i264 [ 0, %first ], [ %more, %accept ]
  %now = phi i32 [ %c, %first ], [ %then, %accept ]
  %low = icmp sge i32 %now, 48
  %high = icmp sle i32 %now, 57
  %digit = and i1 %low, %high
  br i1 %digit, label %accept, label %done
accept:
  %unit = sub i32 %now, 48
  %wide = zext i32 %unit to i264
  %ten = mul i264 %value, 10
  %more = add i264 %ten, %wide
  %then = call i32 @getchar()
  br label %digits
done:
  %shifted = shl i264 %value, 1
  %result = or i264 %shifted, 1
  ret i264 %result
}

define internal void @show(i264 %value) noinline {
  %rest = udiv i264 %value, 10
  %last = urem i264 %value, 10
  %more = icmp ne i264 %rest, 0
  br i1 %more, label %before, label %this
before:
  call void @show(i264 %rest)
  br label %this
this:
  %unit = trunc i264 %last to i32
  %c = add i32 %unit, 48
  %done = call i32 @putchar(i32 %c)
  ret void
}

define i32 @main() {
start:
  br label %again
again:
  %read = call i264 @next()
  %ready = and i264 %read, 1
  %over = icmp eq i264 %ready, 0
  br i1 %over, label %end, label %call
end:
  ret i32 0
call:
  %function = lshr i264 %read, 1
  switch i264 %function, label %end [
";

/// Intrinsics of two operands.
const TWO: [&str; 9] =
    ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "ushl.sat", "sadd.sat", "ssub.sat"];

/// Intrinsics of two operands that return an overflow flag as well.
const OVERFLOWS: [&str; 6] = ["uadd", "usub", "umul", "sadd", "ssub", "smul"];

/// All intrinsics at all widths, since a module declares each only once.
fn declarations() -> String {
    let mut text = String::new();
    for width in ANY {
        for name in TWO {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width}, i{width})");
        }
        for name in OVERFLOWS {
            let _ = writeln!(
                text,
                "declare {{i{width}, i1}} @llvm.{name}.with.overflow.i{width}(i{width}, i{width})"
            );
        }
        for name in ["ctlz", "cttz", "abs"] {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width}, i1)");
        }
        for name in ["ctpop", "bitreverse"] {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width})");
        }
        for name in ["fshl", "fshr"] {
            let _ = writeln!(
                text,
                "declare i{width} @llvm.{name}.i{width}(i{width}, i{width}, i{width})"
            );
        }
        if width.is_multiple_of(16) {
            let _ = writeln!(text, "declare i{width} @llvm.bswap.i{width}(i{width})");
        }
    }
    text.push('\n');
    text
}

pub(super) fn frame(entries: &[Entry]) -> Frame {
    let mut after = declarations() + NUMBERS;
    for index in 0..entries.len() {
        let _ = writeln!(after, "    i264 {index}, label %case{index}");
    }
    after.push_str("  ]\n");
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let _ = writeln!(after, "case{index}:");
        let mut arguments = vec![];
        for (n, kind) in signature.parameters.iter().enumerate() {
            let (bits, at) = (kind.width, format!("{index}.{n}"));
            let _ = writeln!(
                after,
                "  %read{at} = call i264 @next()\n  %word{at} = lshr i264 %read{at}, 1\n  \
                 %a{at} = trunc i264 %word{at} to i{bits}"
            );
            arguments.push(format!("i{bits} %a{at}"));
        }
        let bits = signature.result.width;
        let _ = writeln!(
            after,
            "  %result{index} = call i{bits} @{name}({})\n  %wide{index} = zext i{bits} %result{index} to i264\n  \
             call void @show(i264 %wide{index})\n  br label %line",
            arguments.join(", ")
        );
    }
    after.push_str(
        "line:\n  %shown = call i32 @putchar(i32 10)\n  %flushed = call i32 @fflush(i64 0)\n  \
         br label %again\n}\n",
    );
    Frame { before: String::new(), after }
}
