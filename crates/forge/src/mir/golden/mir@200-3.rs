// mir@200:1:3: [Value("697af6dee49eba65\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: i32,
    f1: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: [usize; 4],
}
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct S2 {
    f0: i32,
    f1: i32,
    f2: i32,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: S2,
    f1: [usize; 4],
}
#[derive(Clone, Copy)]
pub struct S4 {
    f0: i32,
    f1: i32,
    f2: i32,
}
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct S5 {
    f0: u64,
    f1: usize,
    f2: bool,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: i32, _2: usize, _3: usize, _4: u64, _5: bool) {{
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
let bb14 = BasicBlock::Normal;
{ let RET: ();
let _6: bool;
let _7: [usize; 4];
let _8: usize;
let _9: *mut usize;
let _10: isize;
let _11: isize;
let _12: isize;
let _13: *mut usize;
let _14: usize;
let _15: isize;
let _16: isize;
let _17: *mut usize;
let _18: usize;
let _19: usize;
let _20: usize;
let _21: usize;
let _22: bool;
let _23: usize;
let _24: usize;
let _25: usize;
let _26: usize;
let _27: usize;
let _28: usize;
let _29: usize;
let _30: bool;
let _31: usize;
let _32: usize;
let _33: usize;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_6 = _4 == 2_u64;
Assume(_6);
_7 = [_2, _2, _2, _3];
_8 = 3_usize;
_9 = &raw mut _7[_8];
_10 = _4 as isize;
_11 = _10 & 3_isize;
_12 = 0_isize - _11;
_13 = Offset(_9, _12);
_14 = *_13;
_12 = -_10;
_12 = _11;
_15 = _11 & 1_isize;
_16 = -_15;
_17 = Offset(_13, _16);
_3 = *_17;
_6 = !_5;
match Move(_6) { true => bb1, _ => bb3 }
};
{
*_13 = 268435456_usize >> *_13;
_8 = _5 as usize;
*_13 = *_17 | 122_usize;
_17 = &raw mut _3;
h0 = _5 as u64;
h1 = _1 as u64;
h2 = _14 as u64;
h3 = _4;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb4), UnwindUnreachable())
};
{
Goto(bb1)
};
{
_12 = _11 << Move(_11);
_10 = _11;
_10 = -9223372036854775807_isize;
match _6 { true => bb2, _ => bb1 }
};
{
*_13 = 34359738368_usize % *_13;
_8 = _14;
_18 = 2_usize;
_7[_18] = *_9 / 8_usize;
_19 = 12992612693499026860_usize;
_20 = _7[_18] % 5_usize;
_21 = 4_usize;
Goto(bb5)
};
{
_22 = _21 > 0_usize;
match Move(_22) { true => bb7, _ => bb6 }
};
{
_6 = true;
_11 = 4570118302089691903_isize;
_27 = 5_usize;
_28 = *_17 & 3_usize;
_29 = 0_usize;
Goto(bb8)
};
{
_23 = _21 - 1_usize;
_24 = _7[_23];
_25 = _24 * 536870912_usize;
_26 = _25 * 19_usize;
_7[_23] = _26;
_21 = _21 - 1_usize;
Goto(bb5)
};
{
_30 = _29 != _28;
match _30 { false => bb9, _ => bb10 }
};
{
h0 = _19 as u64;
h1 = _4;
h2 = _30 as u64;
h3 = _8 as u64;
Call(RET = record(0x9_u32, h0, h1, h2, h3), ReturnTo(bb11), UnwindUnreachable())
};
{
_31 = _7[_29];
_32 = _31 - 9223372036854775807_usize;
_33 = _32 * _7[_29];
_27 = _27 * _33;
_7[_29] = _33;
_29 = _29 + 1_usize;
Goto(bb8)
};
{
h0 = _4;
h1 = _8 as u64;
h2 = _32 as u64;
h3 = _30 as u64;
Call(RET = record(0xb_u32, h0, h1, h2, h3), ReturnTo(bb12), UnwindUnreachable())
};
{
h0 = _7[_18] as u64;
h1 = _5 as u64;
h2 = _4;
h3 = _1 as u64;
Call(RET = record(0xc_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
h0 = _1 as u64;
h1 = _5 as u64;
h2 = _4;
h3 = *_13 as u64;
Call(RET = record(0xd_u32, h0, h1, h2, h3), ReturnTo(bb14), UnwindUnreachable())
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
#[inline(never)]
pub fn f2(_1: bool, _2: bool) -> bool {{
{ let RET: bool;
{ {
{
TailCall(f1(_2, _2))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(5_i32), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_u64), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
