//! Share links: a file or folder for anybody who has the link, until it expires.
//!
//! A share lives on its owner's rights, found out anew at each visit, and on one very file or
//! folder: another one of the same name is not shared. [`Shares`] is what the rest of the disk
//! tells of files that go or get other content.

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
