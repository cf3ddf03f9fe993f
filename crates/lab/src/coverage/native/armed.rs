//! Private copies of the files of a compiler, with a breakpoint on each block that no run has reached. Runs share them:
//! when a run has reached a block, its own byte is put back into the file, and through the page cache into the memory of
//! all further runs.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::super::Unmeasured;
use crate::exec::Scratch;

/// The name of the file in which a run records what it hits, in its scratch directory.
pub(super) const HITS: &str = ".mistrust-coverage";

/// Its size, which `preload.c` knows too. Most of it is never written and takes no space.
const HITS_SIZE: u64 = 64 << 20;

const INT3: u8 = 0xcc;

/// A file of the compiler, and where its blocks begin.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) path: PathBuf,
    pub(super) starts: Vec<u32>,
    /// The number of its first block.
    pub(super) first: u32,
}

/// The copies.
#[derive(Debug)]
pub(super) struct Armed {
    folder: Scratch,
    /// Each with its original.
    files: Vec<(File, File)>,
    /// The blocks that were reported or are known.
    reached: Mutex<Vec<bool>>,
}

impl Armed {
    /// Copies all modules into a folder and arms all blocks that are not known.
    pub(super) fn new(
        modules: &[Module],
        known: &[u32],
        folder: Scratch,
    ) -> Result<Self, Unmeasured> {
        let count = modules.iter().map(|it| it.starts.len()).sum();
        let mut reached = vec![false; count];
        for &block in known {
            if let Some(reached) = reached.get_mut(block as usize) {
                *reached = true;
            }
        }
        let arm = |module: &Module| -> io::Result<(File, File)> {
            let mut bytes = fs::read(&module.path)?;
            let blocks = &reached[module.first as usize..];
            for (start, _) in module.starts.iter().zip(blocks).filter(|(_, reached)| !**reached) {
                bytes[*start as usize] = INT3;
            }
            let copy = folder.path().join(module.path.file_name().unwrap_or_default());
            fs::write(&copy, &bytes)?;
            fs::set_permissions(&copy, fs::metadata(&module.path)?.permissions())?;
            let armed = File::options().read(true).write(true).open(&copy)?;
            Ok((armed, File::open(&module.path)?))
        };
        let named = |module: &Module| {
            arm(module).map_err(|error| Unmeasured(format!("{}: {error}", module.path.display())))
        };
        let files = modules.iter().map(named).collect::<Result<_, _>>()?;
        Ok(Self { folder, files, reached: Mutex::new(reached) })
    }

    pub(super) fn scratch(&self) -> &Scratch {
        &self.folder
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The copy of a module.
    pub(super) fn copy(&self, module: &Module) -> PathBuf {
        self.folder().join(module.path.file_name().unwrap_or_default())
    }

    /// Makes the file in which a run records what it hits.
    pub(super) fn listen(scratch: &Path) -> io::Result<()> {
        File::create(scratch.join(HITS))?.set_len(HITS_SIZE)
    }

    /// The blocks that a run reached first, which are disarmed.
    pub(super) fn harvest(&self, modules: &[Module], scratch: &Path) -> io::Result<Vec<u32>> {
        let hits = File::open(scratch.join(HITS))?;
        let mut word = [0; 8];
        hits.read_exact_at(&mut word, 0)?;
        let count = u64::from_le_bytes(word).min(HITS_SIZE / 8 - 1);
        let mut entries = vec![0; count as usize * 8];
        hits.read_exact_at(&mut entries, 8)?;
        let mut found = vec![];
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in entries.chunks_exact(8) {
            let (offset, file) = entry.split_at(4);
            let number =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &it| all << 8 | u32::from(it));
            let (offset, file) = (number(offset), number(file) as usize);
            // What a run writes is not trusted.
            let (Some(module), Some((armed, original))) = (modules.get(file), self.files.get(file))
            else {
                continue;
            };
            let Ok(at) = module.starts.binary_search(&offset) else { continue };
            let block = module.first + at as u32;
            if std::mem::replace(&mut reached[block as usize], true) {
                continue;
            }
            let mut own = [0];
            original.read_exact_at(&mut own, u64::from(offset))?;
            armed.write_all_at(&own, u64::from(offset))?;
            found.push(block);
        }
        Ok(found)
    }
}
