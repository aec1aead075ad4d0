//! The listeners of events and of other portals' messages, in the order of the storeys, and the answers to what lower
//! features ask of upper ones.

use crate::events::Listener;
use crate::features::images::BuildRoom;
use crate::features::peers::PeerListener;
use crate::features::{allocations, clock, clusters, images, instances};

/// Of events, in the transaction in which they happen.
pub(crate) const LISTENERS: &[Listener] = &[
    // lab
    |tx, event| Box::pin(allocations::hear(tx, event)),
    // compute
    |tx, event| Box::pin(instances::hear(tx, event)),
];

/// Of what other portals say.
pub(crate) const PEER_LISTENERS: &[PeerListener] = &[
    // lab
    clock::hear_peers,
    clusters::hear_peers,
    images::hear_peers,
];

/// What builds of images may use of a server.
pub(crate) const BUILD_ROOM: BuildRoom = |db, server| Box::pin(instances::left_for_a_build(db, server));
