//! Of the method as a whole. The parts have tests of their own.

mod inside;

use super::*;

fn ticket(index: u64) -> Ticket {
    Ticket::new("mir", 7, index)
}

#[test]
fn what_is_made_is_well_formed_and_defined_and_the_same_every_time() {
    let mir = Mir::sized(None);
    for index in 0..150 {
        let program = mir.generate(&ticket(index));
        assert_eq!(
            validate::validate(&program).map_err(|flaw| flaw.to_string()),
            Ok(()),
            "{index}"
        );
        let case = mir.make(&ticket(index)).unwrap_or_else(|| panic!("{index} is undefined"));
        assert_eq!(Some(case), mir.make(&ticket(index)), "{index}");
    }
}

/// A ticket that someone wrote down must give the same program for ever. Renew with `BLESS=1` when the
/// generator changes on purpose.
#[test]
fn golden_programs() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mir/golden");
    for (lines, index) in [(Some(20), 1), (Some(60), 2), (Some(200), 3)] {
        let mir = Mir::sized(lines);
        let ticket = Ticket::new(mir.name(), 1, index);
        let case = mir.make(&ticket).expect("it is defined");
        let Promise::Yields(behaviours) = &case.promise else { panic!("a known behaviour") };
        let text = format!("// {ticket}: {behaviours:?}\n{}", case.programs[0].source);
        let file = folder.join(format!("{}-{index}.rs", mir.name()));
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder for them");
            std::fs::write(&file, &text).expect("it can be written");
        }
        let golden = std::fs::read_to_string(&file).expect("it was blessed once");
        assert!(golden == text, "{ticket} gives another program than {}", file.display());
    }
}

#[test]
fn programs_are_about_as_long_as_they_are_asked_to_be() {
    for lines in [20, 100, 1_000, 10_000] {
        let mir = Mir::sized(Some(lines));
        let count = 12_000 / lines.max(200);
        let (mut total, mut steps) = (0, 0);
        for index in 0..count {
            let ticket = Ticket::new(mir.name(), 1, index);
            let case = mir.make(&ticket).expect("it is defined");
            total += case.programs[0].source.lines().count() as u64;
            steps += mir.generate(&ticket).size() as u64;
        }
        let mean = total / count;
        assert!((lines / 2..=lines * 3 / 2).contains(&mean), "{mean} lines instead of {lines}");
        assert!(steps * 6 >= total, "{steps} statements and ends of blocks in {total} lines");
    }
}

#[test]
fn a_model_survives_being_written_down() {
    let mir = Mir::sized(None);
    for index in 0..20 {
        let case = mir.make(&ticket(index)).expect("it is defined");
        let whole = mir.whole(&case);
        let text = serde_json::to_string(&whole).expect("it can be written");
        let read: Case = serde_json::from_str(&text).expect("it can be read");
        let model = mir.model(&read).expect("it is there");
        assert_eq!(model.program, mir.generate(&case.ticket));
    }
}

#[test]
fn types_that_cannot_be_are_refused_when_they_are_read() {
    let read = |kinds: serde_json::Value, adts: serde_json::Value| {
        serde_json::from_value::<types::Types>(serde_json::json!({ "kinds": kinds, "adts": adts }))
    };
    let plain = serde_json::json!([]);
    assert!(read(serde_json::json!(["Bool", { "Array": [0, 3] }]), plain.clone()).is_ok());
    for kinds in [
        serde_json::json!(["Bool", { "Array": [1, 3] }]),
        serde_json::json!(["Bool", { "Tuple": [0, 7] }]),
        serde_json::json!([{ "Pointer": { "mutable": true, "to": 4_000_000_000_u32 } }]),
        serde_json::json!([{ "Adt": 0 }]),
    ] {
        assert!(read(kinds.clone(), plain.clone()).is_err(), "{kinds}");
    }
    let own = serde_json::json!([{ "shape": { "Struct": [0] }, "repr": "C" }]);
    assert!(read(serde_json::json!([{ "Adt": 0 }]), own).is_err());
}

#[test]
fn both_tellings_show_the_same() {
    let mir = Mir::sized(None);
    for index in 0..40 {
        let program = mir.generate(&ticket(index));
        let fast = interpret::run(&program, FUEL).expect("it is defined");
        let logged = interpret::run_logged(&program, FUEL).expect("it is defined");
        assert_eq!(fast.hash, logged.hash);
        let lines = print::named(&program, &logged).lines().count();
        assert_eq!(lines, logged.entries.len());
    }
}

#[test]
fn what_shrinks_stays_well_formed_and_defined() {
    let mir = Mir::sized(Some(60));
    for index in 0..4 {
        let case = mir.make(&Ticket::new(mir.name(), 3, index)).expect("it is defined");
        let whole = mir.whole(&case);
        for smaller in mir.smaller(&whole).take(60).flatten() {
            let model = mir.model(&smaller).expect("it has one");
            assert_eq!(validate::validate(&model.program).map_err(|flaw| flaw.to_string()), Ok(()));
        }
    }
}

