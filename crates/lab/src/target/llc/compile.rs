//! Starts LLVM's tools: `llc` for a module, its linker for an executable, and the emulator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use forge::{Outcome, Program, Reason};
use llvm::execute::{ARENA, Call, MISSING_FUNCTION, Machine, Plan, prepare};
use llvm::ir::Module;

use super::Parts;
use super::limits::LIMITS;
use super::settings::{self, LEVEL, MACHINE, SELECTOR, SELECTORS, VARIANT, VARIANTS};
use crate::exec::{Ending, ExecError, Limits, Order, Run, Scratch};
use crate::setting::Setting;
use crate::target::failure::{Classifier, signal_name};
use crate::target::opt::{reads_typed_pointers, require_opaque_pointers};
use crate::target::{Bench, ByHand, Demonstration, TargetName, Unusable};

#[derive(Debug)]
pub(super) struct Tools {
    parts: Parts,
    version: Option<u32>,
    pub(super) classifier: Classifier,
    /// The data layout of each triple, as `llc` prints it.
    layouts: Mutex<BTreeMap<&'static str, Arc<str>>>,
    /// The fixed part of executables, compiled, by machine.
    libraries: Mutex<BTreeMap<&'static str, Arc<[u8]>>>,
}

/// Why cases cannot be linked. That is about one of them, and the others are linked without it: the linker was found, and
/// has linked its library before.
fn unlinkable(ending: Ending, said: &str) -> Outcome {
    let why = match (said.lines().next(), ending) {
        (_, Ending::Signalled(signal)) => format!("it is killed by {}", signal_name(signal)),
        (Some(line), _) => line.to_owned(),
        (None, _) => "it says nothing".to_owned(),
    };
    Outcome::Unobserved(Reason::Limit(format!("the linker: {why}")))
}

/// Why a tool did not do its work.
#[derive(Debug)]
pub(super) enum Failed {
    Exec(ExecError),
    Outcome(Outcome),
}

impl From<ExecError> for Failed {
    fn from(error: ExecError) -> Self {
        Self::Exec(error)
    }
}

impl From<Outcome> for Failed {
    fn from(outcome: Outcome) -> Self {
        Self::Outcome(outcome)
    }
}

fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> ExecError {
    move |source| ExecError::Io { doing, source }
}

/// The linker script that says where sections lie.
const PLACES: &str = "places.ld";

/// Sections at their addresses. Each has a segment of its own, which is what `AT` is for: in one with others, the file
/// would be as large as the gaps.
fn places(sections: &[(String, u64)]) -> String {
    let arena = (ARENA.0.to_owned(), ARENA.1);
    let mut script = "SECTIONS {\n".to_owned();
    for (section, address) in [arena].iter().chain(sections) {
        let place = format!("  {section} {address:#x} : AT({address:#x}) {{ *({section}) }}\n");
        script.push_str(&place);
    }
    script + "} INSERT AFTER .text;\n"
}

impl Tools {
    pub(super) fn new(parts: Parts, version: Option<u32>) -> Self {
        let limits: Vec<String> = LIMITS.iter().map(|&it| it.to_owned()).collect();
        let classifier = Classifier::new(&[], &limits).unwrap_or_default();
        Self { parts, version, classifier, layouts: Mutex::default(), libraries: Mutex::default() }
    }

    /// The options that choose a machine.
    fn machine_options(setting: &Setting) -> Vec<String> {
        let name = setting.value(MACHINE).unwrap_or_default();
        let mut options = vec![];
        if let Some(triple) = settings::triple(name) {
            options.push(format!("-mtriple={triple}"));
        }
        let variant = setting.value(VARIANT);
        let variant =
            VARIANTS.iter().find(|(machine, it, _)| *machine == name && Some(*it) == variant);
        if let Some(machine) = Machine::named(name) {
            let has_features = variant.is_some_and(|(.., option)| option.starts_with("-mattr"));
            if !machine.features.is_empty() && !has_features {
                options.push(format!("-mattr={}", machine.features));
            }
            options.extend(machine.abi.map(|abi| format!("-target-abi={abi}")));
        }
        options.extend(variant.map(|(.., option)| (*option).to_owned()));
        options
    }

