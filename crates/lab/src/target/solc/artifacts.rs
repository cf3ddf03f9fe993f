//! The code of compiled contracts, and the libraries that it is linked with. Libraries are deployed before the first
//! transaction of a sequence. They are not part of what is observed.

use std::collections::BTreeMap;

use revm::primitives::Address;
use revm::primitives::hardfork::SpecId;
use serde_json::Value;

use super::sources::Unit;
use crate::vm::chain::{Action, Chain, NotRun, Transaction};
use crate::vm::evm::bytes;

/// The code of a contract by the name of its source and its own.
#[derive(Debug, Default)]
pub(super) struct Artifacts(BTreeMap<(String, String), Artifact>);

#[derive(Debug)]
struct Artifact {
    /// Hexadecimal digits, with placeholders for the addresses of libraries.
    object: String,
    links: Vec<Link>,
}

/// A place in the code for the address of a library.
#[derive(Debug)]
struct Link {
    library: (String, String),
    /// In bytes.
    start: usize,
}

/// The libraries of one chain.
type Deployed = BTreeMap<(String, String), Address>;

impl Artifacts {
    pub(super) fn of(answer: &Value) -> Self {
        let mut all = BTreeMap::new();
        let sources = answer.get("contracts").and_then(Value::as_object);
        for (source, contracts) in sources.into_iter().flatten() {
            for (name, contract) in contracts.as_object().into_iter().flatten() {
                if let Some(artifact) = contract.pointer("/evm/bytecode").and_then(Artifact::of) {
                    all.insert((source.clone(), name.clone()), artifact);
                }
            }
        }
        Self(all)
    }

    /// The text of a sequence of transactions on a fresh chain.
    pub(super) fn run(
        &self,
        rules: SpecId,
        unit: &Unit,
        transactions: &[Transaction],
    ) -> Result<String, NotRun> {
        let mut chain = Chain::new(rules);
        let mut deployed = Deployed::new();
        for transaction in transactions {
            match &transaction.action {
                Action::Create(contract) => {
                    let key = self.find(unit, contract)?;
                    let code = self.linked(&key, &mut chain, &mut deployed)?;
                    chain.create(&code, transaction)?;
                }
                Action::Call => chain.call(transaction)?,
            }
        }
        Ok(chain.finish())
    }

    fn find(&self, unit: &Unit, contract: &str) -> Result<(String, String), NotRun> {
        let (sources, name) = unit.places(contract);
        let keys = sources.into_iter().map(|source| (source, name.to_owned()));
        let mut found = keys.filter(|key| self.0.contains_key(key));
        match (found.next(), found.next()) {
            (Some(key), None) => Ok(key),
            (None, _) => Err(NotRun::Refused(format!("there is no contract `{contract}`"))),
            (Some(_), Some(_)) => {
                let why = format!("several contracts are called `{contract}`: write FILE:CONTRACT");
                Err(NotRun::Refused(why))
            }
        }
    }

    /// The creation code of a contract, with its libraries deployed.
    fn linked(
        &self,
        key: &(String, String),
        chain: &mut Chain,
        deployed: &mut Deployed,
    ) -> Result<Vec<u8>, NotRun> {
        let refused = |what: &str| NotRun::Refused(format!("contract `{}` {what}", key.1));
        let artifact = self.0.get(key).ok_or_else(|| refused("is missing"))?;
        let mut object = artifact.object.clone();
        for link in &artifact.links {
            let address = match deployed.get(&link.library) {
                Some(address) => *address,
                None => {
                    let code = self.linked(&link.library, chain, deployed)?;
                    let address = chain.deploy_library(&code)?;
                    deployed.insert(link.library.clone(), address);
                    address
                }
            };
            let digits: String = address.iter().map(|byte| format!("{byte:02x}")).collect();
            let place = link.start * 2..link.start * 2 + digits.len();
            if object.get(place.clone()).is_none() {
                return Err(refused("has a link outside of its code"));
            }
            object.replace_range(place, &digits);
        }
        match bytes(&object) {
            Some(code) if code.is_empty() => Err(refused("has no code: it may be abstract")),
            Some(code) => Ok(code),
            None => Err(refused("has code that is not hexadecimal")),
        }
    }
}

impl Artifact {
    fn of(bytecode: &Value) -> Option<Self> {
        let object = bytecode.get("object")?.as_str()?.to_owned();
        let mut links = vec![];
        let sources = bytecode.get("linkReferences").and_then(Value::as_object);
        for (source, libraries) in sources.into_iter().flatten() {
            for (name, places) in libraries.as_object().into_iter().flatten() {
                for place in places.as_array().into_iter().flatten() {
                    let start = usize::try_from(place.get("start")?.as_u64()?).ok()?;
                    links.push(Link { library: (source.clone(), name.clone()), start });
                }
            }
        }
        Some(Self { object, links })
    }
}
