//! Recursive types and `ManuallyDrop`, and the operations on them.

use super::super::program::{Function, Operand, Place, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::name;

/// The names that must occur in some program.
pub(super) const WANTED: &str = "\
        Struct-by-Pointer Struct-by-Reference Struct-by-Heap Struct-by-Function Enum-by-Pointer \
        Enum-by-Reference Enum-by-Heap destructor packed copy-with-lifetime \
        traversal traversal-through-box traversal-through-mut points-to-itself write-of-link \
        loop-to-null loop-to-variant \
        loop-over-cycle drop-of-list argument record-of-deref \
        wrap unwrap read-content read-content-by-reference explicit-drop";

pub(super) fn of(program: &Program) -> Vec<String> {
    let types = &program.types;
    let mut all = vec![];
    for of in types.all() {
        let Some(adt) = types.adt(of) else { continue };
        let mut ways = vec![];
        ways_to(types, of, of, &mut ways);
        for way in ways {
            all.push(format!("{}-by-{way}", name(&adt.shape)));
            all.extend(adt.destructor.map(|_| "destructor".to_owned()));
            all.extend(adt.repr.packing().map(|_| "packed".to_owned()));
            let lent = types.has_lifetime(of) && types.is_copy(of);
            all.extend(lent.then(|| "copy-with-lifetime".to_owned()));
        }
    }
    for function in &program.functions {
        operations(types, function, &mut all);
    }
    all
}

/// The kinds of pointers by which the contents of `of` point to `to`.
fn ways_to(types: &Types, of: TypeId, to: TypeId, ways: &mut Vec<String>) {
    match types.kind(of) {
        Kind::Pointer { to: it, .. } | Kind::Reference { to: it, .. } | Kind::Heap(it) => {
            ways.extend((*it == to).then(|| name(types.kind(of))));
        }
        Kind::Function { parameters, .. } => {
            let takes = parameters.iter().any(|it| types.pointee(*it) == Some(to));
            ways.extend(takes.then(|| name(types.kind(of))));
        }
        Kind::Tuple(parts) => parts.iter().for_each(|part| ways_to(types, *part, to, ways)),
        Kind::Array(part, _) | Kind::Manual(part) => ways_to(types, *part, to, ways),
        Kind::Adt(index) => {
            types.adts[*index].parts().for_each(|part| ways_to(types, part, to, ways));
        }
        _ => {}
    }
}

fn is_recursive(types: &Types, of: TypeId) -> bool {
    let mut ways = vec![];
    if types.adt(of).is_some() {
        ways_to(types, of, of, &mut ways);
    }
    !ways.is_empty()
}

fn operations(types: &Types, function: &Function, all: &mut Vec<String>) {
    let of = |place: &Place| place.type_in(&function.locals, types);
    let recursive = |place: &Place| of(place).is_some_and(|of| is_recursive(types, of));
    let manual = |of: TypeId| matches!(types.kind(of), Kind::Manual(_));
    let behind = |of: TypeId| types.pointee(of).is_some_and(manual);
    let mut note = |what: &str| all.push(what.to_owned());
    let walks = |statement: &Statement| match statement {
        Statement::Assign(to, Rvalue::Use(Operand::Copy(from))) => {
            from.is_deref() && from.local == to.local && to.projections.is_empty()
        }
        _ => false,
    };
    for block in &function.blocks {
        let mut cast = None;
        for statement in &block.statements {
            let Statement::Assign(to, rvalue) = statement else { continue };
            match rvalue {
                _ if walks(statement) => note("traversal"),
                Rvalue::Transmute(Operand::Copy(from), _)
                    if from.is_deref()
                        && matches!(of(from).map(|it| types.kind(it)), Some(Kind::Heap(_))) =>
                {
                    note("traversal-through-box");
                }
                Rvalue::AddressOf(true, from) if from.is_deref() && recursive(from) => {
                    note("traversal-through-mut");
                }
                Rvalue::AddressOf(true, from) if from.local == to.local && recursive(from) => {
                    note("points-to-itself");
                }
                Rvalue::Binary(_, Operand::Copy(left), right)
                    if of(left)
                        .and_then(|it| types.pointee(it))
                        .is_some_and(|it| is_recursive(types, it)) =>
                {
                    note(match right {
                        Operand::Constant(_) => "loop-to-null",
                        _ => "loop-over-cycle",
                    });
                }
                Rvalue::Discriminant(place) if place.is_deref() => note("loop-to-variant"),
                Rvalue::Transmute(from, it)
                    if manual(*it) && !matches!(from, Operand::Constant(_)) =>
                {
                    note("wrap");
                }
                Rvalue::Transmute(one, to)
                | Rvalue::PointerCast(one, to)
                | Rvalue::Cast(one, to) => {
                    let from = one.type_in(&function.locals, types).unwrap_or_default();
                    if manual(from) {
                        note("unwrap");
                    } else if behind(from) && types.has_same_layout(from, *to) {
                        let reference = matches!(types.kind(from), Kind::Reference { .. });
                        note(if reference { "read-content-by-reference" } else { "read-content" });
                    }
                }
                _ => {}
            }
            if let Rvalue::Transmute(..) | Rvalue::PointerCast(..) | Rvalue::Cast(..) = rvalue {
                cast = Some(to.local);
            }
            if to.is_deref() && !to.projections[1..].is_empty() {
                let link = of(to).and_then(|it| types.pointee(it));
                let written = link.is_some_and(|it| is_recursive(types, it));
                note_if(&mut note, written, "write-of-link");
            }
        }
        match &block.terminator {
            Terminator::Drop { place, .. } => {
                note_if(&mut note, recursive(place), "drop-of-list");
                note_if(&mut note, place.is_deref() && cast == Some(place.local), "explicit-drop");
            }
            Terminator::Call { arguments, .. } => {
                let given = arguments.iter().filter_map(Operand::place).any(recursive);
                note_if(&mut note, given, "argument");
            }
            Terminator::Record { values, .. } => {
                note_if(&mut note, values.iter().any(Place::is_deref), "record-of-deref");
            }
            _ => {}
        }
    }
}

fn note_if(note: &mut impl FnMut(&str), holds: bool, what: &str) {
    if holds {
        note(what);
    }
}
