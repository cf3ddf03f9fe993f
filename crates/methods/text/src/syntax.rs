//! What a lexer has to know of a language: comments, strings, and whether indentation makes blocks. A language that is
//! not in the table gets the generic row.

use forge::Language;

/// How a language writes what is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    languages: &'static [&'static str],
    /// What begins a comment that ends with its line.
    pub(crate) line_comments: &'static [&'static str],
    pub(crate) block_comments: &'static [(&'static str, &'static str)],
    /// Quotes of strings, the longest first.
    pub(crate) quotes: &'static [&'static str],
    /// Whether `'` also begins a name, as lifetimes of Rust do.
    pub(crate) has_lifetimes: bool,
    /// Whether blocks are made by indentation, and statements end with their line.
    pub(crate) is_indented: bool,
}

const C: Syntax = Syntax {
    languages: &[
        "c",
        "c++",
        "bitint",
        "solidity",
        "yul",
        "func",
        "tolk",
        "move",
        "go",
        "javascript",
        "wgsl",
    ],
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: &["\"", "'"],
    has_lifetimes: false,
    is_indented: false,
};

const TABLE: &[Syntax] = &[
    C,
    Syntax { languages: &["rust", "mir"], quotes: &["\"", "'"], has_lifetimes: true, ..C },
    Syntax { languages: &["zig"], block_comments: &[], ..C },
    Syntax {
        languages: &["vyper", "python"],
        line_comments: &["#"],
        block_comments: &[],
        quotes: &["\"\"\"", "'''", "\"", "'"],
        is_indented: true,
        ..C
    },
    Syntax {
        languages: &["llvm"],
        line_comments: &[";"],
        block_comments: &[],
        quotes: &["\""],
        ..C
    },
    Syntax {
        languages: &["wasm"],
        line_comments: &[";;"],
        block_comments: &[("(;", ";)")],
        quotes: &["\""],
        ..C
    },
];

/// Comments of most languages. `'` is left out: in many it is an apostrophe, a lifetime or a transposition.
const GENERIC: Syntax = Syntax { languages: &[], quotes: &["\""], ..C };

impl Syntax {
    pub fn of(language: &Language) -> Self {
        let knows = |name: &str| TABLE.iter().find(|it| it.languages.contains(&name));
        // `old-solidity` and `solidity-0.7` are Solidity.
        *knows(language.name()).or_else(|| knows(language.common_name())).unwrap_or(&GENERIC)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_language_share_a_row_and_unknown_ones_are_generic() {
        let of = |name: &str| Syntax::of(&Language::new(name));
        assert_eq!(of("solidity-0.5"), of("c"));
        assert!(of("rust").has_lifetimes && of("vyper").is_indented);
        assert_eq!(of("a-new-language"), GENERIC);
    }
}
