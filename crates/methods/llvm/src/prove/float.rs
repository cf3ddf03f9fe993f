//! Floats as bits: what comparisons, classes and fast-math flags say about them. Arithmetic is an unknown
//! function (`calls.rs`).

use identity::kernel::Wire;

use super::calls::Unknown;
use super::encode::Encoder;
use super::symbol::{Lane, Symbol};
use super::value::shaped;
use super::wires::{Wires, constant};
use super::{Encoding, Unencodable};
use crate::ir::{Flags, FloatPredicate, Operand, Type};
use crate::semantics::Domain;

impl Encoder<'_> {
    /// Where denormal numbers may count as zero, a comparison of one is in doubt.
    pub(super) fn flushed(&mut self, ty: &Type, lane: &Lane) -> Encoding<()> {
        let names = ["denormal-fp-math", "denormal-fp-math-f32", "denormal_fpenv"];
        if names.iter().any(|name| self.header.attributes.has(name)) {
            let denormal = is_any_class(self.wires, ty, &lane.word, 1 << 4 | 1 << 7)?;
            self.unsure_if(denormal, "denormal numbers that may count as zero");
        }
        Ok(())
    }

    /// `llvm.minimum` and its relatives: by the order of all numbers, in which -0 is below 0. A NaN among the
    /// operands is the result, with arbitrary bits, or the other operand is (`…num`).
    pub(super) fn extreme(
        &mut self,
        name: &str,
        flags: Flags,
        arguments: &[Operand],
        ty: &Type,
    ) -> Encoding<Symbol> {
        let base = name.split('.').next().unwrap_or_default();
        let (is_least, is_number) = (base.starts_with("min"), base.ends_with("num"));
        let (left, right) = (self.read_all(&arguments[0])?, self.read_all(&arguments[1])?);
        let (exponent, fraction) = layout(ty)?;
        let mut lanes = vec![];
        for (a, b) in left.iter().zip(&right) {
            let below = self.is_below(&a.word, &b.word);
            let takes_first = if is_least { below } else { !below };
            let chosen = self.wires.select(&takes_first, &a.word, &b.word);
            let (a_nan, _) = special(self.wires, ty, &a.word)?;
            let (b_nan, _) = special(self.wires, ty, &b.word)?;
            let operands = [&a.word, &b.word].map(|it| Symbol::Lane(Lane::of(it.clone())));
            let function = Unknown {
                name: &format!("a NaN of {base} {:?}", ty.lane()),
                flags: Flags::NONE,
                commutes: true,
                is_source: self.is_source,
            };
            let nan =
                self.answers.apply(self.wires, self.module, &function, &operands, ty.lane())?;
            let mut nan = nan.lane()?.word.clone();
            nan[fraction..fraction + exponent].fill(Wire::TRUE);
            let some = self.wires.graph.any(&nan[..fraction]);
            nan[fraction - 1] = self.wires.graph.or(nan[fraction - 1], !some);
            let (both, either) =
                (self.wires.graph.and(a_nan, b_nan), self.wires.graph.or(a_nan, b_nan));
            let word = if is_number {
                let number = self.wires.select(&a_nan, &b.word, &chosen);
                let number = self.wires.select(&b_nan, &a.word, &number);
                self.wires.select(&both, &nan, &number)
            } else {
                self.wires.select(&either, &nan, &chosen)
            };
            let mut poison = self.wires.graph.or(a.poison, b.poison);
            for operand in [&a.word, &b.word] {
                let bad = excluded(self.wires, flags, ty, operand)?;
                poison = self.wires.graph.or(poison, bad);
            }
            lanes.push(Lane { word, poison, undef: Wire::FALSE });
        }
        self.rounded_off(flags, ty, shaped(ty, lanes))
    }

    /// Whether a number is below another, neither of which is NaN.
    fn is_below(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let top = a.len() - 1;
        let (left, right) = (a[..top].to_vec(), b[..top].to_vec());
        let (smaller, larger) = (self.wires.ult(&left, &right), self.wires.ult(&right, &left));
        let by_magnitude = self.wires.graph.choose(a[top], larger, smaller);
        let signs_differ = self.wires.graph.xor(a[top], b[top]);
        self.wires.graph.choose(signs_differ, a[top], by_magnitude)
    }

    /// `llvm.is.fpclass`, with a constant mask.
    pub(super) fn is_class(&mut self, arguments: &[Operand]) -> Encoding<Symbol> {
        let kind = &arguments[0].ty;
        let lanes = self.read_all(&arguments[0])?;
        let mask = self.read_one(&arguments[1])?;
        let mask =
            constant(&mask.word).ok_or_else(|| Unencodable::new("variable class of floats"))?;
        let mut results = vec![];
        for lane in lanes {
            let result = is_any_class(self.wires, kind, &lane.word, mask as u32)?;
            results.push(Lane { word: vec![result], poison: lane.poison, undef: Wire::FALSE });
        }
        Ok(shaped(kind, results))
    }
}

