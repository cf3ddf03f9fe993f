//! Attributes of parameters, results, functions and calls. Only those that name a type are taken apart,
//! because types can be renamed; the others are text, and the oracles ask for them by name.

use std::sync::Arc;

use super::Type;

/// An attribute, as text or with a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// `noundef`, `align 8`, `range(i8 0, 10)`, `memory(none)`, `"key"="value"`, …, as LLVM prints it.
    Text(Arc<str>),
    /// `byval(T)`, `sret(T)`, `elementtype(T)`, …
    Typed(Arc<str>, Type),
}

/// Attributes in the order in which they are printed; groups (`#0`) are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes(pub Vec<Attribute>);

impl Attributes {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there is an attribute with this name, whatever its argument is.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|attribute| attribute.name() == name)
    }

    /// The text of the argument: `8` of `align 8` and `dereferenceable(8)`, `i8 0, 10` of `range(i8 0, 10)`.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|attribute| attribute.name() == name)?.argument()
    }

    /// The argument as a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.argument(name)?.parse().ok()
    }

    pub fn remove(&mut self, name: &str) {
        self.0.retain(|attribute| attribute.name() != name);
    }

    pub fn add(&mut self, text: &str) {
        self.0.push(Attribute::Text(text.into()));
    }
}

impl Attribute {
    /// What stands before the argument.
    pub fn name(&self) -> &str {
        match self {
            Self::Text(text) if text.starts_with('"') => {
                text.split('=').next().unwrap_or(text).trim_matches('"')
            }
            Self::Text(text) => text.split([' ', '(', '=']).next().unwrap_or(text),
            Self::Typed(name, _) => name,
        }
    }

    pub fn argument(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        if text.starts_with('"') {
            return Some(text.split_once('=')?.1.trim_matches('"'));
        }
        let rest = text[self.name().len()..].trim();
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inner = inner.or_else(|| rest.strip_prefix('='));
        Some(inner.unwrap_or(rest)).filter(|argument| !argument.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_asked_for_by_name() {
        let mut attributes = Attributes::default();
        for text in
            ["noundef", "align 8", "dereferenceable(16)", "range(i8 -1, 10)", "\"a-b\"=\"c\""]
        {
            attributes.add(text);
        }
        assert!(attributes.has("noundef") && !attributes.has("nonnull"));
        assert_eq!(attributes.number("align"), Some(8));
        assert_eq!(attributes.number("dereferenceable"), Some(16));
        assert_eq!(attributes.argument("range"), Some("i8 -1, 10"));
        assert_eq!(attributes.argument("a-b"), Some("c"));
        assert_eq!(attributes.argument("noundef"), None);
    }
}
