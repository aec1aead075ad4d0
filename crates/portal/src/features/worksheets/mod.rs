//! Work orders (工单): requests to administrators with a thread for both. A request for quotas or cards has figures, so
//! that approving it makes the change.
//!
//! An order is `undo` until an administrator takes it up, then `doing`, then `done` or `closed` ([`state`]). A group's
//! leader sees and comments on its members' orders.

mod attachment;
mod changes;
mod decision;
mod figures;
mod form;
mod http;
mod http_decision;
mod http_thread;
mod known;
mod model;
mod policy;
mod service;
mod state;
mod store;
mod store_thread;
mod view;

pub(crate) use http::routes;
pub use known::DiskFiles;
pub(crate) use known::LentFiles;
pub(crate) use store::{close_of_user, count_open};

use crate::store_growing::{Drop, Growing, MILLIS, Rows};

/// Their entries and what people have read of them go with them.
pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "worksheets",
    title: "已处理的工单",
    days: |settings| settings.worksheet_days,
    rows: &[Rows { table: "worksheets", time: "updated", condition: "state in ('done', 'closed')", counts: MILLIS }],
    drop: Drop::Rows,
}];
