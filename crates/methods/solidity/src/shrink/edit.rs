//! Edits of statements and expressions by their number in the order of the text.

use crate::model::{Expression, Kind, Statement, Template};

pub(super) fn count_statements(template: &Template) -> usize {
    fn count(body: &[Statement]) -> usize {
        let inner = |it: &Statement| it.bodies().into_iter().map(|body| count(body)).sum::<usize>();
        body.iter().map(|it| 1 + inner(it)).sum()
    }
    template.functions.iter().map(|it| count(&it.body)).sum()
}

/// Drops a range of statements, with what is inside them.
pub(super) fn without_statements(template: &mut Template, from: usize, count: usize) -> bool {
    fn drop(body: &mut Vec<Statement>, next: &mut usize, range: &std::ops::Range<usize>) -> bool {
        let mut changed = false;
        body.retain_mut(|statement| {
            let own = *next;
            *next += 1;
            for inner in statement.bodies_mut() {
                changed |= drop(inner, next, range);
            }
            let keep = !range.contains(&own);
            changed |= !keep;
            keep
        });
        changed
    }
    let mut next = 0;
    let range = from..from + count;
    let mut changed = false;
    for function in &mut template.functions {
        changed |= drop(&mut function.body, &mut next, &range);
    }
    changed
}

/// Puts the blocks of a statement in its place.
pub(super) fn unwrapped(template: &mut Template, at: usize) -> bool {
    fn open(body: &mut Vec<Statement>, next: &mut usize, at: usize) -> bool {
        for index in 0..body.len() {
            if *next == at {
                let plain = matches!(body[index], Statement::If(..) | Statement::Block(..));
                if !plain {
                    return false;
                }
                let inner: Vec<Statement> =
                    body[index].bodies_mut().into_iter().flat_map(std::mem::take).collect();
                body.splice(index..=index, inner);
                return true;
            }
            *next += 1;
            for inner in body[index].bodies_mut() {
                if open(inner, next, at) {
                    return true;
                }
            }
        }
        false
    }
    let mut next = 0;
    template.functions.iter_mut().any(|function| open(&mut function.body, &mut next, at))
}

/// Calls a function for each expression that is only read, until it answers that it is done.
fn each_value(body: &mut [Statement], visit: &mut impl FnMut(&mut Expression) -> bool) -> bool {
    for statement in body {
        let places = match statement {
            Statement::Swap(places, _) => places.len(),
            Statement::Delete(_) | Statement::Pop(_) => 1,
            _ => 0,
        };
        let whole = matches!(statement, Statement::Do(_) | Statement::Try { .. });
        for (index, expression) in statement.expressions_mut().into_iter().enumerate() {
            let done = match index < places || whole {
                true => each_inside(expression, visit),
                false => each_read(expression, visit),
            };
            if done {
                return true;
            }
        }
        for inner in statement.bodies_mut() {
            if each_value(inner, visit) {
                return true;
            }
        }
    }
    false
}

fn each_read(it: &mut Expression, visit: &mut impl FnMut(&mut Expression) -> bool) -> bool {
    visit(it) || each_inside(it, visit)
}

/// The parts of an expression that are read, without the expression itself.
fn each_inside(it: &mut Expression, visit: &mut impl FnMut(&mut Expression) -> bool) -> bool {
    let place = matches!(
        it.kind,
        Kind::Assign(..)
            | Kind::Step { .. }
            | Kind::Push(..)
            | Kind::Index(_)
            | Kind::Field(..)
            | Kind::Length(_)
            | Kind::Slice(_)
            | Kind::CallOn { .. }
    );
    for (index, part) in it.parts_mut().into_iter().enumerate() {
        let done =
            if place && index == 0 { each_inside(part, visit) } else { each_read(part, visit) };
        if done {
            return true;
        }
    }
    false
}

pub(super) fn count_expressions(template: &Template) -> usize {
    let mut count = 0;
    for function in &template.functions {
        let mut body = function.body.clone();
        each_value(&mut body, &mut |_| {
            count += 1;
            false
        });
    }
    count
}

/// Replaces an expression by one of its parts with the same type, or by a literal.
pub(super) fn simpler_expression(template: &mut Template, at: usize, way: u8) -> bool {
    let mut next = 0;
    let mut changed = false;
    let types = template.types.clone();
    for function in &mut template.functions {
        let done = each_value(&mut function.body, &mut |expression| {
            let own = next;
            next += 1;
            if own != at {
                return false;
            }
            changed = simplify(expression, way, &types);
            true
        });
        if done {
            break;
        }
    }
    changed
}

fn simplify(it: &mut Expression, way: u8, types: &[crate::model::Type]) -> bool {
    let literal = matches!(it.kind, Kind::Literal { .. } | Kind::Number(_));
    if way == 0 {
        let value = types.get(usize::from(it.ty)).is_some_and(|ty| ty.is_value());
        let contract =
            matches!(types.get(usize::from(it.ty)), Some(crate::model::Type::Contract(_)));
        if literal || !value || contract {
            return false;
        }
        it.kind = Kind::Literal { number: 0, bare: false };
        return true;
    }
    let ty = it.ty;
    let operator = matches!(
        it.kind,
        Kind::Binary(..) | Kind::Unary(..) | Kind::Conditional(_) | Kind::Cast(_)
    );
    let fitting: Vec<Expression> =
        it.parts().into_iter().filter(|part| part.ty == ty && !part.is_bare()).cloned().collect();
    match fitting.into_iter().nth(usize::from(way - 1)) {
        Some(part) if operator => {
            *it = part;
            true
        }
        _ => false,
    }
}
