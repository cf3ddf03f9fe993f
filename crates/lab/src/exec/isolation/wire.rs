//! What is sent between us and the process that keeps the namespaces: a request of a fixed size with descriptors, then its
//! texts; an answer of a fixed size, with a descriptor or not.

use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use super::super::ceilings::Ceilings;

/// The most descriptors in one message.
const FDS: usize = 8;
/// Space for their header and for them, aligned like one.
const CONTROL: usize = 16;

const WORDS: usize = 12;
/// Longer than the arguments and the environment that Linux takes.
const LONGEST: u64 = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Texts: the program, its directory, arguments, environment. Descriptors: three streams, the report, a ruleset.
    Run,
    /// Texts: where it is mounted, its options. The answer has a descriptor of its directory.
    Scratch,
    /// Texts: a path that is to be seen, and what is to be seen there.
    Show,
    /// Texts: where a scratch directory is mounted.
    Remove,
}

const KINDS: [Kind; 4] = [Kind::Run, Kind::Scratch, Kind::Show, Kind::Remove];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) kind: Kind,
    pub(super) texts: Vec<CString>,
    /// How many of the texts are arguments.
    pub(super) arguments: usize,
    pub(super) ceilings: Ceilings,
    /// The size of the scratch directory in bytes, if it is to be changed.
    pub(super) size: Option<u64>,
    /// Whether the process gets a process table of its own.
    pub(super) has_table: bool,
    /// Whether the process shares our System V shared memory.
    pub(super) shares_memory: bool,
}

impl Request {
    pub(super) fn new(kind: Kind, texts: Vec<CString>) -> Request {
        let ceilings = Ceilings { cpu: None, file_size: 0, data: 0, is_steady: false };
        let (size, has_table, shares_memory) = (None, true, false);
        Request { kind, texts, arguments: 0, ceilings, size, has_table, shares_memory }
    }

    pub(super) fn send(&self, socket: &mut UnixStream, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut payload = vec![];
        for text in &self.texts {
            payload.extend_from_slice(text.as_bytes_with_nul());
        }
        let kind = KINDS.iter().position(|kind| *kind == self.kind).unwrap_or_default();
        let optional = |value: Option<u64>| value.unwrap_or(u64::MAX);
        let words: [u64; WORDS] = [
            kind as u64,
            payload.len() as u64,
            self.texts.len() as u64,
            self.arguments as u64,
            optional(self.ceilings.cpu),
            self.ceilings.file_size,
            self.ceilings.data,
            self.ceilings.is_steady.into(),
            optional(self.size),
            self.has_table.into(),
            self.shares_memory.into(),
            0,
        ];
        let head: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        send(socket, &head, fds)?;
        socket.write_all(&payload)
    }

    /// The next request; `None` if there will be no other one.
    pub(super) fn receive(socket: &mut UnixStream) -> io::Result<Option<(Request, Vec<OwnedFd>)>> {
        let mut head = [0; WORDS * 8];
        let (length, fds) = receive(socket, &mut head)?;
        if length == 0 {
            return Ok(None);
        }
        socket.read_exact(&mut head[length..])?;
        let mut words = [0_u64; WORDS];
        for (word, bytes) in words.iter_mut().zip(head.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        }
        let [kind, length, count, arguments, cpu, file_size, data, steady, size, table, shares, _] =
            words;
        let kind = KINDS.get(kind as usize).copied();
        let kind = kind.filter(|_| length <= LONGEST).ok_or(io::ErrorKind::InvalidData)?;
        let mut payload = vec![0; length as usize];
        socket.read_exact(&mut payload)?;
        let texts: Vec<CString> = payload
            .split_inclusive(|byte| *byte == 0)
            .filter_map(|text| CStr::from_bytes_with_nul(text).ok().map(CStr::to_owned))
            .collect();
        if texts.len() as u64 != count {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let optional = |value: u64| (value != u64::MAX).then_some(value);
        let ceilings = Ceilings { cpu: optional(cpu), file_size, data, is_steady: steady != 0 };
        let request = Request {
            kind,
            texts,
            arguments: arguments as usize,
            ceilings,
            size: optional(size),
            has_table: table != 0,
            shares_memory: shares != 0,
        };
        Ok(Some((request, fds)))
    }
}

/// The answer to a request: a process id, or 0, or an `errno`.
pub(super) fn answer(
    socket: &UnixStream,
    result: Result<i32, &io::Error>,
    fd: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    match result {
        Ok(pid) => send(socket, &pair(0, pid), fd.as_slice()),
        Err(error) => refuse(socket, error, 0),
    }
}

/// The answer that something failed, with its number.
pub(super) fn refuse(socket: &UnixStream, error: &io::Error, step: i32) -> io::Result<()> {
    send(socket, &pair(error.raw_os_error().unwrap_or(libc::EIO), step), &[])
}

/// What [`answer`] sent.
pub(super) fn answered(socket: &mut UnixStream) -> io::Result<(i32, Option<OwnedFd>)> {
    match answered_with_step(socket)? {
        Ok(answer) => Ok(answer),
        Err((error, _)) => Err(error),
    }
}

/// What [`answer`] or [`refuse`] sent.
pub(super) type Answer = Result<(i32, Option<OwnedFd>), (io::Error, i32)>;

pub(super) fn answered_with_step(socket: &mut UnixStream) -> io::Result<Answer> {
    let mut bytes = [0; 8];
    let (length, fds) = receive(socket, &mut bytes)?;
    if length == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    socket.read_exact(&mut bytes[length..])?;
    Ok(match unpair(bytes) {
        (0, pid) => Ok((pid, fds.into_iter().next())),
        (errno, step) => Err((io::Error::from_raw_os_error(errno), step)),
    })
}

/// Two numbers as bytes.
pub(super) fn pair(first: i32, second: i32) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&first.to_ne_bytes());
    bytes[4..].copy_from_slice(&second.to_ne_bytes());
    bytes
}

