//! A number of bits as a linear function of the width `w` at which a rule is used: `8`, `w`, `w/2`,
//! `2*w`, `w-8`.

use std::fmt;

/// `w * times / over + plus`.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Extent {
    pub times: u16,
    pub over: u16,
    pub plus: i16,
}

impl Extent {
    /// The width `w` itself.
    pub const WORD: Self = Self { times: 1, over: 1, plus: 0 };
    pub const BIT: Self = Self::fixed(1);

    pub const fn fixed(bits: u16) -> Self {
        Self { times: 0, over: 1, plus: bits as i16 }
    }

    /// The value at a width, or `None` if it is not a natural number of bits.
    pub fn at(self, width: u16) -> Option<u16> {
        let scaled = i32::from(width) * i32::from(self.times);
        if scaled % i32::from(self.over) != 0 {
            return None;
        }
        u16::try_from(scaled / i32::from(self.over) + i32::from(self.plus)).ok()
    }

    pub fn as_fixed(self) -> Option<u16> {
        if self.times == 0 { u16::try_from(self.plus).ok() } else { None }
    }

    /// The sum of two extents, or `None` on overflow.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (times, over) = if self.over == other.over {
            (self.times + other.times, self.over)
        } else if self.times == 0 {
            (other.times, other.over)
        } else if other.times == 0 {
            (self.times, self.over)
        } else {
            let (times, over) =
                (self.times * other.over + other.times * self.over, self.over * other.over);
            (times, over)
        };
        Some(Self { times, over, plus: self.plus.checked_add(other.plus)? }.reduced())
    }

    /// In lowest terms, so that equal extents compare equal.
    pub fn reduced(self) -> Self {
        if self.times == 0 {
            return Self { times: 0, over: 1, plus: self.plus };
        }
        let (mut a, mut b) = (self.times, self.over);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Self { times: self.times / a, over: self.over / a, plus: self.plus }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.times == 0 {
            return write!(f, "{}", self.plus);
        }
        if self.times != 1 {
            write!(f, "{}*", self.times)?;
        }
        f.write_str("w")?;
        if self.over != 1 {
            write!(f, "/{}", self.over)?;
        }
        match self.plus {
            0 => Ok(()),
            plus => write!(f, "{plus:+}"),
        }
    }
}
