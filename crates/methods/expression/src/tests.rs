//! Tests for every language: base and mutant agree on every chosen input, a stored model gives the same case, many programs
//! fit into one source, and reduced cases are valid.

use std::sync::LazyLock;

use super::program::Step;
use super::run::Fate;
use super::*;
use forge::Promise;

/// One for each language, shared, since preparing the rules takes a while.
static METHODS: LazyLock<Vec<Expression>> =
    LazyLock::new(|| languages::ALL.iter().map(|dialect| Expression::new(dialect)).collect());

fn tickets(method: &Expression, count: u64) -> impl Iterator<Item = Ticket> {
    let name = method.name().to_owned();
    (0..count).map(move |index| Ticket::new(name.clone(), 7, index))
}

#[test]
fn every_ticket_has_a_case_and_most_have_a_mutant() {
    for method in METHODS.iter() {
        let dialect = method.dialect;
        let mut mutants = 0;
        for ticket in tickets(method, 60) {
            let case = method.make(&ticket).unwrap_or_else(|| panic!("{ticket} makes no case"));
            let Promise::Yields(expected) = &case.promise else { panic!("{ticket}") };
            assert_eq!(expected.len(), case.inputs.len(), "{ticket}");
            assert!(
                !case.inputs.is_empty() && case.inputs.len() <= dialect.limits.inputs,
                "{ticket}"
            );
            mutants += usize::from(case.programs.len() == 2);
            let longest = case.programs.iter().map(|program| program.source.len()).max();
            // The declarations of LLVM alone take more than half of that.
            assert!(longest < Some(28_000), "{ticket} has {longest:?} bytes");
            assert_eq!(method.make(&ticket).as_ref(), Some(&case), "{ticket} is made anew");
        }
        assert!(mutants >= 54, "{}: {mutants} of 60 have a mutant", dialect.name);
    }
}

#[test]
fn base_and_mutant_never_differ() {
    for method in METHODS.iter() {
        for ticket in tickets(method, 150) {
            let pair = method.grow(&ticket).expect("it grows");
            assert!(
                pair.fates().is_some(),
                "{ticket}: {:?}",
                method.case(ticket.clone().into(), pair)
            );
        }
    }
}

#[test]
fn the_model_on_disk_makes_the_same_case() {
    for method in METHODS.iter() {
        for ticket in tickets(method, 20) {
            let case = method.make(&ticket).expect("a case");
            let text = serde_json::to_string(&case).expect("it can be written");
            let read: Case = serde_json::from_str(&text).expect("it can be read");
            let pair = method.pair(&read).expect("the model is read");
            assert_eq!(
                method.case(ticket.clone().into(), pair.clone()).as_ref(),
                Some(&case),
                "{ticket}"
            );
            // The trail makes the same mutant again.
            let book = method.book(pair.style.name).expect("a book");
            let mut again = pair.clone();
            again.replay(book);
            assert_eq!(
                method.case(ticket.clone().into(), again.clone()).as_ref(),
                Some(&case),
                "{ticket}"
            );
        }
    }
}

#[test]
fn many_programs_share_a_source() {
    for method in METHODS.iter() {
        let dialect = method.dialect;
        let cases: Vec<Case> =
            tickets(method, 5).filter_map(|ticket| method.make(&ticket)).collect();
        let sources: Vec<&str> = cases
            .iter()
            .flat_map(|case| case.programs.iter().map(|program| program.source.as_str()))
            .collect();
        let (source, entries) = dialect.combine(&sources).expect("all were written here");
        assert_eq!(entries.len(), sources.len());
        for entry in &entries {
            assert!(source.contains(&entry.name), "{}", entry.name);
        }
        assert!(dialect.combine(&["something else"]).is_none());
    }
}

#[test]
fn smaller_cases_are_cases_and_end() {
    for method in METHODS.iter() {
        for ticket in tickets(method, 3) {
            let mut case = method.make(&ticket).expect("a case");
            // Whatever is proposed is taken: the reduction of a failure that never goes away.
            let mut steps = 0;
            loop {
                let next = method.smaller(&case).flatten().find(|next| next.size() < case.size());
                let Some(next) = next else { break };
                case = next;
                steps += 1;
                assert!(steps < 400, "{ticket} goes on: {case:?}");
            }
            assert_eq!((case.programs.len(), case.inputs.len()), (1, 1), "{ticket}");
        }
    }
}

/// How many of the rules of some tickets are left after a change, in percent, where the change applies.
fn kept(
    tickets: impl Iterator<Item = Ticket>,
    method: &Expression,
    change: impl Fn(&mut Pair, &Rulebook) -> Option<()>,
) -> usize {
    let (mut before, mut after) = (0, 0);
    for ticket in tickets {
        let pair = method.grow(&ticket).expect("it grows");
        let book = method.book(pair.style.name).expect("a book");
        let mut next = pair.clone();
        if change(&mut next, book).is_none() {
            continue;
        }
        next.replay(book);
        before += pair.trail.len();
        after += next.trail.len();
        // On its inputs the new program may be undefined, but base and mutant never differ.
        if next.fates().is_none() {
            next.mutant = None;
            assert!(
                next.fates().is_none(),
                "{ticket}: {:?}",
                method.case(ticket.clone().into(), pair.clone())
            );
        }
    }
    (after * 100).checked_div(before).unwrap_or(100)
}

