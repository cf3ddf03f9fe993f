//! Checks that a function of an optimised module refines the function of the same name before: the prover
//! decides for all inputs where it can, the interpreter on some inputs where it cannot. A failure counts if the
//! interpreter sees it: it says *unknown* wherever its runs are not all that the source may do. A counterexample
//! of the prover that the interpreter does not confirm is unknown, too.

use std::sync::Arc;

use forge::{Entropy, Excess};

use crate::interpret::{Input, Lane, Program, Value};
use crate::ir::{Attributes, Function, Header, Module, Type};
use crate::prove::{ArgumentLane, Counterexample, Limits, Proof, Side, prove};
use crate::refine::{Check, Failure, Pair, inputs, roomy_inputs};

/// The result of a refinement check of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The function is the same as before.
    Unchanged,
    /// For all inputs.
    Proven,
    /// On so many inputs on which the source is defined.
    Tested {
        inputs: u32,
    },
    /// What the target does beyond its source; the input, what the source allows, and what the target does.
    Fails(Excess, String),
    /// Only its callers in the module tell whether it is right: it is discardable and gone, or it is internal, and its
    /// signature or what it does follows from how it is called.
    LeftToCallers,
    Unknown(Arc<str>),
}

/// How many answers of unknown functions are tried with the input of a counterexample.
const ANSWERS: u64 = 8;

/// What is asked of a check.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub limits: Limits,
    /// How many inputs a function is run on if the prover does not decide.
    pub inputs: usize,
    /// How many steps a run may take.
    pub steps: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { limits: Limits::default(), inputs: 16, steps: 5000 }
    }
}

impl Effort {
    /// For one of many functions: hard ones are left out. One in twenty takes most of the prover's time, and
    /// loops without an end most of the interpreter's. A third of all circuits is too large for any limit of use, and
    /// what it takes to see that grows with the limit.
    pub fn quick() -> Self {
        let limits =
            Limits { conflicts: 30, gates: 2_000, clauses: 3_000, rounds: 4, ..Limits::default() };
        Self { limits, inputs: 8, steps: 1500 }
    }
}

/// Checks one function.
pub fn check(source: &Module, target: &Module, name: &str, effort: Effort) -> Checked {
    match (source.function(name), target.function(name)) {
        (Some(before), Some(after)) if is_same(before, after) => Checked::Unchanged,
        _ => judge(source, target, name, effort),
    }
}

/// What passes conclude about functions and parameters, and no oracle reads of an optimised function: it is as it was if
/// nothing else changed.
const CONCLUSIONS: [&str; 18] = [
    "argmemonly",
    "captures",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "memory",
    "mustprogress",
    "nocallback",
    "nocapture",
    "nocreateundeforpoison",
    "nofree",
    "norecurse",
    "nosync",
    "nounwind",
    "readnone",
    "readonly",
    "uwtable",
    "willreturn",
    "writeonly",
];

/// Whether a function does what it did by its very text. What the pass concluded may be wrong, but no run can show it.
fn is_same(before: &Function, after: &Function) -> bool {
    let (old, new) = (&before.header, &after.header);
    let same = |old: &Attributes, new: &Attributes, conclusions: &[&str]| {
        let differs = |a: &Attributes, b: &Attributes| {
            a.0.iter().any(|it| !conclusions.contains(&it.name()) && !b.0.contains(it))
        };
        old == new || !(differs(old, new) || differs(new, old))
    };
    let parameters = || {
        old.parameters.len() == new.parameters.len()
            && old.parameters.iter().zip(&new.parameters).all(|(old, new)| {
                // What a parameter is read or written by is checked by runs.
                let conclusions = ["captures", "nocapture", "nofree"];
                old.ty == new.ty && same(&old.attributes, &new.attributes, &conclusions)
            })
    };
    old.prefix == new.prefix
        && old.returns == new.returns
        && old.variadic == new.variadic
        && old.suffix == new.suffix
        && same(&old.return_attributes, &new.return_attributes, &[])
        && same(&old.attributes, &new.attributes, &CONCLUSIONS)
        && parameters()
        && before.body == after.body
}

