//! What is to be run, in words that no engine owns.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use crate::{Card, Environment, ImageRef, Invalid, Protocol, RegistryAuth, Resources};

/// The portal's id of a workload; the same for its whole life, on every cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkloadId(String);

impl WorkloadId {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WorkloadId {
    type Err = Invalid;

    /// 1 to 63 letters, digits, `-` and `_`, so that it can be a label's value everywhere.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if text.is_empty() || text.len() > 63 || !text.chars().all(inner) {
            return Err(Invalid::new("workload id", text, "only 1 to 63 letters, digits, '-' and '_'"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The owner of a workload. Drivers keep the workloads of one tenant apart from those of all others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tenant(String);

impl Tenant {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Tenant {
    type Err = Invalid;

    /// 1 to 40 lower-case letters, digits and `-`.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if text.is_empty() || text.len() > 40 || !text.chars().all(inner) {
            return Err(Invalid::new("tenant", text, "only 1 to 40 lower-case letters, digits and '-'"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A workload to be run. Two equal ones are the same request; a change that needs a new object on the cluster comes with
/// a higher generation.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its id.
    pub id: WorkloadId,
    /// Incremented whenever what runs is to be recreated.
    pub generation: u64,
    /// How people call it. Drivers derive the names of their objects and the host name inside from it.
    pub name: String,
    /// Its owner.
    pub tenant: Tenant,
    /// What its root is made of.
    pub image: ImageSource,
    /// What a driver told in [`crate::Step::RootKept`] when it last kept the root of an earlier generation; `None` if
    /// it never did. Only the driver knows what it means.
    pub kept_root: Option<String>,
    /// Instead of the image's own command.
    pub command: Option<Vec<String>>,
    /// Added to the image's environment.
    pub environment: Environment,
    /// CPU, memory, processes.
    pub resources: Resources,
    /// Bytes of `/dev/shm`; without a value [`crate::default_shm`] of the memory.
    pub shm: Option<u64>,
    /// Cards; with an empty list it sees none.
    pub cards: Vec<Card>,
    /// Names of the nodes that would do, on a cluster that places workloads; empty for any of them.
    pub nodes: BTreeSet<String>,
    /// Folders of the network disk.
    pub places: Vec<Place>,
    /// Ports that others can reach.
    pub ports: Vec<WantedPort>,
    /// Whether processes cannot gain rights, so that `sudo` does not work.
    pub no_new_privileges: bool,
}

/// An image and how to get it.
#[derive(Clone, Debug)]
pub struct ImageSource {
    /// Its name.
    pub name: ImageRef,
    /// Credentials for its registry, if it needs some.
    pub auth: Option<RegistryAuth>,
    /// Whether it is in a registry; otherwise it is only used where it is.
    pub in_registry: bool,
}

/// A folder of the network disk inside a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    folder: String,
    target: String,
    read_only: bool,
}

impl Place {
    /// `folder` is relative to the network disk's root, as in `home/7`; `target` is absolute.
    ///
    /// # Errors
    /// A folder that is not relative and plain. The target is checked where it is mounted ([`crate::Mount::new`]).
    pub fn new(folder: &str, target: &str, read_only: bool) -> Result<Self, Invalid> {
        if folder.split('/').any(|part| matches!(part, "" | "." | "..")) || folder.chars().any(char::is_control) {
            return Err(Invalid::new("place", folder, "is not relative and plain"));
        }
        Ok(Self { folder: folder.to_owned(), target: target.to_owned(), read_only })
    }

    /// Relative to the network disk's root.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Where the workload sees it.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Whether the workload may only read.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.read_only
    }
}

/// A port of a workload that others can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedPort {
    /// In the workload.
    pub port: NonZeroU16,
    /// TCP or UDP.
    pub protocol: Protocol,
    /// The port of the node that it was granted, on clusters whose nodes' ports the portal hands out.
    pub node_port: Option<NonZeroU16>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_below_the_disk_whatever_it_is_called() {
        assert_eq!(Place::new("home/张三 1", "/home/x", false).unwrap().folder(), "home/张三 1");
        for bad in ["", "/home", "home/", "home//x", "../x", "home/..", "a/./b", "a\0b", "a\nb"] {
            assert!(Place::new(bad, "/home/x", true).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ids_are_label_values_everywhere() {
        assert!("0198f2c1-7aa0-7d33-a6a5-5c1b3d1d9f0e".parse::<WorkloadId>().is_ok());
        for bad in ["", "a b", "a/b", "é", &"x".repeat(64)] {
            assert!(bad.parse::<WorkloadId>().is_err(), "{bad:?}");
        }
        assert!("7".parse::<Tenant>().is_ok());
        assert!("Ann".parse::<Tenant>().is_err());
    }
}
