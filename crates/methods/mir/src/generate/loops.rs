//! Loops with more than one iteration. The body is generated during the first iteration and then runs until the loop
//! ends; if that is undefined, the loop is discarded.

use super::super::interpret::{At, Scope};
use super::super::program::{Operand, Operator, Place, Rvalue, Terminator};
use super::super::types::{Int, TypeId, Types};
use super::Generator;
use super::body::Body;

/// Steps that one loop, with everything in it, may take.
const LOOP_FUEL: u64 = 1_000;

impl Generator<'_> {
    pub(super) fn iterate(&mut self, body: &mut Body) {
        if body.loops > 1 || self.restricted || (body.loops == 1 && self.entropy.chance(1, 2)) {
            return;
        }
        let snapshot = self.snapshot(body);
        body.loops += 1;
        let done = self.try_iterate(body);
        body.loops -= 1;
        if done.is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_iterate(&mut self, body: &mut Body) -> Option<()> {
        let of = match self.entropy.below(3) {
            0 => self.scalar_type(),
            _ => Types::USIZE,
        };
        let of = if self.program.types.as_int(of).is_some() { of } else { Types::USIZE };
        let int = self.program.types.as_int(of)?;
        // Over an array; or with many iterations and a short body; or with few iterations.
        let often = if self.swarm.long { 2 } else { 1 };
        let array_loop = if self.swarm.arrays > 0 && self.entropy.chance(often, 3) {
            self.array_loop(body)
        } else {
            None
        };
        let of = if array_loop.is_some() { Types::USIZE } else { of };
        let int = if array_loop.is_some() { Int::USIZE } else { int };
        let long = array_loop.is_none() && body.loops == 1 && self.entropy.chance(1, 8);
        // Up to a bound, or down to zero; tested at the head, or at the end.
        let up = self.entropy.chance(2, 3);
        let head_test = self.entropy.chance(1, 2);
        let most = match &array_loop {
            Some(array_loop) => array_loop.trips(),
            None if long => self.entropy.between(9, 100),
            None => self.entropy.between(2, 8),
        };
        let (bound, times) = self.bound(body, of, most)?;
        let counter = self.new_local(body, of);
        let continues = self.new_local(body, Types::BOOL);
        body.reserved[counter] = true;
        body.reserved[continues] = true;
        let zero = Operand::constant(of, 0);
        let (first, last) = if up { (zero, bound) } else { (bound, zero) };
        self.assign(body, Place::local(counter), Rvalue::Use(first)).then_some(())?;
        let (head, exit) = (body.open(), body.open());
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        let operator = match (up, self.entropy.below(2)) {
            (true, 0) => Operator::Lt,
            (false, 0) => Operator::Gt,
            _ => Operator::Ne,
        };
        let test = Rvalue::Binary(operator, Operand::local(counter), last);
        if head_test {
            self.assign(body, Place::local(continues), test.clone()).then_some(())?;
            let inside = body.open();
            self.branch(body, continues, inside, exit).then_some(())?;
        }
        if up && of == Types::USIZE {
            body.counters.push((counter, times));
        }
        let filled = match &array_loop {
            Some(array_loop) => self.array_iteration(body, array_loop, counter, up),
            None if long => self.fill_long_loop(body),
            None => self.fill_loop(body),
        };
        if up && of == Types::USIZE {
            body.counters.pop();
        }
        filled?;
        self.advance(body, counter, of, int, up)?;
        if head_test {
            self.follow(body, Terminator::Goto(head)).then_some(())?;
        } else {
            self.assign(body, Place::local(continues), test).then_some(())?;
            self.branch(body, continues, head, exit).then_some(())?;
        }
        let left = self.run_loop(body, exit);
        if let Some(array_loop) = &array_loop {
            self.expose_sum(body, array_loop);
        }
        left
    }

    /// Runs a loop, whose blocks are complete, to its exit.
    pub(super) fn run_loop(&mut self, body: &mut Body, exit: usize) -> Option<()> {
        let fuel = self.interpreter.fuel;
        self.interpreter.fuel = fuel.min(LOOP_FUEL);
        let left = self.run_until(body, exit);
        self.interpreter.fuel =
            fuel.saturating_sub(LOOP_FUEL.saturating_sub(self.interpreter.fuel));
        left
    }

    /// A loop bound, mostly opaque to the compiler, and an upper limit that also holds if the bound differs the next
    /// time this code runs.
    pub(super) fn bound(
        &mut self,
        body: &mut Body,
        of: TypeId,
        most: u64,
    ) -> Option<(Operand, u64)> {
        let signed = self.program.types.as_int(of)?.signed;
        let width = self.program.types.as_int(of)?.bits() - u32::from(signed);
        let most = if width < 8 { most.min((1 << width) - 1) } else { most };
        if self.entropy.chance(2, 3)
            && let Some((bound, now)) = self.opaque_below(body, of, most)
            && now > 1
        {
            body.reserved[bound.place()?.local] = true;
            return Some((bound, most));
        }
        // The bound must give more than one iteration.
        if self.entropy.chance(1, 2)
            && let Some(bound) = self.opaque_exactly(body, of, u128::from(most))
            && let Some(place) = bound.place()
        {
            body.reserved[place.local] = true;
            return Some((bound, most));
        }
        Some((Operand::constant(of, u128::from(most)), most))
    }

    /// A body that is short enough to run a hundred times.
    pub(super) fn fill_long_loop(&mut self, body: &mut Body) -> Option<()> {
        for _ in 0..self.entropy.between(1, 3) {
            self.statement(body);
        }
        Some(())
    }

    /// The branch of a loop, on a bool. Either value may be the one that is named.
    pub(super) fn branch(
        &mut self,
        body: &mut Body,
        on: usize,
        inside: usize,
        exit: usize,
    ) -> bool {
        let on = Place::local(on);
        let on = if self.entropy.chance(1, 2) { Operand::Copy(on) } else { Operand::Move(on) };
        let switch = if self.entropy.chance(1, 2) {
            Terminator::Switch { on, arms: vec![(1, inside)], otherwise: exit }
        } else {
            Terminator::Switch { on, arms: vec![(0, exit)], otherwise: inside }
        };
        self.follow(body, switch)
    }

    fn fill_loop(&mut self, body: &mut Body) -> Option<()> {
        for _ in 0..self.entropy.between(1, self.swarm.stretch) {
            self.statement(body);
        }
        for _ in 0..self.entropy.below(3) {
            match self.entropy.below(6) {
                0 => self.switch(body),
                1 => self.call_existing(body),
                2 => self.intrinsic(body),
                3 => self.iterate(body),
                4 => self.record(body, 1),
                _ => self.call_new(body),
            }
            for _ in 0..self.entropy.below(self.swarm.stretch) {
                self.statement(body);
            }
        }
        Some(())
    }

    fn advance(
        &mut self,
        body: &mut Body,
        counter: usize,
        of: TypeId,
        int: Int,
        up: bool,
    ) -> Option<()> {
        let at = Operand::local(counter);
        let one = Operand::constant(of, 1);
        let next = match (up, int.signed && self.entropy.chance(1, 2)) {
            (true, false) => Rvalue::Binary(Operator::Add, at, one),
            (false, false) => Rvalue::Binary(Operator::Sub, at, one),
            (_, true) => {
                let minus_one = super::super::scalar::truncate(u128::MAX, int.bits());
                let operator = if up { Operator::Sub } else { Operator::Add };
                Rvalue::Binary(operator, at, Operand::constant(of, minus_one))
            }
        };
        self.assign(body, Place::local(counter), next).then_some(())
    }

    /// Runs existing blocks until it reaches `exit`.
    fn run_until(&mut self, body: &mut Body, exit: usize) -> Option<()> {
        while body.current != exit {
            let block = &body.blocks[body.current];
            let scope = Scope { types: &self.program.types, locals: &body.locals };
            for statement in &block.statements {
                self.interpreter.fuel = self.interpreter.fuel.checked_sub(1)?;
                self.interpreter.statement(scope, &mut body.frame, statement).ok()?;
            }
            self.interpreter.fuel = self.interpreter.fuel.checked_sub(1)?;
            if matches!(
                block.terminator,
                Terminator::Return
                    | Terminator::TailCall { .. }
                    | Terminator::Resume
                    | Terminator::Terminate(_)
            ) {
                return None;
            }
            let at = At { function: body.number, block: body.current };
            let next = self.interpreter.terminator(
                &self.program,
                at,
                scope,
                &mut body.frame,
                &block.terminator,
            );
            body.current = next.ok()?;
        }
        Some(())
    }
}
