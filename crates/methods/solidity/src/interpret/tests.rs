//! Known answers, construct by construct. Programs are built by hand; what they do is written down from the
//! documentation of the language.

use ruint::aliases::U256;

use super::{Order, Transaction, run};
use crate::model::{
    AbiKind, Assembly, Attribute, BYTES, Binary, CallKind, Contract, ContractKind, Expression,
    Function, FunctionKind, Instruction, Kind, Local, Location, Message, Mutability, State,
    StateKind, Statement, Template, Type, TypeId, UINT256, Version, Visibility, Word, base_types,
};
use crate::view::View;

fn template() -> Template {
    Template {
        version: Version::Newest,
        types: base_types(),
        structs: vec![],
        enums: vec![3],
        wrappers: vec![],
        events: vec![],
        errors: vec![],
        contracts: vec![],
        states: vec![],
        functions: vec![],
        abi_coder: Attribute::Is(0),
        first_coder: false,
        files: Attribute::Is(0),
        operators: vec![],
    }
}

impl Template {
    fn contract(&mut self, kind: ContractKind, bases: &[u8]) -> u8 {
        self.contracts.push(Contract {
            kind,
            bases: bases.to_vec(),
            states: vec![],
            order: Attribute::Is(0),
            functions: vec![],
            modifiers: vec![],
            constructor: None,
            base_arguments: vec![],
            layout: Attribute::Is(0),
        });
        (self.contracts.len() - 1) as u8
    }

    fn state(&mut self, contract: u8, ty: TypeId) -> u16 {
        let visibility = Visibility::Internal.fixed();
        let kind = StateKind::Storage.fixed();
        self.states.push(State { contract, ty, visibility, kind, initial: None });
        let id = (self.states.len() - 1) as u16;
        self.contracts[usize::from(contract)].states.push(id);
        id
    }

    /// A function of `uint256` parameters and results.
    fn function(
        &mut self,
        contract: u8,
        parameters: u16,
        returns: u16,
        body: Vec<Statement>,
    ) -> u16 {
        let visibility = Visibility::Public.fixed();
        let mutability = Mutability::NonPayable.fixed();
        let mut it = Function::new(Some(contract), FunctionKind::Ordinary, visibility, mutability);
        it.locals = vec![local(UINT256); usize::from(parameters + returns)];
        (it.parameters, it.returns, it.body) = (parameters, returns, body);
        self.functions.push(it);
        let id = (self.functions.len() - 1) as u16;
        self.contracts[usize::from(contract)].functions.push(id);
        id
    }

    fn edit(&mut self, id: u16) -> &mut Function {
        &mut self.functions[usize::from(id)]
    }

    fn overriding(&mut self, contract: u8, base: u16, body: Vec<Statement>) -> u16 {
        let old = self.functions[usize::from(base)].clone();
        let id = self.function(contract, old.parameters, old.returns, body);
        let mut overrides = old.overrides;
        overrides.push(base);
        self.edit(id).overrides = overrides;
        id
    }
}

fn local(ty: TypeId) -> Local {
    Local { ty, location: Location::Memory.fixed() }
}

fn get(id: u16) -> Expression {
    Expression::new(Kind::Local(id), UINT256)
}

fn state(id: u16) -> Expression {
    Expression::new(Kind::State(id), UINT256)
}

fn number(value: u64) -> Expression {
    Expression::number(value)
}

fn sum(left: Expression, right: Expression) -> Expression {
    Expression::new(Kind::Binary(Binary::Add, Box::new((left, right))), UINT256)
}

fn set(place: Expression, value: Expression) -> Statement {
    let ty = place.ty;
    Statement::Do(Expression::new(Kind::Assign(None, Box::new((place, value))), ty))
}

fn give(value: Expression) -> Statement {
    Statement::Return(vec![value])
}

fn call(function: u16, how: CallKind, arguments: Vec<Expression>) -> Expression {
    let how = Attribute::Is(how as u8);
    Expression::new(Kind::Call { function, how, named: Attribute::Is(0), arguments }, UINT256)
}

