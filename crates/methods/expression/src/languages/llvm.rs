//! LLVM IR, with integers of any width, and with the flags `nuw`, `nsw` and `exact` where they are true of the inputs. What its operators leave undefined (division by zero, a shift by too
//! much) is not done; a branch that would do it is really a branch. There are no pointers, whose syntax has
//! changed: constants of the module are functions that return them, and the runner reads and writes single
//! characters.

use std::fmt::Write as _;

use crate::places::Place;
use crate::program::{ACCUMULATOR, COUNTER, HELPER, Step};
use crate::run::divisor;
use crate::{
    Constants, Dialect, Entry, Found, Frame, Idiom, Inline, Named, STEM, Style, TrapKinds, Writing,
};
use identity::kernel::{Op, TermId, Trap};

/// Any number of bits is a type: those of machines, their neighbours, and odd ones.
const WIDTHS: &[u16] = &[4, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 65, 96, 128, 129, 200, 255, 256];

const USUAL: &[u16] = &[8, 16, 32, 64, 128, 256];

const PLAIN: Style = Style {
    name: "plain",
    semantics: "llvm",
    signed: false,
    widths: WIDTHS,
    usual: USUAL,
    no_wrap: false,
    speaks,
    idioms: IDIOMS,
    trap,
};

const IDIOMS: &[Idiom] = &[
    Idiom::Abs,
    Idiom::SaturatingAdd,
    Idiom::SaturatingSub,
    Idiom::SaturatingShl,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::SignedAddOverflows,
    Idiom::SignedSubOverflows,
    Idiom::SignedMulOverflows,
    Idiom::ReverseBits,
];

pub const DIALECT: Dialect = Dialect {
    name: "expression-llvm",
    summary: "functions over integers in LLVM IR and their proven mutants, results known",
    language: "llvm",
    comment: ";",
    styles: &[PLAIN, Style { name: "flagged", no_wrap: true, ..PLAIN }],
    inputs: 24,
    ending: "\n",
    nodes: 80,
    text: 250,
    frame,
    items,
    constants: |_| Constants::default(),
    // It is written in `Text`.
    idiom: |_, _, _, _| None,
    // A trap cannot be expected: LangRef on `udiv`, "Division by zero is undefined behavior." (likewise for
    // the other divisions); oversized shifts are poison.
    traps: TrapKinds::Distinct,
};

fn speaks(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Not | Op::And | Op::Or | Op::Xor => true,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Shl | Op::Lshr | Op::Ashr => true,
        // Wider ones are divided by their width, and LLVM 22 dies of that ("unsupported library call operation").
        Op::Rotl | Op::Rotr => to <= 128 || to.is_power_of_two(),
        Op::Clz | Op::Ctz | Op::Popcount => true,
        Op::Ite | Op::Zext | Op::Sext | Op::Umin | Op::Umax | Op::Smin | Op::Smax => true,
        Op::Extract(_) => true,
        Op::Concat => from.iter().sum::<u16>() == to,
        Op::Bswap => to.is_multiple_of(16),
        _ => op.is_comparison(),
    }
}

/// Nothing traps: what would is undefined, and is not done.
fn trap(_: Trap) -> &'static str {
    "trap"
}

/// Reads and writes numbers.
const NUMBERS: &str = "\
declare i32 @getchar()
declare i32 @putchar(i32)
declare i32 @fflush(i64)

; The next number, and whether there was one, in the lowest bit.
define internal i264 @next() noinline {
start:
  br label %skip
skip:
  %c = call i32 @getchar()
  %blank = icmp eq i32 %c, 32
  %line = icmp eq i32 %c, 10
  %ignored = or i1 %blank, %line
  br i1 %ignored, label %skip, label %first
first:
  %end = icmp slt i32 %c, 0
  br i1 %end, label %none, label %digits
none:
  ret i264 0
digits:
  %value = phi i264 [ 0, %first ], [ %more, %accept ]
  %now = phi i32 [ %c, %first ], [ %then, %accept ]
  %low = icmp sge i32 %now, 48
  %high = icmp sle i32 %now, 57
  %digit = and i1 %low, %high
  br i1 %digit, label %accept, label %done
accept:
  %unit = sub i32 %now, 48
  %wide = zext i32 %unit to i264
  %ten = mul i264 %value, 10
  %more = add i264 %ten, %wide
  %then = call i32 @getchar()
  br label %digits
done:
  %shifted = shl i264 %value, 1
  %result = or i264 %shifted, 1
  ret i264 %result
}

