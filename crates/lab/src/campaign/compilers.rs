//! Notices that a compiler was replaced while it is hunted. What is seen then may be a file that is half written, or the
//! difference of two compilers.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Line;
use crate::target::Target;

/// The compilers of a hunt, as they were when it began.
#[derive(Debug)]
pub(super) struct Compilers {
    files: Vec<(String, PathBuf, Option<Stamp>)>,
}

/// What changes whenever a file is replaced or written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Compilers {
    pub(super) fn of(lines: &[Line]) -> Self {
        let targets = lines.iter().flat_map(|line| &line.targets);
        let files = targets.flat_map(|target: &Arc<dyn Target>| {
            let name = target.name().to_string();
            let stamped = move |path: PathBuf| (name.clone(), path.clone(), Stamp::of(&path));
            target.executables().into_iter().map(stamped)
        });
        Self { files: files.collect() }
    }

    /// Which compiler is another one than at the beginning.
    pub(super) fn changed(&self) -> Option<String> {
        let (target, path, _) =
            self.files.iter().find(|(_, path, stamp)| Stamp::of(path) != *stamp)?;
        let path = path.display();
        Some(format!(
            "{target} was replaced or removed during the hunt ({path}): what was seen since then is not used. The same \
             command continues with the new one"
        ))
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let file = path.metadata().ok()?;
        Some(Self {
            device: file.dev(),
            inode: file.ino(),
            size: file.size(),
            modified: (file.mtime(), file.mtime_nsec()),
        })
    }
}
