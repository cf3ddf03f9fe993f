//! A segment of System V shared memory, as AFL's protocol wants it. It is removed as soon as nobody uses it, however we end.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

#[derive(Debug)]
pub(super) struct Segment {
    id: i32,
    size: usize,
    at: NonNull<u8>,
}

// SAFETY: it owns its attachment, and what is read from it is only copied.
#[expect(unsafe_code, reason = "a pointer to shared memory")]
unsafe impl Send for Segment {}

#[expect(unsafe_code, reason = "no crate we use has System V shared memory")]
impl Segment {
    pub(super) fn new(size: usize) -> io::Result<Self> {
        // SAFETY: the calls take no pointers of ours, except a null one that lets Linux choose the address.
        let (id, at) = unsafe {
            let id = libc::shmget(libc::IPC_PRIVATE, size, libc::IPC_CREAT | 0o600);
            if id == -1 {
                return Err(io::Error::last_os_error());
            }
            let at = libc::shmat(id, std::ptr::null(), 0);
            let error = io::Error::last_os_error();
            // Linux removes it when the last process has detached it, and lets others attach it until then.
            libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut());
            if at as isize == -1 {
                return Err(error);
            }
            (id, at)
        };
        let at = NonNull::new(at.cast::<u8>()).ok_or_else(|| io::Error::other("no memory"))?;
        Ok(Self { id, size, at })
    }

    pub(super) fn id(&self) -> String {
        self.id.to_string()
    }

    pub(super) fn clear(&mut self) {
        // SAFETY: `size` bytes are attached at `at`, and no reference to them exists.
        unsafe { self.at.as_ptr().write_bytes(0, self.size) };
    }

    /// The edges that were taken, with how often.
    pub(super) fn edges(&self) -> Vec<(u32, u8)> {
        let mut counts = vec![0_u8; self.size];
        // SAFETY: `size` bytes are attached at `at`. A process that still writes to them changes numbers only.
        unsafe { self.at.as_ptr().copy_to_nonoverlapping(counts.as_mut_ptr(), self.size) };
        let taken = counts.into_iter().enumerate().filter(|(_, count)| *count != 0);
        taken.map(|(edge, count)| (edge as u32, count)).collect()
    }
}

#[expect(unsafe_code, reason = "no crate we use has System V shared memory")]
impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: it is attached at `at`, and nothing refers to it any more.
        unsafe { libc::shmdt(self.at.as_ptr().cast::<c_void>()) };
    }
}
