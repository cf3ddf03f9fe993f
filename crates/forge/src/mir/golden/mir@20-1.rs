// mir@20:1:1: [Value("7cab7dd2ccb413cc\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static mut G0: usize = 14648499079285583592_usize;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: f32, _3: char, _4: u16, _5: u64) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
let hf: u32;
{ {
{
_4 = _4 - _4;
_4 = _1 as u16;
h0 = _1 as u64;
hf = CastTransmute(_2);
h1 = hf as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(6_usize), std::hint::black_box(-1.5_f32), std::hint::black_box('\u{d7ff}'), std::hint::black_box(32767_u16), std::hint::black_box(9223372036854775808_u64)); println!("{:016x}", unsafe { HASH }); }
