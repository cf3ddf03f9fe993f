//! The fixed part of an executable, as IR: the start, the loop over calls, and functions that compilers call where
//! a machine has no instruction. What it does not have ends the program with [`MISSING`], so that nothing is
//! concluded from such a call.
//!
//! The loop reads the number of the first call from its input, and writes one record per call to its output: the
//! result, then the memory that the arguments point to. If a call kills the program, the number of records says
//! which.

use std::fmt::Write as _;

use super::machine::Machine;

/// The exit code of a program that needs a library function.
pub const MISSING: i32 = 77;

/// What is called if a library function is missing.
pub const MISSING_FUNCTION: &str = "mistrust_missing";

/// The section of the memory that arguments point to, and its address, which is that of the interpreter.
pub const ARENA: (&str, u64) = ("mistrust_arena", 0x1000_0000);

/// How many blocks an input can have, and how far they are apart.
pub(super) const SLOTS: u64 = 16;
const SLOT: u64 = 1 << 16;

/// The longest record.
pub(super) const RECORD: usize = 1 << 15;

/// `WORD` is the integer of an address.
const DRIVER: &str = r#"
%call = type { ptr, ptr, WORD, ptr, WORD }
%block = type { ptr, ptr, WORD }

@mistrust_count = external constant WORD
@mistrust_table = external constant [0 x %call]
@mistrust_memory = global [ARENA x i8] zeroinitializer, section "SECTION", align 65536
@record = internal global [RECORD x i8] zeroinitializer, align 64
@first = internal global WORD 0

declare WORD @mistrust_syscall(WORD, WORD, WORD, WORD)

define void @mistrust_missing() {
  %r = call WORD @mistrust_syscall(WORD EXIT, WORD MISSING, WORD 0, WORD 0)
  unreachable
}

define void @mistrust_drive() {
start:
  %first = ptrtoint ptr @first to WORD
  %got = call WORD @mistrust_syscall(WORD READ, WORD 0, WORD %first, WORD BYTES)
  %from = load volatile WORD, ptr @first
  %count = load volatile WORD, ptr @mistrust_count
  br label %next
next:
  %i = phi WORD [ %from, %start ], [ %following, %written ]
  %done = icmp uge WORD %i, %count
  br i1 %done, label %end, label %one
one:
  %call = getelementptr [0 x %call], ptr @mistrust_table, WORD 0, WORD %i
  %wrapper.place = getelementptr %call, ptr %call, i32 0, i32 0
  %wrapper = load ptr, ptr %wrapper.place
  %arguments.place = getelementptr %call, ptr %call, i32 0, i32 1
  %arguments = load ptr, ptr %arguments.place
  %size.place = getelementptr %call, ptr %call, i32 0, i32 2
  %size = load WORD, ptr %size.place
  %blocks.place = getelementptr %call, ptr %call, i32 0, i32 3
  %blocks = load ptr, ptr %blocks.place
  %many.place = getelementptr %call, ptr %call, i32 0, i32 4
  %many = load WORD, ptr %many.place
  br label %fill
fill:
  %f = phi WORD [ 0, %one ], [ %f.next, %filling ]
  %filled = icmp uge WORD %f, %many
  br i1 %filled, label %ready, label %filling
filling:
  %f.block = getelementptr %block, ptr %blocks, WORD %f
  %f.address = load ptr, ptr %f.block
  %f.bytes.place = getelementptr %block, ptr %f.block, i32 0, i32 1
  %f.bytes = load ptr, ptr %f.bytes.place
  %f.length.place = getelementptr %block, ptr %f.block, i32 0, i32 2
  %f.length = load WORD, ptr %f.length.place
  %f.copy = call ptr @memcpy(ptr %f.address, ptr %f.bytes, WORD %f.length)
  %f.next = add WORD %f, 1
  br label %fill
ready:
  call void %wrapper(ptr %arguments, ptr @record)
  br label %collect
collect:
  %c = phi WORD [ 0, %ready ], [ %c.next, %collecting ]
  %at = phi WORD [ %size, %ready ], [ %at.next, %collecting ]
  %collected = icmp uge WORD %c, %many
  br i1 %collected, label %write, label %collecting
collecting:
  %c.block = getelementptr %block, ptr %blocks, WORD %c
  %c.address = load ptr, ptr %c.block
  %c.length.place = getelementptr %block, ptr %c.block, i32 0, i32 2
  %c.length = load WORD, ptr %c.length.place
  %c.to = getelementptr i8, ptr @record, WORD %at
  %c.copy = call ptr @memcpy(ptr %c.to, ptr %c.address, WORD %c.length)
  %at.next = add WORD %at, %c.length
  %c.next = add WORD %c, 1
  br label %collect
write:
  %record = ptrtoint ptr @record to WORD
  %written.bytes = call WORD @mistrust_syscall(WORD WRITE, WORD 1, WORD %record, WORD %at)
  %all = icmp eq WORD %written.bytes, %at
  br i1 %all, label %written, label %end
written:
  %following = add WORD %i, 1
  br label %next
end:
  %r = call WORD @mistrust_syscall(WORD EXIT, WORD 0, WORD 0, WORD 0)
  unreachable
}

