//! Enums that columns keep as words, and JSON with such words in it.

use std::fmt;

use sea_orm::{ColIdx, DbErr, QueryResult, TryGetError, TryGetable, Value};
use serde::Serialize;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, IntoDeserializer};

/// An enum without data in a column of words, spelt as serde spells it, which is also the API's spelling.
///
/// Every such column is read and written by this type, so that an unknown word is an error: it was written by a later
/// version or by hand, and a default instead could grant access or delete data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: DeserializeOwned> Word<T> {
    /// Parses a word that was stored elsewhere than in a column of its own.
    ///
    /// # Errors
    /// [`UnknownWord`] if the enum has no such word.
    pub fn parse(word: &str) -> Result<T, UnknownWord> {
        T::deserialize(IntoDeserializer::<Error>::into_deserializer(word)).map_err(UnknownWord)
    }
}

/// A stored word that the enum does not have.
#[derive(Debug, thiserror::Error)]
#[error("a stored word is unknown")]
pub struct UnknownWord(#[source] Error);

impl<T: Serialize> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

impl<T: Serialize> From<Word<T>> for Value {
    fn from(word: Word<T>) -> Self {
        word.to_string().into()
    }
}

impl<T: Serialize> sea_orm::sea_query::Nullable for Word<T> {
    fn null() -> Value {
        String::null()
    }
}

impl<T: DeserializeOwned> TryGetable for Word<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        let word = String::try_get_by(row, index)?;
        Self::parse(&word).map(Self).map_err(|error| DbErr::Type(format!("{error}: {word:?}")).into())
    }
}

/// A JSON value in a column of text, such as a list of words. As with [`Word`], one that this version cannot read as a
/// whole is an error: a list without its unknown words could grant or hide something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> TryGetable for Json<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        let text = String::try_get_by(row, index)?;
        let value = serde_json::from_str(&text);
        value.map(Self).map_err(|error| DbErr::Type(format!("stored JSON cannot be read: {error}")).into())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Step {
        InWork,
        Done,
    }

    #[test]
    fn a_value_is_kept_as_its_word_and_an_unknown_word_is_none() {
        for (step, word) in [(Step::InWork, "in_work"), (Step::Done, "done")] {
            assert_eq!(Word(step).to_string(), word);
            assert_eq!(Value::from(Word(step)), Value::from(word));
            assert_eq!(Word::<Step>::parse(word).unwrap(), step);
        }
        for unknown in ["", "Done", "done ", "of_a_later_version"] {
            assert!(Word::<Step>::parse(unknown).is_err(), "{unknown:?}");
        }
        assert_eq!(Value::from(None::<Word<Step>>), Value::String(None));
    }
}
