//! Coverage of native compilers as they are shipped, by one-shot breakpoints: nothing is rebuilt, and a block that was
//! reached once runs at full speed from then on. `blocks.rs` finds the blocks, `armed.rs` has the private copy with the
//! breakpoints, `preload.c` handles them inside of the compiler, `command.rs` has the way a compiler is started.
//!
//! A block is reported once per [`Coverage`](super::Coverage), for the program that reached it first.

mod armed;
mod blocks;
mod command;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::{Coverage, Maker, Measure, Start, Unmeasured};
use crate::exec::{Order, Scratch};
use crate::target::Bench;

use armed::{Armed, HITS, Module};
use blocks::{Image, NoBlocks};
use command::Command;

const PRELOAD: &str = include_str!("preload.c");

/// The program between GCC's driver and `cc1`: a shell would take longer than the rest of the measurement.
const WRAPPER: &str = include_str!("wrapper.c");

/// How both are compiled. They need no C library, so the first can be loaded beside any.
const CC: &[&str] = &["cc", "-O2", "-nostdlib", "-fno-builtin", "-fno-stack-protector"];

/// A library with less code than that is no part of a compiler.
const LARGE: usize = 100_000;

/// What a compiler consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts {
    /// An executable, and the libraries that it loads.
    Whole(PathBuf),
    /// GCC's driver, which starts `cc1`.
    Gcc(PathBuf),
    /// rustc, which derives its sysroot from the place of its library.
    Rustc(PathBuf),
}

/// An armed compiler, or why there is none.
type Prepared = Result<Arc<Ready>, Unmeasured>;

/// Measures a native compiler.
#[derive(Debug)]
pub(crate) struct NativeMaker {
    parts: Parts,
    found: OnceLock<Result<Found, Unmeasured>>,
    prepared: Mutex<Vec<(Weak<Coverage>, Prepared)>>,
}

/// The blocks of a compiler.
#[derive(Debug)]
struct Found {
    command: Command,
    modules: Vec<Module>,
    /// Whether one of the modules is the executable itself.
    has_executable: bool,
    sysroot: Option<String>,
    measure: Measure,
}

/// An armed compiler, and how it is started.
#[derive(Debug)]
struct Ready {
    armed: Armed,
    /// They replace the first word of a command line.
    words: Vec<String>,
    env: Vec<(String, String)>,
}

impl NativeMaker {
    pub(crate) fn new(parts: Parts) -> Self {
        Self { parts, found: OnceLock::new(), prepared: Mutex::default() }
    }

    fn find(&self, bench: &Bench) -> Result<Found, Unmeasured> {
        let ask = |words: &[&str]| -> Result<String, Unmeasured> {
            let order = Order::new(words).limits(bench.compile.clone());
            let run = bench.runner.run(&order, &bench.runner.scratch()?)?;
            Ok(run.stdout.text().trim().to_owned())
        };
        let (executable, sysroot) = match &self.parts {
            Parts::Whole(path) => (path.clone(), None),
            Parts::Gcc(path) => {
                let cc1 = ask(&[&path.display().to_string(), "-print-prog-name=cc1"])?;
                (PathBuf::from(cc1), None)
            }
            Parts::Rustc(path) => {
                let sysroot = ask(&[&path.display().to_string(), "--print=sysroot"])?;
                (path.clone(), Some(sysroot))
            }
        };
        let command = Command::of(&executable)?;
        let mut modules: Vec<Module> = vec![];
        for library in command.libraries(bench)? {
            // A library that cannot be read is left alone.
            if let Ok(Some(module)) = module(&library, LARGE, &modules) {
                modules.push(module);
            }
        }
        // A driver of large libraries is small, and may look for its files beside its executable.
        let has_executable = modules.is_empty();
        if has_executable {
            let own = module(&command.executable, 1, &modules).map_err(Unmeasured::because)?;
            modules.extend(own);
        }
        let mut hasher = blake3::Hasher::new();
        for start in modules.iter().flat_map(|module| &module.starts) {
            hasher.update(&start.to_le_bytes());
        }
        let digest = hasher.finalize();
        let [first, second, third, fourth, ..] = *digest.as_bytes();
        let measure = Measure {
            means: "one-shot breakpoints in its machine code",
            blocks: modules.iter().map(|it| it.starts.len() as u64).sum(),
            is_repeatable: false,
            tag: u32::from_be_bytes([first, second, third, fourth]),
        };
        if measure.blocks == 0 {
            return Err(Unmeasured::because(NoBlocks::NoUnwindTables));
        }
        Ok(Found { command, modules, has_executable, sysroot, measure })
    }

