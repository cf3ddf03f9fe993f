//! A corpus of unit tests: functions as seeds, with the passes that their files are run with. Reading
//! files and calling `opt` is for `lab`; here a corpus is one text, a line of JSON for each file.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use forge::Entropy;
use serde::{Deserialize, Serialize};

use crate::crossover::is_donor;
use crate::extract::Index;
use crate::ir::{Body, Function, Module, Type};
use crate::{passes, reach};

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
#[derive(Debug)]
pub struct Seed {
    pub test: usize,
    pub name: Arc<str>,
    /// The group that it belongs to.
    pub group: usize,
    /// With all that it needs, as a module of its own. Made when it is first used.
    module: OnceLock<Arc<Module>>,
}

/// A test that was read.
#[derive(Debug)]
pub struct ReadTest {
    pub path: Arc<str>,
    pub passes: Vec<Arc<str>>,
    pub module: Module,
    index: OnceLock<Index>,
}

/// A folder of tests, which are for one pass or a few.
#[derive(Debug)]
pub struct Family {
    pub name: Arc<str>,
    pub seeds: Vec<usize>,
    pub donors: Donors,
}

/// Seeds of a family for one machine, which fit into one module.
#[derive(Debug)]
pub struct Group {
    pub family: usize,
    pub triple: Option<Arc<str>>,
    pub data_layout: Option<Arc<str>>,
    pub seeds: Seeds,
}

/// Seeds, with those apart that no oracle can judge.
#[derive(Debug, Default)]
pub struct Seeds {
    pub judged: Vec<usize>,
    pub others: Vec<usize>,
}

/// A seed that can be judged is drawn so many times as often as one that can only crash.
const PREFERENCE: u64 = 3;

impl Seeds {
    fn add(&mut self, seed: usize, is_judged: bool) {
        if is_judged { &mut self.judged } else { &mut self.others }.push(seed);
    }

    pub fn len(&self) -> usize {
        self.judged.len() + self.others.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn draw(&self, entropy: &mut Entropy) -> Option<usize> {
        let preferred = self.judged.len() as u64 * PREFERENCE;
        let drawn = entropy.below(preferred + self.others.len() as u64);
        match drawn.checked_sub(preferred) {
            None => self.judged.get((drawn / PREFERENCE) as usize).copied(),
            Some(drawn) => self.others.get(drawn as usize).copied(),
        }
    }
}

/// Seeds that can be put into other functions, by their types.
#[derive(Debug, Default)]
pub struct Donors {
    /// By the type that they return, `void` included.
    pub by_result: HashMap<Type, Seeds>,
    /// By the type of a parameter; once for each type.
    pub by_parameter: HashMap<Type, Seeds>,
}

impl Donors {
    fn add(&mut self, seed: usize, function: &Function, is_judged: bool) {
        let header = &function.header;
        self.by_result.entry(header.returns.clone()).or_default().add(seed, is_judged);
        for (at, parameter) in header.parameters.iter().enumerate() {
            let is_first = header.parameters[..at].iter().all(|it| it.ty != parameter.ty);
            if is_first {
                let fitting = self.by_parameter.entry(parameter.ty.clone()).or_default();
                fitting.add(seed, is_judged);
            }
        }
    }
}

/// Unit tests, read from a stored corpus.
#[derive(Debug)]
pub struct Corpus {
    /// The major version of LLVM that the tests are from.
    pub version: u32,
    /// The beginning of a hash of the whole text.
    pub digest: String,
    pub tests: Vec<ReadTest>,
    pub seeds: Vec<Seed>,
    /// All of them, for drawing one.
    pub all: Seeds,
    pub families: Vec<Family>,
    pub groups: Vec<Group>,
    pub donors: Donors,
    /// Passes over functions and loops that the tests name.
    pub passes: Vec<&'static str>,
    /// Functions whose body is not read, by reason.
    pub opaque: HashMap<Arc<str>, u64>,
}

/// Why a stored corpus cannot be read.
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
            all: Seeds::default(),
            families: vec![],
            groups: vec![],
            donors: Donors::default(),
            passes: vec![],
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
        let pipelines = corpus.tests.iter().flat_map(|test| &test.passes);
        corpus.passes = passes::in_use(pipelines.map(|it| &**it));
        Ok(corpus)
    }

    fn add(&mut self, test: &Test) {
        let Ok(module) = Module::parse(&test.text) else { return };
        let number = self.tests.len();
        let name = test.path.split('/').next().unwrap_or_default();
        let family = self.family(name);
        let group = self.group(family, &module);
        for function in &module.functions {
            if let Body::Opaque { why, .. } = &function.body {
                *self.opaque.entry(Arc::clone(why)).or_default() += 1;
                continue;
            }
            if test.failing.iter().any(|name| **name == *function.header.name) {
                continue;
            }
            let seed = self.seeds.len();
            let name = Arc::clone(&function.header.name);
            self.seeds.push(Seed { test: number, name, group, module: OnceLock::new() });
            let is_judged = reach::is_in_reach(&module, function);
            self.all.add(seed, is_judged);
            self.families[family].seeds.push(seed);
            self.groups[group].seeds.add(seed, is_judged);
            if is_donor(function) {
                self.donors.add(seed, function, is_judged);
                self.families[family].donors.add(seed, function, is_judged);
            }
        }
        let passes = test.passes.iter().map(|it| it.as_str().into()).collect();
        let (path, index) = (test.path.as_str().into(), OnceLock::new());
        self.tests.push(ReadTest { path, passes, module, index });
    }

    fn family(&mut self, name: &str) -> usize {
        self.families.iter().position(|it| &*it.name == name).unwrap_or_else(|| {
            let (seeds, donors) = (vec![], Donors::default());
            self.families.push(Family { name: name.into(), seeds, donors });
            self.families.len() - 1
        })
    }

    fn group(&mut self, family: usize, module: &Module) -> usize {
        let (triple, data_layout) = (&module.triple, &module.data_layout);
        let is_it = |group: &Group| {
            group.family == family && group.triple == *triple && group.data_layout == *data_layout
        };
        self.groups.iter().position(is_it).unwrap_or_else(|| {
            let (triple, data_layout) = (triple.clone(), data_layout.clone());
            let seeds = Seeds::default();
            self.groups.push(Group { family, triple, data_layout, seeds });
            self.groups.len() - 1
        })
    }

    pub fn test(&self, seed: usize) -> &ReadTest {
        &self.tests[self.seeds[seed].test]
    }

    /// The function of a seed.
    pub fn function(&self, seed: usize) -> Option<&Function> {
        self.module(seed).function(&self.seeds[seed].name)
    }

    /// The function of a seed with all that it needs, as a module of its own.
    pub fn module(&self, seed: usize) -> &Arc<Module> {
        let Seed { name, module, .. } = &self.seeds[seed];
        module.get_or_init(|| {
            let test = self.test(seed);
            let index = test.index.get_or_init(|| test.module.index());
            Arc::new(test.module.extract_by(index, &[&**name]))
        })
    }
}
