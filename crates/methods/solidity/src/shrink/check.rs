//! Whether a template that was cut is still a program: everything that is used is declared, and in scope.

use std::collections::BTreeSet;

use crate::model::{
    AbiKind, Assembly, CatchKind, Expression, FunctionKind, Kind, LocalId, Statement, Template,
    Word,
};

pub(super) fn is_valid(template: &Template) -> bool {
    let listed: BTreeSet<u16> = template
        .contracts
        .iter()
        .flat_map(|it| it.functions.iter().chain(&it.constructor).chain(&it.modifiers).copied())
        .chain((0..template.functions.len() as u16).filter(|id| {
            let function = &template.functions[usize::from(*id)];
            function.kind == FunctionKind::Free && !function.is_abstract
        }))
        .collect();
    let states: BTreeSet<u16> =
        template.contracts.iter().flat_map(|it| it.states.iter().copied()).collect();
    let overridden = |id: &u16| {
        template.functions[usize::from(*id)].overrides.iter().all(|base| listed.contains(base))
    };
    listed.iter().all(|id| {
        let function = &template.functions[usize::from(*id)];
        let mut scope: Vec<LocalId> = (0..function.parameters + function.returns).collect();
        let checker = Checker { listed: &listed, states: &states };
        overridden(id)
            && function.modifiers.iter().all(|(id, arguments)| {
                listed.contains(id) && checker.all(arguments.iter().collect(), &scope)
            })
            && function.alias.is_none_or(|id| listed.contains(&id))
            && checker.body(&function.body, &mut scope)
    })
}

struct Checker<'a> {
    listed: &'a BTreeSet<u16>,
    states: &'a BTreeSet<u16>,
}

impl Checker<'_> {
    fn all(&self, expressions: Vec<&Expression>, scope: &[LocalId]) -> bool {
        let mut valid = true;
        for expression in expressions {
            expression.each(&mut |it| {
                valid &= match &it.kind {
                    Kind::Local(id) => scope.contains(id),
                    Kind::State(id) => self.states.contains(id),
                    Kind::Call { function, .. } | Kind::CallOn { function, .. } => {
                        self.listed.contains(function)
                    }
                    Kind::Function(id, _) | Kind::Selector(id) | Kind::SelectorOf(id, _) => {
                        self.listed.contains(id)
                    }
                    Kind::Abi(
                        AbiKind::WithSelector(id) | AbiKind::WithSignature(id) | AbiKind::Call(id),
                        _,
                    ) => self.listed.contains(id),
                    Kind::Getter { state, .. } => self.states.contains(state),
                    _ => true,
                };
            });
        }
        valid
    }

    fn body(&self, body: &[Statement], scope: &mut Vec<LocalId>) -> bool {
        let outer = scope.len();
        let mut valid = true;
        for statement in body {
            // The test of `do … while` is outside of its body, but its counter is not.
            match statement {
                Statement::While { counter, .. } | Statement::For { counter, .. } => {
                    let before = scope.len();
                    scope.push(*counter);
                    valid &= self.all(statement.expressions(), scope);
                    valid &= statement.bodies().into_iter().all(|body| self.body(body, scope));
                    scope.truncate(before);
                }
                Statement::Try { call, results, body, catches } => {
                    valid &= self.all(vec![call], scope);
                    let before = scope.len();
                    scope.extend(results);
                    valid &= self.body(body, scope);
                    scope.truncate(before);
                    for (kind, body) in catches {
                        match kind {
                            CatchKind::Error(id) | CatchKind::Panic(id) | CatchKind::Data(id) => {
                                scope.push(*id);
                            }
                            CatchKind::All => {}
                        }
                        valid &= self.body(body, scope);
                        scope.truncate(before);
                    }
                }
                Statement::Assembly(block) => {
                    for it in block {
                        valid &= it.locals().iter().all(|id| scope.contains(id));
                        if let Assembly::Store(id, _) = it {
                            valid &= self.states.contains(id);
                        }
                        it.word().reads(&mut |word| match word {
                            Word::Local(id) => valid &= scope.contains(id),
                            Word::Load(id) => valid &= self.states.contains(id),
                            _ => {}
                        });
                    }
                }
                statement => {
                    valid &= self.all(statement.expressions(), scope);
                    valid &= statement.bodies().into_iter().all(|body| self.body(body, scope));
                    match statement {
                        Statement::Let(id, _) => scope.push(*id),
                        Statement::LetMany(ids, _) => scope.extend(ids.iter().flatten()),
                        _ => {}
                    }
                }
            }
        }
        scope.truncate(outer);
        valid
    }
}
