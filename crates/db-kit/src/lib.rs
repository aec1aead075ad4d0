//! Database access: one code base for SQLite and PostgreSQL. Statements are written by hand in the features'
//! `store.rs`, with `$1` placeholders, which both support. What follows from a struct's columns alone is derived
//! ([`record`]).
//!
//! It knows nothing of HTTP or of any feature's tables.

mod commits;
mod connect;
mod dump;
mod error;
mod facts;
mod filter;
mod index;
mod migrate;
mod own_address;
mod peers;
mod presence;
pub mod record;
mod reserve;
mod sql;
mod word;

pub use connect::{Db, Tx};
pub use db_kit_derive::Record;
pub use dump::{Dumped, Import, ImportError, clear, export, shape};
pub use error::{DbError, DbResult};
pub use filter::Filter;
pub use migrate::{MigrateError, Migration, migrate};
pub use own_address::is_own_address;
pub use peers::{Lead, Listener};
pub use record::{Column, Columns, NullableColumns, Record};
pub use sea_orm::{FromQueryResult, Value};
pub use sql::{Sql, like, placeholders};
pub use word::{Json, UnknownWord, Word};
