//! How a block ends: switches with decoys, calls, loops; and how a function ends.

use super::super::interpret::Value;
use super::super::program::{
    Constant, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
};
use super::super::scalar;
use super::super::types::{Int, Type};
use super::body::Body;
use super::{Generator, types};

/// Steps that one loop, with everything in it, may take.
const LOOP_FUEL: u64 = 5_000;

impl Generator<'_> {
    pub(super) fn control(&mut self, body: &mut Body) {
        let weights = self.swarm.control;
        let mut draw = self.entropy.below(weights.iter().sum());
        for (kind, weight) in weights.iter().enumerate() {
            if draw < *weight {
                return match kind {
                    0 => self.switch(body),
                    1 => self.call(body),
                    2 => self.iterate(body),
                    _ => {
                        let next = body.open();
                        body.close(Terminator::Goto(next));
                        body.current = next;
                    }
                };
            }
            draw -= weight;
        }
    }

    /// A switch on a value that is known: one target is taken, the others are decoys that join it later.
    fn switch(&mut self, body: &mut Body) {
        let prefer_bool = self.entropy.chance(1, 2);
        let wanted = |of: &Type| if prefer_bool { *of == Type::Bool } else { of.is_scalar() };
        let Some(place) = self.existing(body, true, wanted) else { return };
        let Some(of) = place.type_in(&body.locals, &self.program.adts) else { return };
        let copy = Operand::Copy(place.clone());
        let Some(Value::Bits(bits)) = self.value(body, &copy) else { return };
        let reserved = body.reserved.contains(&place.local);
        let moved = self.swarm.moves && !reserved && self.entropy.chance(1, 2);
        let on = if moved { Operand::Move(place) } else { copy };
        let here = body.current;
        let taken = body.open();
        let decoys: Vec<usize> =
            (0..self.entropy.between(1, 3)).map(|_| self.decoy(body, taken)).collect();
        let named = self.entropy.chance(1, 2);
        let mut arms = if named { vec![(bits, taken)] } else { vec![] };
        for decoy in &decoys[1..] {
            let value = self.neighbour(&of, bits);
            if value != bits && arms.iter().all(|(other, _)| *other != value) {
                arms.push((value, *decoy));
            }
        }
        let mut otherwise = if named { decoys[0] } else { taken };
        if arms.is_empty() {
            // Something has to be told apart.
            let value = self.neighbour(&of, bits);
            if value == bits {
                arms.push((bits, taken));
                otherwise = decoys[0];
            } else {
                arms.push((value, decoys[0]));
            }
        }
        let terminator = Terminator::Switch { on, arms, otherwise };
        body.current = here;
        self.follow(body, terminator);
    }

    /// Another value of a type, not far away.
    fn neighbour(&mut self, of: &Type, bits: u128) -> u128 {
        let value = match of {
            Type::Bool => bits ^ 1,
            Type::Int(int) if self.entropy.chance(1, 2) => scalar::truncate(
                bits ^ (1 << self.entropy.below(u64::from(int.bits()))),
                int.bits(),
            ),
            _ => types::bits(self.entropy, of),
        };
        if scalar::is_valid(of, value) { value } else { bits }
    }

    /// A block that is never run, of statements that might as well be.
    fn decoy(&mut self, body: &mut Body, join: usize) -> usize {
        let decoy = body.open();
        for _ in 0..self.entropy.between(0, 4) {
            let Some(target) = self.existing(body, false, |_| true) else { continue };
            let Some(of) = target.type_in(&body.locals, &self.program.adts) else { continue };
            if let Some(rvalue) = self.rvalue(body, &of) {
                body.blocks[decoy].statements.push(Statement::Assign(target, rvalue));
            }
        }
        body.blocks[decoy].terminator = Terminator::Goto(join);
        decoy
    }

    /// Ends the block and goes where the terminator leads.
    fn follow(&mut self, body: &mut Body, terminator: Terminator) -> bool {
        let mut frame = std::mem::take(&mut body.frame);
        let scope = body.scope(&self.program.adts);
        let next =
            self.machine.terminator(&self.program, body.number, scope, &mut frame, &terminator);
        body.frame = frame;
        match next {
            Ok(next) => {
                body.close(terminator);
                body.current = next;
                true
            }
            Err(_) => false,
        }
    }

    /// Calls a function that is there, or makes one for the purpose.
    fn call(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        let done = if self.entropy.chance(1, 3) {
            self.call_existing(body).is_some()
        } else {
            self.call_new(body).is_some()
        };
        if !done {
            self.restore(body, snapshot);
        }
    }

    fn call_existing(&mut self, body: &mut Body) -> Option<()> {
        let later: Vec<usize> = (body.number + 1..self.program.functions.len())
            .filter(|&number| !self.program.functions[number].blocks.is_empty())
            .collect();
        let function = *self.entropy.pick(&later)?;
        let callee = &self.program.functions[function];
        let (returns, parameters) =
            (callee.locals[0].clone(), callee.locals[1..=callee.parameters].to_vec());
        let arguments =
            parameters.iter().map(|of| self.operand(body, of)).collect::<Option<Vec<Operand>>>()?;
        let destination = self.destination(body, &returns, &arguments);
        let target = body.open();
        let fuel = self.machine.fuel;
        self.machine.fuel = fuel.min(LOOP_FUEL);
        let call = Terminator::Call { function, arguments, destination, target };
        let done = self.follow(body, call);
        self.machine.fuel = fuel.saturating_sub(LOOP_FUEL.saturating_sub(self.machine.fuel));
        done.then_some(())
    }

    fn call_new(&mut self, body: &mut Body) -> Option<()> {
        if self.program.functions.len() >= self.swarm.functions {
            return None;
        }
        let mut arguments = vec![];
        let mut parameters = vec![];
        for _ in 0..self.entropy.between(1, 4) {
            let large = self.entropy.chance(1, 2);
            let wanted = |of: &Type| !large || !of.is_scalar();
            let place = self.existing(body, true, wanted)?;
            let of = place.type_in(&body.locals, &self.program.adts)?;
            let moved = self.swarm.moves && !body.looping && place.projections.is_empty();
            let moved = moved && !body.reserved.contains(&place.local) && self.entropy.chance(1, 3);
            arguments.push(if moved { Operand::Move(place) } else { Operand::Copy(place) });
            parameters.push(of);
        }
        let like_argument = self.entropy.pick(&parameters).cloned();
        let returns = match like_argument.filter(|of| !matches!(of, Type::Pointer(..))) {
            Some(of) if self.entropy.chance(1, 2) => of,
            _ => types::any(self.entropy, &self.program.adts),
        };
        let destination = self.destination(body, &returns, &arguments);
        let function = self.program.functions.len();
        let frame = std::mem::take(&mut body.frame);
        let scope = body.scope(&self.program.adts);
        let begun = self.machine.begin_call(scope, &frame, &arguments, &destination);
        body.frame = frame;
        let begun = begun.ok()?;
        let result = self.function(&parameters, begun.arguments.clone(), &returns)?;
        self.machine.end_call(&begun, result, &self.program.adts).ok()?;
        let target = body.open();
        body.close(Terminator::Call { function, arguments, destination, target });
        body.current = target;
        Some(())
    }

    /// Where a result goes: often where an argument came from.
    fn destination(&mut self, body: &mut Body, of: &Type, arguments: &[Operand]) -> Place {
        for argument in arguments {
            if let Operand::Copy(place) = argument
                && place.type_in(&body.locals, &self.program.adts).as_ref() == Some(of)
                && !body.reserved.contains(&place.local)
                && self.entropy.chance(1, 2)
            {
                return place.clone();
            }
        }
        match self.existing(body, false, |other| other == of) {
            Some(place) if !body.reserved.contains(&place.local) => place,
            _ => Place::local(self.new_local(body, of.clone())),
        }
    }

    /// A loop that really iterates. Its body is made while it runs for the first time, and run again
    /// until it ends; if that is not defined, there is no loop.
    fn iterate(&mut self, body: &mut Body) {
        if body.looping {
            return;
        }
        let snapshot = self.snapshot(body);
        body.looping = true;
        let done = self.try_iterate(body);
        body.looping = false;
        if done.is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_iterate(&mut self, body: &mut Body) -> Option<()> {
        let int = if self.entropy.chance(1, 2) { Int::USIZE } else { types::int(self.entropy) };
        let of = Type::Int(int);
        let times = u128::from(self.entropy.between(2, 6));
        let counter = self.new_local(body, of.clone());
        let goes_on = self.new_local(body, Type::Bool);
        body.reserved.extend([counter, goes_on]);
        let at = |local: usize| Operand::Copy(Place::local(local));
        let assign = |local: usize, rvalue| Statement::Assign(Place::local(local), rvalue);
        self.execute(body, assign(counter, Rvalue::Use(Operand::int(int, 0)))).then_some(())?;
        let (head, start, exit) = (body.open(), body.open(), body.open());
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        let less = Rvalue::Binary(Operator::Lt, at(counter), Operand::int(int, times));
        self.execute(body, assign(goes_on, less)).then_some(())?;
        let on = if self.entropy.chance(1, 2) {
            at(goes_on)
        } else {
            Operand::Move(Place::local(goes_on))
        };
        let switch = Terminator::Switch { on, arms: vec![(1, start)], otherwise: exit };
        self.follow(body, switch).then_some(())?;
        for _ in 0..self.entropy.between(1, self.swarm.statements) {
            self.statement(body);
        }
        if self.entropy.chance(1, 3) {
            self.call(body);
        }
        let one = Operand::Constant(Constant { of, bits: 1 });
        let more = Rvalue::Binary(Operator::Add, at(counter), one);
        self.execute(body, assign(counter, more)).then_some(())?;
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        let fuel = self.machine.fuel;
        self.machine.fuel = fuel.min(LOOP_FUEL);
        let left = self.run_until(body, exit);
        self.machine.fuel = fuel.saturating_sub(LOOP_FUEL.saturating_sub(self.machine.fuel));
        left
    }

    /// Runs what is there until it comes to a block.
    fn run_until(&mut self, body: &mut Body, exit: usize) -> Option<()> {
        while body.current != exit {
            let block = body.blocks[body.current].clone();
            let mut frame = std::mem::take(&mut body.frame);
            let scope = body.scope(&self.program.adts);
            let mut run = || {
                for statement in &block.statements {
                    self.machine.fuel = self.machine.fuel.checked_sub(1)?;
                    self.machine.statement(scope, &mut frame, statement).ok()?;
                }
                self.machine.fuel = self.machine.fuel.checked_sub(1)?;
                self.machine
                    .terminator(&self.program, body.number, scope, &mut frame, &block.terminator)
                    .ok()
            };
            let next = run();
            body.frame = frame;
            body.current = next?;
        }
        Some(())
    }

    /// Puts something into the return place, so that it is whole.
    pub(super) fn give(&mut self, body: &mut Body, returns: &Type) {
        let statement = |rvalue| Statement::Assign(Place::local(0), rvalue);
        for _ in 0..4 {
            if let Some(rvalue) = self.rvalue(body, returns)
                && self.execute(body, statement(rvalue))
            {
                return;
            }
        }
        if let Some(operand) = self.build(body, returns, 4) {
            self.execute(body, statement(Rvalue::Use(operand)));
        }
    }

    /// Something of a type, built from nothing if need be.
    fn build(&mut self, body: &mut Body, of: &Type, depth: u32) -> Option<Operand> {
        if let Some(operand) = self.operand(body, of) {
            return Some(operand);
        }
        if depth == 0 || matches!(of, Type::Pointer(..)) {
            return None;
        }
        let place = Place::local(self.new_local(body, of.clone()));
        if of.is_union(&self.program.adts) {
            let part = of.fields(&self.program.adts).first()?.clone();
            let operand = self.build(body, &part, depth - 1)?;
            let field = place.then(Projection::Field(0));
            self.execute(body, Statement::Assign(field, Rvalue::Use(operand)));
        } else {
            let parts: Vec<Type> = match of {
                Type::Array(element, length) => vec![(**element).clone(); *length as usize],
                _ => of.fields(&self.program.adts).to_vec(),
            };
            let operands: Option<Vec<Operand>> = parts
                .iter()
                .map(|part| match self.build(body, part, depth - 1)? {
                    Operand::Move(place) => Some(Operand::Copy(place)),
                    other => Some(other),
                })
                .collect();
            let rvalue = Rvalue::Aggregate(of.clone(), operands?);
            self.execute(body, Statement::Assign(place.clone(), rvalue));
        }
        Some(Operand::Copy(place))
    }

    /// Folds what the locals hold into the hash that is returned.
    pub(super) fn hash(&mut self, body: &mut Body) {
        let u64 = Type::Int(Int::U64);
        let ret = || Place::local(0);
        let assign = |place: Place, rvalue| Statement::Assign(place, rvalue);
        let start = Rvalue::Use(Operand::int(Int::U64, 0xcbf2_9ce4_8422_2325));
        self.execute(body, assign(ret(), start));
        let word = self.new_local(body, u64.clone());
        let index = self.new_local(body, Type::Int(Int::USIZE));
        for local in 1..body.locals.len() {
            if local == word || local == index {
                continue;
            }
            let mut leaves = vec![];
            self.leaves(&Place::local(local), &body.locals[local].clone(), index, &mut leaves);
            for (place, of, position) in leaves.into_iter().take(12) {
                if let Some(position) = position {
                    let at = Rvalue::Use(Operand::int(Int::USIZE, u128::from(position)));
                    self.execute(body, assign(Place::local(index), at));
                }
                let leaf = Operand::Copy(place);
                let value =
                    if of == u64 { Rvalue::Use(leaf) } else { Rvalue::Cast(leaf, u64.clone()) };
                if !self.execute(body, assign(Place::local(word), value)) {
                    continue;
                }
                let mixed = Rvalue::Binary(
                    Operator::BitXor,
                    Operand::Copy(ret()),
                    Operand::Copy(Place::local(word)),
                );
                self.execute(body, assign(ret(), mixed));
                let prime = Operand::int(Int::U64, 0x0100_0000_01b3);
                let spread = Rvalue::Binary(Operator::Mul, Operand::Copy(ret()), prime);
                self.execute(body, assign(ret(), spread));
            }
        }
    }

    /// The scalars of a value, with the position that `index` has to hold to reach them.
    fn leaves(
        &self,
        place: &Place,
        of: &Type,
        index: usize,
        leaves: &mut Vec<(Place, Type, Option<u64>)>,
    ) {
        match of {
            _ if of.is_scalar() => leaves.push((place.clone(), of.clone(), None)),
            Type::Array(element, length) if element.is_scalar() => {
                for position in 0..*length {
                    let element_place = place.then(Projection::Index(index));
                    leaves.push((element_place, (**element).clone(), Some(position)));
                }
            }
            _ => {
                for (field, part) in of.fields(&self.program.adts).iter().enumerate() {
                    self.leaves(&place.then(Projection::Field(field)), part, index, leaves);
                }
            }
        }
    }
}
