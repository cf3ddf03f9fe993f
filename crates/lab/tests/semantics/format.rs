//! The format of solc's semantic tests: a source, settings after `// ====`, and after `// ----` calls with what they give.
//! A test with a line that is not understood is left out as a whole, because later calls depend on earlier ones.

use revm::primitives::{U256, keccak256};

/// A semantic test.
#[derive(Debug, Default)]
pub(crate) struct Test {
    pub(crate) source: String,
    /// The contract that is created: the last one.
    pub(crate) contract: String,
    /// Lines such as `EVMVersion: >=london`.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) creation: Call,
    pub(crate) calls: Vec<Call>,
    /// Whether storage is empty after the last call, if that is told.
    pub(crate) is_empty: Option<bool>,
}

/// A call, and what is expected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) value: U256,
    pub(crate) data: Vec<u8>,
    pub(crate) reverts: bool,
    pub(crate) result: Vec<u8>,
}

impl Test {
    /// Reads a test; the reason if it has something that is not understood.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (head, expectations) =
            text.split_once("// ----\n").ok_or("nothing is expected of it")?;
        let (source, settings) = head.split_once("// ====\n").unwrap_or((head, ""));
        let mut test = Self { source: source.to_owned(), ..Self::default() };
        for line in settings.lines() {
            let line = line.trim_start_matches("//").trim();
            let (name, value) = line.split_once(": ").ok_or_else(|| unread(line))?;
            test.settings.push((name.to_owned(), value.to_owned()));
        }
        let mut declared = source.lines().filter_map(|line| {
            let line = line.trim_start().trim_start_matches("abstract ");
            let name = line.strip_prefix("contract ")?;
            name.split(|it: char| !it.is_alphanumeric() && it != '_' && it != '$').next()
        });
        test.contract = declared.next_back().ok_or("no contract")?.to_owned();
        for entry in entries(expectations) {
            // What is expected of storage and balance is known at the end only; libraries are created anyway.
            test.is_empty = None;
            if entry.starts_with("library:") || entry.starts_with("balance") {
                continue;
            }
            if let Some(rest) = entry.strip_prefix("storageEmpty") {
                test.is_empty = Some(rest.trim().trim_start_matches("->").trim() == "1");
                continue;
            }
            let (is_creation, call) = Call::parse(&entry)?;
            match is_creation {
                true if test.calls.is_empty() => test.creation = call,
                true => return Err("a constructor that is not first".to_owned()),
                false => test.calls.push(call),
            }
        }
        Ok(test)
    }
}

