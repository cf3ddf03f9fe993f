//! Candidates are valid and smaller, and reductions reach minimal programs.

mod types;

use super::super::object::{Implementation, Method, Trait};
use super::super::program::{
    Callee, Constant, Function, Inlining, Operand, Operator, Place, Program, Projection, Rvalue,
    Statement, Terminator,
};
use super::super::types::{Kind, Repr, Shape, Types, Variant};
use super::super::validate::sample::{block, call, function, local, number, sample, set};
use super::super::validate::validate;
use super::unassigned::unassigned;
use super::{Observed, runs, self_copies, weight};

fn candidates(program: &Program) -> impl Iterator<Item = Program> + use<> {
    candidates_observing(program, Observed::default())
}

fn candidates_observing(
    program: &Program,
    observed: Observed,
) -> impl Iterator<Item = Program> + use<> {
    super::proposals(program, observed, 1_000).filter_map(|proposal| proposal())
}

/// Takes the first candidate that is interesting, until there is none.
fn reduce(mut program: Program, interesting: &dyn Fn(&Program) -> bool) -> Program {
    assert_eq!(validate(&program), Ok(()));
    assert!(interesting(&program));
    while let Some(smaller) = candidates(&program).find(interesting) {
        program = smaller;
    }
    program
}

fn any_statement(program: &Program, wanted: &dyn Fn(&Statement) -> bool) -> bool {
    let blocks = program.functions.iter().flat_map(|it| &it.blocks);
    blocks.flat_map(|it| &it.statements).any(wanted)
}

fn any_terminator(program: &Program, wanted: &dyn Fn(&Terminator) -> bool) -> bool {
    program.functions.iter().flat_map(|it| &it.blocks).any(|it| wanted(&it.terminator))
}

fn any_rvalue(program: &Program, wanted: &dyn Fn(&Rvalue) -> bool) -> bool {
    any_statement(program, &|it| matches!(it, Statement::Assign(_, rvalue) if wanted(rvalue)))
}

#[test]
fn runs_are_halved_down_to_single_items() {
    assert_eq!(runs(3), [(0, 3), (0, 1), (1, 1), (2, 1)]);
    assert_eq!(runs(0), []);
    assert_eq!(runs(5)[1..4], [(0, 2), (2, 2), (4, 1)]);
}

#[test]
fn reads_of_unassigned_locals_do_not_increase() {
    let (mut program, _) = sample();
    let own = unassigned(&program);
    assert!(candidates(&program).all(|it| unassigned(&it) <= own));

    let read = set(local(0), Rvalue::Use(Operand::Copy(local(1))));
    let first = set(local(1), Rvalue::Use(number(1)));
    let mut unassigned_in = |parameters: usize, statements: Vec<Statement>| {
        let blocks = vec![block(statements, Terminator::Return)];
        program.functions = vec![function(vec![Types::U32; 2], parameters, blocks)];
        unassigned(&program)
    };
    assert_eq!(unassigned_in(0, vec![read.clone()]), 1);
    assert_eq!(unassigned_in(1, vec![read.clone()]), 0);
    assert_eq!(unassigned_in(0, vec![first, read]), 0);
    assert_eq!(unassigned_in(0, vec![Statement::StorageLive(1), Statement::StorageDead(1)]), 0);
}

/// A program of one function, with nothing declared.
fn plain(function: Function) -> Program {
    let functions = vec![function];
    Program { types: Types::new(), statics: vec![], traits: vec![], functions, arguments: vec![] }
}

#[test]
fn self_copies_do_not_increase() {
    let pointer =
        |types: &mut Types| types.intern(Kind::Pointer { mutable: true, to: Types::BOOL });
    let through = Place::deref(2);
    let program = |value: Rvalue| {
        let mut types = Types::new();
        let locals = vec![Types::UNIT, Types::BOOL, pointer(&mut types), Types::BOOL];
        let dead = vec![
            set(local(2), Rvalue::AddressOf(true, local(1))),
            set(through.clone(), value),
            set(local(3), Rvalue::Use(Operand::Copy(local(1)))),
        ];
        let blocks = vec![block(vec![], Terminator::Return), block(dead, Terminator::Return)];
        Program { types, ..plain(function(locals, 0, blocks)) }
    };
    let of = |place: usize| Operand::Copy(local(place));
    assert_eq!(self_copies(&program(Rvalue::Use(of(1)))), 1);
    assert_eq!(self_copies(&program(Rvalue::Use(of(3)))), 0);
    let computed = program(Rvalue::Binary(Operator::Eq, of(1), of(3)));
    assert_eq!(self_copies(&computed), 0);
    assert!(candidates(&computed).all(|it| self_copies(&it) == 0));
}

