//! Coverage of compilers that users instrumented themselves with `afl-cc`: each run counts its control-flow edges in shared
//! memory. A feature is an edge with how often it was taken, in AFL's eight classes. The memory is in `segment.rs`.

mod segment;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Maker, Measure, Start, Unmeasured};
use crate::exec::Order;
use crate::target::Bench;

use segment::Segment;

/// The variables of AFL's protocol.
const SEGMENT: &str = "__AFL_SHM_ID";
const SIZE: &str = "AFL_MAP_SIZE";
const PRINT_SIZE: &str = "AFL_DUMP_MAP_SIZE";

/// The size of the map of a compiler that does not say another.
const USUAL: usize = 1 << 16;

/// No compiler has more edges; it only says so if it is something else.
const LARGEST: usize = 1 << 27;

/// The classes of how often an edge is taken: 1, 2, 3, 4–7, 8–15, 16–31, 32–127, 128 and more.
const CLASSES: u32 = 8;

/// Measures a compiler that was instrumented for AFL.
#[derive(Debug)]
pub(crate) struct AflMaker {
    program: String,
    size: OnceLock<Result<usize, Unmeasured>>,
    idle: Mutex<Vec<Segment>>,
    /// By the scratch directories of the runs.
    used: Mutex<BTreeMap<PathBuf, Segment>>,
}

impl AflMaker {
    pub(crate) fn new(program: String) -> Self {
        let (idle, used) = (Mutex::default(), Mutex::default());
        Self { program, size: OnceLock::new(), idle, used }
    }

    /// The size of the map that the compiler needs. One that is not instrumented sets no flag.
    fn size(&self, bench: &Bench) -> Result<usize, Unmeasured> {
        let ask = || {
            let scratch = bench.runner.scratch()?;
            let order = Order::new([&self.program, "--version"]).env(PRINT_SIZE, "1");
            let run = bench.runner.run(&order.limits(bench.compile.clone()), &scratch)?;
            let said = run.stdout.text().trim().parse().ok().filter(|size| *size <= LARGEST);
            let size = said.unwrap_or(USUAL);
            let segment = Segment::new(size).map_err(Unmeasured::because)?;
            let mut order = Order::new([&self.program, "--version"])
                .env(SEGMENT, segment.id())
                .env(SIZE, size.to_string());
            order.shares_memory = true;
            bench.runner.run(&order.limits(bench.compile.clone()), &scratch)?;
            match segment.edges().is_empty() {
                false => Ok(size),
                true => Err(Unmeasured(format!(
                    "{} was not compiled by afl-cc: it takes no edge",
                    self.program
                ))),
            }
        };
        self.size.get_or_init(ask).clone()
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Segment>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Segment>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Maker for AflMaker {
    fn prepare(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        let size = self.size(bench)?;
        let digest = blake3::hash(self.program.as_bytes());
        let [first, second, third, fourth, ..] = *digest.as_bytes();
        Ok(Measure {
            means: "edges in the map of AFL",
            blocks: size as u64,
            is_repeatable: true,
            tag: u32::from_be_bytes([first, second, third, fourth]),
        })
    }

    fn equip(&self, start: &mut Start, bench: &Bench) -> Result<(), Unmeasured> {
        let size = self.size(bench)?;
        let Some(scratch) = start.scratch.clone() else { return Ok(()) };
        let idle = self.idle().pop();
        let mut segment =
            idle.map_or_else(|| Segment::new(size), Ok).map_err(Unmeasured::because)?;
        segment.clear();
        start.env.push((SEGMENT.into(), segment.id().into()));
        start.env.push((SIZE.into(), size.to_string().into()));
        // Which edges are taken must not depend on addresses.
        start.is_steady = true;
        start.shares_memory = true;
        self.used().insert(scratch, segment);
        Ok(())
    }

    fn reached(&self, scratch: &Path, _bench: &Bench) -> Vec<u32> {
        let used = self.used();
        let edges = used.get(scratch).map(Segment::edges).unwrap_or_default();
        edges.into_iter().map(|(edge, count)| edge * CLASSES + class(count)).collect()
    }

    fn release(&self, scratch: &Path) {
        if let Some(segment) = self.used().remove(scratch) {
            self.idle().push(segment);
        }
    }
}

fn class(count: u8) -> u32 {
    match count {
        0..=1 => 0,
        2 => 1,
        3 => 2,
        4..=7 => 3,
        8..=15 => 4,
        16..=31 => 5,
        32..=127 => 6,
        128.. => 7,
    }
}
