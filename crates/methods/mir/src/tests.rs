//! Tests of the method as a whole. The parts have their own tests.

use super::*;

fn ticket(index: u64) -> Ticket {
    Ticket::new("mir", 7, index)
}

#[test]
fn generated_programs_are_well_formed_defined_and_deterministic() {
    let mir = Mir::sized(None);
    for index in 0..2000 {
        let program = mir.generate(&ticket(index));
        assert_eq!(
            validate::validate(&program).map_err(|flaw| flaw.to_string()),
            Ok(()),
            "{index}"
        );
        assert_eq!(shrink::self_copies(&program), 0, "{index}");
        let case = mir.make(&ticket(index)).unwrap_or_else(|| panic!("{index} is undefined"));
        assert_eq!(Some(case), mir.make(&ticket(index)), "{index}");
    }
}

/// A ticket gives the same program for ever, so output must not change without a new revision. Renew with `BLESS=1`
/// after a deliberate change of the generator.
#[test]
fn golden_programs() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden");
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
fn program_length_is_close_to_the_request() {
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
        assert!(steps * 6 >= total, "{steps} statements and terminators in {total} lines");
    }
}

#[test]
fn models_round_trip_through_json() {
    let mir = Mir::sized(None);
    for index in 0..20 {
        let case = mir.make(&ticket(index)).expect("it is defined");
        let text = serde_json::to_string(&case).expect("it can be written");
        let read: Case = serde_json::from_str(&text).expect("it can be read");
        let model = Mir::model(&read).expect("it is there");
        assert_eq!(model.program, mir.generate(&ticket(index)));
    }
}

#[test]
fn invalid_types_are_rejected_when_deserialised() {
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
    // A type that points to itself has a size. One that contains itself, directly or indirectly, has none.
    let through = |kind: serde_json::Value| {
        let later = serde_json::json!([{ "shape": { "Struct": [1] }, "repr": "C" }]);
        read(serde_json::json!([{ "Adt": 0 }, kind]), later)
    };
    for kind in [
        serde_json::json!({ "Pointer": { "mutable": true, "to": 0 } }),
        serde_json::json!({ "Reference": { "mutable": false, "to": 0 } }),
        serde_json::json!({ "Heap": 0 }),
        serde_json::json!({ "Function": { "parameters": [0], "returns": 0 } }),
    ] {
        let types = through(kind.clone()).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(types.size(types::TypeId(0)), 8);
        let text = serde_json::to_string(&types).expect("it can be written");
        assert_eq!(serde_json::from_str::<types::Types>(&text).expect("it can be read"), types);
    }
    for kind in [
        serde_json::json!({ "Tuple": [0] }),
        serde_json::json!({ "Array": [0, 0] }),
        serde_json::json!({ "Manual": 0 }),
        serde_json::json!({ "Pointer": { "mutable": true, "to": 2 } }),
    ] {
        assert!(through(kind.clone()).is_err(), "{kind}");
    }
}

#[test]
fn both_forms_have_the_same_output() {
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
fn shrunk_programs_are_well_formed() {
    let mir = Mir::sized(Some(60));
    for index in 0..4 {
        let case = mir.make(&Ticket::new(mir.name(), 3, index)).expect("it is defined");
        for smaller in mir.smaller(&case).take(60).flatten() {
            let model = Mir::model(&smaller).expect("it has one");
            assert_eq!(validate::validate(&model.program).map_err(|flaw| flaw.to_string()), Ok(()));
        }
    }
}

/// A statement that the generator tries and finds to be undefined must not change the interpreter's state. These
/// tickets once failed: a transmute wrote a reference before it was found to be invalid.
#[test]
fn programs_generated_in_lockstep_are_defined_from_the_start() {
    let method = Mir::sized(Some(2000));
    for index in 0..600 {
        let program = method.generate(&Ticket::new(method.name(), 3, index));
        let run = interpret::run(&program, FUEL);
        assert!(run.is_ok(), "{index}: {run:?}");
    }
}
