// mir@200:1:3: [Value("16995e9d06ce76c7\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct S0 {
    f0: bool,
    f1: bool,
    f2: bool,
    f3: bool,
    f4: bool,
    f5: bool,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: i16,
    f1: [usize; 12],
}
#[derive(Clone, Copy)]
pub struct S2 {
    f0: u32,
    f1: char,
    f2: i16,
    f3: char,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: usize, _2: char, _3: i32) {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
let bb4 = BasicBlock::Normal;
let bb5 = BasicBlock::Normal;
let bb6 = BasicBlock::Normal;
let bb7 = BasicBlock::Normal;
let bb8 = BasicBlock::Normal;
{ let RET: ();
let _4: [usize; 12];
let _5: usize;
let _6: *const usize;
let _7: isize;
let _8: isize;
let _9: *const usize;
let _10: usize;
let _11: *const usize;
let _12: (isize, bool);
let _13: u32;
let _14: *const isize;
let _15: S2;
let _16: [isize; 1];
let _17: &[isize; 1];
let _18: usize;
let _19: [isize; 2];
let _20: [usize; 16];
let _21: [[usize; 16]; 1];
let _22: &[[usize; 16]; 1];
let _23: [[usize; 16]; 2];
let _24: usize;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_1 = _1 * 536870912_usize;
_4 = [_1; 12];
_5 = 8_usize;
_6 = &raw const _4[_5];
_7 = _3 as isize;
_8 = _7 - 257275505_isize;
_9 = Offset(_6, _8);
_4[_5] = *_9;
_1 = *_9;
_10 = _9 as usize;
_11 = _10 as *const usize;
_12 = Checked(_7 * _8);
h0 = _3 as u64;
h1 = _12.1 as u64;
h2 = _2 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_13 = 217_u32 % 4_u32;
_14 = CastPtrToPtr(_6);
_15 = S2 { f0: _13, f1: _2, f2: 2_i16, f3: _2 };
*_11 = _5;
*_11 = 34359738368_usize % *_9;
_7 = _8;
_6 = &raw const *_11;
match _3 { 223721072 => bb3, _ => bb2 }
};
{
_16 = [7577883987506174717_isize];
_17 = &_16;
_18 = 0_usize;
Call(_19 = f1::<isize>(-7748841601184003102_isize, -5454131380210524756_isize, _17, _16[_18]), ReturnTo(bb4), UnwindContinue())
};
{
_1 = _1 * 536870912_usize;
_4 = [_1; 12];
_5 = 8_usize;
_6 = &raw const _4[_5];
_7 = _3 as isize;
_8 = _7 - 257275505_isize;
_9 = Offset(_6, _8);
_4[_5] = *_9;
_1 = *_9;
_10 = _9 as usize;
h0 = _3 as u64;
h1 = _12.1 as u64;
h2 = _2 as u64;
Call(RET = record(0x3_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_20 = [_4[_18]; 16];
_21 = [_20];
_22 = &_21;
Call(_23 = f1::<[usize; 16]>(_20, _20, _22, (*_22)[_18]), ReturnTo(bb5), UnwindContinue())
};
{
h0 = _13 as u64;
h1 = _15.f1 as u64;
h2 = *_11 as u64;
h3 = *_9 as u64;
Call(RET = record(0x5_u32, h0, h1, h2, h3), ReturnTo(bb6), UnwindUnreachable())
};
{
h0 = _3 as u64;
h1 = _19[_18] as u64;
h2 = _15.f1 as u64;
h3 = _12.0 as u64;
Call(RET = record(0x6_u32, h0, h1, h2, h3), ReturnTo(bb7), UnwindUnreachable())
};
{
_24 = 0_usize;
h0 = _15.f0 as u64;
h1 = _3 as u64;
h2 = (*_22)[_24][_18] as u64;
h3 = _15.f2 as u64;
Call(RET = record(0x7_u32, h0, h1, h2, h3), ReturnTo(bb8), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f1<T0: Copy>(_1: T0, _2: T0, _3: &[T0; 1], _4: T0) -> [T0; 2] {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: [T0; 2];
let _5: usize;
let _6: (T0, T0);
let _7: ((T0, T0), T0);
let _8: [T0; 2];
let _9: usize;
let _10: &[T0; 2];
let _11: &[T0];
let _12: *const [T0];
let _13: usize;
let _14: T0;
let _15: [T0; 3];
let _16: usize;
let _17: T0;
let _18: bool;
let _19: T0;
let _20: usize;
{ {
{
_5 = 0_usize;
_6 = (_2, _2);
_7 = (_6, _4);
_8 = [_7.1, _6.0];
_9 = 0_usize;
_10 = &_8;
_11 = CastUnsize(_10);
_12 = &raw const *_11;
_13 = PtrMetadata(_12);
_9 = 1_usize;
_14 = (*_11)[_9];
_6.0 = _1;
_15 = [_6.1, _6.1, _7.1];
_16 = 0_usize;
_17 = _1;
Goto(bb1)
};
{
_18 = _16 < 3_usize;
match _18 { false => bb3, _ => bb2 }
};
{
_19 = _15[_16];
_15[_16] = _17;
_17 = _19;
_16 = _16 + 1_usize;
Goto(bb1)
};
{
_20 = _16;
RET = _8;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f2(_1: S0) -> S0 {{
{ let RET: S0;
{ {
{
RET.f0 = _1.f1;
RET.f1 = _1.f2;
RET.f2 = _1.f3;
RET.f3 = _1.f4;
RET.f4 = _1.f5;
RET.f5 = _1.f0;
Return()
};
RET }}}}}
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f3(_1: S0) -> S0 {{
{ let RET: S0;
{ {
{
TailCall(f2(_1))
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(10584882266315919297_usize), std::hint::black_box('\u{10ffff}'), std::hint::black_box(257275504_i32)); println!("{:016x}", unsafe { HASH }); }
