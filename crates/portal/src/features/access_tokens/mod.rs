//! Personal access tokens: what a script shows instead of signing in. Made for one purpose each,
//! for a time and for a part of what its owner may do, shown once, and ended one by one, or all at
//! once when the account is switched off or its password changes.
//!
//! What a scope opens stands in [`kernel::scope`]; tokens are checked where sessions are
//! (`session/check.rs`).

mod http;
mod model;
mod store;

pub(crate) use http::routes;
pub(crate) use store::{KnownToken, by_digest, by_id, end_all_of, end_all_of_many, note_use};
