//! What a container is made from. There is no field for a privilege, a namespace of the machine or
//! an option that loosens its walls, so no caller can ask for one.

use std::collections::BTreeMap;

use crate::{Card, CardChoice, ContainerRef, Environment, ImageRef, Invalid, Mount, NetworkName, PortMapping};

/// Docker's period of CPU accounting, which [`Resources::cpu_quota`] is a part of.
pub const CPU_PERIOD_MICROS: u64 = 100_000;

/// A container's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Microseconds of CPU in each [`CPU_PERIOD_MICROS`]: 400 000 is four cores, 0 no limit.
    pub cpu_quota: u64,
    /// Bytes of memory and swap together; 0 is no limit.
    pub memory: u64,
    /// Processes and threads at most.
    pub pids: u32,
}

impl Resources {
    /// Cores, rounded up; `None` without a limit.
    #[must_use]
    pub fn cores(&self) -> Option<u64> {
        (self.cpu_quota > 0).then(|| self.cpu_quota.div_ceil(CPU_PERIOD_MICROS))
    }
}

/// A container to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerSpec {
    /// The same for every try, so that a retry finds the container of the first.
    pub name: ContainerRef,
    /// The portal's id of the instance, for the label `yunlab.instance`.
    pub instance: String,
    /// Incremented when an instance's container is recreated, for the label `yunlab.generation`.
    pub generation: u64,
    /// Must be on the engine.
    pub image: ImageRef,
    /// Instead of the image's own entry point.
    pub entrypoint: Option<Vec<String>>,
    /// Instead of the image's own command.
    pub command: Option<Vec<String>>,
    /// Added to the image's environment.
    pub environment: Environment,
    /// CPU, memory, processes.
    pub resources: Resources,
    /// Bytes of `/dev/shm`; without a value [`crate::default_shm`] of the memory.
    pub shm: Option<u64>,
    /// Bytes that the root may grow to; only where the engine's [`crate::RootQuota`] allows it.
    pub root_quota: Option<u64>,
    /// Cards; with an empty list the container sees none.
    pub cards: Vec<Card>,
    /// Folders of the machine.
    pub mounts: Vec<Mount>,
    /// Ports of the machine.
    pub ports: Vec<PortMapping>,
    /// Its network; by default the engine's default one.
    pub network: Option<NetworkName>,
    /// Whether processes cannot gain rights, so that `sudo` does not work.
    pub no_new_privileges: bool,
    /// Further labels; those that begin with `yunlab.` are refused.
    pub labels: BTreeMap<String, String>,
}

impl ContainerSpec {
    /// Checks the constraints that the types of the fields do not enforce.
    ///
    /// # Errors
    /// The first value that is never sent to an engine.
    pub fn check(&self) -> Result<(), Invalid> {
        let invalid = |what: &str, value: &str, why| Err(Invalid::new(what, value, why));
        if self.instance.is_empty()
            || !self.instance.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        {
            return invalid("instance", &self.instance, "only letters, digits, '-' and '_'");
        }
        for word in self.entrypoint.iter().chain(&self.command).flatten() {
            if word.contains('\0') || word.len() > 64 << 10 {
                return invalid("command", word, "has a NUL or is over 64 KiB");
            }
        }
        for (name, value) in &self.labels {
            if name.is_empty()
                || name.starts_with(LABEL_PREFIX)
                || name.chars().chain(value.chars()).any(char::is_control)
            {
                return invalid("label", name, "is ours, empty or has control characters");
            }
        }
        // Below this Docker itself refuses.
        if (1..6 << 20).contains(&self.resources.memory) {
            return invalid("memory", &self.resources.memory.to_string(), "is under 6 MiB");
        }
        if (1..1000).contains(&self.resources.cpu_quota) {
            return invalid("cpu quota", &self.resources.cpu_quota.to_string(), "is under 1000 microseconds");
        }
        if self.resources.pids == 0 {
            return invalid("pids", "0", "leaves no room for one process");
        }
        for card in &self.cards {
            if let CardChoice::AnyOf { model, .. } = card.choice() {
                return invalid("card", model, "is a model: an engine does not choose cards");
            }
        }
        for (at, mount) in self.mounts.iter().enumerate() {
            if self.mounts[..at].iter().any(|other| other.target() == mount.target()) {
                return invalid("mount target", mount.target(), "is used twice");
            }
        }
        for (at, port) in self.ports.iter().enumerate() {
            let same = |other: &PortMapping| other.host == port.host && other.protocol == port.protocol;
            if self.ports[..at].iter().any(same) {
                return invalid("port", &port.host.to_string(), "is used twice");
            }
        }
        Ok(())
    }
}

/// Labels with this beginning are ours.
pub(crate) const LABEL_PREFIX: &str = "yunlab.";

/// The result of creating a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The engine's id of the container.
    pub id: ContainerRef,
    /// Whether an earlier try had made it.
    pub adopted: bool,
    /// The engine's warnings.
    pub warnings: Vec<String>,
}
