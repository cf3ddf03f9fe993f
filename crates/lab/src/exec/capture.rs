//! What a process printed, in bounded memory. The first and the last part are kept, because the first and the
//! last message of a compiler are what distinguishes failures. Interpreting them is left to the targets.

use std::collections::VecDeque;

const HEAD: usize = 256 << 10;
const TAIL: usize = 256 << 10;

/// What was printed on one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// The bytes. If some were left out, a line in their place says how many.
    pub bytes: Vec<u8>,
    /// How many bytes were printed, kept or not.
    pub total: u64,
}

impl Capture {
    /// Whether bytes were left out.
    pub fn truncated(&self) -> bool {
        self.total > (HEAD + TAIL) as u64
    }

    /// The bytes before those that were left out, or all.
    pub fn start(&self) -> &[u8] {
        // Up to three bytes of a character that was cut in two are missing.
        let kept = if self.truncated() { HEAD - 3 } else { self.bytes.len() };
        self.bytes.get(..kept).unwrap_or(&self.bytes)
    }

    /// The bytes as text. Valid UTF-8 is not changed. Otherwise each invalid byte becomes `\xNN` and each
    /// backslash is doubled, so that different outputs never become the same text.
    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        if let Ok(text) = std::str::from_utf8(&self.bytes) {
            return text.to_owned();
        }
        let mut text = String::with_capacity(self.bytes.len() + 64);
        for chunk in self.bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                if character == '\\' {
                    text.push('\\');
                }
                text.push(character);
            }
            for byte in chunk.invalid() {
                // Writing to a string does not fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        text
    }
}

/// Collects a [`Capture`] piece by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Recorder {
    pub(super) fn record(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(TAIL)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn finish(self) -> Capture {
        let Recorder { mut head, tail, total } = self;
        let tail = Vec::from(tail);
        if total <= (HEAD + TAIL) as u64 {
            head.extend_from_slice(&tail);
            return Capture { bytes: head, total };
        }
        // A character that was cut in two would make valid text invalid.
        head.truncate(whole_characters(&head));
        let skip = tail.iter().take(3).take_while(|&&byte| byte & 0xC0 == 0x80).count();
        let tail = &tail[skip..];
        let cut = total - (head.len() + tail.len()) as u64;
        head.extend_from_slice(format!("\n[... {cut} bytes left out ...]\n").as_bytes());
        head.extend_from_slice(tail);
        Capture { bytes: head, total }
    }
}

/// The length of `bytes` without an incomplete character at their end.
fn whole_characters(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(4)..];
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // There is an invalid byte before; then only the last bytes are examined.
        Err(_) => {
            let start = last.iter().rposition(|&byte| byte >= 0xC0);
            let begun = start.is_some_and(|start| {
                std::str::from_utf8(&last[start..]).is_err_and(|e| e.error_len().is_none())
            });
            bytes.len() - start.filter(|_| begun).map_or(0, |start| last.len() - start)
        }
        Ok(_) => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(pieces: &[&[u8]]) -> Capture {
        let mut recorder = Recorder::default();
        pieces.iter().for_each(|piece| recorder.record(piece));
        recorder.finish()
    }

    #[test]
    fn short_output_is_kept_completely() {
        let text: Vec<u8> = (0..HEAD + TAIL).map(|i| (i % 251) as u8).collect();
        for size in [1000, HEAD, HEAD + 1, text.len()] {
            let pieces: Vec<&[u8]> = text.chunks(size).collect();
            let capture = capture(&pieces);
            assert!(capture.bytes == text && !capture.truncated());
        }
    }

    #[test]
    fn long_output_keeps_its_first_and_last_part() {
        let middle = vec![b'm'; HEAD + TAIL];
        let capture = capture(&[b"first", &middle, b"last"]);
        assert!(capture.truncated());
        assert!(capture.start().len() > HEAD - 4 && capture.bytes.starts_with(capture.start()));
        assert!(!String::from_utf8_lossy(capture.start()).contains("left out"));
        assert_eq!(capture.total, (HEAD + TAIL + 9) as u64);
        let text = capture.text();
        assert!(text.starts_with("firstmm") && text.ends_with("mmlast"));
        assert!(text.contains("\n[... 9 bytes left out ...]\n"));
    }

    #[test]
    fn characters_are_not_cut_in_two() {
        let text = "€".repeat(HEAD);
        let capture = capture(&[text.as_bytes()]);
        assert!(std::str::from_utf8(&capture.bytes).is_ok());
    }

    #[test]
    fn different_invalid_bytes_become_different_texts() {
        let text = |bytes: &[u8]| Capture { bytes: bytes.to_vec(), total: 0 }.text();
        assert_eq!(text(b"a\\xff"), "a\\xff");
        assert_eq!(text(b"a\\xff\xff"), "a\\\\xff\\xff");
        assert_ne!(text(b"\xfe"), text(b"\xff"));
        assert_eq!(text("grüß".as_bytes()), "grüß");
    }
}
