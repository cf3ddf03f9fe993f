//! Smaller programs: fewer statements, straighter control flow, fewer blocks, functions and locals. Whether
//! a candidate has a behaviour, and which, is found out by whoever asks: every one is interpreted.

use super::program::{Operand, Place, Program, Projection, Rvalue, Statement, Terminator};
use super::types::Type;

pub(super) fn candidates(program: &Program) -> impl Iterator<Item = Program> + Send + use<> {
    let statements: Vec<(usize, usize, usize)> = program
        .functions
        .iter()
        .enumerate()
        .flat_map(|(function, body)| {
            body.blocks.iter().enumerate().flat_map(move |(block, it)| {
                (0..it.statements.len()).map(move |statement| (function, block, statement))
            })
        })
        .collect();
    let blocks: Vec<(usize, usize)> = program
        .functions
        .iter()
        .enumerate()
        .flat_map(|(function, body)| (0..body.blocks.len()).map(move |block| (function, block)))
        .collect();
    let straighter = {
        let program = program.clone();
        blocks.clone().into_iter().flat_map(move |at| straighten(&program, at))
    };
    let fewer = {
        let program = program.clone();
        let count = statements.len();
        let lengths = std::iter::successors(Some(count / 2), |&length| Some(length / 2))
            .take_while(|&length| length > 0);
        lengths
            .flat_map(move |length| (0..count).step_by(length).map(move |start| (start, length)))
            .map(move |(start, length)| {
                without(&program, &statements[start..(start + length).min(statements.len())])
            })
    };
    let merged = {
        let program = program.clone();
        blocks.clone().into_iter().filter_map(move |at| merge(&program, at))
    };
    let simpler = {
        let program = program.clone();
        blocks.into_iter().flat_map(move |at| simplify(&program, at))
    };
    let fewer_parameters = {
        let program = program.clone();
        let parameters: Vec<(usize, usize)> = program
            .functions
            .iter()
            .enumerate()
            .flat_map(|(function, body)| (1..=body.parameters).map(move |it| (function, it)))
            .collect();
        parameters.into_iter().filter_map(move |at| without_parameter(&program, at))
    };
    let fewer_functions = {
        let program = program.clone();
        (1..program.functions.len()).rev().filter_map(move |it| without_function(&program, it))
    };
    let swept = sweep(program).into_iter();
    swept
        .chain(fewer_functions)
        .chain(fewer_parameters)
        .chain(straighter)
        .chain(fewer)
        .chain(merged)
        .chain(simpler)
}

/// Without statements, which are in order.
fn without(program: &Program, gone: &[(usize, usize, usize)]) -> Program {
    let mut smaller = program.clone();
    for (function, block, statement) in gone.iter().rev() {
        smaller.functions[*function].blocks[*block].statements.remove(*statement);
    }
    smaller
}

/// A switch as a jump to one of its targets, with fewer arms, or a call as a jump past it.
fn straighten(program: &Program, (function, block): (usize, usize)) -> Vec<Program> {
    let with = |terminator: Terminator| {
        let mut smaller = program.clone();
        smaller.functions[function].blocks[block].terminator = terminator;
        smaller
    };
    match &program.functions[function].blocks[block].terminator {
        Terminator::Switch { on, arms, otherwise } => {
            let mut targets: Vec<usize> = arms.iter().map(|(_, target)| *target).collect();
            targets.push(*otherwise);
            targets.dedup();
            let jumps = targets.iter().map(|target| with(Terminator::Goto(*target)));
            let fewer = (0..arms.len()).filter(|_| arms.len() > 1).map(|gone| {
                let mut arms = arms.clone();
                arms.remove(gone);
                with(Terminator::Switch { on: on.clone(), arms, otherwise: *otherwise })
            });
            jumps.chain(fewer).collect()
        }
        Terminator::Call { target, .. } => vec![with(Terminator::Goto(*target))],
        _ => vec![],
    }
}

/// A block with the only block that it jumps to, where nobody else does.
fn merge(program: &Program, (function, block): (usize, usize)) -> Option<Program> {
    let body = &program.functions[function];
    let Terminator::Goto(next) = body.blocks[block].terminator else { return None };
    let jumps = body.blocks.iter().flat_map(|it| it.terminator.targets());
    if next == block || next == 0 || jumps.filter(|target| *target == next).count() != 1 {
        return None;
    }
    let mut smaller = program.clone();
    let blocks = &mut smaller.functions[function].blocks;
    let tail = blocks[next].clone();
    blocks[block].statements.extend(tail.statements);
    blocks[block].terminator = tail.terminator;
    blocks[next].statements.clear();
    blocks[next].terminator = Terminator::Return;
    Some(smaller)
}

