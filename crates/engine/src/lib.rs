//! Clusters behind one trait: what is to run there, and what does.
//!
//! [`Runtime`] is that trait, in words that no engine owns ([`Workload`], [`Observed`]); what not every cluster can do is
//! in small traits of its own. [`Site`] is what a driver asks of the program that it is a part of. [`DockerRuntime`] is
//! the first driver: a Docker engine as a cluster of one node. [`KubernetesRuntime`] is the second: a cluster that places
//! workloads itself. Below the first are [`Engine`], the calls of an engine, with
//! [`DockerEngine`]; `probe`, the queries of an engine's machine; and `helper`, the changes on it. This crate knows no
//! HTTP server, no SQL and no portal; permissions are checked by the callers. Even so, no value of these types can ask an
//! engine for a privilege: a container's shape is [`ContainerSpec`] and nothing else.

mod defaults;
mod docker;
mod engine;
mod error;
mod helper;
mod kubernetes;
mod model;
pub mod probe;
mod runtime;
mod site;

pub use defaults::{default_pids, default_shm};
pub use docker::{DockerEngine, DockerRuntime, EngineAddress, TlsMaterial};
pub use engine::Engine;
pub use error::{Error, Invalid, Result};
pub use helper::{MachineHelper, MachineHelperError};
pub use kubernetes::{KubernetesAddress, KubernetesRuntime, KubernetesSettings};
pub use machine_helper;
pub use model::*;
pub use runtime::{
    Care, ClusterNodes, Failure, Freezing, ImageBuilder, Layers, NodeImages, NodeShell, ProcessView, Resizing, Runtime,
    Snapshots, Stage, Step, Watch,
};
pub use site::{ImageSettings, Machine, NotDone, Rules, Site};
