//! What a driver asks of the program that it is a part of.

use std::collections::BTreeSet;
use std::fmt;

use async_trait::async_trait;
use ipnet::Ipv4Net;
use kernel::Timestamp;
use machine_helper::{Answer, Request};

use crate::{ImageSource, Result};

/// The machine helper on a cluster's machine, through the program, which decides whether it may be used and writes its
/// use down.
#[async_trait]
pub trait Machine: Send + Sync {
    /// Carries out a request on the machine.
    ///
    /// # Errors
    /// That it was not carried out.
    async fn carry_out(&self, request: &Request) -> std::result::Result<Answer, NotDone>;
}

/// What a driver asks of the program that it is a part of. One for each cluster.
#[async_trait]
pub trait Site: Machine + fmt::Debug {
    /// The program's id of the cluster, which tells its objects from those of another program on the same machines.
    fn cluster(&self) -> &str;

    /// The program's time.
    fn now(&self) -> Timestamp;

    /// How workloads are to be run there, as it is configured now.
    ///
    /// # Errors
    /// `Unreachable` when the configuration can't be read at present.
    async fn rules(&self) -> Result<Rules>;

    /// How an image is run, by its registry. Clusters that start other programs before the image's own can't look it up
    /// themselves. `None` where that is not known.
    ///
    /// # Errors
    /// `ImageMissing`, `Unauthorized`, `Unreachable`.
    async fn image_settings(&self, _image: &ImageSource) -> Result<Option<ImageSettings>> {
        Ok(None)
    }
}

/// How an image is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageSettings {
    /// `sha256:` and 64 digits, by which the registry has the image; empty where that is not known.
    pub digest: String,
    /// The program that the command is given to.
    pub entrypoint: Vec<String>,
    /// The command.
    pub command: Vec<String>,
    /// The user, `user[:group]`; empty is root.
    pub user: String,
    /// Where the program starts; empty is `/`.
    pub working_dir: String,
}

/// How workloads are to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The folder of the machine where the network disk is mounted; empty for no network disk.
    pub storage: String,
    /// Addresses for the networks of tenants.
    pub addresses: Ipv4Net,
    /// TCP ports of the machine that workloads may reach.
    pub open_ports: BTreeSet<u16>,
    /// Why the machine helper may not be used, in the program's words for people; `None` when it may.
    pub no_helper: Option<String>,
}

/// A request of the machine helper was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {words}")]
pub struct NotDone {
    /// A closed word of the program for the cause.
    pub code: String,
    /// The program's words for people.
    pub words: String,
}