    fn found(&self, bench: &Bench) -> Result<&Found, Unmeasured> {
        self.found.get_or_init(|| self.find(bench)).as_ref().map_err(Clone::clone)
    }

    /// The compiler that is armed for the coverage of the bench.
    fn ready(&self, bench: &Bench) -> Result<Arc<Ready>, Unmeasured> {
        let found = self.found(bench)?;
        let Some(coverage) = &bench.coverage else {
            return Err(Unmeasured("nobody asked for it".to_owned()));
        };
        let mut armed = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        armed.retain(|(of, _)| of.strong_count() > 0);
        let is_this = |of: &Weak<Coverage>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(coverage));
        if let Some((_, ready)) = armed.iter().find(|(of, _)| is_this(of)) {
            return ready.clone();
        }
        let ready = self.arm(found, coverage, bench).map(Arc::new);
        let ready = ready.and_then(|ready| self.tried(found, ready, bench));
        armed.push((Arc::downgrade(coverage), ready.clone()));
        ready
    }

    fn arm(&self, found: &Found, coverage: &Coverage, bench: &Bench) -> Result<Ready, Unmeasured> {
        let folder = bench.runner.scratch()?;
        let preload = preload(&folder, bench)?;
        let known = coverage.since(found.measure.tag, 0);
        let armed = Armed::new(&found.modules, &known, folder)?;
        let files =
            found.modules.iter().flat_map(|module| [armed.copy(module), module.path.clone()]);
        let told = files.map(|path| path.display().to_string());
        let told: Vec<String> = std::iter::once(HITS.to_owned()).chain(told).collect();
        let env = [
            ("LD_PRELOAD", preload),
            ("LD_LIBRARY_PATH", armed.folder().display().to_string()),
            ("MISTRUST_COVERAGE", told.join(":")),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let mut words = found.command.armed(armed.folder(), found.has_executable)?;
        match &self.parts {
            Parts::Whole(_) => {}
            Parts::Rustc(_) => {
                words.extend(found.sysroot.iter().map(|sysroot| format!("--sysroot={sysroot}")));
            }
            Parts::Gcc(driver) => {
                let wrapper = wrapper(armed.scratch(), &words, bench)?;
                let driver = driver.display().to_string();
                words = vec![driver, "-wrapper".to_owned(), wrapper];
            }
        }
        Ok(Ready { armed, words, env })
    }

    /// Starts the armed compiler once: the system may forbid what it needs. What it reaches belongs to no program.
    fn tried(
        &self,
        found: &Found,
        ready: Arc<Ready>,
        bench: &Bench,
    ) -> Result<Arc<Ready>, Unmeasured> {
        let scratch = bench.runner.scratch()?;
        scratch.write("empty.c", "").map_err(Unmeasured::because)?;
        let line: &[&str] = match self.parts {
            Parts::Whole(_) => &["", "--version"],
            Parts::Rustc(_) => &["", "-vV"],
            Parts::Gcc(_) => &["", "-c", "-o", "empty.o", "empty.c"],
        };
        let mut start = Start::of(line.iter().map(Into::into).collect(), Some(scratch.path()));
        ready.equip(&mut start).map_err(Unmeasured::because)?;
        let run = bench.runner.run(&start.order(bench), &scratch)?;
        let hit =
            ready.armed.harvest(&found.modules, scratch.path()).map_err(Unmeasured::because)?;
        if hit.is_empty() {
            let said = run.stderr.text();
            let line = said.lines().next().unwrap_or("nothing was said");
            return Err(Unmeasured(format!(
                "the system does not let it run with breakpoints ({:?}: {line})",
                run.ending
            )));
        }
        Ok(ready)
    }
}

