//! The trash: deleted entries can be restored for some days, unless the space is needed before.
//!
//! The file system is authoritative. A deleted entry lies in its mount's staging area under an id, with a record beside
//! it that has its origin; the table is an index over the records. The record is durable before the entry is renamed to
//! it, and is removed last, so after a crash at any moment the next start finds either both or only a record, and
//! corrects the table.

mod bin;
mod model;
mod record;
mod store;

pub use bin::{Deletion, Trash};
pub use model::{Deleted, keep_for};
pub use store::Whose;