define internal void @show(i264 %value) noinline {
  %rest = udiv i264 %value, 10
  %last = urem i264 %value, 10
  %more = icmp ne i264 %rest, 0
  br i1 %more, label %before, label %this
before:
  call void @show(i264 %rest)
  br label %this
this:
  %unit = trunc i264 %last to i32
  %c = add i32 %unit, 48
  %done = call i32 @putchar(i32 %c)
  ret void
}

define i32 @main() {
start:
  br label %again
again:
  %read = call i264 @next()
  %ready = and i264 %read, 1
  %over = icmp eq i264 %ready, 0
  br i1 %over, label %end, label %call
end:
  ret i32 0
call:
  %function = lshr i264 %read, 1
  switch i264 %function, label %end [
";

/// Intrinsics of two operands.
const TWO: [&str; 9] =
    ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "ushl.sat", "sadd.sat", "ssub.sat"];

/// Those that give a flag besides.
const OVERFLOWS: [&str; 6] = ["uadd", "usub", "umul", "sadd", "ssub", "smul"];

/// All intrinsics at all widths: a module declares each but once.
fn declarations() -> String {
    let mut text = String::new();
    for width in WIDTHS {
        for name in TWO {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width}, i{width})");
        }
        for name in OVERFLOWS {
            let _ = writeln!(
                text,
                "declare {{i{width}, i1}} @llvm.{name}.with.overflow.i{width}(i{width}, i{width})"
            );
        }
        for name in ["ctlz", "cttz", "abs"] {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width}, i1)");
        }
        for name in ["ctpop", "bitreverse"] {
            let _ = writeln!(text, "declare i{width} @llvm.{name}.i{width}(i{width})");
        }
        for name in ["fshl", "fshr"] {
            let _ = writeln!(
                text,
                "declare i{width} @llvm.{name}.i{width}(i{width}, i{width}, i{width})"
            );
        }
        if width.is_multiple_of(16) {
            let _ = writeln!(text, "declare i{width} @llvm.bswap.i{width}(i{width})");
        }
    }
    text.push('\n');
    text
}

fn frame(entries: &[Entry]) -> Frame {
    let mut after = declarations() + NUMBERS;
    for index in 0..entries.len() {
        let _ = writeln!(after, "    i264 {index}, label %case{index}");
    }
    after.push_str("  ]\n");
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let _ = writeln!(after, "case{index}:");
        let mut arguments = vec![];
        for (n, kind) in signature.parameters.iter().enumerate() {
            let (bits, at) = (kind.width, format!("{index}.{n}"));
            let _ = writeln!(
                after,
                "  %read{at} = call i264 @next()\n  %word{at} = lshr i264 %read{at}, 1\n  \
                 %a{at} = trunc i264 %word{at} to i{bits}"
            );
            arguments.push(format!("i{bits} %a{at}"));
        }
        let bits = signature.result.width;
        let _ = writeln!(
            after,
            "  %result{index} = call i{bits} @{name}({})\n  %wide{index} = zext i{bits} %result{index} to i264\n  \
             call void @show(i264 %wide{index})\n  br label %line",
            arguments.join(", ")
        );
    }
    after.push_str(
        "line:\n  %shown = call i32 @putchar(i32 10)\n  %flushed = call i32 @fflush(i64 0)\n  \
         br label %again\n}\n",
    );
    Frame { before: String::new(), after }
}

