//! What was deleted and can be brought back: for so many days, unless the room is needed before.
//!
//! The file system is the truth. A deleted entry lies in its mount's staging area under an id,
//! with a record beside it that says where it came from; the table is an index over the records.
//! The record is durable before the entry is renamed to it, and goes last, so whatever the moment
//! of a crash, the next start finds either both or a record alone and puts the table right.

mod bin;
mod expiry;
mod http;
mod model;
mod record;
mod store;

pub(crate) use bin::{Deletion, Trash};
pub(crate) use expiry::keep_purging;
pub(crate) use http::routes;