#[test]
fn assumed_values_are_recorded_instead() {
    let truth = Operand::Constant(Constant { of: Types::BOOL, bits: 1 });
    let statements = vec![
        set(local(1), Rvalue::Use(truth)),
        Statement::Assume(Operand::Copy(local(1))),
        set(local(1), Rvalue::Not(Operand::Copy(local(1)))),
    ];
    let blocks = vec![block(statements, Terminator::Return)];
    let program = plain(function(vec![Types::UNIT, Types::BOOL], 0, blocks));
    let records = |it: &Program| any_terminator(it, &|it| matches!(it, Terminator::Record { .. }));
    let recorded = candidates(&program).find(records).expect("a record");
    assert!(!any_statement(&recorded, &|it| matches!(it, Statement::Assume(_))));
    let [first, second] = &recorded.functions[0].blocks[..] else { panic!("{recorded:?}") };
    assert_eq!((first.statements.len(), second.statements.len()), (1, 1));
    let record = Terminator::Record { values: vec![local(1)], target: 1 };
    assert_eq!((&first.terminator, &second.terminator), (&record, &Terminator::Return));
}

#[test]
fn candidates_are_valid_and_smaller() {
    let (program, _) = sample();
    let own = weight(&program);
    let mut count = 0;
    for candidate in candidates(&program) {
        assert_eq!(validate(&candidate), Ok(()));
        assert!(weight(&candidate) < own);
        assert_ne!(candidate, program);
        count += 1;
        // It survives serialisation.
        let text = serde_json::to_string(&candidate).unwrap();
        assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), candidate);
    }
    assert!(count > 250, "{count}");
}

#[test]
fn candidates_of_candidates_are_valid() {
    let (program, _) = sample();
    for candidate in candidates(&program).step_by(7) {
        let own = weight(&candidate);
        for next in candidates(&candidate).step_by(5) {
            assert!(weight(&next) < own);
        }
    }
}

#[test]
fn everything_reduces_to_an_empty_program() {
    let least = reduce(sample().0, &|_| true);
    assert_eq!(least.size(), 1);
    assert_eq!(least.functions.len(), 1);
    assert_eq!(least.functions[0].locals.len(), 1);
    assert_eq!(least.types, Types::new());
    assert!(least.statics.is_empty() && least.arguments.is_empty());
}

#[test]
fn a_required_division_is_kept() {
    let divides = |rvalue: &Rvalue| match rvalue {
        Rvalue::Binary(Operator::Div, _, Operand::Constant(by)) => by.bits == 7,
        _ => false,
    };
    let least = reduce(sample().0, &|it| any_rvalue(it, &divides));
    assert_eq!(least.size(), 2);
    assert_eq!(least.types, Types::new());
    assert!(least.arguments.is_empty());
    assert_eq!(least.functions[0].locals.len(), 2);
    // The simplest type, and a zero.
    let zero = Operand::constant(Types::I32, 0);
    let seven = Operand::constant(Types::I32, 7);
    let rvalue = Rvalue::Binary(Operator::Div, zero, seven);
    assert_eq!(least.functions[0].blocks[0].statements, [set(local(1), rvalue)]);
}

type Wanted = fn(&Terminator) -> bool;

#[test]
fn a_required_terminator_is_reduced_to_a_minimal_program() {
    let sizes: [(Wanted, usize); 6] = [
        // The recorded value is assigned before.
        (|it| matches!(it, Terminator::Record { .. }), 3),
        (|it| matches!(it, Terminator::Drop { .. }), 4),
        (|it| matches!(it, Terminator::Switch { .. }), 2),
        (|it| matches!(it, Terminator::Resume), 3),
        (|it| matches!(it, Terminator::Call { callee: Callee::Catch(_), .. }), 3),
        (|it| matches!(it, Terminator::Call { callee: Callee::Intrinsic(_), .. }), 2),
    ];
    for (number, (wanted, size)) in sizes.into_iter().enumerate() {
        let least = reduce(sample().0, &|it| any_terminator(it, &wanted));
        assert!(least.size() <= size + 1, "{number}: {:?}", least.functions);
    }
}

