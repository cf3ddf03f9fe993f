//! Swarm testing: each ticket draws the features, sizes and weights of its program. A program with few features
//! combines them in more ways than a program with all of them.

use forge::Entropy;

#[derive(Clone, Debug)]
pub(super) struct Swarm {
    /// Printed lines to aim at.
    pub(super) lines: i64,
    /// The most statements between two branches.
    pub(super) stretch: u64,
    /// Lines that one function may have.
    pub(super) function: i64,
    pub(super) wide: bool,
    pub(super) floats: bool,
    pub(super) chars: bool,
    pub(super) structs: u64,
    pub(super) unions: u64,
    pub(super) enums: u64,
    pub(super) tuples: u64,
    pub(super) arrays: u64,
    pub(super) pointers: bool,
    pub(super) references: bool,
    pub(super) slices: bool,
    pub(super) statics: u64,
    pub(super) function_pointers: bool,
    pub(super) boxes: bool,
    pub(super) destructors: bool,
    /// `ManuallyDrop`.
    pub(super) manual: bool,
    /// Recursive types.
    pub(super) nodes: bool,
    pub(super) unwinding: bool,
    pub(super) generics: bool,
    pub(super) intrinsics: bool,
    pub(super) transmutes: bool,
    pub(super) storage: bool,
    pub(super) moves: bool,
    pub(super) tail_calls: bool,
    pub(super) inlining: bool,
    /// Traits and trait objects.
    pub(super) objects: bool,
    /// Recursive functions.
    pub(super) recursion: bool,
    /// Arrays long enough for vectorised loops.
    pub(super) long: bool,
    pub(super) retags: bool,
    /// Zero-sized types.
    pub(super) zero_sized: bool,
    /// Comparisons of raw pointers.
    pub(super) comparisons: bool,
    /// Null and dangling pointers.
    pub(super) invalid_pointers: bool,
    /// Debug info.
    pub(super) debug: bool,
    /// No copies between parts of one local, which `-Zlint-mir` takes for the same memory.
    pub(super) tidy: bool,
    /// Structs with padding that are passed by value several times.
    pub(super) padded: bool,
    /// Loops that LLVM vectorises.
    pub(super) vectors: bool,
    /// Integers masked to widths that no type has.
    pub(super) odd_integers: bool,
    /// The weights of the terminators: see `control.rs`.
    pub(super) control: [u64; 15],
    /// The share of operators, in tenths; the others are plain copies and constants.
    pub(super) operators: u64,
}

impl Swarm {
    pub(super) fn draw(entropy: &mut Entropy, lines: Option<u64>) -> Self {
        // Small programs are likelier than large ones, but most lines are in large ones.
        let lines = lines.unwrap_or_else(|| {
            let octave = entropy.between(5, 9);
            entropy.between(1 << octave, 2 << octave)
        });
        let half = |entropy: &mut Entropy| entropy.chance(1, 2);
        let mut control = [0; 15];
        for weight in &mut control[..12] {
            *weight = if entropy.chance(2, 3) { entropy.between(1, 6) } else { 0 };
        }
        // Every program has switches, and records values.
        control[0] += 3;
        control[6] += 1;
        // A function with several call sites is inlined in some and not in others.
        control[2] += 1;
        // A long program needs several functions.
        if lines > 400 {
            control[1] = control[1].max(1);
        }
        // Without these patterns, several passes of rustc have nothing to do; with too many, the bugs that they
        // trigger would hide all others.
        control[10] = if entropy.chance(1, 2) { entropy.between(2, 6) } else { 0 };
        let most = if lines < 60 {
            1
        } else if lines < 150 {
            2
        } else {
            5
        };
        let mut swarm = Self {
            lines: lines.cast_signed(),
            stretch: entropy.between(1, 9),
            function: entropy.between(20, 160).cast_signed(),
            wide: half(entropy),
            floats: half(entropy),
            chars: half(entropy),
            structs: entropy.below(most),
            unions: entropy.below(most.min(3)),
            enums: entropy.below(most),
            tuples: entropy.below(most),
            arrays: entropy.below(most),
            pointers: entropy.chance(2, 3),
            references: half(entropy),
            slices: entropy.chance(1, 3),
            statics: if half(entropy) { entropy.between(1, 3) } else { 0 },
            function_pointers: entropy.chance(1, 4),
            boxes: entropy.chance(1, 3),
            destructors: entropy.chance(1, 3),
            manual: entropy.chance(1, 3),
            nodes: entropy.chance(1, 4),
            unwinding: entropy.chance(1, 4),
            generics: entropy.chance(1, 3),
            intrinsics: half(entropy),
            transmutes: half(entropy),
            storage: half(entropy),
            moves: entropy.chance(3, 4),
            tail_calls: entropy.chance(1, 6),
            inlining: half(entropy),
            objects: entropy.chance(1, 4),
            recursion: entropy.chance(1, 6),
            long: entropy.chance(1, 4),
            retags: entropy.chance(1, 8),
            zero_sized: entropy.chance(1, 4),
            comparisons: half(entropy),
            invalid_pointers: entropy.chance(1, 3),
            debug: entropy.chance(1, 3),
            tidy: entropy.chance(3, 4),
            padded: entropy.chance(3, 10),
            vectors: half(entropy),
            odd_integers: entropy.chance(1, 4),
            control,
            operators: entropy.between(4, 9),
        };
        swarm.control[11] = if swarm.nodes { entropy.between(1, 4) } else { 0 };
        if swarm.intrinsics {
            swarm.control[5] += 4;
        }
        if swarm.objects {
            swarm.control[9] += 3;
        }
        if swarm.long && lines >= 60 {
            swarm.arrays = swarm.arrays.max(1);
        }
        if lines < 40 {
            swarm.debug = false;
        }
        if lines < 150 {
            // The declarations and functions for these would be most of the program.
            let kept = entropy.below(4);
            swarm.generics &= kept == 0;
            swarm.objects &= kept == 1;
            swarm.nodes &= kept == 2;
            swarm.destructors &= kept != 2;
            if !swarm.nodes {
                swarm.control[11] = 0;
            }
        }
        // Short programs have no room for these.
        swarm.padded &= lines >= 90;
        swarm.vectors &= lines >= 120;
        swarm.odd_integers &= lines >= 80;
        for (kind, on) in [(12, swarm.padded), (13, swarm.vectors), (14, swarm.odd_integers)] {
            swarm.control[kind] = if on { entropy.between(1, 3) } else { 0 };
        }
        if lines < 60 {
            // No room for helper functions, nor for long sequences.
            swarm.generics = false;
            swarm.objects = false;
            swarm.zero_sized = false;
            swarm.destructors = false;
            swarm.manual = false;
            swarm.nodes = false;
            swarm.unwinding = false;
            swarm.tail_calls = false;
            swarm.control[10] = 0;
            swarm.control[11] = 0;
            swarm.statics = swarm.statics.min(1);
            swarm.stretch = swarm.stretch.min(4);
        }
        // Programs with boxes or destructors have drops.
        if lines >= 60 && (swarm.boxes || swarm.destructors) {
            swarm.control[7] = swarm.control[7].max(3);
        }
        swarm
    }
}