/// Rvalues as one of their operands, moves as copies, constants as zero or one.
fn simplify(program: &Program, (function, block): (usize, usize)) -> Vec<Program> {
    let body = &program.functions[function];
    let mut candidates = vec![];
    for (index, statement) in body.blocks[block].statements.iter().enumerate() {
        let Statement::Assign(place, rvalue) = statement else { continue };
        let Some(of) = place.type_in(&body.locals, &program.adts) else { continue };
        let mut replace = |rvalue: Rvalue| {
            let mut smaller = program.clone();
            smaller.functions[function].blocks[block].statements[index] =
                Statement::Assign(place.clone(), rvalue);
            candidates.push(smaller);
        };
        if of.is_scalar() && !matches!(rvalue, Rvalue::Use(Operand::Constant(_))) {
            let constant = super::program::Constant { of: of.clone(), bits: 0 };
            replace(Rvalue::Use(Operand::Constant(constant)));
        }
        match rvalue {
            Rvalue::Use(Operand::Constant(constant)) if constant.bits > 1 => {
                for bits in [0, 1] {
                    let constant = super::program::Constant { bits, ..constant.clone() };
                    replace(Rvalue::Use(Operand::Constant(constant)));
                }
            }
            Rvalue::Use(Operand::Move(from)) => replace(Rvalue::Use(Operand::Copy(from.clone()))),
            Rvalue::Use(_) => {}
            _ => {
                for operand in rvalue.operands() {
                    if operand.type_in(&body.locals, &program.adts).as_ref() == Some(&of) {
                        replace(Rvalue::Use(operand.clone()));
                    }
                }
            }
        }
    }
    candidates
}

/// Without a function that nobody calls. Sweeping drops all of these at once; but a compiler may fail on one
/// that is never run.
fn without_function(program: &Program, function: usize) -> Option<Program> {
    let mut smaller = program.clone();
    smaller.functions.remove(function);
    for block in smaller.functions.iter_mut().flat_map(|body| &mut body.blocks) {
        if let Terminator::Call { function: called, .. } = &mut block.terminator {
            if *called == function {
                return None;
            }
            *called -= usize::from(*called > function);
        }
    }
    Some(smaller)
}

/// Without a parameter that is not used, and what is passed for it.
fn without_parameter(program: &Program, (function, parameter): (usize, usize)) -> Option<Program> {
    let mut smaller = program.clone();
    let body = &mut smaller.functions[function];
    let mut used = false;
    visit_locals(body, &mut |local| used |= *local == parameter);
    if used {
        return None;
    }
    visit_locals(body, &mut |local| *local -= usize::from(*local > parameter));
    body.locals.remove(parameter);
    body.parameters -= 1;
    if function == 0 {
        smaller.arguments.remove(parameter - 1);
    }
    for block in smaller.functions.iter_mut().flat_map(|body| &mut body.blocks) {
        if let Terminator::Call { function: called, arguments, .. } = &mut block.terminator
            && *called == function
        {
            arguments.remove(parameter - 1);
        }
    }
    Some(smaller)
}

/// Without what nothing leads to: blocks, functions, locals, types.
fn sweep(program: &Program) -> Option<Program> {
    let mut smaller = program.clone();
    for function in &mut smaller.functions {
        drop_blocks(function);
        drop_locals(function);
    }
    drop_functions(&mut smaller);
    drop_types(&mut smaller);
    (smaller != *program).then_some(smaller)
}

fn drop_blocks(function: &mut super::program::Function) {
    let mut reached = vec![false; function.blocks.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            open.extend(function.blocks[block].terminator.targets());
        }
    }
    let new_number: Vec<usize> = reached
        .iter()
        .scan(0, |next, kept| {
            let number = *next;
            *next += usize::from(*kept);
            Some(number)
        })
        .collect();
    let mut kept = reached.iter();
    function.blocks.retain(|_| *kept.next().unwrap_or(&true));
    for block in &mut function.blocks {
        for target in block.terminator.targets_mut() {
            *target = new_number[*target];
        }
    }
}

