//! What a program does, or that it has no behaviour. The generator drives the same machine statement by
//! statement; `run` executes a whole program.

use super::layout;
use super::memory::{Memory, Pointer, Undefined};
use super::program::{
    Constant, Function, Operand, Operator, Place, Program, Projection, Rvalue, Statement,
    Terminator,
};
use super::scalar;
use super::types::{Adt, Int, Type};

/// A value that was read: a number, a pointer, or an aggregate in memory of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    Bits(u128),
    Pointer(Pointer),
    Block(Pointer),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Machine {
    pub(super) memory: Memory,
    pub(super) fuel: u64,
    /// What calls that are under way return into, or were given in place.
    protected: Vec<(Pointer, usize)>,
}

/// Where the locals of a call are; none for a local that is not live.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub(super) locals: Vec<Option<usize>>,
}

/// A call that is under way.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    pub(super) arguments: Vec<Value>,
    at: Pointer,
    of: Type,
    /// How much it protects.
    spans: usize,
}

/// What a statement needs to know of where it stands.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) adts: &'a [Adt],
    pub(super) locals: &'a [Type],
}

/// The hash that a program prints.
pub(super) fn run(program: &Program, fuel: u64) -> Result<u64, Undefined> {
    let mut machine = Machine::new(fuel);
    let arguments = program.arguments.iter().map(|constant| Value::Bits(constant.bits)).collect();
    match machine.call(program, 0, arguments)? {
        Value::Bits(bits) => Ok(bits as u64),
        _ => Err(Undefined::IllFormed),
    }
}

impl Machine {
    pub(super) fn new(fuel: u64) -> Self {
        Self { fuel, ..Self::default() }
    }

    pub(super) fn call(
        &mut self,
        program: &Program,
        function: usize,
        arguments: Vec<Value>,
    ) -> Result<Value, Undefined> {
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        if arguments.len() != body.parameters {
            return Err(Undefined::IllFormed);
        }
        let scope = Scope { adts: &program.adts, locals: &body.locals };
        let mut frame = self.enter(body, &program.adts);
        for (index, argument) in arguments.into_iter().enumerate() {
            let at = self.local(&frame, index + 1)?;
            self.store(at, &body.locals[index + 1], argument, &program.adts)?;
        }
        let mut block = 0;
        loop {
            let current = body.blocks.get(block).ok_or(Undefined::IllFormed)?;
            for statement in &current.statements {
                self.burn()?;
                self.statement(scope, &mut frame, statement)?;
            }
            self.burn()?;
            match &current.terminator {
                Terminator::Return => {
                    let at = self.local(&frame, 0)?;
                    let value = self.load(at, &body.locals[0], &program.adts)?;
                    for allocation in frame.locals.into_iter().flatten() {
                        self.memory.free(allocation);
                    }
                    return Ok(value);
                }
                terminator => {
                    block = self.terminator(program, function, scope, &mut frame, terminator)?;
                }
            }
        }
    }

    /// Locals that have storage markers start without storage.
    fn enter(&mut self, function: &Function, adts: &[Adt]) -> Frame {
        let mut marked = vec![false; function.locals.len()];
        for statement in function.blocks.iter().flat_map(|block| &block.statements) {
            if let Statement::StorageLive(local) | Statement::StorageDead(local) = statement {
                marked[*local] = true;
            }
        }
        let locals =
            function.locals.iter().zip(marked).map(|(of, marked)| {
                (!marked).then(|| self.memory.allocate(layout::size(of, adts)))
            });
        Frame { locals: locals.collect() }
    }

