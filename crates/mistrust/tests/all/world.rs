//! The environment of a test: its own folder, the fake compiler, and functions to run the binary in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// The fake compiler, built once for each run of the tests.
pub(crate) fn toyc() -> &'static Path {
    static TOYC: OnceLock<PathBuf> = OnceLock::new();
    TOYC.get_or_init(|| {
        // Built into the folder of our binary, for any profile and target folder.
        let profile = Path::new(env!("CARGO_BIN_EXE_mistrust")).parent().expect("a folder");
        let name = profile.file_name().expect("a name").to_string_lossy();
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--workspace", "--example", "toyc"])
            .args(["--profile", if name == "debug" { "dev" } else { &name }])
            .arg("--target-dir")
            .arg(profile.parent().expect("a folder"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo starts");
        assert!(status.success(), "the fake compiler does not build");
        profile.join("examples/toyc")
    })
}

pub(crate) struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder for the test") }
    }

    /// A world whose target `toyc` is the fake compiler with these arguments, such as planted bugs.
    pub(crate) fn with_toyc(arguments: &[&str]) -> Self {
        let world = Self::new();
        world.write("mistrust.toml", &target("toyc", arguments));
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the test's folder is writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mistrust"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("RUST_BACKTRACE");
        for (name, _) in std::env::vars() {
            if name.starts_with("MISTRUST_") {
                command.env_remove(name);
            }
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().expect("mistrust starts"))
    }

    /// Waits for a condition. The time limit turns a hang into a failure.
    #[track_caller]
    pub(crate) fn wait_for(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = std::time::Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < std::time::Duration::from_secs(60), "no {what} in time");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Every finding of the default output folder, as complete JSON.
    pub(crate) fn findings(&self) -> Vec<Value> {
        self.findings_in("mistrust-out")
    }

    pub(crate) fn findings_in(&self, out: &str) -> Vec<Value> {
        let list = self.run(&["findings", "--format", "json", "--out", out]).json();
        let ids = list.as_array().expect("a list").iter();
        ids.map(|brief| {
            let id = brief["id"].as_str().expect("an id");
            self.run(&["findings", "show", id, "--format", "json", "--out", out]).json()
        })
        .collect()
    }

    /// Checks that no started process and no scratch directory is left.
    pub(crate) fn assert_nothing_is_left(&self) {
        let scratch = self.path("mistrust-out/scratch");
        if let Ok(entries) = std::fs::read_dir(&scratch) {
            let left: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            assert!(left.is_empty(), "left in scratch: {left:?}");
        }
        let left = self.processes();
        assert!(left.is_empty(), "still running: {left:?}");
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.processes().is_empty()
    }

    fn processes(&self) -> Vec<String> {
        processes_of(&self.folder.path().to_string_lossy())
    }
}

/// Processes whose working directory is in a folder or whose environment contains its path.
fn processes_of(folder: &str) -> Vec<String> {
    let mut left = vec![];
    for entry in std::fs::read_dir("/proc").expect("/proc").filter_map(Result::ok) {
        let path = entry.path();
        let read = |name: &str| {
            let bytes = std::fs::read(path.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let is_process = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
        let works_there = || {
            let cwd = std::fs::read_link(path.join("cwd")).unwrap_or_default();
            cwd.to_string_lossy().starts_with(folder)
        };
        if is_process && (works_there() || read("environ").contains(folder)) {
            left.push(format!("{} {}", entry.file_name().display(), read("cmdline")));
        }
    }
    left
}

/// The description of the fake compiler as a target, including its passes.
pub(crate) fn target(name: &str, arguments: &[&str]) -> String {
    let arguments: String = arguments.iter().map(|argument| format!("{argument:?}, ")).collect();
    format!(
        "[target.{name:?}]\nlanguage = \"toy\"\n\
         compile = [{:?}, {arguments} \"-O{{opt}}\", \"-o\", \"{{out}}\", \"{{in}}\"]\n\
         run = [\"{{out}}\"]\nsettings = {{ opt = [\"0\", \"1\", \"2\"] }}\n\
         passes = {{ limit = [\"--pass-limit\", \"{{n}}\"], pattern = 'pass \\d+: (?<pass>\\w+)' }}\n",
        toyc()
    )
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Self {
        let found = self.stderr.contains(part) || self.stdout.contains(part);
        assert!(found, "no {part:?} in\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {}\n{}", self.stdout, self.stderr))
    }
}

/// The parts of findings that must be equal in two equivalent hunts: id, signature, sightings, reduced programs and
/// culprits.
pub(crate) fn essence(findings: &[Value]) -> Vec<Value> {
    let mut essence: Vec<Value> = findings
        .iter()
        .map(|finding| {
            serde_json::json!({
                "id": finding["id"],
                "signature": finding["signature"],
                "sighted_by": finding["sighted_by"],
                "origin": finding["original"]["case"]["origin"],
                "reduced": finding["reduced"]["case"]["programs"],
                "culprits": finding["culprits"],
                "progress": finding["progress"],
            })
        })
        .collect();
    essence.sort_by_key(|finding| finding["id"].as_str().map(str::to_owned));
    essence
}
