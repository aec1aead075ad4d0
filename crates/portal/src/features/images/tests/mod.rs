//! Images through the router.

mod builds;
mod fake_registry;
mod library;
mod own;
mod registries;
