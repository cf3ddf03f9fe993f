//! Installs real toolchains with the package managers of this machine. Tests are skipped if the machine lacks a
//! package manager or the network; failures of package managers are tested in `mistrust` with a fake npm.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

mod installed;

use std::path::Path;
use std::process::Command;

use installed::{toolchain, toolchains, unless_lacking};
use lab::toolchain::ToolchainError;

/// The output of a program, which has to succeed.
fn printed(program: impl AsRef<Path>, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program.as_ref())
        .args(arguments)
        .current_dir(folder)
        .env("NODE_PATH", folder.join("node_modules"))
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_compiler_from_npm_is_installed_once_and_runs() {
    let Some(binaryen) = toolchain("binaryen", "98.0.0") else { return };
    assert_eq!(binaryen.manifest().packages, ["binaryen@98.0.0"]);
    assert!(binaryen.is_intact().unwrap());
    let script = "const module = require('binaryen').parseText('(module)'); \
                  console.log(module.validate())";
    assert_eq!(printed("node", &["-e", script], binaryen.folder()), "1");
    // Now it is available offline, and recorded in the lock file.
    let again = toolchains().ensure("binaryen", "98.0.0", true, &|_| panic!("it is installed"));
    assert_eq!(again.unwrap(), binaryen);
    assert!(toolchains().installed("binaryen").contains(&"98.0.0".to_owned()));
    let recorded = toolchains().recorded_checksum("binaryen", "98.0.0");
    assert_eq!(recorded.as_ref(), Some(&binaryen.manifest().checksum));
}

#[test]
fn a_compiler_from_pypi_is_installed_into_a_virtual_environment_and_runs() {
    let Some(vyper) = toolchain("vyper", "0.4.3") else { return };
    assert!(vyper.manifest().packages.contains(&"vyper@0.4.3".to_owned()));
    let script = "import vyper; print(vyper.__version__)";
    assert_eq!(printed(vyper.python(), &["-c", script], vyper.folder()), "0.4.3");
    assert!(vyper.is_intact().unwrap(), "using it does not change it");
}

/// It needs Python before 3.10, and Vyper's coverage one from 3.12 on: no machine has both.
#[test]
fn versions_from_pypi_get_the_python_that_they_need() {
    let script = "import sys, vyper; print(vyper.__version__, sys.version_info >= (3, 12))";
    for (version, has_monitoring) in [("0.2.16", "False"), ("0.4.3", "True")] {
        let Some(vyper) = toolchain("vyper", version) else { return };
        let printed = printed(vyper.python(), &["-W", "ignore", "-c", script], vyper.folder());
        let host = &vyper.manifest().host;
        assert_eq!(printed, format!("{version} {has_monitoring}"), "installed for {host}");
        assert!(vyper.is_intact().unwrap(), "using it does not change it");
    }
}

#[test]
fn versions_are_sorted_and_an_unknown_one_is_reported_with_the_nearest() {
    let Some(versions) = unless_lacking(toolchains().available("solc")) else { return };
    let place = |version: &str| versions.iter().position(|other| other == version).unwrap();
    assert!(place("0.5.5") < place("0.8.7") && place("0.8.7") < place("0.8.28"));
    assert!(!versions.iter().any(|version| version == "0.8.7-fixed"), "it is 0.8.7");

    let missing = toolchains().ensure("solc", "0.8.999", false, &|_| {}).unwrap_err();
    let ToolchainError::NoVersion { nearest, .. } = &missing else { panic!("{missing}") };
    assert!(nearest.contains("0.8.2") || nearest.contains("0.8.3"), "{missing}");
}

/// The newest LLVM is in no release of Debian that the machine could have, so its C library is another one.
#[test]
fn tools_of_llvm_run_through_the_loader_of_their_suite() {
    let offline = std::env::var_os("MISTRUST_OFFLINE").is_some();
    let Some(version) = unless_lacking(toolchains().newest("llvm", offline)) else { return };
    let Some(clang) = toolchain("llvm", &version) else { return };
    for tool in ["opt", "llc", "lli", "llvm-as", "ld.lld"] {
        let command = clang.tool(tool).unwrap();
        let said = printed(
            &command[0],
            &[&command[1..].iter().map(String::as_str).collect::<Vec<_>>()[..], &["--version"]]
                .concat(),
            clang.folder(),
        );
        assert!(said.contains(&format!("{version}.")), "{tool}: {said}");
    }
    assert!(clang.tool("no-such-tool").is_none());
    assert!(printed(clang.program(), &["--version"], clang.folder()).contains(&version));
    let libc = clang.manifest().packages.iter().find(|package| package.starts_with("libc6@"));
    assert!(libc.is_some(), "{:?}", clang.manifest().packages);
}

#[test]
fn compilers_of_all_suites_are_available() {
    for family in ["gcc", "clang"] {
        let Some(versions) = unless_lacking(toolchains().available(family)) else { return };
        let numbers: Vec<u32> = versions.iter().map(|version| version.parse().unwrap()).collect();
        assert!(numbers.is_sorted() && numbers.len() >= 4, "{family}: {numbers:?}");
    }
    let missing = toolchains().ensure("clang", "999", false, &|_| {}).unwrap_err();
    assert!(matches!(missing, ToolchainError::NoVersion { .. }), "{missing}");
}
