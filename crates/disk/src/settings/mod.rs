//! What administrators choose for the whole disk.

mod current;
mod model;
mod store;

pub(crate) use current::CurrentSettings;
pub use model::Settings;
