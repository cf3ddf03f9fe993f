//! The two oracles agree: what the prover proves no input refutes, and what it refutes exactly the interpreter
//! refutes on the same input. Small widths are enumerated; larger functions get planted mistakes.

#![expect(clippy::unwrap_used, reason = "this is all test code")]

use forge::Entropy;
use llvm::interpret::{Input, Lane, Program, Value};
use llvm::ir::{Constant, Flags, Function, Instruction, Module, Op, Operand, Predicate, Type};
use llvm::prove::{ArgumentLane, Counterexample, Limits, Proof, Side, prove};
use llvm::refine::{Check, Pair, Verdict, inputs};
use llvm::semantics::Intrinsic;

fn proof(source: &Module, target: &Module, name: &str) -> Proof {
    let side = |module| Side { module, function: Module::function(module, name).unwrap() };
    prove(side(source), side(target), Limits::default())
}

fn pair(source: &Module, target: &Module, name: &str) -> Pair {
    let program = |module| Program::new(module, Module::function(module, name).unwrap());
    Pair::new(program(source), program(target))
}

/// All values of some integers, poison included.
fn everything(widths: &[u32]) -> Vec<Input> {
    let mut all = vec![Input::default()];
    for width in widths {
        let values = (0..1_u128 << width).map(Lane::Bits).chain([Lane::Poison]);
        let values: Vec<Lane> = values.collect();
        let more = all.iter().flat_map(|input| {
            values.iter().map(|value| {
                let mut input = input.clone();
                input.arguments.push(Value::Lane(value.clone()));
                input
            })
        });
        all = more.collect();
    }
    all
}

/// Whether the target refines the source on every input.
fn enumerated(source: &Module, target: &Module, all: &[Input]) -> bool {
    let pair = pair(source, target, "f");
    all.iter().all(|input| match pair.check_input(input) {
        Verdict::Agrees | Verdict::SourceUndefined => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown(why) => panic!("{why} in\n{}{}", source.text(), target.text()),
    })
}

#[track_caller]
fn judged_alike(source: &str, target: &str, widths: &[u32]) -> bool {
    let (source, target) = (Module::parse(source).unwrap(), Module::parse(target).unwrap());
    let refines = enumerated(&source, &target, &everything(widths));
    match proof(&source, &target, "f") {
        Proof::Holds => assert!(refines, "proven wrongly:\n{}{}", source.text(), target.text()),
        Proof::Fails(_) => {
            assert!(!refines, "refuted wrongly:\n{}{}", source.text(), target.text());
        }
        Proof::Unknown(why) => panic!("{why} in\n{}{}", source.text(), target.text()),
    }
    refines
}

const OPERATORS: [(&str, &[&str]); 13] = [
    ("add", &["", "nsw ", "nuw ", "nuw nsw "]),
    ("sub", &["", "nsw ", "nuw ", "nuw nsw "]),
    ("mul", &["", "nsw ", "nuw ", "nuw nsw "]),
    ("shl", &["", "nsw ", "nuw ", "nuw nsw "]),
    ("udiv", &["", "exact "]),
    ("sdiv", &["", "exact "]),
    ("lshr", &["", "exact "]),
    ("ashr", &["", "exact "]),
    ("urem", &[""]),
    ("srem", &[""]),
    ("and", &[""]),
    ("or", &["", "disjoint "]),
    ("xor", &[""]),
];

fn operator(name: &str, flags: &str, width: u32) -> String {
    format!(
        "define i{width} @f(i{width} %a, i{width} %b) {{\n%r = {name} {flags}i{width} %a, %b\nret i{width} %r\n}}\n"
    )
}

#[test]
fn the_flags_of_every_operator_mean_the_same_to_both() {
    let (mut right, mut wrong) = (0, 0);
    for (name, all) in OPERATORS {
        for width in 1..=3 {
            for (before, after) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let (source, target) =
                    (operator(name, before, width), operator(name, after, width));
                match judged_alike(&source, &target, &[width, width]) {
                    true => right += 1,
                    false => wrong += 1,
                }
            }
        }
    }
    assert!(right > 100 && wrong > 40, "{right} right, {wrong} wrong");
}

#[test]
fn every_operator_differs_from_every_other_for_both_alike() {
    let all = OPERATORS.iter().flat_map(|(name, flags)| flags.iter().map(move |it| (*name, *it)));
    let all: Vec<(&str, &str)> = all.collect();
    let mut wrong = 0;
    for (first, (name, flags)) in all.iter().enumerate() {
        for step in [1, 3, 7, 11] {
            let (other, more) = all[(first + step) % all.len()];
            let (source, target) = (operator(name, flags, 4), operator(other, more, 4));
            wrong += u32::from(!judged_alike(&source, &target, &[4, 4]));
        }
    }
    assert!(wrong > 60, "{wrong}");
}

