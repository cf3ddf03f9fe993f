// mir@200:1:3: [Value("d14eeeb3c6f9d3c9\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
pub struct S0 {
    f0: usize,
    f1: usize,
    f2: usize,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: u8,
    f1: usize,
    f2: usize,
}
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct S2 {
    f0: usize,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: char, _2: u32, _3: bool) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
let bb6 = BasicBlock::Normal;
let bb7 = BasicBlock::Normal;
let bb8 = BasicBlock::Normal;
let bb9 = BasicBlock::Normal;
{ let RET: ();
let _4: [char; 3];
let _5: usize;
let _6: &char;
let _7: [char; 2];
let _8: [u32; 4];
let _9: &u32;
let _10: [u32; 2];
let _11: U1;
let _12: [U1; 6];
let _13: &U1;
let _14: [U1; 2];
let _15: (char, i32, i32, bool);
let _16: [(char, i32, i32, bool); 3];
let _17: *mut u32;
let _18: [*mut u32; 1];
let _19: [char; 6];
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_4 = [_1, _1, _1];
_5 = 1_usize;
_6 = &_4[_5];
Call(_7 = f2::<char, 3_usize, 8_u32>(_1, _4, _3, _6, _3), ReturnTo(bb1), UnwindUnreachable())
};
{
_8 = [_2; 4];
_9 = &_8[_5];
Call(_10 = f2::<u32, 4_usize, 5_u32>(_2, _8, _3, _9, true), ReturnTo(bb2), UnwindContinue())
};
{
_11 = U1 { f2: _5 };
_12 = [_11; 6];
_13 = &_12[_5];
Call(_14 = f2::<U1, 6_usize, 4294967293_u32>(_11, _12, _3, _13, _3), ReturnTo(bb3), UnwindUnreachable())
};
{
_15 = (_4[_5], 19_i32, 0_i32, _3);
Call(_16 = f3::<(char, i32, i32, bool), 3_usize, 30_u8>(_15, _15), ReturnTo(bb4), UnwindUnreachable())
};
{
_17 = &raw mut *_9;
Call(_18 = f3::<*mut u32, 1_usize, 187_u8>(_17, _17), ReturnTo(bb5), UnwindUnreachable())
};
{
Call(_19 = f3::<char, 6_usize, 3_u8>(_1, _1), ReturnTo(bb6), UnwindUnreachable())
};
{
h0 = _10[_5] as u64;
h1 = _8[_5] as u64;
h2 = _16[_5].3 as u64;
h3 = _3 as u64;
Call(RET = record(0x6_u32, h0, h1, h2, h3), ReturnTo(bb7), UnwindUnreachable())
};
{
h0 = _19[_5] as u64;
h1 = _16[_5].2 as u64;
h2 = _16[_5].3 as u64;
h3 = (*_13).f1 as u64;
Call(RET = record(0x7_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
h0 = _16[_5].2 as u64;
h1 = _11.f0 as u64;
h2 = _16[_5].3 as u64;
h3 = _3 as u64;
Call(RET = record(0x8_u32, h0, h1, h2, h3), ReturnTo(bb9), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1<T0: Copy, const N1: usize>(_1: T0, _2: [T0; N1], _3: [T0; N1], _4: &mut [T0; N1]) -> [T0; N1] {{
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
{ let RET: [T0; N1];
let _5: usize;
let _6: usize;
let _7: usize;
let _8: [T0; N1];
let _9: T0;
let _10: usize;
let _11: bool;
let _12: T0;
let _13: usize;
let _14: T0;
let _15: usize;
let _16: bool;
let _17: u64;
let _18: T0;
let _19: usize;
let _20: bool;
let _21: T0;
let _22: usize;
let _23: [T0; 4];
let _24: usize;
let _25: T0;
let _26: bool;
let _27: T0;
let _28: usize;
{ {
{
_5 = 1_usize;
_6 = 0_usize;
_7 = 1_usize;
_8 = _3;
_9 = _3[_6];
_10 = N1;
Goto(bb1)
};
{
_11 = _10 > 0_usize;
match _11 { false => bb3, _ => bb2 }
};
{
_10 = _10 - 1_usize;
_12 = _8[_10];
_8[_10] = _9;
_9 = _12;
Goto(bb1)
};
{
_13 = _10;
_14 = _2[_5];
_15 = 5_usize;
_16 = _15 < N1;
match _16 { false => bb5, _ => bb4 }
};
{
_2[_15] = _14;
Goto(bb5)
};
{
_17 = N1 as u64;
_18 = _9;
_19 = 0_usize;
Goto(bb6)
};
{
_20 = _19 < N1;
match _20 { false => bb8, _ => bb7 }
};
{
_21 = _8[_19];
_8[_19] = _18;
_18 = _21;
_19 = _19 + 1_usize;
Goto(bb6)
};
{
_22 = _19;
_23 = [_1, _14, _1, _1];
_24 = 0_usize;
_25 = _3[_6];
Goto(bb9)
};
{
_26 = _24 < 4_usize;
match _26 { false => bb11, _ => bb10 }
};
{
_27 = _23[_24];
_23[_24] = _25;
_25 = _27;
_24 = _24 + 1_usize;
Goto(bb9)
};
{
_28 = _24;
RET = _3;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2<T0: Copy, const N1: usize, const N2: u32>(_1: T0, _2: [T0; N1], _3: bool, _4: &T0, _5: bool) -> [T0; 2] {{
let bb1 = BasicBlock::Normal;
{ let RET: [T0; 2];
let _6: usize;
let _7: [T0; N1];
let _8: [T0; N1];
let _9: usize;
let _10: *const T0;
let _11: *mut T0;
let _12: ();
let _13: bool;
let _14: [T0; 2];
{ {
{
_6 = 0_usize;
_7 = _2;
_8 = [_2[_6]; N1];
_9 = 0_usize;
_10 = &raw const _7[_9];
_11 = &raw mut _8[_9];
Call(_12 = core::intrinsics::copy_nonoverlapping(_10, _11, N1), ReturnTo(bb1), UnwindUnreachable())
};
{
_13 = N2 >= 8_u32;
_14 = [*_4; 2];
RET = _14;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3<T0: Copy, const N1: usize, const N2: u8>(_1: T0, _2: T0) -> [T0; N1] {{
let bb1 = BasicBlock::Normal;
{ let RET: [T0; N1];
let _3: [T0; N1];
let _4: T0;
let _5: &T0;
let _6: [T0; 2];
let _7: usize;
let _8: [T0; N1];
{ {
{
_3 = [_2; N1];
_4 = _1;
_5 = &_4;
Call(_6 = f2::<T0, N1, 122_u32>(_2, _3, true, _5, false), ReturnTo(bb1), UnwindContinue())
};
{
_7 = 0_usize;
_8 = [_6[_7]; N1];
RET = _8;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f4(_1: S0) -> S0 {{
{ let RET: S0;
{ {
{
RET.f0 = _1.f1;
RET.f1 = _1.f2;
RET.f2 = _1.f0;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f5(_1: S0) -> S0 {{
{ let RET: S0;
{ {
{
TailCall(f4(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box('\u{ffff}'), std::hint::black_box(2147483647_u32), std::hint::black_box(true)); println!("{:016x}", unsafe { HASH }); }
