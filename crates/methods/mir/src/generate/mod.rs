//! Generates programs in lockstep with the interpreter: every statement has run before the next one is drawn. So all
//! values are known, undefined behaviour is never generated, loops iterate, and functions are called again with other
//! arguments.
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

use super::interpret::{At, Interpreter, Scope};
use super::program::{
    Block, Function, Inlining, Local, Operand, Place, Program, Projection, Rvalue, Statement,
    Terminator, Unwind,
};
use super::types::{Adt, Shape, TypeId, Types};
use body::{Body, Mark};
#[cfg(test)]
pub(super) use by_value::has_padding;
use constant::ConstDomain;
use places::Paths;
use swarm::Swarm;
use types::Palette;

/// The most steps while a program is generated; programs need far fewer.
const FUEL: u64 = 1 << 40;

/// The deepest call stack while a program is generated.
const DEPTH: usize = 5;

/// Printed lines of every program that are not in its functions.
const AROUND: i64 = 5;

/// The first function has at least this line budget, however short the program is to be.
const LEAST: i64 = 24;

/// Printed lines of the end of a function, which records values and returns.
const END: i64 = 10;

/// A program of about `lines` printed lines, or of a size that is drawn.
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
        lines_left: (swarm.lines - AROUND - declared as i64).max(LEAST),
        entropy,
        swarm,
        palette,
        paths: Paths::default(),
        interpreter: Interpreter::new(FUEL),
        program,
        depth: 0,
        restricted: false,
        in_cleanup: false,
        callable: vec![],
        instances: vec![],
        const_domains: vec![],
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
    interpreter: Interpreter,
    program: Program,
    /// The remaining budget of printed lines.
    lines_left: i64,
    /// The depth of the call stack.
    depth: usize,
    /// No new loops and functions are generated here.
    restricted: bool,
    /// In a cleanup block.
    in_cleanup: bool,
    /// The complete functions, in the order of completion.
    callable: Vec<Callable>,
    /// The instances of generic functions that were called.
    instances: Vec<(usize, Vec<TypeId>)>,
    /// Which const arguments the functions with const parameters are defined for.
    const_domains: Vec<ConstDomain>,
    /// The functions that combine all elements of an array into one number, by the type of the array.
    digests: Vec<(TypeId, usize)>,
}

/// A function that can be called again.
#[derive(Clone, Copy, Debug)]
struct Callable {
    number: usize,
    generics: usize,
    /// Steps of its first run, with all calls in it.
    steps: u64,
    /// It panicked in its first run.
    panics: bool,
}

/// The state of the generator, to return to.
struct Snapshot {
    interpreter: Interpreter,
    functions: usize,
    callable: usize,
    instances: usize,
    lines_left: i64,
    mark: Mark,
}

