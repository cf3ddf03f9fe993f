//! WebAssembly, through the interpreter wasmi. It does not depend on the compiler that emitted a module; what
//! the results mean is left to the targets.

use num_bigint::BigInt;
use wasmi::{Config, Engine, Error, Func, Instance, Linker, Module, Store, TrapCode, Val};

/// More than any generated program uses: their loops have few iterations.
const FUEL: u64 = 5_000_000;

/// An instantiated module.
#[derive(Debug)]
pub struct Wasm {
    store: Store<()>,
    instance: Instance,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The bits of the result.
    Word(u64),
    /// With the name that the specification uses.
    Trap(&'static str),
    /// It ran out of fuel.
    Endless,
    /// There is no such function, or it has different parameters.
    Missing(String),
}

/// The module is not valid WebAssembly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the module is not valid: {0}")]
pub struct Invalid(String);

impl Wasm {
    pub fn load(binary: &[u8]) -> Result<Self, Invalid> {
        let mut config = Config::default();
        config.consume_fuel(true).floats(false);
        let engine = Engine::new(&config);
        let invalid = |error: Error| Invalid(error.to_string());
        let module = Module::new(&engine, binary).map_err(invalid)?;
        let mut store = Store::new(&engine, ());
        store.set_fuel(FUEL).map_err(invalid)?;
        let linker = Linker::new(&engine);
        let instance = linker.instantiate_and_start(&mut store, &module).map_err(invalid)?;
        Ok(Self { store, instance })
    }

    /// Calls an exported function whose parameters and result are integers.
    pub fn call(&mut self, name: &str, arguments: &[BigInt]) -> Answer {
        let Some(function) = self.instance.get_func(&self.store, name) else {
            return Answer::Missing(format!("there is no function `{name}`"));
        };
        let Some(words) = self.words(function, arguments) else {
            return Answer::Missing(format!("`{name}` has other parameters"));
        };
        let mut results = [Val::I32(0)];
        let called = self
            .store
            .set_fuel(FUEL)
            .and_then(|()| function.call(&mut self.store, &words, &mut results));
        match (called, &results[0]) {
            (Ok(()), Val::I32(word)) => Answer::Word(u64::from(*word as u32)),
            (Ok(()), Val::I64(word)) => Answer::Word(*word as u64),
            (Ok(()), _) => Answer::Missing(format!("`{name}` gives no integer")),
            (Err(error), _) => match error.as_trap_code() {
                Some(TrapCode::OutOfFuel) => Answer::Endless,
                Some(code) => Answer::Trap(trap(code)),
                None => Answer::Missing(error.to_string()),
            },
        }
    }

    fn words(&self, function: Func, arguments: &[BigInt]) -> Option<Vec<Val>> {
        let kind = function.ty(&self.store);
        if kind.params().len() != arguments.len() {
            return None;
        }
        let word = |(kind, number): (&wasmi::ValType, &BigInt)| {
            let low = number & BigInt::from(u64::MAX);
            let low = u64::try_from(&low).ok()?;
            match kind {
                wasmi::ValType::I32 => Some(Val::I32(low as i32)),
                wasmi::ValType::I64 => Some(Val::I64(low as i64)),
                _ => None,
            }
        };
        kind.params().iter().zip(arguments).map(word).collect()
    }
}

fn trap(code: TrapCode) -> &'static str {
    match code {
        TrapCode::IntegerDivisionByZero => "integer divide by zero",
        TrapCode::IntegerOverflow => "integer overflow",
        TrapCode::UnreachableCodeReached => "unreachable",
        TrapCode::StackOverflow => "call stack exhausted",
        _ => "another trap",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(body: &str) -> Wasm {
        let text = format!("(module (func (export \"f\") (param i32 i64) (result i64) {body}))");
        Wasm::load(&wat::parse_str(text).unwrap()).unwrap()
    }

    fn call(body: &str, a: i64, b: i128) -> Answer {
        instance(body).call("f", &[BigInt::from(a), BigInt::from(b)])
    }

    #[test]
    fn arguments_and_results_are_words() {
        let sum = "(i64.add (i64.extend_i32_u (local.get 0)) (local.get 1))";
        assert_eq!(call(sum, 0xffff_ffff, 1), Answer::Word(1 << 32));
        assert_eq!(call(sum, 0, u64::MAX.into()), Answer::Word(u64::MAX));
        assert_eq!(call(sum, 0, -1), Answer::Word(u64::MAX));
    }

    #[test]
    fn traps_are_distinguished_and_endless_loops_end() {
        let quotient = "(i64.div_s (local.get 1) (i64.extend_i32_s (local.get 0)))";
        assert_eq!(call(quotient, 0, 1), Answer::Trap("integer divide by zero"));
        assert_eq!(call(quotient, -1, i64::MIN.into()), Answer::Trap("integer overflow"));
        assert_eq!(call("(unreachable)", 0, 0), Answer::Trap("unreachable"));
        assert_eq!(call("(loop $l (br $l)) (i64.const 0)", 0, 0), Answer::Endless);
        let mut sum = instance("(local.get 1)");
        assert!(matches!(sum.call("g", &[]), Answer::Missing(_)));
        assert!(matches!(sum.call("f", &[]), Answer::Missing(_)));
        assert!(Wasm::load(b"\0asm").is_err());
    }
}
