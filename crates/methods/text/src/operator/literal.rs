//! Literals become edge values: of the widths that compilers have special cases for, and of their notations.

use forge::Entropy;

use super::{Edit, Scene};
use crate::token::{Kind, Token};

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "63",
    "64",
    "127",
    "128",
    "255",
    "256",
    "257",
    "32767",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "57896044618658097711785492504343953926634992332820282019728792003956564819968",
    "115792089237316195423570985008687907853269984665640564039457584007913129639935",
    "115792089237316195423570985008687907853269984665640564039457584007913129639936",
    "0x0",
    "0xff",
    "0x80000000",
    "0xffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "0.0",
    "0.5",
    "1.5",
    "1e10",
    "1e77",
    "1e400",
    "1e-400",
    "00",
    "0b1",
    "0o7",
    "1_000",
];

const TEXTS: &[&str] = &[
    "",
    " ",
    "\\0",
    "\\n",
    "\\\\",
    "\\x00",
    "\\xff",
    "\\u{0}",
    "ä",
    "\u{10ffff}",
    "%s",
    "{}",
    "a",
];

/// The length of a long text.
const LONG: usize = 70;

pub(super) fn edits(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let is_literal = |token: &&Token| matches!(token.kind, Kind::Number | Kind::Text);
    let literals: Vec<&Token> = scene.tokens.iter().filter(is_literal).collect();
    let token = entropy.pick(&literals)?;
    let with = if token.kind == Kind::Number {
        (*entropy.pick(NUMBERS)?).to_owned()
    } else {
        let quote = scene.word(token).chars().next()?;
        let inside = match entropy.chance(1, 8) {
            true => "a".repeat(LONG),
            false => (*entropy.pick(TEXTS)?).to_owned(),
        };
        format!("{quote}{inside}{quote}")
    };
    Some(vec![(token.range.clone(), with)])
}
