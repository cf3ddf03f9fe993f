//! The parts of expressions and statements, for passes that treat all kinds alike.

use super::{Expression, Kind, Statement};

/// Lists the direct parts of an expression; used for shared and exclusive references.
macro_rules! parts {
    ($kind:expr, $iter:ident, $as:ident) => {
        match $kind {
            Kind::Literal { .. }
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::Local(_)
            | Kind::State(_)
            | Kind::MsgValue
            | Kind::Balance
            | Kind::Function(..)
            | Kind::Selector(_)
            | Kind::This => vec![],
            Kind::Binary(_, parts) | Kind::Index(parts) | Kind::Assign(_, parts) => {
                let (first, second) = parts.$as();
                vec![first, second]
            }
            Kind::Unary(_, inner)
            | Kind::Cast(inner)
            | Kind::Field(inner, _)
            | Kind::Length(inner)
            | Kind::Decode(inner)
            | Kind::DecodeMany(inner, _)
            | Kind::Keccak(inner)
            | Kind::NewArray(inner)
            | Kind::SelectorOf(_, inner)
            | Kind::Step { place: inner, .. } => vec![inner],
            Kind::Conditional(parts) | Kind::Modular { operands: parts, .. } => {
                let (first, second, third) = parts.$as();
                vec![first, second, third]
            }
            Kind::Call { arguments, .. }
            | Kind::Abi(_, arguments)
            | Kind::MakeStruct(arguments)
            | Kind::MakeArray(arguments)
            | Kind::Concat(arguments) => arguments.$iter().collect(),
            Kind::CallOn { target, value, arguments, .. } => {
                let mut all: Vec<_> = vec![target.$as()];
                all.extend(value.$iter().map(|it| it.$as()));
                all.extend(arguments.$iter());
                all
            }
            Kind::Getter { target, keys, .. } => {
                let mut all: Vec<_> = target.$iter().map(|it| it.$as()).collect();
                all.extend(keys.$iter());
                all
            }
            Kind::CallPointer(pointer, arguments) => {
                let mut all: Vec<_> = vec![pointer.$as()];
                all.extend(arguments.$iter());
                all
            }
            Kind::Message { target, value, data, .. } => {
                let mut all: Vec<_> = target.$iter().map(|it| it.$as()).collect();
                all.extend(value.$iter().map(|it| it.$as()));
                all.push(data.$as());
                all
            }
            Kind::New { value, arguments, .. } => {
                let mut all: Vec<_> = value.$iter().map(|it| it.$as()).collect();
                all.extend(arguments.$iter());
                all
            }
            Kind::Push(array, value) => {
                let mut all: Vec<_> = vec![array.$as()];
                all.extend(value.$iter().map(|it| it.$as()));
                all
            }
            Kind::Slice(parts) => {
                let (base, from, to) = parts.$as();
                let mut all: Vec<_> = vec![base];
                all.extend(from.$iter());
                all.extend(to.$iter());
                all
            }
        }
    };
}

/// `Box::as_ref` and `as_mut` under names that do not depend on what the box holds, with tuples taken apart.
trait Apart<'a> {
    type Out;
    fn apart(self) -> Self::Out;
}

impl<'a> Apart<'a> for &'a Box<(Expression, Expression)> {
    type Out = (&'a Expression, &'a Expression);
    fn apart(self) -> Self::Out {
        (&self.0, &self.1)
    }
}

impl<'a> Apart<'a> for &'a mut Box<(Expression, Expression)> {
    type Out = (&'a mut Expression, &'a mut Expression);
    fn apart(self) -> Self::Out {
        let (first, second) = &mut **self;
        (first, second)
    }
}

impl<'a> Apart<'a> for &'a Box<(Expression, Expression, Expression)> {
    type Out = (&'a Expression, &'a Expression, &'a Expression);
    fn apart(self) -> Self::Out {
        (&self.0, &self.1, &self.2)
    }
}

impl<'a> Apart<'a> for &'a mut Box<(Expression, Expression, Expression)> {
    type Out = (&'a mut Expression, &'a mut Expression, &'a mut Expression);
    fn apart(self) -> Self::Out {
        let (first, second, third) = &mut **self;
        (first, second, third)
    }
}

type Sliced = Box<(Expression, Option<Expression>, Option<Expression>)>;

