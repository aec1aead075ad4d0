//! How much room the spaces take, and that nobody takes more than their quota.
//!
//! A person's quota holds for their home and the datasets that they own, versions among them. Whoever
//! is over it, because it was lowered or because something new counts, keeps everything: they read,
//! delete and move out, and only what would make it more is refused ([`Account`]).
//!
//! Use is counted as the kernel counts it: blocks, hard links once. A space is counted in full
//! when somebody first asks; after that the disk's own changes are added up. Containers write
//! into the same folders without telling, so all that has a quota is counted again in rounds ([`watch`]), and what
//! somebody asks for when it is old as well; both together take 5 % of one core at most ([`Pace`]). Answers say how old
//! a count is. Before something is refused it is counted at once, but for one twentieth of the time at most, however
//! often that happens.

mod account;
mod freed;
mod http;
mod ledger;
mod measure;
mod pace;
mod reservation;
mod state;
mod watch;

pub(crate) use account::{Account, Allowance};
pub(crate) use freed::{FullAccounts, keep_telling};
pub(crate) use http::routes;
pub(crate) use ledger::Ledger;
pub(crate) use measure::{Extent, extent, measure};
pub(crate) use pace::Pace;
pub(crate) use reservation::Reservation;
pub(crate) use watch::{count_now, keep_watching};
