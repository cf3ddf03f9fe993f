//! Programs that stand in the strings of Python files, as in the tests of compilers that are written in Python. Only
//! strings with three quotes are looked at; those with placeholders are left out.

/// The strings of a file that may be programs, with the numbers of their lines.
pub(super) fn programs(file: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some((quotes, start)) = opening(file, at) {
        let Some(length) = file[start..].find(quotes) else { break };
        let text = &file[start..start + length];
        at = start + length + quotes.len();
        let prefix = prefix(&file[..start - quotes.len()]);
        if prefix.contains(['f', 'F', 'b', 'B']) || !is_program(text) {
            continue;
        }
        let line = file[..start].matches('\n').count() + 1;
        found.push((line, unindented(text)));
    }
    found
}

/// The next string with three quotes, outside of comments.
fn opening(file: &str, from: usize) -> Option<(&'static str, usize)> {
    let bytes = file.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at += file[at..].find('\n').unwrap_or(file.len() - at),
            quote @ (b'"' | b'\'') => {
                let three = if quote == b'"' { "\"\"\"" } else { "'''" };
                if file[at..].starts_with(three) {
                    return Some((three, at + three.len()));
                }
                at += 1 + short(&bytes[at + 1..], quote);
            }
            _ => at += 1,
        }
    }
    None
}

/// The length of a string on one line, with its last quote.
fn short(bytes: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The letters before a string.
fn prefix(before: &str) -> &str {
    let start = before.rfind(|it: char| !it.is_ascii_alphabetic()).map_or(0, |it| it + 1);
    &before[start..]
}

/// Whether it looks like a program rather than like a description.
fn is_program(text: &str) -> bool {
    let starts = ["def ", "@", "struct ", "event ", "interface ", "flag ", "enum ", "import "];
    text.lines().any(|line| {
        let line = line.trim_start();
        starts.iter().any(|it| line.starts_with(it)) || line.contains(": public(")
    })
}

/// Without the indentation that all lines share.
fn unindented(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let indent = lines.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines = text.lines().map(|line| line.get(indent..).unwrap_or("").trim_end());
    lines.collect::<Vec<_>>().join("\n").trim_start_matches('\n').to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_taken_from_strings_with_their_lines() {
        let file = r##"
# a comment with """ quotes
"""A description."""
it = "not ''' one"
def test_a(get):
    code = """
    x: public(uint256)

    @external
    def f():
        pass
    """
    other = f"""
@external
def g({name}):
    pass
    """
    fails = '''
def h() -> uint256:
    return "'"
'''
"##;
        let found = programs(file);
        let lines: Vec<usize> = found.iter().map(|it| it.0).collect();
        assert_eq!(lines, [6, 18]);
        assert_eq!(found[0].1, "x: public(uint256)\n\n@external\ndef f():\n    pass\n\n");
        assert_eq!(found[1].1, "def h() -> uint256:\n    return \"'\"\n");
    }

    #[test]
    fn broken_files_end_the_search() {
        assert!(programs("x = \"\"\"def ").is_empty());
        assert!(programs("x = 'abc\\").is_empty());
    }
}
