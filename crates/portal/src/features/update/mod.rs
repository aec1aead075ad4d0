//! Which version runs, which is the latest, and bringing the latest here: found at a source,
//! checked, laid beside the running program. Putting it in that one's place and starting it is the
//! binary's work, which [`Portal::update_ready`] tells.

mod http;
mod model;
mod signature;
mod source;
mod updates;

pub(crate) use http::routes;
pub use model::{Build, Manifest, ReleaseError, Version, this_target};
pub use signature::ReleaseKey;
pub(crate) use updates::Updates;
pub use updates::{FailedUpdate, NewProgram, UpdateConfig};
