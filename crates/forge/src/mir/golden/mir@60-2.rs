// mir@60:1:2: [Value("18f904e610f4166e\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S0 {
}
#[derive(Clone, Copy)]
#[repr(align(2))]
pub enum E1 {
    V0 = 9223372036854775790,
    V1 = 9223372036854775786,
    V2 = 9223372036854775779,
    V3 = 9223372036854775772,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U2 {
    f0: S0,
    f1: S0,
}
static mut G0: [i64; 0] = [];
static mut G1: i16 = -32768_i16;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: i16, _3: usize, _4: bool) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
{ {
{
_4 = _3 >= _3;
_1 = _4 != _4;
h0 = _2 as u64;
h1 = _3 as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: i64, _2: i64) -> i64 {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: i64;
let _3: i64;
let _4: i64;
let _5: i64;
let _6: i64;
let _7: i64;
{ {
{
_3 = _1 & 1_i64;
match _3 { 0 => bb1, _ => bb2 }
};
{
RET = _2;
Return()
};
{
_4 = _3 - 1_i64;
_5 = _3;
_6 = _2 * _5;
Call(_7 = f1(_4, _6), ReturnTo(bb3), UnwindContinue())
};
{
RET = _7 * _5;
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(false), std::hint::black_box(4_i16), std::hint::black_box(2_usize), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
