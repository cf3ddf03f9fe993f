//! Rewritten programs behave as before, and are rewritten often enough.

use forge::{Entropy, Method as _};

use super::*;
use crate::Solidity;
use crate::model::Version;

/// Tickets per version, each of another template; more in a long check.
fn tickets() -> u64 {
    std::env::var("MISTRUST_REWRITTEN").ok().and_then(|it| it.parse().ok()).unwrap_or(120)
}

#[test]
fn a_rewritten_program_behaves_as_before() {
    for version in [Version::Newest, Version::V7, Version::V4] {
        let method = Solidity::new(version);
        let mut rewritten_count = 0;
        for index in 0..tickets() {
            let (recipe, behaviours) = method.recipe(&method.ticket(31, 8 * index), true);
            let Some(behaviours) = behaviours else { continue };
            let mut entropy = Entropy::keyed(index);
            let Some(other) = rewritten(&recipe, &mut entropy) else { continue };
            rewritten_count += 1;
            let Some(after) = other.behaviours() else { continue };
            let told = other.identities.join(", ");
            assert_eq!(after, behaviours, "{version:?} {index}: {told}");
        }
        assert!(rewritten_count * 5 > tickets(), "{version:?}: {rewritten_count}");
    }
}

#[test]
fn checked_and_wrapping_arithmetic_have_their_own_rules() {
    let size =
        |version, checked, signed| book::of(version, checked, signed).map_or(0, |it| it.len());
    let (checked, wrapping) = (size(Version::V8, true, false), size(Version::V8, false, false));
    assert!(checked > 500 && wrapping > checked, "{checked} {wrapping}");
    assert_eq!(size(Version::V7, true, false), wrapping);
    assert_eq!(size(Version::V4, true, true), 0);
}

#[test]
fn a_rewritten_program_keeps_the_types_that_its_terms_have() {
    let method = Solidity::new(Version::Newest);
    let mut kept = 0;
    for index in 0..60 {
        // One ticket of each template.
        let (recipe, _) = method.recipe(&method.ticket(5, 8 * index), false);
        let Some(other) = rewritten(&recipe, &mut Entropy::keyed(index)) else { continue };
        assert!(other.space.admits(&other.solution));
        let decided = |space: &Space| {
            (0..space.len() as u16).filter(|it| space.domain(*it).is_power_of_two()).count()
        };
        kept += usize::from(decided(&other.space) > decided(&recipe.space));
    }
    assert!(kept > 5, "{kept}");
}
