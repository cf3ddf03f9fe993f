//! The edge cases of arithmetic in each language, as data. A rule is proven for each semantics
//! separately: a rewrite that is exact with wrapping may trap on only one side with overflow
//! checks.

/// An observable failure instead of a result. A semantics distinguishes two traps only if its users
/// can.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Trap {
    Overflow,
    Division,
    Range,
}

impl Trap {
    pub const ALL: [Self; 3] = [Self::Overflow, Self::Division, Self::Range];
}

/// What a result out of range becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    Wraps,
    Saturates,
    Traps(Trap),
    Undefined,
}

/// The result of a division by zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ZeroDivision {
    /// Quotient and remainder are 0, as in the EVM.
    Zero,
    /// The quotient is all ones, the remainder the dividend.
    SmtLib,
    Traps(Trap),
    Undefined,
}

/// The effect of a shift by the width or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OversizedShift {
    /// All bits are shifted out: 0, or copies of the sign.
    Fills,
    /// The amount is taken modulo the width.
    Masks,
    Traps(Trap),
    /// Like `Fills`, but amounts of at least this one trap.
    FillsBelow(u16, Trap),
    Undefined,
}

/// The edge cases of the arithmetic of a language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Semantics {
    pub name: &'static str,
    pub about: &'static str,
    /// The widths of the language, among those that rules are proven for one by one. Empty means
    /// any.
    pub widths: &'static [u16],
    /// Whether `+`, `-`, `*`, `**` and negation are signed. Other operators have signed and
    /// unsigned variants.
    pub signed: bool,
    pub overflow: Overflow,
    /// A left shift that loses bits (signed: that changes the value).
    pub shift_overflow: Overflow,
    pub zero_division: ZeroDivision,
    /// The least signed number divided by −1: the quotient, and the remainder.
    pub quotient_overflow: Overflow,
    pub remainder_overflow: Overflow,
    pub oversized_shift: OversizedShift,
}

/// Whole bytes, as in Solidity and Vyper.
const BYTE_WIDTHS: &[u16] = &[
    8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168,
    176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256,
];
const HARDWARE_WIDTHS: &[u16] = &[8, 16, 32, 64, 128];

/// All operators are total, as in SMT-LIB. A proof here applies to every semantics wherever no edge
/// case occurs.
pub const WORDS: Semantics = Semantics {
    name: "words",
    about: "total functions on words of any width, as in SMT-LIB",
    widths: &[],
    signed: false,
    overflow: Overflow::Wraps,
    shift_overflow: Overflow::Wraps,
    zero_division: ZeroDivision::SmtLib,
    quotient_overflow: Overflow::Wraps,
    remainder_overflow: Overflow::Wraps,
    oversized_shift: OversizedShift::Fills,
};

const SOLIDITY: Semantics = Semantics {
    name: "solidity-unchecked",
    about: "Solidity in `unchecked` blocks: wraps; division by zero panics with 0x12",
    widths: BYTE_WIDTHS,
    zero_division: ZeroDivision::Traps(Trap::Division),
    ..WORDS
};

const VYPER: Semantics = Semantics {
    name: "vyper-unsigned",
    about: "Vyper, unsigned: overflow and division by zero revert alike",
    overflow: Overflow::Traps(Trap::Overflow),
    zero_division: ZeroDivision::Traps(Trap::Overflow),
    quotient_overflow: Overflow::Traps(Trap::Overflow),
    ..SOLIDITY
};

const RUST: Semantics = Semantics {
    name: "rust-unsigned",
    about: "Rust with overflow checks, unsigned: everything that goes wrong panics",
    widths: HARDWARE_WIDTHS,
    remainder_overflow: Overflow::Traps(Trap::Overflow),
    oversized_shift: OversizedShift::Traps(Trap::Overflow),
    ..VYPER
};

const C: Semantics = Semantics {
    name: "c-unsigned",
    about: "C, unsigned: wraps; division by zero and oversized shifts are undefined",
    widths: HARDWARE_WIDTHS,
    zero_division: ZeroDivision::Undefined,
    quotient_overflow: Overflow::Undefined,
    remainder_overflow: Overflow::Undefined,
    oversized_shift: OversizedShift::Undefined,
    ..WORDS
};

