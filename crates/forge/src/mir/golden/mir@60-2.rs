// mir@60:1:2: [Value("399a8d0d40dc78ad\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(packed(2))]
pub struct S0 {
    f0: bool,
    f1: usize,
    f2: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: char,
    f1: u8,
    f2: u8,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u8, _2: u8, _3: usize, _4: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
let bb6 = BasicBlock::Normal;
let bb7 = BasicBlock::Normal;
let bb8 = BasicBlock::Normal;
{ let RET: ();
let _5: U1;
let _6: char;
let _7: usize;
let _8: usize;
let _9: bool;
let _10: U1;
let _11: bool;
let _12: usize;
let _13: usize;
let _14: usize;
let _15: bool;
let _16: bool;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = _3 >= 9223372036854775807_usize;
_5 = U1 { f2: _1 };
_1 = _5.f2;
_6 = '\u{7f}';
_7 = _3 & 3_usize;
_8 = 0_usize;
Goto(bb1)
};
{
_9 = _8 < _7;
match Move(_9) { false => bb2, _ => bb3 }
};
{
h0 = _4 as u64;
h1 = _10.f2 as u64;
h2 = _5.f1 as u64;
h3 = _12 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, h3), ReturnTo(bb7), UnwindUnreachable())
};
{
_3 = _3 << -2_i64;
_1 = 230_u8 | _1;
_10 = U1 { f0: _6 };
_11 = _8 >= 18446744073709551615_usize;
_10.f1 = _6 as u8;
_10.f2 = _5.f2 + 1_u8;
_2 = 7_u8 & 4_u8;
_12 = _8 % 8_usize;
_13 = 7_usize - _12;
_14 = 0_usize;
Goto(bb4)
};
{
_16 = _6 == _10.f0;
_14 = _14 + 1_usize;
_15 = _14 != _13;
match Move(_15) { false => bb5, _ => bb4 }
};
{
_2 = _1;
_16 = -4_isize <= 1125899906842624_isize;
_10.f1 = _2 >> _10.f1;
h0 = _11 as u64;
h1 = _4 as u64;
h2 = _5.f1 as u64;
h3 = _6 as u64;
Call(RET = record(0x5_u32, h0, h1, h2, h3), ReturnTo(bb6), UnwindUnreachable())
};
{
_8 = _8 + 1_usize;
Goto(bb1)
};
{
h0 = _13 as u64;
h1 = _10.f0 as u64;
h2 = _11 as u64;
h3 = _6 as u64;
Call(RET = record(0x7_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: isize, _2: u8) -> u8 {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: u8;
let _3: isize;
let _4: isize;
let _5: u8;
let _6: u8;
let _7: u8;
{ __debuginfo("v0", _5);
{
{
_3 = _1 & 3_isize;
match _3 { 0 => bb1, _ => bb2 }
};
{
RET = _2;
Return()
};
{
_4 = _3 - 1_isize;
_5 = _3 as u8;
_6 = _2 + _5;
Call(_7 = f1(_4, _6), ReturnTo(bb3), UnwindContinue())
};
{
RET = _7 + _5;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: isize, _2: u8) -> u8 {{
{ let RET: u8;
{ __debuginfo("v0", _2);
__debuginfo("v1", 6_i64);
{
{
TailCall(f1(_1, _2))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(1_u8), std::hint::black_box(2_u8), std::hint::black_box(2_usize), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
