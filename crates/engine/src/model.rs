//! The plain types of requests to engines and of their answers, one file per topic.

mod build;
mod capabilities;
mod container;
mod device;
mod disk;
mod environment;
mod event;
mod finding;
mod gpu;
mod image;
mod machine;
mod mount;
mod name;
mod network;
mod node;
mod observed;
mod port;
mod process;
mod program;
mod registry;
mod spec;
mod terminal;
mod usage;
mod witness;
mod workload;

pub use build::{BuildEvent, BuildSpec, ImageBuild};
pub use capabilities::{Capabilities, CgroupVersion, RootQuota};
pub use container::{
    Container, ContainerSize, ContainerState, Exit, HeldCards, Inspection, Mark, MountedFolder, Owner,
};
pub use device::{Card, CardChoice, DeviceNode};
pub(crate) use disk::{DiskUsage, ImageUse};
pub use environment::Environment;
pub use event::{EngineEvent, Happening};
pub use finding::{Expected, Finding, Proof, Verdict};
pub use gpu::{
    DriverRefusal, FailedGpu, GpuProcess, GpuReading, GpuReport, GpuTrouble, KernelXids, RowRemap, XidLine, pci_place,
};
pub use image::{CommitSpec, Frees, Image, ImageDetail, Layer, NodeImage, Removed};
pub use machine::{CpuTime, MachineUse, Room, Storage};
pub use mount::Mount;
pub use name::{ContainerRef, ImageRef};
pub use network::{DefaultBridge, HostNetwork, Membership, Network, NetworkName, NetworkSpec, Route};
pub use node::{ClusterNode, NodeCard, Taint};
pub use observed::{End, Endpoint, Foreign, Observation, Observed, Obstacle, Phase, Waits};
pub use port::{PortMapping, Protocol, port_number};
pub use process::{Command, Process, ProcessControl, ProcessId};
pub use program::{ContainerPrograms, Program};
pub use registry::{Progress, RegistryAuth};
pub use spec::{CPU_PERIOD_MICROS, ContainerSpec, Created, Resources};
pub use terminal::{
    ExecOutput, LogChunk, LogQuery, Pipes, PipesSpec, Terminal, TerminalExit, TerminalId, TerminalSize, TerminalSpec,
};
pub use usage::Usage;
pub use witness::{EndCause, EndWitness};
pub use workload::{ImageSource, Place, Tenant, WantedPort, Workload, WorkloadId};
