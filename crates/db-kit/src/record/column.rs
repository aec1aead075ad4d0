//! Types that fit into one column.

use std::time::Duration;

use kernel::{Role, Timestamp};
use sea_orm::sea_query::Nullable;
use sea_orm::{ColIdx, QueryResult, TryGetError, TryGetable, Value};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Word;

/// A type that fits into one column.
pub trait Column: Sized {
    /// The type that the database has.
    type Stored: TryGetable + Into<Value> + Default;

    /// The stored value.
    fn to_stored(&self) -> Self::Stored;

    /// Reads the stored value.
    ///
    /// # Errors
    /// Why it is no value of this type.
    fn from_stored(stored: Self::Stored) -> Result<Self, String>;

    /// The stored value of a column.
    ///
    /// # Errors
    /// If there is no such column, it is null, or it has another type.
    fn get(row: &QueryResult, column: impl ColIdx) -> Result<Self::Stored, TryGetError> {
        <Self::Stored as TryGetable>::try_get_by(row, column)
    }
}

impl Column for bool {
    type Stored = Self;

    fn to_stored(&self) -> Self {
        *self
    }

    fn from_stored(stored: Self) -> Result<Self, String> {
        Ok(stored)
    }
}

impl Column for i64 {
    type Stored = Self;

    fn to_stored(&self) -> Self {
        *self
    }

    fn from_stored(stored: Self) -> Result<Self, String> {
        Ok(stored)
    }
}

impl Column for String {
    type Stored = Self;

    fn to_stored(&self) -> Self {
        self.clone()
    }

    fn from_stored(stored: Self) -> Result<Self, String> {
        Ok(stored)
    }
}

/// A number beyond the largest of the database is stored as that.
impl Column for u64 {
    type Stored = i64;

    fn to_stored(&self) -> i64 {
        i64::try_from(*self).unwrap_or(i64::MAX)
    }

    fn from_stored(stored: i64) -> Result<Self, String> {
        Self::try_from(stored).map_err(|error| format!("{stored}: {error}"))
    }
}

/// As milliseconds since 1970.
impl Column for Timestamp {
    type Stored = i64;

    fn to_stored(&self) -> i64 {
        self.as_millis()
    }

    fn from_stored(stored: i64) -> Result<Self, String> {
        Ok(Self::from_millis(stored))
    }
}

/// As milliseconds.
impl Column for Duration {
    type Stored = i64;

    fn to_stored(&self) -> i64 {
        i64::try_from(self.as_millis()).unwrap_or(i64::MAX)
    }

    fn from_stored(stored: i64) -> Result<Self, String> {
        u64::from_stored(stored).map(Self::from_millis)
    }
}

/// As its number.
impl Column for Role {
    type Stored = i64;

    fn to_stored(&self) -> i64 {
        (*self).into()
    }

    fn from_stored(stored: i64) -> Result<Self, String> {
        Self::try_from(stored).map_err(|error| error.to_string())
    }
}

impl<T: Serialize + DeserializeOwned> Column for Word<T> {
    type Stored = String;

    fn to_stored(&self) -> String {
        self.to_string()
    }

    fn from_stored(stored: String) -> Result<Self, String> {
        Self::parse(&stored).map(Self).map_err(|error| format!("{error}: {stored:?}"))
    }
}

impl<T: Column> Column for Option<T>
where
    T::Stored: Nullable,
{
    type Stored = Option<T::Stored>;

    fn to_stored(&self) -> Self::Stored {
        self.as_ref().map(T::to_stored)
    }

    fn from_stored(stored: Self::Stored) -> Result<Self, String> {
        stored.map(T::from_stored).transpose()
    }

    // Not as sea-orm has it, for which a missing column is null.
    fn get(row: &QueryResult, column: impl ColIdx) -> Result<Self::Stored, TryGetError> {
        match T::get(row, column) {
            Err(TryGetError::Null(_)) => Ok(None),
            read => read.map(Some),
        }
    }
}
