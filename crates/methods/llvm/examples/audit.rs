//! A developer's tool: runs an `opt` over a folder of LLVM's tests, each file with the passes of its own RUN
//! line, and lists the functions by verdict. Every failure that it prints is a bug of that `opt` or of an oracle.
//!
//! ```sh
//! cargo run --release -p llvm --example audit -- --opt "/usr/bin/opt" --cache /tmp/audit llvm/test/Transforms/InstCombine
//! ```
//!
//! `--passes P` applies the same passes to every file; `--only NAME` judges one function and prints both of its
//! versions; `--quick` leaves the prover out; `--every N` takes one file in N; `--log FILE` takes the details.
//! What `opt` prints is kept in the cache.

#![expect(clippy::print_stdout, reason = "a tool that prints a table")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use llvm::check::{Checked, Effort, check, judge};
use llvm::ir::Module;
use llvm::pipeline::changes_behaviour;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Default)]
struct Options {
    opt: Vec<String>,
    cache: PathBuf,
    passes: Option<String>,
    only: Option<String>,
    every: usize,
    effort: Effort,
    log: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    std::fs::create_dir_all(&options.cache)?;
    let mut files = vec![];
    for folder in &options.folders {
        find(folder, &mut files)?;
    }
    files.sort();
    files = files.into_iter().step_by(options.every.max(1)).collect();
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Total::default()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let part = audit(&options, file);
                    total.lock().unwrap_or_else(|it| it.into_inner()).add(part);
                }
            });
        }
    });
    let mut total = total.into_inner().unwrap_or_else(|it| it.into_inner());
    if let Some(log) = &options.log {
        total.details.sort();
        std::fs::write(log, total.details.join("\n"))?;
    }
    print!("{}", total.table(options.log.is_none()));
    Ok(())
}

fn options() -> Result<Options, Failure> {
    let mut options = Options { cache: std::env::temp_dir().join("audit"), ..Options::default() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match &*word {
            "--opt" => options.opt = value()?.split_whitespace().map(str::to_owned).collect(),
            "--cache" => options.cache = value()?.into(),
            "--passes" => options.passes = Some(value()?),
            "--only" => options.only = Some(value()?),
            "--every" => options.every = value()?.parse()?,
            "--quick" => (options.effort.limits.gates, options.effort.limits.clauses) = (0, 0),
            "--log" => options.log = Some(value()?.into()),
            _ => options.folders.push(word.into()),
        }
    }
    if options.opt.is_empty() || options.folders.is_empty() {
        return Err(
            "usage: audit --opt COMMAND [--cache DIR] [--passes P] [--log FILE] FOLDER…".into()
        );
    }
    Ok(options)
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            find(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|it| it == "ll") {
        files.push(path.to_owned());
    }
    Ok(())
}

#[derive(Default)]
struct Total {
    files: usize,
    functions: u32,
    verdicts: BTreeMap<&'static str, u32>,
    /// Functions that did not change, as judged against themselves.
    unchanged: BTreeMap<&'static str, u32>,
    reasons: BTreeMap<String, u32>,
    skipped: BTreeMap<String, u32>,
    details: Vec<String>,
    time: Duration,
}

impl Total {
    fn skip(mut self, why: impl Into<String>) -> Self {
        *self.skipped.entry(why.into()).or_default() += 1;
        self
    }

    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.functions += other.functions;
        self.time += other.time;
        self.details.extend(other.details);
        for (mine, theirs) in
            [(&mut self.verdicts, other.verdicts), (&mut self.unchanged, other.unchanged)]
        {
            for (name, count) in theirs {
                *mine.entry(name).or_default() += count;
            }
        }
        for (mine, theirs) in
            [(&mut self.reasons, other.reasons), (&mut self.skipped, other.skipped)]
        {
            for (name, count) in theirs {
                *mine.entry(name).or_default() += count;
            }
        }
    }

    fn table(&self, with_details: bool) -> String {
        let mut text = String::new();
        let share = |count: u32, of: u32| f64::from(count) * 100.0 / f64::from(of.max(1));
        if with_details {
            text.push_str(&self.details.join("\n"));
        }
        let _ = writeln!(
            text,
            "{} files, {} functions, {:.1} s of judging",
            self.files,
            self.functions,
            self.time.as_secs_f64()
        );
        let judged = |counts: &BTreeMap<&str, u32>| {
            counts
                .iter()
                .filter(|it| !matches!(*it.0, "unknown" | "unchanged"))
                .map(|it| it.1)
                .sum()
        };
        let (changed, same): (u32, u32) = (judged(&self.verdicts), judged(&self.unchanged));
        let unchanged = self.verdicts.get("unchanged").copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "changed and judged: {changed} of {} ({:.1}%); could be judged: {} of all ({:.1}%)",
            self.functions - unchanged,
            share(changed, self.functions - unchanged),
            changed + same,
            share(changed + same, self.functions)
        );
        for (title, counts, of) in [
            ("verdicts", &self.verdicts, self.functions),
            ("of the unchanged ones", &self.unchanged, unchanged),
        ] {
            let _ = writeln!(text, "{title}:");
            for (name, count) in counts {
                let _ = writeln!(text, "{count:8} {:5.1}%  {name}", share(*count, of));
            }
        }
        for (title, counts) in [("unknown:", &self.reasons), ("files left out:", &self.skipped)] {
            let _ = writeln!(text, "{title}");
            let mut sorted: Vec<_> = counts.iter().collect();
            sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (reason, count) in sorted.into_iter().take(80) {
                let _ = writeln!(text, "{count:8}         {reason}");
            }
        }
        text
    }
}

