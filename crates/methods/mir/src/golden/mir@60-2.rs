// mir@60:1:2: [Value("41d7fa982e0c4248\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: bool,
    f1: char,
    f2: u32,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: u32,
    f1: u8,
    f2: u8,
}
#[repr(C)]
pub struct S2 {
    f0: u8,
    f1: bool,
}
impl Drop for S2 {
    fn drop(&mut self) {
        f1(self)
    }
}
pub struct S3 {
    f0: bool,
    f1: usize,
}
impl Drop for S3 {
    fn drop(&mut self) {
        f3(self)
    }
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u32, _2: u8, _3: char, _4: bool, _5: u32, _6: u8) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ __debuginfo("v0", _2);
__debuginfo("v1", _3);
{
{
_1 = _5 & 2147483648_u32;
_1 = 7_u32 - _5;
match _4 { false => bb2, _ => bb1 }
};
{
h0 = _4 as u64;
h1 = _3 as u64;
h2 = _2 as u64;
h3 = _6 as u64;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb3), UnwindUnreachable())
};
{
_1 = !_5;
_5 = 8787984018467326436_usize as u32;
_3 = 230_u8 as char;
Goto(bb1)
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: &mut S2) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
{ {
{
h0 = (*_1).f0 as u64;
h1 = (*_1).f1 as u64;
Call(RET = record(0x10000_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: &mut S3) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
{ __debuginfo("v0", _1);
__debuginfo("v1", RET);
{
{
h0 = (*_1).f0 as u64;
h1 = (*_1).f1 as u64;
Call(RET = record(0x20000_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3(_1: &mut S3) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _2: &mut S3;
{ __debuginfo("v0", *_1);
__debuginfo("v1", _1);
__debuginfo("v2", RET);
__debuginfo("v3", RET);
{
{
_2 = &mut *_1;
Call(RET = f2(Move(_2)), ReturnTo(bb1), UnwindContinue())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f4(_1: i32, _2: usize) -> usize {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: usize;
let _3: i32;
let _4: i32;
let _5: usize;
let _6: usize;
let _7: usize;
{ __debuginfo("v0", RET);
__debuginfo("v1", RET);
{
{
_3 = _1 & 1_i32;
match _3 { 0 => bb1, _ => bb2 }
};
{
RET = _2;
Return()
};
{
_4 = _3 - 1_i32;
_5 = _3 as usize;
_6 = _2 - _5;
Call(_7 = f4(_4, _6), ReturnTo(bb3), UnwindContinue())
};
{
RET = _7 - _5;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f5(_1: &mut S3) {{
{ let RET: ();
{ __debuginfo("v0", RET);
{
{
TailCall(f2(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(4294967293_u32), std::hint::black_box(140_u8), std::hint::black_box('\u{ffff}'), std::hint::black_box(true), std::hint::black_box(2473375048_u32), std::hint::black_box(254_u8)); println!("{:016x}", unsafe { HASH }); }