/// A value that is poison where it is of a class that `nofpclass` excludes.
pub(super) fn without_classes(
    wires: &mut Wires,
    value: Symbol,
    ty: &Type,
    classes: &str,
) -> Encoding<Symbol> {
    let mask = classes_of(classes).ok_or_else(|| Unencodable::new("nofpclass"))?;
    Ok(match value {
        Symbol::Lane(lane) => {
            let bad = is_any_class(wires, ty, &lane.word, mask)?;
            Symbol::Lane(lane).poisoned(wires, bad)
        }
        Symbol::Many(many) => {
            let of = match ty {
                Type::Vector { of, .. } | Type::Array { of, .. } => &**of,
                _ => return Err(Unencodable::new("nofpclass of a struct")),
            };
            let each = many.into_iter().map(|it| without_classes(wires, it, of, classes));
            Symbol::Many(each.collect::<Encoding<_>>()?)
        }
    })
}

/// The words of `nofpclass`, as a mask.
fn classes_of(text: &str) -> Option<u32> {
    text.split_whitespace().try_fold(0, |mask, word| {
        let own = match word {
            "all" => 1023,
            "nan" => 3,
            "snan" => 1,
            "qnan" => 2,
            "inf" => 4 | 512,
            "ninf" => 4,
            "pinf" => 512,
            "norm" => 8 | 256,
            "nnorm" => 8,
            "pnorm" => 256,
            "sub" => 16 | 128,
            "nsub" => 16,
            "psub" => 128,
            "zero" => 32 | 64,
            "nzero" => 32,
            "pzero" => 64,
            number => number.parse().ok()?,
        };
        Some(mask | own)
    })
}

/// Whether a number is of one of the classes of a mask, in the order of LLVM's bits.
pub(super) fn is_any_class(
    wires: &mut Wires,
    ty: &Type,
    word: &[Wire],
    mask: u32,
) -> Encoding<Wire> {
    let (exponent, fraction) = layout(ty)?;
    let sign = word[fraction + exponent];
    let ones: Vec<Wire> = word[fraction..fraction + exponent].iter().map(|&wire| !wire).collect();
    let all = !wires.graph.any(&ones);
    let none = !wires.graph.any(&word[fraction..fraction + exponent]);
    let any = wires.graph.any(&word[..fraction]);
    let quiet = word[fraction - 1];
    let nan = wires.graph.and(all, any);
    let infinite = wires.graph.and(all, !any);
    let zero = wires.graph.and(none, !any);
    let subnormal = wires.graph.and(none, any);
    let normal = wires.graph.and(!all, !none);
    let classes = [
        (0, nan, !quiet),
        (1, nan, quiet),
        (2, infinite, sign),
        (3, normal, sign),
        (4, subnormal, sign),
        (5, zero, sign),
        (6, zero, !sign),
        (7, subnormal, !sign),
        (8, normal, !sign),
        (9, infinite, !sign),
    ];
    let mut result = Wire::FALSE;
    for (bit, class, part) in classes {
        if mask >> bit & 1 == 1 {
            let here = wires.graph.and(class, part);
            result = wires.graph.or(result, here);
        }
    }
    Ok(result)
}