impl Generator<'_> {
    fn generate_all(&mut self) {
        self.interpreter.set_statics(&self.program);
        let main = self.reserve();
        self.add_helper_functions();
        let mut signature = vec![Types::UNIT];
        for _ in 0..self.entropy.between(2, 6) {
            let of = self.scalar_type();
            signature.push(of);
            let constant = types::constant(self.entropy, of, &self.program.types);
            self.program.arguments.push(constant);
        }
        let arguments: Vec<Operand> =
            self.program.arguments.iter().map(|constant| Operand::Constant(*constant)).collect();
        // The caller of the first function: a frame with a place for the result.
        let mut caller = super::interpret::Frame::default();
        self.interpreter.add_local(&self.program.types, &mut caller, Types::UNIT, true);
        let scope = Scope { types: &self.program.types, locals: &[Types::UNIT] };
        let destination = Place::local(0);
        let begun =
            self.interpreter.begin_call(scope, &mut caller, &signature, &arguments, &destination);
        if let Ok(frame) = begun {
            self.generate_function(main, &signature, frame, self.lines_left.max(LEAST), false);
        }
        self.add_debug_info();
    }

    /// Reserves the number of a function that is not generated yet.
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

    /// Generates a function while it runs for the first time. The line budget includes the functions that are
    /// generated for it, so that a failed call discards little.
    fn generate_function(
        &mut self,
        number: usize,
        signature: &[TypeId],
        frame: super::interpret::Frame,
        lines: i64,
        panics: bool,
    ) -> super::interpret::Frame {
        let mut body = Body::new(number, signature, frame);
        for local in 1..signature.len() {
            body.index_places(local, &self.program.types, &mut self.paths);
        }
        if signature[0] != Types::UNIT {
            body.index_places(0, &self.program.types, &mut self.paths);
        }
        self.depth += 1;
        let fuel = self.interpreter.fuel;
        let others = (self.lines_left - lines).max(0);
        self.lines_left -= others;
        let before = self.lines_left;
        let own = self.swarm.function.min(lines);
        // The first function grows until the program has its size.
        let rounds = if number == 0 { 400 } else { 40 };
        if number == 0 {
            self.shapes_for_llvm(&mut body);
        }
        for _ in 0..rounds {
            let lines_for_generic_calls =
                if number == 0 { self.lines_for_generic_calls() } else { 0 };
            let used = before - self.lines_left + body.lines + END + lines_for_generic_calls;
            let spent = if number == 0 { body.lines > 300 } else { body.lines > own };
            if used >= lines || (spent && (number != 0 || self.lines_left <= body.lines)) {
                break;
            }
            for _ in 0..self.entropy.between(1, self.swarm.stretch) {
                self.statement(&mut body);
            }
            // In a small program a branch would take a third of the lines.
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
        if panics {
            self.panic_at_end(&mut body);
        } else {
            self.finish(&mut body);
        }
        self.depth -= 1;
        self.lines_left += others - body.lines;
        let steps = fuel - self.interpreter.fuel;
        self.callable.push(Callable { number, generics: 0, steps, panics });
        let frame = std::mem::take(&mut body.frame);
        let inlining = match self.entropy.below(8) {
            0 if self.swarm.inlining => Inlining::Never,
            1 if self.swarm.inlining && body.blocks.len() < 20 => Inlining::Always,
            _ => Inlining::Free,
        };
        self.program.functions[number] = body.finish(inlining);
        frame
    }

    /// The enabled shapes for LLVM, at the start of the program: they are too long to fit in later by chance.
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
        self.interpreter.add_local(&self.program.types, &mut body.frame, of, true);
        self.declare(body, of)
    }

    /// Declares a local without allocating its storage.
    fn declare(&mut self, body: &mut Body, of: TypeId) -> Local {
        let local = body.declare(of);
        body.index_places(local, &self.program.types, &mut self.paths);
        local
    }

    /// Runs a statement, and appends it to the block if it is defined.
    fn execute(&mut self, body: &mut Body, statement: Statement) -> bool {
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let done = self.interpreter.statement(scope, &mut body.frame, &statement).is_ok();
        if done {
            if let Statement::Assign(place, rvalue) = &statement {
                let complexity = complexity(body, rvalue);
                body.complexity[place.local] = if place.projections.is_empty() {
                    complexity
                } else {
                    body.complexity[place.local].max(complexity)
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

    /// Whether an assignment would copy a value onto itself, which `-Zlint-mir` rejects even for scalars. Copies
    /// through pointers count, also in dead blocks: rustc may replace a dereference by the place that it points to.
    /// In tidy programs, copies within one local count as well.
    fn is_self_copy(&self, body: &Body, place: &Place, rvalue: &Rvalue) -> bool {
        if !rvalue.copies() {
            return false;
        }
        // Places that cannot be resolved now are compared by their projections.
        let same = |operand: &&Operand| {
            operand.place().is_some_and(|from| place.contains(from) || from.contains(place))
        };
        self.swarm.tidy && is_within_local(place, rvalue)
            || self.interpreter.may_overlap(
                body.scope(&self.program.types),
                &body.frame,
                place,
                rvalue,
            )
            || rvalue.operands().iter().any(same)
    }

    /// Ends the block, runs the terminator, and continues in the block that it leads to.
    fn follow(&mut self, body: &mut Body, terminator: Terminator) -> bool {
        let at = At { function: body.number, block: body.current };
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let next =
            self.interpreter.terminator(&self.program, at, scope, &mut body.frame, &terminator);
        let Ok(next) = next else { return false };
        body.close(terminator);
        body.current = next;
        true
    }

    fn snapshot(&self, body: &Body) -> Snapshot {
        Snapshot {
            interpreter: self.interpreter.clone(),
            functions: self.program.functions.len(),
            callable: self.callable.len(),
            instances: self.instances.len(),
            lines_left: self.lines_left,
            mark: body.mark(),
        }
    }

    fn restore(&mut self, body: &mut Body, snapshot: Snapshot) {
        self.interpreter = snapshot.interpreter;
        self.program.functions.truncate(snapshot.functions);
        self.callable.truncate(snapshot.callable);
        self.instances.truncate(snapshot.instances);
        self.lines_left = snapshot.lines_left;
        body.reset(snapshot.mark);
    }

    /// A block of statements that are not run now.
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

/// Whether a value is copied from the local that it is assigned to, or indexed by it. rustc's `-Zlint-mir` takes all
/// parts of a local for the same memory.
fn is_within_local(place: &Place, rvalue: &Rvalue) -> bool {
    let indirect = |place: &Place| place.projections.first() == Some(&Projection::Deref);
    let same_local = |from: &Place| {
        let index = Projection::Index(place.local);
        from.local == place.local && !indirect(from) || from.projections.contains(&index)
    };
    !indirect(place)
        && rvalue.operands().iter().any(|operand| operand.place().is_some_and(same_local))
}

/// The complexity of a value: the sum over its operands, where a constant counts as one.
fn complexity(body: &Body, rvalue: &Rvalue) -> u32 {
    let of = |place: &Place| body.complexity[place.local];
    let operands: u32 = rvalue.operands().iter().map(|operand| operand.place().map_or(1, of)).sum();
    let place = rvalue.place().map_or(0, of);
    (operands + place).clamp(1, body::MAX_COMPLEXITY)
}
