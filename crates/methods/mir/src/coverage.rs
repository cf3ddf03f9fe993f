//! Whatever the model can say is said by some program: names by kind of thing, so that none hides another.

mod inside;
mod motions;
mod nodes;

use std::collections::{BTreeMap, BTreeSet};

use super::intrinsic::Intrinsic;
use super::program::{
    Block, Callee, Function, Named, Operand, Program, Rvalue, Statement, Terminator, Unwind,
};
use super::types::{Kind, TypeId, Types};
use super::{Mir, Ticket};
use motions::{MOTIONS, motions};

/// The name of a variant, as `Debug` gives it.
fn name(of: &impl std::fmt::Debug) -> String {
    let text = format!("{of:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// What operators and casts tell types apart by.
fn family(types: &Types, of: TypeId) -> String {
    match types.kind(of) {
        Kind::Int(int) => if int.signed { "signed" } else { "unsigned" }.to_owned(),
        kind => name(kind).to_lowercase(),
    }
}

/// What was seen in some programs.
#[derive(Default)]
struct Seen {
    all: BTreeSet<String>,
    /// The types that each generic function of a program was called at.
    instances: BTreeMap<usize, BTreeSet<Vec<TypeId>>>,
}

impl Seen {
    fn note(&mut self, category: &str, what: impl AsRef<str>) {
        self.all.insert(format!("{category}/{}", what.as_ref()));
    }

    fn program(&mut self, program: &Program) {
        let types = &program.types;
        self.instances.clear();
        for of in types.all() {
            self.note("type", name(types.kind(of)));
        }
        for adt in &types.adts {
            self.note("repr", format!("{}-of-{}", name(&adt.repr), name(&adt.shape)));
            if adt.destructor.is_some() {
                self.note("type", "destructor");
            }
        }
        for function in &program.functions {
            self.function(types, function);
        }
        for part in inside::of(program) {
            self.note("inside", part);
        }
        for what in nodes::of(program) {
            self.note("node", what);
        }
        for motion in motions(program) {
            self.note("motion", motion);
        }
        if self.instances.values().any(|with| with.len() > 1) {
            self.note("callee", "generic-at-two-types");
        }
    }

    fn function(&mut self, types: &Types, function: &Function) {
        self.ends(function);
        for named in &function.debug {
            self.note("debug", name(named));
            if let Named::Place(place) = named {
                for projection in &place.projections {
                    self.note("debug", name(projection));
                }
            }
        }
        for block in &function.blocks {
            for statement in &block.statements {
                self.note("statement", name(statement));
                if block.cleanup {
                    self.note("cleanup", name(statement));
                }
                if let Statement::Assign(place, rvalue) = statement {
                    for projection in &place.projections {
                        self.note("projection", name(projection));
                    }
                    self.rvalue(types, &function.locals, rvalue);
                }
            }
            self.terminator(types, &function.locals, block);
        }
    }

    /// The ways in which a function ends, where it has several.
    fn ends(&mut self, function: &Function) {
        let any = |wanted: fn(&Terminator) -> bool| {
            function.blocks.iter().any(|block| !block.cleanup && wanted(&block.terminator))
        };
        let raises = any(|it| matches!(it, Terminator::Call { callee: Callee::Raise, .. }));
        let returns = any(|it| matches!(it, Terminator::Return));
        if raises {
            self.note("end", if returns { "panic-or-return" } else { "panic-alone" });
        }
        if any(|it| matches!(it, Terminator::TailCall { .. })) && function.blocks.len() > 1 {
            self.note("end", "tail-call-after-more");
        }
    }

    fn operands<'a>(&mut self, types: &Types, all: impl IntoIterator<Item = &'a Operand>) {
        for operand in all {
            self.note("operand", name(operand));
            if let Operand::Constant(constant) = operand
                && matches!(types.kind(constant.of), Kind::Pointer { .. })
            {
                self.note("operand", if constant.bits == 0 { "null" } else { "dangling" });
            }
        }
    }

    fn rvalue(&mut self, types: &Types, locals: &[TypeId], rvalue: &Rvalue) {
        self.note("rvalue", name(rvalue));
        self.operands(types, rvalue.operands());
        let of = |operand: &Operand| {
            operand.type_in(locals, types).map(|of| family(types, of)).unwrap_or_default()
        };
        match rvalue {
            Rvalue::Binary(operator, left, _) => {
                self.note("operator", format!("{operator:?}-{}", of(left)));
            }
            Rvalue::Checked(operator, left, _) => {
                self.note("checked", format!("{operator:?}-{}", of(left)));
            }
            Rvalue::Not(one) => self.note("operator", format!("Not-{}", of(one))),
            Rvalue::Negate(one) => self.note("operator", format!("Negate-{}", of(one))),
            Rvalue::Cast(one, to) => {
                self.note("cast", format!("{}-{}", of(one), family(types, *to)));
            }
            _ => {}
        }
    }

    fn terminator(&mut self, types: &Types, locals: &[TypeId], block: &Block) {
        let terminator = &block.terminator;
        self.note("terminator", name(terminator));
        if block.cleanup {
            self.note("cleanup", name(terminator));
        }
        self.operands(types, terminator.operands());
        match terminator {
            Terminator::Call { callee, unwind, .. } => {
                self.callee("callee", callee);
                self.unwind("call", block, *unwind);
                if let Callee::Intrinsic(intrinsic) = callee {
                    self.note("intrinsic", name(intrinsic));
                }
            }
            Terminator::TailCall { callee, .. } => self.callee("tail", callee),
            Terminator::Drop { unwind, .. } => self.unwind("drop", block, *unwind),
            Terminator::Switch { on, .. } => {
                let of = on.type_in(locals, types).map(|of| family(types, of));
                self.note("switch", format!("{}-{}", name(on), of.unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn callee(&mut self, category: &str, callee: &Callee) {
        self.note(category, name(callee));
        if let Callee::Function(number, with) = callee
            && !with.is_empty()
        {
            self.note(category, "generic");
            self.instances.entry(*number).or_default().insert(with.clone());
        }
    }

    fn unwind(&mut self, what: &str, block: &Block, unwind: Unwind) {
        let place = if block.cleanup { "-in-cleanup" } else { "" };
        self.note("unwind", format!("{what}{place}-{}", name(&unwind)));
        if let Unwind::Terminate(reason) = unwind {
            self.note("unwind", format!("{reason:?}"));
        }
    }
}

/// What must be seen, by category.
const WANTED: &[(&str, &str)] = &[
    (
        "type",
        "Bool Char Int Float Tuple Array Adt Pointer Reference Slice Heap Function Parameter \
         ArrayOf Constant Value Object Manual \
         destructor",
    ),
    (
        "repr",
        "Rust-of-Struct C-of-Struct Transparent-of-Struct Packed-of-Struct Align-of-Struct C-of-Union \
         PackedTo-of-Struct RustPacked-of-Struct RustAlign-of-Struct Rust-of-Enum C-of-Enum Int-of-Enum \
         RustAlign-of-Enum CInt-of-Enum",
    ),
    ("statement", "Assign StorageLive StorageDead SetDiscriminant Assume Retag"),
    (
        "rvalue",
        "Use Not Negate Binary Checked Cast Transmute PointerCast Unsize Length Offset Aggregate Repeat RepeatOf \
         AddressOf Reference Discriminant Static",
    ),
    ("operand", "Copy Move Constant Function Parameter null dangling"),
    ("projection", "Deref Field Index Variant"),
    ("terminator", "Goto Switch Call Drop TailCall Record Return Unreachable Resume Terminate"),
    (
        "callee",
        "Function Pointer Method Catch Intrinsic NewBox BoxToPointer BoxFromPointer BlackBox Raise generic \
         NewManual ManualToInner \
         generic-at-two-types",
    ),
    ("tail", "Function Pointer generic"),
    (
        "unwind",
        "call-Continue call-Unreachable call-Cleanup call-Terminate drop-Continue drop-Unreachable \
         drop-Cleanup drop-Terminate call-in-cleanup-Unreachable call-in-cleanup-Terminate \
         drop-in-cleanup-Unreachable drop-in-cleanup-Terminate Abi InCleanup",
    ),
    (
        "cleanup",
        "Assign StorageLive StorageDead SetDiscriminant Goto Switch Call Drop Record Resume Terminate \
         Unreachable",
    ),
    ("debug", "Place Constant Deref Field Variant"),
    ("end", "panic-or-return panic-alone tail-call-after-more"),
    (
        "switch",
        "Copy-signed Copy-unsigned Copy-bool Copy-char Move-signed Move-unsigned Move-bool Move-char \
         Parameter-signed Parameter-unsigned Parameter-bool Parameter-char",
    ),
    (
        "cast",
        "signed-signed signed-unsigned unsigned-signed unsigned-unsigned signed-float unsigned-float \
         float-signed float-unsigned bool-signed bool-unsigned char-signed char-unsigned \
         unsigned-char float-float pointer-pointer pointer-unsigned unsigned-pointer",
    ),
    ("checked", "Add-signed Add-unsigned Sub-signed Sub-unsigned Mul-signed Mul-unsigned"),
    (
        "operator",
        "Not-signed Not-unsigned Not-bool Negate-signed Negate-float BitAnd-bool BitOr-bool BitXor-bool",
    ),
];

/// What each of some operators is used on.
const OPERATORS: &[(&str, &str)] = &[
    ("Add Sub Mul Div Rem", "signed unsigned float"),
    ("BitAnd BitOr BitXor Shl Shr", "signed unsigned"),
    ("Eq Ne Lt Le Gt Ge", "signed unsigned float bool char pointer"),
];

#[test]
fn everything_is_generated() {
    let mir = Mir::sized(None);
    let mut seen = Seen::default();
    for index in 0..1_500 {
        seen.program(&mir.generate(&Ticket::new("mir", 11, index)));
    }
    let mut wanted: Vec<String> = vec![];
    for (category, names) in WANTED {
        wanted.extend(names.split_whitespace().map(|name| format!("{category}/{name}")));
    }
    for (operators, families) in OPERATORS {
        for operator in operators.split_whitespace() {
            let each = families.split_whitespace();
            wanted.extend(each.map(|family| format!("operator/{operator}-{family}")));
        }
    }
    wanted.extend(inside::WANTED.split_whitespace().map(|it| format!("inside/{it}")));
    wanted.extend(nodes::WANTED.split_whitespace().map(|it| format!("node/{it}")));
    wanted.extend(MOTIONS.iter().map(|it| format!("motion/{it}")));
    wanted.extend(Intrinsic::ALL.iter().map(|it| format!("intrinsic/{it:?}")));
    wanted.retain(|it| !seen.all.contains(it));
    assert!(wanted.is_empty(), "never generated: {wanted:?}");
}
