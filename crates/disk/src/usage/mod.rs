//! How much room the spaces take, and that nobody takes more than their quota.
//!
//! Use is counted as the kernel counts it: blocks, hard links once. A space is counted in full
//! when somebody first asks; after that the disk's own changes are added up. Containers write
//! into the same folders without telling, so a count that is old is renewed in the background,
//! and nothing is refused on an old count.

mod http;
mod ledger;
mod measure;

pub(crate) use http::routes;
pub(crate) use ledger::{Ledger, Reservation};
pub(crate) use measure::{Extent, extent, measure};
