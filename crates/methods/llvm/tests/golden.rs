//! A ticket always gives the same bytes: `golden/revisions` has a digest for each revision of the methods, made
//! from a small corpus of our own. A change of output needs a new revision; `BLESS=1` then adds its line. And
//! what every case of that corpus has in common.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use forge::{Fingerprint, Method};
use llvm::block::TICKETS;
use llvm::corpus::{Corpus, Test};
use llvm::ir::Module;
use llvm::method::Crossover;
use llvm::pipeline;

fn corpus() -> Arc<Corpus> {
    let tests = [
        ("Integers/integers.ll", "instcombine", include_str!("golden/integers.ll")),
        ("Memory/memory.ll", "gvn,dse", include_str!("golden/memory.ll")),
        ("Floats/floats.ll", "function(instsimplify)", include_str!("golden/floats.ll")),
    ];
    let lines = tests.map(|(path, passes, text)| {
        let (path, passes) = (path.to_owned(), vec![passes.to_owned()]);
        let test = Test { path, passes, text: text.to_owned(), failing: vec![] };
        serde_json::to_string(&test).unwrap() + "\n"
    });
    Arc::new(Corpus::read(19, &lines.concat()).unwrap())
}

#[test]
fn the_output_changes_only_with_the_revision() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/revisions");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let mut known: BTreeMap<String, String> = stored
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
        .collect();
    let is_blessed = std::env::var_os("BLESS").is_some();
    for method in [Crossover::new(corpus()), Crossover::plain(corpus())] {
        let name = format!("{}.{}", method.name(), method.revision());
        // Several blocks, so that each of the tests and pipelines is drawn.
        let cases = (0..900).filter_map(|index| method.make(&method.ticket(1, index * 7)));
        let texts: Vec<String> = cases.map(|it| it.fingerprint().to_string()).collect();
        let made = Fingerprint::of(texts.iter().map(String::as_bytes)).to_string();
        match known.get(&name) {
            Some(golden) => assert_eq!(
                *golden, made,
                "the cases of {name} have changed: increase `revision()` by one, then add the new digest \
                 with BLESS=1"
            ),
            None if is_blessed => {
                known.insert(name, made);
            }
            None => panic!("{name} is not in golden/revisions: add it with BLESS=1"),
        }
    }
    if is_blessed {
        let lines: Vec<String> =
            known.iter().map(|(name, digest)| format!("{name} {digest}\n")).collect();
        std::fs::write(path, lines.concat()).unwrap();
    }
}

#[test]
fn every_case_is_valid_and_shares_pipeline_and_machine_with_its_block() {
    let method = Crossover::new(corpus());
    let mut pipelines = BTreeSet::new();
    for block in 0..10 {
        let mut shared = BTreeSet::new();
        for index in (block * TICKETS..(block + 1) * TICKETS).step_by(10) {
            let case = method.make(&method.ticket(3, index)).unwrap();
            let source = &case.programs[0].source;
            let module = Module::parse(source).unwrap();
            assert_eq!(module.verify(), Ok(()), "{:?}\n{source}", case.trail);
            assert_eq!(Module::parse(&module.text()).unwrap(), module);
            let passes = pipeline::of(source).unwrap().to_owned();
            shared.insert((passes, module.triple, module.data_layout));
        }
        assert_eq!(shared.len(), 1, "{shared:?}");
        pipelines.extend(shared);
    }
    assert!(pipelines.len() > 3, "{pipelines:?}");
}

#[test]
fn functions_with_typed_pointers_are_crossed() {
    let text = "define i32 @f(i32* %p, i8** %q) {\n  %x = load i32, i32* %p, align 4\n  %r = load i8*, \
                i8** %q, align 8\n  %y = load i8, i8* %r, align 1\n  %z = zext i8 %y to i32\n  %s = add \
                i32 %x, %z\n  store i32 %s, i32* %p, align 4\n  ret i32 %s\n}\n\ndefine i32* @g(i32* %p, \
                i64 %i) {\n  %a = getelementptr inbounds i32, i32* %p, i64 %i\n  ret i32* %a\n}\n\ndefine i1 \
                @h(i32 %x, i32 %y) {\n  %c = icmp ult i32 %x, %y\n  ret i1 %c\n}\n";
    let test = Test {
        path: "Old/typed.ll".to_owned(),
        passes: vec!["instcombine".to_owned()],
        text: text.to_owned(),
        failing: vec![],
    };
    let corpus = Corpus::read(13, &(serde_json::to_string(&test).unwrap() + "\n")).unwrap();
    let method = Crossover::new(Arc::new(corpus));
    let mut inlined = 0;
    for index in 0..300 {
        let case = method.make(&method.ticket(1, index)).unwrap();
        let source = &case.programs[0].source;
        let module = Module::parse(source).unwrap();
        assert_eq!(module.verify(), Ok(()), "{:?}\n{source}", case.trail);
        assert!(module.has_typed_pointers || !source.contains("ptr"), "{:?}\n{source}", case.trail);
        inlined += usize::from(case.trail.iter().any(|it| it.starts_with("inline")));
    }
    assert!(inlined > 80, "{inlined}");
}
