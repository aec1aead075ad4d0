//! Reports the use of spaces: to people ([`http`]), and to the portal, for which all accounts with a quota are counted in
//! rounds ([`watch`]) and room that was made is reported at once ([`freed`]). The counts are kept by
//! [`disk_core::usage`].

mod freed;
mod http;
mod watch;

pub(crate) use freed::{FullAccounts, keep_telling};
pub(crate) use http::routes;
pub(crate) use watch::{count_now, keep_watching};
