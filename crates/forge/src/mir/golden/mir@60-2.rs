// mir@60:1:2: [Value("d48e13435b59a3b1\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(i32),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: u16,
    f2: bool,
    f3: i32,
}
static mut G0: u32 = 5_u32;
static mut G1: u32 = 6_u32;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: isize, _3: u32, _4: usize) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: ();
let _5: bool;
let _6: bool;
let h0: u64;
let h1: u64;
let h2: u64;
{ {
{
_5 = _1 <= 9223372036854775807_usize;
Assume(_5);
_3 = _3 - _3;
_1 = 18446744073709551612_usize << _3;
_1 = _1 << _2;
_6 = _5 == true;
Assume(_6);
Call(_3 = core::hint::black_box(_3), ReturnTo(bb1), UnwindUnreachable())
};
{
h0 = _2 as u64;
h1 = _3 as u64;
Call(RET = record(0x1_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb2), UnwindUnreachable())
};
{
h0 = _6 as u64;
h1 = _5 as u64;
h2 = _2 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, 0_u64), ReturnTo(bb3), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(9223372036854775807_usize), std::hint::black_box(2199023255552_isize), std::hint::black_box(2147483648_u32), std::hint::black_box(46_usize)); println!("{:016x}", unsafe { HASH }); }
