//! The syntax of LLVM IR: a value is computed by instructions, which are written before it is used.

use num_bigint::BigInt;

use crate::printer::operators::{Class, Operator};
use crate::printer::{Applied, Call, Head, Page, Printer, Repeat, Role};
use crate::run::divisor;
use crate::{Found, Idiom, Inline, Kind, Leaf, Named};
use identity::kernel::{Op, TermId};

#[derive(Debug)]
pub(super) struct Llvm;

/// The function that is being written.
#[derive(Default, Debug)]
pub(super) struct State {
    /// How many names there are, of values and of blocks.
    count: usize,
    /// The block that is being written.
    block: String,
    /// The values of the steps before.
    locals: Vec<String>,
    /// The accumulator and the counter of the loop that is being written.
    in_loop: Option<(String, String)>,
}

impl Printer for Llvm {
    type State = State;

    fn literal(&self, value: &BigInt, _: Kind) -> String {
        value.to_string()
    }

    /// The instruction of an operator that has one.
    fn operator(&self, at: &Applied<'_>) -> String {
        instruction(at)
    }

    fn variable(&self, name: String) -> String {
        format!("%{name}")
    }

    fn value(page: &mut Page<'_, Self>, term: TermId) -> String {
        value(page, term)
    }

    fn constant(&self, constant: &Named, value: &str) -> String {
        let (name, width) = (&constant.name, constant.kind.width);
        format!("define internal i{width} @{name}() {{\n  ret i{width} {value}\n}}\n")
    }

    fn parameter(&self, parameter: &Named) -> String {
        format!("i{} %{}", parameter.kind.width, parameter.name)
    }

    fn open(page: &mut Page<'_, Self>, head: &Head) {
        let (linkage, attribute) = match head.role {
            Role::Entry => ("", " noinline"),
            Role::Helper(Inline::Free) => ("internal ", ""),
            Role::Helper(Inline::Always) => ("internal ", " alwaysinline"),
            Role::Helper(Inline::Never) => ("internal ", " noinline"),
        };
        let Head { name, parameters, result, .. } = head;
        let width = result.width;
        page.line(format!("define {linkage}i{width} @{name}({parameters}){attribute} {{"));
        page.state = State::default();
        open(page, "start");
    }

    fn close(page: &mut Page<'_, Self>, head: &Head, result: TermId) {
        let result = page.value(result);
        page.line(format!("  ret i{} {result}\n}}\n", head.result.width));
    }

    fn define(page: &mut Page<'_, Self>, _: &Named, value: &str) {
        page.state.locals.push(value.to_owned());
    }

    fn repeat(page: &mut Page<'_, Self>, local: &Named, repeat: Repeat) {
        let Repeat { times, start, body } = repeat;
        let width = local.kind.width;
        let first = page.value(start);
        let (n, before) = (fresh(page), page.state.block.clone());
        page.line(format!("  br label %head{n}"));
        open(page, &format!("head{n}"));
        // The phi nodes need the last block of the body, which is written after them.
        let phi = page.out.len();
        let outer = page.state.in_loop.replace((format!("%acc{n}"), format!("%i{n}")));
        open(page, &format!("body{n}"));
        let next = page.value(body);
        let last = page.state.block.clone();
        page.line(format!("  %next{n} = add i{width} %i{n}, 1\n  br label %head{n}"));
        page.state.in_loop = outer;
        let head = format!(
            "  %acc{n} = phi i{width} [ {first}, %{before} ], [ {next}, %{last} ]\n  \
             %i{n} = phi i{width} [ 0, %{before} ], [ %next{n}, %{last} ]\n  \
             %go{n} = icmp ult i{width} %i{n}, {times}\n  br i1 %go{n}, label %body{n}, label %done{n}\n"
        );
        page.out.insert_str(phi, &head);
        open(page, &format!("done{n}"));
        Self::define(page, local, &format!("%acc{n}"));
    }

    fn call(page: &mut Page<'_, Self>, call: &Call) -> String {
        let arguments = call.arguments.iter();
        let arguments = arguments.map(|(text, kind)| (format!("i{} {text}", kind.width), *kind));
        let (arguments, helper) = (arguments.collect(), format!("@{}", call.helper));
        let call = Call { helper, arguments, ..call.clone() };
        set(page, &format!("call i{} {}", call.result.width, call.text(Self::SEPARATOR)))
    }
}

