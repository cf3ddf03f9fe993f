//! What all generated cases have in common, which constructs they have, and how many show the mistakes of past
//! compilers.

use forge::{Method, Promise};
use solidity::Solidity;
use solidity::interpret::Planted;
use solidity::model::Version;

#[test]
fn the_behaviour_of_every_case_is_known() {
    for version in Version::all() {
        let method = Solidity::new(version);
        for index in 0..300 {
            let case = method.make(&method.ticket(2, index)).unwrap();
            let Promise::Yields(behaviours) = &case.promise else { panic!("{}", case.origin) };
            assert_eq!(behaviours.len(), case.inputs.len());
            let source = &case.programs[0].source;
            for (open, close) in [('{', '}'), ('(', ')'), ('[', ']')] {
                let count = |which| source.chars().filter(|it| *it == which).count();
                assert_eq!(count(open), count(close), "{source}");
            }
            assert!(!source.contains('\u{27e8}'), "a placeholder was left: {source}");
        }
    }
}

/// Words of constructs, the first version that has them, and whether later ones do.
const CONSTRUCTS: &[(&str, Version)] = &[
    ("library ", Version::V4),
    ("using C", Version::V4),
    (" is C", Version::V4),
    ("super.", Version::V4),
    ("interface ", Version::V4),
    ("modifier ", Version::V4),
    ("new C", Version::V4),
    ("assembly {", Version::V4),
    ("mload(0)", Version::V4),
    ("function(", Version::V4),
    ("@dev", Version::V4),
    (".call(", Version::V5),
    (".delegatecall(", Version::V5),
    (".selector", Version::V5),
    ("abi.decode(", Version::V5),
    ("encodeWithSignature(\"f", Version::V5),
    ("try ", Version::V6),
    ("catch Error(", Version::V6),
    ("abstract contract", Version::V6),
    ("override(", Version::V6),
    ("receive()", Version::V6),
    ("import \"", Version::V6),
    ("calldata v", Version::V6Late),
    (" immutable ", Version::V6Late),
    ("{salt: ", Version::V7),
    ("unchecked {", Version::V8),
    ("pragma abicoder v1", Version::V8),
    (":v", Version::V6Late),
    ("constructor(", Version::V4Late),
    ("abi.encode(", Version::V4Late),
    ("emit Ev", Version::V4Late),
    ("stop()", Version::V4Late),
    ("keccak256(0, ", Version::V5),
    ("continue }", Version::V6),
    (" ? this : this).", Version::V5),
    ("catch Panic(", Version::V8Types),
    ("error Er", Version::V8Types),
    ("encodeCall", Version::V8Late),
    ("bytes.concat(", Version::V8Types),
    ("string.concat(", Version::Newest),
    ("layout at", Version::Newest),
    (" global;", Version::Newest),
    ("transient", Version::Newest),
    (".wrap(", Version::V8Types),
    (".unwrap(", Version::V8Types),
];

#[test]
fn every_construct_of_a_version_is_generated() {
    for version in Version::all() {
        let method = Solidity::new(version);
        let sources: Vec<String> =
            (0..1200).map(|index| method.printed(&method.ticket(3, index * 8))).collect();
        for (word, _) in CONSTRUCTS.iter().filter(|(_, first)| *first <= version) {
            let count = sources.iter().filter(|source| source.contains(word)).count();
            assert!(count > 2, "{version:?}: {count} programs have `{word}`");
        }
        for (word, _) in CONSTRUCTS.iter().filter(|(_, first)| *first > version) {
            let wrong =
                sources.iter().find(|source| source.contains(word) && *word != "calldata v");
            assert_eq!(wrong, None, "{version:?} has no `{word}`");
        }
    }
}

/// How many of some thousand tickets show a mistake, at least.
#[test]
fn tickets_show_the_mistakes_of_past_compilers() {
    for (planted, version, least) in [
        (Planted::DeletedByte, Version::Newest, 6),
        (Planted::HeadOverflow, Version::V8Late, 8),
        (Planted::ShrunkArray, Version::V7Late, 3),
        (Planted::EmptyBytes, Version::V7, 10),
        (Planted::ImplicitConstructor, Version::V6, 30),
        (Planted::SignedElements, Version::V5, 2),
        (Planted::NestedDecoder, Version::V4, 10),
        (Planted::RemovedWrite, Version::V8Late, 2),
        (Planted::LibraryEvent, Version::V5, 1),
        (Planted::HugeArray, Version::V6, 2),
        (Planted::CachedHash, Version::V8, 1),
        (Planted::SignedImmutable, Version::V8, 1),
        (Planted::NestedTuple, Version::V6, 1),
        (Planted::ForgottenSelector, Version::V8Late, 1),
        (Planted::RemovedStore, Version::V8Late, 3),
        (Planted::RemovedAssignment, Version::V6, 1),
        (Planted::EncodedLiteral, Version::V8Late, 1),
    ] {
        let method = Solidity::new(version);
        // Neighbours share a template.
        let shows = |index: &u64| method.shows(&method.ticket(1, index * 8), planted);
        let shown = (0..1000).filter(shows).count();
        assert!(shown >= least, "{planted:?} in {shown} of 1000 templates of {version:?}");
    }
}

#[test]
fn candidates_of_a_reduction_behave_in_a_known_way_too() {
    let method = Solidity::new(Version::Newest);
    let (mut valid, mut smaller) = (0, 0);
    for index in 0..12 {
        let case = method.make(&method.ticket(4, index * 8)).unwrap();
        for candidate in method.smaller(&case).take(150).flatten() {
            assert!(matches!(candidate.promise, Promise::Yields(_)));
            valid += 1;
            smaller +=
                usize::from(candidate.programs[0].source.len() < case.programs[0].source.len());
        }
    }
    assert!(valid > 300 && smaller * 2 > valid, "{valid} candidates, {smaller} of them shorter");
}
