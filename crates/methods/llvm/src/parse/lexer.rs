//! Tokens of textual IR, as slices of the text. The lexer never fails: what it does not know becomes
//! [`Token::Unknown`], which no rule of the parser accepts.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword or the name of a primitive type.
    Word(&'a str),
    /// `%name`; the slice is the inside of quotes, except where it would then read as a number.
    Local(&'a str),
    /// `@name`, likewise.
    Global(&'a str),
    /// `$name`, likewise.
    Comdat(&'a str),
    /// `#0`
    Group(&'a str),
    /// `#dbg_value`
    Record(&'a str),
    /// `!name`
    MetadataName(&'a str),
    /// `!7`, with the mark.
    Node(&'a str),
    /// Any number: `-7`, `1.0e+00`, `0xH3C00`, `+inf`.
    Number(&'a str),
    /// The inside of `"…"`, with its escapes.
    Text(&'a str),
    /// The inside of `c"…"`, with its escapes.
    Bytes(&'a str),
    /// `...`
    Ellipsis,
    Mark(u8),
    Unknown,
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    pub(super) source: &'a str,
    /// Where the current token begins and ends.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where the token before it ended.
    pub(super) prior: usize,
    pub(super) token: Token<'a>,
}

/// Bytes of names that need no quotes.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

impl<'a> Lexer<'a> {
    /// A lexer at its first token.
    pub(super) fn new(source: &'a str) -> Self {
        Self::at(source, 0)
    }

    pub(super) fn at(source: &'a str, position: usize) -> Self {
        let mut lexer =
            Self { source, start: position, end: position, prior: position, token: Token::End };
        lexer.advance();
        lexer
    }

    fn byte(&self, position: usize) -> u8 {
        self.source.as_bytes().get(position).copied().unwrap_or(0)
    }

    /// A slice of the text; empty if the bounds are no boundaries of characters.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.source.get(from..to).unwrap_or("")
    }

    pub(super) fn advance(&mut self) {
        self.prior = self.end;
        self.skip_space();
        self.start = self.end;
        self.token = self.next();
    }

    fn skip_space(&mut self) {
        loop {
            match self.byte(self.end) {
                b' ' | b'\n' | b'\t' | b'\r' => self.end += 1,
                b';' => self.end = self.line_end(self.end),
                _ => return,
            }
        }
    }

    /// Where the line of a position ends.
    fn line_end(&self, position: usize) -> usize {
        let rest = self.source.as_bytes().get(position..).unwrap_or(&[]);
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        position + length
    }

    fn scan(&self, mut position: usize, accepts: impl Fn(u8) -> bool) -> usize {
        let bytes = self.source.as_bytes();
        while position < bytes.len() && accepts(bytes[position]) {
            position += 1;
        }
        position
    }

    fn next(&mut self) -> Token<'a> {
        let Some(&first) = self.source.as_bytes().get(self.start) else { return Token::End };
        let from = self.start;
        match first {
            b'%' => self.name(Token::Local),
            b'@' => self.name(Token::Global),
            b'$' => self.name(Token::Comdat),
            b'#' => {
                self.end = self.scan(from + 1, is_word_byte);
                let inside = self.slice(from + 1, self.end);
                match inside.bytes().next() {
                    Some(b'0'..=b'9') => Token::Group(inside),
                    Some(_) => Token::Record(inside),
                    None => self.unknown(),
                }
            }
            b'!' => self.metadata(),
            b'"' => self.quoted(from + 1, Token::Text),
            b'c' if self.byte(from + 1) == b'"' => self.quoted(from + 2, Token::Bytes),
            b'.' if self.slice(from, from + 3) == "..." => {
                self.end = from + 3;
                Token::Ellipsis
            }
            b'0'..=b'9' | b'-' | b'+' => self.number(),
            b'f' if self.byte(from + 1) == b'0' && self.byte(from + 2) == b'x' => {
                self.end = self.scan(from, |byte| byte.is_ascii_alphanumeric());
                Token::Number(self.slice(from, self.end))
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.end = self.scan(from, is_word_byte);
                Token::Word(self.slice(from, self.end))
            }
            b'=' | b',' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'*' | b'|'
            | b':' => {
                self.end = from + 1;
                Token::Mark(first)
            }
            _ => self.unknown(),
        }
    }

    /// Steps over one character that begins no token.
    fn unknown(&mut self) -> Token<'a> {
        let rest = self.source.get(self.start..).unwrap_or("");
        self.end = self.start + rest.chars().next().map_or(1, char::len_utf8);
        Token::Unknown
    }

    fn name(&mut self, token: impl Fn(&'a str) -> Token<'a>) -> Token<'a> {
        let from = self.start + 1;
        if self.byte(from) == b'"' {
            let Token::Text(inside) = self.quoted(from + 1, Token::Text) else {
                return Token::Unknown;
            };
            let is_number = inside.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
            return token(if is_number { self.slice(from, self.end) } else { inside });
        }
        self.end = self.scan(from, is_name_byte);
        if self.end == from {
            return self.unknown();
        }
        token(self.slice(from, self.end))
    }

    fn metadata(&mut self) -> Token<'a> {
        let from = self.start;
        match self.byte(from + 1) {
            b'0'..=b'9' => {
                self.end = self.scan(from + 1, |byte| byte.is_ascii_digit());
                Token::Node(self.slice(from, self.end))
            }
            byte if is_name_byte(byte) || byte == b'\\' => {
                self.end = self.scan(from + 1, |byte| is_name_byte(byte) || byte == b'\\');
                Token::MetadataName(self.slice(from + 1, self.end))
            }
            _ => {
                self.end = from + 1;
                Token::Mark(b'!')
            }
        }
    }

    fn quoted(&mut self, from: usize, token: impl Fn(&'a str) -> Token<'a>) -> Token<'a> {
        let to = self.scan(from, |byte| byte != b'"');
        if self.byte(to) != b'"' {
            self.end = self.source.len();
            return Token::Unknown;
        }
        self.end = to + 1;
        token(self.slice(from, to))
    }

    fn number(&mut self) -> Token<'a> {
        let from = self.start;
        let digits = from + usize::from(matches!(self.byte(from), b'-' | b'+'));
        let mut end = digits;
        loop {
            end = self.scan(end, is_word_byte);
            // The sign of an exponent.
            let is_exponent = matches!(self.byte(end.wrapping_sub(1)), b'e' | b'E' | b'p' | b'P');
            let has_sign = matches!(self.byte(end), b'-' | b'+');
            let is_hexadecimal = self.slice(digits, digits + 2) == "0x";
            let is_binary = matches!(self.byte(end.wrapping_sub(1)), b'p' | b'P');
            if end > digits && is_exponent && has_sign && (is_binary || !is_hexadecimal) {
                end += 1;
            } else {
                break;
            }
        }
        if end == digits {
            return self.unknown();
        }
        // The payload of a NaN: `+nan(0x1)`.
        if self.byte(digits).is_ascii_alphabetic() && self.byte(end) == b'(' {
            let close = self.scan(end + 1, is_word_byte);
            if self.byte(close) == b')' {
                end = close + 1;
            }
        }
        self.end = end;
        Token::Number(self.slice(from, end))
    }

    /// Whether the current token is the first of its line.
    pub(super) fn begins_line(&self) -> bool {
        self.slice(self.prior, self.start).contains('\n')
    }

    /// Whether the token behind the current one begins with this byte.
    pub(super) fn is_followed_by(&self, byte: u8) -> bool {
        self.byte(self.scan(self.end, |byte| byte.is_ascii_whitespace())) == byte
    }

    /// The label that begins at the current token, if one does: its name as a key of a scope.
    pub(super) fn label(&mut self) -> Option<&'a str> {
        let from = self.start;
        let (inside, colon) = if self.byte(from) == b'"' {
            let to = self.scan(from + 1, |byte| byte != b'"');
            let inside = self.slice(from + 1, to);
            let is_number = inside.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
            (if is_number { self.slice(from, to + 1) } else { inside }, to + 1)
        } else {
            let to = self.scan(from, is_name_byte);
            (self.slice(from, to), to)
        };
        if inside.is_empty() || self.byte(colon) != b':' {
            return None;
        }
        self.end = colon + 1;
        self.advance();
        Some(inside)
    }

    /// Steps over the tokens up to the mark that closes the bracket of the current token.
    pub(super) fn skip_brackets(&mut self) -> bool {
        let mut depth = 0_usize;
        loop {
            match self.token {
                Token::Mark(b'(' | b'[' | b'{') => depth += 1,
                Token::Mark(b')' | b']' | b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.advance();
                        return true;
                    }
                }
                Token::End | Token::Unknown => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
            self.advance();
        }
    }
}
