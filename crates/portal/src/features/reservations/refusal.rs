//! Why a request is not granted now: as facts for the words, and as a code for the record.

use serde::Serialize;

use super::model::LimitOf;
use crate::features::allocations::{Closed, Excess, Resource};

/// Why the scheduler does not grant a request now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The node is not among those that take requests of the user.
    NodeUnknown,
    /// A particular card is not there, or the user may not have it.
    CardUnknown,
    /// A particular card is out of order.
    CardFaulty { position: i64, fault: String },
    /// A particular card is not free.
    CardTaken { position: i64 },
    /// Fewer cards are free than were asked for.
    CardsShort { wanted: usize, free: usize },
    /// Limits would be exceeded: the first, and the others.
    Exceeded(Exceeded, Vec<Exceeded>),
}

/// A limit that would be exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) of: LimitOf,
    pub(crate) excess: Excess,
}

impl Refusal {
    /// A refusal if any limit would be exceeded.
    pub(super) fn unless_empty(exceeded: Vec<Exceeded>) -> Result<(), Self> {
        let mut exceeded = exceeded.into_iter();
        match exceeded.next() {
            Some(first) => Err(Self::Exceeded(first, exceeded.collect())),
            None => Ok(()),
        }
    }

    /// Whether other cards could be granted.
    pub(crate) fn is_about_cards(&self) -> bool {
        !matches!(self, Self::NodeUnknown | Self::Exceeded(..))
    }

    /// The code to store.
    pub(crate) fn reason(&self) -> Reason {
        match self {
            Self::NodeUnknown => Reason::ServerUnknown,
            Self::CardUnknown => Reason::CardUnknown,
            Self::CardFaulty { .. } => Reason::CardFaulty,
            Self::CardTaken { .. } => Reason::CardTaken,
            Self::CardsShort { .. } => Reason::CardsShort,
            Self::Exceeded(Exceeded { of: LimitOf::Node, excess }, _) => match excess.resource {
                Resource::Cpu => Reason::ServerCpu,
                _ => Reason::ServerMemory,
            },
            Self::Exceeded(Exceeded { excess, .. }, _) => match excess.resource {
                Resource::Instances => Reason::InstanceQuota,
                Resource::Gpus => Reason::GpuQuota,
                Resource::Cpu => Reason::CpuQuota,
                Resource::Memory => Reason::MemoryQuota,
            },
        }
    }
}

/// Why a request was refused, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The server is not there, or not allocated to the user.
    ServerUnknown,
    /// The server is being emptied.
    ServerDraining,
    ServerMaintenance,
    ServerDisabled,
    ServerUnreachable,
    /// More CPU than the server has for an instance.
    ServerCpu,
    /// More memory than the server has left.
    ServerMemory,
    /// A particular card is not there, or not allocated to the user.
    CardUnknown,
    /// A particular card is out of order.
    CardFaulty,
    /// A particular card is not free.
    CardTaken,
    /// Too few cards are free.
    CardsShort,
    /// A quota of the user, of the user's allocations of the server, or of a group; as are the next three.
    InstanceQuota,
    GpuQuota,
    CpuQuota,
    MemoryQuota,
    /// The server has no host port left.
    PortsExhausted,
}

impl From<Closed> for Reason {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::Unknown => Self::ServerUnknown,
            Closed::Draining => Self::ServerDraining,
            Closed::Maintenance => Self::ServerMaintenance,
            Closed::Disabled => Self::ServerDisabled,
            Closed::Unreachable => Self::ServerUnreachable,
        }
    }
}
