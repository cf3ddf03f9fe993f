//! Inserts a flag into each basic block of a WebAssembly module: reaching the block stores a one into a byte of its own.
//! Flags, because counters cost four times as much. Where the bytes are read is left to the script of the host.
//!
//! No index changes and nothing is reordered: the module only gets longer function bodies, a larger memory and an export
//! of that memory. The flags are at the end of the address space that the module may use, above its heap.

use wasm_encoder::{CodeSection, Encode, MemorySection, Module, RawSection, SectionId};
use wasmparser::{BinaryReader, BinaryReaderError, MemoryType, Parser, Payload, TypeRef};

use super::blocks::starts_of_blocks;

/// The name under which the memory is exported.
const MEMORY: &str = "mistrust_memory";

const PAGE: u64 = 1 << 16;

/// The end of the heap, in pages. A compiler that needs more memory than that has exceeded the limit of a run.
const HEAP: u64 = (2 << 30) / PAGE;

/// An instrumented module.
#[derive(Debug)]
pub(super) struct Instrumented {
    pub(super) module: Vec<u8>,
    /// The number of flags. Block `n` has the byte at `first + n`.
    pub(super) blocks: u32,
    pub(super) first: u64,
    /// How many pages its memory must have. If it imports one, whoever makes it has to see to that.
    pub(super) pages: u64,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NotInstrumented {
    #[error("its WebAssembly module cannot be read: {0}")]
    Unreadable(#[from] BinaryReaderError),
    #[error("its WebAssembly module has no memory, or several, or one with 64-bit addresses")]
    Memory,
}

pub(super) fn instrument(module: &[u8]) -> Result<Instrumented, NotInstrumented> {
    let memory = memory(module)?;
    let heap = memory.maximum.unwrap_or(HEAP).min(HEAP).max(memory.initial);
    let first = heap * PAGE;
    let (mut made, mut code, mut blocks) = (Module::new(), CodeSection::new(), 0_u32);
    let mut bodies = 0;
    // The sections after the code, which can only be written when the number of blocks is known, are never changed.
    let mut parts = vec![];
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Payload::CodeSectionEntry(body) = &payload {
            let range = within(body.range());
            let (mut probed, mut from) = (vec![], range.start);
            for start in starts_of_blocks(body)? {
                let start = start as usize;
                probed.extend_from_slice(&module[from..start]);
                set_flag(first + u64::from(blocks), &mut probed);
                (from, blocks) = (start, blocks + 1);
            }
            probed.extend_from_slice(&module[from..range.end]);
            code.raw(&probed);
            bodies -= 1;
            if bodies == 0 {
                parts.push(Part::Code);
            }
        } else if let Payload::CodeSectionStart { count, .. } = &payload {
            bodies = *count;
        } else if let Some((id, range)) = payload.as_section() {
            parts.push(Part::Section(id, &module[within(range)]));
        }
    }
    let pages = heap + u64::from(blocks).div_ceil(PAGE).max(1);
    let exports = |data: &[u8]| -> Result<Vec<u8>, BinaryReaderError> {
        let mut reader = BinaryReader::new(data, 0);
        let count = reader.read_var_u32()?;
        let mut longer = vec![];
        (count + 1).encode(&mut longer);
        MEMORY.encode(&mut longer);
        longer.extend([2, 0]);
        longer.extend_from_slice(&data[reader.original_position() as usize..]);
        Ok(longer)
    };
    for part in &parts {
        match part {
            Part::Code => {
                made.section(&code);
            }
            Part::Section(id, _) if *id == SectionId::Memory as u8 => {
                let mut section = MemorySection::new();
                section.memory(wasm_encoder::MemoryType {
                    minimum: pages,
                    maximum: memory.maximum.map(|maximum| maximum.max(pages)),
                    memory64: false,
                    shared: memory.shared,
                    page_size_log2: None,
                });
                made.section(&section);
            }
            Part::Section(id, data) if *id == SectionId::Export as u8 => {
                made.section(&RawSection { id: *id, data: &exports(data)? });
            }
            Part::Section(id, data) => {
                made.section(&RawSection { id: *id, data });
            }
        }
    }
    Ok(Instrumented { module: made.finish(), blocks, first, pages })
}

/// A section as it is, or the code.
enum Part<'a> {
    Section(u8, &'a [u8]),
    Code,
}

fn within(range: std::ops::Range<u64>) -> std::ops::Range<usize> {
    range.start as usize..range.end as usize
}

/// The only memory of a module, imported or its own.
fn memory(module: &[u8]) -> Result<MemoryType, NotInstrumented> {
    let mut found = vec![];
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if let TypeRef::Memory(memory) = import?.ty {
                        found.push(memory);
                    }
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    found.push(memory?);
                }
            }
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    match found.as_slice() {
        [memory] if !memory.memory64 && memory.page_size_log2.is_none() => Ok(*memory),
        _ => Err(NotInstrumented::Memory),
    }
}

