//! Looks at an engine and its machine for what would keep instances from running, or from being kept apart.

mod machine;
mod own;

pub use machine::{Storage, find_storage, machine_findings};
pub use own::engine_findings;
