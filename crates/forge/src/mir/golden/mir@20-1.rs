// mir@20:1:1: [Value("1206dfc09077cf14\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static mut G0: char = '\u{d7ff}';
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: usize, _3: bool, _4: u64) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _5: *mut char;
let _6: usize;
let h0: u64;
let h1: u64;
{ {
{
_5 = StaticMut(G0);
_6 = _2;
h0 = _2 as u64;
h1 = *_5 as u64;
Call(RET = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(false), std::hint::black_box(14648499079285583592_usize), std::hint::black_box(true), std::hint::black_box(6_u64)); println!("{:016x}", unsafe { HASH }); }
