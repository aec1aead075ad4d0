//! Values for the columns of a row.

use sea_orm::sea_query::Nullable;
use sea_orm::{DbErr, Value};
use serde::Serialize;

use super::{Column, Columns, NullableColumns};
use crate::Word;

/// Collects the values of columns, in their order.
#[derive(Debug, Default)]
pub struct Writer {
    values: Vec<Value>,
}

impl Writer {
    /// Adds a column.
    pub fn column<T: Column>(&mut self, value: &T) {
        self.values.push(value.to_stored().into());
    }

    /// Adds an enum as a word.
    pub fn word<T: Serialize>(&mut self, word: &T) {
        self.values.push(Word(word).into());
    }

    /// Adds a word that may be missing.
    pub fn optional_word<T: Serialize>(&mut self, word: &Option<T>) {
        self.values.push(word.as_ref().map(Word).into());
    }

    /// Adds a value as a JSON text.
    ///
    /// # Errors
    /// If it has none, in all of these.
    pub fn json<T: Serialize>(&mut self, value: &T) -> Result<(), DbErr> {
        self.values.push(text(value)?.into());
        Ok(())
    }

    /// Adds a JSON text that may be missing.
    ///
    /// # Errors
    /// If there is a value that has none.
    pub fn optional_json<T: Serialize>(&mut self, value: &Option<T>) -> Result<(), DbErr> {
        self.values.push(value.as_ref().map(text).transpose()?.into());
        Ok(())
    }

    /// Adds a type of several columns.
    ///
    /// # Errors
    /// If one of them has no JSON text.
    pub fn columns<T: Columns>(&mut self, value: &T) -> Result<(), DbErr> {
        value.write(self)
    }

    /// Adds a type of several columns that may be absent.
    ///
    /// # Errors
    /// If one of them has no JSON text.
    pub fn optional_columns<T: NullableColumns>(&mut self, value: &Option<T>) -> Result<(), DbErr> {
        match value {
            Some(value) => value.write(self),
            None => {
                T::write_absent(self);
                Ok(())
            }
        }
    }

    /// Adds a null of this type.
    pub fn null<S: Nullable>(&mut self) {
        self.values.push(S::null());
    }

    /// Adds what a column of this type has where there is nothing to store: no text, 0, false.
    pub fn empty<S: Default + Into<Value>>(&mut self) {
        self.values.push(S::default().into());
    }

    pub(super) fn values(self) -> Vec<Value> {
        self.values
    }
}

fn text(value: &impl Serialize) -> Result<String, DbErr> {
    serde_json::to_string(value).map_err(|error| DbErr::Json(error.to_string()))
}
