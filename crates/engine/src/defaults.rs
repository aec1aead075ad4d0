//! The defaults of every container, in one place.

use crate::{ContainerSpec, Environment, Resources};

const GIB: u64 = 1 << 30;

/// Capabilities for sshd and package managers; all others are dropped. No `NET_RAW`, no `MKNOD`.
pub(crate) const CAPABILITIES: [&str; 12] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// A log takes at most this many files of this size.
pub(crate) const LOG_FILES: &str = "3";
pub(crate) const LOG_FILE_SIZE: &str = "50m";

/// Bytes of `/dev/shm` for this much memory: half of it, 4 GiB at least, and never over the
/// memory, which it counts towards. 0 means memory without a limit.
#[must_use]
pub fn default_shm(memory: u64) -> u64 {
    let wanted = (memory / 2).max(4 * GIB);
    if memory == 0 { wanted } else { wanted.min(memory) }
}

/// Processes and threads at most: data loaders start many for each card.
#[must_use]
pub fn default_pids(cards: usize) -> u32 {
    u32::try_from(cards).unwrap_or(u32::MAX).saturating_mul(2048).saturating_add(4096)
}

/// Variables that libraries take for the number of cores; otherwise they start a thread for each core of the machine.
const THREADS: [&str; 4] = ["MKL_NUM_THREADS", "NUMEXPR_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"];

/// The environment of a container, `NAME=value`: the user's and ours. CUDA images set `NVIDIA_VISIBLE_DEVICES=all`, so
/// the variable is always set, and to `void` where there are no cards.
pub(crate) fn environment(spec: &ContainerSpec) -> Vec<String> {
    let uuids: Vec<&str> = spec.cards.iter().filter(|card| card.is_nvidia()).map(crate::Card::id).collect();
    let cards = if uuids.is_empty() { "void".to_owned() } else { uuids.join(",") };
    let mut all: Vec<String> = spec.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.push(format!("{CARDS}={cards}"));
    all.extend(threads(&spec.environment, &spec.resources).map(|(name, cores)| format!("{name}={cores}")));
    all
}

/// Variables for the number of cores, except those that the user set; none without a limit.
pub(crate) fn threads(environment: &Environment, resources: &Resources) -> impl Iterator<Item = (&'static str, u64)> {
    let unset = THREADS.into_iter().filter(|name| !environment.contains(name));
    let cores = resources.cores();
    unset.filter_map(move |name| Some((name, cores?)))
}

/// Tells the NVIDIA runtime which cards to add.
pub(crate) const CARDS: &str = "NVIDIA_VISIBLE_DEVICES";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_is_half_but_four_gib_at_least_and_never_over_the_memory() {
        for (memory, shm) in [(0, 4), (1, 1), (4, 4), (6, 4), (8, 4), (64, 32)] {
            assert_eq!(default_shm(memory * GIB), shm * GIB, "{memory} GiB");
        }
    }

    #[test]
    fn processes_grow_with_the_cards() {
        assert_eq!((default_pids(0), default_pids(2)), (4096, 8192));
    }
}
