//! Executes function bodies and whole programs: terminators, calls, and records.

use super::generic::{self, Locals};
use super::value::Value;
use super::{At, Check, Entry, Frame, Interpreter, Output, Scope, Undefined};
use crate::memory::Pointer;
use crate::program::{
    Callee, Function, Operand, Place, Program, RECORDED, Statement, Terminator, Unwind,
};
use crate::types::{Kind, TypeId, Types};
use crate::{float, scalar};

/// How a function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Return,
    Panic,
}

/// What follows a terminator.
enum Next {
    Block(usize),
    Panic,
}

/// The output of a program, without entries.
pub(crate) fn run(program: &Program, fuel: u64) -> Result<Output, Undefined> {
    let mut interpreter = Interpreter::new(fuel);
    start(program, &mut interpreter)?;
    Ok(Output { hash: interpreter.hash, steps: fuel - interpreter.fuel, entries: vec![] })
}

/// The output of a program, with all entries.
pub(crate) fn run_logged(program: &Program, fuel: u64) -> Result<Output, Undefined> {
    let mut interpreter = Interpreter { entries: Some(vec![]), ..Interpreter::new(fuel) };
    start(program, &mut interpreter)?;
    let (hash, steps) = (interpreter.hash, fuel - interpreter.fuel);
    Ok(Output { hash, steps, entries: interpreter.entries.unwrap_or_default() })
}

