//! Prepares functions for a machine: attributes that name processors or promise more than the body does go, and
//! functions with parts that belong to another machine or another stage of a compiler are refused.

use super::globals;
use super::plan::passing;
use crate::ir::{Attribute, FloatKind, Function, Header, Module, Type};
use crate::library::is_known_by_name;

/// Calling conventions that every machine has.
const CONVENTIONS: [&str; 4] = ["ccc", "fastcc", "coldcc", ""];

/// What occurs in the text of functions that only some machines, front ends or earlier stages know.
const FOREIGN: &[&str] = &[
    "addrspace(",
    "vscale x",
    "x86_fp80",
    "ppc_fp128",
    "x86_amx",
    "x86_mmx",
    "target(\"",
    " asm ",
    "musttail",
    "callbr",
    "catchpad",
    "cleanuppad",
    "catchswitch",
    "token",
    "swifterror",
    "inalloca",
    "preallocated",
    " gc \"",
    "naked",
    "presplitcoroutine",
    "blockaddress",
    "indirectbr",
    "byref",
    "swiftasync",
    "prologue",
    "notail",
    "dllimport",
    "personality ptr null",
];

/// First words of the names of intrinsics that belong to one machine, or that an earlier pass lowers.
const STAGES: &[&str] = &[
    "aarch64",
    "amdgcn",
    "arm",
    "bpf",
    "dx",
    "hexagon",
    "loongarch",
    "mips",
    "nvvm",
    "ppc",
    "r600",
    "riscv",
    "s390",
    "spv",
    "ve",
    "wasm",
    "x86",
    "xcore",
    "coro",
    "matrix",
    "type",
    "public",
    "objc",
    "ptrauth",
    "swift",
    "eh",
    "localescape",
    "localaddress",
    "localrecover",
    "preserve",
    "call",
    "icall",
    "gcread",
    "gcroot",
    "gcwrite",
    "instrprof",
    "asan",
    "hwasan",
    "sponentry",
    "frameaddress",
    "returnaddress",
    "addressofreturnaddress",
    "read_register",
    "write_register",
    "clear_cache",
    "init",
    "adjust",
    "xray",
    "va_start",
    "va_end",
    "va_copy",
    "vastart",
    "vaend",
    "vacopy",
    "bitset",
    "stackprotector",
    "stackguard",
    "allow",
    "fake",
    "speculative",
    "aarch32",
    "read_volatile_register",
    "thread",
    "threadlocal",
    "customevent",
    "typedevent",
    "structured",
    "experimental",
    "vp",
    "vscale",
    "loop",
    "test",
    "set",
    "start",
    "arithmetic",
    "start_loop",
    "fptrunc",
];

/// Function attributes that only change what is emitted around the body, or promise something about it.
const REMOVED: &[&str] = &[
    "ssp",
    "sspstrong",
    "sspreq",
    "memory",
    "readnone",
    "readonly",
    "writeonly",
    "argmemonly",
    "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly",
    "safestack",
    "shadowcallstack",
    "sanitize_address",
    "sanitize_thread",
    "sanitize_memory",
    "sanitize_hwaddress",
    "sanitize_memtag",
    "sanitize_realtime",
    "sanitize_numerical_stability",
    "sanitize_type",
    "nocf_check",
    "jumptable",
];

/// The module for a machine: its own triple and data layout are replaced. One that is executed gets definitions of all
/// variables.
pub fn prepare(module: &Module, triple: &str, data_layout: &str, is_executed: bool) -> Module {
    let mut module = module.clone();
    if is_executed {
        globals::define(&mut module);
    }
    module.triple = Some(triple.into());
    module.data_layout = Some(data_layout.into());
    define_unknown(&mut module);
    for function in &mut module.functions {
        let header = &mut function.header;
        header.prefix = convention(&header.prefix).unwrap_or("").into();
        header.attributes.0.retain(|attribute| !REMOVED.contains(&attribute.name()));
    }
    let functions = module.functions.iter_mut().map(|it| &mut it.header);
    let declarations = module.declarations.iter_mut().map(|it| &mut it.header);
    for header in functions.chain(declarations) {
        let is_text = |it: &Attribute| matches!(it, Attribute::Text(it) if it.starts_with('"'));
        header.attributes.0.retain(|attribute| !is_text(attribute));
    }
    module
}

/// Gives bodies to functions that a module only declares, so that calls of them have a known answer: the first
/// argument of the type of the result, or zero. Code generators do not look into callees.
fn define_unknown(module: &mut Module) {
    let mut defined = vec![];
    module.declarations.retain(|declaration| match stub(&declaration.header) {
        Some(function) => {
            defined.push(function);
            false
        }
        None => true,
    });
    module.functions.append(&mut defined);
}

