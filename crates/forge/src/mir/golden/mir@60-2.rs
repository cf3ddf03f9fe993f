// mir@60:1:2: [Value("641cfd4af05a2274\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
}
#[derive(Clone, Copy)]
pub struct S1 {
    f0: usize,
    f1: u8,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U2 {
    f0: i64,
    f1: i64,
    f2: i64,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: char, _2: u8, _3: usize, _4: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
let bb6 = BasicBlock::Normal;
let bb7 = BasicBlock::Normal;
let bb8 = BasicBlock::Normal;
let bb9 = BasicBlock::Normal;
let bb10 = BasicBlock::Normal;
let bb11 = BasicBlock::Normal;
let bb12 = BasicBlock::Normal;
let bb13 = BasicBlock::Normal;
let bb14 = BasicBlock::Normal;
{ let RET: ();
let _5: usize;
let _6: usize;
let _7: bool;
let _8: i32;
let _9: [i64; 0];
let _10: bool;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = _3 >= 9223372036854775807_usize;
_1 = _2 as char;
_1 = 8_u8 as char;
_5 = _3 & 3_usize;
_6 = _5;
Goto(bb1)
};
{
_7 = _6 > 0_usize;
match _7 { true => bb3, _ => bb2 }
};
{
h0 = _2 as u64;
h1 = _1 as u64;
h2 = _7 as u64;
h3 = _4 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
_2 = 128_u8;
match _4 { false => bb4, _ => bb5 }
};
{
_8 = -3_i32;
_2 = _2 | _2;
match _7 { true => bb9, _ => bb10 }
};
{
_4 = _3 >= 9223372036854775807_usize;
_1 = _2 as char;
_1 = 8_u8 as char;
_5 = _3 & 3_usize;
_6 = _5;
Goto(bb4)
};
{
_3 = -2_i32 as usize;
_4 = false;
Goto(bb4)
};
{
Goto(bb4)
};
{
_1 = _2 as char;
_1 = _2 as char;
match _4 { false => bb4, _ => bb7 }
};
{
_8 = _8 ^ 33554432_i32;
_4 = !_7;
_9 = [];
_10 = _4;
_10 = !_7;
_6 = _6 - 1_usize;
Goto(bb1)
};
{
Goto(bb9)
};
{
_3 = _3 | 5_usize;
_4 = false | false;
Goto(bb9)
};
{
Call(_8 = f2(_8, _8), ReturnTo(bb9), UnwindContinue())
};
{
h0 = _8 as u64;
h1 = _3 as u64;
h2 = _2 as u64;
Call(RET = record(0xd_u32, h0, h1, h2, 0_u64), ReturnTo(bb14), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: i32, _2: i32) -> i32 {{
{ let RET: i32;
{ {
{
RET = _1;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: i32, _2: i32) -> i32 {{
{ let RET: i32;
{ {
{
TailCall(f1(_2, _2))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box('A'), std::hint::black_box(2_u8), std::hint::black_box(2_usize), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
