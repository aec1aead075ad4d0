//! Settings of the whole disk, for administrators.

mod current;
mod http;
mod model;
mod public;
mod store;

pub(crate) use current::CurrentSettings;
pub(crate) use http::routes;
pub use model::Settings;
pub(crate) use public::routes as public_routes;
