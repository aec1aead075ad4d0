//! Structs that are rows. `#[derive(Record)]` lists a struct's columns, reads it from rows and writes it into them; the
//! statements around that stay the stores'.
//!
//! It is no query builder: conditions, joins and orders are written by hand.

mod column;
mod reader;
mod statements;
mod writer;

pub use column::Column;
pub use reader::{Reader, read, value};
pub use sea_orm::{DbErr, QueryResult};
pub use statements::Record;
pub use writer::Writer;

/// A type that spreads over several columns.
pub trait Columns: Sized {
    /// Their names, in the order in which they are read and written.
    const NAMES: &'static [&'static str];

    /// Reads it from the next columns of a row.
    ///
    /// # Errors
    /// If a column is missing, or its content is not of its type.
    fn read(reader: &mut Reader<'_>) -> Result<Self, DbErr>;

    /// Adds the values of its columns.
    ///
    /// # Errors
    /// If a value has no JSON text.
    fn write(&self, writer: &mut Writer) -> Result<(), DbErr>;

    /// `a, b, c`.
    #[must_use]
    fn columns() -> String {
        Self::NAMES.join(", ")
    }

    /// `t.a, t.b, t.c`, for a table that the statement calls `alias`.
    #[must_use]
    fn columns_of(alias: &str) -> String {
        let names: Vec<String> = Self::NAMES.iter().map(|name| format!("{alias}.{name}")).collect();
        names.join(", ")
    }

    /// `t.a as t_a, t.b as t_b` with the prefix `t_`, for a table that is joined to another.
    #[must_use]
    fn columns_as(alias: &str, prefix: &str) -> String {
        let names: Vec<String> = Self::NAMES.iter().map(|name| format!("{alias}.{name} as {prefix}{name}")).collect();
        names.join(", ")
    }
}

/// A type of several columns that may be absent: then its first column is null.
pub trait NullableColumns: Columns {
    /// Whether the next columns have none.
    ///
    /// # Errors
    /// If the first column is missing.
    fn is_absent(reader: &Reader<'_>) -> Result<bool, DbErr>;

    /// Adds the values of the columns where there is none.
    fn write_absent(writer: &mut Writer);
}

/// When the statements of a record write a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Always.
    Always,
    /// When the row is inserted.
    Inserted,
    /// Never: the database or other statements do.
    Never,
}

/// The number of all elements.
#[must_use]
pub const fn count<T>(parts: &[&[T]]) -> usize {
    let (mut count, mut part) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// All elements, one slice after the other. `N` is their [`count`].
#[must_use]
pub const fn join<T: Copy, const N: usize>(parts: &[&[T]], fill: T) -> [T; N] {
    let mut all = [fill; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut element = 0;
        while element < parts[part].len() {
            all[at] = parts[part][element];
            at += 1;
            element += 1;
        }
        part += 1;
    }
    all
}
