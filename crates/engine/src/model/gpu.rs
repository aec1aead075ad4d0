//! NVIDIA cards of a machine as its driver reports them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A reading of all cards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuReport {
    /// As in `550.54.15`.
    pub driver: String,
    /// The newest CUDA that the driver can run, as in `12.4`.
    pub cuda: Option<String>,
    /// The cards.
    pub gpus: Vec<GpuReading>,
    /// Cards that the driver lists without any figures.
    pub failed: Vec<FailedGpu>,
    /// Why there is no reading of any card.
    pub refusal: Option<DriverRefusal>,
    /// Processes that compute on the cards.
    pub processes: Vec<GpuProcess>,
}

/// A driver's failure to report its cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverRefusal {
    /// It does not answer in time.
    Hangs,
    /// The driver's message.
    Says(String),
}

/// A card that the driver lists but cannot query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedGpu {
    /// As [`pci_place`] writes it.
    pub pci: String,
    /// The driver's own.
    pub words: String,
}

/// A card's error instead of its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuTrouble {
    /// Nothing runs on it until it is reset.
    NeedsReset,
    /// It is off the bus.
    Lost,
    /// Memory, utilization or temperature are errors.
    Unreadable,
}

/// A reading of one card. `None` for figures that the card does not report.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuReading {
    /// Its place in the machine at present; only to be shown.
    pub index: u32,
    /// `GPU-…`, its identifier.
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
    /// The same since the card was made.
    pub lifetime_uncorrected_errors: Option<u64>,
    /// `None` while it reports its figures.
    pub trouble: Option<GpuTrouble>,
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
    /// Id of the container that it runs in; `None` outside of containers.
    pub container: Option<String>,
}

/// Remapped rows of a card's memory. `None` for figures that a card does not report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRemap {
    /// The card.
    pub uuid: String,
    /// Whether a remapping takes effect only after a reset.
    pub pending: Option<bool>,
    /// Whether a replacement failed.
    pub failed: Option<bool>,
}

/// Reports of NVIDIA's driver in a kernel's log since the boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelXids {
    /// The kernel's random id of this boot.
    pub boot: String,
    /// Since the boot.
    pub uptime: Duration,
    /// The newest, in the order of time; `None` if the log cannot be read.
    pub lines: Option<Vec<XidLine>>,
}

/// One report of NVIDIA's driver about an error on a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XidLine {
    /// Since the boot.
    pub time: Duration,
    /// The card, as [`pci_place`] writes it.
    pub pci: String,
    /// NVIDIA's number of the error.
    pub code: u32,
    /// The text after the number.
    pub words: String,
}

/// Normalizes a PCI address to the form `0000:17:00`, from any of the driver's spellings; `None` for anything else.
#[must_use]
pub fn pci_place(address: &str) -> Option<String> {
    let mut parts = address.trim().split(':');
    let (domain, bus, device) = (parts.next()?, parts.next()?, parts.next()?);
    let hex = |digits: &str, most: usize| {
        let fits = !digits.is_empty() && digits.len() <= most && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        fits.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    };
    let (device, function) = device.split_once('.').unwrap_or((device, "0"));
    hex(function, 1)?;
    let place = format!("{:04x}:{:02x}:{:02x}", hex(domain, 8)?, hex(bus, 2)?, hex(device, 2)?);
    parts.next().is_none().then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_same_however_it_is_written() {
        for written in ["00000000:17:00.0", "0000:17:00.0", "0000:17:00", " 0000:17:00 ", "0:17:0"] {
            assert_eq!(pci_place(written).as_deref(), Some("0000:17:00"), "{written}");
        }
        assert_eq!(pci_place("00000001:CB:1F.0").as_deref(), Some("0001:cb:1f"));
        for other in ["", "17:00", "0000:17:00:0", "0000:17:00.00", "0000:117:00", "x:17:00", "0000::00", "+000:17:00"]
        {
            assert_eq!(pci_place(other), None, "{other}");
        }
    }
}
