//! The cluster as `engine` sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{
    Capabilities, Care, Command, End, EndCause, Error, Exit, Expected, Failure, Finding, Freezing, ImageRef,
    ImageSource, LogChunk, LogQuery, Observation, Observed, Phase, Process, ProcessControl, ProcessId, Result, Runtime,
    Site, Usage, Watch, Workload, WorkloadId,
};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use kernel::Timestamp;
use rustix::process::Signal;

use crate::images::Images;
use crate::procfs::{self, Executable};
use crate::record::{Config, Record};
use crate::store::{NEW, Object, Store, failed, remove};
use crate::{capabilities, diagnosis, logs, process, usage};

/// Between two looks at something that is awaited.
const LOOK: Duration = Duration::from_millis(20);
/// Between two looks for changes.
const CHANGES: Duration = Duration::from_millis(500);
/// For what was killed to be gone.
const KILLING: Duration = Duration::from_secs(10);

/// A folder as a cluster.
#[derive(Debug)]
pub struct ProcessRuntime {
    pub(crate) store: Store,
    pub(crate) site: Arc<dyn Site>,
    pub(crate) registry: PathBuf,
    /// The binary of this crate.
    pub(crate) keeper: PathBuf,
}

impl ProcessRuntime {
    /// `cluster` is the cluster's folder, `registry` one with tars of images, `keeper` the binary of this crate.
    #[must_use]
    pub fn new(site: Arc<dyn Site>, cluster: PathBuf, registry: PathBuf, keeper: PathBuf) -> Self {
        Self { store: Store { cluster }, site, registry, keeper }
    }

    pub(crate) fn images(&self) -> Images {
        Images::new(&self.store.cluster, &self.registry)
    }

    pub(crate) fn own(&self) -> Result<Executable> {
        Executable::of(&self.keeper).map_err(failed)
    }

    /// Has an image of the registry here.
    ///
    /// # Errors
    /// `ImageMissing`.
    pub async fn load(&self, name: &ImageRef) -> Result<()> {
        let source = ImageSource { name: name.clone(), auth: None, in_registry: true };
        let (images, name) = (self.images(), name.clone());
        let tar = images.distant(&source)?;
        let (progress, mut pieces) = tokio::sync::mpsc::channel(1);
        let loading = tokio::task::spawn_blocking(move || images.fetch(&name, &tar, progress));
        while pieces.recv().await.is_some() {}
        loading.await.map_err(failed)?.map(|_| ())
    }

    /// Starts a program that no portal knows, of the image with this id.
    ///
    /// # Errors
    /// Of the machine.
    pub async fn start_foreign(&self, name: &str, image: &ImageRef, argv: Vec<String>) -> Result<()> {
        let image = self.images().find(image)?.ok_or_else(|| Error::ImageMissing(image.to_string()))?;
        let record = Record {
            workload: None,
            generation: 0,
            object: uuid::Uuid::new_v4().simple().to_string(),
            image: image.digest.clone(),
            digest: image.digest,
            config: Config::default(),
            argv,
            environment: image.config.environment,
            host_name: name.to_owned(),
            cards: Vec::new(),
            nodes: Vec::new(),
            mounts: Vec::new(),
            ports: Vec::new(),
            memory: 0,
            shm: engine::default_shm(0),
            no_new_privileges: false,
        };
        self.make_folder(&record, &image.rootfs, name, "foreign").await?;
        self.start(&self.store.objects()?.join(name)).await
    }

    /// A workload's root on the machine.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn root(&self, id: &WorkloadId) -> Result<PathBuf> {
        Ok(self.store.get(id)?.dir.join("root"))
    }

    /// A workload's own program, while it runs.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn program(&self, id: &WorkloadId) -> Result<Option<u32>> {
        Ok(self.store.get(id)?.running().map(|life| life.program))
    }

    /// Ends all that runs in a cluster's folder, at once.
    pub fn end_all(cluster: &Path, keeper: &Path) {
        let Ok(own) = Executable::of(keeper) else { return };
        for object in (Store { cluster: cluster.to_owned() }).all().unwrap_or_default() {
            object.members(own).into_iter().for_each(|pid| procfs::signal(pid, Signal::KILL));
            if let Some(life) = object.running() {
                procfs::signal(life.keeper, Signal::KILL);
            }
        }
    }

    /// Ends the program of an object, by force after `grace`.
    pub(crate) async fn halt(&self, object: &Object, grace: Duration) -> Result<()> {
        let Some(life) = object.running() else { return Ok(()) };
        procfs::signal(life.program, Signal::TERM);
        let own = self.own()?;
        // Frozen programs hear nothing.
        object.members(own).into_iter().for_each(|pid| procfs::signal(pid, Signal::CONT));
        let ended = async {
            let mut looks = tokio::time::interval(LOOK);
            while life.lasts() {
                looks.tick().await;
            }
        };
        if tokio::time::timeout(grace, ended).await.is_ok() {
            return Ok(());
        }
        procfs::signal(life.program, Signal::KILL);
        let ended = async {
            let mut looks = tokio::time::interval(LOOK);
            while life.lasts() {
                looks.tick().await;
            }
        };
        tokio::time::timeout(KILLING, ended).await.map_err(|_| failed("its programs can't be killed"))
    }

    fn freeze_or_thaw(&self, object: &Object, signal: Signal) -> Result<()> {
        let own = self.own()?;
        // What was forked meanwhile is found by another look.
        for _ in 0..3 {
            object.members(own).into_iter().for_each(|pid| procfs::signal(pid, signal));
        }
        Ok(())
    }
}

