// mir@20:1:1: [Value("31780cc489162e2e\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: u128, _3: i8) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
let hw: u128;
{ {
{
_1 = _1 << _1;
h0 = _2 as u64;
hw = _2 >> 64_i32;
h1 = hw as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
h0 = _3 as u64;
Call(RET = record(0x1_u32, h0, 0_u64, 0_u64, 0_u64), ReturnTo(bb2), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(5_usize), std::hint::black_box(170141183460469231731687303715884105727_u128), std::hint::black_box(-128_i8)); println!("{:016x}", unsafe { HASH }); }
