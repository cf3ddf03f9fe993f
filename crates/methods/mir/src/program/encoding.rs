//! How the model is written as JSON: 128-bit numbers as strings, which JSON numbers cannot hold, and fields with their
//! default value left out.

pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One number.
pub(super) mod number {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in crate::program) fn serialize<S: Serializer>(
        bits: &u128,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_str(bits)
    }

    pub(in crate::program) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<u128, D::Error> {
        String::deserialize(reader)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The values of a static.
pub(super) mod numbers {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in crate::program) fn serialize<S: Serializer>(
        all: &[u128],
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_seq(all.iter().map(u128::to_string))
    }

    pub(in crate::program) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<u128>, D::Error> {
        let all = Vec::<String>::deserialize(reader)?;
        let numbers = all.iter().map(|text| text.parse());
        numbers.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
    }
}

/// The arms of a switch.
pub(super) mod arms {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in crate::program) fn serialize<S: Serializer>(
        arms: &[(u128, usize)],
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_seq(arms.iter().map(|(bits, target)| (bits.to_string(), target)))
    }

    pub(in crate::program) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<(u128, usize)>, D::Error> {
        let arms = Vec::<(String, usize)>::deserialize(reader)?;
        let arm = |(bits, target): (String, usize)| Ok((bits.parse()?, target));
        arms.into_iter()
            .map(arm)
            .collect::<Result<_, std::num::ParseIntError>>()
            .map_err(serde::de::Error::custom)
    }
}
