//! The ways in which rustc is called, as a table.

use crate::setting::Setting;

type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Name, level of LLVM's optimisation, level of MIR's, and further options. The first is the reference:
/// it leaves the program as it is.
const SETTINGS: &[Row] = &[
    ("O0", "0", "0", &[]),
    // All MIR passes, without LLVM to blur what they did, and as cheap as no optimisation.
    ("O0-mir4", "0", "4", &[("debug-assertions", "off")]),
    ("O3-mir4", "3", "4", &[]),
    ("O2", "2", "2", &[]),
    ("O3-native", "3", "4", &[("target-cpu", "native")]),
    ("Os-units16", "s", "3", &[("codegen-units", "16")]),
    ("O0-mir4-checked", "0", "4", &[("debug-assertions", "on")]),
    ("O1", "1", "1", &[]),
    ("O3-mir0", "3", "0", &[]),
    ("O0-mir2", "0", "2", &[("debug-assertions", "off")]),
];

pub(super) fn all() -> Vec<Setting> {
    let setting = |(name, opt, mir, more): &Row| {
        let pair = |(option, value): &(&str, &str)| ((*option).to_owned(), (*value).to_owned());
        let mut values = vec![pair(&("opt-level", opt)), pair(&("mir-opt-level", mir))];
        values.extend(more.iter().map(pair));
        // LLVM's passes can only be counted where there is one unit.
        if values.iter().all(|(option, _)| option != "codegen-units") {
            values.push(pair(&("codegen-units", "1")));
        }
        Setting { name: (*name).to_owned(), ..Setting::of(values) }
    };
    let mut settings: Vec<Setting> = SETTINGS.iter().map(setting).collect();
    for setting in &mut settings {
        setting.class.clone_from(&setting.name);
    }
    settings
}

/// An option as rustc reads it.
pub(super) fn flag(option: &str, value: &str) -> Option<String> {
    match option {
        "opt-level" | "codegen-units" | "target-cpu" | "debug-assertions" => {
            Some(format!("-C{option}={value}"))
        }
        "mir-opt-level" => Some(format!("-Z{option}={value}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_of_the_table_is_one_that_rustc_is_given() {
        let settings = all();
        assert_eq!(settings.len(), SETTINGS.len());
        for setting in &settings {
            for (option, value) in &setting.values {
                assert!(flag(option, value).is_some(), "{option}");
            }
        }
        let mut names: Vec<&str> = settings.iter().map(|setting| setting.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), settings.len());
    }
}
