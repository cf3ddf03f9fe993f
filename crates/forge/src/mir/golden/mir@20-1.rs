// mir@20:1:1: [Value("f4b73a2f2a873652\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static mut G0: usize = 0_usize;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: u64, _3: f32, _4: char, _5: i64, _6: u16) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _7: char;
let h0: u64;
let h1: u64;
{ {
{
_2 = _2 << _2;
_7 = 101_u8 as char;
h0 = _2;
h1 = _1 as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(13931846689170435659_usize), std::hint::black_box(6_u64), std::hint::black_box(-1.5_f32), std::hint::black_box('\u{d7ff}'), std::hint::black_box(9223372036854775807_i64), std::hint::black_box(32768_u16)); println!("{:016x}", unsafe { HASH }); }
