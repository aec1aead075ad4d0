//! The machine helper (主机助手): acting on a server's machine, for the closed list of verbs of
//! `engine::machine_helper`, through a short-lived container. Threats and limits: `docs/SECURITY.md`.
//!
//! [`call`] is the only way to it. It asks whether the configuration and the server allow it, and
//! writes every call with its caller into the operate log, refused ones too.

mod call;
mod http;
mod model;
mod recent_looks;
mod words;

pub(crate) use call::{Caller, call, forbidden};
pub(crate) use http::routes;
pub(crate) use recent_looks::RecentLooks;