/// Types are named by their position, so those that come after one that goes are renamed.
fn drop_types(program: &mut Program) {
    fn mentions(of: &Type, adt: usize) -> bool {
        match of {
            Type::Adt(index) => *index == adt,
            Type::Tuple(parts) => parts.iter().any(|part| mentions(part, adt)),
            Type::Array(part, _) | Type::Pointer(_, part) => mentions(part, adt),
            _ => false,
        }
    }
    let renumber = |of: &mut Type, gone: usize| {
        fn visit(of: &mut Type, gone: usize) {
            match of {
                Type::Adt(index) => *index -= usize::from(*index > gone),
                Type::Tuple(parts) => parts.iter_mut().for_each(|part| visit(part, gone)),
                Type::Array(part, _) | Type::Pointer(_, part) => visit(part, gone),
                _ => {}
            }
        }
        visit(of, gone);
    };
    for adt in (0..program.adts.len()).rev() {
        let locals = program.functions.iter().flat_map(|function| &function.locals);
        let fields = program.adts.iter().flat_map(|adt| &adt.fields);
        let mut aggregates = vec![];
        visit_types(program, &mut |of| aggregates.push(of.clone()));
        if locals.chain(fields).chain(&aggregates).any(|of| mentions(of, adt)) {
            continue;
        }
        program.adts.remove(adt);
        for other in &mut program.adts {
            other.fields.iter_mut().for_each(|of| renumber(of, adt));
        }
        for function in &mut program.functions {
            function.locals.iter_mut().for_each(|of| renumber(of, adt));
            for block in &mut function.blocks {
                for statement in &mut block.statements {
                    if let Statement::Assign(_, Rvalue::Aggregate(of, _) | Rvalue::Cast(_, of)) =
                        statement
                    {
                        renumber(of, adt);
                    }
                }
            }
        }
    }
}

/// Every type that a statement names.
fn visit_types(program: &Program, visit: &mut impl FnMut(&Type)) {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    for statement in blocks.flat_map(|block| &block.statements) {
        if let Statement::Assign(_, Rvalue::Aggregate(of, _) | Rvalue::Cast(_, of)) = statement {
            visit(of);
        }
    }
}

fn drop_functions(program: &mut Program) {
    let mut reached = vec![false; program.functions.len()];
    let mut open = vec![0];
    while let Some(function) = open.pop() {
        if !std::mem::replace(&mut reached[function], true) {
            for block in &program.functions[function].blocks {
                if let Terminator::Call { function, .. } = &block.terminator {
                    open.push(*function);
                }
            }
        }
    }
    let mut numbers = vec![];
    let mut next = 0;
    for kept in &reached {
        numbers.push(next);
        next += usize::from(*kept);
    }
    let mut kept = reached.iter();
    program.functions.retain(|_| *kept.next().unwrap_or(&true));
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        if let Terminator::Call { function, .. } = &mut block.terminator {
            *function = numbers[*function];
        }
    }
}

fn drop_locals(function: &mut super::program::Function) {
    let mut used = vec![false; function.locals.len()];
    used[..=function.parameters].fill(true);
    visit_locals(function, &mut |local| used[*local] = true);
    let mut numbers = vec![];
    let mut next = 0;
    for kept in &used {
        numbers.push(next);
        next += usize::from(*kept);
    }
    visit_locals(function, &mut |local| *local = numbers[*local]);
    let mut kept = used.iter();
    function.locals.retain(|_: &Type| *kept.next().unwrap_or(&true));
}

/// Every mention of a local.
fn visit_locals(function: &mut super::program::Function, visit: &mut impl FnMut(&mut usize)) {
    fn in_place(place: &mut Place, visit: &mut impl FnMut(&mut usize)) {
        visit(&mut place.local);
        for projection in &mut place.projections {
            if let Projection::Index(local) = projection {
                visit(local);
            }
        }
    }
    fn in_operand(operand: &mut Operand, visit: &mut impl FnMut(&mut usize)) {
        if let Operand::Copy(place) | Operand::Move(place) = operand {
            in_place(place, visit);
        }
    }
    for block in &mut function.blocks {
        for statement in &mut block.statements {
            match statement {
                Statement::StorageLive(local) | Statement::StorageDead(local) => visit(local),
                Statement::Assign(place, rvalue) => {
                    in_place(place, visit);
                    match rvalue {
                        Rvalue::Use(one)
                        | Rvalue::Not(one)
                        | Rvalue::Negate(one)
                        | Rvalue::Cast(one, _)
                        | Rvalue::Repeat(one, _) => in_operand(one, visit),
                        Rvalue::Binary(_, left, right) | Rvalue::Checked(_, left, right) => {
                            in_operand(left, visit);
                            in_operand(right, visit);
                        }
                        Rvalue::Aggregate(_, parts) => {
                            parts.iter_mut().for_each(|part| in_operand(part, visit));
                        }
                        Rvalue::AddressOf(_, place) => in_place(place, visit),
                    }
                }
            }
        }
        match &mut block.terminator {
            Terminator::Switch { on, .. } => in_operand(on, visit),
            Terminator::Call { arguments, destination, .. } => {
                arguments.iter_mut().for_each(|argument| in_operand(argument, visit));
                in_place(destination, visit);
            }
            _ => {}
        }
    }
}