    /// The line that compiles a file.
    fn line(&self, setting: &Setting, input: &str, output: &str, kind: &str) -> Vec<String> {
        let mut line = self.parts.llc.clone();
        line.extend(Self::machine_options(setting));
        line.push(format!("-O{}", setting.value(LEVEL).unwrap_or("2")));
        let selector = SELECTORS.iter().find(|(it, _)| Some(*it) == setting.value(SELECTOR));
        line.extend(
            selector.iter().flat_map(|(_, options)| options.iter()).map(|&it| it.to_owned()),
        );
        line.push("-relocation-model=static".to_owned());
        if self.version.is_some_and(reads_typed_pointers) {
            line.push("-opaque-pointers".to_owned());
        }
        line.extend(setting.extra.iter().cloned());
        line.extend([kind, input, "-o", output].map(str::to_owned));
        line
    }

    /// The data layout that the code generator uses, whatever a module says.
    pub(super) fn layout(&self, setting: &Setting, bench: &Bench) -> Result<Arc<str>, Failed> {
        let name = setting.value(MACHINE).unwrap_or_default();
        let Some(triple) = settings::triple(name) else {
            return Err(Outcome::unobserved(format!("there is no machine {name}")).into());
        };
        if let Some(layout) = self.layouts().get(triple) {
            return Ok(layout.clone());
        }
        let scratch = bench.runner.scratch()?;
        let text = format!("target triple = \"{triple}\"\ndefine void @f() {{\n  ret void\n}}\n");
        scratch.write("in.ll", text).map_err(io("write a module"))?;
        let mut line = self.parts.llc.clone();
        line.extend(Self::machine_options(setting));
        line.extend(["-stop-after=finalize-isel", "in.ll", "-o", "out.mir"].map(str::to_owned));
        let run = bench.runner.run(&Order::new(line).limits(bench.compile.clone()), &scratch)?;
        let printed = std::fs::read_to_string(scratch.path().join("out.mir")).unwrap_or_default();
        let layout = printed
            .lines()
            .find_map(|line| line.trim().strip_prefix("target datalayout = \"")?.strip_suffix('"'));
        let Some(layout) = layout else {
            let why = run.stderr.text();
            let why = why.lines().next().unwrap_or("it prints no data layout");
            let why = format!("llc does not know {triple}: {why}");
            return Err(Outcome::Unobserved(Reason::Lacks(why)).into());
        };
        let layout: Arc<str> = layout.into();
        self.layouts().insert(triple, layout.clone());
        Ok(layout)
    }

