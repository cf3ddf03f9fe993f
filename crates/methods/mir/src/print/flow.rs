//! The blocks of a function as nested code: after the dominator tree, with labelled blocks where paths
//! join, and `loop` for loops.

use super::super::program::{Function, Operand, Terminator};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Node<'a> {
    /// The statements of a block, and its call or record.
    Block(usize),
    Match {
        on: &'a Operand,
        arms: Vec<(u128, Vec<Node<'a>>)>,
        otherwise: Vec<Node<'a>>,
    },
    /// What is inside goes on after it by `break`.
    Label(usize, Vec<Node<'a>>),
    /// The number is that of the first block.
    Loop(usize, Vec<Node<'a>>),
    /// Out of a label.
    Break(usize),
    /// Out of a loop, to what comes right after it.
    Leave(usize),
    Continue(usize),
    Return,
    Unreachable,
}

/// None if the blocks can not be nested: there are cleanup blocks, tail calls, or a loop with two entries.
pub(super) fn structure(function: &Function) -> Option<Vec<Node<'_>>> {
    let flow = Flow::new(function)?;
    Some(flow.tree(0, None))
}

struct Flow<'a> {
    function: &'a Function,
    /// Where a block stands in reverse postorder, if it can be reached.
    order: Vec<Option<usize>>,
    /// Is jumped to from further down.
    header: Vec<bool>,
    /// Stands behind a label, instead of at the one jump to it.
    labelled: Vec<bool>,
    /// The heads of the loops that a block is in, from the outside in.
    loops: Vec<Vec<usize>>,
    /// What stands after a block (or after the loop that it heads), in order.
    children: Vec<Vec<usize>>,
}

impl<'a> Flow<'a> {
    fn new(function: &'a Function) -> Option<Self> {
        let count = function.blocks.len();
        let sequence = reverse_postorder(function)?;
        let mut order = vec![None; count];
        for (position, block) in sequence.iter().enumerate() {
            order[*block] = Some(position);
        }
        let mut before: Vec<Vec<usize>> = vec![vec![]; count];
        for block in &sequence {
            for target in function.blocks[*block].terminator.targets() {
                before[target].push(*block);
            }
        }
        let above = dominators(&sequence, &order, &before);
        let dominates = |upper: usize, mut lower: usize| {
            while lower != upper && lower != 0 {
                lower = above[lower];
            }
            lower == upper
        };
        let back = |from: usize, to: usize| order[from] >= order[to];
        let mut header = vec![false; count];
        let mut loops: Vec<Vec<usize>> = vec![vec![]; count];
        for block in &sequence {
            let mut ends: Vec<usize> =
                before[*block].iter().copied().filter(|from| back(*from, *block)).collect();
            if ends.iter().any(|end| !dominates(*block, *end)) {
                return None;
            }
            header[*block] = !ends.is_empty();
            while let Some(inside) = ends.pop() {
                if !loops[inside].contains(block) {
                    loops[inside].push(*block);
                    if inside != *block {
                        ends.extend(&before[inside]);
                    }
                }
            }
        }
        let mut labelled = vec![false; count];
        let mut children: Vec<Vec<usize>> = vec![vec![]; count];
        for block in sequence.iter().skip(1) {
            let forward = before[*block].iter().filter(|from| !back(**from, *block)).count();
            let left = loops[above[*block]].iter().find(|head| !loops[*block].contains(head));
            labelled[*block] = forward > 1 || left.is_some();
            if labelled[*block] {
                children[left.copied().unwrap_or(above[*block])].push(*block);
            }
        }
        Some(Self { function, order, header, labelled, loops, children })
    }

