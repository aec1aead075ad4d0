//! Reading columns of a row.

use std::fmt::Display;
use std::slice::Iter;

use sea_orm::{DbErr, QueryResult, TryGetError, TryGetable};
use serde::de::DeserializeOwned;

use super::{Column, Columns, NullableColumns};
use crate::Word;

/// Reads columns of a row one after the other.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    row: &'a QueryResult,
    /// The table, for errors.
    place: &'a str,
    names: Iter<'a, &'a str>,
}

/// Reads a value from a row. `place` is the name of the table or query, and `key` its columns that identify the row,
/// for errors.
///
/// # Errors
/// If a column is missing, or its content is not of its type.
pub fn read<T: Columns>(row: &QueryResult, place: &str, key: &[&str]) -> Result<T, DbErr> {
    let read = T::read(&mut Reader { row, place, names: T::NAMES.iter() });
    read.map_err(|error| match error {
        DbErr::Type(error) => DbErr::Type(key.iter().fold(error, |error, column| with_key(row, error, column))),
        other => other,
    })
}

/// Adds a column that identifies the row, as far as it can be read, to an error.
fn with_key(row: &QueryResult, error: String, column: &str) -> String {
    let number = || i64::get(row, column).map(|number| number.to_string());
    match String::get(row, column).or_else(|_| number()) {
        Ok(value) => format!("{error} (where {column} is {value})"),
        Err(_) => error,
    }
}

/// Reads one column by its number.
///
/// # Errors
/// If it is missing, or its content is not of its type.
pub fn value<T: Column>(row: &QueryResult, column: usize) -> Result<T, DbErr> {
    let stored = T::get(row, column)?;
    T::from_stored(stored).map_err(|why| {
        let names = row.column_names();
        DbErr::Type(format!("{}: {why}", names.get(column).map_or("", String::as_str)))
    })
}

impl<'a> Reader<'a> {
    /// Reads columns with other names.
    #[must_use]
    pub fn named<'b>(&'b self, names: &'b [&'b str]) -> Reader<'b> {
        Reader { row: self.row, place: self.place, names: names.iter() }
    }

    /// Reads the next column.
    ///
    /// # Errors
    /// As [`read`], in all of these.
    pub fn column<T: Column>(&mut self) -> Result<T, DbErr> {
        let name = self.name()?;
        let stored = T::get(self.row, name)?;
        T::from_stored(stored).map_err(|why| self.unreadable(name, why))
    }

    /// Reads an enum that is stored as a word.
    ///
    /// # Errors
    /// Also for a word that the enum does not have.
    pub fn word<T: DeserializeOwned>(&mut self) -> Result<T, DbErr> {
        let name = self.name()?;
        let word = String::get(self.row, name)?;
        self.parsed_word(name, &word)
    }

    /// Reads a word that may be missing.
    ///
    /// # Errors
    /// Also for a word that the enum does not have.
    pub fn optional_word<T: DeserializeOwned>(&mut self) -> Result<Option<T>, DbErr> {
        let name = self.name()?;
        let word = <Option<String>>::get(self.row, name)?;
        word.map(|word| self.parsed_word(name, &word)).transpose()
    }

    fn parsed_word<T: DeserializeOwned>(&self, name: &str, word: &str) -> Result<T, DbErr> {
        Word::parse(word).map_err(|error| self.unreadable(name, format!("{error}: {word:?}")))
    }

    /// Reads a JSON text.
    ///
    /// # Errors
    /// Also for a text that is no such value.
    pub fn json<T: DeserializeOwned>(&mut self) -> Result<T, DbErr> {
        let name = self.name()?;
        let text = String::get(self.row, name)?;
        self.parsed_json(name, &text)
    }

    /// Reads a JSON text that may be missing.
    ///
    /// # Errors
    /// Also for a text that is no such value.
    pub fn optional_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, DbErr> {
        let name = self.name()?;
        let text = <Option<String>>::get(self.row, name)?;
        text.map(|text| self.parsed_json(name, &text)).transpose()
    }

    fn parsed_json<T: DeserializeOwned>(&self, name: &str, text: &str) -> Result<T, DbErr> {
        serde_json::from_str(text).map_err(|error| self.unreadable(name, format!("can't be read: {error}")))
    }

    /// Reads a type of several columns.
    ///
    /// # Errors
    /// As [`read`].
    pub fn columns<T: Columns>(&mut self) -> Result<T, DbErr> {
        T::read(self)
    }

    /// Reads a type of several columns that may be absent.
    ///
    /// # Errors
    /// As [`read`].
    pub fn optional_columns<T: NullableColumns>(&mut self) -> Result<Option<T>, DbErr> {
        if !T::is_absent(self)? {
            return T::read(self).map(Some);
        }
        for _ in T::NAMES {
            self.name()?;
        }
        Ok(None)
    }

    /// Whether the next column, of this type, is null.
    ///
    /// # Errors
    /// If it is missing.
    pub fn is_null<S: TryGetable>(&self) -> Result<bool, DbErr> {
        let mut ahead = self.clone();
        match S::try_get_by(self.row, ahead.name()?) {
            Ok(_) => Ok(false),
            Err(TryGetError::Null(_)) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn name(&mut self) -> Result<&'a str, DbErr> {
        let name = self.names.next().copied();
        name.ok_or_else(|| DbErr::Type(format!("{} has no further columns", self.place)))
    }

    fn unreadable(&self, name: &str, why: impl Display) -> DbErr {
        DbErr::Type(format!("{}.{name}: {why}", self.place))
    }
}
