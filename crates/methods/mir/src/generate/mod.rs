//! Making programs: in lockstep with the interpreter, which has run everything that is there when the next
//! statement is drawn. So values are known, what is undefined is never written, loops really iterate, and
//! functions are called again with other arguments.
//!
//! `swarm.rs` draws what a program is made of, `types.rs` and `parts.rs` its types, `places.rs` finds places to read and
//! write, `rvalue.rs` and `statement.rs` fill a block, `control.rs`, `looping.rs` and `call.rs` end it,
//! `raise.rs`
//! ends it in a panic, `clean.rs` cleans up after one, `tail.rs` ends it in another function, `decoy.rs` makes what never
//! runs. `debug.rs` gives names to what is there, `idiom.rs`, `scarce.rs` and `kernel.rs` write what optimisers look for, `template.rs`
//! functions that are made in one piece, `generic.rs` those of them that are generic, with `constant.rs` for their constant
//! parameters, and `instance.rs` calls these; `object.rs` makes traits and trait objects.
//! `nodes.rs` makes types that point to themselves, `chase.rs` lists of them to go along, and `manual.rs` what is dropped
//! by hand alone.

mod body;
mod call;
mod chase;
mod clean;
mod constant;
mod control;
mod debug;
mod decoy;
mod generic;
mod hidden;
mod idiom;
mod instance;
mod intrinsic;
mod kernel;
mod looping;
mod manual;
mod moving;
mod nodes;
mod object;
mod parts;
mod places;
mod pointer;
mod raise;
mod recursion;
mod rvalue;
mod scarce;
mod statement;
mod swarm;
mod tail;
mod tame;
mod template;
mod types;

use forge::Entropy;

use super::interpret::{At, Machine, Scope};
use super::program::{
    Block, Function, Inlining, Local, Operand, Place, Program, Projection, Rvalue, Statement,
    Terminator, Unwind,
};
use super::types::{Adt, Shape, TypeId, Types};
use body::{Body, Mark};
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
        bridled: false,
        cleaning: false,
        callable: vec![],
        instances: vec![],
        fixings: vec![],
    };
    generator.whole();
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
    /// In something that must come out well: no new loops and functions.
    bridled: bool,
    /// In a cleanup block.
    cleaning: bool,
    /// The functions that are complete, in the order in which they became so.
    callable: Vec<Callable>,
    /// The generic functions that were called, with which types.
    instances: Vec<(usize, Vec<TypeId>)>,
    /// What the functions with constant parameters want of them.
    fixings: Vec<Fixing>,
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

/// Where a program was.
struct Snapshot {
    machine: Machine,
    functions: usize,
    callable: usize,
    instances: usize,
    left: i64,
    mark: Mark,
}

impl Generator<'_> {
    fn whole(&mut self) {
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
        self.name_all();
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
            body.enlist(local, &self.program.types, &mut self.paths);
        }
        if signature[0] != Types::UNIT {
            body.enlist(0, &self.program.types, &mut self.paths);
        }
        self.depth += 1;
        let fuel = self.machine.fuel;
        let others = (self.left - lines).max(0);
        self.left -= others;
        let before = self.left;
        let own = self.swarm.function.min(lines);
        // The first function goes on until the program is as long as it is to be.
        let patience = if number == 0 { 400 } else { 40 };
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
            self.call_the_rest(&mut body);
            self.call_methods(&mut body);
        }
        if raises {
            self.raise(&mut body);
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
        body.enlist(local, &self.program.types, &mut self.paths);
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
        if self.is_idle(body, &place, &rvalue) {
            return false;
        }
        self.execute(body, Statement::Assign(place, rvalue))
    }

    /// Whether something would be copied onto itself: not even of a number does rustc's own check want that. Where pointers lead is no
    /// secret to rustc: it may write the place that they point to instead, and then finds what overlaps also where it never runs. In
    /// tidy programs, also whether it would be copied from beside where it goes.
    fn is_idle(&self, body: &Body, place: &Place, rvalue: &Rvalue) -> bool {
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
    fn aside(&mut self, body: &mut Body, statements: Vec<Statement>, end: Terminator) -> usize {
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
