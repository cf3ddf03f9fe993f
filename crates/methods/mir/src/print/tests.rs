//! The three printed forms of small programs, and of programs with every construct.

use super::sample::{FunctionMaker, I16, at, copy, everything, everything_plain, number};
use super::*;
use crate::interpret::Entry;
use crate::intrinsic::Intrinsic;
use crate::program::{Callee, Constant, Operand, Operator, Rvalue};
use crate::types::{Adt, Repr, Shape, Variant};

/// A comparison that is used twice.
fn small() -> Program {
    let types = Types::new();
    let mut maker = FunctionMaker::new(Types::U32, &[Types::U8]);
    let same = Rvalue::Binary(Operator::Eq, copy(1), number(Types::U8, 7));
    let flag = maker.value(Types::BOOL, same);
    maker.set(at(0, &[]), Rvalue::Cast(copy(flag), Types::U32));
    let on = Operand::Move(at(flag, &[]));
    maker.end(Terminator::Switch { on, arms: vec![(1, 2)], otherwise: 1 });
    maker.set(at(0, &[]), Rvalue::Binary(Operator::Add, copy(0), number(Types::U32, 5)));
    maker.end(Terminator::Goto(2));
    maker.record(&[at(0, &[]), at(1, &[])]);
    let arguments = vec![Constant { of: Types::U8, bits: 7 }];
    Program { types, statics: vec![], traits: vec![], functions: vec![maker.finish()], arguments }
}

#[test]
fn mutable_references_are_moved_into_the_closure_of_catch_unwind() {
    let mut types = Types::new();
    let reference = types.intern(Kind::Reference { mutable: true, to: Types::U32 });
    let mut maker = FunctionMaker::new(Types::UNIT, &[]);
    let x = maker.value(Types::U32, Rvalue::Use(number(Types::U32, 7)));
    let r = maker.value(reference, Rvalue::Reference(true, at(x, &[])));
    let caught = maker.value(Types::BOOL, Rvalue::Use(number(Types::BOOL, 0)));
    maker.end(Terminator::Call {
        callee: Callee::Catch(1),
        arguments: vec![copy(r), copy(x)],
        destination: at(caught, &[]),
        target: 1,
        unwind: Unwind::Unreachable,
    });
    let functions =
        vec![maker.finish(), FunctionMaker::new(Types::UNIT, &[reference, Types::U32]).finish()];
    let program = Program { types, statics: vec![], traits: vec![], functions, arguments: vec![] };
    for text in [expanded(&program), readable(&program)] {
        assert!(text.contains("let a0 = a0; f1(a0, a1);"), "{text}");
    }
}

#[test]
fn the_expanded_form_is_nested_blocks() {
    let wanted = r#"#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;
#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u8) -> u32 {{
let bb1 = BasicBlock::Normal;
let bb2 = BasicBlock::Normal;
let bb3 = BasicBlock::Normal;
{ let RET: u32;
let _2: bool;
let h0: u64;
let h1: u64;
let hu: ();
{ {
{
_2 = _1 == 7_u8;
RET = _2 as u32;
match Move(_2) { true => bb2, _ => bb1 }
};
{
RET = RET + 5_u32;
Goto(bb2)
};
{
h0 = RET as u64;
h1 = _1 as u64;
Call(hu = record(0x2_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb3), UnwindUnreachable())
};
{
Return()
};
RET }}}}}
static mut HASH: u64 = 0;
#[inline(never)] pub fn record(id: u32, a: u64, b: u64, c: u64, d: u64) { for word in [id as u64, a, b, c, d] { unsafe { HASH = (HASH.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95) } } }
pub fn main() { f0(std::hint::black_box(7_u8)); println!("{:016x}", unsafe { HASH }); }
"#;
    assert_eq!(expanded(&small()), wanted);
}

