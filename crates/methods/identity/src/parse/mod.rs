//! Parses rule files. An error is reported with line and column, and affects only its rule. Proofs
//! are left to `prove/`.
//!
//! ```text
//! category division                    # of the rules that follow
//!
//! rule udiv-by-power-of-two
//!     x /u C = x >>u log2(C)           # lower case: any word; upper case: a constant
//!     where pow2(C)                    # conditions on constants, separated by commas
//!     width >= 8, width % 8 == 0       # or `width in 32, 64`; default: every width
//!     vars x: w/2                      # variables whose width is not w
//!     source "textbook"
//!     claims evm exact                 # exact, forward or backward; default: no claim
//! ```

mod build;
mod expression;
#[cfg(test)]
mod tests;
mod token;

use std::collections::HashSet;

use build::Builder;
pub(crate) use build::FUNCTIONS;
pub use build::{NAMED, named_number};
use expression::{Read, Reader};
pub(crate) use expression::{UNARY, infix};
use token::{Placed, Token, tokens};

use super::kernel::{Op, Relation, Semantics, TermId};
use super::rule::{Category, Claim, Rule, Variable, WIDEST, Widths};

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {reason}")]
pub struct SyntaxError {
    pub line: usize,
    pub column: usize,
    pub reason: String,
}

/// All rules of a text that parse, and the errors of the others.
pub fn rules(text: &str) -> (Vec<Rule>, Vec<SyntaxError>) {
    let mut file = File {
        category: Category::Ring,
        names: HashSet::new(),
        rules: Vec::new(),
        errors: Vec::new(),
    };
    let mut block: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let tokens = match tokens(line) {
            Ok(tokens) => tokens,
            Err((column, reason)) => {
                file.errors.push(SyntaxError { line: line_number, column, reason });
                // The following lines may belong to this rule, which is discarded.
                if let Some(block) = &mut block {
                    block.broken = true;
                }
                continue;
            }
        };
        if tokens.is_empty() {
            continue;
        }
        let line = Line { number: line_number, end: line.chars().count() + 1, tokens };
        if line.keyword().is_some_and(|word| word == "rule" || word == "category") {
            file.end(block.take());
            match file.head(&line) {
                Ok(new) => block = new,
                Err((column, reason)) => {
                    file.errors.push(SyntaxError { line: line_number, column, reason });
                }
            }
        } else if let Some(block) = &mut block {
            block.lines.push(line);
        } else if !file.errors.iter().any(|error| error.line < line_number) {
            let reason = "a line outside any rule; start a rule with `rule NAME`".into();
            file.errors.push(SyntaxError { line: line_number, column: 1, reason });
        }
    }
    file.end(block);
    file.errors.sort_by_key(|error| (error.line, error.column));
    (file.rules, file.errors)
}

#[derive(Debug)]
struct Line {
    number: usize,
    end: usize,
    tokens: Vec<Placed>,
}

impl Line {
    fn keyword(&self) -> Option<&str> {
        match &self.tokens.first()?.token {
            Token::Name(name) => Some(name),
            _ => None,
        }
    }

    /// A reader of the tokens after the first few.
    fn after(&self, skipped: usize) -> Reader<'_> {
        let tokens = &self.tokens[skipped.min(self.tokens.len())..];
        Reader { tokens, at: 0, end: self.end, depth: 0 }
    }
}

#[derive(Debug)]
struct Block {
    name: String,
    line: usize,
    category: Category,
    lines: Vec<Line>,
    broken: bool,
}

#[derive(Debug)]
struct File {
    category: Category,
    names: HashSet<String>,
    rules: Vec<Rule>,
    errors: Vec<SyntaxError>,
}

impl File {
    fn head(&mut self, line: &Line) -> Read<Option<Block>> {
        let column = line.tokens.get(1).map_or(line.end, |placed| placed.column);
        let name = hyphenated(&line.tokens[1..])
            .ok_or((column, "expected a name, like `add-commutes`".into()))?;
        if line.keyword() == Some("category") {
            let known = || Category::ALL.map(Category::name).join(", ");
            self.category = Category::named(&name)
                .ok_or((column, format!("unknown category; expected one of {}", known())))?;
            return Ok(None);
        }
        if !self.names.insert(name.clone()) {
            return Err((column, format!("duplicate rule `{name}`")));
        }
        Ok(Some(Block {
            name,
            line: line.number,
            category: self.category,
            lines: Vec::new(),
            broken: false,
        }))
    }

