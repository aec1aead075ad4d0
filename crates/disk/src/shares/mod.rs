//! Share links: a file or folder for all visitors with the link, until it expires.
//!
//! A link of another kind only takes files ([`collect`]): its visitors see nothing of the folder.
//!
//! A share has its owner's permissions, checked at each visit, and is bound to one file or folder: another one with the
//! same name is not shared. The rest of the disk notifies [`Shares`] of files that are removed or get other content.

mod asked;
mod collect;
mod http;
mod import;
mod limits;
mod model;
mod password;
mod policy;
mod promises;
mod public;
mod store;
mod totals;
mod upkeep;
mod visits;

pub(crate) use http::routes;
pub use import::{ImportedShare, ShareState};
pub(crate) use import::{insert_within, prepare, taken_hashes};
pub(crate) use model::Share;
pub(crate) use upkeep::Shares;

use http_kit::Routes;

use crate::host::Host;

/// The calls of visitors.
pub(crate) fn public_routes() -> Routes<Host> {
    public::routes().merge(collect::routes())
}
