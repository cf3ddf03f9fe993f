//! Memory and space that belong to no process, only to open files: pipes, sockets, files in memory, and files whose name
//! was removed. Comparing it with the limits is left to `gauge`.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

/// What a pipe can hold. seccomp forbids larger ones.
const PIPE: u64 = 64 << 10;
/// What a socket can hold, as Linux limits it if nothing else is configured.
const SOCKET: u64 = 208 << 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Bytes in memory; of pipes and sockets the most that they can hold.
    pub(super) memory: u64,
    /// Bytes on a disk.
    pub(super) disk: u64,
}

/// What the open files of some processes hold, each counted once. Files on the device `counted` are counted elsewhere.
pub(super) fn held(pids: &[i32], counted: Option<u64>) -> Held {
    let mut held = Held::default();
    let mut seen = BTreeSet::new();
    for pid in pids {
        for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(name) = fs::read_link(&path) else { continue };
            let name = name.as_os_str().as_bytes();
            let is_pipe = name.starts_with(b"pipe:");
            if is_pipe || name.starts_with(b"socket:") {
                if seen.insert((0, name.to_vec())) {
                    held.memory += if is_pipe { PIPE } else { SOCKET };
                }
            } else if name.ends_with(b"(deleted)")
                && let Ok(file) = fs::metadata(&path)
                && file.is_file()
                && file.nlink() == 0
                && Some(file.dev()) != counted
                && seen.insert((file.dev(), file.ino().to_ne_bytes().to_vec()))
            {
                let is_memory = name.starts_with(b"/memfd:") || name.starts_with(b"/dev/shm/");
                let bytes = file.blocks() * 512;
                *if is_memory { &mut held.memory } else { &mut held.disk } += bytes;
            }
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_name_and_pipes_are_counted_once() {
        use std::io::Write as _;
        let own = std::process::id() as i32;
        let before = held(&[own], None);
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile_in(folder.path()).unwrap();
        file.write_all(&vec![1; 8 << 20]).unwrap();
        file.sync_all().unwrap();
        let _again = file.try_clone().unwrap();
        let pipes: Vec<_> = (0..20).map(|_| std::io::pipe().unwrap()).collect();
        let after = held(&[own, own], None);
        // Other tests open and close files at the same time.
        let disk = after.disk + after.memory - before.disk.min(after.disk);
        assert!(disk >= 8 << 20, "{before:?} {after:?}");
        assert!(after.memory >= 20 * PIPE, "{after:?}");
        assert!(after.disk < 16 << 20, "{after:?}");
        drop(pipes);
        let device = file.metadata().unwrap().dev();
        assert_eq!(held(&[own], Some(device)).disk, 0);
    }
}
