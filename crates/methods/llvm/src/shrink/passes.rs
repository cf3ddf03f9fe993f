//! Shorter pipelines: without some passes, without a manager around them, without parameters; and single passes
//! instead of a whole pipeline, of which one is to blame.

use crate::passes;
use crate::pipeline::split;

/// Pipelines that are smaller than this one, the smallest first.
pub(super) fn shorter(pipeline: &str) -> Vec<String> {
    let mut all = vec![];
    let passes = split(pipeline);
    if passes.iter().any(|pass| pass.starts_with("default<")) {
        all.extend(passes::functional().filter_map(passes::in_function));
    }
    if passes.len() > 3 {
        let (left, right) = passes.split_at(passes.len() / 2);
        all.extend([left.join(","), right.join(",")]);
    }
    if passes.len() > 1 {
        all.extend(passes.iter().map(|pass| (*pass).to_owned()));
        for at in 0..passes.len() {
            let rest: Vec<&str> =
                passes.iter().enumerate().filter(|it| it.0 != at).map(|it| *it.1).collect();
            all.push(rest.join(","));
        }
    }
    for (at, pass) in passes.iter().enumerate() {
        let with = |other: &str| {
            let mut changed: Vec<&str> = passes.clone();
            changed[at] = other;
            changed.join(",")
        };
        // The passes inside of a manager, by themselves and with fewer of them.
        if let Some(open) = pass.find('(').filter(|_| pass.ends_with(')')) {
            let (manager, inside) = (&pass[..open], &pass[open + 1..pass.len() - 1]);
            if passes.len() == 1 {
                all.push(inside.to_owned());
            }
            all.extend(shorter(inside).iter().map(|it| with(&format!("{manager}({it})"))));
        } else if let Some(open) = pass.find('<').filter(|_| !pass.starts_with("default<")) {
            all.push(with(&pass[..open]));
        }
    }
    all.retain(|it| it != pipeline && !it.is_empty());
    let mut seen: Vec<String> = vec![];
    for pipeline in all {
        if !seen.contains(&pipeline) {
            seen.push(pipeline);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_shortened_to_each_of_its_passes() {
        assert_eq!(shorter("gvn,dse"), ["gvn", "dse"]);
        assert_eq!(shorter("function(gvn,sroa<modify-cfg>)")[0], "gvn,sroa<modify-cfg>");
        assert!(shorter("function(gvn,dse)").contains(&"function(dse)".to_owned()));
        assert_eq!(shorter("sroa<modify-cfg>"), ["sroa"]);
        assert!(shorter("default<O2>").contains(&"instcombine".to_owned()));
        assert_eq!(shorter("gvn"), [""; 0]);
    }
}
