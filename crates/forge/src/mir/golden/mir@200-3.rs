// mir@200:1:3: [Value("44e9794d074aa963\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: i32,
    f1: i32,
    f2: i32,
    f3: i32,
    f4: i32,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: u16,
    f1: i32,
    f2: u16,
    f3: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S2 {
    f0: u32,
    f1: i32,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: i32,
    f1: usize,
}
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
pub struct S4 {
    f0: bool,
    f1: [u16; 12],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S5 {
    f0: usize,
    f1: usize,
    f2: usize,
    f3: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: i32, _2: u16, _3: bool, _4: bool, _5: u32) {{
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
{ let RET: ();
let _6: [u32; 40];
let _7: usize;
let _8: *mut u32;
let _9: isize;
let _10: isize;
let _11: isize;
let _12: *mut u32;
let _13: [u16; 12];
let _14: usize;
let _15: bool;
let _16: usize;
let _17: *mut u16;
let _18: isize;
let _19: *mut u16;
let _20: u16;
let _21: usize;
let _22: usize;
let _23: bool;
let _24: usize;
let _25: *mut u32;
let _26: *mut u16;
let _27: isize;
let _28: *mut u16;
let _29: *mut bool;
let _30: &mut [u16; 12];
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ __debuginfo("v0", _6);
__debuginfo("v1", _11);
{
{
_4 = _3;
_6 = [_5; 40];
_7 = 14_usize;
_8 = &raw mut _6[_7];
_9 = *_8 as isize;
_10 = _9 & 7_isize;
_11 = 0_isize - _10;
_12 = Offset(_8, _11);
*_12 = _6[_7] + 75_u32;
_7 = 17783079347411773921_usize >> _7;
match _7 { 1085393026640961 => bb3, _ => bb1 }
};
{
_13 = [_2; 12];
_9 = _10;
*_12 = *_8 % 4294967295_u32;
_14 = 39_usize;
_6[_14] = !1486273947_u32;
_15 = *_12 == 3_u32;
Assume(_15);
_16 = 11_usize;
_17 = &raw mut _13[_16];
_18 = _9 + -7_isize;
_19 = Offset(_17, _18);
_20 = *_19;
h0 = _7 as u64;
h1 = _1 as u64;
h2 = _3 as u64;
h3 = *_19 as u64;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb4), UnwindUnreachable())
};
{
_4 = _3;
_6 = [_5; 40];
_7 = 14_usize;
_8 = &raw mut _6[_7];
_9 = *_8 as isize;
_10 = _9 & 7_isize;
_11 = 0_isize - _10;
_12 = Offset(_8, _11);
*_12 = _6[_7] + 75_u32;
_7 = 17783079347411773921_usize >> _7;
Goto(bb1)
};
{
Goto(bb1)
};
{
_15 = true;
_21 = _14 & 7_usize;
_22 = 0_usize;
Goto(bb5)
};
{
_16 = _16 / 1_usize;
_24 = _8 as usize;
_25 = _24 as *mut u32;
_26 = &raw mut _13[_22];
_27 = _11 & 7_isize;
_28 = Offset(_26, _27);
*_28 = _2 << _1;
_15 = 119_u32 == *_8;
_13[_22] = *_28;
h0 = _1 as u64;
h1 = _14 as u64;
h2 = _4 as u64;
h3 = *_8 as u64;
Call(RET = record(0x5_u32, h0, h1, h2, h3), ReturnTo(bb7), UnwindUnreachable())
};
{
h0 = _15 as u64;
h1 = _3 as u64;
h2 = _5 as u64;
h3 = *_12 as u64;
Call(RET = record(0x6_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
_11 = _9;
_3 = _16 != _21;
_29 = _25 as *mut bool;
_10 = _9;
_30 = &mut _13;
*_19 = false as u16;
_26 = &raw mut _13[_22];
_10 = -_11;
_2 = *_28;
_22 = _22 + 1_usize;
_23 = _22 < _21;
match Move(_23) { true => bb5, _ => bb6 }
};
{
h0 = _6[_16] as u64;
h1 = _21 as u64;
h2 = *_8 as u64;
h3 = _1 as u64;
Call(RET = record(0x8_u32, h0, h1, h2, h3), ReturnTo(bb9), UnwindUnreachable())
};
{
h0 = *_19 as u64;
h1 = *_25 as u64;
h2 = _5 as u64;
h3 = _16 as u64;
Call(RET = record(0x9_u32, h0, h1, h2, h3), ReturnTo(bb10), UnwindUnreachable())
};
{
h0 = *_28 as u64;
h1 = _14 as u64;
h2 = _1 as u64;
h3 = *_25 as u64;
Call(RET = record(0xa_u32, h0, h1, h2, h3), ReturnTo(bb11), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: S0) -> S0 {{
{ let RET: S0;
{ {
{
RET.f0 = _1.f2;
RET.f1 = _1.f3;
RET.f2 = _1.f4;
RET.f3 = _1.f0;
RET.f4 = _1.f1;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: S0) -> S0 {{
{ let RET: S0;
{ __debuginfo("v0", RET.f1);
__debuginfo("v1", RET);
{
{
TailCall(f1(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(8_i32), std::hint::black_box(5_u16), std::hint::black_box(true), std::hint::black_box(true), std::hint::black_box(3_u32)); println!("{:016x}", unsafe { HASH }); }
