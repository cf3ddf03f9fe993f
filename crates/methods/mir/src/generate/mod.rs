//! Generates programs in lockstep with the interpreter: every statement has run before the next one is drawn. So all values
//! are known, undefined behaviour is never generated, loops iterate, and functions are called again with other arguments.
//!
//! Configuration: `swarm.rs`. Types: `types.rs`, `parts.rs`, `recursive_types.rs`. Blocks: `places.rs`, `rvalue.rs`,
//! `pointer.rs`, `pointer_arithmetic.rs`, `statement.rs`, `opaque_values.rs`. Terminators: `control.rs`, `loops.rs` with
//! `array_loops.rs`, `call.rs`, `intrinsic.rs` with `no_wrap.rs`, `panics.rs`, `cleanup.rs`, `tail_calls.rs`,
//! `dead_blocks.rs`. Shapes for MIR passes: `idioms.rs`, `rare_shapes.rs`, `linked_lists.rs`, `manually_drop.rs`. Shapes
//! for LLVM: `by_value.rs`, `vector_loops.rs` with `vector_body.rs`, `odd_integers.rs`. Functions built as a whole:
//! `helper_functions.rs`, `function_builder.rs`, `recursion.rs`, `generic.rs` with `constant.rs` and `generic_calls.rs`,
//! `object.rs`. Debug info: `debug.rs`.

mod array_loops;
mod body;
mod by_value;
mod call;
mod cleanup;
mod constant;
mod control;
mod dead_blocks;
mod debug;
mod function_builder;
mod generic;
mod generic_calls;
mod helper_functions;
mod idioms;
mod intrinsic;
mod linked_lists;
mod loops;
mod manually_drop;
mod no_wrap;
mod object;
mod odd_integers;
mod opaque_values;
mod panics;
mod parts;
mod places;
mod pointer;
mod pointer_arithmetic;
mod rare_shapes;
mod recursion;
mod recursive_types;
mod rvalue;
mod statement;
mod swarm;
mod tail_calls;
mod types;
mod vector_body;
mod vector_loops;

use forge::Entropy;

use super::interpret::{At, Machine, Scope};
use super::program::{
    Block, Function, Inlining, Local, Operand, Place, Program, Projection, Rvalue, Statement,
    Terminator, Unwind,
};
use super::types::{Adt, Shape, TypeId, Types};
use body::{Body, Mark};
#[cfg(test)]
pub(super) use by_value::has_padding;
use constant::Fixing;
use places::Paths;
use swarm::Swarm;
use types::Palette;

/// Steps that the making of a program may take in all; programs need far less.
const FUEL: u64 = 1 << 40;

/// Calls that may be under way at once while a program is made.
const DEPTH: usize = 5;

/// Printed lines of every program that are not in its functions.
const AROUND: i64 = 5;

/// However small a program is to be, its first function has so many lines.
const LEAST: i64 = 24;

/// Lines that the end of a function takes, where it shows something and returns.
const END: i64 = 10;

/// A program of about so many printed lines, or of a size of its own choice.
pub(crate) fn program(entropy: &mut Entropy, lines: Option<u64>) -> Program {
    let swarm = Swarm::draw(entropy, lines);
    let mut types = Types::new();
    let palette = types::palette(entropy, &swarm, &mut types);
    let statics = types::statics(entropy, &swarm, &types, &palette);
    let parts = |adt: &Adt| match &adt.shape {
        Shape::Struct(parts) | Shape::Union(parts) => parts.len(),
        Shape::Enum(variants) => variants.len(),
    };
    let declared = types.adts.iter().map(|adt| parts(adt) + 4).sum::<usize>() + statics.len();
    let program = Program { types, statics, traits: vec![], functions: vec![], arguments: vec![] };
    let mut generator = Generator {
        left: (swarm.lines - AROUND - declared as i64).max(LEAST),
        entropy,
        swarm,
        palette,
        paths: Paths::default(),
        machine: Machine::new(FUEL),
        program,
        depth: 0,
        restricted: false,
        cleaning: false,
        callable: vec![],
        instances: vec![],
        fixings: vec![],
        digests: vec![],
    };
    generator.generate_all();
    generator.program
}

struct Generator<'e> {
    entropy: &'e mut Entropy,
    swarm: Swarm,
    palette: Palette,
    paths: Paths,
    machine: Machine,
    program: Program,
    /// Printed lines that are left.
    left: i64,
    /// Calls that are under way.
    depth: usize,
    /// No new loops and functions are generated here.
    restricted: bool,
    /// In a cleanup block.
    cleaning: bool,
    /// The functions that are complete, in the order in which they became so.
    callable: Vec<Callable>,
    /// The generic functions that were called, with which types.
    instances: Vec<(usize, Vec<TypeId>)>,
    /// What functions with const parameters require of these.
    fixings: Vec<Fixing>,
    /// The functions that combine all elements of an array into one number, by the type of the array.
    digests: Vec<(TypeId, usize)>,
}

