//! The answers of an in-memory cluster to the trait's calls.

use std::ops::ControlFlow::Break;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{
    Capabilities, Care, Command, CommitSpec, ContainerPrograms, ContainerSize, End, EndCause, Endpoint, Error,
    ExecOutput, Exit, Expected, Failure, Finding, Freezing, ImageBuilder, LogChunk, LogQuery, MachineHelper,
    MachineHelperError, NodeImages, NodeShell, Observation, Observed, Phase, Process, ProcessControl, ProcessId,
    ProcessView, Resizing, Resources, Result, Runtime, Snapshots, Stage, Step, Usage, Verdict, Watch, Workload,
    WorkloadId, probe,
};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use kernel::Timestamp;

use super::process::{Shells, shells};
use super::{FakeCluster, Inner, Kept, ROOT, unasked};
use crate::fake_facts::capabilities;

#[async_trait]
impl Runtime for FakeCluster {
    async fn ping(&self) -> Result<()> {
        self.ask().map(|_| ())
    }

    async fn node(&self) -> Result<Capabilities> {
        let inner = self.ask()?;
        let nvidia = inner.scripts.keys().any(|part| part.contains("nvidia"));
        Ok(capabilities(&inner.id, nvidia, inner.certificate_end))
    }

    async fn observe(&self) -> Result<Observation> {
        let inner = self.ask()?;
        let workloads = inner.workloads.iter().map(observed).collect();
        Ok(Observation { workloads, foreign: inner.foreign.clone() })
    }

    fn changes(&self) -> BoxStream<'static, Result<()>> {
        stream::pending().boxed()
    }

    async fn examine(&self, id: &WorkloadId) -> Result<Observed> {
        let mut inner = self.ask()?;
        let kept = inner.found(id)?;
        let mut found = observed(kept);
        if let (Phase::Ended(end), Some((exit, cause))) = (&mut found.phase, kept.exit.clone()) {
            *end = Some(End { exit, cause });
        }
        Ok(found)
    }

    async fn apply(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        let ended = self.bring(workload, watch).await;
        ended.map_err(|(stage, error)| Failure { stage, error })
    }

    async fn stop(&self, id: &WorkloadId, _grace: Duration) -> Result<()> {
        self.change(|inner| {
            let kept = inner.found(id)?;
            if kept.phase.is_active() {
                kept.end(exit(137), EndCause::Own);
            }
            Ok(())
        })
    }

    async fn discard(&self, id: &WorkloadId, _grace: Duration) -> Result<()> {
        self.change(|inner| {
            inner.workloads.retain(|kept| kept.workload.id != *id);
            let of_it = root_name(id, "");
            inner.images.retain(|name, _| !name.starts_with(&of_it));
            inner.roots.retain(|name, _| !name.starts_with(&of_it));
            Ok(())
        })
    }

    async fn run(&self, id: &WorkloadId, command: &Command) -> Result<Process> {
        self.ask()?.active(id)?;
        Ok(shells(self.clone(), command))
    }

    fn attach(&self, _process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        Ok(Arc::new(Shells(self.clone(), 0)))
    }

    fn logs(&self, id: &WorkloadId, _query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        let said = || LogChunk { stderr: false, bytes: bytes::Bytes::from_static(b"hello\n") };
        stream::iter([self.ask().and_then(|mut inner| inner.found(id).map(|_| said()))]).boxed()
    }

    async fn usage(&self, id: &WorkloadId) -> Result<Usage> {
        let mut inner = self.ask()?;
        let kept = inner.active(id)?;
        Ok(kept.usage.unwrap_or_else(nothing_used))
    }

    async fn diagnose(&self, _expected: &Expected<'_>) -> Result<Vec<Finding>> {
        self.ask().map(|_| findings())
    }

    async fn tend(&self, _care: Care) {}

    fn freezing(&self) -> Option<&dyn Freezing> {
        Some(self)
    }

    fn resizing(&self) -> Option<&dyn Resizing> {
        Some(self)
    }

    fn snapshots(&self) -> Option<&dyn Snapshots> {
        Some(self)
    }

    fn builder(&self) -> Option<&dyn ImageBuilder> {
        Some(self)
    }

    fn node_images(&self) -> Option<&dyn NodeImages> {
        Some(self)
    }

    fn processes(&self) -> Option<&dyn ProcessView> {
        Some(self)
    }

    fn node_shell(&self) -> Option<&dyn NodeShell> {
        Some(self)
    }

    fn machine_helper(&self) -> Option<&dyn MachineHelper> {
        Some(self)
    }
}

