// mir@60:1:2: [Value("b4c5a986293092ac\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(packed(2))]
pub struct S0 {
    f0: bool,
    f1: usize,
    f2: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: char,
    f1: u8,
    f2: u8,
}
pub struct S2 {
    f0: usize,
    f1: u8,
}
impl Drop for S2 {
    fn drop(&mut self) {
        f2(self)
    }
}
pub enum E3 {
    V0(S2),
    V1,
}
pub struct S4 {
    f0: u8,
    f1: char,
}
impl Drop for S4 {
    fn drop(&mut self) {
        f3(self)
    }
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: bool) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _3: u8;
let h0: u64;
let h1: u64;
let h2: u64;
{ __debuginfo("v0", RET);
{
{
_2 = -9223372036854775808_isize < 5_isize;
_3 = !127_u8;
h0 = _1 as u64;
h1 = _2 as u64;
h2 = _3 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
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
{ __debuginfo("v0", RET);
__debuginfo("v1", RET);
__debuginfo("v2", true);
__debuginfo("v3", _1);
{
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
pub fn f2(_1: &mut S2) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let _2: &mut S2;
{ __debuginfo("v0", (*_2).f0);
__debuginfo("v1", RET);
__debuginfo("v2", _1);
__debuginfo("v3", _1);
{
{
_2 = &mut *_1;
Call(RET = f1(Move(_2)), ReturnTo(bb1), UnwindContinue())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3(_1: &mut S4) {{
let bb1 = BasicBlock::Normal;
{ let RET: ();
let h0: u64;
let h1: u64;
{ __debuginfo("v0", RET);
{
{
h0 = (*_1).f0 as u64;
h1 = (*_1).f1 as u64;
Call(RET = record(0x30000_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f4(_1: u8, _2: isize) -> isize {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
{ let RET: isize;
let _3: u8;
let _4: u8;
let _5: isize;
let _6: isize;
let _7: isize;
{ __debuginfo("v0", _3);
__debuginfo("v1", _2);
{
{
_3 = _1 & 7_u8;
match _3 { 0 => bb1, _ => bb2 }
};
{
RET = _2;
Return()
};
{
_4 = _3 - 1_u8;
_5 = _3 as isize;
_6 = _2 - _5;
TailCall(f4(_4, _6))
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f5(_1: &mut S2) {{
{ let RET: ();
{ {
{
TailCall(f1(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(true)); println!("{:016x}", unsafe { HASH }); }