#[async_trait]
impl Runtime for ProcessRuntime {
    async fn ping(&self) -> Result<()> {
        self.store.objects().map(|_| ())
    }

    async fn node(&self) -> Result<Capabilities> {
        self.store.objects()?;
        capabilities::read(&self.store.cluster)
    }

    async fn observe(&self) -> Result<Observation> {
        let mut seen = Observation::default();
        for object in self.store.all()? {
            match object.observed() {
                Some(observed) => seen.workloads.push(observed),
                None => seen.foreign.push(object.foreign()),
            }
        }
        Ok(seen)
    }

    fn changes(&self) -> BoxStream<'static, Result<()>> {
        type Look = Vec<(String, Phase)>;
        let begin = Some((self.store.clone(), None::<Look>));
        let next = |state: Option<(Store, Option<Look>)>| async move {
            let (store, mut before) = state?;
            let mut looks = tokio::time::interval(CHANGES);
            loop {
                looks.tick().await;
                let now: Look = match store.all() {
                    Ok(all) => all.iter().map(|object| (object.record.object.clone(), object.phase())).collect(),
                    Err(fault) => return Some((Err(fault), None)),
                };
                let changed = before.as_ref().is_some_and(|before| *before != now);
                before = Some(now);
                if changed {
                    return Some((Ok(()), Some((store, before))));
                }
            }
        };
        stream::unfold(begin, next).boxed()
    }

    async fn examine(&self, id: &WorkloadId) -> Result<Observed> {
        let object = self.store.get(id)?;
        let mut observed = object.observed().ok_or_else(|| Error::NotFound(id.to_string()))?;
        if let (Phase::Ended(_), Some(life)) = (&observed.phase, &object.life) {
            let told = object.ending.as_ref();
            let exit = Exit {
                code: told.map_or(255, |ending| ending.code),
                out_of_memory: false,
                error: told.map(|ending| ending.error.clone()).unwrap_or_default(),
                finished: told.map(|ending| Timestamp::from_millis(ending.at)),
            };
            let restarted = told.is_none() && life.boot != procfs::boot();
            let cause = if restarted { EndCause::Restart } else { EndCause::Own };
            observed.phase = Phase::Ended(Some(End { exit, cause }));
        }
        Ok(observed)
    }

    async fn apply(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        self.bring(workload, watch).await
    }

    async fn stop(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        self.halt(&self.store.get(id)?, grace).await
    }

    async fn discard(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        if let Some(object) = self.store.find(id)? {
            self.halt(&object, grace).await?;
            remove(&object.dir).map_err(failed)?;
        }
        for new in self.store.hidden(&format!("{NEW}{id}-"))? {
            remove(&new).map_err(failed)?;
        }
        Ok(())
    }

    async fn run(&self, id: &WorkloadId, command: &Command) -> Result<Process> {
        let object = self.store.get(id)?;
        if object.phase() != Phase::Running {
            return Err(Error::Conflict(format!("{id} does not run")));
        }
        process::start(&self.store, &self.keeper, &object, command).await
    }

    fn attach(&self, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        process::attach(&self.store, process)
    }

    fn logs(&self, id: &WorkloadId, query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
        match self.store.get(id) {
            Ok(object) => logs::read(object.dir, query),
            Err(fault) => stream::once(async { Err(fault) }).boxed(),
        }
    }

    async fn usage(&self, id: &WorkloadId) -> Result<Usage> {
        usage::measure(&self.store.get(id)?, self.own()?)
    }

    async fn diagnose(&self, expected: &Expected<'_>) -> Result<Vec<Finding>> {
        self.store.objects()?;
        Ok(diagnosis::look(expected))
    }

    async fn tend(&self, care: Care) {
        if care == Care::Leftovers {
            // What is left is there again at the next time.
            let _ = self.sweep();
        }
    }

    fn freezing(&self) -> Option<&dyn Freezing> {
        Some(self)
    }
}

#[async_trait]
impl Freezing for ProcessRuntime {
    async fn freeze(&self, id: &WorkloadId) -> Result<()> {
        let object = self.store.get(id)?;
        if object.running().is_none() {
            return Err(Error::Conflict(format!("{id} does not run")));
        }
        std::fs::write(object.dir.join("frozen"), "").map_err(failed)?;
        self.freeze_or_thaw(&object, Signal::STOP)
    }

    async fn thaw(&self, id: &WorkloadId) -> Result<()> {
        let object = self.store.get(id)?;
        self.freeze_or_thaw(&object, Signal::CONT)?;
        match std::fs::remove_file(object.dir.join("frozen")) {
            Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => Err(failed(fault)),
            _ => Ok(()),
        }
    }
}
