//! Which version runs, and which is the latest that is known.

mod http;

pub(crate) use http::routes;
