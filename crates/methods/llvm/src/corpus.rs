//! A corpus of unit tests: functions as seeds, with the passes that their files are run with. Reading
//! files and calling `opt` is for `lab`; here a corpus is one text, a line of JSON for each file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ir::{Module, Type};

/// A file of the corpus in the form in which it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Its path below the folder of tests: `InstCombine/add.ll`.
    pub path: String,
    /// The pipelines of its RUN lines.
    pub passes: Vec<String>,
    /// As `opt -passes=verify -S` prints it.
    pub text: String,
    /// Functions that the version under test fails on as they are. They are no seeds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
}

/// A function of a test.
#[derive(Clone, Debug)]
pub struct Seed {
    pub test: usize,
    pub name: Arc<str>,
}

/// A test that was read.
#[derive(Debug)]
pub struct ReadTest {
    pub path: Arc<str>,
    pub passes: Vec<Arc<str>>,
    pub module: Module,
}

/// A folder of tests, which are for one pass or a few.
#[derive(Debug)]
pub struct Family {
    pub name: Arc<str>,
    pub seeds: Vec<usize>,
}

#[derive(Debug)]
pub struct Corpus {
    /// The major version of LLVM that the tests are from.
    pub version: u32,
    /// The beginning of a hash of the whole text.
    pub digest: String,
    pub tests: Vec<ReadTest>,
    pub seeds: Vec<Seed>,
    pub families: Vec<Family>,
    /// Seeds that can be donors, by the type that they return.
    pub by_result: HashMap<Type, Vec<usize>>,
    /// Functions whose body is not read, by reason.
    pub opaque: HashMap<Arc<str>, u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    #[error("line {line} of the corpus cannot be read: {why}")]
    Line { line: usize, why: String },
    #[error("the corpus has no function that can be read")]
    Empty,
}

/// The digest of a corpus in its stored form.
pub fn digest(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    let mut digest = String::new();
    for byte in &hash.as_bytes()[..4] {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

impl Corpus {
    /// Reads a corpus in its stored form.
    pub fn read(version: u32, text: &str) -> Result<Self, CorpusError> {
        let mut corpus = Self {
            version,
            digest: digest(text),
            tests: vec![],
            seeds: vec![],
            families: vec![],
            by_result: HashMap::new(),
            opaque: HashMap::new(),
        };
        for (line, json) in text.lines().enumerate() {
            let test: Test = serde_json::from_str(json)
                .map_err(|error| CorpusError::Line { line: line + 1, why: error.to_string() })?;
            corpus.add(&test);
        }
        if corpus.seeds.is_empty() {
            return Err(CorpusError::Empty);
        }
        corpus.families.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(corpus)
    }

    fn add(&mut self, test: &Test) {
        let Ok(module) = Module::parse(&test.text) else { return };
        let number = self.tests.len();
        let family = test.path.split('/').next().unwrap_or_default();
        for function in &module.functions {
            if let crate::ir::Body::Opaque { why, .. } = &function.body {
                *self.opaque.entry(Arc::clone(why)).or_default() += 1;
                continue;
            }
            if test.failing.iter().any(|name| **name == *function.header.name) {
                continue;
            }
            let seed = self.seeds.len();
            self.seeds.push(Seed { test: number, name: Arc::clone(&function.header.name) });
            match self.families.iter_mut().find(|it| &*it.name == family) {
                Some(family) => family.seeds.push(seed),
                None => self.families.push(Family { name: family.into(), seeds: vec![seed] }),
            }
            self.by_result.entry(function.header.returns.clone()).or_default().push(seed);
        }
        let passes = test.passes.iter().map(|it| it.as_str().into()).collect();
        self.tests.push(ReadTest { path: test.path.as_str().into(), passes, module });
    }

    pub fn test(&self, seed: usize) -> &ReadTest {
        &self.tests[self.seeds[seed].test]
    }

    /// The function of a seed with all that it needs, as a module of its own.
    pub fn module(&self, seed: usize) -> Module {
        self.test(seed).module.extract(&[&*self.seeds[seed].name])
    }
}