fn audit(options: &Options, file: &Path) -> Total {
    let mut total = Total { files: 1, ..Total::default() };
    let Ok(source) = std::fs::read_to_string(file) else { return total.skip("no text") };
    let Some(passes) = options.passes.clone().or_else(|| passes(&source)) else {
        return total.skip("no RUN line with passes");
    };
    let modules = run(options, file, "verify")
        .and_then(|(before, text)| Ok((before, run(options, &text, &passes)?.0)));
    let (before, after) = match modules {
        Ok(modules) => modules,
        Err(why) => return total.skip(why),
    };
    for function in &before.functions {
        let name = function.name();
        if options.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        total.functions += 1;
        let start = Instant::now();
        let mut checked = check(&before, &after, name, options.effort);
        let excuse = || changes_behaviour(&passes, &before.text());
        if let (true, Some(pass)) = (matches!(checked, Checked::Fails(..)), excuse()) {
            checked = Checked::Unknown(format!("{pass} may change what a function does").into());
        }
        let counts = if checked == Checked::Unchanged {
            *total.verdicts.entry("unchanged").or_default() += 1;
            checked = judge(&before, &before, name, options.effort);
            &mut total.unchanged
        } else {
            &mut total.verdicts
        };
        total.time += start.elapsed();
        let (word, why) = match &checked {
            Checked::Unchanged => ("unchanged", None),
            Checked::Proven => ("proven", None),
            Checked::Tested { .. } => ("tested", None),
            Checked::LeftToCallers => ("left to callers", None),
            Checked::Fails(_, why) => ("fails", Some(why.as_str())),
            Checked::Unknown(why) => {
                *total.reasons.entry(why.to_string()).or_default() += 1;
                ("unknown", Some(&**why))
            }
        };
        *counts.entry(word).or_default() += 1;
        let shown = file.display();
        if options.only.is_some() {
            let texts = [&before, &after].map(|it| it.extract(&[name]).text());
            let [before, after] = texts;
            total.details.push(format!("; before\n{before}\n; after {passes}\n{after}"));
        }
        if let Some(why) = why {
            let why = why.replace('\n', "\n    ");
            total.details.push(format!("{word} {shown} @{name} [{passes}]\n    {why}"));
        }
    }
    total
}

/// The module that `opt` makes of a file, and where its text is.
fn run(options: &Options, file: &Path, passes: &str) -> Result<(Module, PathBuf), String> {
    let io = |error: std::io::Error| error.to_string();
    let key = format!("{:?} {} {passes}", options.opt, file.display());
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    let output = options.cache.join(format!("{hash:016x}.ll"));
    let failed = output.with_extension("failed");
    if failed.exists() {
        return Err("opt fails".into());
    }
    if !output.exists() {
        let scratch = options.cache.join(format!("{hash:016x}.part"));
        let passes = passes.replace("instcombine<no-verify-fixpoint>", "instcombine");
        let passes = passes
            .split(',')
            .map(
                |pass| if pass == "instcombine" { "instcombine<no-verify-fixpoint>" } else { pass },
            )
            .collect::<Vec<_>>()
            .join(",");
        let mut child = Command::new(&options.opt[0])
            .args(&options.opt[1..])
            .arg(format!("-passes={passes}"))
            .arg("-S")
            .arg(file)
            .arg("-o")
            .arg(&scratch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(io)?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(io)? {
                break Some(status);
            }
            if start.elapsed() > Duration::from_secs(20) {
                child.kill().map_err(io)?;
                child.wait().map_err(io)?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        if !status.is_some_and(|status| status.success()) {
            std::fs::write(&failed, "").map_err(io)?;
            return Err("opt fails".into());
        }
        std::fs::rename(&scratch, &output).map_err(io)?;
    }
    let text = std::fs::read_to_string(&output).map_err(io)?;
    let module = Module::parse(&text).map_err(|error| format!("not read: {error}"))?;
    Ok((module, output))
}

/// The passes of the first RUN line that names any.
fn passes(source: &str) -> Option<String> {
    let runs = source.lines().filter(|line| line.contains("RUN:") && line.contains("opt "));
    runs.into_iter().find_map(|line| {
        let rest = ["-passes=", "-p "].iter().find_map(|it| Some(line.split_once(it)?.1))?;
        let passes = match rest.trim_start().chars().next()? {
            quote @ ('"' | '\'') => rest.trim_start()[1..].split(quote).next(),
            _ => rest.split_whitespace().next(),
        }?;
        (!passes.contains("print") && !passes.contains('%')).then(|| passes.to_owned())
    })
}
