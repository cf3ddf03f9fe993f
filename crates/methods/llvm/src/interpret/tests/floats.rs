//! Floats: rounding, NaNs, subnormal numbers, fast-math flags and conversions.

use super::*;

fn f(number: f32) -> Lane {
    n(u128::from(number.to_bits()))
}

fn binary(op: &str) -> String {
    format!("define float @f(float %x, float %y) {{\n %r = {op} float %x, %y\n ret float %r\n}}")
}

fn unary(name: &str) -> String {
    format!(
        "define float @f(float %x) {{\n %r = call float @llvm.{name}.f32(float %x)\n ret float %r\n}}\ndeclare float @llvm.{name}.f32(float)"
    )
}

#[test]
fn arithmetic_is_rounded_to_nearest() {
    assert_eq!(lane(&binary("fadd"), &[f(0.1), f(0.2)]), f(0.1 + 0.2));
    assert_eq!(lane(&binary("fdiv"), &[f(1.0), f(3.0)]), f(1.0 / 3.0));
    assert_eq!(lane(&binary("frem"), &[f(-5.5), f(2.0)]), f(-1.5));
    assert_eq!(lane(&unary("sqrt"), &[f(2.0)]), f(2.0_f32.sqrt()));
    assert_eq!(lane(&unary("rint"), &[f(2.5)]), f(2.0));
    assert_eq!(lane(&unary("round"), &[f(2.5)]), f(3.0));
}

#[test]
fn nan_results_have_any_sign_and_some_payload() {
    let text = binary("fdiv");
    let quiet = u128::from(0x7fc0_0000_u32);
    let negative = quiet | 1 << 31;
    let mut wanted = [quiet.to_string(), negative.to_string()];
    wanted.sort();
    assert_eq!(all_returned(&text, &[f(0.0), f(0.0)]), wanted);
    // The payload of an operand, quiet or as it is, or the preferred one; each with both signs.
    let signaling = n(0x7f80_0001);
    assert_eq!(all_returned(&text, &[signaling, f(1.0)]).len(), 6);
    let negated = "define float @f(float %x) {\n %r = fneg float %x\n ret float %r\n}";
    assert_eq!(lane(negated, &[n(0x7f80_0001)]), n(0xff80_0001));
}

#[test]
fn subnormal_numbers_mark_runs_of_functions_with_a_denormal_mode() {
    let text = binary("fadd").replace(") {", ") \"denormal-fp-math\"=\"preserve-sign\" {");
    let opaque = |a: Lane, b: Lane| {
        let input = input(&[a, b], 0);
        Interpreter::run(&program(&text), &input, &mut Choices::all(), Limits::default()).opaque
    };
    assert_eq!(opaque(f(1.0), f(2.0)), None);
    assert!(opaque(f(1.0), n(1)).is_some());
    // The result is subnormal.
    assert!(opaque(f(f32::MIN_POSITIVE * 1.5), f(-f32::MIN_POSITIVE)).is_some());
}

#[test]
fn one_machine_gives_the_same_nan_each_time() {
    let text = "define i1 @f(float %x) {\n %a = fdiv float %x, %x\n %b = fdiv float %x, %x\n %i = bitcast float %a to i32\n %j = bitcast float %b to i32\n %r = icmp eq i32 %i, %j\n ret i1 %r\n}";
    assert_eq!(all_returned(text, &[f(0.0)]), ["0", "1"]);
    for machine in 0..4 {
        let mut choices = Choices::of_machine(machine);
        let run =
            Interpreter::run(&program(text), &input(&[f(0.0)], 0), &mut choices, Limits::default());
        assert!(
            matches!(run.outcome, Outcome::Returned { value, .. } if value == Some(Value::bits(1)))
        );
    }
}

#[test]
fn fast_math_flags_make_poison() {
    assert_eq!(lane(&binary("fadd nnan"), &[n(0x7fc0_0000), f(1.0)]), P);
    assert_eq!(lane(&binary("fsub nnan"), &[f(f32::INFINITY), f(f32::INFINITY)]), P);
    assert_eq!(lane(&binary("fadd ninf"), &[f(f32::MAX), f(f32::MAX)]), P);
    assert_eq!(lane(&binary("fadd nnan ninf"), &[f(1.0), f(1.0)]), f(2.0));
    let program = program(&binary("fadd reassoc"));
    let input = input(&[f(1.0), f(1.0)], 0);
    let run = Interpreter::run(&program, &input, &mut Choices::all(), Limits::default());
    assert!(run.narrowed.is_some());
}

#[test]
fn extremes_treat_nan_and_zeros_as_the_reference_says() {
    let call = |name: &str| {
        format!(
            "define float @f(float %x, float %y) {{\n %r = call float @llvm.{name}.f32(float %x, float %y)\n ret float %r\n}}\ndeclare float @llvm.{name}.f32(float, float)"
        )
    };
    let quiet = n(0x7fc0_0000);
    assert_eq!(lane(&call("minnum"), &[quiet.clone(), f(1.0)]), f(1.0));
    assert_eq!(all_returned(&call("minnum"), &[f(0.0), f(-0.0)]).len(), 2);
    assert_eq!(all_returned(&call("minimum"), &[f(0.0), f(-0.0)]), [(1_u128 << 31).to_string()]);
    assert_eq!(all_returned(&call("maximum"), &[quiet.clone(), f(1.0)]).len(), 2);
    assert_eq!(lane(&call("maximumnum"), &[quiet, f(-0.0)]), f(-0.0));
}

#[test]
fn conversions_that_do_not_fit_are_poison() {
    let text = "define i8 @f(float %x) {\n %r = fptosi float %x to i8\n ret i8 %r\n}";
    assert_eq!(lane(text, &[f(127.9)]), n(127));
    assert_eq!(lane(text, &[f(128.0)]), P);
    assert_eq!(lane(text, &[f(-128.9)]), n(128));
    assert_eq!(lane(text, &[f(f32::NAN)]), P);
    let unsigned = "define i8 @f(float %x) {\n %r = fptoui float %x to i8\n ret i8 %r\n}";
    assert_eq!(lane(unsigned, &[f(-0.9)]), n(0));
    assert_eq!(lane(unsigned, &[f(-1.0)]), P);
    let half = "define half @f(i32 %x) {\n %r = sitofp i32 %x to half\n ret half %r\n}";
    assert_eq!(lane(half, &[n(65520)]), n(0x7c00), "rounded to infinity");
    assert_eq!(lane(half, &[n(65519)]), n(0x7bff));
}

#[test]
fn classes_are_tested() {
    let text = |mask: u32| {
        format!(
            "define i1 @f(float %x) {{\n %r = call i1 @llvm.is.fpclass.f32(float %x, i32 {mask})\n ret i1 %r\n}}\ndeclare i1 @llvm.is.fpclass.f32(float, i32)"
        )
    };
    let classes = [
        (n(0x7f80_0001), 1),
        (n(0x7fc0_0000), 2),
        (f(f32::NEG_INFINITY), 4),
        (f(-1.0), 8),
        (n(0x8000_0001), 16),
        (f(-0.0), 32),
        (f(0.0), 64),
        (n(1), 128),
        (f(1.0), 256),
        (f(f32::INFINITY), 512),
    ];
    for (number, class) in &classes {
        assert_eq!(lane(&text(*class), std::slice::from_ref(number)), n(1), "{class}");
        assert_eq!(lane(&text(1023 ^ *class), std::slice::from_ref(number)), n(0), "{class}");
    }
}
