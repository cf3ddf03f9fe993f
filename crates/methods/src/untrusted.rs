//! Models of stored cases may come from anywhere. Whatever they hold, reading, reducing and restating them ends without a
//! panic. `MISTRUST_MODELS=20000` makes it a long run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use forge::{Case, Entropy, Ticket};
use serde_json::Value;

use super::*;

/// The number of changed models per method.
fn models() -> u64 {
    std::env::var("MISTRUST_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

/// How many smaller cases are made of each.
const CANDIDATES: usize = 60;

#[test]
fn no_model_makes_a_method_panic() {
    let place = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&place);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        *seen.lock().expect("no panic holds it") = panic.to_string();
    }));
    let mut panics: BTreeMap<String, String> = BTreeMap::new();
    let mut read = 0;
    for method in all().into_iter().chain(sized("mir", 60)) {
        for index in 0..models() {
            let case = method.make(&method.ticket(7, index / 8));
            let Some(case) = case else { continue };
            let Some(mut model) = case.model.value() else { continue };
            let mut entropy = Entropy::of(&Ticket::new("untrusted", 1, index));
            for _ in 0..=entropy.below(3) {
                change(&mut model, &mut entropy);
            }
            let name = method.name();
            let case = Case { model: forge::Model::stored(model.clone()), ..case };
            let used = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                method.objection(&case);
                method.shape(&case);
                method.shallower(&case).take(CANDIDATES).for_each(drop);
                method.restatements(&case);
                method.smaller(&case).take(CANDIDATES).count()
            }));
            match used {
                Ok(candidates) => read += usize::from(candidates > 0),
                Err(_) => {
                    let place = place.lock().expect("no panic holds it").clone();
                    panics.entry(place).or_insert_with(|| format!("{name}, model {index}"));
                }
            }
        }
    }
    std::panic::set_hook(usual);
    assert!(panics.is_empty(), "{} places: {panics:#?}", panics.len());
    assert!(read > 0, "every changed model was refused");
}

/// Changes one value somewhere.
fn change(value: &mut Value, entropy: &mut Entropy) {
    let parts = match &*value {
        Value::Array(parts) => parts.len(),
        Value::Object(parts) => parts.len(),
        _ => 0,
    };
    // Most values are deep inside.
    if parts > 0 && !entropy.chance(1, 12) {
        let at = entropy.below(parts as u64) as usize;
        let part = match value {
            Value::Array(parts) => parts.get_mut(at),
            Value::Object(parts) => parts.values_mut().nth(at),
            _ => None,
        };
        return change(part.expect("it is there"), entropy);
    }
    match value {
        Value::Array(parts) if !parts.is_empty() => {
            let at = entropy.below(parts.len() as u64) as usize;
            match entropy.below(3) {
                0 => drop(parts.remove(at)),
                1 => parts.insert(at, parts[at].clone()),
                _ => {
                    let other = entropy.below(parts.len() as u64) as usize;
                    parts.swap(at, other);
                }
            }
        }
        Value::Number(number) => {
            let old = number.as_i64().unwrap_or_default();
            let new = match entropy.below(6) {
                0 => 0,
                1 => old.wrapping_add(1),
                2 => old.wrapping_sub(1),
                3 => i64::from(u32::MAX),
                4 => i64::MAX,
                _ => entropy.below(20) as i64,
            };
            *value = new.into();
        }
        Value::Bool(truth) => *truth = !*truth,
        Value::String(text) => match entropy.below(3) {
            0 => text.clear(),
            1 => text.push('9'),
            _ => *text = "0".to_owned(),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => *value = 1.into(),
    }
}
