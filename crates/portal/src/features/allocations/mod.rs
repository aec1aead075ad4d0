//! Allocations: the right of all users, a group or one user to use a server, shared or exclusively, with all or some
//! cards, within limits and for a time; and what of their limits people have left. Administrators may use everything.

mod access;
mod form;
mod http;
mod model;
mod quota;
mod service;
mod store;
mod usable;

pub(crate) use access::{Access, Accesses};
pub(crate) use form::AllocationForm;
pub(crate) use http::routes;
pub(crate) use model::{AllocationLimits, Mode, SubjectKind};
pub(crate) use quota::{Amount, Excess, Limit, Resource, size_in_words, unless_zero};
pub(crate) use service::{create, hear, in_words};
pub(crate) use store::{accesses_of, are_there, forget_user};
pub(crate) use usable::{Closed, Unusable, hold_reservations, unknown_server, usable_server};
