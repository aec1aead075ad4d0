//! HTTP parts that features share: authentication, paths and parameters, conditional requests, and routing of paths
//! with a tail.

mod conditions;
mod content;
mod edge;
mod guard;
mod json;
mod params;
mod pipe;
mod record;
mod refusal;
mod routing;
mod shortcut;

pub(crate) use conditions::Validators;
pub(crate) use content::Content;
pub(crate) use edge::edge;
pub(crate) use guard::{Member, guard, not_signed_in};
pub(crate) use http_kit::drain::{STRANGERS_BYTES, announced, drain, drain_rest, lend};
pub(crate) use json::{JsonBody, SmallBody, changes, overlay, parse, unknown_field, whole};
pub(crate) use params::{Parameters, Target, raw_parameter};
pub(crate) use pipe::{Pipe, Reader};
pub(crate) use record::{change_by, record};
pub(crate) use refusal::{
    ErrorResponse, HttpResult, REASON_HEADER, body_error, body_fault, done, status_line, status_of, told,
};
pub(crate) use routing::{not_allowed, not_found, subtree};
pub(crate) use shortcut::Downloads;
