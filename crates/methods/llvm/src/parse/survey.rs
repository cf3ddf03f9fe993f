//! The first pass over a module: where its items begin and end, and facts about the whole text that the
//! second pass needs before it starts.

/// The first line of a module with typed pointers that we printed, where no type may show it.
pub(crate) const TYPED_POINTERS: &str = "; typed pointers\n";

/// Facts about the whole text.
#[derive(Clone, Debug)]
pub(super) struct Survey<'a> {
    pub(super) items: Vec<&'a str>,
    /// What is put before the number of an unnamed value, so that no name of the text is the same.
    pub(super) prefix: String,
    /// Whether pointers have pointee types, as before LLVM 15.
    pub(super) has_typed_pointers: bool,
}

pub(super) fn survey(source: &str) -> Survey<'_> {
    let bytes = source.as_bytes();
    let (mut has_star, mut has_pointer, mut underscores) = (false, false, 0);
    let mut is_quoted = false;
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' => is_quoted = false,
            b'*' => has_star |= !is_quoted,
            b'_' if index == 0 || matches!(bytes[index - 1], b'%' | b'@' | b'\n') => {
                let rest = &bytes[index..];
                let count = rest.iter().position(|&byte| byte != b'_').unwrap_or(rest.len());
                if rest.get(count).is_some_and(u8::is_ascii_digit) {
                    underscores = underscores.max(count);
                }
            }
            b'p' if !has_pointer => has_pointer = is_pointer(bytes, index),
            _ => {}
        }
    }
    Survey {
        items: items(source),
        prefix: "_".repeat(underscores + 1),
        has_typed_pointers: source.starts_with(TYPED_POINTERS) || (has_star && !has_pointer),
    }
}

/// Whether the type `ptr` is written here.
fn is_pointer(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
    let after = bytes.get(at + 3).copied().unwrap_or(b'\n');
    bytes[at..].starts_with(b"ptr")
        && matches!(before, b' ' | b'(' | b'<' | b'[' | b'{')
        && matches!(after, b' ' | b',' | b')' | b'>' | b']' | b'}' | b'\n')
}

/// Top-level items. Each begins at the start of a line; a function ends at a line that starts with `}`.
fn items(source: &str) -> Vec<&str> {
    let mut items = vec![];
    let mut begin = None;
    let mut is_function = false;
    let mut position = 0;
    for line in source.split_inclusive('\n') {
        let end = position + line.len();
        if is_function {
            if line.starts_with('}') {
                push(&mut items, source, begin.take(), end);
                is_function = false;
            }
        } else if line.starts_with([';', '\n', '\r']) {
            push(&mut items, source, begin.take(), position);
        } else if !line.starts_with([' ', '\t', ')', ']']) {
            let is_closing = line.starts_with('}') && begin.is_some();
            if !is_closing {
                push(&mut items, source, begin.replace(position), position);
            }
            is_function = line.starts_with("define ") && !line.trim_end().ends_with('}');
        }
        position = end;
    }
    push(&mut items, source, begin, source.len());
    items
}

fn push<'a>(items: &mut Vec<&'a str>, source: &'a str, begin: Option<usize>, end: usize) {
    if let Some(begin) = begin {
        items.push(source[begin..end].trim_end());
    }
}