/// The two numbers of [`pair`].
pub(super) fn unpair(bytes: [u8; 8]) -> (i32, i32) {
    let [a, b, c, d, e, f, g, h] = bytes;
    (i32::from_ne_bytes([a, b, c, d]), i32::from_ne_bytes([e, f, g, h]))
}

/// Sends bytes, and descriptors with the first of them.
#[expect(unsafe_code, reason = "std cannot send descriptors")]
fn send(mut socket: &UnixStream, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let fds: Vec<RawFd> = fds.iter().take(FDS).map(AsRawFd::as_raw_fd).collect();
    let mut control = [0_u64; CONTROL];
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: an all-zero `msghdr` is valid. Its pointers are to live locals; the control data is large enough for `FDS`
    // descriptors, aligned, and written within its bounds.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if !fds.is_empty() {
            let size = size_of_val(&fds[..]) as libc::c_uint;
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(size) as _;
            let data = libc::CMSG_DATA(header);
            data.copy_from_nonoverlapping(fds.as_ptr().cast(), size as usize);
        }
        libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL)
    };
    let sent = usize::try_from(sent).map_err(|_| io::Error::last_os_error())?;
    socket.write_all(&bytes[sent..])
}

/// Reads some bytes, and the descriptors that came with them.
#[expect(unsafe_code, reason = "std cannot receive descriptors")]
fn receive(socket: &UnixStream, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut control = [MaybeUninit::<u64>::zeroed(); CONTROL];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut fds = vec![];
    // SAFETY: as in `send`. Linux has written the control data; each descriptor in it is new and has no owner.
    let length = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let length = loop {
            let length =
                libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC);
            if length >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break length;
            }
        };
        let mut header = libc::CMSG_FIRSTHDR(&raw const message);
        while length >= 0 && !header.is_null() {
            if (*header).cmsg_type == libc::SCM_RIGHTS {
                let size = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for at in 0..size / size_of::<RawFd>() {
                    fds.push(OwnedFd::from_raw_fd(data.add(at).read_unaligned()));
                }
            }
            header = libc::CMSG_NXTHDR(&raw const message, header);
        }
        length
    };
    match usize::try_from(length) {
        Ok(length) => Ok((length, fds)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent_with_its_descriptors() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let texts = [c"/bin/cc", c"/here", c"cc", c"", c"PATH=/bin"].map(CStr::to_owned).to_vec();
        let ceilings = Ceilings { cpu: Some(3), file_size: 7, data: 1 << 40, is_steady: true };
        let (size, has_table) = (Some(5), false);
        let request =
            Request { arguments: 2, ceilings, size, has_table, ..Request::new(Kind::Run, texts) };
        let file = std::fs::File::open("/dev/null").unwrap();
        request.send(&mut ours, &[file.as_fd(), file.as_fd()]).unwrap();
        let (received, fds) = Request::receive(&mut theirs).unwrap().unwrap();
        assert_eq!((received, fds.len()), (request, 2));
        answer(&theirs, Ok(9), Some(file.as_fd())).unwrap();
        answer(&theirs, Err(&io::Error::from_raw_os_error(13)), None).unwrap();
        let (pid, fd) = answered(&mut ours).unwrap();
        assert!(pid == 9 && fd.is_some());
        assert_eq!(answered(&mut ours).unwrap_err().raw_os_error(), Some(13));
        drop(ours);
        assert!(Request::receive(&mut theirs).unwrap().is_none());
    }
}
