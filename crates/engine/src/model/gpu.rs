//! NVIDIA cards of a machine as its driver reports them.

use serde::{Deserialize, Serialize};

/// All cards at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuReport {
    /// As in `550.54.15`.
    pub driver: String,
    /// The newest CUDA that the driver can run, as in `12.4`.
    pub cuda: Option<String>,
    /// The cards.
    pub gpus: Vec<GpuReading>,
    /// What computes on them.
    pub processes: Vec<GpuProcess>,
}

/// One card at one moment. `None` is what this card does not report.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuReading {
    /// Its place in the machine at present; only to be shown.
    pub index: u32,
    /// `GPU-…`: what it is known by.
    pub uuid: String,
    /// As in `NVIDIA A100-SXM4-80GB`.
    pub model: String,
    /// As in `00000000:17:00.0`.
    pub pci: String,
    /// Bytes.
    pub memory_total: u64,
    /// Bytes.
    pub memory_used: Option<u64>,
    /// Percent of time in which it computed.
    pub utilization: Option<u8>,
    /// Percent of time in which its memory was read or written.
    pub memory_utilization: Option<u8>,
    /// Degrees Celsius.
    pub temperature: Option<i16>,
    /// Watts.
    pub power: Option<f32>,
    /// Watts that it may take.
    pub power_limit: Option<f32>,
    /// Percent of the fan's full speed.
    pub fan: Option<u8>,
    /// Memory errors since the driver started that could not be corrected.
    pub uncorrected_errors: Option<u64>,
    /// Whether it is cut into parts.
    pub mig: bool,
}

/// A process that computes on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuProcess {
    /// The card, or the part of a card.
    pub uuid: String,
    /// On the machine.
    pub pid: u32,
    /// Bytes of the card's memory.
    pub memory: Option<u64>,
    /// At most 15 characters, chosen by the process itself.
    pub name: String,
    /// The id of the container that it runs in; `None` outside of any.
    pub container: Option<String>,
}
