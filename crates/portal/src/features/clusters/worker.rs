//! A server's state in memory between two looks at it. Nothing here needs to outlive the process: durable facts are in
//! the database.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::{Capabilities, CpuTime, GpuProcess, Runtime, Usage};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;

use crate::features::gpus::{GpuSample, Streaks};
use crate::features::servers::{ExternalContainer, ServerUsage};

/// How far the image has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct PullProgress {
    /// Bytes so far.
    pub(crate) current: u64,
    /// Bytes of the layers known so far.
    pub(crate) total: u64,
}

/// One server's worker and its memory.
pub(crate) struct Worker {
    pub(crate) server: String,
    /// Notified on changes: look at once.
    pub(crate) wake: Notify,
    /// Work on its instances that is going on.
    pub(crate) drivers: TaskTracker,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// The connection, and the address and certificates that it was made from.
    runtime: Option<(String, Arc<dyn Runtime>)>,
    /// Instances that are being worked on.
    busy: HashMap<String, CancellationToken>,
    /// Counts ends of work.
    ends: u64,
    /// When work on an instance last ended, by that count.
    ended: HashMap<String, u64>,
    external: Vec<ExternalContainer>,
    pulls: HashMap<String, PullProgress>,
    /// Host ports that the engine refused.
    refused_ports: HashSet<i64>,
    /// The engine's latest answer about its facts and capabilities.
    capabilities: Option<Capabilities>,
    machine: Option<ServerUsage>,
    /// The machine's CPU time when it was last measured.
    cpu_time: Option<CpuTime>,
    /// By the cards' UUIDs.
    samples: HashMap<String, GpuSample>,
    processes: Vec<GpuProcess>,
    /// How often in a row each card could not be read.
    failures: Streaks,
    /// Number of hangs of its driver in a row, and until when it is not queried.
    hangs: u32,
    driver_rests_until: Option<Instant>,
    /// The latest use of each instance, by id.
    usages: HashMap<String, Usage>,
    /// When the next root may be counted.
    roots_rest_until: Option<Timestamp>,
    /// When each instance's root was last counted, by id.
    roots_asked: HashMap<String, Timestamp>,
}

/// After this many hangs in a row the cards count as faulty, and queries pause.
const HANGS_AT_ONCE: u32 = 6;
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(15 * 60);

fn rest_after(hangs: u32) -> Option<Duration> {
    let more = hangs.checked_sub(HANGS_AT_ONCE)?;
    Some(LONGEST_REST.min(FIRST_REST * (1 << more.min(8))))
}

/// Live figures of a server that are not in the database.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    external: Vec<ExternalContainer>,
    pulls: HashMap<String, PullProgress>,
    machine: Option<ServerUsage>,
    samples: HashMap<String, GpuSample>,
    processes: Vec<GpuProcess>,
}

/// The work in progress at one time. A list requested afterwards is ignored for instances that were worked on
/// meanwhile.
#[derive(Debug)]
pub(crate) struct Moment {
    busy: HashSet<String>,
    ends: u64,
}