    /// A block and what it dominates; `follow` is where falling off the end leads.
    fn tree(&self, block: usize, follow: Option<usize>) -> Vec<Node<'a>> {
        if !self.header[block] {
            let mut nodes = vec![Node::Block(block)];
            nodes.extend(
                self.around(&self.children[block], follow, |follow| self.terminator(block, follow)),
            );
            return nodes;
        }
        let (after, inside): (Vec<usize>, Vec<usize>) =
            self.children[block].iter().partition(|child| !self.loops[**child].contains(&block));
        self.around(&after, follow, |_| {
            let mut body = vec![Node::Block(block)];
            body.extend(self.around(&inside, Some(block), |follow| self.terminator(block, follow)));
            vec![Node::Loop(block, body)]
        })
    }

    /// Some code in labelled blocks, each followed by what its label is of.
    fn around(
        &self,
        children: &[usize],
        follow: Option<usize>,
        code: impl FnOnce(Option<usize>) -> Vec<Node<'a>>,
    ) -> Vec<Node<'a>> {
        let mut nodes = code(children.first().copied().or(follow));
        for (index, child) in children.iter().enumerate() {
            nodes = label(*child, nodes);
            nodes.extend(self.tree(*child, children.get(index + 1).copied().or(follow)));
        }
        nodes
    }

    fn terminator(&self, block: usize, follow: Option<usize>) -> Vec<Node<'a>> {
        let jump = |target: usize| self.jump(block, target, follow);
        match &self.function.blocks[block].terminator {
            Terminator::Goto(target)
            | Terminator::Call { target, .. }
            | Terminator::Drop { target, .. }
            | Terminator::Record { target, .. } => jump(*target),
            Terminator::Switch { arms, otherwise, .. } if arms.is_empty() => jump(*otherwise),
            Terminator::Switch { on, arms, otherwise } => {
                let arms = arms.iter().map(|(bits, target)| (*bits, jump(*target))).collect();
                vec![Node::Match { on, arms, otherwise: jump(*otherwise) }]
            }
            Terminator::Return => vec![Node::Return],
            _ => vec![Node::Unreachable],
        }
    }

    fn jump(&self, from: usize, to: usize, follow: Option<usize>) -> Vec<Node<'a>> {
        if follow == Some(to) {
            vec![]
        } else if self.order[from] >= self.order[to] {
            vec![Node::Continue(to)]
        } else if self.labelled[to] {
            vec![Node::Break(to)]
        } else {
            self.tree(to, follow)
        }
    }
}

/// A labelled block, if anything leaves it by its label. A loop alone in one needs no label but its own.
fn label(of: usize, mut nodes: Vec<Node<'_>>) -> Vec<Node<'_>> {
    if let [Node::Loop(head, body)] = nodes.as_mut_slice() {
        let head = *head;
        each(body, &mut |node| {
            if *node == Node::Break(of) {
                *node = Node::Leave(head);
            }
        });
        return nodes;
    }
    let mut used = false;
    each(&mut nodes, &mut |node| used |= *node == Node::Break(of));
    if used { vec![Node::Label(of, nodes)] } else { nodes }
}

fn each<'a>(nodes: &mut [Node<'a>], visit: &mut impl FnMut(&mut Node<'a>)) {
    for node in nodes {
        visit(node);
        match node {
            Node::Match { arms, otherwise, .. } => {
                for (_, arm) in arms {
                    each(arm, visit);
                }
                each(otherwise, visit);
            }
            Node::Label(_, inside) | Node::Loop(_, inside) => each(inside, visit),
            _ => {}
        }
    }
}

/// The blocks that can be reached; none if one of them is nothing for plain Rust.
fn reverse_postorder(function: &Function) -> Option<Vec<usize>> {
    let mut seen = vec![false; function.blocks.len()];
    let mut done = vec![];
    let mut open = vec![(0, 0)];
    *seen.first_mut()? = true;
    while let Some((block, position)) = open.last_mut() {
        let one = function.blocks.get(*block)?;
        let other = matches!(
            one.terminator,
            Terminator::TailCall { .. } | Terminator::Resume | Terminator::Terminate(_)
        );
        if other || one.cleanup {
            return None;
        }
        let targets = one.terminator.targets();
        if let Some(target) = targets.get(*position) {
            *position += 1;
            if !std::mem::replace(seen.get_mut(*target)?, true) {
                open.push((*target, 0));
            }
        } else {
            done.push(*block);
            open.pop();
        }
    }
    done.reverse();
    Some(done)
}

/// The immediate dominator of each block.
fn dominators(sequence: &[usize], order: &[Option<usize>], before: &[Vec<usize>]) -> Vec<usize> {
    let mut above: Vec<Option<usize>> = vec![None; order.len()];
    above[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for block in sequence.iter().skip(1) {
            let mut found: Option<usize> = None;
            for from in before[*block].iter().filter(|from| above[**from].is_some()) {
                let (mut left, mut right) = (*from, found.unwrap_or(*from));
                while left != right {
                    let lower = if order[left] > order[right] { &mut left } else { &mut right };
                    *lower = above[*lower].unwrap_or(0);
                }
                found = Some(left);
            }
            changed |= above[*block] != found;
            above[*block] = found;
        }
    }
    above.into_iter().map(|block| block.unwrap_or(0)).collect()
}