fn items(writing: &Writing<'_>) -> String {
    let mut out = String::new();
    for (constant, value) in writing.constants() {
        let (name, width) = (constant.name, constant.kind.width);
        let _ =
            writeln!(out, "define internal i{width} @{name}() {{\n  ret i{width} {value}\n}}\n");
    }
    let head = |all: &[Named]| {
        let all: Vec<String> =
            all.iter().map(|it| format!("i{} %{}", it.kind.width, it.name)).collect();
        all.join(", ")
    };
    for (index, step) in writing.body.steps.iter().enumerate() {
        if let Step::Call { body, inline, .. } = step
            && writing.declares(index)
        {
            let (own, carried) = writing.helper_parameters(index);
            let attribute = match inline {
                Inline::Free => "",
                Inline::Always => " alwaysinline",
                Inline::Never => " noinline",
            };
            let mut text = Text::new(writing);
            let value = text.emit(*body);
            let width = writing.width(*body);
            let _ = writeln!(
                out,
                "define internal i{width} @{}({}){attribute} {{\nstart:\n{}  ret i{width} {value}\n}}\n",
                writing.helper(index),
                head(&[own, carried].concat()),
                text.code
            );
        }
    }
    let mut text = Text::new(writing);
    for (index, step) in writing.body.steps.iter().enumerate() {
        let value = match step {
            Step::Let { term } => text.emit(*term),
            Step::Loop { times, start, body } => text.iterate(*times, *start, *body),
            Step::Call { arguments, body, .. } => {
                let mut words: Vec<String> = vec![];
                for &argument in arguments {
                    let value = text.emit(argument);
                    words.push(format!("i{} {value}", writing.width(argument)));
                }
                let (_, carried) = writing.helper_parameters(index);
                words.extend(carried.iter().map(|it| format!("i{} %{}", it.kind.width, it.name)));
                let helper = writing.helper(index);
                text.set(&format!("call i{} @{helper}({})", writing.width(*body), words.join(", ")))
            }
        };
        text.locals.push(value);
    }
    let value = text.emit(writing.body.result);
    let width = writing.width(writing.body.result);
    let _ = writeln!(
        out,
        "define i{width} @{STEM}({}) noinline {{\nstart:\n{}  ret i{width} {value}\n}}\n",
        head(&writing.parameters()),
        text.code
    );
    out
}

/// The code of a function, as far as it is written.
struct Text<'a> {
    writing: &'a Writing<'a>,
    code: String,
    /// How many names there are, of values and of blocks.
    count: usize,
    /// The block that is being written.
    block: String,
    /// The values of the steps before.
    locals: Vec<String>,
    /// The accumulator and the counter of the loop that is being written.
    turning: Option<(String, String)>,
}

impl<'a> Text<'a> {
    fn new(writing: &'a Writing<'a>) -> Self {
        Self {
            writing,
            code: String::new(),
            count: 0,
            block: "start".to_owned(),
            locals: vec![],
            turning: None,
        }
    }

    fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// A new value.
    fn set(&mut self, instruction: &str) -> String {
        let name = format!("%t{}", self.fresh());
        let _ = writeln!(self.code, "  {name} = {instruction}");
        name
    }

    fn open(&mut self, label: &str) {
        let _ = writeln!(self.code, "{label}:");
        label.clone_into(&mut self.block);
    }

    fn iterate(&mut self, times: u8, start: TermId, body: TermId) -> String {
        let width = self.writing.width(body);
        let first = self.emit(start);
        let (n, before) = (self.fresh(), self.block.clone());
        let _ = writeln!(self.code, "  br label %head{n}");
        self.open(&format!("head{n}"));
        // What the body ends with is known only once it is written.
        let hole = self.code.len();
        let outer = self.turning.replace((format!("%acc{n}"), format!("%i{n}")));
        self.open(&format!("body{n}"));
        let next = self.emit(body);
        let last = self.block.clone();
        let _ = writeln!(self.code, "  %next{n} = add i{width} %i{n}, 1\n  br label %head{n}");
        self.turning = outer;
        let head = format!(
            "  %acc{n} = phi i{width} [ {first}, %{before} ], [ {next}, %{last} ]\n  \
             %i{n} = phi i{width} [ 0, %{before} ], [ %next{n}, %{last} ]\n  \
             %go{n} = icmp ult i{width} %i{n}, {times}\n  br i1 %go{n}, label %body{n}, label %done{n}\n"
        );
        self.code.insert_str(hole, &head);
        self.open(&format!("done{n}"));
        format!("%acc{n}")
    }