/// Exponent and fraction bits of a float type.
fn layout(ty: &Type) -> Encoding<(usize, usize)> {
    use crate::ir::FloatKind::{BFloat, Double, Float, Fp128, Half};
    match ty.lane() {
        Type::Float(Half) => Ok((5, 10)),
        Type::Float(BFloat) => Ok((8, 7)),
        Type::Float(Float) => Ok((8, 23)),
        Type::Float(Double) => Ok((11, 52)),
        Type::Float(Fp128) => Ok((15, 112)),
        _ => Err(Unencodable::new("float format")),
    }
}

/// When a number is NaN, and when it is infinite.
pub(super) fn special(wires: &mut Wires, ty: &Type, word: &[Wire]) -> Encoding<(Wire, Wire)> {
    let (exponent, fraction) = layout(ty)?;
    let ones: Vec<Wire> = word[fraction..fraction + exponent].iter().map(|&wire| !wire).collect();
    let all = !wires.graph.any(&ones);
    let any = wires.graph.any(&word[..fraction]);
    Ok((wires.graph.and(all, any), wires.graph.and(all, !any)))
}

/// When a number is one that the fast-math flags exclude.
pub(super) fn excluded(
    wires: &mut Wires,
    flags: Flags,
    ty: &Type,
    word: &[Wire],
) -> Encoding<Wire> {
    let mut bad = Wire::FALSE;
    if flags.has(Flags::NNAN) || flags.has(Flags::NINF) {
        let (nan, infinite) = special(wires, ty, word)?;
        if flags.has(Flags::NNAN) {
            bad = wires.graph.or(bad, nan);
        }
        if flags.has(Flags::NINF) {
            bad = wires.graph.or(bad, infinite);
        }
    }
    Ok(bad)
}

/// A comparison of floats, from their bits.
pub(super) fn compare_floats(
    wires: &mut Wires,
    predicate: FloatPredicate,
    ty: &Type,
    a: &Vec<Wire>,
    b: &Vec<Wire>,
) -> Encoding<Wire> {
    let ((a_nan, _), (b_nan, _)) = (special(wires, ty, a)?, special(wires, ty, b)?);
    let unordered = wires.graph.or(a_nan, b_nan);
    let top = a.len() - 1;
    let (a_zero, b_zero) = (!wires.graph.any(&a[..top]), !wires.graph.any(&b[..top]));
    let both_zero = wires.graph.and(a_zero, b_zero);
    let same = wires.eq(a, b);
    let equal = wires.graph.or(same, both_zero);
    // Sign and magnitude: below if it is negative and the other is not, or by magnitude.
    let (a_magnitude, b_magnitude) = (a[..top].to_vec(), b[..top].to_vec());
    let (smaller, larger) =
        (wires.ult(&a_magnitude, &b_magnitude), wires.ult(&b_magnitude, &a_magnitude));
    let by_magnitude = wires.graph.choose(a[top], larger, smaller);
    let signs_differ = wires.graph.xor(a[top], b[top]);
    let below = wires.graph.choose(signs_differ, a[top], by_magnitude);
    let below = wires.graph.and(below, !equal);
    let above = wires.graph.and(!below, !equal);
    let (ordered, value) = match predicate {
        FloatPredicate::False => return Ok(Wire::FALSE),
        FloatPredicate::True => return Ok(Wire::TRUE),
        FloatPredicate::Ord => return Ok(!unordered),
        FloatPredicate::Uno => return Ok(unordered),
        FloatPredicate::Oeq => (true, equal),
        FloatPredicate::Ogt => (true, above),
        FloatPredicate::Oge => (true, !below),
        FloatPredicate::Olt => (true, below),
        FloatPredicate::Ole => (true, !above),
        FloatPredicate::One => (true, !equal),
        FloatPredicate::Ueq => (false, equal),
        FloatPredicate::Ugt => (false, above),
        FloatPredicate::Uge => (false, !below),
        FloatPredicate::Ult => (false, below),
        FloatPredicate::Ule => (false, !above),
        FloatPredicate::Une => (false, !equal),
    };
    Ok(if ordered { wires.graph.and(!unordered, value) } else { wires.graph.or(unordered, value) })
}
