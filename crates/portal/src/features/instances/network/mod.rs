//! A network for each person on each server, so that nobody's instances reach another person's, the machine's own
//! services or link-local addresses.
//!
//! `plan` is pure: names and addresses. `place` makes a network when an instance starts and has the instance
//! belong to it. `guard` has the machine keep the networks apart, and `unused` removes what nobody uses. Which networks
//! there are the engine alone knows; nothing of them is in the database.

mod guard;
mod place;
mod plan;
mod unused;

pub(super) use guard::{assert as assert_guard, assert_for as assert_guard_for, wanted as wanted_guard};
pub(crate) use place::network_of;
pub(super) use place::{Place, ensure, fits, join};
pub(super) use plan::{INSTANCES_EACH, capacity, free_subnet, owner_of, wider_routes};
pub(super) use unused::sweep;