    /// An intrinsic for an idiom.
    fn idiom(&mut self, found: &Found) -> Option<String> {
        let width = found.width;
        let overflows = match found.idiom {
            Idiom::AddOverflows => Some("uadd"),
            Idiom::SubOverflows => Some("usub"),
            Idiom::MulOverflows => Some("umul"),
            Idiom::SignedAddOverflows => Some("sadd"),
            Idiom::SignedSubOverflows => Some("ssub"),
            // Wider products call a function that only one of the run-time libraries has.
            Idiom::SignedMulOverflows if width <= 64 => Some("smul"),
            _ => None,
        };
        let plain = match found.idiom {
            Idiom::Abs => Some("abs"),
            Idiom::SaturatingAdd => Some("uadd.sat"),
            Idiom::SaturatingSub => Some("usub.sat"),
            Idiom::SaturatingShl => Some("ushl.sat"),
            Idiom::SignedSaturatingAdd => Some("sadd.sat"),
            Idiom::SignedSaturatingSub => Some("ssub.sat"),
            Idiom::ReverseBits => Some("bitreverse"),
            _ => None,
        };
        let name = overflows.or(plain)?;
        let args = found.args.iter().map(|&arg| format!("i{width} {}", self.emit(arg)));
        let mut args = args.collect::<Vec<String>>().join(", ");
        if overflows.is_none() {
            if found.idiom == Idiom::Abs {
                args.push_str(", i1 false");
            }
            return Some(self.set(&format!("call i{width} @llvm.{name}.i{width}({args})")));
        }
        let call = format!("call {{i{width}, i1}} @llvm.{name}.with.overflow.i{width}({args})");
        let both = self.set(&call);
        let flag = self.set(&format!("extractvalue {{i{width}, i1}} {both}, 1"));
        Some(self.set(&format!("zext i1 {flag} to i{width}")))
    }

    fn emit(&mut self, term: TermId) -> String {
        let writing = self.writing;
        let node = writing.terms.node(term);
        let width = writing.width(term);
        if let Some(value) = writing.idiom(term).and_then(|found| self.idiom(&found)) {
            return value;
        }
        match node.op {
            Op::Variable(variable) => return self.variable(variable),
            Op::Literal(index) => {
                let value = writing.terms.integer(index);
                let at = |place| writing.places.position(place, width, value);
                return match (at(Place::Module), at(Place::Argument)) {
                    (Some(n), _) => self.set(&format!("call i{width} @{STEM}_K{n}()")),
                    (_, Some(n)) => format!("%k{n}"),
                    _ => value.to_string(),
                };
            }
            Op::Ite => return self.choose(node.args, width),
            _ => {}
        }
        let args: Vec<String> = node.args().iter().map(|&arg| self.emit(arg)).collect();
        let from = writing.width(node.args[0]);
        let plain = |name: &str| format!("{name} i{width} {}, {}", args[0], args[1]);
        let promise = writing.promise(node);
        let flags = match (promise.unsigned, promise.signed) {
            (true, true) => " nuw nsw",
            (true, false) => " nuw",
            (false, true) => " nsw",
            (false, false) => "",
        };
        let bounded = |name: &str| plain(&format!("{name}{flags}"));
        let exact =
            |name: &str| plain(&format!("{name}{}", if promise.exact { " exact" } else { "" }));
        let call = |name: &str| {
            format!(
                "call i{width} @llvm.{name}.i{width}(i{width} {}, i{width} {})",
                args[0], args[1]
            )
        };
        let counted = |name: &str, more: &str| {
            format!("call i{width} @llvm.{name}.i{width}(i{width} {}{more})", args[0])
        };
        let instruction = match node.op {
            Op::Add => bounded("add"),
            Op::Sub => bounded("sub"),
            Op::Mul => bounded("mul"),
            Op::And => plain("and"),
            Op::Or => plain("or"),
            Op::Xor => plain("xor"),
            Op::Udiv => exact("udiv"),
            Op::Urem => plain("urem"),
            Op::Sdiv => exact("sdiv"),
            Op::Srem => plain("srem"),
            Op::Shl => bounded("shl"),
            Op::Lshr => exact("lshr"),
            Op::Ashr => exact("ashr"),
            Op::Neg => format!("sub{flags} i{width} 0, {}", args[0]),
            Op::Not => format!("xor i{width} {}, -1", args[0]),
            Op::Umin => call("umin"),
            Op::Umax => call("umax"),
            Op::Smin => call("smin"),
            Op::Smax => call("smax"),
            Op::Rotl | Op::Rotr => {
                let name = if node.op == Op::Rotl { "fshl" } else { "fshr" };
                let [word, amount] = [&args[0], &args[1]];
                format!(
                    "call i{width} @llvm.{name}.i{width}(i{width} {word}, i{width} {word}, i{width} {amount})"
                )
            }
            Op::Clz => counted("ctlz", ", i1 false"),
            Op::Ctz => counted("cttz", ", i1 false"),
            Op::Popcount => counted("ctpop", ""),
            Op::Bswap => counted("bswap", ""),
            Op::Zext => format!("zext i{from} {} to i{width}", args[0]),
            Op::Sext => format!("sext i{from} {} to i{width}", args[0]),
            Op::Extract(low) => {
                let low = low.as_fixed().unwrap_or(0);
                let moved = match low {
                    0 => args[0].clone(),
                    low => self.set(&format!("lshr i{from} {}, {low}", args[0])),
                };
                if from == width {
                    return moved;
                }
                format!("trunc i{from} {moved} to i{width}")
            }
            Op::Concat => {
                let below = writing.width(node.args[1]);
                let high = self.set(&format!("zext i{from} {} to i{width}", args[0]));
                let low = self.set(&format!("zext i{below} {} to i{width}", args[1]));
                let high = self.set(&format!("shl i{width} {high}, {below}"));
                format!("or i{width} {high}, {low}")
            }
            op => {
                let test = format!("icmp {} i{from} {}, {}", predicate(op), args[0], args[1]);
                let flag = self.set(&test);
                if width == 1 {
                    return flag;
                }
                format!("zext i1 {flag} to i{width}")
            }
        };
        self.set(&instruction)
    }

