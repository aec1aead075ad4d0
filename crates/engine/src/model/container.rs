//! Containers as an engine reports them.

use std::net::IpAddr;

use kernel::Timestamp;

use crate::{ContainerRef, Membership, PortMapping, Resources};

/// A container's state, in Docker's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerState {
    /// Made, never started.
    Created,
    /// Its program runs.
    Running,
    /// Frozen.
    Paused,
    /// Between two runs.
    Restarting,
    /// Being removed.
    Removing,
    /// Its program ended; the root is kept.
    Exited,
    /// Could not be removed whole.
    Dead,
}

impl ContainerState {
    /// Whether it holds its cards, CPU and memory.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Running | Self::Paused | Self::Restarting)
    }
}

/// An entry of the list of containers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// The engine's id, 64 digits.
    pub id: ContainerRef,
    /// Its name, without a slash.
    pub name: String,
    /// The image's name as given at creation.
    pub image: String,
    /// The image's id.
    pub image_id: String,
    /// When it was made.
    pub created: Timestamp,
    /// What it does.
    pub state: ContainerState,
    /// Its owner.
    pub owner: Owner,
    /// Published ports; empty for a stopped container.
    pub ports: Vec<PortMapping>,
    /// The names of the networks that it belongs to, running or not.
    pub networks: Vec<String>,
}

/// The owner of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Created by a portal, as its labels show.
    Portal(Mark),
    /// Not ours: never touched, and its cards count as busy.
    Foreign(HeldCards),
}

/// The labels of a portal's container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// `yunlab.instance`.
    pub instance: String,
    /// `yunlab.generation`.
    pub generation: u64,
    /// `yunlab.gpus`: the ids of its cards.
    pub cards: Vec<String>,
    /// `yunlab.tools`: whether our program lies in it.
    pub tools: bool,
}

/// The cards that a foreign container can use, as far as its configuration shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldCards {
    /// Every card: it is privileged, or was started with all of them.
    pub all: bool,
    /// By UUID.
    pub uuids: Vec<String>,
    /// By index, as `--gpus 2` and `NVIDIA_VISIBLE_DEVICES=0,1` name them.
    pub indexes: Vec<u32>,
    /// Device nodes.
    pub nodes: Vec<String>,
}

impl HeldCards {
    /// Whether it can use no card.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it can use the card with this UUID, index or one of these nodes.
    #[must_use]
    pub fn holds(&self, uuid: &str, index: Option<u32>, nodes: &[String]) -> bool {
        self.all
            || self.uuids.iter().any(|held| held == uuid)
            || index.is_some_and(|index| self.indexes.contains(&index))
            || self.nodes.iter().any(|held| nodes.contains(held))
    }
}

/// The full description of one container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// As in the list.
    pub container: Container,
    /// When its program was last started.
    pub started: Option<Timestamp>,
    /// The exit of its main process; `None` while it runs or before the first start.
    pub exit: Option<Exit>,
    /// Its address in the engine's own network.
    pub address: Option<IpAddr>,
    /// The networks that it belongs to.
    pub networks: Vec<Membership>,
    /// Its present limits.
    pub resources: Resources,
    /// Bytes of `/dev/shm`.
    pub shm: u64,
    /// Its device nodes.
    pub nodes: Vec<String>,
    /// UUIDs of its NVIDIA cards.
    pub uuids: Vec<String>,
    /// Folders of the machine that it sees.
    pub mounts: Vec<MountedFolder>,
    /// `NAME=value`, the image's included.
    pub environment: Vec<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// A folder of the machine in a container, as the engine reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedFolder {
    /// On the machine.
    pub source: String,
    /// In the container.
    pub target: String,
    /// Whether the container may only read.
    pub read_only: bool,
}

/// How a container's program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// 0 is success, 137 killed.
    pub code: i64,
    /// Killed because the memory was used up.
    pub out_of_memory: bool,
    /// The engine's error, often empty.
    pub error: String,
    /// When.
    pub finished: Option<Timestamp>,
}

/// The size of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContainerSize {
    /// Bytes written on top of its image: the size that an image of it adds.
    pub writable: u64,
    /// Bytes of the whole root.
    pub root: u64,
    /// Layers of its image; engines take at most 127.
    pub layers: usize,
}
