// mir@200:1:3: [Value("7beba67a27382209\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
}
#[derive(Clone, Copy)]
pub struct S1 {
    f0: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U2 {
    f0: [usize; 0],
    f1: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S3 {
    f0: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U4 {
    f0: i64,
    f1: [u32; 1],
    f2: [usize; 0],
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S6 {
    f0: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: i32, _2: i64, _3: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
let bb6 = BasicBlock::Normal;
let bb7 = BasicBlock::Normal;
let bb8 = BasicBlock::Normal;
let bb9 = BasicBlock::Normal;
let bb10 = BasicBlock::Normal;
let bb11 = BasicBlock::Normal;
let bb12 = BasicBlock::Normal;
let bb13 = BasicBlock::Normal;
{ let RET: ();
let _4: [u32; 2];
let _5: *mut [u32; 2];
let _6: *mut u32;
let _7: usize;
let _8: usize;
let _9: *mut u32;
let _10: usize;
let _11: *const u32;
let _12: *const u32;
let _13: u32;
let _14: U2;
let _15: usize;
let _16: *mut u32;
let _17: *mut u32;
let _18: *mut u32;
let _19: *const u32;
let _20: isize;
let _21: isize;
let _22: isize;
let _23: *const u32;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = [2097152_u32, 3_u32];
_5 = &raw mut _4;
_6 = CastPtrToPtr(_5);
_7 = _2 as usize;
_8 = _7 % 2_usize;
_9 = Offset(_6, _8);
_10 = 1_usize;
_4[_10] = *_9;
h0 = (*_5)[_10] as u64;
h1 = _2 as u64;
h2 = _8 as u64;
h3 = _1 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, h3), ReturnTo(bb1), UnwindUnreachable())
};
{
(*_5)[_10] = *_9;
_11 = &raw const (*_5)[_10];
_12 = Offset(_11, -1_isize);
_13 = *_12;
_13 = !*_9;
match Move(_2) { -2 => bb1, -1 => bb2, 0 => bb4, 1 => bb2, 2 => bb4, 3 => bb1, 4 => bb4, 5 => bb2, 6 => bb2, 7 => bb1, 8 => bb4, _ => bb2 }
};
{
_13 = *_12 % *_6;
*_11 = 9223372036854775807_i64 as u32;
_3 = !false;
*_6 = *_12;
_14 = U2 { f1: _3 };
*_11 = _1 as u32;
match _14.f1 { false => bb6, _ => bb5 }
};
{
Return()
};
{
_7 = _7 - _8;
match (*_5)[_10] { 4 => bb2, 16388 => bb3, _ => bb3 }
};
{
_11 = _12;
_10 = _3 as usize;
match Move(_14.f1) { true => bb7, _ => bb8 }
};
{
Call(_3 = f1(_3, _3), ReturnTo(bb5), UnwindUnreachable())
};
{
_15 = _6 as usize;
_16 = _15 as *mut u32;
_8 = *_11 as usize;
_3 = (*_5)[_10] <= *_11;
*_11 = _13 ^ _13;
_17 = &raw mut _4[_10];
_18 = Offset(_17, -1_isize);
*_18 = _13;
Call(_3 = f1(true, _3), ReturnTo(bb9), UnwindUnreachable())
};
{
_13 = *_12 % *_6;
*_11 = 9223372036854775807_i64 as u32;
_3 = !false;
*_6 = *_12;
_14 = U2 { f1: _3 };
*_11 = _1 as u32;
Goto(bb7)
};
{
_14.f1 = _8 < _8;
_4[_10] = *_17 | 2147483647_u32;
_19 = &raw const _4[_10];
_20 = _1 as isize;
_21 = _20 & 1_isize;
_22 = 0_isize - _21;
_23 = Offset(_19, _22);
*_11 = *_23;
Call(_14.f1 = f1(_14.f1, _14.f1), ReturnTo(bb10), UnwindUnreachable())
};
{
h0 = _1 as u64;
h1 = _3 as u64;
h2 = _14.f1 as u64;
h3 = _8 as u64;
Call(RET = record(0xa_u32, h0, h1, h2, h3), ReturnTo(bb11), UnwindUnreachable())
};
{
h0 = _1 as u64;
h1 = *_12 as u64;
h2 = *_9 as u64;
h3 = _3 as u64;
Call(RET = record(0xb_u32, h0, h1, h2, h3), ReturnTo(bb12), UnwindUnreachable())
};
{
h0 = _10 as u64;
h1 = _13 as u64;
h2 = (*_5)[_10] as u64;
h3 = _7 as u64;
Call(RET = record(0xc_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: bool, _2: bool) -> bool {{
{ let RET: bool;
{ {
{
RET = _1;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: bool, _2: bool) -> bool {{
{ let RET: bool;
{ {
{
TailCall(f1(_2, _1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(1965927497_i32), std::hint::black_box(5_i64), std::hint::black_box(true)); println!("{:016x}", unsafe { HASH }); }