#[test]
fn the_readable_form_uses_the_macro() {
    let wanted = r#"#![feature(custom_mir, core_intrinsics)]
use core::intrinsics::mir::*;

#[custom_mir(dialect = "runtime", phase = "initial")]
pub fn f0(_1: u8) -> u32 {
    mir! {
        type RET = u32;
        let _2: bool;
        let h0: u64;
        let h1: u64;
        let hu: ();
        {
            _2 = _1 == 7_u8;
            RET = _2 as u32;
            match Move(_2) {
                true => bb2,
                _ => bb1
            }
        }
        bb1 = {
            RET = RET + 5_u32;
            Goto(bb2)
        }
        bb2 = {
            h0 = RET as u64;
            h1 = _1 as u64;
            Call(hu = record(0x2_u32, h0, h1, 0_u64, 0_u64), ReturnTo(bb3), UnwindUnreachable())
        }
        bb3 = {
            Return()
        }
    }
}

#[inline(never)]
fn record(id: u32, a: u64, b: u64, c: u64, d: u64) {
    match id {
        0x2 => println!("f0 bb2: RET = {:#x}, _1 = {:#x}", a, b),
        _ => {}
    }
}

pub fn main() {
    f0(std::hint::black_box(7_u8));
}
"#;
    assert_eq!(readable(&small()), wanted);
}

#[test]
fn the_surface_form_is_plain_rust() {
    let wanted = r#"pub fn f0(_1: u8) -> u32 {
    let _2: bool = _1 == 7_u8;
    let mut ret: u32 = _2 as u32;
    if !_2 {
        ret = ret.wrapping_add(5_u32);
    }
    println!("f0 bb2: RET = {:#x}, _1 = {:#x}", ret as u64, _1 as u64);
    ret
}

pub fn main() {
    f0(std::hint::black_box(7_u8));
}
"#;
    assert_eq!(surface(&small()).as_deref(), Some(wanted));
}

#[test]
fn recorded_values_are_hexadecimal_and_128_bit_ones_are_one_number() {
    let program = everything();
    let entry = |block, words| Entry { function: 0, block, words };
    let entries = vec![entry(0, [41, u64::MAX - 1, 0, 1]), entry(1, [1, 0, 5, 1 << 63])];
    let text = named(&program, &Output { entries, ..Output::default() });
    let wanted = "f0 bb0: _1 = 0x29, _2 = 0xfffffffffffffffe, _3 = 0x0, _4 = 0x1\n\
                  f0 bb1: _5 = 0x1, _6 = 0x0, _7 = 0x80000000000000000000000000000005\n";
    assert_eq!(text, wanted);
}

#[test]
fn every_intrinsic_is_printed() {
    let text = expanded(&everything());
    for intrinsic in Intrinsic::ALL {
        let call = format!("= {}(", intrinsic.path(None));
        assert!(text.contains(&call), "{call} is missing");
    }
}

#[test]
fn fields_of_variants_are_printed_as_places() {
    let program = everything();
    let field = "Field::<[(u8, i16); 3]>(Variant(_75.1, 1), 0)[_68].1";
    assert!(readable(&program).contains(&format!("            place!({field}) = 31_i16;")));
    let text = expanded(&program);
    assert!(text.contains(&format!("\n(*__internal_make_place({field})) = 31_i16;\n")));
    assert!(text.contains(&format!("\nh0 = {field} as u64;\n")));
    let place = format!("_76 = &raw mut (*__internal_make_place({field}));");
    assert!(text.contains(&place));
}

#[test]
fn programs_beyond_plain_rust_have_no_surface_form() {
    assert_eq!(surface(&everything()), None);
    assert!(surface(&everything_plain()).is_some());
    // A loop with two entries.
    let mut program = small();
    let arms = vec![(0, 1)];
    let blocks = &mut program.functions[0].blocks;
    blocks[2].terminator = Terminator::Switch { on: copy(2), arms, otherwise: 3 };
    assert_eq!(surface(&program), None);
}

#[test]
fn a_maybe_uninitialised_local_gets_a_placeholder_value() {
    let mut program = small();
    // `RET` is no longer assigned in the first block, so block 2 may read it uninitialised.
    program.functions[0].blocks[0].statements.pop();
    let text = surface(&program).expect("a surface form");
    assert!(text.contains("    let mut ret: u32 = 0_u32;\n"), "{text}");
}

