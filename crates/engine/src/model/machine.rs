//! How busy an engine's machine is.

/// A reading of a machine's load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineUse {
    /// Of all cores together.
    pub cpu: CpuTime,
    /// Bytes in use by programs, without reclaimable memory.
    pub memory_used: u64,
    /// Space on the file system of each requested folder; `None` for a missing folder.
    pub rooms: Vec<Option<Room>>,
}

/// Time that passed on all cores since the machine was started, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTime {
    /// While something ran.
    pub busy: u64,
    /// All of it.
    pub total: u64,
}

impl CpuTime {
    /// The share of CPU time, 0 to 1, that was busy since an earlier reading; `None` when no time passed, or the
    /// machine was restarted.
    #[must_use]
    pub fn share_since(self, before: Self) -> Option<f64> {
        let total = self.total.checked_sub(before.total).filter(|passed| *passed > 0)?;
        Some(self.busy.checked_sub(before.busy)? as f64 / total as f64)
    }
}

/// How full a file system is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// All of it.
    pub total: u64,
    /// Bytes in use.
    pub used: u64,
}

/// The folder on a machine where the network disk is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// It has the proof.
    Same,
    /// It does not have the proof, or is not there.
    Other,
    /// There is no proof to look for.
    Unproved,
}