    fn end(&mut self, block: Option<Block>) {
        let Some(block) = block.filter(|block| !block.broken) else { return };
        match rule(&block) {
            Ok(rule) => self.rules.push(rule),
            Err(error) => self.errors.push(error),
        }
    }
}

/// `add`, `-`, `commutes` → `add-commutes`. Numbers may be parts of a name.
fn hyphenated(tokens: &[Placed]) -> Option<String> {
    let mut name = String::new();
    for placed in tokens {
        match &placed.token {
            Token::Name(part) => name.push_str(part),
            Token::Number(part) => name.push_str(&part.to_string()),
            Token::Symbol("-") => name.push('-'),
            _ => return None,
        }
    }
    (!name.is_empty()).then_some(name)
}

fn rule(block: &Block) -> Result<Rule, SyntaxError> {
    let mut rule = Rule {
        name: block.name.clone(),
        category: block.category,
        source: None,
        variables: Vec::new(),
        equation: Default::default(),
        widths: Widths::default(),
        claims: Vec::new(),
        grade: None,
        line: block.line,
    };
    // The equation needs the widths of its variables, and the conditions need the variables of the
    // equation.
    let kinds: [&dyn Fn(&str) -> bool; 3] =
        [&|word| word == "vars", &|word| !is_clause(word), &|word| {
            word != "vars" && is_clause(word)
        }];
    for kind in kinds {
        for line in &block.lines {
            if kind(clause_of(line)) {
                let error = |(column, reason)| SyntaxError { line: line.number, column, reason };
                read_line(&mut rule, line).map_err(error)?;
            }
        }
    }
    if rule.equation.sides == [TermId::default(); 2] {
        let reason = format!("the rule `{}` has no equation", rule.name);
        return Err(SyntaxError { line: block.line, column: 1, reason });
    }
    Ok(rule)
}

const CLAUSES: &[&str] = &["vars", "where", "width", "source", "claims", "grade"];

fn is_clause(word: &str) -> bool {
    CLAUSES.contains(&word)
}

/// The keyword of a clause, or the empty string for the equation.
fn clause_of(line: &Line) -> &str {
    line.keyword().filter(|word| is_clause(word)).unwrap_or_default()
}

fn read_line(rule: &mut Rule, line: &Line) -> Read<()> {
    match clause_of(line) {
        "vars" => variables(rule, line.after(1)),
        "where" => conditions(rule, line.after(1)),
        "width" => widths(rule, line.after(0)),
        "claims" => claims(rule, line),
        "grade" => {
            let mut reader = line.after(1);
            let grade = reader.small().ok_or((reader.column(), "expected a number".to_string()))?;
            rule.grade = u8::try_from(grade).ok();
            reader.finish()
        }
        "source" => match line.tokens.get(1..) {
            Some([Placed { token: Token::Text(text), .. }]) => {
                rule.source = Some(text.clone());
                Ok(())
            }
            _ => Err((line.end, "expected a quoted string".into())),
        },
        _ => equation(rule, line.after(0)),
    }
}

fn equation(rule: &mut Rule, mut reader: Reader<'_>) -> Read<()> {
    if rule.equation.sides != [TermId::default(); 2] {
        return Err((reader.column(), "a rule has only one equation".into()));
    }
    let left = reader.expression()?;
    reader.expect("=")?;
    let right = reader.expression()?;
    reader.finish()?;
    let mut builder =
        Builder { terms: &mut rule.equation.terms, variables: &mut rule.variables, open: true };
    // A side that is only a number takes its width from the other side.
    let first = builder.word(&left, None)?;
    let second = builder.word(&right, Some(builder.terms.width(first)))?;
    let first = builder.word(&left, Some(builder.terms.width(second)))?;
    let (a, b) = (builder.terms.width(first), builder.terms.width(second));
    if a != b {
        return Err((
            right.column,
            format!("unequal widths: the left side has {a} bits, the right side {b}"),
        ));
    }
    rule.equation.sides = [first, second];
    Ok(())
}

