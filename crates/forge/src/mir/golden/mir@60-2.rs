// mir@60:1:2: [Value("0607ab5154a691e9\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub enum E0 {
    V0(usize, usize),
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: i64,
    f2: usize,
}
#[derive(Clone, Copy)]
pub enum E2<'a> {
    V0(*mut (dyn Tr0 + 'a)),
    V1,
}
static mut G0: i32 = 2048_i32;
static G1: usize = 8_usize;
pub trait Tr0 {
    fn m0(&mut self) -> i32;
}
impl Tr0 for U1 {
    #[inline]
    fn m0(&mut self) -> i32 { f1(self) }
}
impl Tr0 for i64 {
    #[inline]
    fn m0(&mut self) -> i32 { f2(self) }
}
impl Tr0 for i32 {
    #[inline]
    fn m0(&mut self) -> i32 { f3(self) }
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: usize, _3: usize, _4: usize, _5: usize) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
{ let RET: ();
let _6: i64;
let _7: &mut i64;
let _8: &mut dyn Tr0;
let _9: i32;
let _10: &mut i64;
let _11: &mut dyn Tr0;
let h0: u64;
let h1: u64;
let h2: u64;
{ __debuginfo("v0", _8);
{
{
_1 = _5 >> 13343924621011486425_usize;
_1 = _3;
_6 = 7_i64;
_7 = &mut _6;
_8 = CastUnsize(Move(_7));
Call(_9 = <dyn Tr0 as Tr0>::m0(Move(_8)), ReturnTo(bb1), UnwindContinue())
};
{
_10 = &mut _6;
_11 = CastUnsize(Move(_10));
Call(_9 = <dyn Tr0 as Tr0>::m0(Move(_11)), ReturnTo(bb2), UnwindUnreachable())
};
{
h0 = _6 as u64;
h1 = _5 as u64;
h2 = _9 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, 0_u64), ReturnTo(bb3), UnwindUnreachable())
};
{
h0 = _2 as u64;
h1 = _3 as u64;
h2 = _6 as u64;
Call(RET = record(0x3_u32, h0, h1, h2, 0_u64), ReturnTo(bb4), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: &mut U1) -> i32 {{
{ let RET: i32;
{ __debuginfo("v0", RET);
__debuginfo("v1", RET);
__debuginfo("v2", *_1);
__debuginfo("v3", (*_1).f2);
{
{
RET = 0_i32;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f2(_1: &mut i64) -> i32 {{
let bb1 = BasicBlock::Normal;
{ let RET: i32;
let _2: i32;
let h0: u64;
let hu: ();
{ __debuginfo("v0", -1059667835972750164_i64);
__debuginfo("v1", _2);
__debuginfo("v2", -2147483648_i32);
__debuginfo("v3", _2);
{
{
RET = 2147483647_i32;
_2 = *_1 as i32;
RET = RET + _2;
*_1 = *_1 + -4_i64;
h0 = *_1 as u64;
Call(hu = record(0x20000_u32, h0, 0_u64, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3(_1: &mut i32) -> i32 {{
{ let RET: i32;
let _2: i32;
{ __debuginfo("v0", RET);
__debuginfo("v1", _2);
__debuginfo("v2", RET);
{
{
RET = 35_i32;
_2 = *_1;
RET = RET ^ _2;
*_1 = *_1 + 140_i32;
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(2_usize), std::hint::black_box(18446744073709551615_usize), std::hint::black_box(8_usize), std::hint::black_box(14867589964440276166_usize), std::hint::black_box(8589934592_usize)); println!("{:016x}", unsafe { HASH }); }
