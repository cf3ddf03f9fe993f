//! Stores 128-bit numbers as hexadecimal text, since JSON numbers may be narrower.

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(value: &u128, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&format!("{value:x}"))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<u128, D::Error> {
    let text = String::deserialize(reader)?;
    u128::from_str_radix(&text, 16).map_err(serde::de::Error::custom)
}
