//! The table of semantics against LLVM's own constant folding: every integer instruction and intrinsic of the table,
//! with its flags, on constants at the edges of many widths. `opt` folds each function to a constant; the oracles must
//! agree with it, except where the table says poison.

#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;

use std::fmt::Write as _;
use std::time::Duration;

use forge::{Case, Input, Interface, Language, Model, Origin, Program, Promise};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::built_in::BuiltIn;
use lab::target::{Bench, batch};
use lab::verdict::Verdict;
use llvm::ir::{BinaryOp, Predicate};
use llvm::semantics::Intrinsic;

const WIDTHS: [u32; 7] = [1, 3, 8, 16, 33, 64, 128];

/// Constants of a width, as signed numbers.
fn constants(width: u32) -> Vec<i128> {
    let least = i128::MIN >> (128 - width);
    let mut all = vec![0, 1, -1, least, !least, 2, 5, -3, i128::from(width), i128::from(width) - 1];
    all.retain(|it| (least..=!least).contains(it));
    all.sort_unstable();
    all.dedup();
    all
}

/// Functions without parameters that apply an operation to constants: `add nsw` or a call, by its text.
struct Module {
    text: String,
    count: usize,
}

impl Module {
    fn new() -> Self {
        Self { text: String::new(), count: 0 }
    }

    fn add(&mut self, returns: &str, body: &str) {
        let number = self.count;
        writeln!(self.text, "define {returns} @f{number}() {{\n{body}\n  ret {returns} %r\n}}")
            .expect("text");
        self.count += 1;
    }

    fn binary(&mut self, op: &str, result: Option<&str>) {
        for width in WIDTHS {
            for a in constants(width) {
                for b in constants(width) {
                    let returns = result.map_or_else(|| format!("i{width}"), str::to_owned);
                    self.add(&returns, &format!("  %r = {op} i{width} {a}, {b}"));
                }
            }
        }
    }
}

fn instructions() -> Vec<Module> {
    let mut modules = vec![];
    for op in BinaryOp::ALL {
        let flags: &[&str] = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                &["", " nsw", " nuw", " nuw nsw"]
            }
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => &["", " exact"],
            BinaryOp::Or => &["", " disjoint"],
            BinaryOp::URem | BinaryOp::SRem | BinaryOp::And | BinaryOp::Xor => &[""],
        };
        for flag in flags {
            let mut module = Module::new();
            module.binary(&format!("{}{flag}", op.word()), None);
            modules.push(module);
        }
    }
    for predicate in Predicate::ALL {
        for flag in ["", "samesign "] {
            let mut module = Module::new();
            module.binary(&format!("icmp {flag}{}", predicate.word()), Some("i1"));
            modules.push(module);
        }
    }
    let mut casts = Module::new();
    for (from, to) in WIDTHS.iter().flat_map(|a| WIDTHS.iter().map(move |b| (*a, *b))) {
        let words: &[&str] = match from.cmp(&to) {
            std::cmp::Ordering::Less => &["zext", "zext nneg", "sext"],
            std::cmp::Ordering::Equal => &[],
            std::cmp::Ordering::Greater => &["trunc", "trunc nsw", "trunc nuw"],
        };
        for (word, a) in
            words.iter().flat_map(|word| constants(from).into_iter().map(move |a| (word, a)))
        {
            casts.add(&format!("i{to}"), &format!("  %r = {word} i{from} {a} to i{to}"));
        }
    }
    modules.push(casts);
    modules
}

/// The words of reductions of a vector.
const REDUCTIONS: [&str; 9] = ["add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin"];

/// Reductions, and operators lane by lane, of vectors of three constants.
fn vectors() -> Vec<Module> {
    let mut modules = vec![];
    for width in WIDTHS {
        let all = constants(width);
        let at = |index: usize| all[index % all.len()];
        let vectors: Vec<String> = (0..all.len() * 2)
            .map(|it| {
                let lanes = [at(it), at(it + 1 + it / all.len()), at(it * 3 + 2)];
                let lanes = lanes.map(|lane| format!("i{width} {lane}"));
                format!("<3 x i{width}> <{}>", lanes.join(", "))
            })
            .collect();
        let mut module = Module::new();
        for word in REDUCTIONS {
            let name = format!("llvm.vector.reduce.{word}.v3i{width}");
            for vector in &vectors {
                let returns = format!("i{width}");
                module.add(&returns, &format!("  %r = call {returns} @{name}({vector})"));
            }
            writeln!(module.text, "declare i{width} @{name}(<3 x i{width}>)").expect("text");
        }
        for op in [BinaryOp::Add, BinaryOp::Mul, BinaryOp::LShr, BinaryOp::Xor] {
            for (a, b) in vectors.iter().zip(vectors.iter().skip(1)) {
                let b = b.split_once('>').map_or("", |(_, lanes)| lanes.trim());
                module.add(&format!("<3 x i{width}>"), &format!("  %r = {} {a}, {b}", op.word()));
            }
        }
        modules.push(module);
    }
    modules
}

