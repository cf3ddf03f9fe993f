// mir@200:1:3: [Value("ed08667e391c5c37\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: [u64; 2],
    f1: [u64; 2],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: [u64; 2],
    f2: i32,
}
#[derive(Clone, Copy)]
pub struct S2 {
    f0: u8,
    f1: u8,
    f2: u8,
    f3: u8,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: u64,
    f1: [i32; 7],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S4 {
    f0: u8,
    f1: i32,
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: u64,
    f1: u64,
    f2: u64,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: bool, _2: usize, _3: usize, _4: u8, _5: bool, _6: i32) {{
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
let bb15 = BasicBlock::Normal;
let bb16 = BasicBlock::Normal;
let bb17 = BasicBlock::Normal;
let bb18 = BasicBlock::Normal;
let bb19 = BasicBlock::Normal;
let bb20 = BasicBlock::Normal;
let bb21 = BasicBlock::Normal;
let bb22 = BasicBlock::Normal;
{ let RET: ();
let _7: u64;
let _8: bool;
let _9: S5;
let _10: u64;
let _11: i32;
let _12: bool;
let _13: S2;
let _14: S5;
let _15: [i32; 7];
let _16: usize;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ __debuginfo("v0", 9223372036854775808_usize);
__debuginfo("v1", _15);
__debuginfo("v2", _7);
__debuginfo("v3", _8);
{
{
_6 = _5 as i32;
_5 = _1;
h0 = _1 as u64;
h1 = _4 as u64;
h2 = _5 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_1 = 3_u64 >= 3_u64;
match _5 { false => bb4, _ => bb2 }
};
{
_6 = _6 >> -9223372036854775808_i64;
_7 = 0_u64;
Goto(bb5)
};
{
_6 = _5 as i32;
_5 = _1;
Goto(bb2)
};
{
_6 = !_6;
_2 = _3 | 137438953472_usize;
_2 = _2 | _3;
Goto(bb2)
};
{
_8 = _7 < 2_u64;
match _8 { true => bb7, _ => bb6 }
};
{
h0 = _3 as u64;
h1 = _8 as u64;
h2 = _6 as u64;
h3 = _4 as u64;
Call(RET = record(0x6_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
_9 = S5 { f0: _7, f1: _7, f2: _7 };
_1 = _8;
_5 = _8;
_7 = _7 + 1_u64;
Goto(bb5)
};
{
_6 = _6 & _6;
_2 = _1 as usize;
_9.f1 = _9.f2 + _9.f1;
_2 = _3;
_9.f2 = _2 as u64;
h0 = _9.f2;
h1 = _6 as u64;
h2 = _2 as u64;
h3 = _8 as u64;
Call(RET = record(0x8_u32, h0, h1, h2, h3), ReturnTo(bb9), UnwindUnreachable())
};
{
_2 = -4054104036382811705_i64 as usize;
match _5 { true => bb10, _ => bb11 }
};
{
_5 = _4 < 127_u8;
_1 = _4 < 205_u8;
_10 = _9.f1;
_3 = _2;
_11 = 5_i32;
Goto(bb12)
};
{
_1 = 3_u64 >= 3_u64;
Goto(bb10)
};
{
_12 = _11 != 0_i32;
match _12 { true => bb14, _ => bb13 }
};
{
_16 = 2_usize;
h0 = _8 as u64;
h1 = _2 as u64;
h2 = _13.f2 as u64;
h3 = _6 as u64;
Call(RET = record(0xd_u32, h0, h1, h2, h3), ReturnTo(bb21), UnwindUnreachable())
};
{
_13 = S2 { f0: 4_u8, f1: _4, f2: _4, f3: _4 };
match _9.f2 { 17179869188 => bb17, 16388 => bb18, _ => bb15 }
};
{
_13.f2 = _13.f2 * _13.f3;
_5 = 127_u8 == _13.f0;
_3 = _2;
match _8 { true => bb20, _ => bb19 }
};
{
_13 = S2 { f0: 4_u8, f1: _4, f2: _4, f3: _4 };
Goto(bb15)
};
{
Goto(bb15)
};
{
Goto(bb15)
};
{
_10 = _9.f0 * _9.f1;
_14 = S5 { f0: _10, f1: _9.f1, f2: 4_u64 };
_15 = [_6; 7];
_11 = _11 - 1_i32;
Goto(bb12)
};
{
_13.f2 = _13.f1 / 6_u8;
_1 = _5 | _5;
Goto(bb19)
};
{
h0 = _11 as u64;
h1 = _14.f2;
h2 = _16 as u64;
h3 = _10;
Call(RET = record(0x15_u32, h0, h1, h2, h3), ReturnTo(bb22), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: S0) -> S0 {{
{ let RET: S0;
{ __debuginfo("v0", RET);
__debuginfo("v1", RET.f0);
__debuginfo("v2", 3_u8);
{
{
RET.f0 = _1.f1;
RET.f1 = _1.f0;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: S0) -> S0 {{
{ let RET: S0;
{ __debuginfo("v0", _1);
__debuginfo("v1", false);
__debuginfo("v2", _1);
{
{
TailCall(f1(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_u8), std::hint::black_box(false), std::hint::black_box(5_i32)); println!("{:016x}", unsafe { HASH }); }