/// The lines of creating the last contract and calling functions of it with arguments.
fn lines(template: &Template, calls: &[(u16, u64, &[u64])]) -> Vec<String> {
    let view = View::new(template, &[], 0);
    let contract = (template.contracts.len() - 1) as u8;
    let entries = view.entries(contract);
    let mut sequence = vec![Transaction { value: 0, data: vec![], sender: 0 }];
    for (function, value, arguments) in calls {
        let mut data = view.function_selector(*function).to_vec();
        arguments.iter().for_each(|it| data.extend(U256::from(*it).to_be_bytes::<32>()));
        sequence.push(Transaction { value: *value, data, sender: 0 });
    }
    let (text, _) = run(&view, contract, &entries, &sequence, Order::LeftFirst).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn ok(value: u64) -> String {
    format!("ok 0x{value:064x}")
}

/// The line of a slot of the first account.
fn slot(at: u64, value: u64) -> String {
    format!("storage c0 0x{at:064x} 0x{value:064x}")
}

#[test]
fn code_of_a_modifier_surrounds_the_body() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let s = it.state(c, UINT256);
    // s = s * 10 + digit, before, inside and after.
    let digit = |digit| {
        let ten = Kind::Binary(Binary::Mul, Box::new((state(s), number(10))));
        set(state(s), sum(Expression::new(ten, UINT256), digit))
    };
    let f = it.function(c, 0, 0, vec![digit(number(2))]);
    let m = it.function(c, 1, 0, vec![digit(get(0)), Statement::Inner, digit(number(3))]);
    it.contracts[0].functions.pop();
    it.contracts[0].modifiers.push(m);
    it.edit(m).kind = FunctionKind::Modifier;
    it.edit(f).modifiers = vec![(m, vec![number(1)]), (m, vec![number(7)])];
    assert_eq!(lines(&it, &[(f, 0, &[])]), ["ok", "ok 0x", &slot(0, 17233)]);
}

#[test]
fn a_modifier_without_its_placeholder_leaves_the_results_at_zero() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let f = it.function(c, 0, 1, vec![give(number(5))]);
    let condition = Expression::truth(false);
    let m = it.function(c, 0, 0, vec![Statement::If(condition, vec![Statement::Inner], vec![])]);
    it.contracts[0].functions.pop();
    it.edit(m).kind = FunctionKind::Modifier;
    it.edit(f).modifiers = vec![(m, vec![])];
    assert_eq!(lines(&it, &[(f, 0, &[])]), ["ok".to_owned(), ok(0)]);
}

#[test]
fn super_follows_the_linearisation_of_a_diamond() {
    let mut it = template();
    let a = it.contract(ContractKind::Contract, &[]);
    let root = it.function(a, 0, 1, vec![give(number(1))]);
    let next = |times: u64| {
        let up = call(root, CallKind::Super, vec![]);
        let ten = Kind::Binary(Binary::Mul, Box::new((up, number(10))));
        vec![give(sum(Expression::new(ten, UINT256), number(times)))]
    };
    let b = it.contract(ContractKind::Contract, &[a]);
    it.overriding(b, root, next(2));
    let c = it.contract(ContractKind::Contract, &[a]);
    let right = it.overriding(c, root, next(3));
    let d = it.contract(ContractKind::Contract, &[b, c]);
    let last = it.overriding(d, root, next(4));
    it.edit(last).overrides = vec![root, root + 1, right];
    let base = it.function(d, 0, 1, vec![give(call(right, CallKind::Base, vec![]))]);
    let virtually = it.function(d, 0, 1, vec![give(call(root, CallKind::Internal, vec![]))]);
    // D, then C, then B, then A.
    let calls: [(u16, u64, &[u64]); 3] = [(last, 0, &[]), (base, 0, &[]), (virtually, 0, &[])];
    assert_eq!(lines(&it, &calls)[1..], [ok(1234), ok(123), ok(1234)]);
}

#[test]
fn constructors_of_bases_run_first_with_arguments_of_the_derived_one() {
    let mut it = template();
    let a = it.contract(ContractKind::Contract, &[]);
    let s = it.state(a, UINT256);
    let base = it.function(a, 1, 0, vec![set(state(s), sum(state(s), get(0)))]);
    it.contracts[0].functions.clear();
    it.contracts[0].constructor = Some(base);
    it.edit(base).kind = FunctionKind::Constructor;
    let b = it.contract(ContractKind::Contract, &[a]);
    let t = it.state(b, UINT256);
    let own = it.function(b, 0, 0, vec![set(state(t), sum(state(s), number(1)))]);
    it.contracts[1].functions.clear();
    it.contracts[1].constructor = Some(own);
    it.edit(own).kind = FunctionKind::Constructor;
    it.contracts[1].base_arguments = vec![(a, vec![number(41)])];
    assert_eq!(lines(&it, &[]), ["ok".to_owned(), slot(0, 41), slot(1, 42)]);
}

