//! Coverage of compilers that are WebAssembly modules in npm packages. The instrumented module is made once per package
//! and kept beside it. The host's script gets a prelude, which replaces the module and reads the flags after each request.

mod blocks;
mod instrument;

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Maker, Measure, Start, Unmeasured};
use crate::exec::Order;
use crate::target::Bench;

use instrument::instrument;

/// It is part of the name of an instrumented module: a change of the instrumentation makes new ones.
const REVISION: u32 = 1;

const PRELUDE: &str = include_str!("prelude.js");
const EXTRACT: &str = include_str!("extract.js");

/// The variable with which the prelude is told what to load.
const VARIABLE: &str = "MISTRUST_COVERAGE";

/// Where a package has its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// The folder of the installed version.
    pub(crate) folder: PathBuf,
    /// The file that contains the module, below the folder.
    pub(crate) file: &'static str,
    /// What Node loads so that the module is compiled, below the folder.
    pub(crate) loads: &'static str,
}

/// Measures a compiler that is a WebAssembly module.
#[derive(Debug)]
pub(crate) struct WasmMaker {
    package: Package,
    prepared: OnceLock<Result<Prepared, Unmeasured>>,
}

#[derive(Clone, Debug)]
struct Prepared {
    module: PathBuf,
    facts: Facts,
    measure: Measure,
}

/// What is known of an instrumented module. It is written last, so a module without it is not complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Facts {
    /// The size of the original module, which tells it from others.
    size: u64,
    blocks: u32,
    first: u64,
    pages: u64,
}

impl WasmMaker {
    pub(crate) fn new(package: Package) -> Self {
        Self { package, prepared: OnceLock::new() }
    }

    fn prepared(&self, bench: &Bench) -> Result<&Prepared, Unmeasured> {
        self.prepared.get_or_init(|| self.instrumented(bench)).as_ref().map_err(Clone::clone)
    }

    fn instrumented(&self, bench: &Bench) -> Result<Prepared, Unmeasured> {
        let file = self.package.folder.join(self.package.file);
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |error: io::Error| Unmeasured(format!("{path}: {error}"))
        };
        let digest = blake3::hash(&fs::read(&file).map_err(failed(&file))?);
        let folder = self.package.folder.parent().unwrap_or(&self.package.folder).join(".coverage");
        let name = &digest.to_hex()[..24];
        let module = folder.join(format!("{name}-{REVISION}.wasm"));
        let record = module.with_extension("json");
        let read = || serde_json::from_slice::<Facts>(&fs::read(&record).ok()?).ok();
        let facts = match read() {
            Some(facts) => facts,
            None => {
                let original = self.extracted(bench)?;
                let made = instrument(&original).map_err(Unmeasured::because)?;
                let (size, blocks) = (original.len() as u64, made.blocks);
                let facts = Facts { size, blocks, first: made.first, pages: made.pages };
                fs::create_dir_all(&folder).map_err(failed(&folder))?;
                write(&module, &made.module).map_err(failed(&module))?;
                write(&record, json!(facts).to_string().as_bytes()).map_err(failed(&record))?;
                facts
            }
        };
        has_room(facts.pages, bench)?;
        let [first, second, third, fourth, ..] = *digest.as_bytes();
        let measure = Measure {
            means: "flags in its WebAssembly module",
            blocks: u64::from(facts.blocks),
            is_repeatable: true,
            tag: u32::from_be_bytes([first, second, third, fourth]),
        };
        Ok(Prepared { module, facts, measure })
    }

    /// The module that Node compiles when it loads the package.
    fn extracted(&self, bench: &Bench) -> Result<Vec<u8>, Unmeasured> {
        let scratch = bench.runner.scratch()?;
        let loads = self.package.folder.join(self.package.loads);
        let order = Order::new(["node", "-e", EXTRACT, &loads.display().to_string()])
            .limits(bench.compile.clone());
        let run = bench.runner.run(&order, &scratch)?;
        match fs::read(scratch.path().join("module.wasm")) {
            Ok(module) => Ok(module),
            Err(_) if run.ending.success() => {
                Err(Unmeasured("this version is asm.js, not WebAssembly".to_owned()))
            }
            Err(_) => {
                let said = run.stderr.text();
                let line = said.lines().find(|line| line.contains("Error")).unwrap_or_default();
                Err(Unmeasured(format!("the package cannot be loaded: {line}")))
            }
        }
    }
}

impl Maker for WasmMaker {
    fn prepare(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        Ok(self.prepared(bench)?.measure.clone())
    }

    fn equip(&self, start: &mut Start, bench: &Bench) -> Result<(), Unmeasured> {
        let prepared = self.prepared(bench)?;
        let Facts { size, blocks, first, pages } = &prepared.facts;
        let told = json!({
            "module": prepared.module, "size": size, "blocks": blocks, "first": first, "pages": pages,
        });
        start.env.push((VARIABLE.into(), told.to_string().into()));
        if let Some(script) = start.argv.get_mut(2) {
            *script = [OsStr::new(PRELUDE), OsStr::new("\n"), script].into_iter().collect();
        }
        Ok(())
    }
}

/// The flags are at the end of the address space of the module, which is mapped, but hardly used.
fn has_room(pages: u64, bench: &Bench) -> Result<(), Unmeasured> {
    let script = format!("new WebAssembly.Memory({{ initial: {pages} }})");
    let order = Order::new(["node", "-e", &script]).limits(bench.compile.clone());
    let run = bench.runner.run(&order, &bench.runner.scratch()?)?;
    if run.ending.success() {
        return Ok(());
    }
    let (limit, needed) = (bench.compile.memory >> 20, pages >> 4);
    Err(Unmeasured(format!(
        "its module needs {needed} MB of address space under a memory limit of {limit} MB"
    )))
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    file.persist(path)?;
    Ok(())
}