define ptr @memcpy(ptr %to, ptr %from, WORD %n) {
start:
  br label %next
next:
  %i = phi WORD [ 0, %start ], [ %i.next, %one ]
  %done = icmp uge WORD %i, %n
  br i1 %done, label %end, label %one
one:
  %a = getelementptr i8, ptr %from, WORD %i
  %b = getelementptr i8, ptr %to, WORD %i
  %byte = load volatile i8, ptr %a
  store volatile i8 %byte, ptr %b
  %i.next = add WORD %i, 1
  br label %next
end:
  ret ptr %to
}

define ptr @memmove(ptr %to, ptr %from, WORD %n) {
start:
  %to.word = ptrtoint ptr %to to WORD
  %from.word = ptrtoint ptr %from to WORD
  %forwards = icmp ult WORD %to.word, %from.word
  br i1 %forwards, label %copy, label %next
copy:
  %r = call ptr @memcpy(ptr %to, ptr %from, WORD %n)
  ret ptr %r
next:
  %i = phi WORD [ %n, %start ], [ %i.next, %one ]
  %done = icmp eq WORD %i, 0
  br i1 %done, label %end, label %one
one:
  %i.next = sub WORD %i, 1
  %a = getelementptr i8, ptr %from, WORD %i.next
  %b = getelementptr i8, ptr %to, WORD %i.next
  %byte = load volatile i8, ptr %a
  store volatile i8 %byte, ptr %b
  br label %next
end:
  ret ptr %to
}

define ptr @memset(ptr %to, i32 %value, WORD %n) {
start:
  %byte = trunc i32 %value to i8
  br label %next
next:
  %i = phi WORD [ 0, %start ], [ %i.next, %one ]
  %done = icmp uge WORD %i, %n
  br i1 %done, label %end, label %one
one:
  %b = getelementptr i8, ptr %to, WORD %i
  store volatile i8 %byte, ptr %b
  %i.next = add WORD %i, 1
  br label %next
end:
  ret ptr %to
}

define i32 @memcmp(ptr %a, ptr %b, WORD %n) {
start:
  br label %next
next:
  %i = phi WORD [ 0, %start ], [ %i.next, %same ]
  %done = icmp uge WORD %i, %n
  br i1 %done, label %equal, label %one
one:
  %a.place = getelementptr i8, ptr %a, WORD %i
  %b.place = getelementptr i8, ptr %b, WORD %i
  %x = load volatile i8, ptr %a.place
  %y = load volatile i8, ptr %b.place
  %eq = icmp eq i8 %x, %y
  br i1 %eq, label %same, label %different
same:
  %i.next = add WORD %i, 1
  br label %next
equal:
  ret i32 0
different:
  %x.int = zext i8 %x to i32
  %y.int = zext i8 %y to i32
  %d = sub i32 %x.int, %y.int
  ret i32 %d
}
"#;