#[test]
fn comparisons_and_selections_mean_the_same_to_both() {
    let compare = |predicate: &Predicate, flag: &str| {
        let word = predicate.word();
        format!(
            "define i3 @f(i3 %a, i3 %b) {{\n%c = icmp {flag}{word} i3 %a, %b\n\
             %r = select i1 %c, i3 %a, i3 %b\nret i3 %r\n}}\n"
        )
    };
    for before in Predicate::ALL {
        for after in Predicate::ALL {
            judged_alike(&compare(before, ""), &compare(after, ""), &[3, 3]);
        }
        judged_alike(&compare(before, "samesign "), &compare(before, ""), &[3, 3]);
        judged_alike(&compare(before, ""), &compare(before, "samesign "), &[3, 3]);
    }
}

#[test]
fn casts_mean_the_same_to_both() {
    let casts = ["zext i3", "zext nneg i3", "sext i3"];
    let wide =
        |cast: &str| format!("define i5 @f(i3 %a) {{\n%r = {cast} %a to i5\nret i5 %r\n}}\n");
    let truncations = ["trunc", "trunc nuw", "trunc nsw", "trunc nuw nsw"];
    let narrow =
        |cast: &str| format!("define i2 @f(i4 %a) {{\n%r = {cast} i4 %a to i2\nret i2 %r\n}}\n");
    for (before, after) in casts.iter().flat_map(|a| casts.iter().map(move |b| (a, b))) {
        judged_alike(&wide(before), &wide(after), &[3]);
    }
    for (before, after) in truncations.iter().flat_map(|a| truncations.iter().map(move |b| (a, b)))
    {
        judged_alike(&narrow(before), &narrow(after), &[4]);
    }
}

#[test]
fn intrinsics_mean_the_same_to_both() {
    let call = |intrinsic: Intrinsic, flag: u32| {
        let (name, width) = (intrinsic.name(), if intrinsic.operands() == 3 { 2 } else { 4 });
        let ty = format!("i{width}");
        let returns = match intrinsic.has_overflow() {
            true => format!("{{ {ty}, i1 }}"),
            false => ty.clone(),
        };
        let kinds: Vec<String> = (0..intrinsic.operands())
            .map(|at| if intrinsic.is_flag(at) { "i1".into() } else { ty.clone() })
            .collect();
        let value = |at: usize| match intrinsic.is_flag(at) {
            true => format!("i1 {}", flag == 1),
            false => format!("{ty} %v{at}"),
        };
        let arguments: Vec<String> = (0..kinds.len()).map(value).collect();
        let parameters: Vec<String> = (0..3).map(|at| format!("{ty} %v{at}")).collect();
        let suffix = match intrinsic {
            Intrinsic::SCmp | Intrinsic::UCmp => format!("{ty}.{ty}"),
            _ => ty.clone(),
        };
        let text = format!(
            "declare {returns} @{name}.{suffix}({})\n\ndefine {returns} @f({}) {{\n\
             %r = call {returns} @{name}.{suffix}({})\nret {returns} %r\n}}\n",
            kinds.join(", "),
            parameters.join(", "),
            arguments.join(", ")
        );
        (text, width, returns)
    };
    let known: Vec<Intrinsic> =
        Intrinsic::ALL.iter().copied().filter(|it| *it != Intrinsic::BSwap).collect();
    for (at, intrinsic) in known.iter().enumerate() {
        let (source, width, returns) = call(*intrinsic, 1);
        // The third parameter is used by funnel shifts only.
        let last = if intrinsic.operands() == 3 { width } else { 0 };
        let widths = [width, width, last];
        let mut all = everything(&widths[..if last == 0 { 2 } else { 3 }]);
        if last == 0 {
            all.iter_mut().for_each(|it| it.arguments.push(Value::bits(0)));
        }
        for other in [at, at + 1, at + 2].map(|it| known[it % known.len()]) {
            for flag in [0, 1] {
                let (target, other_width, other_returns) = call(other, flag);
                if (other_width, &other_returns) != (width, &returns) {
                    continue;
                }
                let (source, target) =
                    (Module::parse(&source).unwrap(), Module::parse(&target).unwrap());
                let refines = enumerated(&source, &target, &all);
                let proof = proof(&source, &target, "f");
                assert_eq!(
                    matches!(proof, Proof::Holds),
                    refines,
                    "{proof:?}\n{}{}",
                    source.text(),
                    target.text()
                );
            }
        }
    }
}

type Change = Box<dyn Fn(&mut Instruction)>;

