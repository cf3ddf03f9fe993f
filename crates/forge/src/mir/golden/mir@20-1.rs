// mir@20:1:1: [Value("d64df806bf59df5e\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static mut G0: u64 = 9223372036854775807_u64;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u64, _2: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
{ {
{
_1 = _1 * _1;
Call(_1 = core::hint::black_box(_1), ReturnTo(bb1), UnwindUnreachable())
};
{
h0 = _1;
h1 = _2 as u64;
Call(RET = record(0x1_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb2), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(14648499079285583592_u64), std::hint::black_box(true)); println!("{:016x}", unsafe { HASH }); }
