//! Shapes of functions that target LLVM passes: by-value aggregates with padding, loops to vectorise, integers of odd
//! widths. They are recognised by the structure of functions, so that nothing has to be recorded while a program is
//! generated.

use std::collections::BTreeSet;

use super::super::generate::has_padding;
use super::super::program::{
    Callee, Function, Operand, Operator, Place, Program, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::{Kind, TypeId, Types};

/// The names that must occur in some program.
pub(super) const WANTED: &str = "\
        padded-passed-twice padded-overwritten-by-callee padded-overwritten-after-call padded-passed-on \
        padded-moved padded-nested padded-to-its-own-place \
        loop-reduce-Add loop-reduce-BitXor loop-reduce-Mul loop-reduce-float loop-extreme loop-map-of-two \
        loop-conditional-store loop-strided loop-reversed loop-early-exit loop-widening loop-narrowing \
        loop-select loop-recurrence loop-interleaved loop-shifted loop-aliasing loop-fill loop-narrow-counter \
        width-24 width-33 width-48 width-65 width-127 sign-extension field-insertion bytes-combined \
        wide-product carry odd-rotation surrogates divided-128 shifted-128";

/// The shapes of a program.
pub(super) fn of(program: &Program) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut note = |what: String| {
        all.insert(what);
    };
    for function in &program.functions {
        padded(program, function, &mut note);
        if masks_its_parameters(function) {
            odd(&program.types, function, &mut note);
        }
        for blocks in loops(function) {
            let it = Loop { types: &program.types, function, blocks };
            if it.is_over_parameters() {
                it.shapes(&mut note);
            }
        }
        aliasing(program, function, &mut note);
    }
    all
}

fn padded(program: &Program, function: &Function, note: &mut impl FnMut(String)) {
    let types = &program.types;
    let is_padded = |place: &Place| {
        place.type_in(&function.locals, types).is_some_and(|of| has_padding(types, of))
    };
    for block in &function.blocks {
        let Terminator::Call {
            callee: Callee::Function(_, _), arguments, destination, target, ..
        } = &block.terminator
        else {
            continue;
        };
        let places: Vec<&Place> =
            arguments.iter().filter_map(Operand::place).filter(|place| is_padded(place)).collect();
        let moved = arguments.iter().any(|it| matches!(it, Operand::Move(it) if is_padded(it)));
        if moved && places.len() == 2 && arguments.len() == 4 {
            note("padded-moved".to_owned());
        }
        let repeated =
            places.iter().find(|place| places.iter().filter(|it| it == place).count() > 1);
        let Some(repeated) = repeated else { continue };
        let Some(of) = repeated.type_in(&function.locals, types) else { continue };
        let pointer = |it: &Operand| {
            let of_argument = it.type_in(&function.locals, types);
            of_argument.is_some_and(|it| types.pointee(it) == Some(of))
        };
        if arguments.len() != 4 || !arguments.iter().any(pointer) {
            continue;
        }
        note("padded-passed-twice".to_owned());
        if types.fields(of).iter().any(|part| has_padding(types, *part)) {
            note("padded-nested".to_owned());
        }
        if (1..=function.parameters).contains(&repeated.local) {
            note("padded-passed-on".to_owned());
        }
        if places.contains(&destination) {
            note("padded-to-its-own-place".to_owned());
        }
        for statement in &function.blocks[*target].statements {
            if let Statement::Assign(to, _) = statement
                && repeated.contains(to)
            {
                note("padded-overwritten-after-call".to_owned());
            }
        }
    }
    let by_value = (1..=function.parameters).filter(|it| is_padded(&Place::local(*it))).count();
    for statement in function.blocks.iter().flat_map(|block| &block.statements) {
        if let Statement::Assign(to, _) = statement
            && by_value > 1
            && to.is_deref()
            && to.local <= function.parameters
            && is_padded(&Place::deref(to.local))
        {
            note("padded-overwritten-by-callee".to_owned());
        }
    }
}

/// Whether a function of two integers and a shift amount begins by masking the integers.
fn masks_its_parameters(function: &Function) -> bool {
    let masked = |number: usize| match function.blocks[0].statements.get(number - 1) {
        Some(Statement::Assign(_, Rvalue::Binary(Operator::BitAnd, Operand::Copy(of), by))) => {
            *of == Place::local(number) && matches!(by, Operand::Constant(_))
        }
        _ => false,
    };
    function.parameters == 3 && masked(1) && masked(2)
}