    fn burn(&mut self) -> Result<(), Undefined> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Undefined::Endless)?;
        Ok(())
    }

    /// Follows a terminator that is no return to the next block.
    pub(super) fn terminator(
        &mut self,
        program: &Program,
        caller: usize,
        scope: Scope<'_>,
        frame: &mut Frame,
        terminator: &Terminator,
    ) -> Result<usize, Undefined> {
        match terminator {
            Terminator::Goto(target) => Ok(*target),
            Terminator::Switch { on, arms, otherwise } => {
                let Value::Bits(bits) = self.operand(scope, frame, on)? else {
                    return Err(Undefined::IllFormed);
                };
                self.finish_moves(scope, frame, &[on])?;
                let arm = arms.iter().find(|(value, _)| *value == bits);
                Ok(arm.map_or(*otherwise, |(_, target)| *target))
            }
            Terminator::Call { function, arguments, destination, target } => {
                if *function <= caller {
                    return Err(Undefined::IllFormed);
                }
                let begun = self.begin_call(scope, frame, arguments, destination)?;
                let result = self.call(program, *function, begun.arguments.clone());
                self.end_call(&begun, result?, scope.adts)?;
                Ok(*target)
            }
            Terminator::Return => Err(Undefined::IllFormed),
        }
    }

    /// Reads the arguments of a call; until it ends, nobody may touch what it returns into or was moved.
    pub(super) fn begin_call(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        arguments: &[Operand],
        destination: &Place,
    ) -> Result<Begun, Undefined> {
        self.refuse_overlap(scope, frame, arguments, destination)?;
        let values = arguments
            .iter()
            .map(|argument| self.operand(scope, frame, argument))
            .collect::<Result<Vec<Value>, Undefined>>()?;
        let (at, of) = self.place(scope, frame, destination)?;
        // What is moved may be passed in place: the callee must not reach it by a pointer either.
        let mut protected = vec![(at, layout::size(&of, scope.adts))];
        for argument in arguments {
            if let Operand::Move(place) = argument {
                protected.push(self.span(scope, frame, place)?);
            }
        }
        let moved: Vec<&Operand> = arguments.iter().collect();
        self.finish_moves(scope, frame, &moved)?;
        let spans = protected.len();
        self.protected.extend(protected);
        Ok(Begun { arguments: values, at, of, spans })
    }

    pub(super) fn end_call(
        &mut self,
        begun: &Begun,
        result: Value,
        adts: &[Adt],
    ) -> Result<(), Undefined> {
        let outer = self.protected.len().saturating_sub(begun.spans);
        self.protected.truncate(outer);
        self.store(begun.at, &begun.of, result, adts)
    }

    /// An argument that is moved may be passed in place: it must touch neither the destination nor
    /// another argument.
    fn refuse_overlap(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        arguments: &[Operand],
        destination: &Place,
    ) -> Result<(), Undefined> {
        let mut spans = vec![(self.span(scope, frame, destination)?, true)];
        for argument in arguments {
            if let Some(place) = argument.place() {
                let moved = matches!(argument, Operand::Move(_));
                spans.push((self.span(scope, frame, place)?, moved));
            }
        }
        for (index, (one, moved)) in spans.iter().enumerate() {
            for (other, other_moved) in &spans[index + 1..] {
                // A copy may be of the destination; that is what copies are for.
                let of_interest = if index == 0 { *other_moved } else { *moved || *other_moved };
                if of_interest && overlap(*one, *other) {
                    return Err(Undefined::Overlap);
                }
            }
        }
        Ok(())
    }

    fn span(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Result<(Pointer, usize), Undefined> {
        let (at, of) = self.place(scope, frame, place)?;
        Ok((at, layout::size(&of, scope.adts)))
    }

    pub(super) fn statement(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        statement: &Statement,
    ) -> Result<(), Undefined> {
        match statement {
            Statement::StorageLive(local) => {
                let size = layout::size(&scope.locals[*local], scope.adts);
                if let Some(old) = frame.locals[*local].replace(self.memory.allocate(size)) {
                    self.memory.free(old);
                }
                Ok(())
            }
            Statement::StorageDead(local) => {
                if let Some(old) = frame.locals[*local].take() {
                    self.memory.free(old);
                }
                Ok(())
            }
            Statement::Assign(place, rvalue) => {
                let (at, of) = self.place(scope, frame, place)?;
                self.refuse_touching_itself(scope, frame, place, &of, rvalue)?;
                let value = self.rvalue(scope, frame, &of, rvalue)?;
                let operands = rvalue.operands();
                self.finish_moves(scope, frame, &operands)?;
                self.store(at, &of, value, scope.adts)
            }
        }
    }

    /// What is assigned to may not overlap what is read, except where all is scalar.
    fn refuse_touching_itself(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        of: &Type,
        rvalue: &Rvalue,
    ) -> Result<(), Undefined> {
        if of.is_scalar() {
            return Ok(());
        }
        let target = self.span(scope, frame, place)?;
        for operand in rvalue.operands() {
            if let Some(source) = operand.place()
                && overlap(target, self.span(scope, frame, source)?)
            {
                return Err(Undefined::Overlap);
            }
        }
        Ok(())
    }

    /// A place that was moved from holds nothing.
    fn finish_moves(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operands: &[&Operand],
    ) -> Result<(), Undefined> {
        for operand in operands {
            if let Operand::Move(place) = operand {
                let (at, size) = self.span(scope, frame, place)?;
                self.memory.clear(at, size)?;
            }
        }
        Ok(())
    }

    fn local(&self, frame: &Frame, local: usize) -> Result<Pointer, Undefined> {
        let allocation = frame.locals.get(local).copied().flatten().ok_or(Undefined::Dangling)?;
        Ok(Pointer { allocation, offset: 0 })
    }

    /// Where a place is, and what lies there.
    pub(super) fn place(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Result<(Pointer, Type), Undefined> {
        let mut at = self.local(frame, place.local)?;
        let mut of = scope.locals.get(place.local).cloned().ok_or(Undefined::IllFormed)?;
        for projection in &place.projections {
            (at, of) = match (projection, of) {
                (Projection::Deref, Type::Pointer(_, to)) => {
                    let at = self.memory.read_pointer(at)?;
                    let size = layout::size(&to, scope.adts);
                    if self.protected.iter().any(|span| overlap(*span, (at, size))) {
                        return Err(Undefined::Protected);
                    }
                    (at, *to)
                }
                (Projection::Field(field), of) => {
                    let part =
                        of.fields(scope.adts).get(*field).cloned().ok_or(Undefined::IllFormed)?;
                    let offset = at.offset + layout::offset(&of, *field, scope.adts);
                    (Pointer { offset, ..at }, part)
                }
                (Projection::Index(local), Type::Array(element, length)) => {
                    if scope.locals.get(*local) != Some(&Type::Int(Int::USIZE)) {
                        return Err(Undefined::IllFormed);
                    }
                    let index = self.memory.read_bits(self.local(frame, *local)?, 8)?;
                    if index >= u128::from(length) {
                        return Err(Undefined::OutOfBounds);
                    }
                    let offset = at.offset + index as usize * layout::size(&element, scope.adts);
                    (Pointer { offset, ..at }, *element)
                }
                _ => return Err(Undefined::IllFormed),
            };
        }
        Ok((at, of))
    }

    pub(super) fn operand(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operand: &Operand,
    ) -> Result<Value, Undefined> {
        match operand {
            Operand::Constant(Constant { of, bits }) if scalar::is_valid(of, *bits) => {
                Ok(Value::Bits(*bits))
            }
            Operand::Constant(_) => Err(Undefined::InvalidValue),
            Operand::Copy(place) | Operand::Move(place) => {
                let (at, of) = self.place(scope, frame, place)?;
                self.load(at, &of, scope.adts)
            }
        }
    }

    /// A typed copy out of memory.
    pub(super) fn load(
        &mut self,
        at: Pointer,
        of: &Type,
        adts: &[Adt],
    ) -> Result<Value, Undefined> {
        if let Type::Pointer(..) = of {
            return self.memory.read_pointer(at).map(Value::Pointer);
        }
        if of.is_scalar() {
            let bits = self.memory.read_bits(at, layout::size(of, adts))?;
            let valid = scalar::is_valid(of, bits);
            return if valid { Ok(Value::Bits(bits)) } else { Err(Undefined::InvalidValue) };
        }
        let allocation = self.memory.allocate(layout::size(of, adts));
        let block = Pointer { allocation, offset: 0 };
        self.copy(at, block, of, adts)?;
        Ok(Value::Block(block))
    }

    /// A typed copy into memory.
    pub(super) fn store(
        &mut self,
        at: Pointer,
        of: &Type,
        value: Value,
        adts: &[Adt],
    ) -> Result<(), Undefined> {
        match value {
            Value::Bits(bits) => self.memory.write_bits(at, layout::size(of, adts), bits),
            Value::Pointer(pointer) => self.memory.write_pointer(at, pointer),
            Value::Block(block) => self.copy(block, at, of, adts),
        }
    }

    fn copy(
        &mut self,
        from: Pointer,
        to: Pointer,
        of: &Type,
        adts: &[Adt],
    ) -> Result<(), Undefined> {
        let shifted = |at: Pointer, by: usize| Pointer { offset: at.offset + by, ..at };
        match of {
            _ if of.is_union(adts) => self.memory.copy_raw(from, to, layout::size(of, adts)),
            Type::Tuple(_) | Type::Adt(_) => {
                for (field, part) in of.fields(adts).to_vec().iter().enumerate() {
                    let offset = layout::offset(of, field, adts);
                    self.copy(shifted(from, offset), shifted(to, offset), part, adts)?;
                }
                Ok(())
            }
            Type::Array(element, length) => {
                let size = layout::size(element, adts);
                for index in 0..*length as usize {
                    self.copy(
                        shifted(from, index * size),
                        shifted(to, index * size),
                        element,
                        adts,
                    )?;
                }
                Ok(())
            }
            _ => {
                let value = self.load(from, of, adts)?;
                self.store(to, of, value, adts)
            }
        }
    }

    fn bits(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operand: &Operand,
    ) -> Result<u128, Undefined> {
        match self.operand(scope, frame, operand)? {
            Value::Bits(bits) => Ok(bits),
            _ => Err(Undefined::IllFormed),
        }
    }

    fn rvalue(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        of: &Type,
        rvalue: &Rvalue,
    ) -> Result<Value, Undefined> {
        let typed = |operand: &Operand| {
            operand.type_in(scope.locals, scope.adts).ok_or(Undefined::IllFormed)
        };
        match rvalue {
            Rvalue::Use(operand) => self.operand(scope, frame, operand),
            Rvalue::Not(operand) => {
                let bits = self.bits(scope, frame, operand)?;
                Ok(Value::Bits(match of {
                    Type::Bool => bits ^ 1,
                    Type::Int(int) => scalar::truncate(!bits, int.bits()),
                    _ => return Err(Undefined::IllFormed),
                }))
            }
            Rvalue::Negate(operand) => {
                let Type::Int(int) = of else { return Err(Undefined::IllFormed) };
                let bits = self.bits(scope, frame, operand)?;
                Ok(Value::Bits(scalar::truncate(bits.wrapping_neg(), int.bits())))
            }
            Rvalue::Binary(operator, left, right) => {
                let kind = typed(left)?;
                let (a, b) = (self.bits(scope, frame, left)?, self.bits(scope, frame, right)?);
                self.binary(*operator, &kind, a, b).map(|(bits, _)| Value::Bits(bits))
            }
            Rvalue::Checked(operator, left, right) => {
                let kind = typed(left)?;
                let (a, b) = (self.bits(scope, frame, left)?, self.bits(scope, frame, right)?);
                let (bits, wrapped) = self.binary(*operator, &kind, a, b)?;
                let size = layout::size(&kind, scope.adts);
                let allocation = self.memory.allocate(size + 1);
                self.memory.write_bits(Pointer { allocation, offset: 0 }, size, bits)?;
                let flag = Pointer { allocation, offset: size };
                self.memory.write_bits(flag, 1, u128::from(wrapped))?;
                Ok(Value::Block(Pointer { allocation, offset: 0 }))
            }
            Rvalue::Cast(operand, to) => {
                let from = typed(operand)?;
                let bits = self.bits(scope, frame, operand)?;
                let extended = match from {
                    Type::Int(int) => scalar::extend(bits, int).cast_unsigned(),
                    _ => bits,
                };
                let width = scalar::width(to).ok_or(Undefined::IllFormed)?;
                Ok(Value::Bits(scalar::truncate(extended, width)))
            }
            Rvalue::Aggregate(of, parts) => self.aggregate(scope, frame, of, parts),
            Rvalue::Repeat(operand, length) => {
                let element = typed(operand)?;
                let parts = vec![operand.clone(); *length as usize];
                self.aggregate(scope, frame, &Type::Array(Box::new(element), *length), &parts)
            }
            Rvalue::AddressOf(_, place) => {
                let (at, _) = self.place(scope, frame, place)?;
                Ok(Value::Pointer(at))
            }
        }
    }

    fn binary(
        &self,
        operator: Operator,
        of: &Type,
        left: u128,
        right: u128,
    ) -> Result<(u128, bool), Undefined> {
        match (operator, of) {
            _ if operator.compares() => {
                Ok((u128::from(scalar::compare(operator, of, left, right)), false))
            }
            (Operator::Shl | Operator::Shr, Type::Int(int)) => {
                Ok((scalar::shift(operator, *int, left, right), false))
            }
            (Operator::BitAnd, Type::Bool) => Ok((left & right, false)),
            (Operator::BitOr, Type::Bool) => Ok((left | right, false)),
            (Operator::BitXor, Type::Bool) => Ok((left ^ right, false)),
            (_, Type::Int(int)) => {
                scalar::arithmetic(operator, *int, left, right).ok_or(Undefined::Arithmetic)
            }
            _ => Err(Undefined::IllFormed),
        }
    }

    fn aggregate(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        of: &Type,
        parts: &[Operand],
    ) -> Result<Value, Undefined> {
        let allocation = self.memory.allocate(layout::size(of, scope.adts));
        let block = Pointer { allocation, offset: 0 };
        for (index, part) in parts.iter().enumerate() {
            let value = self.operand(scope, frame, part)?;
            let (offset, kind) = match of {
                Type::Array(element, _) => {
                    (index * layout::size(element, scope.adts), (**element).clone())
                }
                _ => {
                    let fields = of.fields(scope.adts);
                    let kind = fields.get(index).cloned().ok_or(Undefined::IllFormed)?;
                    (layout::offset(of, index, scope.adts), kind)
                }
            };
            self.store(Pointer { allocation, offset }, &kind, value, scope.adts)?;
        }
        Ok(Value::Block(block))
    }
}

fn overlap((one, size): (Pointer, usize), (other, other_size): (Pointer, usize)) -> bool {
    one.allocation == other.allocation
        && one.offset < other.offset + other_size
        && other.offset < one.offset + size
}
