//! The verifier accepts what LLVM accepts and names what is wrong with the rest.

#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

use llvm::ir::{BlockId, Code, Constant, Flags, LocalId, Module, Op, Operand, Type, Value};
use llvm::verify::Problem;

/// What is wrong with a module.
fn problem(text: &str) -> Option<Problem> {
    Module::parse(text).unwrap().verify().err().map(|invalid| invalid.problem)
}

const FUNCTION: &str = "
define i32 @f(i32 %a, i64 %b, ptr %p, <2 x i32> %v) {
entry:
  %sum = add i32 %a, 1
  %less = icmp ult i32 %sum, 9
  br i1 %less, label %then, label %join

then:
  %product = mul i32 %a, %sum
  br label %join

join:
  %chosen = phi i32 [ %sum, %entry ], [ %product, %then ]
  %wide = zext i32 %chosen to i64
  %lane = extractelement <2 x i32> %v, i64 %wide
  ret i32 %lane
}
";

type Change = fn(&mut Code);

/// What is wrong with the function after a change.
fn changed(change: impl FnOnce(&mut Code)) -> Option<Problem> {
    let mut module = Module::parse(FUNCTION).unwrap();
    change(module.functions[0].code_mut().unwrap());
    module.verify().err().map(|invalid| invalid.problem)
}

#[test]
fn valid_modules_are_accepted() {
    for text in [
        FUNCTION,
        include_str!("modules/opaque-pointers.ll"),
        include_str!("modules/typed-pointers.ll"),
    ] {
        assert_eq!(Module::parse(text).unwrap().verify(), Ok(()));
    }
}

#[test]
fn uses_before_definitions_are_rejected() {
    let undominated = |name: &str| Some(Problem::Undominated(name.into()));
    assert_eq!(changed(|code| code.blocks[0].instructions.swap(0, 1)), undominated("sum"));
    let product = |code: &mut Code| {
        let id = code.locals.iter().position(|local| &*local.name == "product").unwrap();
        code.blocks[2].instructions[1].operands[0].value = Value::Local(LocalId(id as u32));
    };
    assert_eq!(changed(product), undominated("product"));
    let own = |code: &mut Code| {
        let result = code.blocks[0].instructions[0].result.unwrap();
        code.blocks[0].instructions[0].operands[0].value = Value::Local(result);
    };
    assert_eq!(changed(own), undominated("sum"));
    let removed = |code: &mut Code| drop(code.blocks[0].instructions.remove(0));
    assert_eq!(changed(removed), Some(Problem::NeverDefined("sum".into())));
}

#[test]
fn the_result_of_an_invoke_exists_only_where_it_continues() {
    let text = |place: &str, other: &str| {
        format!(
            "define i32 @f() personality ptr @f {{
entry:
  %r = invoke i32 @f()
          to label %next unwind label %pad
next:
  ret i32 {place}
pad:
  %l = landingpad {{ ptr, i32 }}
          cleanup
  ret i32 {other}
}}"
        )
    };
    assert_eq!(problem(&text("%r", "0")), None);
    assert_eq!(problem(&text("0", "%r")), Some(Problem::Undominated("r".into())));
}

#[test]
fn broken_control_flow_is_rejected() {
    let cases: [(Change, Problem); 8] = [
        (|code| drop(code.blocks[1].instructions.pop()), Problem::Terminator),
        (|code| code.blocks[1].instructions.swap(0, 1), Problem::Terminator),
        (|code| code.blocks[2].instructions.swap(0, 1), Problem::LatePhi),
        (
            |code| code.blocks[1].instructions[1].op = Op::Branch(BlockId(0)),
            Problem::EntryPredecessors,
        ),
        (
            |code| code.blocks[1].instructions[1].op = Op::Branch(BlockId(9)),
            Problem::UnknownBlock(9),
        ),
        (|code| code.blocks[1].instructions[1].op = Op::Unreachable, Problem::PhiBlocks),
        (|code| code.blocks.clear(), Problem::NoBlocks),
        (|code| code.blocks[2].name = "sum".into(), Problem::DefinedTwice("sum".into())),
    ];
    for (change, expected) in cases {
        assert_eq!(changed(change), Some(expected));
    }
    let both = |code: &mut Code| {
        code.blocks[0].instructions[2].op = Op::CondBranch(BlockId(2), BlockId(2));
        let phi = &mut code.blocks[2].instructions[0];
        phi.op = Op::Phi(vec![BlockId(0), BlockId(0), BlockId(1)]);
        let other = Operand::int(32, 7);
        phi.operands.insert(1, other);
    };
    assert_eq!(changed(both), Some(Problem::PhiValues));
}

#[test]
fn operands_of_wrong_types_are_rejected() {
    let wide = Operand::int(64, 1);
    let set = |block: usize, instruction: usize, operand: usize, with: Operand| {
        changed(move |code| code.blocks[block].instructions[instruction].operands[operand] = with)
    };
    let (i32, i64) = (Type::Int(32), Type::Int(64));
    assert_eq!(set(0, 0, 1, wide.clone()), Some(Problem::Unequal(i32.clone(), i64.clone())));
    let condition = Problem::OperandType { operand: 0, expected: "i1", found: i64.clone() };
    assert_eq!(set(0, 2, 0, wide.clone()), Some(condition));
    assert_eq!(set(2, 1, 0, wide.clone()), Some(Problem::Cast(i64.clone(), i64.clone())));
    assert_eq!(set(2, 3, 0, wide), Some(Problem::Return(i64)));
    let null = Operand::constant(i32.clone(), Constant::Null);
    assert_eq!(set(0, 0, 1, null), Some(Problem::Constant(i32.clone())));
    let large = Operand::constant(i32.clone(), Constant::Int(1 << 32));
    assert_eq!(set(0, 0, 1, large), Some(Problem::Constant(i32)));
    let absent = Operand::constant(Type::POINTER, Constant::Global("absent".into()));
    assert_eq!(set(0, 0, 1, absent), Some(Problem::UnknownGlobal("absent".into())));
}

