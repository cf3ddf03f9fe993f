//! The sequencing crossover: a new function that calls two others, with data that flows between them.

use std::sync::Arc;

use forge::Entropy;

use super::constants::any_constant;
use super::fit::{Builder, can_fit};
use crate::ir::{
    Attributes, BinaryOp, Block, Body, Call, Code, Constant, FloatBinaryOp, Function, Header,
    Instruction, Local, LocalId, Module, Op, Operand, Parameter, Type,
};

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

/// Adds a function called `name` that calls both. None if one of them cannot be called. Says how the data
/// flows.
pub fn sequence(
    module: &mut Module,
    name: &str,
    first: &str,
    second: &str,
    entropy: &mut Entropy,
) -> Option<Strategy> {
    let (first, second) = (module.function(first)?.clone(), module.function(second)?.clone());
    if !is_callable(&first) || !is_callable(&second) {
        return None;
    }
    let strategy = choose(&first, &second, entropy);
    let mut maker = Maker { module, parameters: vec![], code: Code::default(), body: vec![] };
    let shared = (strategy == Strategy::SharedPointer).then(|| maker.slot());
    let first_result = maker.call(&first, shared.as_ref(), None, entropy)?;
    let chained = first_result.clone().filter(|_| strategy == Strategy::Chained);
    let second_result = maker.call(&second, shared.as_ref(), chained.as_ref(), entropy)?;
    let result = match (strategy, first_result, second_result) {
        (Strategy::Joined, Some(first), Some(second)) => Some(maker.join(&first, second, entropy)?),
        (_, first, second) => second.or(first),
    };
    let returns = result.as_ref().map_or(Type::Void, |value| value.ty.clone());
    maker.body.push(Instruction::new(None, Op::Return, result.into_iter().collect()));
    let function = maker.finish(name, returns);
    module.functions.push(function);
    Some(strategy)
}

fn is_callable(function: &Function) -> bool {
    let special = ["swifterror", "inalloca", "preallocated", "swiftself", "byval", "nest", "sret"];
    let plain = |parameter: &Parameter| {
        let ty = &parameter.ty;
        ty.is_first_class()
            && !matches!(ty, Type::Token | Type::Other(_))
            && !special.iter().any(|name| parameter.attributes.has(name))
    };
    let conventions =
        ["cc", "ghccc", "amdgpu_kernel", "ptx_kernel", "coldcc", "fastcc", "swifttailcc"];
    let has_convention = function.header.prefix.split(' ').any(|word| {
        conventions.contains(&word) || word.ends_with("cc") || word.starts_with("amdgpu")
    });
    function.code().is_some()
        && !function.header.variadic
        && !has_convention
        && !matches!(function.header.returns, Type::Token | Type::Other(_))
        && !function.header.attributes.has("presplitcoroutine")
        && function.header.parameters.iter().all(plain)
}

fn choose(first: &Function, second: &Function, entropy: &mut Entropy) -> Strategy {
    let has_pointer =
        |function: &Function| function.header.parameters.iter().any(|it| it.ty == Type::POINTER);
    let returns = (&first.header.returns, &second.header.returns);
    let chains = second.header.parameters.iter().any(|it| can_fit(returns.0, &it.ty));
    let joins = can_fit(returns.0, returns.1) && *returns.0 != Type::Void;
    let mut fitting = vec![];
    if chains && *returns.0 != Type::Void {
        fitting.extend([Strategy::Chained; 3]);
    }
    if has_pointer(first) && has_pointer(second) {
        fitting.extend([Strategy::SharedPointer; 3]);
    }
    if joins {
        fitting.extend([Strategy::Joined; 2]);
    }
    entropy.pick(&fitting).copied().unwrap_or(Strategy::Apart)
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
        attributes.remove("returned");
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
            convention: None,
            return_attributes: Attributes::default(),
            space: None,
            returns: header.returns.clone(),
            signature: None,
            argument_attributes: vec![Attributes::default(); arguments.len()],
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
