//! Escapes text from compilers and generated programs for display. Such text is untrusted: it may contain
//! terminal escapes or bidirectional control characters, or have ten megabytes. Quoting for a format (HTML,
//! XML, Markdown) is left to the callers.

/// Control, bidirectional and invisible characters.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Adds one character, escaped if it is hostile.
pub fn push(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\0'..='\x7f' if is_hostile(character) => {
            out.push_str(&format!("\\x{:02x}", u32::from(character)));
        }
        _ if is_hostile(character) => out.extend(character.escape_unicode()),
        _ => out.push(character),
    }
}

/// Escapes a text but keeps line breaks and tabs. A text longer than `bytes` is truncated, with a note.
pub fn block(text: &str, bytes: usize) -> String {
    let kept = &text[..text.floor_char_boundary(bytes)];
    let mut out = String::with_capacity(kept.len());
    let mut characters = kept.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            _ => push(&mut out, character),
        }
    }
    if kept.len() < text.len() {
        out.push_str(&format!("\n… and {} more bytes", text.len() - kept.len()));
    }
    out
}

/// The first `characters` of a text, escaped, on one line.
pub fn line(text: &str, characters: usize) -> String {
    let mut out = String::new();
    let text = text.trim_end();
    for character in text.chars().take(characters) {
        push(&mut out, if character == '\t' { ' ' } else { character });
    }
    if text.chars().nth(characters).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_control_characters_are_escaped() {
        let hostile = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\u{202e}\0\x7f\r";
        let shown = "\\x1b]0;owned\\x07\\x1b[2J\\u{9b}31m\\u{202e}\\x00\\x7f";
        assert_eq!(line(hostile, 1000), shown);
        assert_eq!(block(hostile, 1000), format!("{shown}\\r"));
        let mut all = String::new();
        (0..0x11_0000).filter_map(char::from_u32).for_each(|character| push(&mut all, character));
        assert!(!all.chars().any(is_hostile));
    }

    #[test]
    fn a_line_is_one_line_of_limited_length() {
        assert_eq!(line("one\ntwo\tthree\n", 80), "one\\ntwo three");
        assert_eq!(line("twelve bytes", 12), "twelve bytes");
        assert_eq!(line("twelve bytes", 10), "twelve byt…");
    }

    #[test]
    fn a_block_keeps_its_lines_and_notes_truncation() {
        assert_eq!(block("a\r\n\tb\n", 80), "a\n\tb\n");
        assert_eq!(block("aßa", 2), "a\n… and 3 more bytes");
    }
}
