//! The sequencing crossover: a new function that calls two others, with data that flows between them.

use std::sync::Arc;

use forge::Entropy;

use super::constants::any_constant;
use super::fit::{Builder, can_fit};
use crate::ir::{
    Attributes, BinaryOp, Block, Body, Call, Code, Constant, FloatBinaryOp, Function, Header,
    Instruction, Local, LocalId, Module, Op, Operand, Parameter, Type,
};
use crate::refusal::Refusal;

/// How data flows between the two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// What the first returns is an argument of the second.
    Chained,
    /// Both get one pointer.
    SharedPointer,
    /// An operator joins what they return.
    Joined,
    /// Nothing flows.
    Apart,
}

/// Makes a function called `name` that calls both. `wanted` is how data should flow; where that is not
/// possible, another way is taken, and said.
pub fn sequence(
    module: &Module,
    name: &str,
    first: &Function,
    second: &Function,
    wanted: Strategy,
    entropy: &mut Entropy,
) -> Result<(Function, Strategy), Refusal> {
    if !is_callable(first) || !is_callable(second) {
        return Err(Refusal::NotCallable);
    }
    let possible = possible(first, second);
    let strategy = if possible.contains(&wanted) {
        wanted
    } else {
        entropy.pick(&possible).copied().unwrap_or(Strategy::Apart)
    };
    let mut maker = Maker { module, parameters: vec![], code: Code::default(), body: vec![] };
    let made = maker.make(first, second, strategy, entropy).ok_or(Refusal::Type)?;
    let returns = made.as_ref().map_or(Type::Void, |value| value.ty.clone());
    maker.body.push(Instruction::new(None, Op::Return, made.into_iter().collect()));
    Ok((maker.finish(name, returns), strategy))
}

/// Calling conventions that only the entry points of a machine have.
const UNCALLABLE: [&str; 12] = [
    "amdgpu_kernel",
    "amdgpu_cs",
    "amdgpu_ps",
    "amdgpu_vs",
    "amdgpu_gs",
    "amdgpu_hs",
    "amdgpu_es",
    "amdgpu_ls",
    "amdgpu_cs_chain",
    "amdgpu_cs_chain_preserve",
    "ptx_kernel",
    "spir_kernel",
];

/// Whether a plain call of a function is valid.
pub fn is_callable(function: &Function) -> bool {
    let special = ["swifterror", "inalloca", "preallocated", "swiftself", "nest", "byref"];
    let plain = |parameter: &Parameter| {
        let ty = &parameter.ty;
        ty.is_first_class()
            && !matches!(ty, Type::Token | Type::Other(_))
            && !special.iter().any(|name| parameter.attributes.has(name))
    };
    let convention = convention(&function.header);
    let interrupts = ["intrcc", "avr_intrcc", "avr_signalcc", "msp430_intrcc", "x86_intrcc"];
    function.code().is_some()
        && !function.header.variadic
        && !function.header.address.contains("addrspace")
        && !convention.as_deref().is_some_and(|it| {
            UNCALLABLE.contains(&it) || interrupts.contains(&it) || it.starts_with("amdgpu_")
        })
        && !matches!(function.header.returns, Type::Token | Type::Other(_))
        && !function.header.attributes.has("presplitcoroutine")
        && function.header.parameters.iter().all(plain)
}

/// The calling convention in the words before the result: `fastcc`, `cc 10`.
fn convention(header: &Header) -> Option<Arc<str>> {
    let mut words = header.prefix.split_whitespace();
    while let Some(word) = words.next() {
        if word == "cc" {
            return words.next().map(|number| format!("cc {number}").into());
        }
        let is_linkage = ["dso_local", "internal", "private", "linkonce_odr", "weak_odr"];
        if (word.ends_with("cc") || word.starts_with("amdgpu_") || word.ends_with("_kernel"))
            && !is_linkage.contains(&word)
        {
            return Some(word.into());
        }
        if ["spir_func", "ptx_device"].contains(&word) || word.starts_with("aarch64_") {
            return Some(word.into());
        }
    }
    None
}