#[test]
fn a_library_executes_in_its_caller_and_copies_memory_only_from_outside() {
    for (visibility, expected) in [(Visibility::Internal, 9), (Visibility::Public, 1)] {
        let mut it = template();
        let pair = it.types.len() as TypeId;
        it.types.push(Type::Array(UINT256, crate::model::Length::Fixed(2)));
        let library = it.contract(ContractKind::Library, &[]);
        let item = |id: u16| {
            let array = Expression::new(Kind::Local(id), pair);
            Expression::new(Kind::Index(Box::new((array, number(0)))), UINT256)
        };
        // Writes through both references.
        let f = it.function(library, 2, 0, vec![set(item(0), number(9)), set(item(1), number(9))]);
        it.edit(f).locals = vec![
            Local { ty: pair, location: Location::Storage.fixed() },
            Local { ty: pair, location: Location::Memory.fixed() },
        ];
        it.edit(f).visibility = visibility.fixed();
        let c = it.contract(ContractKind::Contract, &[]);
        let s = it.state(c, pair);
        let stored = Expression::new(Kind::State(s), pair);
        let made = Expression::new(Kind::MakeArray(vec![number(1), number(2)]), pair);
        let arguments = vec![stored, Expression::new(Kind::Local(1), pair)];
        let body = vec![
            Statement::Let(1, Some(made)),
            Statement::Do(call(f, CallKind::Attached, arguments)),
            give(item(1)),
        ];
        let g = it.function(c, 0, 1, body);
        it.edit(g).locals.push(Local { ty: pair, location: Location::Memory.fixed() });
        assert_eq!(lines(&it, &[(g, 0, &[])])[1..], [ok(expected), slot(0, 9)]);
    }
}

#[test]
fn a_created_contract_gets_its_value_and_calls_take_theirs_back() {
    let mut it = template();
    let other = it.contract(ContractKind::Contract, &[]);
    let paid = it.function(other, 0, 1, vec![give(Expression::new(Kind::Balance, UINT256))]);
    it.edit(paid).mutability = Mutability::Payable.fixed();
    let constructor = it.function(other, 0, 0, vec![]);
    it.contracts[0].functions.pop();
    it.contracts[0].constructor = Some(constructor);
    it.edit(constructor).mutability = Mutability::Payable.fixed();
    let held = it.types.len() as TypeId;
    it.types.push(Type::Contract(other));
    let c = it.contract(ContractKind::Contract, &[]);
    let made = Kind::New {
        contract: other,
        value: Some(Box::new(number(3))),
        salt: None,
        arguments: vec![],
    };
    let asked = Kind::CallOn {
        target: Box::new(Expression::new(Kind::Local(1), held)),
        function: paid,
        value: Some(Box::new(number(4))),
        arguments: vec![],
    };
    let body = vec![
        Statement::Let(1, Some(Expression::new(made, held))),
        give(Expression::new(asked, UINT256)),
    ];
    let f = it.function(c, 0, 1, body);
    it.edit(f).locals.push(local(held));
    it.edit(f).mutability = Mutability::Payable.fixed();
    // Without enough wei the creation reverts.
    let seen = lines(&it, &[(f, 2, &[]), (f, 10, &[])]);
    assert_eq!(seen, ["ok", "revert 0x", &ok(7), "balance c0 3", "balance c1 7"]);
}

#[test]
fn a_failed_low_level_call_is_taken_back_and_gives_its_data() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let s = it.state(c, UINT256);
    let text = vec![Statement::Revert(None, b"no".to_vec())];
    let condition = Expression::new(
        Kind::Binary(Binary::Greater, Box::new((get(0), number(5)))),
        crate::model::BOOL,
    );
    let body = vec![
        set(state(s), sum(state(s), get(0))),
        Statement::If(condition, text, vec![]),
        give(state(s)),
    ];
    let f = it.function(c, 1, 1, body);
    let data = Expression::new(Kind::Abi(AbiKind::WithSelector(f), vec![get(0)]), BYTES);
    let message =
        Kind::Message { how: Message::Call, target: None, value: None, data: Box::new(data) };
    let length = Kind::Length(Box::new(Expression::new(Kind::Local(3), BYTES)));
    let body = vec![
        Statement::LetMany(vec![Some(2), Some(3)], Expression::new(message, UINT256)),
        give(sum(get(2), Expression::new(length, UINT256))),
    ];
    let g = it.function(c, 1, 1, body);
    it.edit(g).locals.extend([local(crate::model::BOOL), local(BYTES)]);
    // A selector and three words of an error, or a word.
    let seen = lines(&it, &[(g, 0, &[7]), (g, 0, &[4])]);
    assert_eq!(seen[1..], [ok(100), ok(33), slot(0, 4)]);
}

