//! The reconciler: brings the clusters to the desired state of the database, and writes down the actual state.
//!
//! The leader has a `crew` with a `worker` for each server. A `round` takes a cluster's complete list, `observe`
//! writes down what it shows, `next` decides what is to be done about each instance, `drive` and `bring` do it
//! (`revive` after a restart of the machine), and `settle` writes the outcome. Beside them run the measurements
//! (`usage`, `machine`, `sampling`) and the scheduled stops (`keep`, `idle`).

mod bring;
mod crew;
mod drive;
mod folders;
mod health;
pub(super) mod idle;
pub(super) mod keep;
mod machine;
mod next;
mod observe;
mod revive;
mod round;
pub(super) mod samples;
mod sampling;
mod settle;
mod usage;
mod work;
mod workload;

pub(crate) use crew::look_after_servers;
pub(super) use keep::until as kept_until;
pub(super) use round::ask;
pub(crate) use samples::{Sampled, begin_to_lead};
pub(super) use settle::give_back;
pub(crate) use work::measure;
pub(crate) use workload::id as workload_id;
