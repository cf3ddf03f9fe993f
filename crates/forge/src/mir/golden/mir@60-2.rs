// mir@60:1:2: [Value("c430292f17e9da82\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(u32),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: u16,
    f2: bool,
    f3: u32,
}
static mut G0: u32 = 5_u32;
static mut G1: usize = 6_usize;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: isize, _3: usize, _4: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: ();
let _5: *const bool;
let _6: u16;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = _4 == false;
_5 = &raw const _4;
*_5 = !true;
h0 = *_5 as u64;
h1 = _1 as u64;
h2 = _4 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_1 = _2 as usize;
_6 = 8_u16 & 0_u16;
*_5 = 4294967294_u32 < 318900198_u32;
Call(_2 = core::hint::black_box(_2), ReturnTo(bb2), UnwindUnreachable())
};
{
h0 = _6 as u64;
h1 = _2 as u64;
h2 = _4 as u64;
h3 = *_5 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, h3), ReturnTo(bb3), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(9223372036854775807_usize), std::hint::black_box(2199023255552_isize), std::hint::black_box(9223372036854775808_usize), std::hint::black_box(true)); println!("{:016x}", unsafe { HASH }); }