    /// Only the branch that is taken is evaluated, unless nothing in either is undefined: poison that is not
    /// selected does no harm.
    fn choose(&mut self, [condition, yes, no]: [TermId; 3], width: u16) -> String {
        let from = self.writing.width(condition);
        let word = self.emit(condition);
        let flag = self.set(&format!("icmp ne i{from} {word}, 0"));
        let terms = self.writing.terms;
        let divides = |term: TermId| {
            terms.in_order(&[term]).into_iter().any(|part| divisor(terms.op(part)).is_some())
        };
        if self.writing.style.no_wrap && !divides(yes) && !divides(no) {
            let (yes, no) = (self.emit(yes), self.emit(no));
            return self.set(&format!("select i1 {flag}, i{width} {yes}, i{width} {no}"));
        }
        let n = self.fresh();
        let _ = writeln!(self.code, "  br i1 {flag}, label %yes{n}, label %no{n}");
        self.open(&format!("yes{n}"));
        let yes = self.emit(yes);
        let yes_end = self.block.clone();
        let _ = writeln!(self.code, "  br label %join{n}");
        self.open(&format!("no{n}"));
        let no = self.emit(no);
        let no_end = self.block.clone();
        let _ = writeln!(self.code, "  br label %join{n}");
        self.open(&format!("join{n}"));
        self.set(&format!("phi i{width} [ {yes}, %{yes_end} ], [ {no}, %{no_end} ]"))
    }

    fn variable(&self, variable: u16) -> String {
        let parameters = self.writing.parameters.len();
        let turning = self.turning.as_ref();
        match variable {
            ACCUMULATOR => turning.map(|it| it.0.clone()).unwrap_or_default(),
            COUNTER => turning.map(|it| it.1.clone()).unwrap_or_default(),
            HELPER.. => format!("%p{}", variable - HELPER),
            _ if usize::from(variable) < parameters => format!("%a{variable}"),
            _ => {
                let local = self.locals.get(usize::from(variable) - parameters);
                local.cloned().unwrap_or_default()
            }
        }
    }
}

fn predicate(op: Op) -> &'static str {
    match op {
        Op::Eq => "eq",
        Op::Ne => "ne",
        Op::Ult => "ult",
        Op::Ule => "ule",
        Op::Ugt => "ugt",
        Op::Uge => "uge",
        Op::Slt => "slt",
        Op::Sle => "sle",
        Op::Sgt => "sgt",
        _ => "sge",
    }
}