fn stub(header: &Header) -> Option<Function> {
    let Header { name, returns, parameters, .. } = header;
    let convention = convention(&header.prefix).unwrap_or("");
    let has = |attribute: &str| header.attributes.has(attribute);
    let is_other = header.variadic || has("noreturn") || is_known_by_name(name);
    if is_other || !CONVENTIONS.contains(&convention) || !header.suffix.is_empty() {
        return None;
    }
    let answer = parameters.iter().position(|parameter| parameter.ty == *returns);
    let answer = match (returns, answer) {
        (Type::Void, _) => "ret void".to_owned(),
        (_, Some(index)) => format!("ret {returns} %p{index}"),
        (Type::Int(_), None) => format!("ret {returns} 0"),
        (Type::Pointer { .. }, None) => format!("ret {returns} null"),
        (Type::Vector { .. } | Type::Array { .. } | Type::Struct { .. } | Type::Float(_), None) => {
            format!("ret {returns} zeroinitializer")
        }
        _ => return None,
    };
    let parameter = |(index, parameter): (usize, &crate::ir::Parameter)| {
        let passing = passing(&parameter.attributes);
        format!("{} {passing}%p{index}", parameter.ty)
    };
    let parameters: Vec<String> = parameters.iter().enumerate().map(parameter).collect();
    let passing = passing(&header.return_attributes);
    let text = format!(
        "define {convention} {passing}{returns} @\"{name}\"({}) {{\nentry:\n  {answer}\n}}\n",
        parameters.join(", ")
    );
    // Named types and whatever else cannot be read stay declarations.
    if text.contains("%\"")
        || header.parameters.iter().any(|it| is_special(&it.ty))
        || is_special(returns)
    {
        return None;
    }
    let function = Module::parse(&text).ok()?.functions.pop()?;
    function.code()?;
    Some(function)
}

/// Types that a body cannot be made for.
fn is_special(ty: &Type) -> bool {
    match ty {
        Type::Void | Type::Int(_) => false,
        Type::Float(kind) => matches!(kind, FloatKind::X86Fp80 | FloatKind::PpcFp128),
        Type::Pointer { space, .. } => *space != 0,
        Type::Vector { scalable, of, .. } => *scalable || is_special(of),
        Type::Array { of, .. } => is_special(of),
        Type::Struct { fields, .. } => fields.iter().any(is_special),
        _ => true,
    }
}

/// Whether the exponent of `ldexp` and `powi` is not an `int`: not all targets support all types.
fn has_odd_exponent(text: &str) -> bool {
    ["@llvm.ldexp.", "@llvm.powi.", "@llvm.frexp."].iter().any(|name| {
        let calls = text.split(name).skip(1);
        calls.filter_map(|rest| rest.split('(').next()).any(|types| {
            let width = types.rsplit('.').next().unwrap_or_default();
            !width.ends_with("i32")
        })
    })
}

/// The calling convention in what stands before the result.
fn convention(prefix: &str) -> Option<&str> {
    prefix.split_whitespace().find(|word| word.ends_with("cc") || word.starts_with("cc"))
}

/// Why a code generator need not compile a module, if a part of it belongs to one machine or to an earlier stage.
pub fn unfit(module: &Module) -> Option<String> {
    if module.has_typed_pointers {
        return Some("pointers with types".to_owned());
    }
    for function in &module.functions {
        let convention = convention(&function.header.prefix).unwrap_or("");
        if !CONVENTIONS.contains(&convention) {
            return Some(format!("the calling convention {convention}"));
        }
        let text = module.text_of(function);
        if let Some(foreign) = FOREIGN.iter().find(|it| text.contains(*it)) {
            return Some(format!("code with {}", foreign.trim()));
        }
        if has_odd_exponent(&text) {
            return Some("exponents of other types than i32".to_owned());
        }
        let intrinsics = text.split("@llvm.").skip(1);
        let kind = |rest: &str| rest.split(['.', '(', ' ', ',', ')']).next().map(str::to_owned);
        if let Some(kind) = intrinsics.filter_map(kind).find(|it| STAGES.contains(&it.as_str())) {
            return Some(format!("intrinsics of {kind}"));
        }
    }
    let is_special = |global: &&crate::ir::Global| {
        global.space != 0
            || global.prefix.contains("thread_local")
            || global.name.starts_with("llvm.")
    };
    let special = module.globals.iter().find(is_special);
    special.map(|global| format!("the global variable {}", global.name))
}