/// `(i32.store8 offset=ADDRESS (i32.const 0) (i32.const 1))`, which leaves the stack of operands as it is.
fn set_flag(address: u64, code: &mut Vec<u8>) {
    const I32_CONST: u8 = 0x41;
    const I32_STORE8: u8 = 0x3a;
    code.extend([I32_CONST, 0, I32_CONST, 1, I32_STORE8, 0]);
    address.encode(code);
}

#[cfg(test)]
mod tests {
    use wasmi::{Engine, Linker, Module as Loaded, Store};

    use super::*;

    /// The flags that are set after calling the function `f` with a number, and its answer.
    fn run(text: &str, argument: i32) -> (i32, Vec<u32>) {
        let made = instrument(&wat::parse_str(text).unwrap()).unwrap();
        let mut config = wasmi::Config::default();
        config.wasm_multi_memory(false);
        let engine = Engine::new(&config);
        let module = Loaded::new(&engine, &made.module).unwrap();
        let mut store = Store::new(&engine, ());
        let linker = Linker::new(&engine);
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
        let f = instance.get_typed_func::<i32, i32>(&store, "f").unwrap();
        let answer = f.call(&mut store, argument).unwrap();
        let memory = instance.get_memory(&store, MEMORY).unwrap();
        let first = made.first as usize;
        let flags = &memory.data(&store)[first..first + made.blocks as usize];
        let set = flags.iter().enumerate().filter(|(_, flag)| **flag == 1);
        (answer, set.map(|(block, _)| block as u32).collect())
    }

    /// Nested blocks, a loop with a conditional exit, both kinds of `if`, and a table of branches.
    const EVERYTHING: &str = r#"(module
      (memory 1 40)
      (func $g (param i32) (result i32)                            ;; 0
        (block $out (block $two (block $one (br_table $one $two $out (local.get 0)))
          (return (i32.const 10)))                                 ;; 1: after $one
        (return (i32.const 20)))                                   ;; 2: after $two
        (i32.const 30))                                            ;; 3: after $out
      (func $h (param i32) (result i32) (local $n i32)             ;; 4
        (loop $again
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (br_if $again (i32.lt_s (local.get $n) (local.get 0))))  ;; 5: after the branch
        (if (i32.eq (local.get 0) (i32.const 5)) (then (local.set $n (i32.const 50)))) ;; 6
        (local.get $n))
      (func (export "f") (param i32) (result i32)                  ;; 7
        (if (result i32) (i32.lt_s (local.get 0) (i32.const 3))
          (then (call $g (local.get 0)))                           ;; 8
          (else (call $h (local.get 0))))))                        ;; 9"#;

    #[test]
    fn the_blocks_that_a_call_reaches_are_flagged_and_its_answer_stays() {
        assert_eq!(run(EVERYTHING, 0), (10, vec![0, 1, 7, 8]));
        assert_eq!(run(EVERYTHING, 1), (20, vec![0, 2, 7, 8]));
        assert_eq!(run(EVERYTHING, 2), (30, vec![0, 3, 7, 8]));
        assert_eq!(run(EVERYTHING, 4), (4, vec![4, 5, 7, 9]));
        assert_eq!(run(EVERYTHING, 5), (50, vec![4, 5, 6, 7, 9]));
    }

    #[test]
    fn the_flags_are_above_the_heap() {
        let made = instrument(&wat::parse_str(EVERYTHING).unwrap()).unwrap();
        assert_eq!((made.blocks, made.first, made.pages), (10, 40 * PAGE, 41));
        let unbounded = EVERYTHING.replace("(memory 1 40)", "(memory 1)");
        let made = instrument(&wat::parse_str(unbounded).unwrap()).unwrap();
        assert_eq!((made.first, made.pages), (HEAP * PAGE, HEAP + 1));
    }

    #[test]
    fn modules_without_one_memory_and_broken_ones_are_rejected() {
        let rejected = |module: &[u8]| instrument(module).unwrap_err().to_string();
        let none = wat::parse_str("(module (func (export \"f\")))").unwrap();
        assert!(rejected(&none).contains("no memory"), "{}", rejected(&none));
        assert!(rejected(b"\0asm\x01\0\0\0\x0a\xff").contains("cannot be read"));
    }
}
