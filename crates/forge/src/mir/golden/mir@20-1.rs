// mir@20:1:1: [Value("ee2462231f15b9d8\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static G0: bool = true;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: usize, _3: char, _4: char) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _5: &bool;
let _6: *const char;
let h0: u64;
let h1: u64;
{ {
{
_3 = 5_u8 as char;
_1 = -0.0_f64 as usize;
_5 = Static(G0);
_6 = &raw const _4;
h0 = _2 as u64;
h1 = *_6 as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(6_usize), std::hint::black_box(6_usize), std::hint::black_box('\u{80}'), std::hint::black_box('\u{d7ff}')); println!("{:016x}", unsafe { HASH }); }
