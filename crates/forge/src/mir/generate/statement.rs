//! One statement at a time: a place to write to, something of its type to write, and a try.

use super::super::interpret::Value;
use super::super::layout;
use super::super::program::{Constant, Operand, Operator, Place, Projection, Rvalue, Statement};
use super::super::types::{Int, Type};
use super::body::Body;
use super::{Generator, types};

/// How often something is tried that may not be possible.
const TRIES: u32 = 12;

const ARITHMETIC: [Operator; 10] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::Div,
    Operator::Rem,
    Operator::BitAnd,
    Operator::BitOr,
    Operator::BitXor,
    Operator::Shl,
    Operator::Shr,
];
const COMPARISONS: [Operator; 8] = [
    Operator::Eq,
    Operator::Ne,
    Operator::Eq,
    Operator::Ne,
    Operator::Lt,
    Operator::Le,
    Operator::Gt,
    Operator::Ge,
];

impl Generator<'_> {
    /// Adds a statement, if one can be found that is defined here.
    pub(super) fn statement(&mut self, body: &mut Body) {
        if self.swarm.storage && self.entropy.chance(1, 12) && !body.looping {
            return self.end_storage(body);
        }
        for _ in 0..TRIES {
            let target = self.target(body);
            let Some(of) = target.type_in(&body.locals, &self.program.adts) else { continue };
            let Some(rvalue) = self.rvalue(body, &of) else { continue };
            if self.execute(body, Statement::Assign(target, rvalue)) {
                return;
            }
        }
    }

    /// Executes a statement and keeps it, unless it is undefined.
    pub(super) fn execute(&mut self, body: &mut Body, statement: Statement) -> bool {
        let mut frame = std::mem::take(&mut body.frame);
        let scope = body.scope(&self.program.adts);
        let defined = self.machine.statement(scope, &mut frame, &statement).is_ok();
        body.frame = frame;
        if defined {
            body.push(statement);
        }
        defined
    }

    /// Something to write to: a new local, or a part of one that is there.
    fn target(&mut self, body: &mut Body) -> Place {
        if !self.entropy.chance(1, 3)
            && let Some(place) = self.existing(body, false, |_| true)
            && !body.reserved.contains(&place.local)
        {
            return place;
        }
        let of = match self.entropy.below(6) {
            0 | 1 => Type::Bool,
            2 if self.swarm.pointers => {
                let place = self.existing(body, false, |of| !matches!(of, Type::Pointer(..)));
                let to = place.and_then(|it| it.type_in(&body.locals, &self.program.adts));
                Type::Pointer(true, Box::new(to.unwrap_or(Type::Bool)))
            }
            _ => types::any(self.entropy, &self.program.adts),
        };
        Place::local(self.new_local(body, of))
    }

    pub(super) fn new_local(&mut self, body: &mut Body, of: Type) -> usize {
        let local = body.locals.len();
        let size = layout::size(&of, &self.program.adts);
        body.locals.push(of);
        if self.swarm.storage && !body.looping && self.entropy.chance(1, 3) {
            body.frame.locals.push(None);
            body.marked.push(local);
            self.execute(body, Statement::StorageLive(local));
        } else {
            body.frame.locals.push(Some(self.machine.memory.allocate(size)));
        }
        local
    }

    fn end_storage(&mut self, body: &mut Body) {
        if let Some(local) = self.entropy.pick(&body.marked).copied()
            && !body.reserved.contains(&local)
        {
            let again = self.entropy.chance(1, 2);
            self.execute(body, Statement::StorageDead(local));
            if again {
                self.execute(body, Statement::StorageLive(local));
            }
        }
    }

    /// A place of a wanted type: a local, or a part of one. If it is to be read, it holds a value.
    pub(super) fn existing(
        &mut self,
        body: &Body,
        readable: bool,
        wanted: impl Fn(&Type) -> bool,
    ) -> Option<Place> {
        let adts = self.program.adts.clone();
        for _ in 0..TRIES {
            let count = body.locals.len() as u64;
            // The recent ones are preferred, so that chains form.
            let back = self.entropy.below(count).min(self.entropy.below(count));
            let local = (count - 1 - back) as usize;
            let mut place = Place::local(local);
            let mut of = body.locals[local].clone();
            loop {
                let stay = wanted(&of) && self.entropy.chance(1, 2);
                if stay {
                    break;
                }
                let step = match &of {
                    Type::Pointer(_, to) if place.projections.is_empty() => {
                        Some((Projection::Deref, (**to).clone()))
                    }
                    Type::Array(element, length) => self
                        .index(body, *length)
                        .map(|local| (Projection::Index(local), (**element).clone())),
                    _ => {
                        let fields = of.fields(&adts);
                        let field = self.entropy.below(fields.len() as u64) as usize;
                        fields.get(field).map(|part| (Projection::Field(field), part.clone()))
                    }
                };
                let Some((projection, part)) = step else { break };
                place = place.then(projection);
                of = part;
            }
            if wanted(&of)
                && (if readable {
                    self.is_readable(body, &place)
                } else {
                    self.is_there(body, &place)
                })
            {
                return Some(place);
            }
        }
        None
    }

    /// A local that holds an index into an array of this length.
    fn index(&mut self, body: &Body, length: u64) -> Option<usize> {
        // The return place has another name, by which nothing can be indexed.
        let locals: Vec<usize> = (1..body.locals.len())
            .filter(|&local| body.locals[local] == Type::Int(Int::USIZE))
            .filter(|&local| {
                let place = Place::local(local);
                let scope = body.scope(&self.program.adts);
                let at = self.machine.place(scope, &body.frame, &place).map(|(at, _)| at);
                let bits = at.and_then(|at| self.machine.memory.read_bits(at, 8));
                bits.is_ok_and(|bits| bits < u128::from(length))
            })
            .collect();
        self.entropy.pick(&locals).copied()
    }

    fn is_there(&self, body: &Body, place: &Place) -> bool {
        self.machine.place(body.scope(&self.program.adts), &body.frame, place).is_ok()
    }

    fn is_readable(&mut self, body: &Body, place: &Place) -> bool {
        self.value(body, &Operand::Copy(place.clone())).is_some()
    }

    pub(super) fn value(&mut self, body: &Body, operand: &Operand) -> Option<Value> {
        self.machine.operand(body.scope(&self.program.adts), &body.frame, operand).ok()
    }

    /// Something of a type to be read: what is there, or else a constant.
    pub(super) fn operand(&mut self, body: &Body, of: &Type) -> Option<Operand> {
        if of.is_scalar() && self.entropy.chance(1, 5) {
            return Some(self.constant(of));
        }
        let found = self.existing(body, true, |other| other == of);
        match found {
            Some(place) if self.moves(body, &place) => Some(Operand::Move(place)),
            Some(place) => Some(Operand::Copy(place)),
            None if of.is_scalar() => Some(self.constant(of)),
            None => None,
        }
    }

    fn moves(&mut self, body: &Body, place: &Place) -> bool {
        self.swarm.moves
            && !body.looping
            && place.projections.is_empty()
            && !body.reserved.contains(&place.local)
            && self.entropy.chance(1, 4)
    }

    fn constant(&mut self, of: &Type) -> Operand {
        let bits = types::bits(self.entropy, of);
        Operand::Constant(Constant { of: of.clone(), bits })
    }

    /// Something to assign to a place of a type.
    pub(super) fn rvalue(&mut self, body: &mut Body, of: &Type) -> Option<Rvalue> {
        match of {
            Type::Bool => match self.entropy.below(6) {
                0 => Some(Rvalue::Use(self.operand(body, of)?)),
                1 => Some(Rvalue::Not(self.operand(body, of)?)),
                _ => self.comparison(body),
            },
            Type::Char => match self.entropy.below(3) {
                0 => {
                    let byte =
                        Type::Int(Int { signed: false, width: super::super::types::Width::W8 });
                    Some(Rvalue::Cast(self.operand(body, &byte)?, Type::Char))
                }
                _ => Some(Rvalue::Use(self.operand(body, of)?)),
            },
            Type::Int(int) => match self.entropy.below(8) {
                0 => Some(Rvalue::Use(self.operand(body, of)?)),
                1 => Some(Rvalue::Not(self.operand(body, of)?)),
                2 if int.signed => Some(Rvalue::Negate(self.operand(body, of)?)),
                3 | 4 => self.cast(body, of),
                _ => self.arithmetic(body, of),
            },
            Type::Pointer(mutable, to) => {
                let place = self.existing(body, false, |other| *other == **to)?;
                // A pointer into what another pointer points to would be as good, but is written otherwise.
                let direct = place.projections.first() != Some(&Projection::Deref);
                direct.then_some(Rvalue::AddressOf(*mutable, place))
            }
            Type::Array(element, length) if self.entropy.chance(1, 3) => {
                let operand = self.operand(body, element)?;
                let operand = match operand {
                    Operand::Move(place) => Operand::Copy(place),
                    other => other,
                };
                Some(Rvalue::Repeat(operand, *length))
            }
            Type::Tuple(parts)
                if parts.len() == 2 && parts[1] == Type::Bool && self.entropy.chance(1, 2) =>
            {
                let Type::Int(_) = &parts[0] else { return self.whole_value(body, of) };
                let checked = [Operator::Add, Operator::Sub, Operator::Mul];
                let operator = *self.entropy.pick(&checked)?;
                let (left, right) =
                    (self.operand(body, &parts[0])?, self.operand(body, &parts[0])?);
                Some(Rvalue::Checked(operator, left, right))
            }
            _ => self.whole_value(body, of),
        }
    }

    /// A copy of an aggregate, or a new one of its parts.
    fn whole_value(&mut self, body: &mut Body, of: &Type) -> Option<Rvalue> {
        if self.entropy.chance(1, 3)
            && let Some(operand) = self.operand(body, of)
        {
            return Some(Rvalue::Use(operand));
        }
        if of.is_union(&self.program.adts) {
            return None;
        }
        let parts: Vec<Type> = match of {
            Type::Array(element, length) => vec![(**element).clone(); *length as usize],
            _ => of.fields(&self.program.adts).to_vec(),
        };
        let operands: Option<Vec<Operand>> =
            parts.iter().map(|part| self.operand(body, part)).collect();
        Some(Rvalue::Aggregate(of.clone(), operands?))
    }

    /// Often with the very value as a constant, so that it is true.
    fn comparison(&mut self, body: &mut Body) -> Option<Rvalue> {
        let place = self.existing(body, true, Type::is_scalar)?;
        let of = place.type_in(&body.locals, &self.program.adts)?;
        let left = Operand::Copy(place);
        let right = if self.entropy.chance(1, 2)
            && let Some(Value::Bits(bits)) = self.value(body, &left)
        {
            Operand::Constant(Constant { of: of.clone(), bits })
        } else {
            self.operand(body, &of)?
        };
        let operator = *self.entropy.pick(&COMPARISONS)?;
        Some(Rvalue::Binary(operator, left, right))
    }

    fn cast(&mut self, body: &mut Body, to: &Type) -> Option<Rvalue> {
        let place = self.existing(body, true, |of| of.is_scalar() && of != to)?;
        Some(Rvalue::Cast(Operand::Copy(place), to.clone()))
    }

    fn arithmetic(&mut self, body: &mut Body, of: &Type) -> Option<Rvalue> {
        let operator = *self.entropy.pick(&ARITHMETIC)?;
        let left = self.operand(body, of)?;
        let right = match operator {
            Operator::Shl | Operator::Shr => {
                let amount = Type::Int(types::int(self.entropy));
                self.operand(body, &amount)?
            }
            // A division in a loop must be defined for every value.
            Operator::Div | Operator::Rem if body.looping => {
                let Type::Int(int) = of else { return None };
                Operand::int(*int, 3)
            }
            _ => self.operand(body, of)?,
        };
        // Two moves of one place would be one too many.
        let same = left.place().is_some() && left.place() == right.place();
        let moved = matches!(left, Operand::Move(_)) || matches!(right, Operand::Move(_));
        (!(same && moved)).then_some(Rvalue::Binary(operator, left, right))
    }
}
