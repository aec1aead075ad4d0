//! The machines of the lab: in-memory clusters with busy cards and workloads, which are the same after a restart.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use engine::{Observed, Runtime, Usage};
use kernel::{Clock, SystemClock, Timestamp};
use serde_json::{Map, Value};
use testkit::{FakeCluster, FakeClusters};

/// The time between two changes of the samples.
pub(crate) const BEAT: Duration = Duration::from_secs(2);

const CORES: u64 = 32;
const MIB: u64 = 1 << 20;
/// The machines' boot, which is fixed, so that a restart of this program is not one of theirs.
const BOOTED: i64 = 1_795_000_000;

/// The cards of a machine.
#[derive(Clone, Copy)]
pub(crate) enum Cards {
    /// Reported by a driver: UUID, bus, and uncorrected memory errors, with which a card is out of order.
    Nvidia(&'static [(&'static str, &'static str, u32)]),
    /// Administrators declare them.
    Declared { model: &'static str, nodes: &'static [&'static str] },
}

impl Cards {
    pub(crate) const fn count(self) -> usize {
        match self {
            Self::Nvidia(cards) => cards.len(),
            Self::Declared { nodes, .. } => nodes.len(),
        }
    }
}

/// A machine.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) endpoint: &'static str,
    pub(crate) cards: Cards,
    /// Its engine does not answer.
    pub(crate) is_away: bool,
}

/// All machines.
pub(crate) const MACHINES: [Machine; 3] = [
    Machine {
        name: "gpu-01",
        endpoint: "unix:///dev-lab/gpu-01.sock",
        cards: Cards::Nvidia(&[
            ("GPU-0a51c6de-0000-4000-8000-000000000001", "17", 0),
            ("GPU-0a51c6de-0000-4000-8000-000000000002", "31", 0),
            ("GPU-0a51c6de-0000-4000-8000-000000000003", "65", 0),
            ("GPU-0a51c6de-0000-4000-8000-000000000004", "CA", 2),
        ]),
        is_away: false,
    },
    Machine {
        name: "gpu-02",
        endpoint: "unix:///dev-lab/gpu-02.sock",
        cards: Cards::Declared { model: "昇腾 910B", nodes: &["/dev/davinci0", "/dev/davinci1"] },
        is_away: false,
    },
    Machine {
        name: "gpu-03",
        endpoint: "unix:///dev-lab/gpu-03.sock",
        cards: Cards::Declared { model: "昇腾 910B", nodes: &["/dev/davinci0"] },
        is_away: true,
    },
];

/// Parts of scripts, by which in-memory clusters recognise them: see `FakeCluster::script_tells`.
mod scripts {
    pub(super) const MACHINE: &str = "head -n 1 /proc/stat";
    pub(super) const KERNEL_LOG: &str = "/proc/sys/kernel/random/boot_id";
    pub(super) const CARDS: &str = "nvidia-smi -q -d UTILIZATION";
    pub(super) const ONE_CARD: &str = "nvidia-smi -q -i";
    pub(super) const ROWS: &str = "--query-remapped-rows";
    pub(super) const PROCESSES: &str = "--query-compute-apps";
    pub(super) const TOOLKIT: &str = "nvidia-ctk --version";
}

/// Counters since this program started; the product copes with counters that begin again.
#[derive(Clone, Copy, Default)]
struct Counters {
    /// Of a container nanoseconds, of a machine hundredths of a second.
    cpu: u64,
    all_cpu: u64,
    moved: u64,
}

/// All machines as they are now.
pub(crate) struct Machines {
    clusters: FakeClusters,
    counters: HashMap<String, Counters>,
    path: PathBuf,
    /// The state in the file, once it is written.
    kept: Option<Value>,
}

impl Machines {
    /// As they were when they were last kept in this file, or new.
    pub(crate) fn open(path: PathBuf) -> anyhow::Result<Self> {
        let clusters = FakeClusters::default();
        let kept = if path.exists() {
            let text = fs::read_to_string(&path).with_context(|| format!("读取 {}", path.display()))?;
            Some(serde_json::from_str::<Value>(&text).with_context(|| format!("读取 {}", path.display()))?)
        } else {
            None
        };
        let machines = Self { clusters, counters: HashMap::new(), path, kept };
        for machine in &MACHINES {
            let cluster = machines.clusters.at(machine.endpoint);
            if let Some(kept) = &machines.kept {
                let restored = cluster.restore(&kept[machine.endpoint]);
                restored.with_context(|| format!("{} 的内容不对，请用 --fresh", machines.path.display()))?;
            }
            if machine.is_away {
                cluster.go();
            }
            tell_first(&cluster, machine);
        }
        Ok(machines)
    }

    /// The clusters that the portal finds.
    pub(crate) fn clusters(&self) -> FakeClusters {
        self.clusters.clone()
    }

    /// Whether the lab is whole.
    pub(crate) const fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Writes the clusters' state, if it has changed.
    pub(crate) fn keep(&mut self) -> anyhow::Result<()> {
        let saved = MACHINES.iter().map(|one| (one.endpoint.to_owned(), self.clusters.at(one.endpoint).save()));
        let saved = Value::Object(saved.collect::<Map<_, _>>());
        if self.kept.as_ref() != Some(&saved) {
            // Replaced atomically: this program may be killed.
            let draft = self.path.with_extension("new");
            fs::write(&draft, saved.to_string()).with_context(|| format!("写入 {}", draft.display()))?;
            fs::rename(&draft, &self.path).with_context(|| format!("写入 {}", self.path.display()))?;
            self.kept = Some(saved);
        }
        Ok(())
    }

    /// Advances the samples of every machine.
    pub(crate) async fn beat(&mut self) -> anyhow::Result<()> {
        let now = SystemClock.now();
        for (at, machine) in (0..).zip(&MACHINES).filter(|(_, machine)| !machine.is_away) {
            let cluster = self.clusters.at(machine.endpoint);
            cluster.set_time(now);
            let mut running = cluster.observe().await?.workloads;
            running.retain(|one| one.phase.is_active());
            for (phase, one) in (0..).zip(&running) {
                self.use_up(&cluster, one, now, phase * 17);
            }
            self.tell_machine(&cluster, machine, now, at * 29);
            if let Cards::Nvidia(cards) = machine.cards {
                tell_cards(&cluster, cards, &running, now);
            }
        }
        Ok(())
    }

    fn use_up(&mut self, cluster: &FakeCluster, one: &Observed, now: Timestamp, phase: u64) {
        let Some(resources) = cluster.resources(&one.name) else { return };
        let percent = wave(now, phase);
        let counters = self.counters.entry(one.name.clone()).or_default();
        let cores = resources.cores().unwrap_or(CORES);
        counters.cpu += BEAT.as_secs() * 1_000_000_000 * cores * percent / 100;
        counters.moved += BEAT.as_secs() * MIB * percent;
        let usage = Usage {
            at: now,
            cpu_nanos: counters.cpu,
            memory: resources.memory / 100 * (25 + percent / 2),
            memory_limit: resources.memory,
            pids: 12 + percent / 10,
            received: counters.moved / 8,
            sent: counters.moved / 64,
            disk_read: counters.moved,
            disk_written: counters.moved / 4,
        };
        cluster.use_up(&one.name, usage);
    }

    /// CPU, memory and the room of the engine's file system and the disk's.
    fn tell_machine(&mut self, cluster: &FakeCluster, machine: &Machine, now: Timestamp, phase: u64) {
        let percent = wave(now, phase) / 2;
        let counters = self.counters.entry(machine.endpoint.to_owned()).or_default();
        let passed = BEAT.as_secs() * 100 * CORES;
        counters.all_cpu += passed;
        counters.cpu += passed * percent / 100;
        let (total, idle) = (256 * MIB, counters.all_cpu - counters.cpu);
        let free = total / 100 * (90 - percent);
        let told = format!(
            "cpu  {} 0 0 {idle} 0 0 0 0 0 0\nMemTotal: {total}\nMemAvailable: {free}\n\
             room 4096 500000000 310000000\nroom 4096 5000000000 2100000000\n",
            counters.cpu
        );
        cluster.script_tells(scripts::MACHINE, 0, &told);
        let uptime = now.as_seconds().saturating_sub(BOOTED).max(0);
        let told = format!("boot 4f3b9d0e-5a0c-4f0e-9a55-0a4f5a8a1c1{:x} {uptime}.00\n", phase % 16);
        cluster.script_tells(scripts::KERNEL_LOG, 0, &told);
    }
}

/// The constant answers.
fn tell_first(cluster: &FakeCluster, machine: &Machine) {
    // All other requests get an empty answer.
    cluster.machine_tells("");
    if let Cards::Nvidia(cards) = machine.cards {
        let toolkit = "NVIDIA Container Toolkit CLI version 1.17.8\n";
        for (script, told) in [(scripts::ROWS, ""), (scripts::PROCESSES, ""), (scripts::TOOLKIT, toolkit)] {
            cluster.script_tells(script, 0, told);
        }
        tell_cards(cluster, cards, &[], SystemClock.now());
    }
}

/// The driver's report of its cards: those of a workload are busy.
fn tell_cards(cluster: &FakeCluster, cards: &[(&str, &str, u32)], running: &[Observed], now: Timestamp) {
    let mut told = "CUDA Version : 12.8\n".to_owned();
    for (index, (uuid, bus, errors)) in (0_u64..).zip(cards) {
        let is_busy = running.iter().any(|one| one.cards.iter().any(|card| card == uuid));
        let percent = if is_busy { wave(now, index * 23) } else { 0 };
        let (memory, temperature, watts) = (percent * 700, 31 + percent / 2, 55 + percent * 3);
        // Writing to text can't fail.
        let _ = writeln!(
            told,
            "{index}, {uuid}, 00000000:{bus}:00.0, 570.86.15, 81920, {memory}, {percent}, {}, {temperature}, {watts}.00, \
             400.00, [N/A], {errors}, {errors}, Disabled, NVIDIA A100-SXM4-80GB",
            percent / 2
        );
    }
    cluster.script_tells(scripts::CARDS, 0, &told);
    cluster.script_tells(scripts::ONE_CARD, 0, &told);
}

/// A percentage that rises and falls within two minutes.
fn wave(now: Timestamp, phase: u64) -> u64 {
    let at = (u64::try_from(now.as_seconds()).unwrap_or_default() + phase) % 120;
    35 + at.min(120 - at)
}
