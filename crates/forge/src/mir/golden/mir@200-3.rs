// mir@200:1:3: [Value("f64f7229125c4d0a\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: bool,
    f1: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: [u64; 2],
    f1: i32,
}
#[derive(Clone, Copy)]
pub struct S2 {
    f0: usize,
    f1: (bool, usize, usize, bool),
    f2: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U3 {
    f0: u8,
    f1: i32,
}
#[derive(Clone, Copy)]
pub struct S4 {
    f0: u64,
    f1: u64,
    f2: u64,
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: S2,
    f1: S2,
    f2: S2,
    f3: S2,
    f4: S2,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(always)]
pub fn f0(_1: bool, _2: i32, _3: usize) {{
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
{ let RET: ();
let _4: i64;
let _5: i64;
let _6: bool;
let _7: i32;
let _8: &mut bool;
let _9: S4;
let _10: bool;
let _11: bool;
let _12: u8;
let _13: U1;
let _14: usize;
let _15: bool;
let _16: usize;
let _17: bool;
let _18: usize;
let _19: (bool, usize, usize, bool);
let _20: S2;
let _21: S5;
let _22: S5;
let _23: U3;
let _24: usize;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = -8_i64;
_2 = _3 as i32;
_2 = _4 as i32;
_5 = 0_i64;
Goto(bb1)
};
{
_2 = -_2;
_7 = --1247655226_i32;
Call(_1 = f3(_1), ReturnTo(bb3), UnwindContinue())
};
{
_8 = &mut _1;
_9 = S4 { f0: 160_u64, f1: 8_u64, f2: 8_u64 };
_2 = !5_i32;
_10 = _3 >= 1125899906842622_usize;
Assume(_10);
match _7 { 1314764090 => bb5, _ => bb4 }
};
{
_5 = _5 + 1_i64;
_6 = _5 != 2_i64;
match Move(_6) { true => bb1, _ => bb2 }
};
{
_9.f2 = _9.f0 << _9.f0;
_10 = _5 == _5;
_11 = _5 == 2_i64;
Assume(_11);
_12 = 254_u8 & 8_u8;
_12 = _12 & 128_u8;
match _11 { false => bb7, _ => bb6 }
};
{
_9.f2 = _4 as u64;
_8 = &mut _10;
_9.f2 = !_9.f1;
Goto(bb4)
};
{
_13 = U1 { f1: _2 };
Call(*_8 = f3(_11), ReturnTo(bb8), UnwindContinue())
};
{
_5 = _5 + 1_i64;
_6 = _5 != 2_i64;
Goto(bb6)
};
{
_2 = _1 as i32;
_1 = _9.f2 <= 83_u64;
_2 = _2 >> _4;
_4 = _4 & _4;
_14 = 0_usize;
Goto(bb9)
};
{
_15 = _14 < 6_usize;
match Move(_15) { true => bb11, _ => bb10 }
};
{
_24 = 1_usize;
h0 = _2 as u64;
h1 = _21.f2.f1.2 as u64;
h2 = _21.f0.f1.0 as u64;
h3 = _9.f1;
Call(RET = record(0xa_u32, h0, h1, h2, h3), ReturnTo(bb14), UnwindUnreachable())
};
{
_4 = _5;
_16 = 0_usize;
Goto(bb12)
};
{
_18 = 0_usize;
_9.f1 = _9.f2 ^ _9.f1;
_18 = _3;
_19 = (_1, _3, 150_usize, _1);
_20 = S2 { f0: 2_usize, f1: _19, f2: _14 };
_21 = S5 { f0: _20, f1: _20, f2: _20, f3: _20, f4: _20 };
_22 = _21;
_22.f1.f1.0 = _12 < _12;
_16 = _16 + 1_usize;
_17 = _16 < 2_usize;
match _17 { true => bb12, _ => bb13 }
};
{
_23 = U3 { f1: _13.f1 };
_12 = _23.f0 + _12;
_14 = _14 + 1_usize;
Goto(bb9)
};
{
h0 = _4 as u64;
h1 = _9.f2;
h2 = _22.f4.f1.3 as u64;
h3 = _23.f1 as u64;
Call(RET = record(0xe_u32, h0, h1, h2, h3), ReturnTo(bb15), UnwindUnreachable())
};
{
h0 = _21.f1.f1.1 as u64;
h1 = _5 as u64;
h2 = _22.f3.f1.0 as u64;
h3 = _12 as u64;
Call(RET = record(0xf_u32, h0, h1, h2, h3), ReturnTo(bb16), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1(_1: S4) -> S4 {{
{ let RET: S4;
{ {
{
RET.f0 = _1.f1;
RET.f1 = _1.f2;
RET.f2 = _1.f0;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f2(_1: S4) -> S4 {{
{ let RET: S4;
{ {
{
TailCall(f1(_1))
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3(_1: bool) -> bool {{
let bb1 = BasicBlock::Normal;
{ let RET: bool;
let _2: (bool, usize, usize, bool);
let _3: S2;
let _4: S5;
let h0: u64;
let h1: u64;
let hu: ();
{ {
{
_1 = 8192_usize < 9223372036854775808_usize;
RET = _1;
_2 = (_1, 18446744073709551613_usize, 16_usize, true);
_3 = S2 { f0: 9223372036854775808_usize, f1: _2, f2: 6728478506402131590_usize };
_4 = S5 { f0: _3, f1: _3, f2: _3, f3: _3, f4: _3 };
h0 = _4.f3.f1.2 as u64;
h1 = _4.f2.f1.2 as u64;
Call(hu = record(0x30000_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(false), std::hint::black_box(5_i32), std::hint::black_box(1125899906842624_usize)); println!("{:016x}", unsafe { HASH }); }
