//! Source text that is not UTF-8. Sources are strings; a byte that is not part of a UTF-8 character is carried as a
//! character of a small private range, and becomes that byte again where the source is written to a file.

use std::borrow::Cow;

/// The character for byte 0. Only bytes from 128 on are ever outside of UTF-8.
const FIRST: u32 = 0xf700;

/// The character that carries a byte.
pub fn raw(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character carries.
fn carried(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

/// The source for these bytes. Characters of the private range are carried byte by byte, so that nothing is lost.
pub fn source_of(bytes: &[u8]) -> String {
    let mut source = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match carried(character) {
                Some(_) => {
                    let mut buffer = [0; 4];
                    source.extend(character.encode_utf8(&mut buffer).bytes().map(raw));
                }
                None => source.push(character),
            }
        }
        source.extend(chunk.invalid().iter().map(|byte| raw(*byte)));
    }
    source
}

/// The bytes of a source.
pub fn bytes_of(source: &str) -> Cow<'_, [u8]> {
    if !source.chars().any(|it| carried(it).is_some()) {
        return Cow::Borrowed(source.as_bytes());
    }
    let mut bytes = Vec::with_capacity(source.len());
    let mut buffer = [0; 4];
    for character in source.chars() {
        match carried(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_survive_a_source(bytes: Vec<u8>) {
            let source = source_of(&bytes);
            prop_assert_eq!(bytes_of(&source).into_owned(), bytes);
        }

        #[test]
        fn text_is_its_own_source(text in "[a-zäß語\\n]*") {
            prop_assert_eq!(&source_of(text.as_bytes()), &text);
            prop_assert_eq!(bytes_of(&text).into_owned(), text.into_bytes());
        }
    }

    #[test]
    fn the_characters_that_carry_bytes_can_be_in_a_program() {
        let text = "a\u{f7ff}\u{f700}b";
        assert_eq!(bytes_of(&source_of(text.as_bytes())).as_ref(), text.as_bytes());
        assert_eq!(source_of(b"x\xff\xfe"), format!("x{}{}", raw(0xff), raw(0xfe)));
    }
}