/// Runs a whole program.
pub(super) fn start(program: &Program, interpreter: &mut Interpreter) -> Check {
    let instances = generic::instantiate(program)?;
    let program = instances.as_ref().unwrap_or(program);
    interpreter.set_statics(program);
    let body = program.functions.first().ok_or(Undefined::IllFormed)?;
    if body.parameters != program.arguments.len() || body.generics > 0 {
        return Err(Undefined::IllFormed);
    }
    let mut frame = Frame::default();
    interpreter.add_signature(&program.types, &mut frame, &body.locals[..=body.parameters]);
    for (number, argument) in program.arguments.iter().enumerate() {
        let of = body.locals[number + 1];
        if argument.of != of {
            return Err(Undefined::IllFormed);
        }
        let value = super::value::constant(&program.types, of, argument.bits)?;
        let at = interpreter.memory.whole(frame.slot(number + 1)?)?;
        let index = interpreter.memory.locate(&at, at.hi as usize)?;
        interpreter.store(&program.types, index, of, value);
    }
    match interpreter.execute(program, 0, &mut frame)? {
        End::Return => {
            let at = interpreter.memory.whole(frame.slot(0)?)?;
            let index = interpreter.memory.locate(&at, at.hi as usize)?;
            interpreter.validate(&program.types, index, body.returns())
        }
        End::Panic => Err(Undefined::Panic),
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

impl Interpreter {
    /// Runs a function whose parameters are set.
    pub(super) fn execute(
        &mut self,
        program: &Program,
        first: usize,
        frame: &mut Frame,
    ) -> Check<End> {
        let mut function = first;
        loop {
            let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
            let locals = generic::locals(&program.types, body, &frame.generics)?;
            self.add_other_locals(&program.types, body, &locals, frame);
            let scope = Scope { types: &program.types, locals: &locals };
            let mut number = 0;
            function = loop {
                let block = body.blocks.get(number).ok_or(Undefined::IllFormed)?;
                let at = At { function, block: number };
                for statement in block.statements.iter().enumerate() {
                    self.traced_statement(scope, frame, at, statement)?;
                }
                self.trace_terminator(
                    scope,
                    frame,
                    (at, block.statements.len()),
                    &block.terminator,
                );
                match &block.terminator {
                    Terminator::Return if !block.cleanup => return Ok(End::Return),
                    Terminator::Resume if block.cleanup => return Ok(End::Panic),
                    Terminator::TailCall { callee, arguments } if !block.cleanup => {
                        self.consume_fuel()?;
                        break self.enter_tail_callee(
                            program,
                            scope,
                            frame,
                            (callee, arguments),
                        )?;
                    }
                    terminator => match self.step(program, at, scope, frame, terminator)? {
                        Next::Block(next) => {
                            self.trace_result(scope, frame, at, block);
                            number = next;
                        }
                        Next::Panic => return Ok(End::Panic),
                    },
                }
            };
        }
    }

    /// Executes the tail call of a function that the generator drives statement by statement, up to the return of the
    /// callee.
    pub(crate) fn finish_in(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &mut Frame,
        last: (&Callee, &[Operand]),
    ) -> Check {
        self.consume_fuel()?;
        let function = self.enter_tail_callee(program, scope, frame, last)?;
        match self.execute(program, function, frame)? {
            End::Return => Ok(()),
            End::Panic => Err(Undefined::Panic),
        }
    }

    /// Replaces a frame by that of the tail callee. Returns the callee.
    fn enter_tail_callee(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &mut Frame,
        (callee, arguments): (&Callee, &[Operand]),
    ) -> Check<usize> {
        let (function, with) = match callee {
            Callee::Function(function, with) => {
                (*function, generic::substitute_all(scope.types, with, &frame.generics)?)
            }
            Callee::Pointer(place) => {
                (self.pointed_function(program, scope, frame, place)?, vec![])
            }
            _ => return Err(Undefined::IllFormed),
        };
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        let locals = generic::locals(scope.types, body, &with)?;
        self.tail_call(scope, frame, &locals[..=body.parameters], arguments)?;
        frame.generics = with;
        Ok(function)
    }

    /// The function that the function pointer in a place points to. Undefined if its signature is not that of the
    /// pointer.
    fn pointed_function(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check<usize> {
        let (spot, index) = self.read(scope, frame, place)?;
        let Kind::Function { parameters, returns } = scope.types.kind(spot.of) else {
            return Err(Undefined::IllFormed);
        };
        let at = self.load(scope.types, index, spot.of)?.pointer()?;
        let function = at.as_function().ok_or(Undefined::InvalidValue)?;
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        let same = body.generics == 0
            && body.returns() == *returns
            && body.parameter_types() == &**parameters;
        if same { Ok(function) } else { Err(Undefined::Signature) }
    }

    /// Appends the locals after the parameters. Those with storage markers start dead.
    fn add_other_locals(
        &mut self,
        types: &Types,
        body: &Function,
        locals: &Locals<'_>,
        frame: &mut Frame,
    ) {
        let mut marked = vec![];
        for statement in body.blocks.iter().flat_map(|block| &block.statements) {
            if let Statement::StorageLive(local) | Statement::StorageDead(local) = statement {
                marked.resize(locals.len(), false);
                if let Some(marked) = marked.get_mut(*local) {
                    *marked = true;
                }
            }
        }
        for (number, of) in locals.iter().enumerate().skip(body.parameters + 1) {
            let stored = !marked.get(number).copied().unwrap_or_default();
            self.add_local(types, frame, *of, stored);
        }
    }

    /// Executes a terminator other than `Return`, `TailCall` and `Resume`, and returns the next block. A call runs to
    /// its end, so its callee must be finished. A panic that no cleanup block of the function handles is
    /// `Undefined::Panic`.
    pub(crate) fn terminator(
        &mut self,
        program: &Program,
        at: At,
        scope: Scope<'_>,
        frame: &mut Frame,
        terminator: &Terminator,
    ) -> Result<usize, Undefined> {
        match self.step(program, at, scope, frame, terminator)? {
            Next::Block(block) => Ok(block),
            Next::Panic => Err(Undefined::Panic),
        }
    }

    fn step(
        &mut self,
        program: &Program,
        at: At,
        scope: Scope<'_>,
        frame: &mut Frame,
        terminator: &Terminator,
    ) -> Check<Next> {
        self.consume_fuel()?;
        match terminator {
            Terminator::Goto(target) => Ok(Next::Block(*target)),
            Terminator::Switch { on, arms, otherwise } => {
                let (value, of) = self.take_operand(scope, frame, on)?;
                if !matches!(scope.types.kind(of), Kind::Bool | Kind::Char | Kind::Int(_)) {
                    return Err(Undefined::IllFormed);
                }
                let bits = value.bits()?;
                let arm = arms.iter().find(|(value, _)| *value == bits);
                Ok(Next::Block(arm.map_or(*otherwise, |(_, target)| *target)))
            }
            Terminator::Call { callee, arguments, destination, target, unwind } => {
                let end = self.call(program, scope, frame, callee, (arguments, destination))?;
                match (end, unwind) {
                    (End::Return, _) => Ok(Next::Block(*target)),
                    (End::Panic, Unwind::Cleanup(block)) => Ok(Next::Block(*block)),
                    (End::Panic, Unwind::Continue) => Ok(Next::Panic),
                    (End::Panic, Unwind::Unreachable | Unwind::Terminate(_)) => {
                        Err(Undefined::Panic)
                    }
                }
            }
            Terminator::Drop { place, target, .. } => {
                self.drop_place(program, scope, frame, place)?;
                Ok(Next::Block(*target))
            }
            Terminator::Record { values, target } => {
                self.record(scope, frame, at, values)?;
                Ok(Next::Block(*target))
            }
            Terminator::Unreachable => Err(Undefined::Unreachable),
            Terminator::Terminate(_) => Err(Undefined::Panic),
            Terminator::Return | Terminator::Resume | Terminator::TailCall { .. } => {
                Err(Undefined::IllFormed)
            }
        }
    }

    fn call(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &mut Frame,
        callee: &Callee,
        (arguments, destination): (&[Operand], &Place),
    ) -> Check<End> {
        let given = (arguments, destination);
        match callee {
            Callee::Function(function, with) => {
                let with = generic::substitute_all(scope.types, with, &frame.generics)?;
                let body = program.functions.get(*function).ok_or(Undefined::IllFormed)?;
                let of = destination.type_in(scope.locals, scope.types);
                if body.returns() == Types::UNIT && of != Some(Types::UNIT) {
                    return Err(Undefined::IllFormed);
                }
                self.call_function(program, scope, frame, (*function, with), given, None)
            }
            Callee::Catch(function) => {
                if destination.type_in(scope.locals, scope.types) != Some(Types::BOOL) {
                    return Err(Undefined::IllFormed);
                }
                let caught = Some(callee);
                self.call_function(program, scope, frame, (*function, vec![]), given, caught)?;
                Ok(End::Return)
            }
            Callee::Pointer(place) => {
                let function = self.pointed_function(program, scope, frame, place)?;
                self.call_function(program, scope, frame, (function, vec![]), given, None)
            }
            Callee::Method(of, method) => {
                let of = (*of, *method);
                let (function, signature) = self.dispatch(program, scope, frame, of, arguments)?;
                let mut callee = self.begin(scope, frame, &signature, given, None)?;
                self.make_receiver_thin(&mut callee)?;
                self.finish_call(program, scope, frame, (function, callee), destination)
            }
            Callee::Raise if self.unwinding => Err(Undefined::Panic),
            Callee::Raise => {
                let spot = self.resolve(scope, frame, destination, true)?;
                self.prepare_write(&spot)?;
                self.deinitialise(&spot);
                self.unwinding = true;
                Ok(End::Panic)
            }
            Callee::Intrinsic(intrinsic) => {
                self.intrinsic(scope, frame, *intrinsic, given)?;
                Ok(End::Return)
            }
            Callee::NewBox
            | Callee::BoxToPointer
            | Callee::BoxFromPointer
            | Callee::NewManual
            | Callee::ManualToInner
            | Callee::BlackBox => {
                self.std_function(scope, frame, callee, given)?;
                Ok(End::Return)
            }
        }
    }

    fn call_function(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &mut Frame,
        (function, with): (usize, Vec<TypeId>),
        given: (&[Operand], &Place),
        caught: Option<&Callee>,
    ) -> Check<End> {
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        let locals = generic::locals(scope.types, body, &with)?;
        let signature = &locals[..=body.parameters];
        let mut callee = self.begin(scope, frame, signature, given, caught)?;
        callee.generics = with;
        self.finish_call(program, scope, frame, (function, callee), given.1)
    }

    /// Runs a call whose frame is ready.
    fn finish_call(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &mut Frame,
        (function, mut callee): (usize, Frame),
        destination: &Place,
    ) -> Check<End> {
        let end = self.execute(program, function, &mut callee)?;
        match end {
            End::Return => self.end_call(scope, frame, callee, destination)?,
            End::Panic => self.abandon_call(callee),
        }
        Ok(end)
    }

    /// Calls a destructor: a function that takes one reference and returns `()`.
    pub(super) fn call_with(
        &mut self,
        program: &Program,
        function: usize,
        at: Pointer,
    ) -> Check<End> {
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        if self.depth >= super::MAX_DEPTH {
            return Err(Undefined::Limit);
        }
        if body.parameters != 1 || body.returns() != Types::UNIT || body.generics > 0 {
            return Err(Undefined::IllFormed);
        }
        let mut callee = Frame { protected: self.protected.len(), ..Frame::default() };
        self.add_signature(&program.types, &mut callee, &body.locals[..=1]);
        let parameter = self.memory.whole(callee.slot(1)?)?;
        let index = self.memory.locate(&parameter, 8)?;
        self.memory.write_pointer(index, &at);
        callee.protectors.push(at);
        self.depth += 1;
        let end = self.execute(program, function, &mut callee)?;
        self.depth -= 1;
        self.end_protectors(&callee)?;
        self.release(callee);
        Ok(end)
    }

    fn record(&mut self, scope: Scope<'_>, frame: &Frame, at: At, values: &[Place]) -> Check {
        let mut words = [0; RECORDED];
        let mut count = 0;
        for place in values {
            let (spot, index) = self.read(scope, frame, place)?;
            let wide = spot.size == 16 && scope.types.is_scalar(spot.of);
            if count + usize::from(wide) >= RECORDED {
                return Err(Undefined::IllFormed);
            }
            let bits = self.recorded(scope.types, index, spot.of)?;
            words[count] = bits as u64;
            count += 1;
            if wide {
                words[count] = (bits >> 64) as u64;
                count += 1;
            }
        }
        let id = (at.function << 16 | at.block) as u32;
        self.hash = words.iter().fold(mix(self.hash, id.into()), |hash, word| mix(hash, *word));
        if let Some(entries) = &mut self.entries {
            entries.push(Entry { function: at.function, block: at.block, words });
        }
        Ok(())
    }

    /// The bits that a record outputs for a scalar or enum.
    fn recorded(&self, types: &Types, index: usize, of: TypeId) -> Check<u128> {
        let extended = |bits: u128, of: TypeId| match types.as_int(of) {
            Some(int) => scalar::extend(bits, int).cast_unsigned(),
            None => bits,
        };
        if types.is_enum(of) {
            let bits = self.discriminant(types, index, of)?;
            return Ok(extended(bits, types.discriminant_type(of)));
        }
        match (types.kind(of), self.load(types, index, of)?) {
            (Kind::Float(kind), Value::Bits(bits)) if float::is_nan(*kind, bits) => {
                Err(Undefined::Nondeterministic)
            }
            (_, value) if types.is_scalar(of) => Ok(extended(value.bits()?, of)),
            _ => Err(Undefined::IllFormed),
        }
    }
}