/// The first candidate that satisfies a condition.
fn found(program: &Program, wanted: impl Fn(&Program) -> bool) -> Option<Program> {
    candidates(program).find(|it| wanted(it))
}

#[test]
fn unused_items_are_removed_at_once() {
    let (mut program, names) = sample();
    program.functions[0].blocks = vec![block(
        vec![Statement::StorageLive(3), set(local(9), Rvalue::Aggregate(names.choice, 0, vec![]))],
        Terminator::Return,
    )];
    let swept = candidates(&program).next().unwrap();
    assert_eq!(swept.functions.len(), 1);
    assert_eq!(swept.functions[0].blocks[0].statements.len(), 1);
    assert_eq!(swept.functions[0].locals.len(), 4);
    assert_eq!(swept.types.len(), Types::new().len() + 1);
    assert_eq!(swept.types.adts.len(), 1);
    assert!(swept.statics.is_empty());
}

#[test]
fn a_used_parameter_becomes_a_constant() {
    let (program, _) = sample();
    let smaller = found(&program, |it| it.arguments.len() == 1 && it.functions.len() == 6).unwrap();
    let first = &smaller.functions[0];
    let value = Rvalue::Use(Operand::constant(Types::U64, 300));
    let last = first.locals.len() - 1;
    assert_eq!(first.blocks[0].statements[0], set(local(last), value));
    assert_eq!(first.parameters, 1);
}

#[test]
fn removable_statements_are_removed_together() {
    let (mut program, _) = sample();
    let given = |at| set(local(at), Rvalue::Use(number(7)));
    let needed = given(3);
    let statements = vec![needed.clone(), given(4), given(5), given(6)];
    let recorded = Terminator::Record { values: vec![local(3)], target: 1 };
    let body = &mut program.functions[0];
    for at in 3..=6 {
        body.locals[at] = Types::U32;
    }
    body.blocks = vec![block(statements, recorded), block(vec![], Terminator::Return)];
    assert!(crate::interpret::run(&program, 1_000).is_ok());
    // One candidate removes all unneeded statements, although they follow a needed one.
    let least = |it: &Program| it.functions[0].blocks[0].statements == [needed.clone()];
    assert!(found(&program, least).is_some());
}

#[test]
fn observed_values_become_constants() {
    let (program, _) = sample();
    let mut observed = Observed::default();
    observed.assigned.insert((0, 0, 2), 1234);
    observed.operands.insert((0, 0, 3, 1), 777);
    let constant = |it: &Program, statement: usize| match &it.functions[0].blocks[0].statements[..]
    {
        all if all.len() == 14 => match &all[statement] {
            Statement::Assign(_, Rvalue::Use(Operand::Constant(it))) => Some(it.bits),
            Statement::Assign(_, Rvalue::Binary(_, _, Operand::Constant(it))) => Some(it.bits),
            _ => None,
        },
        _ => None,
    };
    let all: Vec<Program> = candidates_observing(&program, observed).collect();
    assert!(all.iter().any(|it| constant(it, 2) == Some(1234)));
    assert!(all.iter().any(|it| constant(it, 3) == Some(777)));
}

#[test]
fn a_function_with_one_call_is_inlined() {
    let (mut program, _) = sample();
    let body = &mut program.functions[0];
    body.blocks = vec![
        block(vec![], call(Callee::Function(5, vec![]), vec![number(4)], 3, 1)),
        block(vec![], Terminator::Record { values: vec![local(3)], target: 2 }),
        block(vec![], Terminator::Return),
    ];
    program.functions[5] = function(
        vec![Types::U32; 2],
        1,
        vec![
            block(vec![], Terminator::Goto(1)),
            block(vec![set(local(0), Rvalue::Use(Operand::local(1)))], Terminator::Return),
        ],
    );
    let inlined = found(&program, |it| {
        it.functions.len() == 5
            && any_terminator(it, &|it| matches!(it, Terminator::Record { .. }))
            && it.functions[0].blocks.len() == 4
    })
    .unwrap();
    let first = &inlined.functions[0];
    let copied = first.locals.len() - 2;
    assert_eq!(first.blocks[0].statements, [set(local(copied + 1), Rvalue::Use(number(4)))]);
    assert_eq!(first.blocks[3].terminator, Terminator::Goto(1));
    assert_eq!(
        first.blocks[3].statements.last(),
        Some(&set(local(3), Rvalue::Use(Operand::local(copied))))
    );
}

