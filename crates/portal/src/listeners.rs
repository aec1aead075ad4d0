//! Who hears what features announce without knowing who acts upon it, and who answers what they ask. The listeners of
//! each list come in the order of the storeys.

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
