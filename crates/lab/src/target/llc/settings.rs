//! The settings of `llc`: machines, instruction selectors and levels. Machines that functions are executed on come
//! first. For others, only the compiler's own failures count. Backends that few use fail on plain functions: they
//! are used only if their settings are named.

use llvm::execute::{MACHINES, Machine};

use crate::setting::Setting;
use crate::target::{Rotation, Schedule};

pub(super) const MACHINE: &str = "machine";
pub(super) const SELECTOR: &str = "isel";
pub(super) const LEVEL: &str = "opt";
pub(super) const VARIANT: &str = "cpu";

/// Instruction selectors, and the options that choose them. Fast is the one of level 0.
pub(super) const SELECTORS: [(&str, &[&str]); 2] =
    [("dag", &[]), ("global", &["-global-isel", "-global-isel-abort=2"])];

/// Machines whose GlobalISel selects most functions, and the first version in which it does.
const GLOBAL: [(&str, u32); 3] = [("aarch64", 13), ("x86_64", 20), ("riscv64", 19)];

/// Processors of machines that are executed, with a name for the setting. They need an emulator: not every
/// processor has their instructions.
pub(super) const VARIANTS: [(&str, &str, &str); 5] = [
    ("x86_64", "v3", "-mcpu=x86-64-v3"),
    ("aarch64", "a710", "-mattr=+v8.4a,+fullfp16"),
    ("riscv64", "b", "-mattr=+m,+a,+f,+d,+c,+zba,+zbb,+zbs"),
    ("s390x", "z15", "-mcpu=z15"),
    ("ppc64le", "pwr9", "-mcpu=pwr9"),
];

/// Further machines: name, triple, whether it is used without being named.
pub(super) const COMPILED: [(&str, &str, bool); 18] = [
    ("i686", "i686-unknown-linux-gnu", true),
    ("thumbv7m", "thumbv7m-none-eabi", true),
    ("riscv32", "riscv32-unknown-elf", true),
    ("ppc64", "powerpc64-unknown-linux-gnu", true),
    ("mips64el", "mips64el-unknown-linux-gnu", true),
    ("sparcv9", "sparcv9-unknown-linux-gnu", true),
    ("wasm32", "wasm32-unknown-unknown", true),
    ("hexagon", "hexagon-unknown-linux-musl", true),
    ("amdgcn", "amdgcn-amd-amdhsa", false),
    ("nvptx64", "nvptx64-nvidia-cuda", false),
    ("mips", "mips-unknown-linux-gnu", false),
    ("bpf", "bpfel", false),
    ("avr", "avr", false),
    ("msp430", "msp430", false),
    ("m68k", "m68k-unknown-linux-gnu", false),
    ("ve", "ve-unknown-linux-gnu", false),
    ("lanai", "lanai", false),
    ("xcore", "xcore", false),
];

/// The triple of a machine.
pub(super) fn triple(name: &str) -> Option<&'static str> {
    let compiled = || COMPILED.iter().find(|(it, ..)| *it == name).map(|(_, triple, _)| *triple);
    Machine::named(name).map(|it| it.triple).or_else(compiled)
}

fn setting(machine: &str, selector: &str, level: u32, variant: &str) -> Setting {
    let pairs = [
        (MACHINE, machine.to_owned()),
        (SELECTOR, selector.to_owned()),
        (LEVEL, level.to_string()),
        (VARIANT, variant.to_owned()),
    ];
    // The usual processor is not named.
    let pairs = pairs.into_iter().filter(|(name, value)| *name != VARIANT || value != "plain");
    let values: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_owned(), value)).collect();
    let class = machine.to_owned();
    Setting { class, ..Setting::of(values) }
}

/// The setting of a machine that trusts least.
pub(super) fn plain(machine: &str) -> Setting {
    setting(machine, "dag", 0, "plain")
}

/// The settings that every failure is examined with, the others, and their schedule.
pub(super) fn all(version: Option<u32>) -> (Vec<Setting>, Vec<Setting>, Schedule) {
    let version = version.unwrap_or(u32::MAX);
    let machines: Vec<&Machine> = MACHINES.iter().filter(|it| it.linked_since <= version).collect();
    let has_global = |name: &str| GLOBAL.iter().any(|(it, since)| *it == name && *since <= version);
    let (mut settings, mut occasional) = (vec![], vec![]);
    let mut global = vec![];
    for machine in &machines {
        for level in [0, 2] {
            settings.push(setting(machine.name, "dag", level, "plain"));
        }
        for level in [1, 3] {
            occasional.push(setting(machine.name, "dag", level, "plain"));
        }
        if has_global(machine.name) {
            for level in [0, 2] {
                global.push(setting(machine.name, "global", level, "plain"));
            }
            occasional.push(setting(machine.name, "global", 1, "plain"));
        }
    }
    for (name, variant, _) in VARIANTS {
        if machines.iter().any(|it| it.name == name) {
            occasional.push(setting(name, "dag", 2, variant));
            if has_global(name) {
                occasional.push(setting(name, "global", 2, variant));
            }
        }
    }
    let main: Vec<Setting> = settings.clone();
    settings.extend(global.iter().cloned());
    let (mut used, mut unused) = (vec![], vec![]);
    for (name, _, is_used) in COMPILED {
        let list = if is_used { &mut used } else { &mut unused };
        list.push(setting(name, "dag", 2, "plain"));
        list.push(setting(name, "dag", 0, "plain"));
    }
    let schedule = Schedule::Turns(vec![
        Rotation::singly(4, &main),
        Rotation::singly(2, &global),
        Rotation::singly(2, &occasional),
        Rotation::singly(1, &used),
    ]);
    occasional.extend(used);
    occasional.extend(unused);
    (settings, occasional, schedule)
}
