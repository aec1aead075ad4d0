//! What administrators choose for the whole disk.

mod current;
mod http;
mod model;
mod store;

pub(crate) use current::CurrentSettings;
pub(crate) use http::routes;
pub use model::Settings;
