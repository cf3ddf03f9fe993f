//! Where integer expressions stand in a program: in which function, and whether arithmetic is checked there.

use super::integer;
use crate::model::{Expression, Kind, Statement, Template, Type, Version};
use crate::view::View;

/// The surroundings of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) checked: bool,
}

/// How many expressions could be rewritten.
pub(super) fn count(view: &View<'_>) -> usize {
    let mut count = 0;
    for function in &view.template.functions {
        let mut body = function.body.clone();
        walk(view, &mut body, true, &mut |_, _| {
            count += 1;
            false
        });
    }
    count
}

/// Calls a function for the expression with this number, with the types of the template.
pub(super) fn edit(
    view: &View<'_>,
    template: &mut Template,
    at: usize,
    mut change: impl FnMut(&mut Vec<Type>, &mut Expression, Site),
) {
    let mut next = 0;
    let types = &mut template.types;
    for function in &mut template.functions {
        let done = walk(view, &mut function.body, true, &mut |expression, site| {
            next += 1;
            if next <= at {
                return false;
            }
            change(types, expression, site);
            true
        });
        if done {
            return;
        }
    }
}

/// Visits operators on integers until one visit answers that it is done.
fn walk(
    view: &View<'_>,
    body: &mut [Statement],
    checked: bool,
    visit: &mut impl FnMut(&mut Expression, Site) -> bool,
) -> bool {
    for statement in body {
        let site = Site { checked: checked && view.version() >= Version::V8 };
        for expression in statement.expressions_mut() {
            if inside(view, expression, site, visit) {
                return true;
            }
        }
        let inner = match statement {
            Statement::Block(attribute, _) => checked && view.is_on(*attribute),
            _ => checked,
        };
        for body in statement.bodies_mut() {
            if walk(view, body, inner, visit) {
                return true;
            }
        }
    }
    false
}

fn inside(
    view: &View<'_>,
    expression: &mut Expression,
    site: Site,
    visit: &mut impl FnMut(&mut Expression, Site) -> bool,
) -> bool {
    let operates = matches!(
        expression.kind,
        Kind::Binary(..) | Kind::Unary(..) | Kind::Conditional(_) | Kind::Cast(_)
    );
    if operates && integer(view.ty(expression.ty)).is_some() && visit(expression, site) {
        return true;
    }
    expression.parts_mut().into_iter().any(|part| inside(view, part, site, visit))
}
