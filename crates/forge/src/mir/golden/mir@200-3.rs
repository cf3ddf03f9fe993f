// mir@200:1:3: [Value("20de54726ec5f18a\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S0 {
}
#[derive(Clone, Copy)]
#[repr(i8)]
pub enum E1 {
    V0(usize, bool) = 68,
    V1 = 99,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U2 {
    f0: u32,
    f1: [usize; 0],
}
#[derive(Clone, Copy)]
pub enum E3 {
    V0 = 9223372036854775786,
    V1 = 9223372036854775779,
    V2 = 9223372036854775772,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: i16, _2: i32) {{
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
let bb15 = BasicBlock::Normal;
let bb16 = BasicBlock::Normal;
let bb17 = BasicBlock::Normal;
let bb18 = BasicBlock::Normal;
let bb19 = BasicBlock::Normal;
let bb20 = BasicBlock::Normal;
let bb21 = BasicBlock::Normal;
let bb22 = BasicBlock::Normal;
{ let RET: ();
let _3: usize;
let _4: bool;
let _5: usize;
let _6: i16;
let _7: u32;
let _8: usize;
let _9: usize;
let _10: bool;
let _11: (i32, bool);
let _12: u32;
let _13: bool;
let _14: S0;
let _15: i32;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_1 = _1 >> 11759746832628514556_usize;
_2 = 5_i32;
_2 = _2 / _2;
_2 = CastTransmute(423335213_u32);
_3 = 7_usize;
Goto(bb1)
};
{
match _2 { 423335213 => bb3, _ => bb4 }
};
{
_2 = 24_u32 as i32;
h0 = _2 as u64;
h1 = _1 as u64;
Call(RET = record(0x2_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb5), UnwindUnreachable())
};
{
_5 = 2147483647_u32 as usize;
_3 = _3 - 1_usize;
_4 = _3 != 0_usize;
match Move(_4) { false => bb2, _ => bb1 }
};
{
_1 = 2048_u32 as i16;
Goto(bb3)
};
{
_5 = 217_usize | _5;
h0 = _5 as u64;
h1 = _2 as u64;
Call(RET = record(0x5_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb6), UnwindUnreachable())
};
{
_5 = _5 & 5133724096882935003_usize;
_2 = _1 as i32;
h0 = _2 as u64;
h1 = _5 as u64;
h2 = _1 as u64;
Call(RET = record(0x6_u32, h0, h1, h2, 0_u64), ReturnTo(bb7), UnwindUnreachable())
};
{
_2 = _2 % -311853452_i32;
_6 = _1;
Call(_7 = f1(2_u32, 8_u32), ReturnTo(bb8), UnwindUnreachable())
};
{
_1 = _6;
_8 = _5 & 3_usize;
_9 = 0_usize;
Goto(bb9)
};
{
_10 = _9 < _8;
match _10 { true => bb11, _ => bb10 }
};
{
_12 = 0_u32;
Goto(bb13)
};
{
_5 = _7 as usize;
Call(_11 = core::intrinsics::mul_with_overflow(_2, _2), ReturnTo(bb12), UnwindUnreachable())
};
{
_9 = _9 + 1_usize;
Goto(bb9)
};
{
_13 = _12 != 3_u32;
match _13 { false => bb14, _ => bb15 }
};
{
_14 = S0 { };
_1 = _6 & _1;
Call(_7 = f2(_12, _7), ReturnTo(bb19), UnwindUnreachable())
};
{
_11.1 = _10;
match _11.1 { false => bb16, _ => bb17 }
};
{
_12 = _12 + 1_u32;
Goto(bb13)
};
{
_12 = 0_u32;
Call(_7 = f2(_7, _7), ReturnTo(bb16), UnwindContinue())
};
{
Call(_7 = f1(_7, _7), ReturnTo(bb16), UnwindContinue())
};
{
_15 = _11.0 >> _1;
Call(_7 = f1(_7, _7), ReturnTo(bb20), UnwindContinue())
};
{
h0 = _11.0 as u64;
h1 = _15 as u64;
h2 = _5 as u64;
h3 = _7 as u64;
Call(RET = record(0x14_u32, h0, h1, h2, h3), ReturnTo(bb21), UnwindUnreachable())
};
{
h0 = _3 as u64;
h1 = _1 as u64;
h2 = _9 as u64;
h3 = _7 as u64;
Call(RET = record(0x15_u32, h0, h1, h2, h3), ReturnTo(bb22), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f1(_1: u32, _2: u32) -> u32 {{
{ let RET: u32;
{ {
{
RET = _1;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: u32, _2: u32) -> u32 {{
{ let RET: u32;
{ {
{
TailCall(f1(_2, _1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(0_i16), std::hint::black_box(1431086833_i32)); println!("{:016x}", unsafe { HASH }); }