    fn layouts(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, Arc<str>>> {
        self.layouts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compiles `in.ll` to `out.o`.
    pub(super) fn compile(
        &self,
        text: &str,
        setting: &Setting,
        limits: &Limits,
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<(), Failed> {
        scratch.write("in.ll", text).map_err(io("write a module"))?;
        // Only objects are linked.
        let kind =
            if Self::executed(setting).is_some() { "-filetype=obj" } else { "-filetype=asm" };
        let line = self.line(setting, "in.ll", "out.o", kind);
        let run = bench.runner.run(&Order::new(line).limits(limits.clone()), scratch)?;
        match self.failure(&run, limits) {
            Some(outcome) => Err(outcome.into()),
            None if !scratch.path().join("out.o").exists() => Err(Outcome::NoArtifact.into()),
            None => Ok(()),
        }
    }

    /// What `llc` rejects is not valid IR, or needs what a machine does not have: neither says anything about
    /// the compiler.
    fn failure(&self, run: &Run, limits: &Limits) -> Option<Outcome> {
        let outcome = self.classifier.compile_failure(run, limits)?;
        Some(match outcome.rejection() {
            Some(message) => Outcome::Unobserved(Reason::Lacks(message.to_owned())),
            None => outcome,
        })
    }

    /// The machine that functions are executed on under a setting.
    pub(super) fn executed(setting: &Setting) -> Option<&'static Machine> {
        Machine::named(setting.value(MACHINE)?)
    }

    /// The words before an executable that start it, or why it cannot be started.
    pub(super) fn starter(&self, setting: &Setting) -> Result<Vec<String>, String> {
        let Some(machine) = Self::executed(setting) else {
            return Err("compiled only: there is no emulator for it".to_owned());
        };
        if self.parts.linker.is_none() {
            return Err("compiled only: LLVM's linker is not beside llc".to_owned());
        }
        if self.version.is_some_and(|version| version < machine.linked_since) {
            return Err(format!("compiled only: this linker does not know {}", machine.name));
        }
        let is_own = Machine::own() == Some(machine) && setting.value(VARIANT).is_none();
        if is_own {
            return Ok(vec![]);
        }
        let name = format!("qemu-{}", machine.name);
        let emulators = self.parts.emulators.as_ref();
        match emulators.and_then(|it| it.static_tool(&name)) {
            Some(path) => {
                let processor = machine.processor.to_owned();
                Ok(vec![path.display().to_string(), "-cpu".to_owned(), processor])
            }
            None => Err(format!(
                "compiled only: {name} is not installed (mistrust toolchain add {})",
                super::EMULATORS
            )),
        }
    }

    /// The fixed part of an executable, compiled without optimisation once per machine.
    fn library(&self, machine: &'static Machine, bench: &Bench) -> Result<Arc<[u8]>, Failed> {
        let libraries = || self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = libraries().get(machine.name) {
            return Ok(library.clone());
        }
        let scratch = bench.runner.scratch()?;
        let plain = settings::plain(machine.name);
        self.compile(&machine.library(), &plain, &bench.compile, bench, &scratch)?;
        let bytes = std::fs::read(scratch.path().join("out.o")).map_err(io("read a library"))?;
        let library: Arc<[u8]> = bytes.into();
        libraries().insert(machine.name, library.clone());
        Ok(library)
    }

    /// The words of the linker.
    fn linker(&self, object: &str) -> Option<Vec<String>> {
        let mut line = self.parts.linker.clone()?;
        let words = ["-static", "--error-limit=0", "--no-demangle", "--no-relax", "-T", PLACES];
        line.extend(words.map(str::to_owned));
        // The usual one of PowerPC is where arguments point to.
        line.push("--image-base=0x400000".to_owned());
        line.extend(["-o", "case", "library.o", object].map(str::to_owned));
        Some(line)
    }

    /// Links `out.o` to `case`. Functions that neither it nor the library has become one that ends the program.
    pub(super) fn link(
        &self,
        setting: &Setting,
        sections: &[(String, u64)],
        bench: &Bench,
        scratch: &Scratch,
    ) -> Result<(), Failed> {
        let (Some(machine), Some(line)) = (Self::executed(setting), self.linker("out.o")) else {
            return Err(Outcome::unobserved("nothing to link").into());
        };
        let library = self.library(machine, bench)?;
        scratch.write("library.o", &library).map_err(io("write a library"))?;
        scratch.write(PLACES, places(sections)).map_err(io("write a linker script"))?;
        let mut missing: Vec<String> = vec![];
        for _ in 0..2 {
            let defined = missing.iter().map(|it| format!("--defsym={it}={MISSING_FUNCTION}"));
            let line: Vec<String> = line.iter().cloned().chain(defined).collect();
            let order = Order::new(line).limits(bench.compile.clone());
            let run = bench.runner.run(&order, scratch)?;
            if run.ending.success() {
                return Ok(());
            }
            let said = run.stderr.text();
            let names = said.lines().filter_map(|line| {
                line.split_once("undefined symbol: ").map(|(_, name)| name.trim().to_owned())
            });
            let names: Vec<String> = names.collect();
            if names.is_empty() || !missing.is_empty() {
                return Err(unlinkable(run.ending, &said).into());
            }
            missing = names;
            missing.sort_unstable();
            missing.dedup();
        }
        Err(unlinkable(Ending::Exited(1), "ever more functions are missing").into())
    }

    pub(super) fn by_hand(&self, program: &Program, setting: &Setting) -> ByHand {
        let out = format!("{}.s", program.name);
        let compile = self.line(setting, &program.file_name(), &out, "-filetype=asm");
        ByHand::Steps { compile, run: Some(vec!["cat".to_owned(), out]) }
    }

    /// The executable with the call that went wrong. `None` before `llc` was asked for the data layout of the machine.
    pub(super) fn demonstration(
        &self,
        program: &Program,
        setting: &Setting,
        wrong: &str,
    ) -> Option<Demonstration> {
        let machine = Self::executed(setting)?;
        let start = self.starter(setting).ok()?;
        let layout = self.layouts().get(machine.triple)?.clone();
        let module = prepare(&Module::parse(&program.source).ok()?, machine.triple, &layout, true);
        let is_it = |call: &Call| {
            wrong.contains(&format!("with {}\nsource: {}\n", call.input, call.answer))
        };
        let plan = Plan::demonstration(&module, machine, &is_it)?;
        let call = plan.calls.first()?;
        let object = |setting: &Setting, name: &str| {
            self.line(setting, &format!("{name}.ll"), &format!("{name}.o"), "-filetype=obj")
        };
        let mut linker = self.linker("case.o")?;
        // What it needs is not reached.
        linker.push("--unresolved-symbols=ignore-all".to_owned());
        Some(Demonstration {
            build: vec![
                object(setting, "case"),
                object(&settings::plain(machine.name), "library"),
                linker,
            ],
            run: start.into_iter().chain(["./case".to_owned()]).collect(),
            stdin: plan.start(0),
            input: call.input.clone(),
            answer: call.answer.clone(),
            expected: call.expected(),
            files: vec![
                ("case.ll".to_owned(), plan.text),
                ("library.ll".to_owned(), machine.library()),
                (PLACES.to_owned(), places(&plan.sections)),
            ],
        })
    }

    /// What `llc` prints about a program under a setting. The program is prepared as for a run.
    pub(super) fn printed(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
    ) -> Option<String> {
        let scratch = bench.runner.scratch().ok()?;
        let layout = self.layout(setting, bench).ok()?;
        let triple = settings::triple(setting.value(MACHINE)?)?;
        let is_executed = Self::executed(setting).is_some();
        let module = prepare(&Module::parse(&program.source).ok()?, triple, &layout, is_executed);
        scratch.write("in.ll", module.text()).ok()?;
        let line = self.line(setting, "in.ll", "out.s", "-filetype=asm");
        let run =
            bench.runner.run(&Order::new(line).limits(bench.compile.clone()), &scratch).ok()?;
        Some(run.stderr.text())
    }

    pub(super) fn probe(&self, name: &TargetName, bench: &Bench) -> Result<String, Unusable> {
        require_opaque_pointers(name, self.version)?;
        let unusable = |error: ExecError| Unusable(format!("target `{name}`: {error}"));
        let scratch = bench.runner.scratch().map_err(unusable)?;
        let line = self.parts.llc.iter().cloned().chain(["--version".to_owned()]);
        let order = Order::new(line).limits(bench.compile.clone());
        let run = bench.runner.run(&order, &scratch).map_err(unusable)?;
        let text = run.stdout.text().trim().to_owned();
        if !run.ending.success() || !text.contains("Registered Targets") {
            let why = run.stderr.text();
            let why = why.lines().next().unwrap_or("it lists no targets");
            let llc = self.parts.llc.join(" ");
            return Err(Unusable(format!("target `{name}`: {llc} is no llc: {why}")));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_of_the_linker_is_about_one_case_and_no_fault_of_the_environment() {
        let outcome = unlinkable(Ending::Signalled(11), "PLEASE submit a bug report\n");
        let expected = "the linker: it is killed by SIGSEGV".to_owned();
        assert_eq!(outcome, Outcome::Unobserved(Reason::Limit(expected)));
        let outcome = unlinkable(Ending::Exited(1), "ld.lld: error: relocation out of range\n");
        let expected = "the linker: ld.lld: error: relocation out of range".to_owned();
        assert_eq!(outcome, Outcome::Unobserved(Reason::Limit(expected)));
    }
}
