//! What all items of a module share while it is read: names, attribute groups, definitions of types,
//! metadata nodes. Equal strings share one allocation.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::lexer::{Lexer, Token};
use super::survey::Survey;
use crate::ir::{Attributes, Type};

/// Nodes up to this length are written in place.
const SMALL: usize = 256;
/// How deep nodes in nodes are written in place.
const DEEP: u32 = 4;

#[derive(Debug)]
pub(super) struct Context<'a> {
    strings: HashMap<&'a str, Arc<str>>,
    /// Names of unnamed values, by their numbers.
    numbers: HashMap<&'a str, Arc<str>>,
    prefix: String,
    pub(super) has_typed_pointers: bool,
    pub(super) groups: HashMap<&'a str, Attributes>,
    pub(super) definitions: HashMap<Arc<str>, Type>,
    pub(super) nodes: HashMap<u32, Arc<str>>,
    /// Nodes that can be written in place, or none.
    small: HashMap<u32, Option<Arc<str>>>,
    /// Nodes that something refers to.
    pub(super) used: BTreeSet<u32>,
}

impl<'a> Context<'a> {
    pub(super) fn new(survey: &Survey<'a>) -> Self {
        Self {
            strings: HashMap::new(),
            numbers: HashMap::new(),
            prefix: survey.prefix.clone(),
            has_typed_pointers: survey.has_typed_pointers,
            groups: HashMap::new(),
            definitions: HashMap::new(),
            nodes: HashMap::new(),
            small: HashMap::new(),
            used: BTreeSet::new(),
        }
    }

    /// The shared copy of a string.
    pub(super) fn string(&mut self, text: &'a str) -> Arc<str> {
        self.strings.entry(text).or_insert_with(|| text.into()).clone()
    }

    /// The name that a key of the lexer stands for: numbers get a prefix, quotes are left out.
    pub(super) fn name(&mut self, key: &'a str) -> Arc<str> {
        match key.bytes().next() {
            Some(b'0'..=b'9') => {
                let prefix = &self.prefix;
                let named = || format!("{prefix}{key}").into();
                self.numbers.entry(key).or_insert_with(named).clone()
            }
            Some(b'"') => self.string(key.get(1..key.len() - 1).unwrap_or("")),
            _ => self.string(key),
        }
    }

    pub(super) fn numbered(&self, number: u32) -> Arc<str> {
        format!("{}{number}", self.prefix).into()
    }

    /// Text as it is kept: unnamed values get their names, attribute groups are written in place. Nodes
    /// that it refers to are used.
    pub(super) fn text(&mut self, text: &'a str) -> Arc<str> {
        self.rewritten(text, true)
    }

    /// The text of a node, which uses what it refers to only if it is used itself.
    pub(super) fn node_text(&mut self, text: &'a str) -> Arc<str> {
        self.rewritten(text, false)
    }

    fn rewritten(&mut self, text: &'a str, uses: bool) -> Arc<str> {
        let bytes = text.as_bytes();
        let is_rewritten = |pair: &[u8]| {
            let is_marked = matches!(pair[0], b'%' | b'@' | b'#') || (uses && pair[0] == b'!');
            is_marked && pair[1].is_ascii_digit()
        };
        if !bytes.windows(2).any(is_rewritten) {
            return self.string(text);
        }
        let mut kept = String::with_capacity(text.len() + 8);
        let mut lexer = Lexer::new(text);
        let mut written = 0;
        while lexer.token != Token::End {
            let replacement = match lexer.token {
                Token::Local(key) if key.starts_with(|first: char| first.is_ascii_digit()) => {
                    Some(format!("%{}{key}", self.prefix))
                }
                Token::Global(key) if key.starts_with(|first: char| first.is_ascii_digit()) => {
                    Some(format!("@{}{key}", self.prefix))
                }
                Token::Group(key) => self.groups.get(key).map(crate::print::attributes),
                Token::Node(node) if uses => {
                    self.used.extend(node[1..].parse::<u32>());
                    None
                }
                _ => None,
            };
            if let Some(replacement) = replacement {
                kept.push_str(lexer.slice(written, lexer.start));
                kept.push_str(&replacement);
                written = lexer.end;
            }
            lexer.advance();
        }
        kept.push_str(lexer.slice(written, text.len()));
        kept.into()
    }

    /// A node as it is attached: in place if it is small, or the reference.
    pub(super) fn node(&mut self, reference: &'a str) -> Arc<str> {
        let Ok(number) = reference[1..].parse() else { return self.string(reference) };
        match self.small(number, 0) {
            Some(text) => text,
            None => {
                self.used.insert(number);
                self.string(reference)
            }
        }
    }

    fn small(&mut self, number: u32, depth: u32) -> Option<Arc<str>> {
        if let Some(known) = self.small.get(&number) {
            return known.clone();
        }
        let text = self.nodes.get(&number)?.clone();
        if depth == DEEP || !text.starts_with("!{") || text.len() > SMALL {
            return None;
        }
        // In the way of cycles.
        self.small.insert(number, None);
        let small = self.expanded(&text, depth).filter(|text| text.len() <= SMALL);
        let small: Option<Arc<str>> = small.map(Into::into);
        self.small.insert(number, small.clone());
        small
    }

    fn expanded(&mut self, text: &str, depth: u32) -> Option<String> {
        let mut expanded = String::new();
        let mut lexer = Lexer::new(text);
        let mut written = 0;
        while lexer.token != Token::End {
            if let Token::Node(node) = lexer.token {
                let inner = self.small(node[1..].parse().ok()?, depth + 1)?;
                expanded.push_str(lexer.slice(written, lexer.start));
                expanded.push_str(&inner);
                written = lexer.end;
            }
            lexer.advance();
        }
        expanded.push_str(lexer.slice(written, text.len()));
        Some(expanded)
    }
}

/// The numbers of the nodes that a text refers to.
pub(crate) fn references(text: &str) -> Vec<u32> {
    let mut references = vec![];
    let mut lexer = Lexer::new(text);
    while lexer.token != Token::End {
        if let Token::Node(node) = lexer.token {
            references.extend(node[1..].parse::<u32>());
        }
        lexer.advance();
    }
    references
}