fn fresh(page: &mut Page<'_, Llvm>) -> usize {
    page.state.count += 1;
    page.state.count
}

/// A new value.
fn set(page: &mut Page<'_, Llvm>, instruction: &str) -> String {
    let name = format!("%t{}", fresh(page));
    page.line(format!("  {name} = {instruction}"));
    name
}

/// A new block.
fn open(page: &mut Page<'_, Llvm>, label: &str) {
    page.line(format!("{label}:"));
    label.clone_into(&mut page.state.block);
}

fn value(page: &mut Page<'_, Llvm>, term: TermId) -> String {
    let writing = page.writing;
    if let Some(value) = writing.idiom(term).and_then(|found| intrinsic(page, &found)) {
        return value;
    }
    if let Some(leaf) = writing.leaf(term) {
        return operand(page, leaf, writing.width(term));
    }
    let node = writing.terms.node(term);
    if node.op == Op::Ite {
        return choose(page, node.args, writing.width(term));
    }
    let args: Vec<String> = node.args().iter().map(|&arg| value(page, arg)).collect();
    let at = Applied { writing, node, args: &args };
    let (from, to) = (at.kind(0).width, at.own().width);
    match node.op {
        Op::Extract(low) => {
            let low = low.as_fixed().unwrap_or(0);
            let shifted = match low {
                0 => args[0].clone(),
                low => set(page, &format!("lshr i{from} {}, {low}", args[0])),
            };
            if from == to {
                return shifted;
            }
            set(page, &format!("trunc i{from} {shifted} to i{to}"))
        }
        Op::Concat => {
            let below = at.kind(1).width;
            let high = set(page, &format!("zext i{from} {} to i{to}", args[0]));
            let low = set(page, &format!("zext i{below} {} to i{to}", args[1]));
            let high = set(page, &format!("shl i{to} {high}, {below}"));
            set(page, &format!("or i{to} {high}, {low}"))
        }
        op if op.is_comparison() => {
            let flag = set(page, &instruction(&at));
            if to == 1 {
                return flag;
            }
            set(page, &format!("zext i1 {flag} to i{to}"))
        }
        // A rule may extend to the width that a word has already. LLVM has no such cast.
        Op::Zext | Op::Sext if from == to => args[0].clone(),
        _ => set(page, &instruction(&at)),
    }
}

fn operand(page: &mut Page<'_, Llvm>, leaf: Leaf, width: u16) -> String {
    let in_loop = page.state.in_loop.clone().unwrap_or_default();
    match leaf {
        Leaf::Literal(value, kind) => page.printer.literal(&value, kind),
        Leaf::Global(name) => set(page, &format!("call i{width} @{name}()")),
        Leaf::Parameter(name) => page.printer.variable(name),
        Leaf::Step(step) => page.state.locals.get(step).cloned().unwrap_or_default(),
        Leaf::Accumulator => in_loop.0,
        Leaf::Counter => in_loop.1,
    }
}

/// Only the branch that is taken is evaluated, unless nothing in either is undefined: poison that is not selected does no
/// harm.
fn choose(page: &mut Page<'_, Llvm>, parts: [TermId; 3], width: u16) -> String {
    let ([condition, yes, no], terms) = (parts, page.writing.terms);
    let from = page.writing.width(condition);
    let word = value(page, condition);
    let flag = set(page, &format!("icmp ne i{from} {word}, 0"));
    let divides = |term: TermId| {
        terms.in_order(&[term]).into_iter().any(|part| divisor(terms.op(part)).is_some())
    };
    if page.writing.style.no_wrap && !divides(yes) && !divides(no) {
        let (yes, no) = (value(page, yes), value(page, no));
        return set(page, &format!("select i1 {flag}, i{width} {yes}, i{width} {no}"));
    }
    let n = fresh(page);
    page.line(format!("  br i1 {flag}, label %yes{n}, label %no{n}"));
    let [yes, no] = [("yes", yes), ("no", no)].map(|(label, term)| {
        open(page, &format!("{label}{n}"));
        let value = value(page, term);
        page.line(format!("  br label %join{n}"));
        format!("[ {value}, %{} ]", page.state.block)
    });
    open(page, &format!("join{n}"));
    set(page, &format!("phi i{width} {yes}, {no}"))
}

