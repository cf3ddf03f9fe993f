//! A hand-written hunt with which every listener is tested, and the comparison with the files in `tests/golden`. The
//! findings are shared with the tests of `lab`.

use std::path::Path;
use std::time::Duration;

use forge::{Observation, Outcome, Program};
use lab::event::{Ended, Event, Started, StartedLine, Summary, Tally, Work};
use lab::finding::{Finding, Flaky, KnownAs, Step};

macro_rules! specimen {
    ($name:literal) => {{
        let text = include_str!(concat!("../../../lab/tests/golden/specimens/", $name, ".json"));
        serde_json::from_str(text).expect("specimens are valid")
    }};
}

pub(crate) fn miscompilation() -> Finding {
    specimen!("miscompilation")
}

pub(crate) fn crash() -> Finding {
    specimen!("crash")
}

pub(crate) fn known() -> Finding {
    specimen!("known")
}

pub(crate) fn flaky() -> Flaky {
    specimen!("flaky")
}

pub(crate) fn started() -> Started {
    let line = |method: &str, targets: &[&str], done_before, goal| StartedLine {
        method: method.to_owned(),
        targets: targets.iter().map(|target| (*target).to_owned()).collect(),
        done_before,
        goal,
    };
    Started {
        lines: vec![
            line("smoke-c", &["mycc@1.2", "othercc@3.0-beta"], 2_000, Some(9_000)),
            line("smoke-rust", &["myrustc@1.95"], 0, Some(3_000)),
        ],
        seed: 1,
        shard: "1/4".to_owned(),
        jobs: 2,
        out: "/home/me/mistrust out".into(),
        time: Some(Duration::from_secs(3_600)),
        grace: Duration::from_secs(600),
        cases: Some(3_000),
    }
}

fn tally(milliseconds: u64, cases: u64) -> Tally {
    Tally {
        elapsed: Duration::from_millis(milliseconds),
        cases,
        kept: cases - cases / 10,
        skipped: cases / 80,
        runs: cases * 3,
        in_compilers: Duration::from_millis(milliseconds * 2 * 94 / 100),
        in_workers: Duration::from_millis(milliseconds * 2),
        left: Some(Duration::from_millis(3_600_000 - milliseconds)),
        ..Tally::default()
    }
}

pub(crate) fn summary() -> Summary {
    Summary {
        tally: Tally {
            broken: 1_240,
            duplicates: 1_236,
            flaky: 1,
            known: 31,
            findings: 3,
            unfinished: 1,
            left: None,
            ..tally(80_000, 10_000)
        },
        ended: Ended::Cases,
        skipped: vec![
            ("the program does not end in time".to_owned(), 100),
            ("opt=3: not observed: the disk is full".to_owned(), 20),
            ("no input".to_owned(), 4),
            ("another reason".to_owned(), 1),
        ],
        findings: vec![miscompilation(), crash(), known()],
        flaky: vec![flaky()],
    }
}

pub(crate) fn nothing() -> Summary {
    Summary {
        tally: Tally { left: None, ..tally(80_000, 10_000) },
        ended: Ended::Time,
        skipped: vec![("no input".to_owned(), 125)],
        findings: vec![],
        flaky: vec![],
    }
}

/// Findings with text that could break a format or a terminal.
pub(crate) fn hostile() -> Summary {
    let poison = format!(
        "</pre><script>alert(1)</script> ]]> & \" ' \x1b[31mred\x1b]0;t\x07 \0\u{9b}\u{202e}\u{fffe} ``` ```` {{{{ x }}}} {}",
        "A".repeat(10_000_000)
    );
    let mut finding = miscompilation();
    finding.signature.detail.clone_from(&poison);
    finding.version.clone_from(&poison);
    finding.target = poison[..120].to_owned();
    finding.known = Some(KnownAs {
        name: poison.clone(),
        link: Some("javascript:alert(1)".to_owned()),
        by_corpus: false,
    });
    finding.culprits[0] = lab::culprit::Culprit::Option(lab::culprit::OptionCulprit {
        option: poison.clone(),
        good: Some(poison.clone()),
        bad: poison.clone(),
    });
    let shown = [Some(&mut finding.original), finding.reduced.as_mut()].into_iter().flatten();
    for exhibit in shown.chain(&mut finding.restated) {
        exhibit.breach.message.clone_from(&poison);
        exhibit.breach.frames = vec![poison.clone()];
        exhibit.breach.expected = Some(poison.clone());
        exhibit.breach.actual = format!("{poison}\n{poison}");
        exhibit.case.trail = vec![poison.clone()];
        exhibit.case.programs =
            vec![Program { source: poison.clone(), ..exhibit.case.programs[0].clone() }];
        exhibit.case.inputs[0].arguments = vec![poison.clone()];
        let outcome = Outcome::Rejected { message: poison.clone() };
        exhibit.observations = vec![Observation {
            program: 0,
            setting: poison[..99].to_owned(),
            input: None,
            outcome,
        }];
    }
    let mut flaky = flaky();
    flaky.message.clone_from(&poison);
    Summary {
        skipped: vec![(poison.clone(), 1)],
        ended: Ended::Failed(poison),
        findings: vec![finding],
        flaky: vec![flaky],
        ..summary()
    }
}

/// A complete hunt with every kind of event.
pub(crate) fn events() -> Vec<Event> {
    let found = |findings, tally| Tally { findings, unfinished: findings, ..tally };
    let hunting = || Work::Hunting { method: "smoke-c".to_owned(), number: 2001 };
    let working = || Event::Working { worker: 1, work: hunting() };
    let warning = || Event::Warning { message: "a worker was killed; its case is repeated".into() };
    let mut unreduced = miscompilation();
    unreduced.reduced = None;
    unreduced.culprits.clear();
    vec![
        Event::Started(started()),
        Event::Progress(Tally::default()),
        working(),
        working(),
        Event::Progress(tally(500, 60)),
        Event::Found { finding: unreduced },
        Event::Found { finding: crash() },
        Event::Progress(found(2, tally(10_200, 1_234))),
        Event::Progress(found(2, tally(10_700, 1_300))),
        Event::Again { id: "3f2a91bc".into(), origin: "smoke-c.1:1:4301".into(), sightings: 2 },
        Event::Flaky { flaky: flaky() },
        warning(),
        warning(),
        Event::Reducing {
            id: "3f2a91bc".into(),
            step: Step { step: 7, tries: 1_001, bytes: 210, seconds: 2.5, cursor: 12 },
        },
        Event::Advanced { finding: miscompilation() },
        Event::Merged { id: "77d0c3a4".into(), into: "3f2a91bc".into() },
        Event::Found { finding: known() },
        Event::Progress(found(3, tally(31_000, 4_000))),
        Event::Progress(found(3, tally(80_000, 10_000))),
        Event::Finished(summary()),
    ]
}

/// Compares with the stored text, byte for byte. `BLESS=1` overwrites it.
pub(crate) fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("the golden folder is writable");
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    if text != stored {
        let difference = similar::TextDiff::from_lines(stored.as_str(), text);
        let difference = difference.unified_diff().context_radius(1).to_string();
        let start: String = difference.chars().take(4000).collect();
        panic!("{name} differs; if this is intended, renew it with BLESS=1\n{start}");
    }
}