/// Division of integers that are twice as wide as a word: `TWICE` wide, with `MARK` in the names.
const DIVISION: &str = r#"
define internal { TWICE, TWICE } @divided.MARK(TWICE %a, TWICE %b) {
start:
  br label %one
one:
  %i = phi i32 [ 0, %start ], [ %i.next, %one ]
  %q = phi TWICE [ %a, %start ], [ %q.next, %one ]
  %r = phi TWICE [ 0, %start ], [ %r.next, %one ]
  %top = lshr TWICE %q, LAST
  %carried = lshr TWICE %r, LAST
  %r.twice = shl TWICE %r, 1
  %r.with = or TWICE %r.twice, %top
  %q.twice = shl TWICE %q, 1
  %over = icmp ne TWICE %carried, 0
  %reached = icmp uge TWICE %r.with, %b
  %fits = or i1 %over, %reached
  %less = sub TWICE %r.with, %b
  %r.next = select i1 %fits, TWICE %less, TWICE %r.with
  %bit = zext i1 %fits to TWICE
  %q.next = or TWICE %q.twice, %bit
  %i.next = add i32 %i, 1
  %more = icmp ule i32 %i.next, LAST
  br i1 %more, label %one, label %end
end:
  %pair = insertvalue { TWICE, TWICE } undef, TWICE %q.next, 0
  %both = insertvalue { TWICE, TWICE } %pair, TWICE %r.next, 1
  ret { TWICE, TWICE } %both
}

define TWICE @__udivMARK3(TWICE %a, TWICE %b) {
  %both = call { TWICE, TWICE } @divided.MARK(TWICE %a, TWICE %b)
  %q = extractvalue { TWICE, TWICE } %both, 0
  ret TWICE %q
}

define TWICE @__umodMARK3(TWICE %a, TWICE %b) {
  %both = call { TWICE, TWICE } @divided.MARK(TWICE %a, TWICE %b)
  %r = extractvalue { TWICE, TWICE } %both, 1
  ret TWICE %r
}

define TWICE @__divMARK3(TWICE %a, TWICE %b) {
  %a.sign = ashr TWICE %a, LAST
  %b.sign = ashr TWICE %b, LAST
  %a.flipped = xor TWICE %a, %a.sign
  %a.size = sub TWICE %a.flipped, %a.sign
  %b.flipped = xor TWICE %b, %b.sign
  %b.size = sub TWICE %b.flipped, %b.sign
  %q = call TWICE @__udivMARK3(TWICE %a.size, TWICE %b.size)
  %sign = xor TWICE %a.sign, %b.sign
  %flipped = xor TWICE %q, %sign
  %r = sub TWICE %flipped, %sign
  ret TWICE %r
}

define TWICE @__modMARK3(TWICE %a, TWICE %b) {
  %a.sign = ashr TWICE %a, LAST
  %b.sign = ashr TWICE %b, LAST
  %a.flipped = xor TWICE %a, %a.sign
  %a.size = sub TWICE %a.flipped, %a.sign
  %b.flipped = xor TWICE %b, %b.sign
  %b.size = sub TWICE %b.flipped, %b.sign
  %m = call TWICE @__umodMARK3(TWICE %a.size, TWICE %b.size)
  %flipped = xor TWICE %m, %a.sign
  %r = sub TWICE %flipped, %a.sign
  ret TWICE %r
}
"#;

impl Machine {
    /// The IR of the fixed part, for a machine.
    pub fn library(&self) -> String {
        let mut text = format!("target triple = \"{}\"\n", self.triple);
        let lines = self.assembly.iter().flat_map(|part| part.split("; "));
        for line in [".text", ".globl _start", ".globl mistrust_syscall"].into_iter().chain(lines) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "module asm \"{line}\"");
        }
        let word = format!("i{}", self.word);
        let fields = [
            ("RECORD", RECORD.to_string()),
            ("ARENA", (SLOTS * SLOT).to_string()),
            ("SECTION", ARENA.0.to_owned()),
            ("BYTES", (self.word / 8).to_string()),
            ("MISSING", MISSING.to_string()),
            ("READ", self.read.to_string()),
            ("WRITE", self.write.to_string()),
            ("EXIT", self.exit.to_string()),
            ("WORD", word),
        ];
        let mut driver = DRIVER.to_owned();
        for (field, value) in fields {
            driver = driver.replace(field, &value);
        }
        text + &driver + &division(self.word * 2)
    }
}

fn division(width: u32) -> String {
    // As GCC names the modes of integers.
    let mark = if width == 128 { "ti" } else { "di" };
    DIVISION
        .replace("TWICE", &format!("i{width}"))
        .replace("LAST", &(width - 1).to_string())
        .replace("MARK", mark)
}
