// mir@200:1:3: [Value("5dfaa44f1888cd28\n")]
#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[derive(Clone, Copy)]
pub struct S0 {
    f0: i64,
    f1: u64,
}
#[derive(Clone, Copy)]
#[repr(C)]
pub union U1 {
    f0: bool,
    f1: i64,
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
    f1: i64,
}
#[derive(Clone, Copy)]
pub struct S4 {
    f0: i64,
    f1: i64,
    f2: i64,
}
#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct S5 {
    f0: i32,
    f1: usize,
    f2: bool,
}
#[custom_mir(dialect = "runtime", phase = "initial")]
#[inline(never)]
pub fn f0(_1: i32, _2: usize, _3: usize, _4: u8, _5: bool) {{
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
let _6: bool;
let _7: (i32, u8, usize, usize);
let _8: S5;
let _9: i32;
let _10: bool;
let _11: *mut u8;
let _12: i64;
let _13: [bool; 8];
let _14: usize;
let _15: *mut u8;
let _16: S0;
let _17: usize;
let _18: S4;
let _19: *mut i64;
let _20: usize;
let _21: S2;
let h0: u64;
let h1: u64;
let h2: u64;
let h3: u64;
{ {
{
_6 = _4 == 2_u8;
Assume(_6);
_5 = -3485137008553946192_i64 == -2_i64;
h0 = _1 as u64;
h1 = _4 as u64;
h2 = _6 as u64;
Call(RET = record(0x0_u32, h0, h1, h2, 0_u64), ReturnTo(bb1), UnwindUnreachable())
};
{
_6 = _4 <= _4;
match _6 { false => bb4, _ => bb3 }
};
{
_3 = _2 | 0_usize;
_6 = false;
_7 = (_1, _4, _3, _3);
Call(_6 = f2(_6, _5), ReturnTo(bb5), UnwindContinue())
};
{
_3 = _3 ^ 18446744073709551613_usize;
Goto(bb2)
};
{
_3 = 78_usize;
_3 = 8_usize;
Goto(bb2)
};
{
_8 = S5 { f0: _7.0, f1: _7.2, f2: _6 };
_6 = 6_u64 < 15385898995500140875_u64;
_1 = -_1;
_9 = 2_i32;
Goto(bb6)
};
{
_11 = &raw mut _7.1;
_12 = 3_i64 << _8.f0;
_13 = [true, _5, _5, _8.f2, _6, _5, _6, _6];
_3 = _12 as usize;
_14 = _11 as usize;
_15 = _14 as *mut u8;
match _8.f2 { true => bb10, _ => bb8 }
};
{
_12 = _12 * _12;
_3 = _14;
_16 = S0 { f0: _12, f1: 6728478506402131590_u64 };
_17 = 7_usize;
Call(_13[_17] = f2(_13[_17], _8.f2), ReturnTo(bb11), UnwindContinue())
};
{
_1 = _8.f0;
_1 = -_8.f0;
_9 = _9 + -1_i32;
_10 = _9 != 0_i32;
match Move(_10) { true => bb6, _ => bb7 }
};
{
_4 = *_11 >> _4;
_6 = _6 > _8.f2;
Goto(bb8)
};
{
_5 = _4 <= *_15;
_7.1 = _4;
Goto(bb8)
};
{
_18 = S4 { f0: _16.f0, f1: _12, f2: _12 };
_3 = _7.3 >> _7.0;
_12 = _18.f0;
_5 = _4 != _4;
_11 = Offset(_15, 1_isize);
_18.f2 = 5_i64;
_2 = _8.f1 ^ _2;
Call(_6 = f1(_6, _13[_17]), ReturnTo(bb12), UnwindUnreachable())
};
{
_19 = &raw mut _18.f1;
_15 = &raw mut *_15;
*_15 = !*_15;
_20 = _6 as usize;
_21 = S2 { f0: _7.0, f1: _1, f2: _9 };
h0 = _8.f1 as u64;
h1 = _17 as u64;
h2 = _16.f1;
h3 = _18.f1 as u64;
Call(RET = record(0xc_u32, h0, h1, h2, h3), ReturnTo(bb13), UnwindUnreachable())
};
{
h0 = _16.f1;
h1 = _8.f0 as u64;
h2 = _18.f2 as u64;
h3 = _4 as u64;
Call(RET = record(0xd_u32, h0, h1, h2, h3), ReturnTo(bb14), UnwindUnreachable())
};
{
h0 = _21.f2 as u64;
h1 = _5 as u64;
h2 = _6 as u64;
h3 = _16.f0 as u64;
Call(RET = record(0xe_u32, h0, h1, h2, h3), ReturnTo(bb15), UnwindUnreachable())
};
{
h0 = _9 as u64;
h1 = _8.f2 as u64;
h2 = _7.0 as u64;
h3 = _7.1 as u64;
Call(RET = record(0xf_u32, h0, h1, h2, h3), ReturnTo(bb16), UnwindUnreachable())
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
pub fn main() { f0(std::hint::black_box(5_i32), std::hint::black_box(18446744073709551614_usize), std::hint::black_box(4_usize), std::hint::black_box(2_u8), std::hint::black_box(false)); println!("{:016x}", unsafe { HASH }); }
