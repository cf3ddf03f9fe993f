//! Selects rules by the filter options.

use identity::kernel::{SEMANTICS, Semantics};
use identity::{Category, Entry};

use crate::cli::RulesFilter;
use crate::exit::Usage;

/// The parsed filter options.
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
                Usage(format!("there is no category `{name}`; the categories are {names}"))
            })?),
        };
        let semantics = match &options.semantics {
            None => None,
            Some(name) => Some(Semantics::named(name).ok_or_else(|| {
                let names: Vec<&str> = SEMANTICS.iter().map(|semantics| semantics.name).collect();
                Usage(format!(
                    "there is no semantics `{name}`; the semantics are {}",
                    names.join(", ")
                ))
            })?),
        };
        Ok(Self { options, category, semantics })
    }

    /// Whether a rule is selected by name, category and origin.
    pub(super) fn names(&self, entry: &Entry) -> bool {
        let options = self.options;
        let named = options.names.is_empty()
            || options.names.iter().any(|part| entry.rule.name.contains(part.as_str()));
        named
            && self.category.is_none_or(|category| entry.rule.category == category)
            && !(options.hand_written && entry.is_synthesised())
            && (!options.synthesised || entry.is_synthesised())
    }

    /// Whether it is also proven under the requested semantics and width.
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
