//! Personal access tokens, which scripts send instead of signing in. A token has a name, an end and scopes, is shown
//! once, and is deleted by its owner or when the account is disabled or its password changes.
//!
//! [`kernel::scope`] says which paths a scope allows; tokens are checked where sessions are (`session/check.rs`).

mod http;
mod model;
mod store;

pub(crate) use http::routes;
pub(crate) use store::{KnownToken, by_digest, by_id, end_all_of, end_all_of_many, note_use};
