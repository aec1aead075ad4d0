//! What happened: sign-ins, and what people changed. Append-only; only administrators read it.
//!
//! Features record their own changes in the transaction that makes them ([`record`]); refusals
//! are recorded by [`failures`], a middleware.

mod actions;
mod csv_export;
mod disk;
mod http;
mod labels;
mod middleware;
mod model;
mod store;

pub use actions::of as action_of;
pub(crate) use http::routes;
pub use labels::LABELS as ACTION_LABELS;
pub(crate) use middleware::failures;
pub(crate) use model::{LoginAction, LoginEvent, LoginLog, LoginOutcome, OperateLog, Operation};
pub(crate) use store::{
    DutyCall, count_failed_logins, recent_failures, recent_logins, record, record_duty, record_local, record_login,
    record_login_alone, record_outcome,
};
