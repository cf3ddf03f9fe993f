// mir@60:1:2: [Value("d41b043a1ab0bd64\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(u32, bool, u32),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: u16,
    f2: usize,
}
static mut G0: u16 = 32_u16;
static G1: usize = 8_usize;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: i16, _2: u32) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
{ let RET: ();
let _3: usize;
let _4: u32;
let h0: u64;
let h1: u64;
{ {
{
_1 = !_1;
_3 = 134217728_usize + 1_usize;
h0 = _2 as u64;
Call(RET = record(0x0_u32, h0, 0_u64, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_1 = -31015_i16 * _1;
Goto(bb2)
};
{
_4 = !_2;
_2 = 4_u64 as u32;
Goto(bb3)
};
{
h0 = _1 as u64;
h1 = _3 as u64;
Call(RET = record(0x3_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb4), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(512_i16), std::hint::black_box(1_u32)); println!("{:016x}", unsafe { HASH }); }
