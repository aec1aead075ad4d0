//! Work that goes on after its request was answered: long copies and moves, unpacking and
//! packing archives. A task has an owner, shows how far it is, and can be cancelled; what it
//! makes is visible when it is whole, so a cancelled or killed one leaves nothing behind.
//!
//! Tasks live in memory. Finished ones are kept for an hour.

mod archives;
mod http;
mod progress;
mod registry;
mod task;

pub(crate) use http::{accepted, patience, routes};
pub(crate) use progress::Progress;
pub(crate) use registry::{Job, Tasks};
pub(crate) use task::{Kind, TaskView};
