//! Instances through the router, on a cluster that is only memory.

mod batch;
mod chaos;
mod drain;
mod endings;
mod failures;
mod held_folders;
mod life;
mod networks;
mod quotas;
mod restarts;
mod rights;
mod samples;
mod told;
