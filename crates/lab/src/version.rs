//! The ordering of versions.

/// A sort key for versions: 0.8.9 before 0.8.10, and 1.97.0-nightly before 1.97.0. Anything else is ordered as
/// text.
pub fn version_order(version: Option<&str>) -> Vec<(Part, u64, String)> {
    let text = version.unwrap_or_default();
    let part = |part: &str| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let kind = if digits == 0 { Part::Text } else { Part::Number };
        (kind, part[..digits].parse().unwrap_or(0), part[digits..].to_owned())
    };
    let end = (Part::End, 0, String::new());
    text.split(['.', '-', '+', '_']).map(part).chain([end]).collect()
}

/// The kind of one component of a version, in sort order: a pre-release word comes before the end of the version,
/// a further number after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Text,
    End,
    Number,
}

#[cfg(test)]
mod tests {
    use super::version_order;

    #[test]
    fn versions_are_ordered_by_number() {
        let ordered = [
            "",
            "0.8.9",
            "0.8.10",
            "1.96.0",
            "1.97.0-beta.2",
            "1.97.0-nightly",
            "1.97.0",
            "1.97.0.1",
            "2",
        ];
        let keys: Vec<_> = ordered.iter().map(|version| version_order(Some(version))).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
    }
}
