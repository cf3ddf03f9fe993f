//! Makes programs in lockstep with the interpreter: every statement is executed as soon as it is chosen, on
//! the values that the program really has there, and is dropped if it would be undefined. So values are
//! known, switches have one target that is taken and decoys that are not, loops really iterate, and whatever
//! is made has a behaviour.

mod body;
mod control;
mod statement;
mod swarm;
mod types;

use super::FUEL;
use super::interpret::{Frame, Machine, Value};
use super::layout;
use super::program::{Constant, Function, Program, Terminator};
use super::types::{Int, Type};
use crate::Entropy;
use body::Body;
use swarm::Swarm;

pub(super) fn program(entropy: &mut Entropy) -> Program {
    let swarm = Swarm::draw(entropy);
    let adts = types::adts(entropy, &swarm);
    let program = Program { adts, functions: vec![], arguments: vec![] };
    let machine = Machine::new(FUEL / 2);
    let mut generator = Generator { entropy, swarm, program, machine };
    let mut types = vec![];
    for _ in 0..generator.entropy.between(2, 5) {
        let of = types::scalar(generator.entropy);
        let bits = types::bits(generator.entropy, &of);
        generator.program.arguments.push(Constant { of: of.clone(), bits });
        types.push(of);
    }
    let values = generator.program.arguments.iter().map(|it| Value::Bits(it.bits)).collect();
    generator.function(&types, values, &Type::Int(Int::U64));
    generator.program
}

struct Generator<'e> {
    entropy: &'e mut Entropy,
    swarm: Swarm,
    program: Program,
    machine: Machine,
}

impl Generator<'_> {
    /// Makes a function for these arguments, and gives what it returns for them.
    fn function(
        &mut self,
        parameters: &[Type],
        arguments: Vec<Value>,
        returns: &Type,
    ) -> Option<Value> {
        let number = self.program.functions.len();
        // Holds the place of the function while those that it calls are made.
        self.program.functions.push(Function { locals: vec![], parameters: 0, blocks: vec![] });
        let mut body = Body::new(number, returns, parameters);
        for of in &body.locals {
            let allocation = self.machine.memory.allocate(layout::size(of, &self.program.adts));
            body.frame.locals.push(Some(allocation));
        }
        for (index, argument) in arguments.into_iter().enumerate() {
            let (at, of) = self.whole(&body, index + 1)?;
            self.machine.store(at, &of, argument, &self.program.adts).ok()?;
        }
        let rounds = self.entropy.between(1, self.swarm.rounds);
        for _ in 0..rounds {
            for _ in 0..self.entropy.between(1, self.swarm.statements) {
                self.statement(&mut body);
            }
            self.control(&mut body);
        }
        if number == 0 {
            self.hash(&mut body);
        } else {
            self.give(&mut body, returns);
        }
        body.close(Terminator::Return);
        let (at, of) = self.whole(&body, 0)?;
        let value = self.machine.load(at, &of, &self.program.adts).ok();
        for allocation in std::mem::take(&mut body.frame).locals.into_iter().flatten() {
            self.machine.memory.free(allocation);
        }
        self.program.functions[number] = body.finish();
        value
    }

    /// Where a local is as a whole.
    fn whole(&self, body: &Body, local: usize) -> Option<(super::memory::Pointer, Type)> {
        let place = super::program::Place::local(local);
        self.machine.place(body.scope(&self.program.adts), &body.frame, &place).ok()
    }
}

/// What has to be restored when an attempt fails.
struct Snapshot {
    machine: Machine,
    frame: Frame,
    body: body::Mark,
    functions: usize,
}

impl Generator<'_> {
    fn snapshot(&self, body: &Body) -> Snapshot {
        Snapshot {
            machine: self.machine.clone(),
            frame: body.frame.clone(),
            body: body.mark(),
            functions: self.program.functions.len(),
        }
    }

    fn restore(&mut self, body: &mut Body, snapshot: Snapshot) {
        self.machine = snapshot.machine;
        body.frame = snapshot.frame;
        body.reset(snapshot.body);
        self.program.functions.truncate(snapshot.functions);
    }
}
