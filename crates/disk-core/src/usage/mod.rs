//! Use of the spaces, and enforcement of quotas.
//!
//! A person's quota applies to their home and the datasets that they own, including versions. A person over their
//! quota, because it was lowered or because something new counts, keeps everything: they read, delete and move out, and
//! only writes that increase the use are refused ([`Account`]).
//! Use is counted as the kernel counts it: blocks, hard links once. A space is counted in full at the first query;
//! after that the disk's own changes are added up. Containers write into the same folders without notice, so all spaces
//! with a quota are counted again in rounds, and old counts on request; both together take 5 % of one core
//! at most ([`Pace`]). Responses have the age of the count. Before a write is refused the space is counted at once, at
//! most for one twentieth of the time, however often that happens.

mod account;
mod ledger;
mod measure;
mod pace;
mod reservation;
mod state;

pub use account::{Account, Allowance};
pub use ledger::Ledger;
pub(crate) use measure::extent;
pub use measure::{Extent, measure};
pub use pace::{Pace, ROUNDS_PERCENT};
pub use reservation::Reservation;