fn variables(rule: &mut Rule, mut reader: Reader<'_>) -> Read<()> {
    loop {
        let column = reader.column();
        let Some(Placed { token: Token::Name(name), .. }) = reader.tokens.get(reader.at) else {
            return Err((column, "expected the name of a variable".into()));
        };
        reader.at += 1;
        reader.expect(":")?;
        let width = reader.extent()?;
        let constant = name.starts_with(|c: char| c.is_ascii_uppercase());
        rule.variables.push(Variable { name: name.clone(), width, constant });
        if !reader.accept(",") {
            return reader.finish();
        }
    }
}

fn conditions(rule: &mut Rule, mut reader: Reader<'_>) -> Read<()> {
    loop {
        let expression = reader.expression()?;
        let mut builder = Builder {
            terms: &mut rule.equation.terms,
            variables: &mut rule.variables,
            open: false,
        };
        let condition = builder.word(&expression, None)?;
        let terms = &rule.equation.terms;
        for term in terms.in_order(&[condition]) {
            if let Op::Variable(index) = terms.op(term)
                && !rule.variables[usize::from(index)].constant
            {
                let name = &rule.variables[usize::from(index)].name;
                let reason =
                    format!("conditions may use only constants, and `{name}` is a variable");
                return Err((expression.column, reason));
            }
        }
        rule.equation.conditions.push(condition);
        if !reader.accept(",") {
            return reader.finish();
        }
    }
}

/// `width >= 8, width % 8 == 0, width <= 64, width in 32, 64`
fn widths(rule: &mut Rule, mut reader: Reader<'_>) -> Read<()> {
    let number = |reader: &mut Reader<'_>| {
        let column = reader.column();
        let n = reader.small().filter(|n| (1..=WIDEST).contains(n));
        n.ok_or((column, format!("expected a number of bits from 1 to {WIDEST}")))
    };
    loop {
        reader.at += 1;
        if reader.accept(">=") {
            rule.widths.least = number(&mut reader)?;
        } else if reader.accept("<=") {
            rule.widths.most = number(&mut reader)?;
        } else if reader.accept("%") {
            rule.widths.multiple = number(&mut reader)?;
            reader.expect("==")?;
            let column = reader.column();
            match reader.tokens.get(reader.at) {
                Some(Placed { token: Token::Number(n), .. }) if *n == 0.into() => reader.at += 1,
                _ => return Err((column, "expected `0`".into())),
            }
        } else {
            match reader.tokens.get(reader.at) {
                Some(Placed { token: Token::Name(name), .. }) if name == "in" => reader.at += 1,
                _ => {
                    return Err((
                        reader.column(),
                        "expected `>=`, `<=`, `% N == 0` or `in`".into(),
                    ));
                }
            }
            loop {
                let width = number(&mut reader)?;
                rule.widths.only.push(width);
                if !reader.accept(",") {
                    return reader.finish();
                }
            }
        }
        if !reader.accept(",") {
            return reader.finish();
        }
    }
}

fn claims(rule: &mut Rule, line: &Line) -> Read<()> {
    let column = line.tokens.get(1).map_or(line.end, |placed| placed.column);
    let last = line.tokens.last().map(|placed| (placed.column, &placed.token));
    let relation = match last {
        Some((_, Token::Name(word))) if word == "exact" => Relation::Exact,
        Some((_, Token::Name(word))) if word == "forward" => Relation::Forward,
        Some((_, Token::Name(word))) if word == "backward" => Relation::Backward,
        _ => return Err((line.end, "expected `exact`, `forward` or `backward`".into())),
    };
    let name = hyphenated(&line.tokens[1..line.tokens.len() - 1]).unwrap_or_default();
    let Some(semantics) = Semantics::named(&name) else {
        let names: Vec<&str> =
            super::kernel::SEMANTICS.iter().map(|semantics| semantics.name).collect();
        return Err((
            column,
            format!("unknown semantics `{name}`; expected one of {}", names.join(", ")),
        ));
    };
    rule.claims.push(Claim { semantics: semantics.name, relation, line: line.number });
    Ok(())
}
