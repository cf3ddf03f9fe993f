//! Parses infix expressions by precedence into a tree, with the column of each node for error
//! messages.

use num_bigint::BigInt;

use super::token::{Placed, Token};
use crate::kernel::{Extent, Op};

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) column: usize,
    pub(super) kind: Kind,
    height: usize,
}

impl Expression {
    fn new(column: usize, kind: Kind) -> Read<Self> {
        let heights = |arguments: &[Self]| arguments.iter().map(|it| it.height).max().unwrap_or(0);
        let below = match &kind {
            Kind::Name(_) | Kind::Number(_) => 0,
            Kind::Apply(_, arguments) | Kind::Call(_, arguments) => heights(arguments),
            Kind::Resize(_, operand, _) => operand.height,
        };
        match below < DEEPEST {
            true => Ok(Self { column, kind, height: below + 1 }),
            false => Err(too_deep(column)),
        }
    }
}

fn too_deep(column: usize) -> (usize, String) {
    (column, format!("the expression is nested more than {DEEPEST} deep"))
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Name(String),
    Number(BigInt),
    Apply(Op, Vec<Expression>),
    Call(String, Vec<Expression>),
    /// A function with width arguments besides its operand: `zext(x, 2*w)`, `extract(x, 15, 8)`.
    Resize(String, Box<Expression>, Vec<Extent>),
}

/// The functions that are parsed as `Resize`.
const RESIZING: &[&str] = &["zext", "sext", "trunc", "extract"];

/// From the loosest to the tightest binding. All are left-associative.
const LEVELS: &[&[(&str, Op)]] = &[
    &[
        ("==", Op::Eq),
        ("!=", Op::Ne),
        ("<u", Op::Ult),
        ("<=u", Op::Ule),
        (">u", Op::Ugt),
        (">=u", Op::Uge),
        ("<s", Op::Slt),
        ("<=s", Op::Sle),
        (">s", Op::Sgt),
        (">=s", Op::Sge),
    ],
    &[("|", Op::Or)],
    &[("^", Op::Xor)],
    &[("&", Op::And)],
    &[("<<", Op::Shl), (">>u", Op::Lshr), (">>s", Op::Ashr)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[
        ("*", Op::Mul),
        ("/u", Op::Udiv),
        ("/s", Op::Sdiv),
        ("/f", Op::Fdiv),
        ("%u", Op::Urem),
        ("%s", Op::Srem),
        ("%f", Op::Fmod),
    ],
    &[("**", Op::Exp)],
];

/// The symbol and precedence of an infix operator.
pub(crate) fn infix(op: Op) -> Option<(&'static str, usize)> {
    let levels = LEVELS.iter().enumerate();
    levels
        .flat_map(|(level, ops)| ops.iter().map(move |(sign, o)| (*o, *sign, level)))
        .find_map(|(o, sign, level)| (o == op).then_some((sign, level)))
}

/// The precedence of unary operators.
pub(crate) const UNARY: usize = LEVELS.len();

#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Placed],
    pub(super) at: usize,
    /// The column after the last token.
    pub(super) end: usize,
    /// How many operands, parentheses and arguments are open.
    pub(super) depth: usize,
}

/// The deepest nesting of an expression, as text and as a tree; a sum of n terms is n deep.
const DEEPEST: usize = 200;

pub(super) type Read<T> = Result<T, (usize, String)>;