#[test]
fn calldata_that_fits_no_function_reaches_the_fallback_whole() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let input = Expression::new(Kind::Local(0), BYTES);
    let body = vec![give(Expression::new(Kind::Abi(AbiKind::Packed, vec![input]), BYTES))];
    let f = it.function(c, 1, 1, body);
    it.edit(f).kind = FunctionKind::Fallback;
    it.edit(f).locals = vec![
        Local { ty: BYTES, location: Location::Calldata.fixed() },
        Local { ty: BYTES, location: Location::Memory.fixed() },
    ];
    let receive = it.function(c, 0, 0, vec![]);
    it.edit(receive).kind = FunctionKind::Receive;
    it.edit(receive).mutability = Mutability::Payable.fixed();
    let view = View::new(&it, &[], 0);
    let call = |value, data: &[u8]| Transaction { value, data: data.to_vec(), sender: 0 };
    let sequence = [call(0, &[]), call(0, &[1, 2, 3]), call(1, &[1]), call(2, &[])];
    let (text, _) = run(&view, c, &view.entries(c), &sequence, Order::LeftFirst).unwrap();
    assert_eq!(text, "ok\nok 0x010203\nrevert 0x\nok 0x\nbalance c0 2\n");
}

#[test]
fn pointers_reach_the_version_that_was_named() {
    let mut it = template();
    let a = it.contract(ContractKind::Contract, &[]);
    let f = it.function(a, 1, 1, vec![give(sum(get(0), number(1)))]);
    let b = it.contract(ContractKind::Contract, &[a]);
    it.overriding(b, f, vec![give(sum(get(0), number(2)))]);
    for external in [false, true] {
        let mut it = it.clone();
        let ty = it.types.len() as TypeId;
        it.types.push(Type::Function(f, external));
        let called =
            Kind::CallPointer(Box::new(Expression::new(Kind::Local(1), ty)), vec![number(10)]);
        let body = vec![
            Statement::Let(1, Some(Expression::new(Kind::Function(f, external), ty))),
            give(Expression::new(called, UINT256)),
        ];
        let g = it.function(b, 0, 1, body);
        it.edit(g).locals.push(local(ty));
        assert_eq!(lines(&it, &[(g, 0, &[])])[1], ok(12));
    }
}

#[test]
fn assembly_writes_whole_slots_words_and_locals() {
    let mut it = template();
    let pair = it.types.len() as TypeId;
    it.types.push(Type::Array(UINT256, crate::model::Length::Fixed(2)));
    let c = it.contract(ContractKind::Contract, &[]);
    let s = it.state(c, UINT256);
    let made = Expression::new(Kind::MakeArray(vec![number(1), number(2)]), pair);
    let word = |value: u64| Word::Number(U256::from(value));
    let block = vec![
        Assembly::Store(s, Word::Apply(Instruction::Mul, vec![word(6), word(7)])),
        Assembly::Set(0, Word::Apply(Instruction::Add, vec![Word::Load(s), Word::Local(0)])),
        Assembly::StoreItem(2, 1, Word::Local(0)),
        Assembly::Scratch(0, Word::Apply(Instruction::Iszero, vec![word(0)])),
    ];
    let item = Kind::Index(Box::new((Expression::new(Kind::Local(2), pair), number(1))));
    let body = vec![
        Statement::Let(2, Some(made)),
        Statement::Assembly(block),
        give(sum(Expression::new(item, UINT256), get(0))),
    ];
    let f = it.function(c, 1, 1, body);
    it.edit(f).locals.push(local(pair));
    assert_eq!(lines(&it, &[(f, 0, &[5])])[1..], [ok(48), slot(0, 42)]);
}

#[test]
fn storage_begins_where_the_layout_says() {
    let mut it = template();
    let a = it.contract(ContractKind::Contract, &[]);
    let s = it.state(a, UINT256);
    let b = it.contract(ContractKind::Contract, &[a]);
    it.contracts[1].layout = Attribute::Is(2);
    let f = it.function(b, 0, 0, vec![set(state(s), number(8))]);
    assert_eq!(lines(&it, &[(f, 0, &[])])[2], slot(0x1_0000_0000, 8));
}