pub const SEMANTICS: &[Semantics] = &[
    WORDS,
    Semantics {
        name: "evm",
        about: "EVM words, as in Yul and inline assembly: x / 0 and x % 0 are 0",
        widths: &[256],
        zero_division: ZeroDivision::Zero,
        ..WORDS
    },
    SOLIDITY,
    Semantics {
        name: "solidity-unsigned",
        about: "Solidity, checked, unsigned: overflow panics with 0x11, division by zero with 0x12",
        overflow: Overflow::Traps(Trap::Overflow),
        quotient_overflow: Overflow::Traps(Trap::Overflow),
        ..SOLIDITY
    },
    Semantics {
        name: "solidity-signed",
        about: "Solidity, checked, signed: overflow panics with 0x11, division by zero with 0x12",
        signed: true,
        overflow: Overflow::Traps(Trap::Overflow),
        quotient_overflow: Overflow::Traps(Trap::Overflow),
        ..SOLIDITY
    },
    VYPER,
    Semantics {
        name: "vyper-signed",
        about: "Vyper, signed: overflow and division by zero revert alike",
        signed: true,
        ..VYPER
    },
    Semantics {
        name: "rust-wrapping",
        about: "Rust's wrapping functions: shift amounts are masked; division by zero panics",
        widths: HARDWARE_WIDTHS,
        zero_division: ZeroDivision::Traps(Trap::Overflow),
        oversized_shift: OversizedShift::Masks,
        ..WORDS
    },
    RUST,
    Semantics {
        name: "rust-signed",
        about: "Rust with overflow checks, signed: everything that goes wrong panics",
        signed: true,
        ..RUST
    },
    Semantics {
        name: "saturating-unsigned",
        about: "saturating unsigned arithmetic, as in Rust's saturating functions and LLVM's intrinsics",
        widths: HARDWARE_WIDTHS,
        overflow: Overflow::Saturates,
        zero_division: ZeroDivision::Traps(Trap::Overflow),
        quotient_overflow: Overflow::Saturates,
        ..WORDS
    },
    Semantics {
        name: "saturating-signed",
        about: "saturating signed arithmetic, as in Rust's saturating functions and LLVM's intrinsics",
        widths: HARDWARE_WIDTHS,
        signed: true,
        overflow: Overflow::Saturates,
        zero_division: ZeroDivision::Traps(Trap::Overflow),
        quotient_overflow: Overflow::Saturates,
        ..WORDS
    },
    C,
    Semantics {
        name: "c-signed",
        about: "C, signed: overflow, division by zero and oversized shifts are undefined",
        // `_BitInt` may have any width.
        widths: &[],
        signed: true,
        overflow: Overflow::Undefined,
        shift_overflow: Overflow::Undefined,
        ..C
    },
    Semantics {
        name: "llvm",
        about: "LLVM IR without flags, and Zig's wrapping operators: wraps; the rest is undefined",
        widths: &[],
        ..C
    },
    Semantics {
        name: "wasm",
        about: "WebAssembly: wraps; division traps; shift amounts are masked",
        // Words below 32 bits are not native: compilers hold them in wider ones and mask shift
        // amounts explicitly.
        widths: &[8, 16, 32, 64],
        zero_division: ZeroDivision::Traps(Trap::Division),
        quotient_overflow: Overflow::Traps(Trap::Overflow),
        oversized_shift: OversizedShift::Masks,
        ..WORDS
    },
    Semantics {
        name: "ton",
        about: "TON's 257-bit integers: overflow and division by zero throw 4, a shift by 1024 or more throws 5",
        widths: &[257],
        signed: true,
        overflow: Overflow::Traps(Trap::Overflow),
        shift_overflow: Overflow::Traps(Trap::Overflow),
        zero_division: ZeroDivision::Traps(Trap::Overflow),
        quotient_overflow: Overflow::Traps(Trap::Overflow),
        remainder_overflow: Overflow::Wraps,
        oversized_shift: OversizedShift::FillsBelow(1024, Trap::Range),
    },
];

impl Semantics {
    pub fn named(name: &str) -> Option<&'static Semantics> {
        SEMANTICS.iter().find(|semantics| semantics.name == name)
    }

    pub fn has_width(&self, width: u16) -> bool {
        self.widths.is_empty() || self.widths.contains(&width)
    }
}
