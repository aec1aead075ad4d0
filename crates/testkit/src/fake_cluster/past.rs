//! What happens on an in-memory cluster past the portal, and what tests look at.

use std::sync::Arc;

use engine::{EndCause, Exit, Foreign, HeldCards, Phase, Resources, Usage, Workload};
use kernel::Timestamp;
use tokio::sync::Semaphore;

use super::FakeCluster;
use super::runtime::exit;

/// Exit codes of programs that a machine ends when it goes down.
const GOING_DOWN: [i64; 4] = [0, 137, 143, 255];

impl FakeCluster {
    /// Its own ID.
    #[must_use]
    pub fn own_id(&self) -> String {
        self.inner().id.clone()
    }

    /// Reports this ID from now on, as if its address led to another cluster.
    pub fn pass_for(&self, id: &str) {
        id.clone_into(&mut self.inner().id);
    }

    /// Sets its clock.
    pub fn set_time(&self, time: Timestamp) {
        self.inner().time = Some(time);
    }

    /// Sets when the first certificate of its connection ends.
    pub fn set_certificate_end(&self, end: Timestamp) {
        self.inner().certificate_end = Some(end);
    }

    /// It no longer answers.
    pub fn go(&self) {
        self.inner().gone = true;
    }

    /// It answers again.
    pub fn come_back(&self) {
        let mut inner = self.inner();
        inner.gone = false;
        inner.calls_left = None;
    }

    /// Answers this many more changing calls, then carries out the next one and vanishes before the answer.
    pub fn go_after(&self, calls: usize) {
        self.inner().calls_left = Some(calls);
    }

    /// A port of the node that something else uses.
    pub fn occupy(&self, port: u16) {
        self.inner().ports.insert(port);
    }

    /// Whether there is room for anything more.
    pub fn set_full(&self, full: bool) {
        self.inner().full = full;
    }

    /// Starts something past the portal, with these device nodes.
    pub fn add_foreign(&self, name: &str, nodes: &[&str]) {
        let cards = HeldCards { nodes: nodes.iter().map(|node| (*node).to_owned()).collect(), ..HeldCards::default() };
        let mut inner = self.inner();
        let object = inner.next_object();
        let (name, image) = (name.to_owned(), "somebody/thing".to_owned());
        inner.foreign.push(Foreign { object, name, image, active: true, cards });
    }

    /// Removes a workload, or what is foreign, past the portal.
    pub fn lose(&self, name: &str) {
        let mut inner = self.inner();
        inner.workloads.retain(|kept| kept.workload.name != name);
        inner.foreign.retain(|one| one.name != name);
    }

    /// A workload's program ends.
    pub fn end(&self, name: &str, code: i64, out_of_memory: bool) {
        if let Some(kept) = self.inner().named(name) {
            kept.end(Exit { out_of_memory, ..exit(code) }, EndCause::Own);
        }
    }

    /// Ends every program at this time with this code, as when the machine shuts down: whether it does is not known
    /// until [`FakeCluster::stays_up`] or [`FakeCluster::restart`].
    pub fn end_all(&self, at: Timestamp, code: i64) {
        self.end_active(at, code, EndCause::Unclear);
    }

    /// The machine did not shut down.
    pub fn stays_up(&self) {
        let mut inner = self.inner();
        for (_, cause) in inner.workloads.iter_mut().filter_map(|kept| kept.exit.as_mut()) {
            if *cause == EndCause::Unclear {
                *cause = EndCause::Own;
            }
        }
    }

    /// Restarts it at this time, alone or with its machine; it answers again.
    pub fn restart(&self, at: Timestamp, code: i64) {
        self.end_active(at, code, EndCause::Restart);
        for kept in &mut self.inner().workloads {
            if let Some((_, cause)) = kept.exit.as_mut().filter(|(_, cause)| *cause == EndCause::Unclear) {
                *cause = EndCause::Restart;
            }
        }
    }

    fn end_active(&self, at: Timestamp, code: i64, cause: EndCause) {
        let cause = if GOING_DOWN.contains(&code) { cause } else { EndCause::Own };
        for kept in self.inner().workloads.iter_mut().filter(|kept| kept.phase.is_active()) {
            kept.end(Exit { finished: Some(at), ..exit(code) }, cause);
        }
    }

    /// Starts a workload past the portal.
    pub fn start_past_the_portal(&self, name: &str) {
        if let Some(kept) = self.inner().named(name) {
            kept.phase = Phase::Running;
        }
    }

    /// Sets the usage of a workload.
    pub fn use_up(&self, name: &str, usage: Usage) {
        if let Some(kept) = self.inner().named(name) {
            kept.usage = Some(usage);
        }
    }

    /// Sets the size of a workload's root, without its image.
    pub fn fill_root(&self, name: &str, bytes: u64) {
        if let Some(kept) = self.inner().named(name) {
            kept.root = bytes;
        }
    }

    /// Writes into the root of the workload with this id.
    pub fn write_root(&self, id: &str, text: &str) {
        if let Some(kept) = self.inner().find(id) {
            kept.written = Some(text.to_owned());
        }
    }

    /// What was written there.
    #[must_use]
    pub fn read_root(&self, id: &str) -> Option<String> {
        self.inner().find(id)?.written.clone()
    }

    /// Sets the answer of the node's shell to all scripts; before, it does not answer.
    pub fn machine_tells(&self, told: &str) {
        self.inner().told = Some(told.to_owned());
    }

    /// Sets the output and exit of every script that contains these words. With `nvidia-smi` the node also gets NVIDIA's
    /// runtime.
    pub fn script_tells(&self, part: &'static str, code: i64, told: &str) {
        self.inner().scripts.insert(part, (code, told.to_owned()));
    }

    /// Names and phases of everything there, foreign work last.
    #[must_use]
    pub fn phases(&self) -> Vec<(String, Phase)> {
        let inner = self.inner();
        let ours = inner.workloads.iter().map(|kept| (kept.workload.name.clone(), kept.phase.clone()));
        let foreign = inner.foreign.iter().map(|one| {
            let phase = if one.active { Phase::Running } else { Phase::Ended(None) };
            (one.name.clone(), phase)
        });
        ours.chain(foreign).collect()
    }

    /// The workload of this name.
    #[must_use]
    pub fn workload(&self, name: &str) -> Option<Workload> {
        Some(self.inner().named(name)?.workload.clone())
    }

    /// The present limits of a workload.
    #[must_use]
    pub fn resources(&self, name: &str) -> Option<Resources> {
        Some(self.inner().named(name)?.resources)
    }

    /// Starts of workloads wait from now on until the answer has permits for them.
    #[must_use]
    pub fn hold_starts(&self) -> Arc<Semaphore> {
        let held = Arc::new(Semaphore::new(0));
        self.inner().starts = Some(Arc::clone(&held));
        held
    }
}
