//! What a cluster shows of its workloads.

use std::collections::BTreeSet;
use std::num::NonZeroU16;

use crate::{EndCause, Exit, HeldCards, Protocol, WorkloadId};

/// All that runs on a cluster, or is kept there for later. Complete: what is not in it is not there.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Workloads of all portals that use the cluster.
    pub workloads: Vec<Observed>,
    /// What was started past every portal: never touched, and its cards count as busy.
    pub foreign: Vec<Foreign>,
}

/// A workload as its cluster shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its id.
    pub id: WorkloadId,
    /// Of the object that was seen.
    pub generation: u64,
    /// What it does.
    pub phase: Phase,
    /// The name of the node that it was placed on; empty before, after its stop, and on a cluster of one node.
    pub node: String,
    /// What keeps it waiting for a node, on a cluster that places workloads.
    pub waits: Option<Waits>,
    /// Where its ports are reached, as far as they are.
    pub endpoints: Vec<Endpoint>,
    /// The ids of its cards.
    pub cards: Vec<String>,
    /// The cluster's id of the object.
    pub object: String,
    /// The cluster's name of the object.
    pub name: String,
    /// The name of its image.
    pub image: String,
}

/// What a workload does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Made, not started.
    Waiting,
    /// Its program runs.
    Running,
    /// Its program is frozen.
    Frozen,
    /// Its program ended; the root is kept. The end is only told by [`crate::Runtime::examine`].
    Ended(Option<End>),
}

impl Phase {
    /// Whether it holds its cards, CPU and memory.
    #[must_use]
    pub fn is_active(&self) -> bool {
        matches!(self, Self::Running | Self::Frozen)
    }
}

/// Why a cluster has found no node for a workload yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// What its nodes lack, each of them one thing at least. Empty when the cluster's words say nothing known.
    pub obstacles: BTreeSet<Obstacle>,
    /// The cluster's own words.
    pub words: String,
}

/// What keeps a workload off a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Obstacle {
    /// Not enough free cores.
    Cpu,
    /// Not enough free memory.
    Memory,
    /// Not enough free cards that would do.
    Cards,
    /// Another workload has the port of the node.
    Ports,
    /// A volume is not there, or on another node.
    Volume,
    /// The node is closed to it.
    Taint,
    /// The node is of another kind than is asked for.
    Kind,
    /// The node has as many workloads as it takes.
    Full,
}

/// How and why a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// How.
    pub exit: Exit,
    /// Why.
    pub cause: EndCause,
}

/// Where a port of a workload is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// In the workload.
    pub port: NonZeroU16,
    /// TCP or UDP.
    pub protocol: Protocol,
    /// The port of its node.
    pub node_port: NonZeroU16,
}

/// What runs on a cluster past every portal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The cluster's id of it.
    pub object: String,
    /// Its name.
    pub name: String,
    /// The name of its image.
    pub image: String,
    /// Whether it holds its cards.
    pub active: bool,
    /// The cards that it can use.
    pub cards: HeldCards,
}
