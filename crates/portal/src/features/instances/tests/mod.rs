//! Instances through the router, on an engine that is only memory.

mod chaos;
mod failures;
mod held_folders;
mod life;
mod networks;
mod quotas;
mod rights;
mod samples;
