//! Enums that the database stores as words, with the same spelling as in the API.

use http_kit::{ApiError, ApiResult};
use serde::de::DeserializeOwned;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// Parses a stored word.
///
/// # Errors
/// When the word is unknown: it was written by a later version or by hand. A default instead of an error could grant access
/// or delete data.
pub(crate) fn known<T: DeserializeOwned>(word: &str) -> ApiResult<T> {
    T::deserialize(IntoDeserializer::<Error>::into_deserializer(word))
        .map_err(|error| ApiError::internal(format!("the database has a word that stands for nothing: {error}")))
}
