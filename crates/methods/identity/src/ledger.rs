//! The ledger: the proof results of each rule, so that a hunt need not prove it again.
//! `mistrust rules prove --write` generates it. A digest binds each entry to the text of its rule:
//! a rule that has changed counts as not proven.
//!
//! ```text
//! semantics words evm solidity-unchecked …
//! add-commutes 5f1c0a2b9d3e4f60 exact:1+ring:1ffff
//! udiv-by-power 0c9b8a7f6e5d4c3b exact:8cases,16cases:0001;forward:8+slices:6000
//! ```
//!
//! Each group is a relation, its proofs, and the set of semantics as a hexadecimal bit set.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::kernel::{Relation, SEMANTICS, Scope};
use super::print;
use super::rule::Rule;
use super::standing::{Proven, Route, Standing};

/// The recorded proof results of all rules.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    digest: String,
    groups: Vec<Group>,
}

#[derive(Clone, Debug)]
struct Group {
    relation: Relation,
    where_to: Vec<Proven>,
    /// Indices into [`SEMANTICS`].
    semantics: Vec<usize>,
}

/// A line of a ledger that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line} of the ledger is malformed; regenerate it with `mistrust rules prove --write`"
)]
pub struct MalformedLedger {
    pub line: usize,
}

/// The digest that binds a proof to a rule. It covers everything that affects the meaning of the
/// rule.
pub(super) fn digest(rule: &Rule) -> String {
    let anonymous = Rule { source: None, grade: None, claims: Vec::new(), ..rule.clone() };
    blake3::hash(print::rule(&anonymous).as_bytes()).to_hex()[..16].to_string()
}

impl Ledger {
    /// Records one standing per semantics, in the order of [`SEMANTICS`].
    pub fn enter(&mut self, rule: &Rule, standings: &[Standing]) {
        let mut groups: Vec<Group> = Vec::new();
        for (index, standing) in standings.iter().enumerate() {
            let Standing::Proven { relation, where_to } = standing else { continue };
            match groups
                .iter_mut()
                .find(|group| group.relation == *relation && group.where_to == *where_to)
            {
                Some(group) => group.semantics.push(index),
                None => {
                    groups.push(Group {
                        relation: *relation,
                        where_to: where_to.clone(),
                        semantics: vec![index],
                    });
                }
            }
        }
        self.entries.insert(rule.name.clone(), Entry { digest: digest(rule), groups });
    }

    /// The recorded standings of a rule, one per semantics; `None` if the rule is unknown or has
    /// changed.
    pub fn standings(&self, rule: &Rule) -> Option<Vec<Standing>> {
        let entry = self.entries.get(&rule.name).filter(|entry| entry.digest == digest(rule))?;
        let mut standings = vec![Standing::Absent; SEMANTICS.len()];
        for group in &entry.groups {
            for &index in &group.semantics {
                standings[index] =
                    Standing::Proven { relation: group.relation, where_to: group.where_to.clone() };
            }
        }
        Some(standings)
    }

    pub fn write(&self) -> String {
        let mut text = String::from(HEADER);
        text.push_str("semantics");
        for semantics in SEMANTICS {
            let _ = write!(text, " {}", semantics.name);
        }
        text.push('\n');
        for (name, entry) in &self.entries {
            let groups: Vec<String> = entry.groups.iter().map(group_text).collect();
            let _ = writeln!(text, "{name} {} {}", entry.digest, groups.join(";"));
        }
        text
    }

    pub fn read(text: &str) -> Result<Self, MalformedLedger> {
        let mut ledger = Self::default();
        // The index in [`SEMANTICS`] of each semantics of the file, if it still exists.
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut known: HashMap<&str, Group> = HashMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let malformed = || MalformedLedger { line: index + 1 };
            let mut words = line.split_whitespace();
            let Some(name) = words.next() else { continue };
            if name == "semantics" {
                places = words.map(|name| SEMANTICS.iter().position(|s| s.name == name)).collect();
                continue;
            }
            let digest = words.next().ok_or_else(malformed)?.to_string();
            let mut groups = Vec::new();
            for text in words.next().unwrap_or_default().split(';').filter(|text| !text.is_empty())
            {
                // Few distinct groups occur, so that they are cached by text.
                let group = match known.get(text) {
                    Some(group) => group.clone(),
                    None => group_of(text, &places).ok_or_else(malformed)?,
                };
                known.insert(text, group.clone());
                groups.push(group);
            }
            ledger.entries.insert(name.into(), Entry { digest, groups });
        }
        Ok(ledger)
    }
}

const HEADER: &str = "\
# What is proven of each rule. Made from nothing by `mistrust rules prove --write`: don't edit.
";

fn group_text(group: &Group) -> String {
    let relation = format!("{:?}", group.relation).to_lowercase();
    let proofs: Vec<String> = group
        .where_to
        .iter()
        .map(|proven| match proven.scope {
            Scope::At(width) => format!("{width}{}", proven.route.name()),
            Scope::From(width) => format!("{width}+{}", proven.route.name()),
        })
        .collect();
    let set: u64 = group.semantics.iter().map(|index| 1 << index).sum();
    format!("{relation}:{}:{set:x}", proofs.join(","))
}

fn group_of(text: &str, places: &[Option<usize>]) -> Option<Group> {
    let mut parts = text.split(':');
    let relation = match parts.next()? {
        "exact" => Relation::Exact,
        "forward" => Relation::Forward,
        "backward" => Relation::Backward,
        _ => return None,
    };
    let where_to = parts.next()?.split(',').map(proven_of).collect::<Option<Vec<_>>>()?;
    let set = u64::from_str_radix(parts.next()?, 16).ok()?;
    let members = places.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
    Some(Group { relation, where_to, semantics: members.filter_map(|(_, place)| *place).collect() })
}

fn proven_of(text: &str) -> Option<Proven> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (width, rest) = text.split_at(digits);
    let width = width.parse().ok()?;
    let (scope, route) = match rest.strip_prefix('+') {
        Some(route) => (Scope::From(width), route),
        None => (Scope::At(width), rest),
    };
    Some(Proven { scope, route: Route::named(route)? })
}
