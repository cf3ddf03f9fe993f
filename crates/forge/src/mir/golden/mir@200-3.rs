// mir@200:1:3: [Value("884dc4d92192214b\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: bool,
    f1: bool,
    f2: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: [u8; 4],
    f2: i64,
}
#[derive(Clone, Copy)]
pub struct S2 {
    f0: u64,
    f1: u64,
    f2: u64,
    f3: u64,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: u64,
    f1: [u8; 7],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S4 {
    f0: u64,
    f1: u8,
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: usize,
    f1: usize,
    f2: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(always)]
pub fn f0(_1: bool, _2: usize, _3: usize, _4: u64, _5: bool, _6: i64) {{
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
let _7: u64;
let _8: (bool, bool, u8, u8);
let _9: bool;
let _10: (bool, bool, u8, u8);
let _11: *mut i64;
let _12: (u64, u64);
let _13: U3;
let _14: usize;
let _15: bool;
let _16: bool;
let _17: usize;
let _18: bool;
let _19: &mut i64;
let _20: usize;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_6 = _5 as i64;
_5 = _1;
h0 = _4;
h1 = _5 as u64;
h2 = _6 as u64;
h3 = _1 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, h3), ReturnTo(bb1), UnwindUnreachable())
};
{
_5 = _3 > Move(_2);
_7 = Move(_4);
h0 = _7;
h1 = _5 as u64;
h2 = _6 as u64;
h3 = _3 as u64;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb2), UnwindUnreachable())
};
{
_8 = (_5, _5, 253_u8, 78_u8);
_9 = _8.0 == false;
Assume(_9);
_8.1 = _8.0 < _8.0;
_1 = _8.3 <= _8.3;
_10 = _8;
_11 = &raw mut _6;
_9 = !_10.0;
_12 = (_7, _7);
Call(_12 = f2(_12), ReturnTo(bb3), UnwindContinue())
};
{
_13 = U3 { f0: _12.0 };
_12.1 = _13.f0;
_14 = 0_usize;
Goto(bb4)
};
{
_4 = _12.0;
_16 = _10.1;
_7 = _12.0 << _4;
_17 = 6_usize;
Goto(bb6)
};
{
h0 = _12.1;
h1 = _10.3 as u64;
h2 = _6 as u64;
h3 = _8.0 as u64;
Call(RET = record(0x5_u32, h0, h1, h2, h3), ReturnTo(bb12), UnwindUnreachable())
};
{
_3 = !_3;
_16 = _6 > _6;
_9 = false;
_8.0 = _8.1 | false;
_19 = &mut *_11;
_16 = _8.1;
_17 = _17 - 1_usize;
_18 = _17 != 0_usize;
match Move(_18) { true => bb6, _ => bb7 }
};
{
_9 = _10.1;
match _7 { 8 => bb8, 1125899906842632 => bb10, 4398046511112 => bb11, _ => bb9 }
};
{
_1 = _8.1;
_14 = _14 + 1_usize;
_15 = _14 < 6_usize;
match Move(_15) { false => bb5, _ => bb4 }
};
{
_6 = *_19 ^ *_19;
_10 = _8;
_7 = _12.0;
Goto(bb8)
};
{
_4 = _12.0;
_16 = _10.1;
_7 = _12.0 << _4;
_17 = 6_usize;
Goto(bb8)
};
{
_5 = _3 > Move(_2);
_7 = Move(_4);
Goto(bb8)
};
{
_20 = 6_usize;
h0 = _14 as u64;
h1 = _8.3 as u64;
h2 = _13.f1[_20] as u64;
h3 = _4;
Call(RET = record(0xc_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
h0 = _12.1;
h1 = *_19 as u64;
h2 = _3 as u64;
h3 = _13.f1[_20] as u64;
Call(RET = record(0xd_u32, h0, h1, h2, h3), ReturnTo(bb14), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: (u64, u64)) -> (u64, u64) {{
{ let RET: (u64, u64);
{ {
{
RET.0 = _1.1;
RET.1 = _1.0;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: (u64, u64)) -> (u64, u64) {{
{ let RET: (u64, u64);
{ {
{
TailCall(f1(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_u64), std::hint::black_box(false), std::hint::black_box(5_i64)); println!("{:016x}", unsafe { HASH }); }