/// The ways in which data can flow from one to the other.
fn possible(first: &Function, second: &Function) -> Vec<Strategy> {
    let has_pointer =
        |function: &Function| function.header.parameters.iter().any(|it| it.ty == Type::POINTER);
    let returns = (&first.header.returns, &second.header.returns);
    let chains = second.header.parameters.iter().any(|it| can_fit(returns.0, &it.ty));
    let joins = can_fit(returns.0, returns.1)
        && matches!(returns.1.lane(), Type::Int(_) | Type::Float(_))
        && *returns.0 != Type::Void;
    let mut fitting = vec![];
    if chains && *returns.0 != Type::Void {
        fitting.push(Strategy::Chained);
    }
    if has_pointer(first) && has_pointer(second) {
        fitting.push(Strategy::SharedPointer);
    }
    if joins {
        fitting.push(Strategy::Joined);
    }
    if fitting.is_empty() {
        fitting.push(Strategy::Apart);
    }
    fitting
}

/// The function under construction.
struct Maker<'a> {
    module: &'a Module,
    parameters: Vec<Parameter>,
    /// Its locals. Parameters are found by name at the end, when all are known.
    code: Code,
    body: Vec<Instruction>,
}

impl Maker<'_> {
    /// Both calls, and what the function returns.
    fn make(
        &mut self,
        first: &Function,
        second: &Function,
        strategy: Strategy,
        entropy: &mut Entropy,
    ) -> Option<Option<Operand>> {
        let shared = match strategy {
            Strategy::SharedPointer if entropy.chance(1, 2) => Some(self.slot()),
            Strategy::SharedPointer => Some(self.pointer()),
            _ => None,
        };
        let first_result = self.call(first, shared.as_ref(), None, entropy)?;
        let chained = first_result.clone().filter(|_| strategy == Strategy::Chained);
        let second_result = self.call(second, shared.as_ref(), chained.as_ref(), entropy)?;
        Some(match (strategy, first_result, second_result) {
            (Strategy::Joined, Some(first), Some(second)) => {
                Some(self.join(&first, second, entropy)?)
            }
            (_, first, second) => second.or(first),
        })
    }

    /// A pointer that whoever calls the function may know.
    fn pointer(&mut self) -> Operand {
        let plain = Parameter { ty: Type::POINTER, attributes: Attributes::default() };
        self.parameter(&plain)
    }

    /// A slot of 64 bytes on the stack, aligned as anything may need it.
    fn slot(&mut self) -> Operand {
        let op = Op::Alloca {
            of: Type::Array { length: 64, of: Arc::new(Type::Int(8)) },
            align: Some(16),
            space: 0,
            modifier: None,
        };
        let local = self.code.add_local("slot", Type::POINTER);
        self.body.push(Instruction::new(Some(local), op, vec![]));
        Operand::local(Type::POINTER, local)
    }

    fn parameter(&mut self, like: &Parameter) -> Operand {
        let local = self.code.add_local("a", like.ty.clone());
        let mut attributes = like.attributes.clone();
        for name in ["returned", "sret", "byval"] {
            attributes.remove(name);
        }
        self.parameters.push(Parameter { ty: like.ty.clone(), attributes });
        Operand::local(like.ty.clone(), local)
    }

    /// Calls a function. One pointer and one value may be given; other arguments are constants or
    /// parameters.
    fn call(
        &mut self,
        function: &Function,
        shared: Option<&Operand>,
        chained: Option<&Operand>,
        entropy: &mut Entropy,
    ) -> Option<Option<Operand>> {
        let header = &function.header;
        let chain_at: Vec<usize> = (0..header.parameters.len())
            .filter(|at| chained.is_some_and(|it| can_fit(&it.ty, &header.parameters[*at].ty)))
            .collect();
        let chain_at = entropy.pick(&chain_at).copied();
        let mut arguments = vec![];
        for (at, parameter) in header.parameters.iter().enumerate() {
            if let (true, Some(value)) = (chain_at == Some(at), chained) {
                let mut builder = Builder::new(&mut self.code);
                let fitted = builder.fit(value, &parameter.ty, entropy)?;
                self.body.append(&mut builder.instructions);
                arguments.push(fitted);
                continue;
            }
            let shared = shared.filter(|shared| shared.ty == parameter.ty);
            let constant = (!parameter.ty.is_pointer() && entropy.chance(1, 3))
                .then(|| any_constant(self.module, &parameter.ty, entropy))
                .flatten();
            arguments.push(match (shared, constant) {
                (Some(shared), _) => shared.clone(),
                (None, Some(constant)) => Operand::constant(parameter.ty.clone(), constant),
                (None, None) => self.parameter(parameter),
            });
        }
        let call = Call {
            tail: None,
            convention: convention(header),
            return_attributes: Attributes::default(),
            space: None,
            returns: header.returns.clone(),
            signature: None,
            argument_attributes: header.parameters.iter().map(passed).collect(),
            attributes: Attributes::default(),
            bundles: vec![],
            is_asm: false,
        };
        let callee = Constant::Global(Arc::clone(&header.name));
        arguments.push(Operand::constant(Type::POINTER, callee));
        let has_result = header.returns != Type::Void;
        let result = has_result.then(|| self.code.add_local("r", header.returns.clone()));
        self.body.push(Instruction::new(result, Op::Call(Arc::new(call)), arguments));
        Some(result.map(|result| Operand::local(header.returns.clone(), result)))
    }

    fn join(&mut self, first: &Operand, second: Operand, entropy: &mut Entropy) -> Option<Operand> {
        let mut builder = Builder::new(&mut self.code);
        let first = builder.fit(first, &second.ty, entropy)?;
        let ty = second.ty.clone();
        let op = match ty.lane() {
            Type::Int(_) => {
                // Division would be undefined for most of what the functions return.
                let ops: Vec<BinaryOp> = BinaryOp::ALL
                    .iter()
                    .copied()
                    .filter(|op| !op.word().ends_with("div") && !op.word().ends_with("rem"))
                    .collect();
                Op::Binary(*entropy.pick(&ops)?)
            }
            Type::Float(_) => Op::FloatBinary(*entropy.pick(FloatBinaryOp::ALL)?),
            _ => {
                self.body.append(&mut builder.instructions);
                return Some(second);
            }
        };
        let joined = builder.add("joined", ty, op, vec![first, second]);
        self.body.append(&mut builder.instructions);
        Some(joined)
    }

    /// The function. Its parameters become the first locals.
    fn finish(self, name: &str, returns: Type) -> Function {
        let is_parameter: Vec<bool> = {
            let defined: Vec<LocalId> = self.body.iter().filter_map(|it| it.result).collect();
            (0..self.code.locals.len() as u32).map(|at| !defined.contains(&LocalId(at))).collect()
        };
        let order: Vec<usize> = (0..is_parameter.len())
            .filter(|at| is_parameter[*at])
            .chain((0..is_parameter.len()).filter(|at| !is_parameter[*at]))
            .collect();
        let locals: Vec<Local> = order.iter().map(|at| self.code.locals[*at].clone()).collect();
        let moved = |local: LocalId| {
            let place = order.iter().position(|at| *at == local.0 as usize).unwrap_or(0);
            LocalId(place as u32)
        };
        let mut instructions = self.body;
        for instruction in &mut instructions {
            instruction.result = instruction.result.map(moved);
            for operand in &mut instruction.operands {
                if let Some(local) = operand.as_local() {
                    *operand = Operand::local(operand.ty.clone(), moved(local));
                }
            }
        }
        let header = Header {
            name: name.into(),
            prefix: "".into(),
            return_attributes: Attributes::default(),
            returns,
            parameters: self.parameters,
            variadic: false,
            address: "".into(),
            attributes: Attributes::default(),
            suffix: "".into(),
            metadata: vec![],
        };
        let blocks = vec![Block { name: "entry".into(), instructions }];
        Function { header, body: Body::Code(Code { locals, blocks }) }
    }
}

/// The attributes with which an argument must be passed.
fn passed(parameter: &Parameter) -> Attributes {
    let needed = ["byval", "sret", "inreg", "signext", "zeroext"];
    let is_copy = parameter.attributes.has("byval") || parameter.attributes.has("sret");
    let kept = parameter.attributes.0.iter().filter(|it| {
        needed.contains(&it.name()) || (is_copy && ["align", "alignstack"].contains(&it.name()))
    });
    Attributes(kept.cloned().collect())
}