#[test]
fn flags_belong_to_their_instructions() {
    for (block, instruction, flag) in [
        (0, 0, Flags::EXACT),
        (0, 0, Flags::NNAN),
        (0, 1, Flags::NUW),
        (1, 0, Flags::DISJOINT),
        (2, 0, Flags::NSZ),
        (2, 1, Flags::NSW),
        (2, 3, Flags::NUW),
    ] {
        let set = |code: &mut Code| code.blocks[block].instructions[instruction].flags |= flag;
        assert_eq!(changed(set), Some(Problem::Flags), "{flag:?}");
    }
    let set = |code: &mut Code| code.blocks[0].instructions[0].flags |= Flags::NUW | Flags::NSW;
    assert_eq!(changed(set), None);
}

#[test]
fn single_rules_are_checked() {
    let function = |line: &str| {
        format!(
            "declare i32 @llvm.abs.i32(i32, i1 immarg)\n%pair = type {{ i32, [2 x i8] }}\n%hidden = type opaque\n\
             define void @f(i32 %x, ptr %p, <4 x i8> %v, %pair %s) {{\n  {line}\n  ret void\n}}\n"
        )
    };
    let rejected = [
        ("%y = load %hidden, ptr %p", "Unsized"),
        ("%y = load atomic i32, ptr %p release, align 4", "Atomic"),
        ("%y = load atomic i7, ptr %p acquire, align 1", "Atomic"),
        ("store i32 %x, ptr %p, align 3", "Alignment"),
        ("%y = getelementptr %pair, ptr %p, i64 0, i32 %x", "Path"),
        ("%y = getelementptr %pair, ptr %p, i64 0, i32 2", "Path"),
        ("%y = getelementptr i32, ptr %p, i64 0, i32 0", "Path"),
        (
            "%y = getelementptr i8, ptr %p, <2 x i64> zeroinitializer, <4 x i64> zeroinitializer",
            "Unequal",
        ),
        ("%y = shufflevector <4 x i8> %v, <4 x i8> %v, <2 x i32> <i32 8, i32 0>", "Mask"),
        ("%y = extractvalue %pair %s, 1, 2", "Path"),
        ("%y = insertvalue %pair %s, i32 1, 1", "Unequal"),
        ("%y = trunc i32 %x to i32", "Cast"),
        ("%y = bitcast i32 %x to i64", "Cast"),
        ("%y = bitcast ptr %p to i64", "Cast"),
        ("%y = fptosi i32 %x to i32", "Cast"),
        ("%y = addrspacecast ptr %p to ptr", "Cast"),
        ("%y = call i32 @llvm.abs.i32(i32 %x, i1 undef)", "Immediate"),
        ("%y = call i64 @llvm.abs.i32(i32 %x, i1 true)", "Unequal"),
        ("%y = call i32 @llvm.abs.i32(i32 %x)", "Signature"),
        ("%y = call i32 (i32) @f(i64 1)", "Signature"),
        ("%y = call i32 @f(i32 nonnull %x)", "Attribute"),
        ("%y = call zeroext ptr @f(ptr align 8 %p)", "Attribute"),
        ("%y = load i32, ptr %p, !range !{i8 0, i8 1}", "Metadata"),
        ("%y = atomicrmw fadd ptr %p, i32 %x seq_cst, align 4", "OperandType"),
        ("%y = cmpxchg ptr %p, i32 %x, i64 0 seq_cst seq_cst", "Unequal"),
        ("%y = landingpad i32 cleanup", "LandingPad"),
        ("%y = select <2 x i1> zeroinitializer, <4 x i8> %v, <4 x i8> %v", "OperandType"),
        ("%y = fadd i32 %x, %x", "OperandType"),
        ("%y = freeze i32 ptrtoint (ptr @absent to i32)", "UnknownGlobal"),
    ];
    for (line, expected) in rejected {
        let found = format!("{:?}", problem(&function(line)));
        assert!(found.starts_with(&format!("Some({expected}")), "{line}: {found}");
    }
    for line in [
        "%y = getelementptr %pair, ptr %p, i64 %s.1, i32 1, i32 %x",
        "%y = bitcast <4 x i8> %v to i32",
        "%y = call i32 @llvm.abs.i32(i32 range(i32 0, 4) %x, i1 true)",
        "%y = call i32 @f()",
        "%y = select i1 true, <4 x i8> %v, <4 x i8> poison",
        "%y = extractvalue %pair %s, 1, 1",
        "%y = fpext fast half 0xH0000 to float",
    ] {
        assert_eq!(problem(&function(&line.replace("%s.1", "7"))), None, "{line}");
    }
}

#[test]
fn messages_say_where_and_what() {
    let mut module = Module::parse(FUNCTION).unwrap();
    let code = module.functions[0].code_mut().unwrap();
    code.blocks[2].instructions[3].operands[0] = Operand::int(64, 1);
    assert_eq!(
        module.verify().unwrap_err().to_string(),
        "@f, block %join, instruction 3: a value of type i64 is returned"
    );
}

#[test]
fn names_of_globals_are_unique() {
    let twice = "@g = global i32 0\ndefine void @g() {\n  ret void\n}";
    assert_eq!(problem(twice), Some(Problem::DefinedTwice("g".into())));
    assert_eq!(
        problem("@g = global [2 x i8] c\"abc\""),
        Some(Problem::Constant(Type::parse("[2 x i8]").unwrap()))
    );
}
