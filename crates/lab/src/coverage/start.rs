//! How a process is started so that its coverage is measured, and the run of one that ends. Persistent hosts are left to
//! `target/scripted.rs`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forge::{Feedback, Outcome};

use super::{Maker, Measure, Unmeasured};
use crate::exec::{Order, Scratch};
use crate::target::Bench;

/// How a process is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) argv: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    /// Where it runs, if that is known before it is started.
    pub(crate) scratch: Option<PathBuf>,
    /// Whether the addresses of its code and data must be the same in each run.
    pub(crate) is_steady: bool,
    /// Whether it shares our System V shared memory.
    pub(crate) shares_memory: bool,
}

impl Start {
    pub(crate) fn of(argv: Vec<OsString>, scratch: Option<&Path>) -> Self {
        Self { argv, scratch: scratch.map(Path::to_owned), ..Self::default() }
    }

    pub(super) fn order(self, bench: &Bench) -> Order {
        Order {
            argv: self.argv,
            env: self.env,
            limits: bench.compile.clone(),
            is_steady: self.is_steady,
            shares_memory: self.shares_memory,
            ..Order::default()
        }
    }
}

/// Measures the coverage of one run of a compiler, if the bench asks for it and it can be measured.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    watched: Option<(&'a dyn Maker, Measure)>,
    scratch: &'a Path,
    bench: &'a Bench,
}

impl<'a> Watch<'a> {
    /// Changes an order so that its run is measured.
    pub(crate) fn over(
        order: &mut Order,
        maker: Option<&'a dyn Maker>,
        scratch: &'a Scratch,
        bench: &'a Bench,
    ) -> Self {
        let scratch = scratch.path();
        let equip = |order: &mut Order, maker: &dyn Maker| -> Result<Measure, Unmeasured> {
            let measure = maker.prepare(bench)?;
            let mut start = Start::of(order.argv.clone(), Some(scratch));
            start.env.clone_from(&order.env);
            maker.equip(&mut start, bench)?;
            (order.argv, order.env) = (start.argv, start.env);
            order.is_steady |= start.is_steady;
            order.shares_memory |= start.shares_memory;
            Ok(measure)
        };
        let maker = maker.filter(|_| bench.coverage.is_some());
        let watched = maker.and_then(|maker| Some((maker, equip(order, maker).ok()?)));
        Self { watched, scratch, bench }
    }

    /// What the run reached that is not known. A failure has no coverage, so that other programs are reported with it.
    pub(crate) fn feedback(&self, outcome: &Outcome) -> Option<Feedback> {
        let (maker, measure) = self.watched.as_ref()?;
        let coverage = self.bench.coverage.as_ref()?;
        if !matches!(outcome, Outcome::Accepted | Outcome::Rejected { .. }) {
            return None;
        }
        let blocks = maker.reached(self.scratch, self.bench);
        Some(Feedback { features: coverage.unknown(measure.tag, &blocks) })
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some((maker, _)) = &self.watched {
            maker.release(self.scratch);
        }
    }
}
