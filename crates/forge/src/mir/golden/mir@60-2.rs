// mir@60:1:2: [Value("31171a03ce19686e\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(bool, u32, bool),
    V1(u16, u32),
    V2(i8),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: i8,
    f1: u64,
    f2: u32,
    f3: usize,
}
static mut G0: i16 = 29682_i16;
static mut G1: i8 = -128_i8;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: usize, _3: i8, _4: i16, _5: u64) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
{ let RET: ();
let _6: u64;
let _7: usize;
let _8: bool;
let _9: u32;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ __debuginfo("v0", _1);
__debuginfo("v1", RET);
{
{
h0 = _4 as u64;
h1 = _5;
h2 = _1 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_6 = _5;
_7 = 0_usize;
Goto(bb2)
};
{
_9 = !0_u32;
_7 = _7 + 1_usize;
_8 = _7 != 3_usize;
match Move(_8) { false => bb3, _ => bb2 }
};
{
h0 = _4 as u64;
h1 = _7 as u64;
h2 = _5;
h3 = _1 as u64;
Call(RET = record(0x3_u32, h0, h1, h2, h3), ReturnTo(bb4), UnwindUnreachable())
};
{
h0 = _1 as u64;
h1 = _9 as u64;
h2 = _6;
h3 = _7 as u64;
Call(RET = record(0x4_u32, h0, h1, h2, h3), ReturnTo(bb5), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(-114_i8), std::hint::black_box(1_i16), std::hint::black_box(18446744073709551612_u64)); println!("{:016x}", unsafe { HASH }); }
