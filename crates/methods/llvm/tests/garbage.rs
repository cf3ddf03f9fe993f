//! No text makes the parser or the printer panic. Damaged text need not read back the same: a damaged item
//! is kept as text, and what was one item may be several when it is read again.

use llvm::ir::Module;
use proptest::prelude::*;

const MODULES: [&str; 2] =
    [include_str!("modules/opaque-pointers.ll"), include_str!("modules/typed-pointers.ll")];

/// Reads a text; if that works, prints and reads it again.
fn check(text: &str) {
    if let Ok(module) = Module::parse(text) {
        let _ = Module::parse(&module.text());
    }
}

fn words() -> impl Strategy<Value = String> {
    let words: Vec<&'static str> =
        MODULES.iter().flat_map(|text| text.split_inclusive([' ', '\n', ',', '('])).collect();
    prop::collection::vec(prop::sample::select(words), 0..60).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check(&text);
        check(&format!("define void @f() {{\n{text}\n}}\n"));
    }

    #[test]
    fn shuffled_words_are_read_or_refused(text in words()) {
        check(&text);
        check(&format!("define void @f(i32 %a) {{\n{text}\n}}\n"));
    }

    #[test]
    fn truncated_modules_are_read_or_refused(which in 0..2_usize, length in 0..5000_usize) {
        check(MODULES[which].get(..length).unwrap_or(""));
    }

    #[test]
    fn damaged_modules_are_read_or_refused(
        which in 0..2_usize,
        edits in prop::collection::vec((0..5000_usize, any::<char>(), any::<bool>()), 1..8),
    ) {
        let mut text: Vec<char> = MODULES[which].chars().collect();
        for (at, with, removes) in edits {
            if at < text.len() && removes {
                text.remove(at);
            } else if at < text.len() {
                text[at] = with;
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = 100_000;
    for text in [
        format!("@g = global {}", "{".repeat(deep)),
        format!("@g = global {}i8{}", "{".repeat(deep), "}".repeat(deep)),
        format!("@g = global i8{} null", "*".repeat(deep)),
        format!("@g = global {}", "[1 x ".repeat(deep)),
        format!("@g = global i32 {}", "add (i32 ".repeat(deep)),
        format!("@g = global ptr {}", "getelementptr (i8, ptr ".repeat(deep)),
        format!("@g = global i8 {}", "(".repeat(deep)),
        format!("define void @f() {{\n  call void ({}", "void (".repeat(deep)),
        format!("!0 = !{{{}\n!a = !{{!0}}", "!{".repeat(deep)),
    ] {
        check(&text);
    }
}