impl Reader<'_> {
    pub(super) fn column(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |placed| placed.column)
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Placed { token: Token::Symbol(s), .. }) if *s == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Read<()> {
        if self.accept(sign) { Ok(()) } else { Err((self.column(), format!("expected `{sign}`"))) }
    }

    pub(super) fn finish(&self) -> Read<()> {
        if self.at == self.tokens.len() {
            return Ok(());
        }
        Err((self.column(), "expected the end of the line".into()))
    }

    pub(super) fn expression(&mut self) -> Read<Expression> {
        self.deeper(Self::conditional)
    }

    /// Reads something nested, unless too much is open already.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Read<Expression>) -> Read<Expression> {
        if self.depth >= DEEPEST {
            return Err(too_deep(self.column()));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Read<Expression> {
        let condition = self.level(0)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let column = condition.column;
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        Expression::new(column, Kind::Apply(Op::Ite, vec![condition, yes, no]))
    }

    fn level(&mut self, level: usize) -> Read<Expression> {
        let Some(ops) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(Placed { token: Token::Symbol(sign), column }) = self.tokens.get(self.at) {
            if let "/" | "%" | "<" | ">" | ">=" | "<=" = *sign {
                return Err((
                    *column,
                    format!("`{sign}` needs a signedness: `{sign}u` or `{sign}s`"),
                ));
            }
            let Some((_, op)) = ops.iter().find(|(s, _)| s == sign) else { break };
            self.at += 1;
            let right = self.level(level + 1)?;
            left = Expression::new(left.column, Kind::Apply(*op, vec![left, right]))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Expression> {
        let column = self.column();
        let op = if self.accept("-") {
            Op::Neg
        } else if self.accept("~") {
            Op::Not
        } else {
            return self.primary();
        };
        // A minus before a number is part of the number; `-(5)` negates one.
        if let (Op::Neg, Some(Placed { token: Token::Number(n), .. })) =
            (op, self.tokens.get(self.at))
        {
            self.at += 1;
            return Expression::new(column, Kind::Number(-n));
        }
        let operand = self.deeper(Self::unary)?;
        Expression::new(column, Kind::Apply(op, vec![operand]))
    }

    fn primary(&mut self) -> Read<Expression> {
        let column = self.column();
        let Some(placed) = self.tokens.get(self.at) else {
            return Err((column, "expected an operand, found the end of the line".into()));
        };
        let kind = match &placed.token {
            Token::Number(n) => Kind::Number(n.clone()),
            Token::Name(name) => Kind::Name(name.clone()),
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Symbol(sign) => {
                return Err((column, format!("an operand should be here, not `{sign}`")));
            }
            Token::Text(_) => return Err((column, "an operand should be here, not a text".into())),
        };
        self.at += 1;
        if let Kind::Name(name) = &kind
            && self.accept("(")
        {
            if RESIZING.contains(&name.as_str()) {
                let operand = Box::new(self.expression()?);
                let mut extents = Vec::new();
                while self.accept(",") {
                    extents.push(self.extent()?);
                }
                self.expect(")")?;
                return Expression::new(column, Kind::Resize(name.clone(), operand, extents));
            }
            let mut args = Vec::new();
            loop {
                args.push(self.expression()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Expression::new(column, Kind::Call(name.clone(), args));
        }
        Expression::new(column, kind)
    }

    /// `8`, `w`, `w/2`, `2*w`, `w-8`, `3*w/4+1`.
    pub(super) fn extent(&mut self) -> Read<Extent> {
        let column = self.column();
        let mut extent = match self.small() {
            Some(n) if !self.accept("*") => return Ok(Extent::fixed(n)),
            Some(times) => Extent { times, over: 1, plus: 0 },
            None => Extent::WORD,
        };
        match self.tokens.get(self.at) {
            Some(Placed { token: Token::Name(name), .. }) if name == "w" => self.at += 1,
            _ => {
                return Err((
                    column,
                    "expected a width: a number, or `w`, `w/2`, `2*w`, `w-8`".into(),
                ));
            }
        }
        if self.accept("/") {
            let over = self.small().filter(|&n| n > 0);
            extent.over = over.ok_or((self.column(), "expected a number".to_string()))?;
        }
        let sign = if self.accept("+") {
            1
        } else if self.accept("-") {
            -1
        } else {
            return Ok(extent.reduced());
        };
        let plus = self.small().ok_or((self.column(), "expected a number".to_string()))?;
        extent.plus = sign * plus as i16;
        Ok(extent.reduced())
    }

    /// A number that is at most 1024.
    pub(super) fn small(&mut self) -> Option<u16> {
        let Some(Placed { token: Token::Number(n), .. }) = self.tokens.get(self.at) else {
            return None;
        };
        let n = u16::try_from(n).ok().filter(|&n| n <= 1024)?;
        self.at += 1;
        Some(n)
    }
}
