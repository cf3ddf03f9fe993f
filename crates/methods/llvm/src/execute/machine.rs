//! The machines that functions are executed on, as a table: how a program starts there, and how it calls the
//! system. No C library is needed.

/// A kind of processor under Linux.
#[derive(Debug, PartialEq, Eq)]
pub struct Machine {
    /// As the emulator names it: `qemu-aarch64`.
    pub name: &'static str,
    pub triple: &'static str,
    /// The processor that its emulator emulates.
    pub processor: &'static str,
    /// Features that every Linux of this machine has, for `-mattr`.
    pub features: &'static str,
    /// The ABI that goes with the features, for `-target-abi`.
    pub abi: Option<&'static str>,
    /// The oldest LLVM whose linker knows the machine.
    pub linked_since: u32,
    /// The width of an address.
    pub(super) word: u32,
    /// `_start`, which calls `mistrust_drive`, and `mistrust_syscall`, a function of a number and three words.
    pub(super) assembly: &'static [&'static str],
    /// Numbers of the system calls.
    pub(super) read: u32,
    pub(super) write: u32,
    pub(super) exit: u32,
}

/// The machines, those with most users first.
pub const MACHINES: &[Machine] = &[
    Machine {
        name: "x86_64",
        triple: "x86_64-unknown-linux-gnu",
        processor: "max",
        features: "",
        abi: None,
        linked_since: 13,
        word: 64,
        assembly: &[
            "_start: xorl %ebp, %ebp; andq $-16, %rsp; call mistrust_drive",
            "mistrust_syscall: movq %rdi, %rax; movq %rsi, %rdi; movq %rdx, %rsi; movq %rcx, %rdx; syscall; ret",
        ],
        read: 0,
        write: 1,
        exit: 60,
    },
    Machine {
        name: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        processor: "max",
        features: "",
        abi: None,
        linked_since: 13,
        word: 64,
        assembly: &[
            "_start: bl mistrust_drive",
            "mistrust_syscall: mov x8, x0; mov x0, x1; mov x1, x2; mov x2, x3; svc #0; ret",
        ],
        read: 63,
        write: 64,
        exit: 93,
    },
    Machine {
        name: "riscv64",
        triple: "riscv64-unknown-linux-gnu",
        processor: "max",
        features: "+m,+a,+f,+d,+c",
        abi: Some("lp64d"),
        linked_since: 13,
        word: 64,
        assembly: &[
            "_start: call mistrust_drive",
            "mistrust_syscall: mv a7, a0; mv a0, a1; mv a1, a2; mv a2, a3; ecall; ret",
        ],
        read: 63,
        write: 64,
        exit: 93,
    },
    Machine {
        name: "s390x",
        triple: "s390x-unknown-linux-gnu",
        processor: "max",
        features: "",
        abi: None,
        linked_since: 19,
        word: 64,
        assembly: &[
            "_start: aghi %r15, -160; brasl %r14, mistrust_drive",
            "mistrust_syscall: lgr %r1, %r2; lgr %r2, %r3; lgr %r3, %r4; lgr %r4, %r5; svc 0; br %r14",
        ],
        read: 3,
        write: 4,
        exit: 1,
    },
    Machine {
        name: "ppc64le",
        triple: "powerpc64le-unknown-linux-gnu",
        processor: "power10",
        features: "",
        abi: None,
        linked_since: 13,
        word: 64,
        assembly: &[
            "_start: lis 2, .TOC.@ha; addi 2, 2, .TOC.@l; stdu 1, -128(1); bl mistrust_drive; nop",
            "mistrust_syscall: mr 0, 3; mr 3, 4; mr 4, 5; mr 5, 6; sc; blr",
        ],
        read: 3,
        write: 4,
        exit: 1,
    },
    Machine {
        name: "loongarch64",
        triple: "loongarch64-unknown-linux-gnu",
        processor: "max",
        features: "+d",
        abi: Some("lp64d"),
        linked_since: 18,
        word: 64,
        assembly: &[
            "_start: bl mistrust_drive",
            "mistrust_syscall: move $a7, $a0; move $a0, $a1; move $a1, $a2; move $a2, $a3; syscall 0; ret",
        ],
        read: 63,
        write: 64,
        exit: 93,
    },
    Machine {
        name: "arm",
        triple: "armv7a-unknown-linux-gnueabihf",
        processor: "max",
        features: "",
        abi: None,
        linked_since: 13,
        word: 32,
        assembly: &[
            "_start: bl mistrust_drive",
            "mistrust_syscall: push {r4, r7}; mov r7, r0; mov r0, r1; mov r1, r2; mov r2, r3; svc #0; pop {r4, r7}; bx lr",
        ],
        read: 3,
        write: 4,
        exit: 1,
    },
];

impl Machine {
    pub fn named(name: &str) -> Option<&'static Self> {
        MACHINES.iter().find(|it| it.name == name)
    }

    /// The machine that this program runs on, if it is one of them.
    pub fn own() -> Option<&'static Self> {
        let name = std::env::consts::ARCH;
        let is_little = cfg!(target_endian = "little");
        Self::named(if name == "powerpc64" && is_little { "ppc64le" } else { name })
    }
}