/// As of a machine that could be better.
fn findings() -> Vec<Finding> {
    vec![
        Finding::new("engine", "answers", Verdict::Passed).with("version", "20.10.24").with("api", "1.41"),
        Finding::new("storage_quota", "unlimited", Verdict::Warning)
            .with("driver", "overlay2")
            .with("backing", "extfs"),
    ]
}

/// Stage and error of a failure.
type Failed = (Stage, Error);

/// The value of a step, unless the work ends there.
macro_rules! told {
    ($watch:ident, $step:expr) => {
        if let Break(()) = $watch.step($step).await {
            return Ok(());
        }
    };
}

impl FakeCluster {
    async fn bring(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failed> {
        let earlier = self.earlier(workload).map_err(|error| (Stage::Look, error))?;
        let mut kept_root = workload.kept_root.clone();
        if let Earlier::Generation(generation) = earlier {
            if let Some(kept) = self.keep_root(workload, generation).map_err(|error| (Stage::KeepRoot, error))? {
                kept_root = Some(kept.clone());
                told!(watch, Step::RootKept(kept));
            }
            let removed = self.change(|inner| {
                inner.workloads.retain(|kept| kept.workload.id != workload.id);
                Ok(())
            });
            removed.map_err(|error| (Stage::RemoveEarlier, error))?;
        }
        if !matches!(earlier, Earlier::Same) {
            let image = kept_root.clone().unwrap_or_else(|| workload.image.name.to_string());
            let known = self.ask().map_err(|error| (Stage::FindImage, error))?.images.get(&image).cloned();
            let (digest, fetched) = match known {
                Some(digest) => (digest, false),
                None if !workload.image.in_registry || kept_root.is_some() => {
                    return Err((Stage::FindImage, Error::ImageMissing(image)));
                }
                None => {
                    let mut steps = self.pull(&workload.image.name, workload.image.auth.as_ref());
                    while let Some(step) = tokio::select! {
                        biased;
                        () = watch.cancelled() => return Ok(()),
                        step = steps.next() => step,
                    } {
                        let step = step.map_err(|error| (Stage::FetchImage, error))?;
                        let (current, total) = (step.current.unwrap_or_default(), step.total.unwrap_or_default());
                        told!(watch, Step::Fetching { current, total });
                    }
                    let inner = self.ask().map_err(|error| (Stage::FindImage, error))?;
                    (inner.images.get(&image).cloned().unwrap_or_default(), true)
                }
            };
            told!(watch, Step::Image { digest, fetched });
        }
        let made = self.change(|inner| inner.make(workload, kept_root.as_deref()));
        told!(watch, Step::Made(made.map_err(|error| (Stage::Make, error))?));
        let held = self.inner().starts.clone();
        if let Some(held) = held {
            held.acquire().await.expect("never closed").forget();
        }
        self.change(|inner| inner.start(workload)).map_err(|error| (Stage::Start, error))?;
        told!(watch, Step::Running);
        Ok(())
    }

    fn earlier(&self, workload: &Workload) -> Result<Earlier> {
        let mut inner = self.ask()?;
        if inner.foreign.iter().any(|other| other.name == workload.name) {
            return Err(Error::NameTaken(workload.name.clone()));
        }
        Ok(match inner.find(workload.id.as_str()) {
            None => Earlier::None,
            Some(kept) if kept.workload.generation == workload.generation => Earlier::Same,
            Some(kept) => Earlier::Generation(kept.workload.generation),
        })
    }

    /// `None` where it never ran.
    fn keep_root(&self, workload: &Workload, generation: u64) -> Result<Option<String>> {
        self.change(|inner| {
            let kept = inner.found(&workload.id)?;
            kept.phase = Phase::Ended(None);
            let (started, written) = (kept.started, kept.written.clone());
            if !started {
                return Ok(None);
            }
            let name = root_name(&workload.id, &format!("g{generation}"));
            if let Some(before) = workload.kept_root.as_ref().filter(|before| **before != name) {
                inner.images.remove(before);
                inner.roots.remove(before);
            }
            inner.add_image(&name);
            inner.roots.insert(name.clone(), written);
            Ok(Some(name))
        })
    }
}

/// What there is of a workload that is to run.
enum Earlier {
    None,
    /// It is made.
    Same,
    /// It is made in this generation.
    Generation(u64),
}

fn root_name(id: &WorkloadId, rest: &str) -> String {
    format!("yunlab-root/{id}:{rest}")
}

impl Inner {
    /// Makes it, unless it is made; its object.
    fn make(&mut self, workload: &Workload, kept_root: Option<&str>) -> Result<String> {
        if let Some(kept) = self.find(workload.id.as_str()) {
            return Ok(kept.object.clone());
        }
        if self.full {
            return Err(Error::Failed("no space left on device".to_owned()));
        }
        let object = self.next_object();
        let written = kept_root.and_then(|root| self.roots.get(root).cloned().flatten());
        self.workloads.push(Kept {
            resources: workload.resources,
            workload: workload.clone(),
            object: object.clone(),
            phase: Phase::Waiting,
            started: false,
            exit: None,
            usage: None,
            root: ROOT,
            written,
        });
        Ok(object)
    }

