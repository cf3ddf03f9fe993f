//! Models as they are stored: with a digest, because a model that was changed by hand may refer to declarations that do not
//! exist.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::interpret::Hex;
use crate::keccak::keccak;

const DIGEST: &str = "digest";

/// Why a stored model cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsealed {
    /// There is none, or one of another revision.
    Foreign,
    Changed,
}

impl Unsealed {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Foreign => "its model is missing, or not one of this version of Mistrust",
            Self::Changed => "its model was changed: it does not match its digest",
        }
    }
}

fn digest(value: &Value) -> String {
    Hex(&keccak(value.to_string().as_bytes())).to_string()
}

/// The model as JSON, with its digest.
pub(crate) fn seal(model: &impl Serialize) -> Option<Value> {
    let mut value = serde_json::to_value(model).ok()?;
    let digest = digest(&value);
    value.as_object_mut()?.insert(DIGEST.to_owned(), Value::String(digest));
    Some(value)
}

/// The model of a stored value.
pub(crate) fn open<T: DeserializeOwned>(mut value: Value) -> Result<T, Unsealed> {
    let stored = value.as_object_mut().and_then(|fields| fields.remove(DIGEST));
    let stored = stored.ok_or(Unsealed::Foreign)?;
    if stored.as_str() != Some(digest(&value).as_str()) {
        return Err(Unsealed::Changed);
    }
    serde_json::from_value(value).map_err(|_| Unsealed::Foreign)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_changed_model_is_rejected() {
        let sealed = seal(&json!({ "a": [1, 2], "b": "c" })).unwrap_or_default();
        assert_eq!(open::<Value>(sealed.clone()), Ok(json!({ "a": [1, 2], "b": "c" })));
        let mut changed = sealed.clone();
        changed["a"][0] = json!(3);
        assert_eq!(open::<Value>(changed), Err(Unsealed::Changed));
        assert_eq!(open::<Vec<u8>>(sealed), Err(Unsealed::Foreign));
        assert_eq!(open::<Value>(json!(null)), Err(Unsealed::Foreign));
    }
}
