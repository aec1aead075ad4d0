//! What people used: card-hours that they held and really used, by day and month, for themselves, for
//! those who lead their groups, and for administrators.
//!
//! Leases and samples say it, but samples are kept for a month only. So they are added up, a day at a
//! time, into tables of this feature ([`add_up`]), and reports read nothing else. A day is one of the
//! lab's time, +08:00 ([`day`]).

mod day;
mod http;
mod ledger;
mod model;
mod store;
mod store_report;

pub(crate) use http::routes;
pub(crate) use ledger::add_up;
