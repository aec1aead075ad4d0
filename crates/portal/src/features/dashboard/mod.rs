//! The first page after signing in: what I have, and for administrators how the lab is doing.
//! It owns no tables; it asks the other features.

mod http;

pub(crate) use http::routes;
