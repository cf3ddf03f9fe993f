// mir@20:1:1: [Value("df3c3f1295b31f71\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: u32, _3: f32, _4: f32, _5: u64) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
{ let RET: ();
let _6: bool;
let h0: u64;
let h1: u64;
let hf: u32;
{ {
{
_6 = _1 != _1;
h0 = _5;
hf = CastTransmute(_4);
h1 = hf as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
hf = CastTransmute(_3);
h0 = hf as u64;
h1 = _6 as u64;
Call(RET = record(0x1_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb2), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(6_u32), std::hint::black_box(-1.5_f32), std::hint::black_box(f32::NEG_INFINITY), std::hint::black_box(9532716976734288709_u64)); println!("{:016x}", unsafe { HASH }); }
