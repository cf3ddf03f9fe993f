//! The compilers that Mistrust knows how to call, besides rustc: those that `toolchain` installs, and those
//! of the machine itself. A new one is a file in this folder, and a row here.

use std::path::Path;
use std::sync::Arc;

use super::binaryen::BinaryenTarget;
use super::resolc::ResolcTarget;
use super::solc::SolcTarget;
use super::vyper::VyperTarget;
use super::{Target, TargetName, clang, func, gcc, tolk, zig};
use crate::toolchain::Installed;

/// The command of a compiler that a machine may have, and the target that is at its path.
type OfMachine = (&'static str, fn(&Path) -> Arc<dyn Target>);

/// A family of targets.
#[derive(Debug)]
pub struct BuiltIn {
    pub family: &'static str,
    /// The family of toolchains that it is called through.
    pub toolchain: &'static str,
    make: fn(&Installed) -> Arc<dyn Target>,
    /// The one that the machine has anyway, by its command.
    machine: Option<OfMachine>,
}

pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        family: "gcc",
        toolchain: "gcc",
        make: |it| Arc::new(gcc::at(version(it), &it.program())),
        machine: Some(("gcc", |path| Arc::new(gcc::at(None, path)))),
    },
    BuiltIn {
        family: "clang",
        toolchain: "clang",
        make: |it| Arc::new(clang::at(version(it), &it.program())),
        machine: Some(("clang", |path| Arc::new(clang::at(None, path)))),
    },
    BuiltIn {
        family: "llvm",
        toolchain: "clang",
        make: |it| Arc::new(clang::of_ir_at(version(it), &it.program())),
        machine: Some(("clang", |path| Arc::new(clang::of_ir_at(None, path)))),
    },
    BuiltIn {
        family: "zig",
        toolchain: "zig",
        make: |it| Arc::new(zig::of_python(version(it), &it.python())),
        machine: None,
    },
    BuiltIn {
        family: "zig-cc",
        toolchain: "zig",
        make: |it| Arc::new(zig::clang_of_python(version(it), &it.python())),
        machine: None,
    },
    BuiltIn {
        family: "binaryen",
        toolchain: "binaryen",
        make: |it| Arc::new(BinaryenTarget::new(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "tolk",
        toolchain: "tolk",
        make: |it| Arc::new(tolk::target(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "func",
        toolchain: "func",
        make: |it| Arc::new(func::target(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "solc",
        toolchain: "solc",
        make: |it| Arc::new(SolcTarget::new(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "yul",
        toolchain: "solc",
        make: |it| Arc::new(SolcTarget::yul(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "resolc",
        toolchain: "resolc",
        make: |it| Arc::new(ResolcTarget::new(it.version(), it.folder().to_owned())),
        machine: None,
    },
    BuiltIn {
        family: "vyper",
        toolchain: "vyper",
        make: |it| Arc::new(VyperTarget::new(it.version(), it.folder())),
        machine: None,
    },
];

fn version(installed: &Installed) -> Option<String> {
    Some(installed.version().to_owned())
}

impl BuiltIn {
    pub fn named(family: &str) -> Option<&'static Self> {
        BUILT_IN.iter().find(|it| it.family == family)
    }

    pub fn target(&self, installed: &Installed) -> Arc<dyn Target> {
        (self.make)(installed)
    }

    /// The compiler of the machine, if it has one.
    pub fn of_machine(&self) -> Option<Arc<dyn Target>> {
        let (command, make) = self.machine?;
        let folders = std::env::var_os("PATH")?;
        let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(command));
        paths.find(|path| path.is_file()).map(|path| make(&path))
    }

    pub fn name(&self, version: &str) -> TargetName {
        TargetName { family: self.family.to_owned(), version: Some(version.to_owned()) }
    }
}
