//! Which rules are meant.

use identity::kernel::{SEMANTICS, Semantics};
use identity::{Category, Entry};

use crate::cli::RulesFilter;
use crate::exit::Usage;

/// The filter with its words understood.
#[derive(Debug)]
pub(super) struct Filter<'a> {
    options: &'a RulesFilter,
    category: Option<Category>,
    semantics: Option<&'static Semantics>,
}

impl<'a> Filter<'a> {
    pub(super) fn new(options: &'a RulesFilter) -> Result<Self, Usage> {
        let category = match &options.category {
            None => None,
            Some(name) => Some(Category::named(name).ok_or_else(|| {
                let names = Category::ALL.map(Category::name).join(", ");
                Usage(format!("there is no category `{name}`; there are {names}"))
            })?),
        };
        let semantics = match &options.semantics {
            None => None,
            Some(name) => Some(Semantics::named(name).ok_or_else(|| {
                let names: Vec<&str> = SEMANTICS.iter().map(|semantics| semantics.name).collect();
                Usage(format!("there is no semantics `{name}`; there are {}", names.join(", ")))
            })?),
        };
        Ok(Self { options, category, semantics })
    }

    /// Whether a rule is meant, going by what is written in its file.
    pub(super) fn names(&self, entry: &Entry) -> bool {
        let options = self.options;
        let named = options.names.is_empty()
            || options.names.iter().any(|part| entry.rule.name.contains(part.as_str()));
        named
            && self.category.is_none_or(|category| entry.rule.category == category)
            && !(options.hand_written && entry.is_synthesised())
            && (!options.synthesised || entry.is_synthesised())
    }

    /// Whether it is also proven where that is asked for.
    pub(super) fn has(&self, entry: &Entry) -> bool {
        let proven = |semantics: &Semantics| match self.options.width {
            Some(width) => entry.relation(semantics, width).is_some(),
            None => entry.standing(semantics).is_proven(),
        };
        let wanted = match self.semantics {
            Some(semantics) => proven(semantics),
            None if self.options.width.is_some() => SEMANTICS.iter().any(proven),
            None => true,
        };
        self.names(entry) && wanted
    }
}
