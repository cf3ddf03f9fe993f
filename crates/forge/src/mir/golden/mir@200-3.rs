// mir@200:1:3: [Value("fd16969e2dace995\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct S0 {
    f0: i8,
    f1: bool,
    f2: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: usize,
    f1: bool,
}
#[derive(Clone, Copy)]
pub struct S2 {
    f0: i8,
    f1: i8,
    f2: i8,
    f3: i8,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: usize,
    f1: [i8; 3],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S4 {
    f0: i8,
    f1: i8,
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: usize,
    f1: usize,
    f2: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(always)]
pub fn f0(_1: bool, _2: usize, _3: usize, _4: i8, _5: bool, _6: i64) {{
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
let _7: i8;
let _8: bool;
let _9: [i8; 3];
let _10: usize;
let _11: S0;
let _12: &mut S0;
let _13: S0;
let _14: usize;
let _15: bool;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_6 = _5 as i64;
_5 = _3 < 0_usize;
_5 = _3 == 32_usize;
_7 = 0_i8;
Goto(bb1)
};
{
_8 = _7 != 2_i8;
match Move(_8) { false => bb2, _ => bb3 }
};
{
_4 = -_7;
_1 = Move(_5) < _1;
match _1 { true => bb6, _ => bb5 }
};
{
_4 = _4 % -109_i8;
_4 = _7 >> _4;
_1 = _5 != _5;
_7 = _7 + 1_i8;
Goto(bb1)
};
{
_1 = _2 == 204_usize;
_9 = [_4, _4, _7];
_10 = 2_usize;
_11 = S0 { f0: _9[_10], f1: _1, f2: _1 };
_3 = _10 % 16_usize;
h0 = _9[_10] as u64;
h1 = _6 as u64;
h2 = _11.f2 as u64;
h3 = _1 as u64;
Call(RET = record(0x4_u32, h0, h1, h2, h3), ReturnTo(bb7), UnwindUnreachable())
};
{
_4 = 2_i8;
_4 = !_4;
Goto(bb4)
};
{
_4 = _4 >> Move(_2);
_4 = -97_i8;
Goto(bb4)
};
{
_11.f0 = -_7;
_5 = _6 >= _6;
_10 = _3 >> _7;
_12 = &mut _11;
h0 = _10 as u64;
h1 = (*_12).f1 as u64;
h2 = _11.f1 as u64;
h3 = _6 as u64;
Call(RET = record(0x7_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
_5 = !(*_12).f2;
_4 = !_4;
h0 = _10 as u64;
h1 = _6 as u64;
h2 = (*_12).f1 as u64;
h3 = _3 as u64;
Call(RET = record(0x8_u32, h0, h1, h2, h3), ReturnTo(bb9), UnwindUnreachable())
};
{
(*_12).f1 = 127_i8 <= (*_12).f0;
_13 = S0 { f0: _11.f0, f1: true, f2: _5 };
_4 = _11.f0 >> _13.f0;
_1 = !(*_12).f1;
_10 = _1 as usize;
_6 = 18446744073709551613_usize as i64;
_14 = 5_usize;
Goto(bb10)
};
{
_15 = _14 != 0_usize;
match Move(_15) { true => bb12, _ => bb11 }
};
{
h0 = _11.f1 as u64;
h1 = _13.f2 as u64;
h2 = _6 as u64;
h3 = _10 as u64;
Call(RET = record(0xb_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
_14 = _14 - 1_usize;
Goto(bb10)
};
{
h0 = _4 as u64;
h1 = _6 as u64;
h2 = _13.f1 as u64;
h3 = (*_12).f1 as u64;
Call(RET = record(0xd_u32, h0, h1, h2, h3), ReturnTo(bb14), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: S2) -> S2 {{
{ let RET: S2;
{ {
{
RET.f0 = _1.f2;
RET.f1 = _1.f3;
RET.f2 = _1.f0;
RET.f3 = _1.f1;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: S2) -> S2 {{
{ let RET: S2;
{ {
{
TailCall(f1(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_i8), std::hint::black_box(false), std::hint::black_box(5_i64)); println!("{:016x}", unsafe { HASH }); }
