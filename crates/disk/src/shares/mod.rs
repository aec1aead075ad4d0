//! Share links: a file or folder for all visitors with the link, until it expires.
//!
//! A share has its owner's permissions, checked at each visit, and is bound to one file or folder: another one with the
//! same name is not shared. The rest of the disk notifies [`Shares`] of files that are removed or get other content.

mod downloads;
mod http;
mod import;
mod limits;
mod model;
mod password;
mod policy;
mod public;
mod store;
mod upkeep;

pub(crate) use http::routes;
pub use import::{ImportedShare, ShareState};
pub(crate) use import::{insert_within, prepare, taken_hashes};
pub(crate) use model::Share;
pub(crate) use public::routes as public_routes;
pub(crate) use upkeep::Shares;