/// The operands of an intrinsic on constants, one list for each function.
fn operands(intrinsic: Intrinsic, width: u32) -> Vec<Vec<String>> {
    let mut lists = vec![vec![]];
    for index in 0..intrinsic.operands() {
        let choices: Vec<String> = if intrinsic.is_flag(index) {
            vec!["i1 true".to_owned(), "i1 false".to_owned()]
        } else {
            constants(width).iter().map(|it| format!("i{width} {it}")).collect()
        };
        // Three operands with all constants would be too many.
        let step = if intrinsic.operands() == 3 { 3 } else { 1 };
        lists = lists
            .iter()
            .flat_map(|list: &Vec<String>| {
                choices.iter().step_by(step).map(|choice| {
                    let mut list = list.clone();
                    list.push(choice.clone());
                    list
                })
            })
            .collect();
    }
    lists
}

fn intrinsics() -> Vec<Module> {
    let mut modules = vec![];
    for intrinsic in Intrinsic::ALL {
        let mut module = Module::new();
        for width in WIDTHS {
            if *intrinsic == Intrinsic::BSwap && !width.is_multiple_of(16) {
                continue;
            }
            let is_comparison = matches!(intrinsic, Intrinsic::SCmp | Intrinsic::UCmp);
            let (returns, suffix) = match is_comparison {
                true => ("i8".to_owned(), format!("i8.i{width}")),
                false if intrinsic.has_overflow() => {
                    (format!("{{ i{width}, i1 }}"), format!("i{width}"))
                }
                false => (format!("i{width}"), format!("i{width}")),
            };
            let name = format!("{}.{suffix}", intrinsic.name());
            for list in operands(*intrinsic, width) {
                let body = format!("  %r = call {returns} @{name}({})", list.join(", "));
                module.add(&returns, &body);
            }
            let types = (0..intrinsic.operands()).map(|index| match intrinsic.is_flag(index) {
                true => "i1".to_owned(),
                false => format!("i{width}"),
            });
            let types = types.collect::<Vec<_>>().join(", ");
            writeln!(module.text, "declare {returns} @{name}({types})").expect("text");
        }
        modules.push(module);
    }
    modules
}

#[test]
fn the_table_of_semantics_agrees_with_constant_folding() {
    let Some(toolchain) = installed::toolchain("clang", "22") else { return };
    let target = BuiltIn::named("opt").unwrap().target(&toolchain).expect("an opt");
    let modules = instructions().into_iter().chain(intrinsics()).chain(vectors());
    let cases: Vec<Case> = modules
        .map(|module| Case {
            origin: Origin::Given { method: "text".to_owned() },
            programs: vec![Program {
                name: "base".to_owned(),
                language: Language::new("llvm"),
                interface: Interface::Module,
                source: format!("; RUN: opt -passes='instsimplify' -S\n{}", module.text),
            }],
            inputs: vec![Input::default()],
            promise: Promise::Refines,
            trail: vec![],
            model: Model::absent(),
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), ..Limits::default() };
    let bench = Bench { runner, compile: limits.clone(), run: limits, coverage: None };
    let own = target.spec().setting("passes=own").unwrap().clone();
    for case in &cases {
        let seen = batch::observe(target.as_ref(), &[case], std::slice::from_ref(&own), &bench);
        let verdict = oracle::judge(case, &seen.observations[0]);
        // Division by zero and the like leaves nothing to compare.
        let is_undefined = format!("{verdict:?}").contains("undefined on all inputs");
        assert!(
            verdict == Verdict::Kept || is_undefined,
            "{verdict:?}\n{}",
            case.programs[0].source
        );
    }
}