/// The calls and other expectations, each in one line. An expectation may go on in lines that begin no other.
fn entries(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = vec![];
    for line in text.lines() {
        let line = line.trim_start_matches("//").trim();
        // Every second part is a comment.
        let line: String = line.split('#').step_by(2).collect();
        let line = line.trim();
        // The cost of the call before, and its events, which the text of a chain shows by topic.
        if line.is_empty() || line.starts_with("gas ") || line.starts_with("~ ") {
            continue;
        }
        let name = line.trim_start_matches(|it: char| it.is_alphanumeric() || "_$".contains(it));
        let words = ["library:", "balance", "storageEmpty", "account", "isoltest"];
        let is_call =
            name.starts_with('(') && !["left(", "right("].iter().any(|it| line.starts_with(it));
        match entries.last_mut() {
            Some(last) if !is_call && !words.iter().any(|word| line.starts_with(word)) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

fn unread(line: &str) -> String {
    format!("`{line}`")
}

impl Call {
    /// `f(uint256), 1 ether: 2, 3 -> 4`, or `f() -> FAILURE, hex"…"`; and whether it is the creation.
    fn parse(line: &str) -> Result<(bool, Self), String> {
        let wrong = || unread(line);
        // Without an arrow, nothing is given back.
        let (call, expected) = line.split_once("->").unwrap_or((line, ""));
        // Types can be tuples.
        let mut depth = 0;
        let close = call.char_indices().find(|(_, it)| {
            depth += i32::from(*it == '(') - i32::from(*it == ')');
            *it == ')' && depth == 0
        });
        let (close, _) = close.ok_or_else(wrong)?;
        let (signature, rest) = call.split_at(close + 1);
        let plain = |it: char| it.is_alphanumeric() || "_$()[],".contains(it);
        if !signature.contains('(') || !signature.chars().all(plain) {
            return Err(wrong());
        }
        let (value, arguments) = rest.split_once(':').unwrap_or((rest, ""));
        let value = match value.trim().trim_start_matches(',').trim() {
            "" => U256::ZERO,
            text => wei(text).ok_or_else(wrong)?,
        };
        let is_creation = signature.starts_with("constructor(");
        let mut data = match signature {
            "()" => vec![],
            _ if is_creation => vec![],
            signature => keccak256(signature)[..4].to_vec(),
        };
        data.extend(words(arguments).ok_or_else(wrong)?);
        let expected = expected.trim();
        let (reverts, result) = match expected.strip_prefix("FAILURE") {
            Some(rest) => (true, rest.trim_start_matches(',')),
            None => (false, expected),
        };
        let result = words(result).ok_or_else(wrong)?;
        Ok((is_creation, Self { value, data, reverts, result }))
    }
}

fn wei(text: &str) -> Option<U256> {
    let (number, unit) = text.split_once(' ')?;
    let number: U256 = number.parse().ok()?;
    match unit {
        "wei" => Some(number),
        "ether" => Some(number * U256::from(10).pow(U256::from(18))),
        _ => None,
    }
}

/// The bytes of a list of words.
fn words(text: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (word, after) = next(rest)?;
        bytes.extend(word);
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(bytes)
}

/// The first word of a list, and what follows.
fn next(text: &str) -> Option<(Vec<u8>, &str)> {
    if let Some(rest) = text.strip_prefix("hex\"") {
        let (digits, rest) = rest.split_once('"')?;
        return Some((hex(digits)?, rest));
    }
    if let Some(rest) = text.strip_prefix('"') {
        let (string, rest) = rest.split_once('"')?;
        let mut bytes = escaped(string)?;
        bytes.resize(bytes.len().next_multiple_of(32).max(32), 0);
        return Some((bytes, rest));
    }
    for (name, left) in [("left(", true), ("right(", false)] {
        if let Some(rest) = text.strip_prefix(name) {
            let (inner, rest) = rest.split_once(')')?;
            let word = match inner.strip_prefix("0x") {
                Some(digits) => hex(digits)?,
                None if left => number(inner)?.to_be_bytes_trimmed_vec(),
                None => number(inner)?.to_be_bytes::<32>().to_vec(),
            };
            let mut padded = word;
            match left {
                true => padded.resize(padded.len().max(32), 0),
                false => {
                    let missing = 32_usize.saturating_sub(padded.len());
                    padded.splice(0..0, std::iter::repeat_n(0, missing));
                }
            }
            return Some((padded, rest));
        }
    }
    let end = text.find([',', ' ']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let value = match word {
        "true" => U256::from(1),
        "false" => U256::ZERO,
        word => number(word)?,
    };
    Some((value.to_be_bytes::<32>().to_vec(), rest))
}

fn number(text: &str) -> Option<U256> {
    if let Some(digits) = text.strip_prefix("0x") {
        return U256::from_str_radix(digits, 16).ok();
    }
    match text.strip_prefix('-') {
        Some(digits) => Some(U256::ZERO.wrapping_sub(U256::from_str_radix(digits, 10).ok()?)),
        None => U256::from_str_radix(text, 10).ok(),
    }
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits: String = match digits.len() % 2 {
        0 => digits.to_owned(),
        _ => format!("0{digits}"),
    };
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 16).ok()).collect()
}

fn escaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        let code = rest.get(at + 1..)?;
        match code.chars().next()? {
            'x' => {
                bytes.push(u8::from_str_radix(code.get(1..3)?, 16).ok()?);
                rest = code.get(3..)?;
            }
            '0' => {
                bytes.push(0);
                rest = code.get(1..)?;
            }
            'n' => {
                bytes.push(b'\n');
                rest = code.get(1..)?;
            }
            _ => return None,
        }
    }
    bytes.extend(rest.as_bytes());
    Some(bytes)
}