impl Ready {
    fn equip(&self, start: &mut Start) -> std::io::Result<()> {
        if let Some(scratch) = &start.scratch {
            Armed::listen(scratch)?;
        }
        start.argv.splice(..1, self.words.iter().map(Into::into));
        start.env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        start.is_steady = true;
        Ok(())
    }
}

impl Maker for NativeMaker {
    fn prepare(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(Unmeasured("breakpoints need Linux on x86-64".to_owned()));
        }
        self.ready(bench)?;
        Ok(self.found(bench)?.measure.clone())
    }

    fn equip(&self, start: &mut Start, bench: &Bench) -> Result<(), Unmeasured> {
        self.ready(bench)?.equip(start).map_err(Unmeasured::because)
    }

    fn reached(&self, scratch: &Path, bench: &Bench) -> Vec<u32> {
        let (Ok(found), Ok(ready)) = (self.found(bench), self.ready(bench)) else { return vec![] };
        ready.armed.harvest(&found.modules, scratch).unwrap_or_default()
    }
}

/// The blocks of a file, if they are enough and it can be told to the preloaded library.
fn module(path: &Path, least: usize, others: &[Module]) -> Result<Option<Module>, NoBlocks> {
    let Ok(bytes) = fs::read(path) else { return Ok(None) };
    let starts = Image::of(&bytes)?.starts;
    if starts.len() < least || path.display().to_string().contains(':') {
        return Ok(None);
    }
    let first = others.iter().map(|it| it.starts.len() as u32).sum();
    Ok(Some(Module { path: path.to_owned(), starts, first }))
}

/// Compiles the library that is preloaded.
fn preload(folder: &Scratch, bench: &Bench) -> Result<String, Unmeasured> {
    let options = ["-shared", "-fPIC", "-Wl,-z,initfirst"];
    compiled("preload.so", "preload.c", PRELOAD, &options, folder, bench)
}

/// Compiles the program that GCC's driver starts instead of others.
fn wrapper(folder: &Scratch, words: &[String], bench: &Bench) -> Result<String, Unmeasured> {
    let text = |word: &String| format!("\"{}\", ", word.replace('\\', "\\\\").replace('"', "\\\""));
    let words: String = words.iter().map(text).collect();
    let table = format!("static const char *const words[] = {{{words}0}};\n");
    folder.write("words.h", table).map_err(Unmeasured::because)?;
    compiled("wrapper", "wrapper.c", WRAPPER, &["-static"], folder, bench)
}

/// Compiles a file that needs no C library, and returns the path of what was made.
fn compiled(
    name: &str,
    file: &str,
    source: &str,
    options: &[&str],
    folder: &Scratch,
    bench: &Bench,
) -> Result<String, Unmeasured> {
    folder.write(file, source).map_err(Unmeasured::because)?;
    let files = ["-o", name, file];
    let line = CC.iter().chain(options).chain(&files);
    match bench.runner.run(&Order::new(line).limits(bench.compile.clone()), folder) {
        Ok(run) if run.ending.success() => Ok(folder.path().join(name).display().to_string()),
        Ok(run) => {
            let said = run.stderr.text();
            let line = said.lines().find(|line| line.contains("error")).unwrap_or(&said);
            Err(Unmeasured(format!("cc cannot compile the handler of breakpoints: {line}")))
        }
        Err(error) => Err(Unmeasured(format!("it needs a C compiler named cc: {error}"))),
    }
}
