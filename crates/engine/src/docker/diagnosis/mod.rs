//! Looks at an engine and its machine for what would keep workloads from running, or from being kept apart.

mod machine;
mod own;

pub(super) use machine::machine_findings;
pub(super) use own::engine_findings;