#[test]
fn arguments_by_name_may_be_evaluated_in_either_order() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let s = it.state(c, UINT256);
    let step = || {
        Expression::new(Kind::Step { place: Box::new(state(s)), prefix: true, up: true }, UINT256)
    };
    let first = it.function(c, 2, 1, vec![give(get(0))]);
    let mut named = call(first, CallKind::Internal, vec![step(), step()]);
    if let Kind::Call { named, .. } = &mut named.kind {
        *named = Attribute::Is(1);
    }
    let f = it.function(c, 0, 1, vec![give(named)]);
    let view = View::new(&it, &[], 0);
    let data = view.function_selector(f).to_vec();
    let create = Transaction { value: 0, data: vec![], sender: 0 };
    let sequence = [create, Transaction { value: 0, data, sender: 0 }];
    let entries = view.entries(c);
    let text = |order| run(&view, c, &entries, &sequence, order).unwrap();
    assert!(text(Order::LeftFirst).1);
    assert!(text(Order::LeftFirst).0.contains(&ok(1)));
    assert!(text(Order::RightFirst).0.contains(&ok(2)));
}

#[test]
fn a_call_that_ends_in_an_invalid_instruction_reverts_its_caller_without_data() {
    let mut it = template();
    it.version = Version::V7;
    let c = it.contract(ContractKind::Contract, &[]);
    let never = Statement::Assert(Expression::truth(false));
    let f = it.function(c, 0, 0, vec![never]);
    let g = it.function(c, 0, 0, vec![Statement::Do(call(f, CallKind::This, vec![]))]);
    assert_eq!(lines(&it, &[(f, 0, &[]), (g, 0, &[])]), ["ok", "halt", "revert 0x"]);
}

#[test]
fn a_getter_is_a_call_from_outside_and_reads_the_other_account() {
    let mut it = template();
    let other = it.contract(ContractKind::Contract, &[]);
    let theirs = it.state(other, UINT256);
    it.states[usize::from(theirs)].visibility = Visibility::Public.fixed();
    it.states[usize::from(theirs)].initial = Some(number(7));
    let c = it.contract(ContractKind::Contract, &[]);
    let own = it.state(c, UINT256);
    it.states[usize::from(own)].visibility = Visibility::Public.fixed();
    it.types.push(Type::Contract(other));
    let contract = (it.types.len() - 1) as TypeId;
    let create = Kind::New { contract: other, value: None, salt: None, arguments: vec![] };
    let target = Some(Box::new(Expression::new(Kind::Local(2), contract)));
    let getter =
        |target, state| Expression::new(Kind::Getter { target, state, keys: vec![] }, UINT256);
    let body = vec![
        set(state(own), get(0)),
        Statement::Let(2, Some(Expression::new(create, contract))),
        give(sum(getter(None, own), getter(target, theirs))),
    ];
    let f = it.function(c, 1, 1, body);
    it.edit(f).locals.push(local(contract));
    assert_eq!(lines(&it, &[(f, 0, &[5])])[1], ok(12));
}

#[test]
fn decoding_gives_back_what_was_encoded() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let text = Expression::new(Kind::Text(b"four".to_vec()), BYTES);
    let encoded = Expression::new(Kind::Abi(AbiKind::Encode, vec![get(0), text]), BYTES);
    let decode = Kind::DecodeMany(Box::new(encoded), vec![UINT256, BYTES]);
    let length = Kind::Length(Box::new(Expression::new(Kind::Local(3), BYTES)));
    let body = vec![
        Statement::LetMany(vec![Some(2), Some(3)], Expression::new(decode, UINT256)),
        give(sum(get(2), Expression::new(length, UINT256))),
    ];
    let f = it.function(c, 1, 1, body);
    it.edit(f).locals.extend([local(UINT256), local(BYTES)]);
    assert_eq!(lines(&it, &[(f, 0, &[9])])[1], ok(13));
}

#[test]
fn a_slice_beyond_the_end_reverts_without_data() {
    let mut it = template();
    let c = it.contract(ContractKind::Contract, &[]);
    let input = Expression::new(Kind::Local(0), BYTES);
    let slice = Kind::Slice(Box::new((input, Some(number(2)), Some(number(4)))));
    let body = vec![give(Expression::new(slice, BYTES))];
    let f = it.function(c, 1, 1, body);
    it.edit(f).kind = FunctionKind::Fallback;
    it.edit(f).locals = vec![
        Local { ty: BYTES, location: Location::Calldata.fixed() },
        Local { ty: BYTES, location: Location::Memory.fixed() },
    ];
    let view = View::new(&it, &[], 0);
    let call = |data: &[u8]| Transaction { value: 0, data: data.to_vec(), sender: 0 };
    let sequence = [call(&[]), call(&[1, 2, 3]), call(&[1, 2, 3, 4, 5])];
    let (text, _) = run(&view, c, &view.entries(c), &sequence, Order::LeftFirst).unwrap();
    assert_eq!(text, "ok\nrevert 0x\nok 0x0304\n");
}
