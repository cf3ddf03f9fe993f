//! The ABI coder against an independent one: what entry points of generated contracts get and return is encoded and
//! decoded alike.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use alloy_dyn_abi::{DynSolType, DynSolValue};
use forge::{Case, Method};
use ruint::aliases::U256;
use solidity::abi::{Data, canonical, decode, encode};
use solidity::model::{Length, Template, Type, TypeId, Version};
use solidity::{Entry, Solidity, View};

/// How many programs are compared.
const PROGRAMS: u64 = 300;

fn bytes(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks_exact(2);
    pairs.map(|it| u8::from_str_radix(std::str::from_utf8(it).unwrap(), 16).unwrap()).collect()
}

/// The data of all calls of a case.
fn calls(case: &Case) -> Vec<Vec<u8>> {
    let lines = case.inputs.iter().flat_map(|input| &input.arguments);
    let calls = lines.filter(|line| line.starts_with("call"));
    calls.map(|line| bytes(line.rsplit_once("data=0x").unwrap().1)).collect()
}

/// The same value in the types of the other crate.
fn translated(view: &View<'_>, id: TypeId, value: &Data) -> DynSolValue {
    let ty = view.underlying(view.ty(id));
    match (ty, value) {
        (Type::Bytes, Data::Bytes(bytes)) => DynSolValue::Bytes(bytes.clone()),
        (Type::String, Data::Bytes(bytes)) => {
            DynSolValue::String(String::from_utf8_lossy(bytes).into_owned())
        }
        (Type::Array(element, length), Data::List(items)) => {
            let items = items.iter().map(|item| translated(view, element, item)).collect();
            match length {
                Length::Dynamic => DynSolValue::Array(items),
                Length::Fixed(_) | Length::Variable(_) => DynSolValue::FixedArray(items),
            }
        }
        (Type::Struct(which), Data::List(items)) => {
            let fields = view.fields(which).iter().zip(items);
            DynSolValue::Tuple(fields.map(|(id, item)| translated(view, *id, item)).collect())
        }
        (ty, Data::Word(word)) => {
            let word = word.to_be_bytes::<32>();
            let name = match ty {
                Type::Uint(bits) => format!("uint{bits}"),
                Type::Int(bits) => format!("int{bits}"),
                Type::FixedBytes(size) => format!("bytes{size}"),
                Type::Bool => "bool".to_owned(),
                Type::Enum(_) => "uint8".to_owned(),
                _ => "address".to_owned(),
            };
            DynSolType::parse(&name).unwrap().abi_decode(&word).unwrap()
        }
        (ty, value) => panic!("{ty:?} cannot be {value:?}"),
    }
}

fn tuple(view: &View<'_>, types: &[TypeId]) -> DynSolType {
    let names = types.iter().map(|id| {
        let mut name = String::new();
        canonical(view, *id, &mut name);
        name
    });
    DynSolType::parse(&format!("({})", names.collect::<Vec<_>>().join(","))).unwrap()
}

#[test]
fn calldata_is_coded_as_an_independent_coder_does_it() {
    let method = Solidity::new(Version::Newest);
    let (mut compared, mut dynamic) = (0, 0);
    for index in 0..PROGRAMS {
        let case = method.make(&method.ticket(3, index)).unwrap();
        let model = case.model.value().unwrap();
        let template: Template = serde_json::from_value(model["template"].clone()).unwrap();
        let solution: Vec<u8> = serde_json::from_value(model["solution"].clone()).unwrap();
        let view = View::new(&template, &solution, model["salt"].as_u64().unwrap());
        let entries: Vec<Entry> = view.entries(template.contracts.len() as u8 - 1);
        for data in calls(&case).iter().filter(|data| data.len() >= 4) {
            let Some(entry) = entries.iter().find(|it| it.selector == data[..4]) else { continue };
            let types = &entry.parameters;
            // Malformed on purpose, which the other coder judges less strictly.
            let Ok(values) = decode(&view, types, &data[4..]) else { continue };
            // The other coder has no string that is not UTF-8, and rejects tuples without members.
            let pairs = types.iter().zip(&values);
            let same: Vec<DynSolValue> =
                pairs.map(|(id, value)| translated(&view, *id, value)).collect();
            if types.is_empty() || format!("{same:?}").contains('\u{fffd}') {
                continue;
            }
            let encoded = encode(&view, types, &values);
            let same = DynSolValue::Tuple(same);
            assert_eq!(
                encoded,
                same.abi_encode_params(),
                "{} of {}",
                index,
                case.programs[0].source
            );
            let tuple = tuple(&view, types);
            assert_eq!(tuple.abi_decode_params(&encoded).unwrap(), same, "{tuple}");
            compared += 1;
            dynamic += usize::from(types.iter().any(|id| view.is_dynamic(*id)));
        }
    }
    assert!(compared > 1000 && dynamic > 200, "{compared}, {dynamic} with dynamic types");
}

/// The check can fail: an offset that is one word off is no encoding of the same value.
#[test]
fn a_wrong_encoding_is_noticed() {
    let words = |words: &[u64]| -> Vec<u8> {
        words.iter().flat_map(|it| U256::from(*it).to_be_bytes::<32>()).collect()
    };
    let ty = DynSolType::parse("(uint8[],uint8)").unwrap();
    let right = ty.abi_decode_params(&words(&[64, 7, 1, 5])).unwrap();
    assert_ne!(ty.abi_decode_params(&words(&[96, 7, 0, 1, 6])).unwrap(), right);
}
