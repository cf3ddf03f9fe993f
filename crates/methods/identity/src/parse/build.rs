//! Builds terms from expressions: resolves names to variables, and infers widths from context.

use num_bigint::BigInt;

use super::expression::{Expression, Kind, Read};
use crate::kernel::{Extent, Op, TermId, Terms};
use crate::rule::Variable;

/// Named constants: moduli of fields used in smart contracts.
pub const NAMED: &[(&str, &str)] = &[
    ("P_SECP256K1", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
    ("N_SECP256K1", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    ("P_BN254", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ("R_BN254", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
    ("R_BLS12_381", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
    ("P_25519", "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"),
    ("P_256", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
];

pub fn named_number(name: &str) -> Option<BigInt> {
    let (_, digits) = NAMED.iter().find(|(n, _)| *n == name)?;
    BigInt::parse_bytes(digits.as_bytes(), 16)
}

/// Functions on words, by name.
pub(crate) const FUNCTIONS: &[(&str, Op)] = &[
    ("rotl", Op::Rotl),
    ("rotr", Op::Rotr),
    ("umin", Op::Umin),
    ("umax", Op::Umax),
    ("smin", Op::Smin),
    ("smax", Op::Smax),
    ("byte", Op::Byte),
    ("addmod", Op::Addmod),
    ("mulmod", Op::Mulmod),
    ("clz", Op::Clz),
    ("ctz", Op::Ctz),
    ("log2", Op::Ctz),
    ("popcount", Op::Popcount),
    ("bswap", Op::Bswap),
    ("pow2", Op::IsPower),
    ("concat", Op::Concat),
];

#[derive(Debug)]
pub(super) struct Builder<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) variables: &'a mut Vec<Variable>,
    /// Whether unknown names become variables.
    pub(super) open: bool,
}

impl Builder<'_> {
    /// The width that an expression determines; `None` for a number.
    fn width(&self, expression: &Expression) -> Option<Extent> {
        match &expression.kind {
            Kind::Number(_) => None,
            Kind::Name(name) => match name.as_str() {
                "w" | "MIN" | "MAX" => None,
                _ if named_number(name).is_some() => None,
                _ => Some(
                    self.variables
                        .iter()
                        .find(|v| v.name == *name)
                        .map_or(Extent::WORD, |v| v.width),
                ),
            },
            Kind::Resize(function, _, extents) => match (function.as_str(), extents.as_slice()) {
                ("extract", [high, low]) => span(*high, *low),
                (_, [to]) => Some(*to),
                _ => None,
            },
            Kind::Apply(Op::Ite, args) => self.width(&args[1]).or_else(|| self.width(&args[2])),
            Kind::Call(function, args) if function == "concat" => {
                let (high, low) = (self.width(args.first()?)?, self.width(args.get(1)?)?);
                high.plus(low)
            }
            Kind::Apply(_, args) | Kind::Call(_, args) => {
                args.iter().find_map(|arg| self.width(arg))
            }
        }
    }

    pub(super) fn word(
        &mut self,
        expression: &Expression,
        expected: Option<Extent>,
    ) -> Read<TermId> {
        let width = self.width(expression).or(expected).unwrap_or(Extent::WORD);
        let column = expression.column;
        let term = match &expression.kind {
            Kind::Number(n) => {
                if width.as_fixed().is_some_and(|bits| n.bits() > u64::from(bits)) {
                    return Err((column, format!("{n} does not fit into {width} bits")));
                }
                self.terms.literal(n.clone(), width)
            }
            Kind::Name(name) => self.name(name, width, column)?,
            Kind::Resize(function, operand, extents) => {
                self.resize(function, operand, extents, column)?
            }
            Kind::Apply(Op::Ite, args) => {
                let condition = self.word(&args[0], None)?;
                let (yes, no) =
                    (self.word(&args[1], Some(width))?, self.word(&args[2], Some(width))?);
                self.agree(&[yes, no], &args[1..])?;
                self.terms.apply(Op::Ite, &[condition, yes, no])
            }
            Kind::Apply(op, args) => self.apply(*op, args, width, column)?,
            Kind::Call(function, args) => self.call(function, args, width, column)?,
        };
        Ok(term)
    }

    fn name(&mut self, name: &str, width: Extent, column: usize) -> Read<TermId> {
        if let Some(n) = named_number(name) {
            return Ok(self.terms.literal(n, width));
        }
        match name {
            "w" => return Ok(self.terms.apply_at(Op::Bits(Extent::WORD), &[], width)),
            "MIN" => return Ok(self.terms.least(width)),
            "MAX" => {
                let least = self.terms.least(width);
                return Ok(self.terms.apply(Op::Not, &[least]));
            }
            _ => {}
        }
        let index = match self.variables.iter().position(|variable| variable.name == name) {
            Some(index) => index,
            None if self.open => {
                let constant = name.starts_with(|c: char| c.is_ascii_uppercase());
                self.variables.push(Variable { name: name.into(), width: Extent::WORD, constant });
                self.variables.len() - 1
            }
            None => {
                return Err((
                    column,
                    format!("`{name}` is unbound: it occurs on neither side of the equation"),
                ));
            }
        };
        Ok(self.terms.variable(index as u16, self.variables[index].width))
    }

    fn call(
        &mut self,
        function: &str,
        args: &[Expression],
        width: Extent,
        column: usize,
    ) -> Read<TermId> {
        let arity = |n: usize| {
            if args.len() == n {
                return Ok(());
            }
            Err((column, format!("`{function}` takes {n} operands, not {}", args.len())))
        };
        match function {
            "iszero" => {
                arity(1)?;
                let x = self.word(&args[0], Some(width))?;
                let zero = self.terms.literal(0, self.terms.width(x));
                return Ok(self.terms.apply(Op::Eq, &[x, zero]));
            }
            "abs" => {
                arity(1)?;
                let x = self.word(&args[0], Some(width))?;
                let zero = self.terms.literal(0, self.terms.width(x));
                let (negative, minus) =
                    (self.terms.apply(Op::Slt, &[x, zero]), self.terms.apply(Op::Neg, &[x]));
                return Ok(self.terms.apply(Op::Ite, &[negative, minus, x]));
            }
            _ => {}
        }
        let Some((_, op)) = FUNCTIONS.iter().find(|(name, _)| *name == function) else {
            return Err((column, format!("unknown operator `{function}`")));
        };
        arity(op.arity())?;
        if *op == Op::Concat {
            let (high, low) = (self.word(&args[0], None)?, self.word(&args[1], None)?);
            return Ok(self.terms.apply(Op::Concat, &[high, low]));
        }
        self.apply(*op, args, width, column)
    }

    /// An operator whose operands have the width of its result.
    fn apply(&mut self, op: Op, args: &[Expression], width: Extent, column: usize) -> Read<TermId> {
        let mut terms = Vec::new();
        for arg in args {
            terms.push(self.word(arg, Some(width))?);
        }
        self.agree(&terms, args)?;
        if op == Op::Bswap && width.as_fixed().is_some_and(|bits| bits % 8 != 0) {
            return Err((column, format!("{width} bits are not a whole number of bytes")));
        }
        Ok(self.terms.apply(op, &terms))
    }

    fn agree(&self, terms: &[TermId], args: &[Expression]) -> Read<()> {
        for (term, arg) in terms.iter().zip(args).skip(1) {
            let (first, other) = (self.terms.width(terms[0]), self.terms.width(*term));
            if first != other {
                return Err((
                    arg.column,
                    format!("unequal widths: this operand has {other} bits, the first one {first}"),
                ));
            }
        }
        Ok(())
    }

    fn resize(
        &mut self,
        function: &str,
        operand: &Expression,
        extents: &[Extent],
        column: usize,
    ) -> Read<TermId> {
        let x = self.word(operand, None)?;
        let from = self.terms.width(x);
        let (op, to) = match (function, extents) {
            ("zext", [to]) => (Op::Zext, *to),
            ("sext", [to]) => (Op::Sext, *to),
            ("trunc", [to]) => (Op::Extract(Extent::fixed(0)), *to),
            ("extract", [high, low]) => {
                let to =
                    span(*high, *low).ok_or((column, format!("no bits from {low} to {high}")))?;
                (Op::Extract(*low), to)
            }
            ("extract", _) => return Err((column, "write extract(x, HIGH, LOW)".into())),
            _ => return Err((column, format!("write {function}(x, WIDTH)"))),
        };
        if let (Some(from), Some(to)) = (from.as_fixed(), to.as_fixed())
            && ((matches!(op, Op::Zext | Op::Sext) && to < from)
                || (function == "trunc" && to > from))
        {
            return Err((column, format!("`{function}` cannot convert {from} bits to {to}")));
        }
        Ok(self.terms.apply_at(op, &[x], to))
    }
}

/// The number of bits from `low` to `high`, inclusive.
fn span(high: Extent, low: Extent) -> Option<Extent> {
    let plus = high.plus.checked_sub(low.plus)?.checked_add(1)?;
    let times = (high.times * low.over).checked_sub(low.times * high.over)?;
    let span = Extent { times, over: high.over * low.over, plus }.reduced();
    (span.times > 0 || span.plus > 0).then_some(span)
}