#[test]
fn unused_fields_are_removed() {
    let reads = |it: &Rvalue| matches!(it, Rvalue::Discriminant(_));
    let least = reduce(sample().0, &|it| any_rvalue(it, &reads));
    assert_eq!(least.types.adts.len(), 1);
    let only = vec![Variant { fields: vec![], discriminant: None }];
    assert_eq!(least.types.adts[0].shape, Shape::Enum(only));
    assert_eq!(least.types.adts[0].repr, Repr::Rust);
}

#[test]
fn arrays_get_shorter() {
    let indexes = |place: &Place| matches!(place.projections[..], [Projection::Index(_)]);
    let least = reduce(sample().0, &|it| {
        any_statement(it, &|it| matches!(it, Statement::Assign(place, _) if indexes(place)))
    });
    let array = least.types.all().find_map(|of| match least.types.kind(of) {
        Kind::Array(_, length) => Some(*length),
        _ => None,
    });
    assert!(array.unwrap() <= 1);
    // The assignments of the index and of the element, and the return.
    assert_eq!(least.size(), 3);
}

#[test]
fn fields_and_statics_are_removed_together() {
    let (mut program, names) = sample();
    program.statics[0].of = names.structure;
    program.statics[0].value = vec![1, 2, 3, 4, 5, 6];
    let pointer = program.types.intern(Kind::Pointer { mutable: true, to: names.structure });
    let to = program.functions[0].locals.len();
    program.functions[0].locals.push(pointer);
    program.functions[0].blocks[1].statements[10] = set(local(to), Rvalue::Static(0));
    let all: Vec<Vec<u128>> =
        candidates(&program).filter_map(|it| Some(it.statics.first()?.value.clone())).collect();
    // Without the first field, the array, the last field; with one element.
    assert!(all.contains(&vec![1, 6]));
    assert!(all.contains(&vec![1, 2, 3, 4, 5]));
    assert!(all.contains(&vec![1, 2, 6]));
}

#[test]
fn generic_functions_become_concrete() {
    let (program, _) = sample();
    let concrete =
        found(&program, |it| it.functions.len() == 6 && it.functions[3].generics == 0).unwrap();
    assert_eq!(concrete.functions[3].locals, [Types::U32; 2]);
}

#[test]
fn constant_parameters_become_constants() {
    let (mut program, names) = sample();
    let constant = program.types.intern(Kind::Constant(1, Types::USIZE));
    let array = program.types.intern(Kind::ArrayOf(names.parameter, 1));
    let given = program.types.intern(Kind::Value(Types::USIZE, 5));
    let body = &mut program.functions[3];
    body.generics = 2;
    body.constants = vec![Types::USIZE];
    body.locals.extend([array, Types::USIZE]);
    let repeated = Rvalue::RepeatOf(Operand::local(1), constant);
    body.blocks[0].statements.push(set(local(2), repeated));
    let used = Rvalue::Use(Operand::Parameter(constant));
    body.blocks[0].statements.push(set(local(3), used));
    let callee = Callee::Function(3, vec![Types::U32, given]);
    program.functions[0].blocks[4].terminator = call(callee, vec![Operand::local(3)], 3, 5);
    assert_eq!(validate(&program), Ok(()));
    let is = |it: &Program, generics: usize, constants: usize, length: &Kind| {
        it.functions.len() == 6
            && it.functions[3].generics == generics
            && it.functions[3].constants.len() == constants
            && it.types.kind(it.functions[3].locals[2]) == length
    };
    let concrete = found(&program, |it| is(it, 0, 0, &Kind::Array(Types::U32, 5))).unwrap();
    let statements = &concrete.functions[3].blocks[0].statements;
    assert!(statements.contains(&set(local(2), Rvalue::Repeat(Operand::local(1), 5))));
    let five = Operand::constant(Types::USIZE, 5);
    assert!(statements.contains(&set(local(3), Rvalue::Use(five))));
    assert!(found(&program, |it| is(it, 1, 0, &Kind::Array(names.parameter, 5))).is_some());
    assert!(found(&program, |it| is(it, 1, 1, &Kind::ArrayOf(Types::U32, 0))).is_some());
    let smaller = |it: &Program| it.types.find(&Kind::Value(Types::USIZE, 1)).is_some();
    assert!(found(&program, smaller).is_some());
}

