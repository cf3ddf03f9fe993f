//! Where the blocks of a function begin that get a flag: those which are not certainly reached when an earlier one is.
//! These are the function itself, the branches of an `if`, what follows a conditional branch, and what follows a construct
//! that a branch can leave past its end. Calls are taken to return.

use wasmparser::{BinaryReaderError, FunctionBody, Operator};

/// A construct that is not yet ended.
struct Frame {
    is_loop: bool,
    /// Whether a branch inside goes past its end, or ends there without an end.
    is_left: bool,
    /// Whether a branch goes to its end.
    is_target: bool,
    /// Whether its beginning could be reached.
    is_live: bool,
    /// Whether its end is reached by falling through one of its parts.
    falls: bool,
    has_else: bool,
    is_if: bool,
}

/// The positions in the module, in order.
pub(super) fn starts_of_blocks(body: &FunctionBody<'_>) -> Result<Vec<u64>, BinaryReaderError> {
    let mut reader = body.get_operators_reader()?;
    let mut starts = vec![reader.original_position()];
    let mut frames: Vec<Frame> = vec![frame(true)];
    let mut is_live = true;
    while !reader.eof() {
        let operator = reader.read()?;
        let after = reader.original_position();
        match operator {
            Operator::Block { .. } | Operator::TryTable { .. } => frames.push(frame(is_live)),
            // A handler makes anything possible.
            Operator::Try { .. } => frames.push(Frame { is_left: true, ..frame(is_live) }),
            Operator::Loop { .. } => frames.push(Frame { is_loop: true, ..frame(is_live) }),
            Operator::If { .. } => {
                frames.push(Frame { is_if: true, ..frame(is_live) });
                if is_live {
                    starts.push(after);
                }
            }
            Operator::Else => {
                let Some(frame) = frames.last_mut() else { break };
                frame.falls |= is_live;
                frame.has_else = true;
                is_live = frame.is_live;
                if is_live {
                    starts.push(after);
                }
            }
            Operator::Catch { .. } | Operator::CatchAll | Operator::Delegate { .. } => {
                let Some(frame) = frames.last_mut() else { break };
                frame.falls |= is_live;
                is_live = frame.is_live;
                if matches!(operator, Operator::Delegate { .. }) {
                    frames.pop();
                }
                if is_live {
                    starts.push(after);
                }
            }
            Operator::End => {
                let Some(ended) = frames.pop() else { break };
                let skips = ended.is_if && !ended.has_else;
                is_live = ended.is_live && (is_live || ended.falls || ended.is_target || skips);
                if frames.is_empty() {
                    break;
                }
                if is_live && ended.is_left {
                    starts.push(after);
                }
            }
            // What cannot be reached leaves nothing.
            _ if !is_live => {}
            Operator::Br { relative_depth } => {
                leave(&mut frames, relative_depth);
                is_live = false;
            }
            Operator::BrTable { ref targets } => {
                leave(&mut frames, targets.default());
                for target in targets.targets() {
                    leave(&mut frames, target?);
                }
                is_live = false;
            }
            Operator::BrIf { relative_depth } => {
                leave(&mut frames, relative_depth);
                starts.push(after);
            }
            Operator::Return
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. }
            | Operator::Unreachable
            | Operator::Throw { .. }
            | Operator::ThrowRef
            | Operator::Rethrow { .. } => {
                frames.iter_mut().for_each(|frame| frame.is_left = true);
                is_live = false;
            }
            _ => {}
        }
    }
    Ok(starts)
}

fn frame(is_live: bool) -> Frame {
    Frame {
        is_loop: false,
        is_left: false,
        is_target: false,
        is_live,
        falls: false,
        has_else: false,
        is_if: false,
    }
}

/// A branch leaves all constructs inside of the one that it targets. A branch to a loop starts that again.
fn leave(frames: &mut [Frame], depth: u32) {
    let depth = depth as usize;
    let count = frames.len();
    frames.iter_mut().rev().take(depth).for_each(|frame| frame.is_left = true);
    if depth < count {
        let target = &mut frames[count - 1 - depth];
        target.is_target |= !target.is_loop;
    }
}
