//! PolkaVM, which executes contracts on Polkadot, through the interpreter of the `polkavm` crate. The blob is
//! loaded once and called many times, each time with fresh memory. Only the host functions that a pure function
//! needs are provided: reading its arguments and returning its result.

use std::fmt;

use polkavm::{
    BackendKind, Config, Engine, GasMeteringKind, InterruptKind, Module, ModuleConfig,
    ProgramCounter, RawInstance, Reg,
};

use super::evm::End;

/// More than any terminating program needs; a program that runs out of gas is not judged.
const GAS: i64 = 50_000_000;

/// The flag of `seal_return` that reverts the call.
const REVERT: u64 = 1;

/// A loaded contract.
pub struct PolkaVm {
    instance: RawInstance,
    entry: ProgramCounter,
    /// The names of the host functions that it imports, by number.
    imports: Vec<String>,
}

/// Why a blob cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the contract could not be loaded: {0}")]
pub struct NotLoaded(String);

impl NotLoaded {
    fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl PolkaVm {
    pub fn load(blob: &[u8]) -> Result<Self, NotLoaded> {
        let mut config = Config::new();
        config.set_backend(Some(BackendKind::Interpreter));
        let engine = Engine::new(&config).map_err(NotLoaded::of)?;
        let mut config = ModuleConfig::new();
        config.set_gas_metering(Some(GasMeteringKind::Sync));
        let module = Module::new(&engine, &config, blob.to_vec().into()).map_err(NotLoaded::of)?;
        let entry = module.exports().find(|export| export.symbol().as_bytes() == b"call");
        let entry = entry.ok_or_else(|| NotLoaded::of("it has no function `call`"))?;
        let entry = entry.program_counter();
        let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let imports = module.imports().iter();
        let imports = imports.map(|it| it.map_or_else(String::new, |it| name(it.as_bytes())));
        let imports = imports.collect();
        let instance = module.instantiate().map_err(NotLoaded::of)?;
        Ok(Self { instance, entry, imports })
    }

    pub fn call(&mut self, input: &[u8]) -> End {
        self.run(input).unwrap_or_else(|error| End::Halted(error.0))
    }

    fn run(&mut self, input: &[u8]) -> Result<End, NotLoaded> {
        self.instance.reset_memory().map_err(NotLoaded::of)?;
        self.instance.clear_regs();
        self.instance.set_gas(GAS);
        self.instance.prepare_call_untyped(self.entry, &[]);
        loop {
            match self.instance.run().map_err(NotLoaded::of)? {
                InterruptKind::Finished => return Ok(End::Returned(vec![])),
                InterruptKind::Trap => return Ok(End::Halted("invalid".to_owned())),
                InterruptKind::NotEnoughGas => return Ok(End::OutOfGas),
                InterruptKind::Ecalli(number) => {
                    if let Some(end) = self.host(number, input)? {
                        return Ok(end);
                    }
                }
                other => return Ok(End::Halted(format!("{other:?}"))),
            }
        }
    }

    /// Executes a host function. Returns the end of the call if the function ends it.
    fn host(&mut self, number: u32, input: &[u8]) -> Result<Option<End>, NotLoaded> {
        let instance = &mut self.instance;
        // Pointers have 32 bits, registers have 64.
        let [a, b, c] = [Reg::A0, Reg::A1, Reg::A2].map(|reg| instance.reg(reg));
        let name = self.imports.get(number as usize).map(String::as_str).unwrap_or_default();
        match name {
            "call_data_size" => instance.set_reg(Reg::A0, input.len() as u64),
            "call_data_load" => {
                let mut word = part(input, b, 32);
                // Numbers are little-endian here.
                word.reverse();
                instance.write_memory(a as u32, &word).map_err(NotLoaded::of)?;
            }
            "call_data_copy" => {
                let bytes = part(input, c, b as u32 as usize);
                instance.write_memory(a as u32, &bytes).map_err(NotLoaded::of)?;
            }
            "value_transferred" => {
                instance.write_memory(a as u32, &[0; 32]).map_err(NotLoaded::of)?;
            }
            "set_immutable_data" => {}
            "seal_return" => {
                let bytes = instance.read_memory(b as u32, c as u32).map_err(NotLoaded::of)?;
                let reverts = a & REVERT != 0;
                return Ok(Some(if reverts { End::Reverted(bytes) } else { End::Returned(bytes) }));
            }
            other => return Ok(Some(End::Halted(format!("asks the host for `{other}`")))),
        }
        Ok(None)
    }
}

/// A part of the input, padded with zeros.
fn part(input: &[u8], offset: u64, length: usize) -> Vec<u8> {
    let offset = offset as u32 as usize;
    let mut bytes: Vec<u8> = input.iter().skip(offset).take(length).copied().collect();
    bytes.resize(length, 0);
    bytes
}

impl fmt::Debug for PolkaVm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PolkaVm({:?})", self.imports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_blob_is_rejected() {
        assert!(PolkaVm::load(b"something else").is_err());
    }

    #[test]
    fn the_input_is_padded_with_zeros() {
        assert_eq!(part(&[1, 2, 3], 1, 4), [2, 3, 0, 0]);
        assert_eq!(part(&[1], 7, 2), [0, 0]);
    }
}
