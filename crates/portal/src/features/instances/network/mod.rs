//! A network for each person on each server, so that an instance reaches neither other people's instances nor the
//! machine's own services or link-local addresses.
//!
//! `plan` is pure: names and addresses. `place` creates a network when an instance starts and connects the instance to
//! it. `guard` has the machine isolate the networks, and `unused` removes networks without containers. The engine alone
//! knows which networks exist; the database holds nothing of them.

mod guard;
mod place;
mod plan;
mod unused;

pub(super) use guard::{assert as assert_guard, assert_for as assert_guard_for, wanted as wanted_guard};
pub(crate) use place::network_of;
pub(super) use place::{Place, ensure, fits, join};
pub(super) use plan::{INSTANCES_EACH, capacity, free_subnet, owner_of, wider_routes};
pub(super) use unused::sweep;
