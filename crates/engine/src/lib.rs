//! Container engines behind one trait: capabilities, containers, terminals, logs, measurements, images and builds.
//!
//! [`Engine`] is that trait, `model` its plain types, [`DockerEngine`] its first implementation, `probe` the queries of
//! an engine's machine, `helper` the changes on it. Callers check [`Capabilities`], never an engine's name. This crate
//! knows no HTTP server, no SQL and no portal; permissions are checked by the callers. Even so, no value of these types
//! can ask an engine for a privilege: a container's shape is [`ContainerSpec`] and nothing else.

mod defaults;
mod docker;
mod engine;
mod error;
mod helper;
mod model;
mod probe;

pub use defaults::{default_pids, default_shm};
pub use docker::{
    DockerEngine, Endpoint, Storage, TlsMaterial, engine_findings, find_storage, machine_findings,
};
pub use engine::Engine;
pub use error::{Error, Invalid, Result};
pub use helper::{MachineHelper, MachineHelperError};
pub use machine_helper;
pub use model::*;
pub use probe::{
    container_programs, gpu_report, kernel_xids, listening_ports, machine_use, missing_device_nodes, nvidia_toolkit,
    read_gpu, read_machine_file, row_remaps,
};
