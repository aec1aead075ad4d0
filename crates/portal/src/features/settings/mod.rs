//! How the lab is set up: kept as two JSON documents, validated as a whole, read on each use.

mod defaults;
mod http;
mod model;
mod store;

pub(crate) use http::routes;
pub(crate) use model::Quotas;
pub(crate) use store::read;
