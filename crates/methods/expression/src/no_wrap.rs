//! Which operators of a program never overflow or have a remainder on its inputs. Languages have forms of operators for which
//! that would be undefined (LLVM's `nsw`, `nuw` and `exact`, Zig's operators without `%`): optimisers assume it, checked
//! builds panic. It holds for these inputs only, and is computed again whenever they change.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::edge_cases::{self, EdgeCases};
use super::program::{Body, Step};
use super::run::{Arithmetic, run};
use identity::kernel::{Node, TermId, Terms};

/// What an operator never does.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NoWrap {
    /// It does not overflow as an operator on unsigned and on signed numbers.
    pub unsigned: bool,
    pub signed: bool,
    /// No bit is shifted out to the right, and a division has no remainder.
    pub exact: bool,
}

/// By operator. What holds for one that occurs several times holds for all occurrences.
pub(super) fn no_wrap(
    terms: &Terms,
    body: &Body,
    rows: &[Vec<BigInt>],
    arithmetic: Arithmetic,
) -> HashMap<Node, NoWrap> {
    let mut no_wrap = HashMap::new();
    let Some(runs) = run(terms, body, rows, arithmetic, true) else { return no_wrap };
    let mut all = EdgeCases::default();
    runs.edge_cases.iter().for_each(|edge_cases| all.join(edge_cases));
    let mut place = 0;
    for roots in evaluated(body) {
        for term in terms.in_order(&roots) {
            let here = edge_cases::no_wrap(&all, place);
            let known = no_wrap.entry(terms.node(term)).or_insert(here);
            *known = NoWrap {
                unsigned: known.unsigned && here.unsigned,
                signed: known.signed && here.signed,
                exact: known.exact && here.exact,
            };
            place += 1;
        }
    }
    no_wrap
}

/// The terms that are evaluated together, in the order in which that happens first.
fn evaluated(body: &Body) -> Vec<Vec<TermId>> {
    let mut all = vec![];
    for step in &body.steps {
        match step {
            Step::Let { term } => all.push(vec![*term]),
            Step::Loop { start, body, .. } => all.extend([vec![*start], vec![*body]]),
            Step::Call { arguments, body, .. } => all.extend([arguments.clone(), vec![*body]]),
        }
    }
    all.push(vec![body.result]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::TrapKinds;
    use identity::kernel::{Extent, Op, Semantics};

    /// A sum in a helper that is called twice, and a shift.
    #[test]
    fn no_wrap_holds_for_all_inputs_and_all_occurrences_of_an_operator() {
        let mut terms = Terms::new();
        let width = Extent::fixed(8);
        let [a, first] = [0, 1].map(|variable| terms.variable(variable, width));
        let inside = terms.variable(super::super::program::HELPER, width);
        let hundred = terms.literal(100, width);
        let two = terms.literal(2, width);
        let sum = terms.apply(Op::Add, &[inside, hundred]);
        let shifted = terms.apply(Op::Lshr, &[a, two]);
        let call = |argument| Step::Call {
            arguments: vec![argument],
            body: sum,
            inline: super::super::Inline::Free,
        };
        let steps = vec![call(a), call(first)];
        let body = Body { steps, result: shifted };
        let semantics = Semantics::named("llvm").unwrap();
        let arithmetic = Arithmetic { semantics, traps: TrapKinds::Distinct };
        let on = |value: u8, term| {
            let rows = [vec![BigInt::from(value)]];
            no_wrap(&terms, &body, &rows, arithmetic)[&terms.node(term)]
        };
        // 4 + 100 + 100 fits eight unsigned bits only, and 57 + 100 + 100 does not fit at all.
        assert_eq!(on(4, sum), NoWrap { unsigned: true, signed: false, exact: true });
        assert_eq!(on(57, sum), NoWrap { unsigned: false, signed: false, exact: true });
        assert_eq!((on(4, shifted).exact, on(5, shifted).exact), (true, false));
    }
}
