//! Images through the router.

mod builds;
mod fake_registry;
mod library;
mod offered;
mod own;
mod registries;
