// mir@20:1:1: [Value("8a8c96900721d556\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
static mut G0: char = '\u{d7ff}';
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: i8) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
let hu: ();
{ {
{
h0 = _1 as u64;
h1 = _2 as u64;
Call(hu = record(0x0_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)]
pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) {
    unsafe {
        for word in [id as u64, a, b, c, d] {
            HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}
pub fn main() {
    f0(std::hint::black_box(true), std::hint::black_box(127_i8));
    println!("{:016x}", unsafe { HASH });
}
