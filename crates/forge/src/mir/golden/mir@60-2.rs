// mir@60:1:2: [Value("c1c502002a62ffef\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(i16)]
pub enum E0 {
    V0(u16, u32),
    V1(u32, bool),
    V2(usize),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: i32,
    f1: i32,
    f2: i32,
}
static mut G0: usize = 9223372036854775808_usize;
static mut G1: u16 = 58_u16;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u32, _2: bool, _3: i32, _4: usize, _5: u32) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
{ let RET: ();
let _6: U1;
let _7: bool;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_2 = false & _2;
_6 = U1 { f2: _3 };
Goto(bb1)
};
{
_7 = _4 == 0_usize;
Assume(_7);
_1 = 7_u32 - _5;
match _2 { true => bb4, _ => bb2 }
};
{
h0 = _2 as u64;
h1 = _4 as u64;
h2 = _5 as u64;
h3 = _1 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, h3), ReturnTo(bb5), UnwindUnreachable())
};
{
_2 = false & _2;
_6 = U1 { f2: _3 };
Goto(bb2)
};
{
Goto(bb2)
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(2147483648_u32), std::hint::black_box(true), std::hint::black_box(3_i32), std::hint::black_box(0_usize), std::hint::black_box(268435456_u32)); println!("{:016x}", unsafe { HASH }); }
