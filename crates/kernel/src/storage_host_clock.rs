//! A storage host's report about its clock: to its portal, and from there to the other portals.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A storage host's report about its clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StorageHostClock {
    /// Identifies the host, the same at every start.
    pub host: String,
    /// The name of its machine.
    pub name: String,
    /// What its machine's wall clock says.
    pub wall: Timestamp,
    /// The time that the host uses.
    pub now: Timestamp,
    /// Whether the wall clock is not trusted.
    pub held: bool,
}