impl<'a> Apart<'a> for &'a Sliced {
    type Out = (&'a Expression, &'a Option<Expression>, &'a Option<Expression>);
    fn apart(self) -> Self::Out {
        (&self.0, &self.1, &self.2)
    }
}

impl<'a> Apart<'a> for &'a mut Sliced {
    type Out = (&'a mut Expression, &'a mut Option<Expression>, &'a mut Option<Expression>);
    fn apart(self) -> Self::Out {
        let (first, second, third) = &mut **self;
        (first, second, third)
    }
}

impl<'a> Apart<'a> for &'a Box<Expression> {
    type Out = &'a Expression;
    fn apart(self) -> Self::Out {
        self
    }
}

impl<'a> Apart<'a> for &'a mut Box<Expression> {
    type Out = &'a mut Expression;
    fn apart(self) -> Self::Out {
        self
    }
}

impl Expression {
    /// The direct parts.
    pub fn parts(&self) -> Vec<&Expression> {
        parts!(&self.kind, iter, apart)
    }

    pub fn parts_mut(&mut self) -> Vec<&mut Expression> {
        parts!(&mut self.kind, iter_mut, apart)
    }

    /// Calls a function for this expression and all inside it.
    pub fn each(&self, visit: &mut impl FnMut(&Expression)) {
        visit(self);
        for part in self.parts() {
            part.each(visit);
        }
    }
}

impl Statement {
    /// The expressions of this statement itself, not of statements inside it.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Let(_, value) => value.iter().collect(),
            Self::LetMany(_, it)
            | Self::Do(it)
            | Self::Assert(it)
            | Self::Delete(it)
            | Self::Pop(it) => {
                vec![it]
            }
            Self::If(it, ..) | Self::For { bound: it, .. } | Self::While { condition: it, .. } => {
                vec![it]
            }
            Self::Return(many) | Self::Emit(_, many) => many.iter().collect(),
            Self::Require(it, _, error) => {
                let more = error.iter().flat_map(|(_, arguments)| arguments);
                std::iter::once(it).chain(more).collect()
            }
            Self::Revert(error, _) => error.iter().flat_map(|(_, arguments)| arguments).collect(),
            Self::Swap(places, values) => places.iter().chain(values).collect(),
            Self::Try { call, .. } => vec![call],
            Self::Break
            | Self::Continue
            | Self::Inner
            | Self::Mention(_)
            | Self::Assembly(_)
            | Self::Block(..) => vec![],
        }
    }

    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Let(_, value) => value.iter_mut().collect(),
            Self::LetMany(_, it)
            | Self::Do(it)
            | Self::Assert(it)
            | Self::Delete(it)
            | Self::Pop(it) => {
                vec![it]
            }
            Self::If(it, ..) | Self::For { bound: it, .. } | Self::While { condition: it, .. } => {
                vec![it]
            }
            Self::Return(many) | Self::Emit(_, many) => many.iter_mut().collect(),
            Self::Require(it, _, error) => {
                let more = error.iter_mut().flat_map(|(_, arguments)| arguments);
                std::iter::once(it).chain(more).collect()
            }
            Self::Revert(error, _) => {
                error.iter_mut().flat_map(|(_, arguments)| arguments).collect()
            }
            Self::Swap(places, values) => places.iter_mut().chain(values).collect(),
            Self::Try { call, .. } => vec![call],
            Self::Break
            | Self::Continue
            | Self::Inner
            | Self::Mention(_)
            | Self::Assembly(_)
            | Self::Block(..) => vec![],
        }
    }

    /// The blocks inside this statement.
    pub fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Self::If(_, yes, no) => vec![yes, no],
            Self::For { body, .. } | Self::While { body, .. } | Self::Block(_, body) => vec![body],
            Self::Try { body, catches, .. } => {
                std::iter::once(body).chain(catches.iter().map(|(_, body)| body)).collect()
            }
            _ => vec![],
        }
    }

    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Self::If(_, yes, no) => vec![yes, no],
            Self::For { body, .. } | Self::While { body, .. } | Self::Block(_, body) => vec![body],
            Self::Try { body, catches, .. } => {
                std::iter::once(body).chain(catches.iter_mut().map(|(_, body)| body)).collect()
            }
            _ => vec![],
        }
    }
}