#[test]
fn narrower_words_keep_the_rules() {
    for method in METHODS.iter() {
        let widest = |pair: &Pair| pair.parameters.iter().copied().max().unwrap_or(0);
        for narrow in [8, 16, 32, 64] {
            let percent = kept(tickets(method, 60), method, |pair, book| {
                let wide = widest(pair);
                let fits = wide > narrow && pair.style.widths.contains(&narrow);
                fits.then(|| pair.narrow(book, wide, narrow))?
            });
            assert!(percent >= 60, "{} to {narrow}: {percent}% of the rules", method.dialect.name);
        }
    }
}

/// The first iteration of a loop is equivalent to the loop with one iteration, and the rules that fired in it fire again.
#[test]
fn a_loop_is_replaced_by_its_first_iteration() {
    let mut all = 0;
    for method in METHODS.iter() {
        let mut loops = 0;
        for ticket in tickets(method, 60) {
            let mut pair = method.grow(&ticket).expect("it grows");
            pair.mutant = None;
            let is_loop = |step: &Step| matches!(step, Step::Loop { .. });
            let Some(index) = pair.base.steps.iter().position(is_loop) else { continue };
            let mut once = pair.clone();
            once.once(index).expect("a loop");
            if let Step::Loop { times, .. } = &mut pair.base.steps[index] {
                *times = 1;
            }
            // The initial value may trap, and the iteration may not use it.
            let (once, pair) = (once.fates(), pair.fates());
            let both = once.iter().flatten().zip(pair.iter().flatten());
            let same = |(a, b): (&Fate, &Fate)| a == b || matches!(b, Fate::Trap(_));
            assert!(both.into_iter().all(same), "{ticket}: {once:?} {pair:?}");
            loops += 1;
        }
        let percent = kept(tickets(method, 60), method, |pair, _| pair.once(0));
        // The rules in the initial value are lost; a few loops are no sample.
        assert!(loops < 8 || percent >= 40, "{}: {percent}% of the rules", method.dialect.name);
        all += loops;
    }
    assert!(all >= 60, "{all} have a loop");
}

#[test]
fn replacing_a_constant_replaces_it_in_firings() {
    let mut seen = 0;
    for method in METHODS.iter() {
        for ticket in tickets(method, 40) {
            let mut pair = method.grow(&ticket).expect("it grows");
            let invented: Vec<_> = pair.trail.iter().flat_map(|it| &it.firing.invented).collect();
            let number = invented.iter().find_map(|(_, term)| {
                let value = pair.terms.literal_value(*term)?.clone();
                Some((program::width(&pair.terms, *term), value))
            });
            let Some((width, value)) = number else { continue };
            let simple = num_bigint::BigInt::from(1);
            pair.exchange(width, &value, &simple);
            let there = pair.trail.iter().flat_map(|it| &it.firing.invented).any(|(_, term)| {
                program::width(&pair.terms, *term) == width
                    && pair.terms.literal_value(*term) == Some(&simple)
            });
            assert!(there, "{ticket} still has {value}");
            seen += 1;
        }
    }
    assert!(seen >= 40, "{seen} rules brought a constant along");
}

/// For a compiler that crashes on several functions together: `open` accepts the source of all of them, the first function can
/// be called as before, and fewer and smaller functions make smaller crowds.
#[test]
fn shallower_cases_are_cases_with_less_nesting() {
    let depth = |method: &Expression, case: &Case| {
        let pair = method.pair(case).expect("it has a model");
        pair.bodies().into_iter().map(|body| shallow::depth(&pair.terms, body)).max().unwrap_or(0)
    };
    for method in METHODS.iter() {
        let mut shallowest = 0;
        for ticket in tickets(method, 10) {
            let case = method.make(&ticket).expect("a case");
            let before = depth(method, &case);
            let candidates: Vec<Case> = method.shallower(&case).flatten().collect();
            for smaller in &candidates {
                assert!(depth(method, smaller) < before, "{ticket}: {smaller:?}");
                assert_eq!(smaller.programs.len(), 1, "{ticket}");
                let Promise::Yields(expected) = &smaller.promise else { panic!("{ticket}") };
                assert_eq!(expected.len(), smaller.inputs.len(), "{ticket}");
            }
            // The least nested comes first.
            let first = candidates.first().map(|it| depth(method, it));
            assert!(first <= candidates.iter().map(|it| depth(method, it)).min(), "{ticket}");
            shallowest += usize::from(matches!(first, Some(0 | 1)));
        }
        assert!(shallowest >= 5, "{}: {shallowest}", method.name());
    }
}

