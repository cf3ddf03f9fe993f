//! The basic blocks of an ELF file for x86-64: where they begin, as offsets in the file. The functions are those of the
//! unwind tables, which cover nearly all code; a linear sweep finds the branches in each.
//!
//! A breakpoint inside of an instruction would change the compiler. So a function in which the sweep meets anything
//! doubtful is left out: data between instructions, or an end that is no end of an instruction.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian as Little, Object, ObjectSection};

/// An executable or library whose blocks are found.
#[derive(Debug)]
pub(super) struct Image {
    /// The offsets of the blocks in the file, in order.
    pub(super) starts: Vec<u32>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NoBlocks {
    #[error("it is no ELF file for x86-64: {0}")]
    Foreign(#[from] object::Error),
    #[error("it has no unwind tables")]
    NoUnwindTables,
}

/// A breakpoint, which is also what lies between functions.
const INT3: u8 = 0xcc;

/// A part of the file that is mapped executable.
struct Segment {
    address: u64,
    offset: u64,
    size: u64,
}

impl Image {
    pub(super) fn of(bytes: &[u8]) -> Result<Self, NoBlocks> {
        let file = ElfFile64::<Little>::parse(bytes)?;
        let endian = file.endian();
        let mut segments = vec![];
        for header in file.elf_program_headers() {
            let is_executable = header.p_flags(endian).0 & object::elf::PF_X.0 != 0;
            if header.p_type(endian) == object::elf::PT_LOAD && is_executable {
                let (address, offset) = (header.p_vaddr(endian), header.p_offset(endian));
                segments.push(Segment { address, offset, size: header.p_filesz(endian) });
            }
        }
        let functions = functions(&file)?;
        let mut starts = vec![];
        let mut sweep = Sweep::default();
        for (address, length) in functions {
            let found = segments
                .iter()
                .find(|it| it.address <= address && address - it.address + length <= it.size);
            let Some(segment) = found else { continue };
            let offset = (address - segment.address + segment.offset) as usize;
            let Some(code) = bytes.get(offset..offset + length as usize) else { continue };
            sweep.add(code, offset, &mut starts);
        }
        starts.sort_unstable();
        starts.dedup();
        Ok(Self { starts })
    }

    /// The loader that starts an executable, if it needs one.
    pub(super) fn interpreter(bytes: &[u8]) -> Result<Option<PathBuf>, NoBlocks> {
        let file = ElfFile64::<Little>::parse(bytes)?;
        for header in file.elf_program_headers() {
            if let Some(path) = header.interpreter(file.endian(), bytes)? {
                return Ok(Some(OsStr::from_bytes(path).into()));
            }
        }
        Ok(None)
    }
}

/// The functions of the unwind tables, as addresses and lengths. An optimised file has tables of what it was, too.
fn functions(file: &ElfFile64<'_, Little>) -> Result<Vec<(u64, u64)>, NoBlocks> {
    let mut functions = vec![];
    for section in file.sections() {
        if !section.name()?.ends_with(".eh_frame") {
            continue;
        }
        let data = section.data()?;
        let table = EhFrame::new(data, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(section.address());
        let mut entries = table.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let Ok(entry) = partial.parse(|table, bases, at| table.cie_from_offset(bases, at))
            else {
                continue;
            };
            functions.push((entry.initial_address(), entry.len()));
        }
    }
    if functions.is_empty() {
        return Err(NoBlocks::NoUnwindTables);
    }
    functions.sort_unstable();
    functions.dedup();
    Ok(functions)
}

/// Finds the blocks of one function after the other.
#[derive(Default)]
struct Sweep {
    /// Whether an instruction begins at an offset of the function.
    begins: Vec<bool>,
    targets: Vec<u64>,
}

impl Sweep {
    fn add(&mut self, code: &[u8], offset: usize, starts: &mut Vec<u32>) {
        self.begins.clear();
        self.begins.resize(code.len(), false);
        self.targets.clear();
        self.targets.push(0);
        let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut is_start = false;
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            if instruction.is_invalid() {
                return;
            }
            let at = instruction.ip();
            self.begins[at as usize] = true;
            let is_padding = matches!(instruction.code(), Code::Int3)
                || instruction.mnemonic() == iced_x86::Mnemonic::Nop;
            if is_start && !is_padding {
                self.targets.push(at);
                is_start = false;
            }
            match instruction.flow_control() {
                FlowControl::Next
                | FlowControl::Call
                | FlowControl::IndirectCall
                | FlowControl::Interrupt
                | FlowControl::Exception => {}
                FlowControl::ConditionalBranch
                | FlowControl::XbeginXabortXend
                | FlowControl::UnconditionalBranch => {
                    self.branch(&instruction);
                    is_start = true;
                }
                FlowControl::IndirectBranch | FlowControl::Return => is_start = true,
            }
        }
        for &target in &self.targets {
            let begins = self.begins.get(target as usize).copied().unwrap_or(false);
            if begins && code[target as usize] != INT3 {
                starts.push((offset as u64 + target) as u32);
            }
        }
    }

    fn branch(&mut self, instruction: &Instruction) {
        if matches!(instruction.op0_kind(), OpKind::NearBranch64) {
            self.targets.push(instruction.near_branch_target());
        }
    }
}