/// Checks one function, even if it is the same as before.
pub fn judge(source: &Module, target: &Module, name: &str, effort: Effort) -> Checked {
    let (before, after) = match (source.function(name), target.function(name)) {
        (Some(before), Some(after)) => (before, after),
        (Some(before), None) if is_discardable(&before.header) => return Checked::LeftToCallers,
        _ => return Checked::Unknown("the function is gone".into()),
    };
    let types = |header: &Header| {
        let parameters: Vec<Type> = header.parameters.iter().map(|it| it.ty.clone()).collect();
        (parameters, header.returns.clone(), header.variadic)
    };
    if types(&before.header) != types(&after.header) {
        if is_internal(&before.header) {
            return Checked::LeftToCallers;
        }
        return Checked::Unknown("the signature changed".into());
    }
    // Only the prover finds failures for undef arguments.
    let limits = match effort.limits.undef_arguments {
        true => Limits { undef_arguments: true, ..Limits::default() },
        false => effort.limits,
    };
    let proof = prove(
        Side { module: source, function: before },
        Side { module: target, function: after },
        limits,
    );
    if proof == Proof::Holds {
        return Checked::Proven;
    }
    // The interpreter cannot enumerate what a source does with undef arguments; the prover can.
    if let Proof::Fails(counterexample) = &proof
        && counterexample.is_exact
        && has_undef(counterexample)
    {
        let shown = format!("with arguments {:?}", counterexample.arguments);
        // Undef is what is wrong with it, so it is told apart from what fails without.
        return Checked::Fails(Excess::PoisonForUndef, shown);
    }
    let program = Program::new(source, before);
    let mut entropy = Entropy::keyed(0);
    let mut all = match &proof {
        Proof::Fails(counterexample) => replays(source, &before.header, counterexample),
        Proof::Holds | Proof::Unknown(_) => vec![],
    };
    let mut drawn = inputs(&program, before, effort.inputs, &mut entropy);
    if !effort.limits.undef_arguments {
        drawn.iter_mut().flat_map(|input| &mut input.arguments).for_each(without_undef);
    }
    all.append(&mut drawn);
    let pair = Pair::new(program, Program::new(target, after)).with_steps(effort.steps);
    let mut checked = pair.check(&all);
    if matches!(checked, Check::Holds(tally) if tally.agreed == 0) {
        let mut more = roomy_inputs(pair.source(), before, effort.inputs, &mut entropy);
        more.iter_mut().flat_map(|input| &mut input.arguments).for_each(without_undef);
        checked = pair.check(&more);
    }
    match checked {
        Check::Fails(_) if is_internal(&before.header) => Checked::LeftToCallers,
        // LLVM has many known failures for undef, and is about to drop it.
        Check::Fails(failure) if failure.has_undef && !effort.limits.undef_arguments => {
            Checked::Unknown("undef in the input".into())
        }
        Check::Fails(failure) => Checked::Fails(failure.excess, shown(&failure)),
        Check::Holds(_) if matches!(&proof, Proof::Fails(it) if it.is_exact) => {
            Checked::Unknown("a counterexample of the prover that no run confirms".into())
        }
        Check::Holds(tally) if tally.agreed > 0 => Checked::Tested { inputs: tally.agreed },
        Check::Holds(_) => Checked::Unknown("undefined on all inputs that were tried".into()),
        // The interpreter has models of more than the prover: its reason is the one to work on.
        Check::Unknown(reason) => Checked::Unknown(reason.to_string().into()),
    }
}

/// Interprocedural passes may rely on what all callers of an internal function do.
fn is_internal(header: &Header) -> bool {
    header.prefix.split_whitespace().any(|word| matches!(word, "internal" | "private"))
}

/// A function that may be removed if nothing in the module uses it.
fn is_discardable(header: &Header) -> bool {
    let linkages = ["linkonce", "linkonce_odr", "available_externally"];
    is_internal(header) || header.prefix.split_whitespace().any(|word| linkages.contains(&word))
}

fn shown(failure: &Failure) -> String {
    let Failure { input, source, target, difference, .. } = failure;
    format!("with {input}\nsource: {source}\ntarget: {target}\n{difference}")
}

/// The inputs of a counterexample, with several answers of unknown functions. None where a parameter is a
/// pointer: the prover has addresses, and no memory behind them.
fn replays(module: &Module, header: &Header, counterexample: &Counterexample) -> Vec<Input> {
    let mut arguments = vec![];
    for (parameter, lanes) in header.parameters.iter().zip(&counterexample.arguments) {
        let mut lanes = lanes.iter();
        match value(module, &parameter.ty, &mut lanes) {
            Some(value) => arguments.push(value),
            None => return vec![],
        }
    }
    let input = |answers| Input { arguments: arguments.clone(), blocks: vec![], answers };
    (0..ANSWERS).map(input).collect()
}

/// A value of a type from its lanes.
fn value(
    module: &Module,
    ty: &Type,
    lanes: &mut std::slice::Iter<'_, ArgumentLane>,
) -> Option<Value> {
    let mut many = |types: &[&Type]| {
        let values = types.iter().map(|ty| value(module, ty, lanes));
        values.collect::<Option<Box<[Value]>>>().map(Value::Many)
    };
    match ty {
        Type::Vector { lanes, scalable: false, of } => many(&vec![&**of; *lanes as usize]),
        Type::Array { length, of } => many(&vec![&**of; usize::try_from(*length).ok()?]),
        Type::Struct { fields, .. } => many(&fields.iter().collect::<Vec<_>>()),
        Type::Named(name) => value(module, module.definition(name)?, lanes),
        Type::Int(_) | Type::Float(_) => Some(Value::Lane(match lanes.next()? {
            ArgumentLane::Poison => Lane::Poison,
            ArgumentLane::Undef => Lane::Undef,
            ArgumentLane::Bits(bits) => Lane::Bits(*bits),
        })),
        _ => None,
    }
}

fn has_undef(counterexample: &Counterexample) -> bool {
    counterexample.arguments.iter().flatten().any(|lane| *lane == ArgumentLane::Undef)
}

fn without_undef(value: &mut Value) {
    match value {
        Value::Lane(lane @ Lane::Undef) => *lane = Lane::Poison,
        Value::Lane(_) => {}
        Value::Many(many) => many.iter_mut().for_each(without_undef),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(before: &str, after: &str) -> Checked {
        let (before, after) = (Module::parse(before).unwrap(), Module::parse(after).unwrap());
        check(&before, &after, "f", Effort::quick())
    }

    #[test]
    fn a_function_about_which_something_is_concluded_is_unchanged() {
        let text = |parameter: &str, behind: &str| {
            format!(
                "define i8 @f(ptr {parameter} %p) {behind} {{\n  %r = load i8, ptr %p, align 1\n  ret i8 %r\n}}\n"
            )
        };
        let (before, after) =
            (text("", ""), text("captures(none)", "nounwind memory(argmem: read)"));
        assert_eq!(checked(&before, &after), Checked::Unchanged);
        // These are promises that oracles may read.
        for (parameter, behind) in [("readnone", ""), ("noundef", ""), ("", "noreturn")] {
            assert_ne!(checked(&before, &text(parameter, behind)), Checked::Unchanged);
        }
        assert_ne!(checked(&before, &after.replace("ret i8 %r", "ret i8 0")), Checked::Unchanged);
    }
}