    fn start(&mut self, workload: &Workload) -> Result<()> {
        let taken = self.ports.clone();
        let mut ports = workload.ports.iter().filter_map(|port| port.node_port);
        if let Some(port) = ports.find(|port| taken.contains(&port.get())) {
            let words = format!("Bind for 0.0.0.0:{port} failed: port is already allocated");
            return Err(Error::PortTaken(words));
        }
        let kept = self.found(&workload.id)?;
        (kept.phase, kept.started) = (Phase::Running, true);
        Ok(())
    }
}

fn observed(kept: &Kept) -> Observed {
    let endpoint = |port: &engine::WantedPort| {
        Some(Endpoint { port: port.port, protocol: port.protocol, node_port: port.node_port? })
    };
    Observed {
        id: kept.workload.id.clone(),
        generation: kept.workload.generation,
        phase: kept.phase.clone(),
        node: String::new(),
        waits: None,
        endpoints: kept.workload.ports.iter().filter_map(endpoint).collect(),
        cards: kept.workload.cards.iter().map(|card| card.id().to_owned()).collect(),
        object: kept.object.clone(),
        name: kept.workload.name.clone(),
        image: kept.workload.image.name.to_string(),
    }
}

pub(super) fn exit(code: i64) -> Exit {
    Exit { code, out_of_memory: false, error: String::new(), finished: None }
}

fn nothing_used() -> Usage {
    Usage {
        at: Timestamp::from_millis(0),
        cpu_nanos: 0,
        memory: 0,
        memory_limit: 0,
        pids: 1,
        received: 0,
        sent: 0,
        disk_read: 0,
        disk_written: 0,
    }
}

#[async_trait]
impl Freezing for FakeCluster {
    async fn freeze(&self, id: &WorkloadId) -> Result<()> {
        self.change(|inner| {
            inner.active(id)?.phase = Phase::Frozen;
            Ok(())
        })
    }

    async fn thaw(&self, id: &WorkloadId) -> Result<()> {
        self.change(|inner| {
            inner.active(id)?.phase = Phase::Running;
            Ok(())
        })
    }
}

#[async_trait]
impl Resizing for FakeCluster {
    async fn resize(&self, id: &WorkloadId, resources: &Resources) -> Result<()> {
        self.change(|inner| {
            inner.found(id)?.resources = *resources;
            Ok(())
        })
    }
}

#[async_trait]
impl Snapshots for FakeCluster {
    async fn size(&self, id: &WorkloadId) -> Result<ContainerSize> {
        let writable = self.ask()?.found(id)?.root;
        Ok(ContainerSize { writable, root: 3 << 30, layers: 7 })
    }

    async fn save(&self, id: &WorkloadId, image: &CommitSpec) -> Result<String> {
        self.change(|inner| {
            inner.found(id)?;
            Ok(inner.add_image(&image.name.to_string()))
        })
    }
}

#[async_trait]
impl ProcessView for FakeCluster {
    async fn programs(&self, id: &WorkloadId) -> Result<ContainerPrograms> {
        let object = self.ask()?.found(id)?.object.clone();
        probe::container_programs(self, &object).await
    }
}

#[async_trait]
impl NodeShell for FakeCluster {
    async fn on_node(&self, command: &[&str], _limit: Duration) -> Result<ExecOutput> {
        let inner = self.ask()?;
        let script = command.get(2).copied().unwrap_or_default();
        let known = inner.scripts.iter().find(|(part, _)| script.contains(**part)).map(|(_, told)| told.clone());
        let (code, told) = match (&inner.told, known) {
            (_, Some(told)) => told,
            (Some(told), None) => (0, told.clone()),
            (None, None) if inner.scripts.is_empty() => return unasked(),
            (None, None) => (127, String::new()),
        };
        Ok(ExecOutput { code, stdout: told.into_bytes(), stderr: Vec::new() })
    }

    async fn time(&self) -> Result<Timestamp> {
        let time = self.ask()?.time;
        time.map_or_else(unasked, Ok)
    }
}

#[async_trait]
impl MachineHelper for FakeCluster {
    async fn ask_machine(&self, request: &Request) -> Result<Answer, MachineHelperError> {
        drop(self.ask()?);
        self.machine.carry_out(request)
    }
}
