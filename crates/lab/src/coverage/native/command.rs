//! How the executable of a compiler is started, and which libraries it loads: directly, or by one of the scripts that
//! toolchains from Debian are started by.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::super::Unmeasured;
use super::blocks::Image;
use crate::exec::Order;
use crate::target::Bench;

/// How an executable is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// What is started: the executable or its script.
    path: PathBuf,
    pub(super) executable: PathBuf,
    loader: PathBuf,
    script: Option<Script>,
}

/// The parts of a script: `exec "LOADER" OPTIONS--library-path "FOLDERS" "EXECUTABLE" "$@"`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Script {
    text: String,
    folders: String,
}

const EXEC: &str = "exec \"$root/";
const FOLDERS: &str = "--library-path \"";

impl Command {
    pub(super) fn of(path: &Path) -> Result<Self, Unmeasured> {
        let shown = path.display();
        let bytes = fs::read(path).map_err(|error| Unmeasured(format!("{shown}: {error}")))?;
        if bytes.starts_with(b"#!") {
            let foreign = || Unmeasured(format!("{shown} is a script, and no compiler"));
            return Self::of_script(path, &String::from_utf8_lossy(&bytes)).ok_or_else(foreign);
        }
        let loader =
            Image::interpreter(&bytes).map_err(|it| Unmeasured(format!("{shown}: {it}")))?;
        let loader = loader.ok_or_else(|| {
            Unmeasured(format!("{shown} is linked statically, so nothing can be preloaded"))
        })?;
        Ok(Self { path: path.to_owned(), executable: path.to_owned(), loader, script: None })
    }

    fn of_script(path: &Path, text: &str) -> Option<Self> {
        let top = path.parent()?.parent()?;
        let text = text.replace("top=${0%/*}/..\n", &format!("top='{}'\n", top.display()));
        let root = text.lines().find_map(|line| line.strip_prefix("root=$top/"))?;
        let root = top.join(root);
        let quoted = |after: &str| {
            let rest = text.split_once(after)?.1;
            Some(rest.split_once('"')?.0.to_owned())
        };
        let folders = quoted(FOLDERS)?;
        let executable = quoted(&format!("{FOLDERS}{folders}\" \"$root/"))?;
        let loader = root.join(quoted(EXEC)?);
        let folders = folders.replace("$root", &root.display().to_string());
        Some(Self {
            path: path.to_owned(),
            executable: root.join(executable),
            loader,
            script: Some(Script { text, folders }),
        })
    }

    /// The libraries that it loads when it starts.
    pub(super) fn libraries(&self, bench: &Bench) -> Result<Vec<PathBuf>, Unmeasured> {
        let scratch = bench.runner.scratch()?;
        let mut line = vec![self.loader.display().to_string(), "--list".to_owned()];
        if let Some(script) = &self.script {
            line.extend(["--library-path".to_owned(), script.folders.clone()]);
        }
        line.push(self.executable.display().to_string());
        let run = bench.runner.run(&Order::new(line).limits(bench.compile.clone()), &scratch)?;
        let path = |line: &str| {
            let path = line.split_once(" => ")?.1;
            Some(PathBuf::from(path.rsplit_once(" (")?.0))
        };
        Ok(run.stdout.text().lines().filter_map(path).collect())
    }

    /// The words that start it with the armed files of a folder.
    pub(super) fn armed(&self, folder: &Path, executable: bool) -> Result<Vec<String>, Unmeasured> {
        let name = self.executable.file_name().unwrap_or_default();
        let copy = folder.join(name).display().to_string();
        if let Some(script) = &self.script {
            let with_folder = format!("{FOLDERS}{}:", folder.display());
            let mut text = script.text.replacen(FOLDERS, &with_folder, 1);
            if executable {
                let name = name.to_string_lossy();
                let end = format!("/{name}\" \"$@\"");
                let start = text.rfind(&end).and_then(|end| text[..end].rfind("\"$root/"));
                let start =
                    start.ok_or_else(|| Unmeasured("its script is not known".to_owned()))?;
                text.replace_range(start.., &format!("\"{copy}\" \"$@\"\n"));
            }
            // The scripts of a compiler have different names, which the compiler may look at.
            let path = folder.join("start").join(self.path.file_name().unwrap_or_default());
            write_script(&path, &text)?;
            return Ok(vec![path.display().to_string()]);
        }
        let path = self.path.display().to_string();
        Ok(match executable {
            false => vec![path],
            // It cannot be written to while it is executed, but it can while it is mapped.
            true => vec![self.loader.display().to_string(), "--argv0".to_owned(), path, copy],
        })
    }
}

/// Writes a shell script.
fn write_script(path: &Path, text: &str) -> Result<(), Unmeasured> {
    let write = || -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
    };
    write().map_err(|error| Unmeasured(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "#!/bin/sh\ntop=${0%/*}/..\nroot=$top/root\nset -- -x \"$@\"\n\
        exec \"$root/lib64/ld.so\" --argv0 \"$0\" --library-path \"$root/lib:$root/usr/lib\" \"$root/usr/bin/cc\" \"$@\"\n";

    #[test]
    fn a_script_of_a_toolchain_is_taken_apart_and_armed() {
        let command = Command::of_script(Path::new("/t/gcc/12/bin/gcc"), SCRIPT).unwrap();
        assert_eq!(command.executable, Path::new("/t/gcc/12/root/usr/bin/cc"));
        assert_eq!(command.loader, Path::new("/t/gcc/12/root/lib64/ld.so"));
        assert_eq!(
            command.script.as_ref().unwrap().folders,
            "/t/gcc/12/root/lib:/t/gcc/12/root/usr/lib"
        );
        let folder = tempfile::tempdir().unwrap();
        let words = command.armed(folder.path(), true).unwrap();
        let [path] = words.as_slice() else { panic!("{words:?}") };
        let armed = fs::read_to_string(path).unwrap();
        let at = folder.path().display();
        let expected = format!(
            "#!/bin/sh\ntop='/t/gcc/12'\nroot=$top/root\nset -- -x \"$@\"\n\
             exec \"$root/lib64/ld.so\" --argv0 \"$0\" --library-path \"{at}:$root/lib:$root/usr/lib\" \"{at}/cc\" \"$@\"\n"
        );
        assert_eq!(armed, expected);
        let words = command.armed(folder.path(), false).unwrap();
        assert!(fs::read_to_string(&words[0]).unwrap().ends_with("\"$root/usr/bin/cc\" \"$@\"\n"));
    }

    #[test]
    fn other_scripts_are_no_compilers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wrapper");
        fs::write(&path, "#!/bin/sh\nexec cc \"$@\"\n").unwrap();
        assert!(Command::of(&path).unwrap_err().to_string().contains("is a script"));
    }
}
