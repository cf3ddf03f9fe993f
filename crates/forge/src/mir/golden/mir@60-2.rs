// mir@60:1:2: [Value("b304ca2a0f41398b\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(bool, u64, bool),
    V1(i8, u64),
    V2(i8),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: i8,
    f1: usize,
    f2: u64,
    f3: usize,
}
static mut G0: i16 = 29682_i16;
static mut G1: u64 = 9223372036854775808_u64;
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f0(_1: i8, _2: i16, _3: u64, _4: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
{ let RET: ();
let _5: E0;
let _6: u64;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_5 = E0::V1(_1, _3);
_4 = _3 != 50_u64;
_4 = 9223372036854775808_usize <= 8_usize;
_6 = Field::<u64>(Variant(_5, 1), 1);
Goto(bb1)
};
{
h0 = _3;
h1 = Field::<u64>(Variant(_5, 1), 1);
h2 = _4 as u64;
h3 = _6;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb2), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f1(_1: i8, _2: usize) -> usize {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: usize;
let _3: i8;
let _4: i8;
let _5: usize;
let _6: usize;
let _7: usize;
{ {
{
_3 = _1 & 3_i8;
match _3 { 0 => bb1, _ => bb2 }
};
{
RET = _2;
Return()
};
{
_4 = _3 - 1_i8;
_5 = _3 as usize;
_6 = _2 + _5;
Call(_7 = f1(_4, _6), ReturnTo(bb3), UnwindContinue())
};
{
RET = _7 + _5;
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(-114_i8), std::hint::black_box(1_i16), std::hint::black_box(18446744073709551612_u64), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
