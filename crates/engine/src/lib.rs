//! Container engines behind one trait: what an engine can do, what runs on it, making and ending
//! containers, terminals, logs, measurements, images and builds.
//!
//! [`Engine`] is that trait, `model` its plain types, [`DockerEngine`] its first implementation, `probe` what is asked
//! of an engine's machine, `helper` what is done on it. Callers ask for [`Capabilities`], never for an engine's name.
//! Nothing here knows HTTP servers, SQL or the portal; what a person may do is decided before. Still no value of these
//! types can ask an engine for what no user may have: a container's shape is [`ContainerSpec`] and nothing else.

mod defaults;
mod docker;
mod engine;
mod error;
mod helper;
mod model;
mod probe;

pub use defaults::{default_pids, default_shm};
pub use docker::{DockerEngine, Endpoint, TlsMaterial};
pub use engine::Engine;
pub use error::{Error, Invalid, Result};
pub use helper::{MachineHelper, MachineHelperError};
pub use machine_helper;
pub use model::*;
pub use probe::{
    container_programs, gpu_report, kernel_xids, listening_ports, machine_use, missing_device_nodes, nvidia_toolkit,
    read_gpu, read_machine_file, row_remaps,
};
