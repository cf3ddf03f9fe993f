//! The control-flow graph of a function as nested code: along the dominator tree, with labelled blocks where paths
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
    /// A labelled block, whose content jumps to its end by `break`.
    Label(usize, Vec<Node<'a>>),
    /// A loop, with the number of its header.
    Loop(usize, Vec<Node<'a>>),
    /// `break` out of a labelled block.
    Break(usize),
    /// `break` out of a loop.
    BreakLoop(usize),
    Continue(usize),
    Return,
    Unreachable,
}

/// None if the blocks cannot be nested: there are cleanup blocks, tail calls, or an irreducible loop.
pub(super) fn structure(function: &Function) -> Option<Vec<Node<'_>>> {
    let flow = Flow::new(function)?;
    Some(flow.tree(0, None))
}

struct Flow<'a> {
    function: &'a Function,
    /// The position of a block in reverse postorder, if it is reachable.
    order: Vec<Option<usize>>,
    /// Whether a block is the target of a back edge.
    header: Vec<bool>,
    /// Whether a block is printed after a labelled block, instead of in place of the only jump to it.
    labelled: Vec<bool>,
    /// The headers of the loops around a block, outermost first.
    loops: Vec<Vec<usize>>,
    /// The labelled blocks that are printed after a block (or after the loop that it heads), in order.
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
        let mut predecessors: Vec<Vec<usize>> = vec![vec![]; count];
        for block in &sequence {
            for target in function.blocks[*block].terminator.targets() {
                predecessors[target].push(*block);
            }
        }
        let idom = dominators(&sequence, &order, &predecessors);
        let dominates = |upper: usize, mut lower: usize| {
            while lower != upper && lower != 0 {
                lower = idom[lower];
            }
            lower == upper
        };
        let back = |from: usize, to: usize| order[from] >= order[to];
        let mut header = vec![false; count];
        let mut loops: Vec<Vec<usize>> = vec![vec![]; count];
        for block in &sequence {
            let mut latches: Vec<usize> =
                predecessors[*block].iter().copied().filter(|from| back(*from, *block)).collect();
            if latches.iter().any(|end| !dominates(*block, *end)) {
                return None;
            }
            header[*block] = !latches.is_empty();
            while let Some(inside) = latches.pop() {
                if !loops[inside].contains(block) {
                    loops[inside].push(*block);
                    if inside != *block {
                        latches.extend(&predecessors[inside]);
                    }
                }
            }
        }
        let mut labelled = vec![false; count];
        let mut children: Vec<Vec<usize>> = vec![vec![]; count];
        for block in sequence.iter().skip(1) {
            let forward = predecessors[*block].iter().filter(|from| !back(**from, *block)).count();
            let left_loop = loops[idom[*block]].iter().find(|head| !loops[*block].contains(head));
            labelled[*block] = forward > 1 || left_loop.is_some();
            if labelled[*block] {
                children[left_loop.copied().unwrap_or(idom[*block])].push(*block);
            }
        }
        Some(Self { function, order, header, labelled, loops, children })
    }

    /// A block and what it dominates; `follow` is the block that control reaches by falling off the end.
    fn tree(&self, block: usize, follow: Option<usize>) -> Vec<Node<'a>> {
        if !self.header[block] {
            let mut nodes = vec![Node::Block(block)];
            nodes.extend(self.with_labels(&self.children[block], follow, |follow| {
                self.terminator(block, follow)
            }));
            return nodes;
        }
        let (after, inside): (Vec<usize>, Vec<usize>) =
            self.children[block].iter().partition(|child| !self.loops[**child].contains(&block));
        self.with_labels(&after, follow, |_| {
            let mut body = vec![Node::Block(block)];
            body.extend(
                self.with_labels(&inside, Some(block), |follow| self.terminator(block, follow)),
            );
            vec![Node::Loop(block, body)]
        })
    }

    /// Code nested in labelled blocks, each followed by the block that its label stands for.
    fn with_labels(
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

/// A labelled block, if anything breaks out of it. A single loop in it needs no other label than its own.
fn label(of: usize, mut nodes: Vec<Node<'_>>) -> Vec<Node<'_>> {
    if let [Node::Loop(head, body)] = nodes.as_mut_slice() {
        let head = *head;
        each(body, &mut |node| {
            if *node == Node::Break(of) {
                *node = Node::BreakLoop(head);
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

/// The reachable blocks; none if one of them cannot be expressed in plain Rust.
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
fn dominators(
    sequence: &[usize],
    order: &[Option<usize>],
    predecessors: &[Vec<usize>],
) -> Vec<usize> {
    let mut idom: Vec<Option<usize>> = vec![None; order.len()];
    idom[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for block in sequence.iter().skip(1) {
            let mut found: Option<usize> = None;
            for from in predecessors[*block].iter().filter(|from| idom[**from].is_some()) {
                let (mut left, mut right) = (*from, found.unwrap_or(*from));
                while left != right {
                    let lower = if order[left] > order[right] { &mut left } else { &mut right };
                    *lower = idom[*lower].unwrap_or(0);
                }
                found = Some(left);
            }
            changed |= idom[*block] != found;
            idom[*block] = found;
        }
    }
    idom.into_iter().map(|block| block.unwrap_or(0)).collect()
}