/// The odd widths of a function, and the operations on such integers.
fn odd(types: &Types, function: &Function, note: &mut impl FnMut(String)) {
    let constant = |operand: &Operand| match operand {
        Operand::Constant(constant) => Some(constant.bits),
        _ => None,
    };
    let int = |operand: &Operand| {
        operand.type_in(&function.locals, types).and_then(|of| types.as_int(of))
    };
    let statements: Vec<&Statement> =
        function.blocks.iter().flat_map(|block| &block.statements).collect();
    let (mut up, mut masked, mut bytes) = (None, None, 0);
    for statement in statements {
        let Statement::Assign(place, rvalue) = statement else { continue };
        let Rvalue::Binary(operator, left, right) = rvalue else {
            let element = place.projections.last();
            let of = place.type_in(&function.locals, types);
            let byte = matches!(element, Some(Projection::Index(_))) && of == Some(Types::U8);
            bytes += usize::from(byte);
            continue;
        };
        let bits = int(left).map_or(0, |int| int.bits());
        let signed = int(left).is_some_and(|int| int.signed);
        match (operator, constant(right)) {
            (Operator::BitAnd, Some(mask)) if (mask & mask.wrapping_add(1)) == 0 => {
                note(format!("width-{}", mask.count_ones()));
                masked = left.place().cloned();
            }
            (Operator::BitAnd, Some(mask)) if bits > 8 && mask.count_zeros() > 128 - bits => {
                note("field-insertion".to_owned());
            }
            (Operator::Shl, Some(by)) => up = Some(by),
            (Operator::Shl, None) if masked.is_some() => note("odd-rotation".to_owned()),
            (Operator::Shr, Some(by)) if signed && up == Some(by) => {
                note("sign-extension".to_owned());
            }
            (Operator::Add, Some(0xdc00)) => note("surrogates".to_owned()),
            (Operator::Mul, None) if bits == 128 => note("wide-product".to_owned()),
            (Operator::Div | Operator::Rem, _) if bits == 128 => note("divided-128".to_owned()),
            _ => {}
        }
        if operator.shifts() && bits == 128 {
            note("shifted-128".to_owned());
        }
        if *operator == Operator::BitOr && bytes > 1 {
            note("bytes-combined".to_owned());
        }
        let field = left.place().and_then(|place| place.projections.last());
        if *operator == Operator::Add && field == Some(&Projection::Field(0)) {
            note("carry".to_owned());
        }
    }
}

/// A call of a loop's function with the address of one array twice.
fn aliasing(program: &Program, function: &Function, note: &mut impl FnMut(String)) {
    for block in &function.blocks {
        let Terminator::Call { callee: Callee::Function(callee, _), arguments, .. } =
            &block.terminator
        else {
            continue;
        };
        let callee = &program.functions[*callee];
        let over =
            |blocks| Loop { types: &program.types, function: callee, blocks }.is_over_parameters();
        let pointed = |operand: &Operand| {
            let local = operand.place()?.local;
            block.statements.iter().find_map(|statement| match statement {
                Statement::Assign(to, Rvalue::AddressOf(_, of)) if to.local == local => Some(of),
                _ => None,
            })
        };
        let arrays: Vec<&Place> = arguments.iter().filter_map(pointed).collect();
        let twice = arrays.iter().any(|it| arrays.iter().filter(|other| other == &it).count() > 1);
        if twice && loops(callee).into_iter().any(over) {
            note("loop-aliasing".to_owned());
        }
    }
}

/// The blocks of each loop: the strongly connected components that contain a cycle.
fn loops(function: &Function) -> Vec<Vec<usize>> {
    let count = function.blocks.len();
    let reach: Vec<BTreeSet<usize>> = (0..count)
        .map(|from| {
            let mut seen = BTreeSet::new();
            let mut open = function.blocks[from].terminator.targets();
            while let Some(block) = open.pop() {
                if seen.insert(block) {
                    open.extend(function.blocks[block].terminator.targets());
                }
            }
            seen
        })
        .collect();
    let mut found: Vec<Vec<usize>> = vec![];
    for block in 0..count {
        if reach[block].contains(&block) && found.iter().all(|blocks| !blocks.contains(&block)) {
            let cycle = |it: &usize| reach[block].contains(it) && reach[*it].contains(&block);
            found.push((0..count).filter(cycle).collect());
        }
    }
    found
}

struct Loop<'a> {
    types: &'a Types,
    function: &'a Function,
    blocks: Vec<usize>,
}