#[test]
fn a_shape_has_the_operators_and_no_constants_or_names() {
    for method in METHODS.iter() {
        let mut mutants = 0;
        for ticket in tickets(method, 10) {
            let mut pair = method.grow(&ticket).expect("it grows");
            let shape = |pair: &Pair| {
                let case = method.case(ticket.clone().into(), pair.clone()).expect("a case");
                method.shape(&case)
            };
            let whole = shape(&pair);
            pair.alone(None);
            let base = shape(&pair);
            assert!(whole.contains(&base), "{ticket}");
            mutants += usize::from(!base.contains(&whole));
            // What is drawn for constants and their places does not count.
            pair.places = Places::default();
            assert_eq!(shape(&pair), base, "{ticket}");
        }
        assert!(mutants >= 5, "{}: {mutants}", method.name());
    }
}

#[test]
fn functions_that_fail_together_shrink_as_one_case() {
    for method in METHODS.iter() {
        let cases: Vec<Case> =
            tickets(method, 3).filter_map(|ticket| method.make(&ticket)).collect();
        let crowd = method.crowd(&cases).expect("they can be put together");
        assert_eq!((&crowd.promise, crowd.programs.len()), (&Promise::Survives, 1));
        let source = &crowd.programs[0].source;
        let (signature, _) = method.dialect.open(source).expect("it is one of ours");
        assert_eq!(signature.parameters.len(), crowd.inputs[0].arguments.len());
        let functions: usize = cases.iter().map(|case| case.programs.len()).sum();
        assert!(source.contains(&format!("judged_x{}", functions - 1)), "{source}");
        let smaller: Vec<Case> = method.smaller(&crowd).flatten().take(20).collect();
        assert!(smaller.iter().any(|case| case.trail[0].matches(':').count() == 5), "{smaller:?}");
        for case in &smaller {
            assert!(method.dialect.open(&case.programs[0].source).is_some());
            assert!(Crowd::of(case).is_some_and(|crowd| crowd.crowd.len() > 1));
        }
        assert!(method.crowd(&cases[..1]).is_none(), "one alone is no crowd");
    }
}

/// All division operators of TON's virtual machine are drawn, and enough of them survive the rules.
#[test]
fn all_divisions_of_ton_are_generated() {
    let tolk =
        ["mulDivFloor(", "mulDivRound(", "mulDivCeil(", " ~/ ", " ^/ ", "divMod(", "modDiv("];
    let func = ["muldiv(", "muldivr(", "muldivc(", " ~/ ", " ^/ ", "quotient(", "remainder("];
    for (language, words) in [("tolk", tolk), ("func", func)] {
        let is_it = |method: &&Expression| method.dialect.language == language;
        let method = METHODS.iter().find(is_it).expect("a language");
        let cases = tickets(method, 900).filter_map(|ticket| method.make(&ticket));
        let sources: Vec<String> =
            cases.flat_map(|case| case.programs).map(|program| program.source).collect();
        for word in words {
            let count = sources.iter().filter(|source| source.contains(word)).count();
            assert!(count >= 5, "{language}: {word} in {count} of {} programs", sources.len());
        }
    }
}

/// Each trap kind is as `TrapKinds` says: none, one code for all, or codes of the styles. All codes of a style occur that its
/// programs can trap with.
#[test]
fn expected_trap_codes_follow_the_trap_kinds() {
    for method in METHODS.iter() {
        let dialect = method.dialect;
        let mut codes = std::collections::BTreeSet::new();
        for case in tickets(method, 200).filter_map(|ticket| method.make(&ticket)) {
            let Promise::Yields(expected) = &case.promise else { continue };
            codes.extend(expected.iter().filter_map(|behaviour| match behaviour {
                forge::Behaviour::Trap { code, .. } => Some(code.clone()),
                _ => None,
            }));
        }
        let wanted: &[&str] = match (dialect.traps, dialect.language) {
            (TrapKinds::Never, _) => &[],
            (TrapKinds::Alike, _) => &[TRAP],
            (TrapKinds::Distinct, "rust") => &["exit 101"],
            (TrapKinds::Distinct, "tolk" | "func") => &["exit 4", "exit 5"],
            (TrapKinds::Distinct, "solidity") => &["panic 0x11", "panic 0x12"],
            (TrapKinds::Distinct, "old-solidity") => &["invalid"],
            (TrapKinds::Distinct, "vyper") => &["revert"],
            (TrapKinds::Distinct, language) => panic!("the codes of {language} are not listed"),
        };
        assert!(codes.iter().eq(wanted), "{}: {codes:?}, not {wanted:?}", dialect.name);
    }
    let alike = languages::ALL.iter().filter(|it| it.traps == TrapKinds::Alike);
    assert_eq!(alike.map(|it| it.language).collect::<Vec<_>>(), ["wasm"]);
}