#[test]
fn virtual_calls_become_direct_calls() {
    let (mut program, _) = sample();
    let receiver = program.types.intern(Kind::Reference { mutable: false, to: Types::U32 });
    let give = |bits: u128| {
        let statements = vec![set(local(0), Rvalue::Use(number(bits)))];
        function(vec![Types::U32, receiver], 1, vec![block(statements, Terminator::Return)])
    };
    program.functions.extend([give(1), give(2)]);
    let method = Method { mutable: false, parameters: vec![], returns: Types::U32 };
    let functions = vec![6, 7];
    program.traits.push(Trait {
        methods: vec![method.clone(), method],
        implementations: vec![Implementation { of: Types::U32, functions }],
    });
    let object = program.types.intern(Kind::Object(0));
    let wide = program.types.intern(Kind::Reference { mutable: false, to: object });
    let body = &mut program.functions[0];
    body.locals.extend([receiver, wide]);
    body.blocks[3].statements.extend([
        set(local(22), Rvalue::Reference(false, local(3))),
        set(local(23), Rvalue::Unsize(Operand::local(22), wide)),
    ]);
    body.blocks[4].terminator = call(Callee::Method(0, 1), vec![Operand::local(23)], 3, 5);
    assert_eq!(validate(&program), Ok(()));
    let calls = |it: &Program, wanted: &Callee| {
        any_terminator(it, &|it| matches!(it, Terminator::Call { callee, .. } if callee == wanted))
    };
    let direct = |it: &Program| calls(it, &Callee::Function(7, vec![]));
    assert!(found(&program, |it| it.functions.len() == 8 && direct(it)).is_some());
    let fewer = |it: &Program| it.traits[0].methods.len() == 1;
    assert!(found(&program, |it| fewer(it) && calls(it, &Callee::Method(0, 0))).is_some());
    // An unneeded trait is removed completely.
    let least = reduce(program, &|_| true);
    assert!(least.traits.iter().all(|it| *it == Trait::default()));
    assert_eq!(least.types, Types::new());
}

#[test]
fn inline_hints_and_references_are_removed() {
    let (mut program, _) = sample();
    program.functions[1].inlining = Inlining::Never;
    assert!(
        found(&program, |it| it.functions.len() == 6 && it.functions[1].inlining == Inlining::Free)
            .is_some()
    );
    let raw = found(&program, |it| {
        it.size() == program.size() - 1 && it.functions[0].locals[11] == it.functions[0].locals[10]
    });
    assert!(raw.is_some());
}

#[test]
fn pointers_are_replaced_by_their_places() {
    let (mut program, _) = sample();
    program.functions[0].blocks = vec![
        block(
            vec![
                set(local(10), Rvalue::AddressOf(true, local(3))),
                set(Place::deref(10), Rvalue::Use(number(9))),
            ],
            Terminator::Record { values: vec![local(3)], target: 1 },
        ),
        block(vec![], Terminator::Return),
    ];
    let direct = set(local(3), Rvalue::Use(number(9)));
    assert!(
        found(&program, |it| it.functions[0].blocks[0].statements == [direct.clone()]).is_some()
    );
}

/// Reduces a program while it records the same values, as a real reduction requires of each candidate.
fn reduce_keeping_records(program: Program, wanted: &dyn Fn(&Program) -> bool) -> Program {
    let recorded = |program: &Program| {
        let output = crate::interpret::run_logged(program, 1_000).ok()?;
        Some(output.entries.iter().map(|entry| entry.words[0]).collect::<Vec<_>>())
    };
    let before = recorded(&program);
    assert!(before.as_ref().is_some_and(|words| !words.is_empty()));
    let interesting = |it: &Program| wanted(it) && recorded(it) == before;
    let mut least = program;
    assert!(interesting(&least));
    loop {
        let observed = crate::interpret::observe(&least, 1_000).expect("a defined program");
        match candidates_observing(&least, observed).find(interesting) {
            Some(smaller) => least = smaller,
            None => return least,
        }
    }
}

/// A sample whose first function only calls function 5 and records the result.
fn calling(callee: Callee, arguments: Vec<Operand>, result: usize) -> Program {
    let (mut program, _) = sample();
    program.functions[0].blocks = vec![
        block(vec![], call(callee, arguments, result, 1)),
        block(vec![], Terminator::Record { values: vec![local(result)], target: 2 }),
        block(vec![], Terminator::Return),
    ];
    program
}