/// What can be wrong about an instruction: a constant, flag, predicate or the order of operands.
fn changes(instruction: &Instruction) -> Vec<Change> {
    let mut all: Vec<Change> = vec![];
    for (index, operand) in instruction.operands.iter().enumerate() {
        let Some(Constant::Int(value)) = operand.as_constant() else { continue };
        let Type::Int(width) = operand.ty else { continue };
        for other in [value.wrapping_add(1), value.wrapping_sub(1), !value] {
            all.push(Box::new(move |it| it.operands[index] = Operand::int(width, other)));
        }
    }
    let flags: &[Flags] = match instruction.op {
        Op::Binary(op) => match op.word() {
            "add" | "sub" | "mul" | "shl" => &[Flags::NSW, Flags::NUW],
            "udiv" | "sdiv" | "lshr" | "ashr" => &[Flags::EXACT],
            _ => &[],
        },
        Op::GetElementPtr { .. } => &[Flags::INBOUNDS, Flags::NUW],
        _ => &[],
    };
    for flag in flags {
        all.push(Box::new(|it| {
            it.flags = match it.flags.has(*flag) {
                true => it.flags.without(*flag),
                false => it.flags | *flag,
            }
        }));
    }
    if let Op::ICmp(_) = instruction.op {
        for predicate in [Predicate::Eq, Predicate::Ule, Predicate::Slt, Predicate::Sge] {
            all.push(Box::new(move |it| it.op = Op::ICmp(predicate)));
        }
    }
    match instruction.op {
        Op::Binary(_) => all.push(Box::new(|it| it.operands.swap(0, 1))),
        Op::Select => all.push(Box::new(|it| it.operands.swap(1, 2))),
        _ => {}
    }
    all
}

/// Functions with one mistake each.
fn mistakes(function: &Function) -> Vec<Function> {
    let mut all = vec![];
    let code = function.code().unwrap();
    for (block, it) in code.blocks.iter().enumerate() {
        for (at, instruction) in it.instructions.iter().enumerate() {
            for change in changes(instruction) {
                let mut changed = function.clone();
                change(&mut changed.code_mut().unwrap().blocks[block].instructions[at]);
                all.push(changed);
            }
            if let Op::Store(_) = instruction.op {
                let mut changed = function.clone();
                changed.code_mut().unwrap().blocks[block].instructions.remove(at);
                all.push(changed);
            }
        }
    }
    all.retain(|changed| changed != function);
    all
}

/// The arguments of a counterexample, if they are numbers.
fn arguments(function: &Function, example: &Counterexample) -> Option<Vec<Value>> {
    let lane = |lane: &ArgumentLane| match lane {
        ArgumentLane::Poison => Lane::Poison,
        ArgumentLane::Undef => Lane::Undef,
        ArgumentLane::Bits(bits) => Lane::Bits(*bits),
    };
    let pairs = function.header.parameters.iter().zip(&example.arguments);
    let value = |(parameter, lanes): (&llvm::ir::Parameter, &Vec<ArgumentLane>)| match parameter.ty
    {
        Type::Int(_) => Some(Value::Lane(lane(&lanes[0]))),
        Type::Vector { .. } => {
            Some(Value::Many(lanes.iter().map(|it| Value::Lane(lane(it))).collect()))
        }
        _ => None,
    };
    pairs.map(value).collect()
}

#[test]
fn planted_mistakes_are_judged_alike() {
    let source = Module::parse(include_str!("modules/agreement.ll")).unwrap();
    source.verify().unwrap();
    let mut entropy = Entropy::keyed(3);
    let (mut proven, mut refuted, mut confirmed, mut unknown) = (0, 0, 0, vec![]);
    for function in &source.functions {
        let name = function.name().to_owned();
        assert_eq!(proof(&source, &source, &name), Proof::Holds, "@{name} against itself");
        for mistake in mistakes(function) {
            let mut target = source.clone();
            *target.function_mut(&name).unwrap() = mistake;
            if target.verify().is_err() {
                continue;
            }
            let pair = pair(&source, &target, &name);
            let program = Program::new(&source, function);
            let drawn = inputs(&program, function, 100, &mut entropy);
            let drawn: Vec<Input> = drawn.into_iter().filter(|input| !input.has_undef()).collect();
            let check = pair.check(&drawn);
            let text = || format!("{check:?}\n{}", target.extract(&[&*name]).text());
            match proof(&source, &target, &name) {
                Proof::Holds => {
                    assert!(!matches!(check, Check::Fails(_)), "proven wrongly: {}", text());
                    proven += 1;
                }
                Proof::Fails(example) if example.is_exact => {
                    let arguments = arguments(function, &example).unwrap();
                    let fails = (0..8).any(|answers| {
                        let input = Input { arguments: arguments.clone(), blocks: vec![], answers };
                        matches!(pair.check_input(&input), Verdict::Fails(_))
                    });
                    assert!(fails, "refuted wrongly with {example:?}: {}", text());
                    confirmed += 1;
                }
                Proof::Fails(_) => refuted += 1,
                Proof::Unknown(why) => unknown.push(format!("@{name}: {why}")),
            }
        }
    }
    let told = format!("{proven} proven, {confirmed} confirmed, {refuted} refuted, {unknown:?}");
    assert!(proven > 20 && confirmed > 60 && refuted > 30 && unknown.len() < 10, "{told}");
}