/// The name of a variant, as `Debug` gives it.
fn name(of: &impl std::fmt::Debug) -> String {
    let text = format!("{of:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// The ways in which a function ends, where it has several.
fn ends(function: &program::Function) -> Vec<String> {
    use program::{Callee, Terminator};
    let any = |wanted: fn(&Terminator) -> bool| {
        function.blocks.iter().any(|block| !block.cleanup && wanted(&block.terminator))
    };
    let raises = any(|it| matches!(it, Terminator::Call { callee: Callee::Raise, .. }));
    let returns = any(|it| matches!(it, Terminator::Return));
    let tail = any(|it| matches!(it, Terminator::TailCall { .. }));
    let mut all = vec![];
    if raises {
        all.push(if returns { "panic-or-return" } else { "panic-alone" });
    }
    if tail && function.blocks.len() > 1 {
        all.push("tail-call-after-more");
    }
    all.into_iter().map(str::to_owned).collect()
}

/// Pointers to nothing, and what is done with pointers as numbers.
fn pointers(types: &types::Types, rvalue: &program::Rvalue) -> Vec<String> {
    use program::{Operand, Rvalue};
    let is_pointer = |of| matches!(types.kind(of), types::Kind::Pointer { .. });
    let mut all = vec![];
    for operand in rvalue.operands() {
        let Operand::Constant(constant) = operand else { continue };
        if is_pointer(constant.of) {
            all.push(if constant.bits == 0 { "null" } else { "dangling" });
            if matches!(rvalue, Rvalue::Binary(..)) {
                all.push("compared-with-nothing");
            }
        }
    }
    if let Rvalue::Cast(Operand::Copy(_), to) = rvalue {
        all.extend(is_pointer(*to).then_some("cast-to-pointer"));
    }
    all.into_iter().map(str::to_owned).collect()
}

/// Whatever the model can say is said by some program.
#[test]
fn everything_is_generated() {
    use program::{Callee, Statement, Terminator};
    let mir = Mir::sized(None);
    let mut seen = std::collections::BTreeSet::new();
    for index in 0..1_500 {
        let program = mir.generate(&Ticket::new("mir", 11, index));
        let types = &program.types;
        seen.extend(types.all().map(|of| name(types.kind(of))));
        seen.extend(types.adts.iter().flat_map(|adt| [name(&adt.shape), name(&adt.repr)]));
        for adt in &types.adts {
            seen.insert(format!("{}-of-{}", name(&adt.repr), name(&adt.shape)));
            seen.extend(adt.destructor.map(|_| "destructor".to_owned()));
        }
        seen.extend(program.functions.iter().flat_map(ends));
        seen.extend(inside::of(&program));
        for block in program.functions.iter().flat_map(|function| &function.blocks) {
            seen.extend(block.statements.iter().map(name));
            for statement in &block.statements {
                if let Statement::Assign(place, rvalue) = statement {
                    seen.insert(name(rvalue));
                    seen.extend(place.projections.iter().map(name));
                    seen.extend(rvalue.operands().into_iter().map(name));
                    seen.extend(pointers(types, rvalue));
                }
            }
            seen.insert(name(&block.terminator));
            if let Terminator::Call { callee, unwind, .. } = &block.terminator {
                seen.extend([name(callee), name(unwind)]);
                if let Callee::Intrinsic(intrinsic) = callee {
                    seen.insert(format!("intrinsic {intrinsic:?}"));
                }
            }
        }
    }
    let wanted = "Bool Char Int Float Tuple Array Adt Pointer Reference Slice Heap Function Parameter \
        Struct Union Enum Rust C Transparent Packed Align \
        Assign StorageLive StorageDead SetDiscriminant Assume Retag \
        Use Not Negate Binary Checked Cast Transmute PointerCast Unsize Length Offset Aggregate Repeat \
        AddressOf Reference Discriminant Static Deref Field Index Variant Copy Move Constant \
        Goto Switch Call Drop TailCall Record Return Unreachable Resume \
        Catch Intrinsic NewBox BoxToPointer BoxFromPointer BlackBox Raise Continue Cleanup \
        C-of-Struct C-of-Union C-of-Enum Int-of-Enum destructor panic-or-return panic-alone \
        tail-call-after-more null dangling compared-with-nothing cast-to-pointer";
    let mut missing: Vec<String> = wanted
        .split_whitespace()
        .chain(inside::WANTED.split_whitespace())
        .filter(|it| !seen.contains(*it))
        .map(str::to_owned)
        .collect();
    let intrinsics = intrinsic::Intrinsic::ALL.iter().map(|it| format!("intrinsic {it:?}"));
    missing.extend(intrinsics.filter(|it| !seen.contains(it)));
    assert!(missing.is_empty(), "never generated: {missing:?}");
}