#[test]
fn a_required_tail_call_is_kept() {
    let is_tail = |it: &Terminator| matches!(it, Terminator::TailCall { .. });
    let program = calling(Callee::Function(5, vec![]), vec![number(4)], 3);
    let least = reduce_keeping_records(program.clone(), &|it| any_terminator(it, &is_tail));
    assert_eq!(least.functions.len(), 3, "{:?}", least.functions);
    // The call, the record and the return; the tail call; an assignment and the return.
    assert!(least.size() <= 6, "{:?}", least.functions);
    // If it is not required, it is removed with its function.
    let without = reduce_keeping_records(program, &|_| true);
    assert!(!any_terminator(&without, &is_tail));
    assert_eq!(without.functions.len(), 1);
}

#[test]
fn a_required_panic_is_kept() {
    let panics = |it: &Terminator| matches!(it, Terminator::Call { callee: Callee::Raise, .. });
    let mut program = calling(Callee::Catch(4), vec![], 19);
    // With a cleanup block.
    let body = &mut program.functions[4];
    body.locals.push(Types::U32);
    if let Terminator::Call { unwind, .. } = &mut body.blocks[0].terminator {
        *unwind = super::super::program::Unwind::Cleanup(2);
    }
    let mut cleanup = block(vec![set(local(1), Rvalue::Use(number(3)))], Terminator::Resume);
    cleanup.cleanup = true;
    body.blocks.push(cleanup);
    let least = reduce_keeping_records(program, &|it| any_terminator(it, &panics));
    assert_eq!(least.functions.len(), 2, "{:?}", least.functions);
    assert!(!any_terminator(&least, &|it| matches!(it, Terminator::Resume)));
    assert_eq!(least.functions[1].locals.len(), 1);
}

#[test]
fn a_destructor_with_a_record_is_kept() {
    let (mut program, names) = sample();
    let made = Rvalue::Aggregate(names.dropped, 0, vec![number(3)]);
    let dropped = Terminator::Drop {
        place: local(16),
        target: 1,
        unwind: super::super::program::Unwind::Unreachable,
    };
    program.functions[0].blocks =
        vec![block(vec![set(local(16), made)], dropped), block(vec![], Terminator::Return)];
    let records = Place::deref(1).then(Projection::Field(0));
    program.functions[2].blocks = vec![
        block(vec![], Terminator::Record { values: vec![records], target: 1 }),
        block(vec![], Terminator::Return),
    ];
    let least = reduce_keeping_records(program, &|it| {
        any_terminator(it, &|it| matches!(it, Terminator::Drop { .. }))
            && it.types.adts.iter().any(|adt| adt.destructor.is_some())
    });
    assert_eq!(least.functions.len(), 2);
    assert!(least.size() <= 5, "{:?}", least.functions);
}

#[test]
fn pointers_become_null() {
    let (mut program, _) = sample();
    let compared = Rvalue::Binary(Operator::Eq, Operand::local(10), Operand::local(10));
    let pointed = set(local(10), Rvalue::AddressOf(true, local(3)));
    program.functions[0].blocks = vec![
        block(
            vec![set(local(3), Rvalue::Use(number(4))), pointed, set(local(19), compared)],
            Terminator::Record { values: vec![local(19)], target: 1 },
        ),
        block(vec![], Terminator::Return),
    ];
    let null = |it: &Operand| matches!(it, Operand::Constant(it) if it.bits == 0);
    let compares = |it: &Rvalue| matches!(it, Rvalue::Binary(Operator::Eq, left, _) if null(left));
    let least = reduce_keeping_records(program, &|it| {
        let types = &it.types;
        any_rvalue(it, &|rvalue| match rvalue {
            Rvalue::Binary(Operator::Eq, left, _) => {
                let of = left.type_in(&it.functions[0].locals, types);
                of.is_some_and(|of| matches!(types.kind(of), Kind::Pointer { .. }))
            }
            _ => false,
        })
    });
    assert!(any_rvalue(&least, &compares), "{:?}", least.functions);
    assert_eq!(least.size(), 3, "{:?}", least.functions);
}

#[test]
fn large_programs_are_reduced() {
    let (mut program, _) = sample();
    let statements = program.functions[0].blocks[0].statements.clone();
    for _ in 0..300 {
        program.functions[0].blocks[0].statements.extend(statements[1..].iter().cloned());
    }
    let marked = set(local(3), Rvalue::Use(number(4711)));
    program.functions[0].blocks[0].statements.insert(2000, marked);
    let least = reduce(program, &|it| {
        any_rvalue(it, &|it| *it == Rvalue::Use(Operand::constant(Types::U32, 4711)))
    });
    assert_eq!(least.size(), 2);
}
