// mir@200:1:3: [Value("f4ee8a89639311b9\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: bool,
    f1: [bool; 5],
    f2: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: [bool; 5],
    f1: i64,
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
    f0: usize,
    f1: [i64; 7],
}
#[derive(Clone, Copy)]
#[repr(C)]
pub struct S4 {
    f0: u64,
    f1: u64,
}
#[derive(Clone, Copy)]
pub struct S5 {
    f0: usize,
    f1: usize,
    f2: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
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
let bb15 = BasicBlock::Normal;
let bb16 = BasicBlock::Normal;
let bb17 = BasicBlock::Normal;
let bb18 = BasicBlock::Normal;
let bb19 = BasicBlock::Normal;
{ let RET: ();
let _7: u64;
let _8: S5;
let _9: U3;
let _10: S2;
let _11: &mut U3;
let _12: usize;
let _13: [i64; 7];
let _14: usize;
let _15: bool;
let _16: S5;
let _17: &mut i64;
let _18: [i64; 7];
let _19: usize;
let _20: bool;
let _21: S2;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_6 = _5 as i64;
_5 = _1;
h0 = _2 as u64;
h1 = _5 as u64;
h2 = _6 as u64;
h3 = _1 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, h3), ReturnTo(bb1), UnwindUnreachable())
};
{
_5 = _3 > Move(_2);
_7 = Move(_4);
h0 = _7;
h1 = _3 as u64;
h2 = _5 as u64;
h3 = _6 as u64;
Call(RET = record(0x1_u32, h0, h1, h2, h3), ReturnTo(bb2), UnwindUnreachable())
};
{
_4 = 17179869184_u64 ^ 356518497707748456_u64;
h0 = _3 as u64;
h1 = _1 as u64;
h2 = _4;
h3 = _5 as u64;
Call(RET = record(0x2_u32, h0, h1, h2, h3), ReturnTo(bb3), UnwindUnreachable())
};
{
_8 = S5 { f0: 217_usize, f1: _3, f2: 9223372036854775808_usize };
_9 = U3 { f0: _8.f2 };
_10 = S2 { f0: _7, f1: _4, f2: 5_u64, f3: _4 };
Call(_10 = f2(_10), ReturnTo(bb4), UnwindUnreachable())
};
{
_11 = &mut _9;
_12 = 2_usize;
_13 = [_6, _6, -1_i64, _6, _6, _6, _6];
_6 = 1152921504606846976_i64;
_14 = 7_usize;
Goto(bb5)
};
{
_15 = _14 > 0_usize;
match _15 { true => bb7, _ => bb6 }
};
{
_6 = _13[_12];
match Move(_10.f1) { 18446744073709551613 => bb11, 356500888341834856 => bb12, _ => bb10 }
};
{
_3 = _12;
_16 = _8;
match _15 { true => bb8, _ => bb9 }
};
{
_8.f2 = _8.f1;
_14 = _14 - 1_usize;
Goto(bb5)
};
{
_15 = _14 > 0_usize;
Goto(bb8)
};
{
_4 = _1 as u64;
_17 = &mut _13[_12];
_18 = Move(_13);
_19 = 0_usize;
Goto(bb13)
};
{
_11 = &mut _9;
_12 = 2_usize;
_13 = [_6, _6, -1_i64, _6, _6, _6, _6];
_6 = 1152921504606846976_i64;
Goto(bb10)
};
{
_7 = 18367155476608731846_u64 - 4194304_u64;
_1 = _1 & _5;
Goto(bb10)
};
{
_20 = _19 != 8_usize;
match Move(_20) { false => bb14, _ => bb15 }
};
{
h0 = _5 as u64;
h1 = _18[_12] as u64;
h2 = _16.f0 as u64;
h3 = _21.f2;
Call(RET = record(0xe_u32, h0, h1, h2, h3), ReturnTo(bb17), UnwindUnreachable())
};
{
_18[_12] = -8121067380544525459_i64 >> _7;
_21 = S2 { f0: _10.f3, f1: _4, f2: _7, f3: _10.f0 };
Call(_21 = f1(_21), ReturnTo(bb16), UnwindUnreachable())
};
{
_12 = _8.f2;
_2 = _16.f2;
_16.f1 = 255_usize / 18446744073709551614_usize;
_4 = _7;
_4 = _10.f3 - 18446744073709551613_u64;
_19 = _19 + 1_usize;
Goto(bb13)
};
{
h0 = _6 as u64;
h1 = _16.f1 as u64;
h2 = _18[_12] as u64;
h3 = _2 as u64;
Call(RET = record(0x11_u32, h0, h1, h2, h3), ReturnTo(bb18), UnwindUnreachable())
};
{
h0 = _6 as u64;
h1 = _14 as u64;
h2 = _1 as u64;
h3 = _10.f2;
Call(RET = record(0x12_u32, h0, h1, h2, h3), ReturnTo(bb19), UnwindUnreachable())
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
pub fn main() { f0(std::hint::black_box(true), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_u64), std::hint::black_box(false), std::hint::black_box(5_i64)); println!("{:016x}", unsafe { HASH }); }