/// A function that can be called again.
#[derive(Clone, Copy, Debug)]
struct Callable {
    number: usize,
    generics: usize,
    /// Steps that its first run took, with all that it called.
    steps: u64,
    /// It panicked when it was made.
    raises: bool,
}

/// The state of the generator, to return to.
struct Snapshot {
    machine: Machine,
    functions: usize,
    callable: usize,
    instances: usize,
    left: i64,
    mark: Mark,
}

impl Generator<'_> {
    fn generate_all(&mut self) {
        self.machine.set_statics(&self.program);
        let main = self.reserve();
        self.templates();
        let mut signature = vec![Types::UNIT];
        for _ in 0..self.entropy.between(2, 6) {
            let of = self.scalar_type();
            signature.push(of);
            let constant = types::constant(self.entropy, of, &self.program.types);
            self.program.arguments.push(constant);
        }
        let arguments: Vec<Operand> =
            self.program.arguments.iter().map(|constant| Operand::Constant(*constant)).collect();
        // What calls the first function: a frame with a place for the result.
        let mut caller = super::interpret::Frame::default();
        self.machine.add_local(&self.program.types, &mut caller, Types::UNIT, true);
        let scope = Scope { types: &self.program.types, locals: &[Types::UNIT] };
        let destination = Place::local(0);
        let begun =
            self.machine.begin_call(scope, &mut caller, &signature, &arguments, &destination);
        if let Ok(frame) = begun {
            self.fill(main, &signature, frame, self.left.max(LEAST), false);
        }
        self.name_for_debuggers();
    }

    /// A number for a function that is not there yet.
    fn reserve(&mut self) -> usize {
        self.program.functions.push(Function {
            generics: 0,
            constants: vec![],
            inlining: Inlining::Free,
            locals: vec![Types::UNIT],
            parameters: 0,
            blocks: vec![],
            debug: vec![],
        });
        self.program.functions.len() - 1
    }

    /// Makes a function while it runs for the first time. With the functions that are made for it, it has no
    /// more than some lines, so that what is thrown away with it is never much.
    fn fill(
        &mut self,
        number: usize,
        signature: &[TypeId],
        frame: super::interpret::Frame,
        lines: i64,
        raises: bool,
    ) -> super::interpret::Frame {
        let mut body = Body::new(number, signature, frame);
        for local in 1..signature.len() {
            body.index_places(local, &self.program.types, &mut self.paths);
        }
        if signature[0] != Types::UNIT {
            body.index_places(0, &self.program.types, &mut self.paths);
        }
        self.depth += 1;
        let fuel = self.machine.fuel;
        let others = (self.left - lines).max(0);
        self.left -= others;
        let before = self.left;
        let own = self.swarm.function.min(lines);
        // The first function goes on until the program is as long as it is to be.
        let patience = if number == 0 { 400 } else { 40 };
        if number == 0 {
            self.shapes_for_llvm(&mut body);
        }
        for _ in 0..patience {
            let owed = if number == 0 { self.owed() } else { 0 };
            let used = before - self.left + body.lines + END + owed;
            let spent = if number == 0 { body.lines > 300 } else { body.lines > own };
            if used >= lines || (spent && (number != 0 || self.left <= body.lines)) {
                break;
            }
            for _ in 0..self.entropy.between(1, self.swarm.stretch) {
                self.statement(&mut body);
            }
            // A branch is a third of what a small program may have.
            let full = self.swarm.lines < 40 && body.lines + END >= lines;
            if full && self.entropy.chance(1, 3) {
                break;
            }
            self.control(&mut body);
        }
        if number == 0 {
            self.call_remaining_generics(&mut body);
            self.call_methods(&mut body);
        }
        if raises {
            self.panic_at_end(&mut body);
        } else {
            self.finish(&mut body);
        }
        self.depth -= 1;
        self.left += others - body.lines;
        let steps = fuel - self.machine.fuel;
        self.callable.push(Callable { number, generics: 0, steps, raises });
        let frame = std::mem::take(&mut body.frame);
        let inlining = match self.entropy.below(8) {
            0 if self.swarm.inlining => Inlining::Never,
            1 if self.swarm.inlining && body.blocks.len() < 20 => Inlining::Always,
            _ => Inlining::Free,
        };
        self.program.functions[number] = body.finish(inlining);
        frame
    }

    /// Each of these shapes that the program has at all: they are too long for chance to find room for them.
    fn shapes_for_llvm(&mut self, body: &mut Body) {
        if self.swarm.padded {
            self.by_value(body);
        }
        if self.swarm.vectors {
            for _ in 0..self.entropy.between(1, 2) {
                self.vector_loop(body);
            }
        }
        if self.swarm.odd_integers {
            self.odd_integers(body);
        }
    }

    fn scalar_type(&mut self) -> TypeId {
        self.entropy.pick(&self.palette.scalars).copied().unwrap_or(Types::U64)
    }

    fn any_type(&mut self) -> TypeId {
        self.entropy.pick(&self.palette.all).copied().unwrap_or(Types::U64)
    }

    fn new_local(&mut self, body: &mut Body, of: TypeId) -> Local {
        self.machine.add_local(&self.program.types, &mut body.frame, of, true);
        self.declare(body, of)
    }

    /// Everything about a new local but its storage.
    fn declare(&mut self, body: &mut Body, of: TypeId) -> Local {
        let local = body.declare(of);
        body.index_places(local, &self.program.types, &mut self.paths);
        local
    }

    /// Runs a statement, and writes it down if that went well.
    fn execute(&mut self, body: &mut Body, statement: Statement) -> bool {
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let done = self.machine.statement(scope, &mut body.frame, &statement).is_ok();
        if done {
            if let Statement::Assign(place, rvalue) = &statement {
                let weight = weight(body, rvalue);
                body.complexity[place.local] = if place.projections.is_empty() {
                    weight
                } else {
                    body.complexity[place.local].max(weight)
                };
            }
            body.push(statement);
        }
        done
    }

    fn assign(&mut self, body: &mut Body, place: Place, rvalue: Rvalue) -> bool {
        if self.is_self_copy(body, &place, &rvalue) {
            return false;
        }
        self.execute(body, Statement::Assign(place, rvalue))
    }

    /// Whether something would be copied onto itself: not even of a number does rustc's own check want that. Where pointers lead is no
    /// secret to rustc: it may write the place that they point to instead, and then finds what overlaps also where it never runs. In
    /// tidy programs, also whether it would be copied from beside where it goes.
    fn is_self_copy(&self, body: &Body, place: &Place, rvalue: &Rvalue) -> bool {
        if !rvalue.copies() {
            return false;
        }
        // Of what is not there now, nobody can say where it lies.
        let same = |operand: &&Operand| {
            operand.place().is_some_and(|from| place.contains(from) || from.contains(place))
        };
        self.swarm.tidy && is_near(place, rvalue)
            || self.machine.may_overlap(body.scope(&self.program.types), &body.frame, place, rvalue)
            || rvalue.operands().iter().any(same)
    }

    /// Ends the block and goes where the terminator leads.
    fn follow(&mut self, body: &mut Body, terminator: Terminator) -> bool {
        let at = At { function: body.number, block: body.current };
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let next = self.machine.terminator(&self.program, at, scope, &mut body.frame, &terminator);
        let Ok(next) = next else { return false };
        body.close(terminator);
        body.current = next;
        true
    }

    fn snapshot(&self, body: &Body) -> Snapshot {
        Snapshot {
            machine: self.machine.clone(),
            functions: self.program.functions.len(),
            callable: self.callable.len(),
            instances: self.instances.len(),
            left: self.left,
            mark: body.mark(),
        }
    }

    fn restore(&mut self, body: &mut Body, snapshot: Snapshot) {
        self.machine = snapshot.machine;
        self.program.functions.truncate(snapshot.functions);
        self.callable.truncate(snapshot.callable);
        self.instances.truncate(snapshot.instances);
        self.left = snapshot.left;
        body.reset(snapshot.mark);
    }

    /// A block on the side, of statements that never run here.
    fn side_block(
        &mut self,
        body: &mut Body,
        statements: Vec<Statement>,
        end: Terminator,
    ) -> usize {
        let block = body.open();
        body.lines += statements.len() as i64;
        let cleanup = body.blocks[block].cleanup;
        body.blocks[block] = Block { cleanup, statements, terminator: end };
        block
    }
}

/// Whether a value comes from the local that it goes to, or is found by it. rustc's `-Zlint-mir` takes all parts of
/// a local for the same memory.
fn is_near(place: &Place, rvalue: &Rvalue) -> bool {
    let indirect = |place: &Place| place.projections.first() == Some(&Projection::Deref);
    let near = |from: &Place| {
        let index = Projection::Index(place.local);
        from.local == place.local && !indirect(from) || from.projections.contains(&index)
    };
    !indirect(place) && rvalue.operands().iter().any(|operand| operand.place().is_some_and(near))
}

/// How much goes into a value: the sum over its operands, where a constant counts as one.
fn weight(body: &Body, rvalue: &Rvalue) -> u32 {
    let of = |place: &Place| body.complexity[place.local];
    let operands: u32 = rvalue.operands().iter().map(|operand| operand.place().map_or(1, of)).sum();
    let looked_at = rvalue.place().map_or(0, of);
    (operands + looked_at).clamp(1, body::COMPLEX)
}