/// The mnemonic of an operator with two operands; of a comparison, its predicate.
fn mnemonic(operator: Operator) -> String {
    match (operator.op, operator.letter()) {
        (Op::Lshr, _) => "lshr".to_owned(),
        (Op::Ashr, _) => "ashr".to_owned(),
        (_, Some(letter)) => format!("{letter}{}", operator.word),
        (_, None) => operator.word.to_owned(),
    }
}

fn instruction(at: &Applied<'_>) -> String {
    let (node, args) = (at.node, at.args);
    let (from, width) = (at.kind(0).width, at.own().width);
    let promise = at.writing.promise(node);
    let no_wrap = match (promise.unsigned, promise.signed) {
        (true, true) => " nuw nsw",
        (true, false) => " nuw",
        (false, true) => " nsw",
        (false, false) => "",
    };
    let exact = if promise.exact { " exact" } else { "" };
    let counted = |name: &str, more: &str| {
        format!("call i{width} @llvm.{name}.i{width}(i{width} {}{more})", args[0])
    };
    if let Some(operator) = Operator::of(node.op) {
        let (name, [a, b]) = (mnemonic(operator), [&args[0], &args[1]]);
        let flags = match node.op {
            Op::Add | Op::Sub | Op::Mul | Op::Shl => no_wrap,
            Op::Udiv | Op::Sdiv | Op::Lshr | Op::Ashr => exact,
            _ => "",
        };
        return match operator.class {
            Class::Comparison => format!("icmp {name} i{from} {a}, {b}"),
            Class::Extreme => counted(&name, &format!(", i{width} {b}")),
            Class::Sum | Class::Bitwise | Class::Division | Class::Floored | Class::Shift => {
                format!("{name}{flags} i{width} {a}, {b}")
            }
        };
    }
    let rotated = |name: &str| {
        let [word, amount] = [&args[0], &args[1]];
        counted(name, &format!(", i{width} {word}, i{width} {amount}"))
    };
    match node.op {
        Op::Neg => format!("sub{no_wrap} i{width} 0, {}", args[0]),
        Op::Not => format!("xor i{width} {}, -1", args[0]),
        Op::Rotl => rotated("fshl"),
        Op::Rotr => rotated("fshr"),
        Op::Clz => counted("ctlz", ", i1 false"),
        Op::Ctz => counted("cttz", ", i1 false"),
        Op::Popcount => counted("ctpop", ""),
        Op::Bswap => counted("bswap", ""),
        Op::Zext => format!("zext i{from} {} to i{width}", args[0]),
        Op::Sext => format!("sext i{from} {} to i{width}", args[0]),
        _ => args.join(", "),
    }
}

/// The intrinsic for an idiom, and whether it returns an overflow flag.
fn named(found: &Found) -> Option<(&'static str, bool)> {
    Some(match found.idiom {
        Idiom::AddOverflows => ("uadd", true),
        Idiom::SubOverflows => ("usub", true),
        Idiom::MulOverflows => ("umul", true),
        Idiom::SignedAddOverflows => ("sadd", true),
        Idiom::SignedSubOverflows => ("ssub", true),
        // Wider products call a function that only one of the run-time libraries has.
        Idiom::SignedMulOverflows if found.width <= 64 => ("smul", true),
        Idiom::Abs => ("abs", false),
        Idiom::SaturatingAdd => ("uadd.sat", false),
        Idiom::SaturatingSub => ("usub.sat", false),
        Idiom::SaturatingShl => ("ushl.sat", false),
        Idiom::SignedSaturatingAdd => ("sadd.sat", false),
        Idiom::SignedSaturatingSub => ("ssub.sat", false),
        Idiom::ReverseBits => ("bitreverse", false),
        _ => return None,
    })
}

fn intrinsic(page: &mut Page<'_, Llvm>, found: &Found) -> Option<String> {
    let (name, overflows) = named(found)?;
    let width = found.width;
    let args = found.args.iter().map(|&arg| format!("i{width} {}", value(page, arg)));
    let mut args = args.collect::<Vec<String>>().join(", ");
    if overflows {
        let call = format!("call {{i{width}, i1}} @llvm.{name}.with.overflow.i{width}({args})");
        let both = set(page, &call);
        let flag = set(page, &format!("extractvalue {{i{width}, i1}} {both}, 1"));
        return Some(set(page, &format!("zext i1 {flag} to i{width}")));
    }
    if found.idiom == Idiom::Abs {
        args.push_str(", i1 false");
    }
    Some(set(page, &format!("call i{width} @llvm.{name}.i{width}({args})")))
}
