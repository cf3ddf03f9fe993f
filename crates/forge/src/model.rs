//! A method's own representation of a case, on which shrinking and restating work. Every generated case
//! carries it.
//!
//! Serialising a model can cost more than generating the case, so a new case carries the method's own
//! value, which is serialised only when the case is stored.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A model as a value of its method's types.
pub trait LiveModel: Any + Send + Sync {
    /// The model as JSON.
    fn stored(&self) -> Option<Value>;
}

/// A method's representation of a case, in memory or as JSON.
#[derive(Clone, Default)]
pub struct Model(Form);

#[derive(Clone, Default)]
enum Form {
    #[default]
    Absent,
    Live(Arc<dyn LiveModel>),
    Stored(Value),
}

impl Model {
    /// No model: only the source text of the case is known.
    pub fn absent() -> Self {
        Self::default()
    }

    pub fn live(model: impl LiveModel) -> Self {
        Self(Form::Live(Arc::new(model)))
    }

    pub fn stored(value: Value) -> Self {
        Self(Form::Stored(value))
    }

    pub fn is_absent(&self) -> bool {
        matches!(self.0, Form::Absent)
    }

    /// The live value, if there is one and it has this type.
    pub fn as_live<T: LiveModel>(&self) -> Option<&T> {
        match &self.0 {
            Form::Live(model) => (&**model as &dyn Any).downcast_ref(),
            Form::Absent | Form::Stored(_) => None,
        }
    }

    /// The model as JSON.
    pub fn value(&self) -> Option<Value> {
        match &self.0 {
            Form::Absent => None,
            Form::Live(model) => model.stored(),
            Form::Stored(value) => Some(value.clone()),
        }
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl Eq for Model {}

impl fmt::Debug for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
            Form::Absent => "no model",
            Form::Live(_) => "live model",
            Form::Stored(_) => "stored model",
        })
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Stored(value) => value.serialize(out),
            Form::Absent | Form::Live(_) => self.value().serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Option::<Value>::deserialize(reader)?;
        Ok(value.map_or_else(Self::absent, Self::stored))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Answer(u64);

    impl LiveModel for Answer {
        fn stored(&self) -> Option<Value> {
            Some(self.0.into())
        }
    }

    #[test]
    fn a_live_model_is_stored_and_read_back() {
        let live = Model::live(Answer(42));
        assert_eq!(live.as_live::<Answer>().map(|answer| answer.0), Some(42));
        let text = serde_json::to_string(&live).unwrap();
        let stored: Model = serde_json::from_str(&text).unwrap();
        assert_eq!((stored.value(), stored.as_live::<Answer>().is_none()), (live.value(), true));
        assert_eq!(stored, live);
        let absent: Model = serde_json::from_str("null").unwrap();
        assert!(absent.is_absent());
    }
}