impl Loop<'_> {
    fn statements(&self) -> impl Iterator<Item = (&Place, &Rvalue)> {
        let blocks = self.blocks.iter().map(|number| &self.function.blocks[*number]);
        blocks.flat_map(|block| &block.statements).filter_map(|statement| match statement {
            Statement::Assign(place, rvalue) => Some((place, rvalue)),
            _ => None,
        })
    }

    fn of(&self, operand: &Operand) -> Option<&Kind> {
        operand.type_in(&self.function.locals, self.types).map(|of| self.types.kind(of))
    }

    /// Whether it accesses only elements of the three arrays that parameters point to.
    fn is_over_parameters(&self) -> bool {
        let array = |local: &usize| {
            let to = self.types.pointee(self.function.locals[*local]);
            to.is_some_and(|to| matches!(self.types.kind(to), Kind::Array(..)))
        };
        let outside = |place: &Place| {
            let element = matches!(place.projections.last(), Some(Projection::Index(_)));
            element && !(place.is_deref() && place.local <= self.function.parameters)
        };
        let read =
            |rvalue: &Rvalue| rvalue.operands().into_iter().filter_map(Operand::place).any(outside);
        self.function.parameters == 5
            && [1, 2, 3].iter().all(array)
            && !self.statements().any(|(to, rvalue)| outside(to) || read(rvalue))
    }

    fn shapes(&self, note: &mut impl FnMut(String)) {
        let element =
            |place: &Place| matches!(place.projections.last(), Some(Projection::Index(_)));
        let mut read = BTreeSet::new();
        let (mut stored, mut wide, mut narrow) = (false, false, false);
        for (place, rvalue) in self.statements() {
            stored |= element(place);
            if let Rvalue::Use(Operand::Copy(from)) = rvalue
                && element(from)
            {
                read.insert((from.local, from.projections.clone().len(), format!("{from:?}")));
            }
            match rvalue {
                Rvalue::Cast(one, to) => {
                    let size = |of: TypeId| self.types.size(of);
                    let from = one.type_in(&self.function.locals, self.types).map_or(0, size);
                    let is_int = matches!(self.of(one), Some(Kind::Int(_)));
                    wide |= is_int && from < size(*to) && *to != Types::USIZE;
                    narrow |= is_int && from > size(*to);
                    if is_int && from < 8 && *to == Types::USIZE {
                        note("loop-narrow-counter".to_owned());
                    }
                }
                Rvalue::Binary(operator, left, _) if !operator.compares() => {
                    let into_itself = left.place() == Some(place) && place.local == 0;
                    if into_itself && matches!(self.of(left), Some(Kind::Float(_))) {
                        note("loop-reduce-float".to_owned());
                    } else if into_itself {
                        note(format!("loop-reduce-{operator:?}"));
                    }
                }
                Rvalue::Binary(_, _, right) if right.place() == Some(&Place::local(0)) => {
                    note("loop-extreme".to_owned());
                }
                _ => {}
            }
            self.position(rvalue, note);
        }
        if read.is_empty() && !stored {
            return;
        }
        let exits = |block: &&usize| {
            let targets = self.function.blocks[**block].terminator.targets();
            targets.iter().any(|target| !self.blocks.contains(target))
        };
        let exits: Vec<&usize> = self.blocks.iter().filter(exits).collect();
        let arrays: BTreeSet<usize> = read.iter().map(|(local, ..)| *local).collect();
        let mut note_if = |holds: bool, what: &str| {
            if holds {
                note(what.to_owned());
            }
        };
        note_if(exits.len() > 1, "loop-early-exit");
        note_if(stored && arrays.len() > 1, "loop-map-of-two");
        note_if(stored && read.is_empty(), "loop-fill");
        note_if(wide && !stored, "loop-widening");
        note_if(wide && narrow && stored, "loop-narrowing");
        note_if(read.len() > 1 && arrays.len() == 1, "loop-interleaved");
        let guarded = |number: &usize| {
            let block = &self.function.blocks[*number];
            let stores = block.statements.iter().any(
                |statement| matches!(statement, Statement::Assign(place, _) if element(place)),
            );
            let decided = self.blocks.iter().any(|from| {
                let terminator = &self.function.blocks[*from].terminator;
                let switch = matches!(terminator, Terminator::Switch { .. });
                let inside = terminator.targets().iter().all(|it| self.blocks.contains(it));
                switch && inside && terminator.targets().contains(number)
            });
            stores && decided && block.statements.len() == 1
        };
        note_if(self.blocks.iter().any(guarded), "loop-conditional-store");
        let selects = self.blocks.iter().any(|number| {
            let terminator = &self.function.blocks[*number].terminator;
            matches!(terminator, Terminator::Call { callee: Callee::Intrinsic(it), .. }
                if *it == super::super::intrinsic::Intrinsic::Select)
        });
        note_if(selects, "loop-select");
        // A value that is carried to the next iteration and is not a reduction.
        let kept = self.statements().any(|(to, rvalue)| match rvalue {
            Rvalue::Use(Operand::Copy(from)) => {
                let parts = from.projections.is_empty() && to.projections.is_empty();
                let used = self.statements().any(|(_, it)| match it {
                    Rvalue::Binary(_, _, right) => right.place() == Some(to),
                    _ => false,
                });
                parts && used && to.local > self.function.parameters
            }
            _ => false,
        });
        note_if(kept && stored, "loop-recurrence");
    }

    /// The computation of an index from the counter.
    fn position(&self, rvalue: &Rvalue, note: &mut impl FnMut(String)) {
        let Rvalue::Binary(operator, left, right) = rvalue else { return };
        if left.type_in(&self.function.locals, self.types) != Some(Types::USIZE) {
            return;
        }
        match (operator, left, right) {
            (Operator::Mul, _, Operand::Constant(by)) if by.bits < 4 => {
                note("loop-strided".to_owned());
            }
            (Operator::Sub, Operand::Constant(_), _) => note("loop-reversed".to_owned()),
            (Operator::Add, _, Operand::Constant(by)) if by.bits > 1 => {
                note("loop-shifted".to_owned());
            }
            _ => {}
        }
    }
}
