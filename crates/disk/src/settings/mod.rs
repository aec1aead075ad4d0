//! What administrators choose for the whole disk.

mod current;
mod exec;
mod http;
mod model;
mod store;

pub(crate) use current::CurrentSettings;
pub(crate) use exec::exec_available;
pub(crate) use http::routes;
pub use model::Settings;