fn literal(of: TypeId, bits: u128) -> String {
    let program = small();
    let mut printer = Printer::new(&program, Form::Expanded);
    printer.constant(Constant { of, bits });
    printer.text.out
}

#[test]
fn literals_keep_their_bits() {
    let mut entropy = 1_u64;
    for round in 0..2000_u32 {
        entropy = entropy.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let bits = entropy ^ (entropy >> 31);
        let double = f64::from_bits(bits >> (round % 8));
        if double.is_finite() {
            let text = literal(Types::F64, u128::from(double.to_bits()));
            let back: f64 = text.trim_end_matches("_f64").parse().expect("a float literal");
            assert_eq!(back.to_bits(), double.to_bits(), "{text}");
        }
        let single = f32::from_bits(bits as u32);
        if single.is_finite() {
            let text = literal(Types::F32, u128::from(single.to_bits()));
            let back: f32 = text.trim_end_matches("_f32").parse().expect("a float literal");
            assert_eq!(back.to_bits(), single.to_bits(), "{text}");
        }
        assert_eq!(literal(Types::U64, u128::from(bits)), format!("{bits}_u64"));
        assert_eq!(literal(Types::ISIZE, u128::from(bits)), format!("{}_isize", bits as i64));
    }
    let i16 = Types::new().int(I16);
    assert_eq!(literal(i16, 0xffff), "-1_i16");
    assert_eq!(literal(Types::F64, u128::from((-0.0_f64).to_bits())), "-0.0_f64");
    assert_eq!(literal(Types::F32, 0xff80_0000), "f32::NEG_INFINITY");
    assert_eq!(literal(Types::F64, 0x7ff8 << 48), "f64::NAN");
    assert_eq!(literal(Types::CHAR, 0x27), "'\\u{27}'");
    assert_eq!(literal(Types::CHAR, 0x61), "'a'");
    assert_eq!(literal(Types::UNIT, 0), "()");
}

#[test]
fn recursive_types_are_declared_with_their_lifetime() {
    let mut program = everything();
    let types = &mut program.types;
    let index = types.adts.len();
    let of = types.announce();
    let reference = types.intern(Kind::Reference { mutable: true, to: of });
    let variant = |fields| Variant { fields, discriminant: None };
    let shape = Shape::Enum(vec![variant(vec![]), variant(vec![reference])]);
    let link_enum = types.declare(Adt { shape, repr: Repr::Rust, destructor: None });
    let wrapped = types.intern(Kind::Manual(of));
    let pointer = types.intern(Kind::Pointer { mutable: true, to: wrapped });
    let shape = Shape::Struct(vec![Types::U32, link_enum, pointer]);
    types.define([(of, Adt { shape, repr: Repr::Rust, destructor: None })]);
    let (own, other) = (format!("S{index}<'a>"), format!("E{}<'a>", index + 1));
    let pointed = format!("*mut core::mem::ManuallyDrop<{own}>");
    let declared = [
        format!("pub struct {own} {{\n    f0: u32,\n    f1: {other},\n    f2: {pointed},\n}}\n"),
        format!("pub enum {other} {{\n    V0,\n    V1(&'a mut {own}),\n}}\n"),
    ];
    for text in [expanded(&program), readable(&program)] {
        for declared in &declared {
            assert!(text.contains(declared), "{declared} is not in {text}");
        }
    }
}

/// For inspection, or for rustc: `cargo test -p mir -- --ignored --nocapture print_everything`.
#[test]
#[ignore = "prints a lot"]
fn print_everything() {
    let program = everything();
    let plain = everything_plain();
    let text = surface(&plain).expect("a surface form");
    println!("//// plain\n{}//// surface\n{text}//// end", readable(&plain));
    println!("//// expanded\n{}//// readable\n{}////", expanded(&program), readable(&program));
}
