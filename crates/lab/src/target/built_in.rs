//! The table of built-in compilers: installed by `toolchain`, found on the machine, or given as a path. A new one
//! is a file in this folder and a row here.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use regex::Regex;

use super::binaryen::BinaryenTarget;
use super::llc::LlcTarget;
use super::opt::OptTarget;
use super::resolc::ResolcTarget;
use super::rustc::{self, RustcTarget, Toolchain};
use super::slither::{self, SlitherTarget};
use super::solc::SolcTarget;
use super::triton::TritonTarget;
use super::vyper::VyperTarget;
use super::{Target, TargetName, Unusable, clang, func, gcc, tcc, tolk, zig};
use crate::toolchain::Installed;

/// A toolchain family, and how to make a target from an installed toolchain.
type Install = (&'static str, fn(&Installed) -> Option<Arc<dyn Target>>);

/// A text that identifies the output of `--version` (empty if none does), and how to make a target from a path.
type At = (&'static str, fn(&Path) -> Result<Arc<dyn Target>, Unusable>);

/// A family of targets.
#[derive(Debug)]
pub struct BuiltIn {
    pub family: &'static str,
    install: Option<Install>,
    /// The compilers found on the machine, the preferred one first.
    machine: fn() -> Vec<Arc<dyn Target>>,
    at: Option<At>,
}

pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        family: "rustc",
        install: Some(("rustc", |it| rustc::from_path(&it.program()).ok().map(of_rust))),
        machine: || rustc::find().into_iter().map(of_rust).collect(),
        at: Some(("rustc ", |path| rustc::from_path(path).map(of_rust))),
    },
    BuiltIn {
        family: "gcc",
        install: Some(("gcc", |it| Some(Arc::new(gcc::at(Some(it.version()), &it.program()))))),
        machine: || {
            on_path("gcc").map(|it| Arc::new(gcc::at(None, &it)) as _).into_iter().collect()
        },
        // Every GNU program names the Free Software Foundation; only compilers say this.
        at: Some(("This is free software; see the source", gcc_at)),
    },
    BuiltIn {
        family: "tcc",
        install: Some(("tcc", |it| Some(Arc::new(tcc::at(Some(it.version()), &it.program()))))),
        machine: || {
            on_path("tcc").map(|it| Arc::new(tcc::at(None, &it)) as _).into_iter().collect()
        },
        at: Some(("tcc version", |path| Ok(Arc::new(tcc::at(None, path))))),
    },
    BuiltIn {
        family: "clang",
        install: Some(("clang", |it| Some(Arc::new(clang::at(Some(it.version()), &it.program()))))),
        machine: || {
            on_path("clang").map(|it| Arc::new(clang::at(None, &it)) as _).into_iter().collect()
        },
        at: Some(("clang version", clang_at)),
    },
    BuiltIn {
        family: "llvm",
        install: Some(("clang", |it| {
            Some(Arc::new(clang::of_ir_at(Some(it.version()), &it.program())))
        })),
        machine: || {
            on_path("clang")
                .map(|it| Arc::new(clang::of_ir_at(None, &it)) as _)
                .into_iter()
                .collect()
        },
        // A clang at a path is used as a C compiler, unless `--as llvm` is given.
        at: Some(("", llvm_at)),
    },
    BuiltIn {
        family: "llc",
        install: Some(("clang", |it| LlcTarget::of(it).map(|it| Arc::new(it) as _))),
        machine: || {
            let llc = on_path("llc").map(|it| Arc::new(LlcTarget::at(None, &it)) as _);
            llc.into_iter().collect()
        },
        at: Some(("Registered Targets", llc_at)),
    },
    BuiltIn {
        family: "opt",
        install: Some(("clang", |it| {
            Some(Arc::new(OptTarget::new(Some(it.version()), it.tool("opt")?)))
        })),
        machine: || {
            let opt = on_path("opt").map(|it| vec![it.display().to_string()]);
            opt.map(|opt| Arc::new(OptTarget::new(None, opt)) as _).into_iter().collect()
        },
        at: Some(("LLVM version", opt_at)),
    },
    BuiltIn {
        family: "triton",
        install: Some(("triton", |it| Some(Arc::new(TritonTarget::of(it))))),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "zig",
        install: Some(("zig", |it| {
            Some(Arc::new(zig::of_python(Some(it.version()), &it.python())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "zig-cc",
        install: Some(("zig", |it| {
            Some(Arc::new(zig::clang_of_python(Some(it.version()), &it.python())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "binaryen",
        install: Some(("binaryen", |it| {
            Some(Arc::new(BinaryenTarget::new(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "tolk",
        install: Some(("tolk", |it| {
            Some(Arc::new(tolk::target(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "func",
        install: Some(("func", |it| {
            Some(Arc::new(func::target(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "solc",
        install: Some(("solc", |it| {
            Some(Arc::new(SolcTarget::new(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "slither",
        install: Some(("slither", |it| {
            let solc = it.siblings().and_then(|all| slither::compiler(&all))?;
            Some(Arc::new(SlitherTarget::new(it.version(), &it.python(), solc.folder())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "yul",
        install: Some(("solc", |it| {
            Some(Arc::new(SolcTarget::yul(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "resolc",
        install: Some(("resolc", |it| {
            Some(Arc::new(ResolcTarget::new(it.version(), it.folder().to_owned())))
        })),
        machine: || vec![],
        at: None,
    },
    BuiltIn {
        family: "vyper",
        install: Some(("vyper", |it| Some(Arc::new(VyperTarget::new(it.version(), it.folder()))))),
        machine: || vec![],
        at: None,
    },
];

fn of_rust(toolchain: Toolchain) -> Arc<dyn Target> {
    Arc::new(RustcTarget::new(toolchain))
}

fn gcc_at(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    Ok(Arc::new(gcc::at(version_at(path).as_deref(), path)))
}

fn clang_at(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    Ok(Arc::new(clang::at(version_at(path).as_deref(), path)))
}

fn llvm_at(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    Ok(Arc::new(clang::of_ir_at(version_at(path).as_deref(), path)))
}

fn opt_at(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    let command = vec![path.display().to_string()];
    Ok(Arc::new(OptTarget::new(version_at(path).as_deref(), command)))
}

fn llc_at(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    Ok(Arc::new(LlcTarget::at(version_at(path).as_deref(), path)))
}

/// The first file of this name in the folders of `PATH`.
fn on_path(command: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(command)).find(|path| path.is_file())
}

impl BuiltIn {
    pub fn named(family: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|it| it.family == family)
    }

    /// The toolchain family that it is installed from.
    pub fn toolchain(&self) -> Option<&'static str> {
        self.install.map(|(toolchain, _)| toolchain)
    }

    /// The toolchain family that it needs besides: to execute what it compiles for other machines, or to parse what it
    /// analyses.
    pub fn companion(&self) -> Option<&'static str> {
        match self.family {
            "llc" => Some(super::llc::EMULATORS),
            "slither" => Some(slither::COMPILER),
            _ => None,
        }
    }

    pub fn target(&self, installed: &Installed) -> Option<Arc<dyn Target>> {
        self.install.and_then(|(_, make)| make(installed))
    }

    /// The compilers found on the machine, the preferred one first.
    pub fn of_machine(&self) -> Vec<Arc<dyn Target>> {
        (self.machine)()
    }

    /// The version of the machine's own compiler, if it is found by name.
    pub fn version_of_machine(&self) -> Option<String> {
        let command = if self.family == "llvm" { "clang" } else { self.family };
        version_at(&on_path(command)?)
    }

    pub fn name(&self, version: &str) -> TargetName {
        TargetName::new(self.family, Some(version))
    }

    /// The compiler at a path, as a target of this family.
    pub fn at(&self, path: &Path) -> Result<Arc<dyn Target>, Unusable> {
        let path = std::path::absolute(path).map_err(|error| Unusable(error.to_string()))?;
        let (_, at) = self.at.ok_or_else(|| {
            Unusable(format!("{} is a package and cannot be given as a path", self.family))
        })?;
        if !path.is_file() {
            return Err(Unusable(format!("{} is not a file", path.display())));
        }
        at(&path)
    }
}

/// The compiler at a path, of the family that its `--version` output shows.
pub fn at_path(path: &Path) -> Result<Arc<dyn Target>, Unusable> {
    // rustc is recognised by `-vV`, which no other compiler supports.
    if let Ok(toolchain) = rustc::from_path(path) {
        return Ok(of_rust(toolchain));
    }
    let shown = path.display();
    let output = Command::new(path)
        .arg("--version")
        .output()
        .map_err(|error| Unusable(format!("{shown} cannot be started: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let matches =
        |it: &&BuiltIn| it.at.is_some_and(|(mark, _)| !mark.is_empty() && text.contains(mark));
    match BUILT_IN.iter().find(matches) {
        Some(built_in) => built_in.at(path),
        None => {
            let families: Vec<&str> =
                BUILT_IN.iter().filter(|it| it.at.is_some()).map(|it| it.family).collect();
            let first = text.lines().next().unwrap_or_default();
            Err(Unusable(format!(
                "{shown} is not recognised (--version prints \"{first}\"): choose its family with --as {}, \
                 or describe it in mistrust.toml",
                families.join("|")
            )))
        }
    }
}

/// The version number in the first line of the `--version` output.
fn version_at(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = Regex::new(r"\b\d+\.\d+(?:\.\d+)?\b").ok()?;
    number.find(&text).map(|it| it.as_str().to_owned())
}