impl Worker {
    pub(crate) fn new(server: String) -> Self {
        Self { server, wake: Notify::new(), drivers: TaskTracker::new(), memory: Mutex::default() }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change below is whole in itself, so a panic elsewhere leaves nothing half done.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection made from the same address and certificates, if there is one.
    pub(crate) fn runtime_of(&self, made_from: &str) -> Option<Arc<dyn Runtime>> {
        self.memory().runtime.as_ref().filter(|(key, _)| key == made_from).map(|(_, runtime)| Arc::clone(runtime))
    }

    /// The present connection.
    pub(crate) fn runtime(&self) -> Option<Arc<dyn Runtime>> {
        self.memory().runtime.as_ref().map(|(_, runtime)| Arc::clone(runtime))
    }

    pub(crate) fn keep_runtime(&self, made_from: String, runtime: Arc<dyn Runtime>) {
        let mut memory = self.memory();
        memory.runtime = Some((made_from, runtime));
        memory.capabilities = None;
    }

    /// Forgets the engine: it is another server's.
    pub(crate) fn let_go(&self) {
        let mut memory = self.memory();
        (memory.runtime, memory.capabilities, memory.machine) = (None, None, None);
        memory.external.clear();
        memory.samples.clear();
        memory.processes.clear();
        memory.failures.clear();
    }

    pub(crate) fn moment(&self) -> Moment {
        let memory = self.memory();
        Moment { busy: memory.busy.keys().cloned().collect(), ends: memory.ends }
    }

    /// Whether no work on the instance was in progress since then.
    pub(crate) fn untouched_since(&self, moment: &Moment, instance: &str) -> bool {
        let memory = self.memory();
        let ended_since = memory.ended.get(instance).is_some_and(|end| *end >= moment.ends);
        !moment.busy.contains(instance) && !memory.busy.contains_key(instance) && !ended_since
    }

    /// Begins work on an instance; `None` while other work is in progress.
    pub(crate) fn begin(&self, instance: &str) -> Option<CancellationToken> {
        let mut memory = self.memory();
        if memory.busy.contains_key(instance) {
            return None;
        }
        let token = CancellationToken::new();
        memory.busy.insert(instance.to_owned(), token.clone());
        Some(token)
    }

    pub(crate) fn end(&self, instance: &str) {
        let mut memory = self.memory();
        memory.busy.remove(instance);
        memory.pulls.remove(instance);
        let end = memory.ends;
        memory.ended.insert(instance.to_owned(), end);
        memory.ends += 1;
    }

    /// Cancels the work on an instance, because another action was requested.
    pub(crate) fn cancel(&self, instance: &str) {
        if let Some(token) = self.memory().busy.get(instance) {
            token.cancel();
        }
    }

    /// The same to all work.
    pub(crate) fn cancel_all(&self) {
        self.memory().busy.values().for_each(CancellationToken::cancel);
    }

    pub(crate) fn report(&self) -> Report {
        let memory = self.memory();
        Report {
            external: memory.external.clone(),
            pulls: memory.pulls.clone(),
            machine: memory.machine,
            samples: memory.samples.clone(),
            processes: memory.processes.clone(),
        }
    }

    /// Adopts a report of another portal.
    pub(crate) fn adopt(&self, report: Report) {
        let mut memory = self.memory();
        memory.external = report.external;
        memory.pulls = report.pulls;
        memory.machine = report.machine;
        memory.samples = report.samples;
        memory.processes = report.processes;
    }

    pub(crate) fn note_pull(&self, instance: &str, progress: PullProgress) {
        self.memory().pulls.insert(instance.to_owned(), progress);
    }

    pub(crate) fn pull(&self, instance: &str) -> Option<PullProgress> {
        self.memory().pulls.get(instance).copied()
    }

    pub(crate) fn note_external(&self, external: Vec<ExternalContainer>) {
        self.memory().external = external;
    }

    pub(crate) fn external(&self) -> Vec<ExternalContainer> {
        self.memory().external.clone()
    }

    /// Adds ports that the engine refused; all that it has refused.
    pub(crate) fn refuse_ports(&self, ports: impl IntoIterator<Item = i64>) -> HashSet<i64> {
        let mut memory = self.memory();
        memory.refused_ports.extend(ports);
        memory.refused_ports.clone()
    }

    /// Keeps the engine's facts and capabilities.
    pub(crate) fn note_capabilities(&self, capabilities: &Capabilities) {
        self.memory().capabilities = Some(capabilities.clone());
    }

    pub(crate) fn capabilities(&self) -> Option<Capabilities> {
        self.memory().capabilities.clone()
    }

    /// Where the engine's data lie on the machine.
    pub(crate) fn data_root(&self) -> String {
        self.capabilities().map(|known| known.data_root).unwrap_or_default()
    }

    /// Keeps how busy the machine is now.
    pub(crate) fn note_machine(&self, usage: ServerUsage) {
        self.memory().machine = Some(usage);
    }

    pub(crate) fn machine(&self) -> Option<ServerUsage> {
        self.memory().machine
    }

    /// Stores the machine's present CPU time and returns the one before.
    pub(crate) fn note_cpu_time(&self, now: CpuTime) -> Option<CpuTime> {
        self.memory().cpu_time.replace(now)
    }

    /// The connection, if there may be NVIDIA cards.
    pub(crate) fn nvidia_runtime(&self) -> Option<Arc<dyn Runtime>> {
        let memory = self.memory();
        let nvidia = memory.capabilities.as_ref().is_some_and(Capabilities::has_nvidia);
        memory.runtime.as_ref().filter(|_| nvidia).map(|(_, runtime)| Arc::clone(runtime))
    }

    pub(crate) fn note_samples(&self, samples: HashMap<String, GpuSample>, processes: Vec<GpuProcess>) {
        let mut memory = self.memory();
        memory.samples = samples;
        memory.processes = processes;
    }

    /// Has failed readings of cards counted.
    pub(crate) fn count_failures<T>(&self, count: impl FnOnce(&mut Streaks) -> T) -> T {
        count(&mut self.memory().failures)
    }

    /// Counts how often in a row the driver hung: a program that can't even be killed would stay for each question.
    pub(crate) fn note_driver(&self, hangs: bool, now: Instant) {
        let mut memory = self.memory();
        memory.hangs = if hangs { memory.hangs.saturating_add(1) } else { 0 };
        memory.driver_rests_until = rest_after(memory.hangs).map(|rest| now + rest);
    }

    /// Whether queries of the driver still pause after a hang.
    pub(crate) fn driver_rests(&self, now: Instant) -> bool {
        self.memory().driver_rests_until.is_some_and(|until| now < until)
    }

    /// Processes that compute on a card.
    pub(crate) fn processes(&self, uuid: &str) -> Vec<GpuProcess> {
        self.memory().processes.iter().filter(|process| process.uuid == uuid).cloned().collect()
    }

    /// Stores the instances' present use and returns the one before.
    pub(crate) fn note_usages(&self, usages: HashMap<String, Usage>) -> HashMap<String, Usage> {
        std::mem::replace(&mut self.memory().usages, usages)
    }

    /// Bytes that an instance had written to disks when it was last measured.
    pub(crate) fn written(&self, instance: &str) -> Option<u64> {
        self.memory().usages.get(instance).map(|usage| usage.disk_written)
    }

    /// Whether counting roots has rested for long enough.
    pub(crate) fn roots_may_be_counted(&self, now: Timestamp) -> bool {
        self.memory().roots_rest_until.is_none_or(|until| until <= now)
    }

    /// When the roots of these instances were last asked for, whether or not the count succeeded; forgets other
    /// instances.
    pub(crate) fn roots_asked(&self, running: &HashSet<&str>) -> HashMap<String, Timestamp> {
        let mut memory = self.memory();
        memory.roots_asked.retain(|instance, _| running.contains(instance.as_str()));
        memory.roots_asked.clone()
    }

    /// Notes that an instance's root was asked for, and counts no other until `rest_until`.
    pub(crate) fn note_root_asked(&self, instance: &str, at: Timestamp, rest_until: Timestamp) {
        let mut memory = self.memory();
        memory.roots_asked.insert(instance.to_owned(), at);
        memory.roots_rest_until = Some(rest_until);
    }

    pub(crate) fn sample(&self, uuid: &str) -> Option<GpuSample> {
        self.memory().samples.get(uuid).copied()
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("server", &self.server).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_hangs_is_asked_less_and_less() {
        let minutes = |hangs| rest_after(hangs).map(|rest| rest.as_secs() / 60);
        assert_eq!((minutes(0), minutes(5)), (None, None));
        assert_eq!([6, 7, 9, 10, 11, u32::MAX].map(minutes), [1, 2, 8, 15, 15, 15].map(Some));
    }
}
