//! What is wanted becomes what runs.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use engine::{Error, Failure, Mount, Protocol, Result, Stage, Step, Watch, Workload};
use rustix::fs::RenameFlags;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

use crate::ProcessRuntime;
use crate::images::Found;
use crate::record::{Bind, Config, Forward, Record, Start, put_in};
use crate::store::{GONE, NEW, Object, failed, remove};

/// Time for the programs of an earlier generation to end.
const GRACE: Duration = Duration::from_secs(30);
/// Time for a keeper to start its program.
const STARTING: Duration = Duration::from_secs(30);
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn at<E: Into<Error>>(stage: Stage) -> impl FnOnce(E) -> Failure {
    move |error| Failure { stage, error: error.into() }
}

/// Ends the work where the watch says so.
macro_rules! reach {
    ($watch:expr, $step:expr) => {
        if $watch.step($step).await.is_break() {
            return Ok(());
        }
    };
}

impl ProcessRuntime {
    pub(crate) async fn bring(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        let found = self.store.find(&workload.id).map_err(at(Stage::Look))?;
        match found {
            Some(object) if object.record.generation != workload.generation => {
                self.halt(&object, GRACE).await.map_err(at(Stage::StopEarlier))?;
                reach!(watch, Step::RootKept(object.record.object.clone()));
                let config = object.record.config.clone();
                let digest = object.record.digest.clone();
                reach!(watch, Step::Image { digest: digest.clone(), fetched: false });
                let record = self.record(workload, digest, config).await.map_err(at(Stage::Make))?;
                remake(&object, &record).map_err(at(Stage::Make))?;
            }
            Some(_) => {}
            None => {
                if let Some(kept) = &workload.kept_root {
                    let lost = Error::ImageMissing(format!("the root {kept}"));
                    return Err(Failure { stage: Stage::FindImage, error: lost });
                }
                let name = Object::folder_name(&workload.name, workload.id.as_str());
                if self.store.objects().map_err(at(Stage::Look))?.join(&name).exists() {
                    return Err(Failure { stage: Stage::Look, error: Error::NameTaken(name) });
                }
                let Some((image, fetched)) = self.image(workload, watch).await? else { return Ok(()) };
                reach!(watch, Step::Image { digest: image.digest.clone(), fetched });
                self.make(workload, image, &name).await.map_err(at(Stage::Make))?;
            }
        }
        let object = self.store.get(&workload.id).map_err(at(Stage::Start))?;
        reach!(watch, Step::Made(object.record.object.clone()));
        self.start(&object.dir).await.map_err(at(Stage::Start))?;
        // After the last step there is nothing left to end.
        let _ = watch.step(Step::Running).await;
        Ok(())
    }

    /// `None` when it is not wanted any more.
    async fn image(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<Option<(Found, bool)>, Failure> {
        let source = &workload.image;
        if let Some(found) = self.images().find(&source.name).map_err(at(Stage::FindImage))? {
            return Ok(Some((found, false)));
        }
        if !source.in_registry {
            let missing = Error::ImageMissing(source.name.to_string());
            return Err(Failure { stage: Stage::FindImage, error: missing });
        }
        let (images, name) = (self.images(), source.name.clone());
        let tar = images.distant(source).map_err(at(Stage::FetchImage))?;
        let (progress, mut pieces) = mpsc::channel(1);
        let fetching = tokio::task::spawn_blocking(move || images.fetch(&name, &tar, progress));
        loop {
            let piece = tokio::select! {
                biased;
                () = watch.cancelled() => return Ok(None),
                piece = pieces.recv() => piece,
            };
            let Some((current, total)) = piece else { break };
            if watch.step(Step::Fetching { current, total }).await.is_break() {
                return Ok(None);
            }
        }
        fetching.await.map_err(failed).and_then(|fetched| fetched).map_err(at(Stage::FetchImage))?;
        let found = self.images().find(&source.name).map_err(at(Stage::FindImage))?;
        let missing = || Failure { stage: Stage::FindImage, error: Error::ImageMissing(source.name.to_string()) };
        Ok(Some((found.ok_or_else(missing)?, true)))
    }

    async fn record(&self, workload: &Workload, digest: String, config: Config) -> Result<Record> {
        let storage = if workload.places.is_empty() { String::new() } else { self.site.rules().await?.storage };
        let mut mounts = Vec::new();
        for place in &workload.places {
            let source = format!("{}/{}", storage.trim_end_matches('/'), place.folder());
            let mount = Mount::new(&source, place.target(), place.read_only())?;
            mounts.push(Bind { source, target: mount.target().to_owned(), read_only: mount.read_only() });
        }
        let mut ports = Vec::new();
        for wanted in &workload.ports {
            if wanted.protocol != Protocol::Tcp {
                return Err(Error::Rejected("only TCP ports are forwarded".to_owned()));
            }
            let node_port =
                wanted.node_port.ok_or_else(|| Error::Rejected("a port has none of the node".to_owned()))?;
            ports.push(Forward { port: wanted.port.get(), node_port: node_port.get() });
        }
        if let Some(card) = workload.cards.iter().find(|card| card.is_nvidia()) {
            return Err(Error::Rejected(format!("{} can't be given to plain processes", card.id())));
        }
        let mut environment = vec![("PATH".to_owned(), PATH.to_owned())];
        environment.extend(config.environment.clone());
        environment.extend(workload.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        let memory = workload.resources.memory;
        let host: String = workload.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(63).collect();
        Ok(Record {
            workload: Some(workload.id.to_string()),
            generation: workload.generation,
            object: uuid::Uuid::new_v4().simple().to_string(),
            image: workload.image.name.to_string(),
            digest,
            argv: workload.command.clone().unwrap_or_else(|| config.command.clone()),
            config,
            environment,
            host_name: if host.is_empty() { "workload".to_owned() } else { host },
            cards: workload.cards.iter().map(|card| card.id().to_owned()).collect(),
            nodes: workload.cards.iter().flat_map(|card| card.nodes()).map(ToString::to_string).collect(),
            mounts,
            ports,
            memory,
            shm: workload.shm.unwrap_or_else(|| engine::default_shm(memory)),
            no_new_privileges: workload.no_new_privileges,
        })
    }

    async fn make(&self, workload: &Workload, image: Found, name: &str) -> Result<()> {
        let record = self.record(workload, image.digest, image.config).await?;
        self.make_folder(&record, &image.rootfs, name, workload.id.as_str()).await
    }

    /// Makes an object whole or not at all.
    pub(crate) async fn make_folder(&self, record: &Record, rootfs: &Path, name: &str, id: &str) -> Result<()> {
        let objects = self.store.objects()?;
        // What a killed driver left.
        for old in self.store.hidden(&format!("{NEW}{id}-"))? {
            remove(&old).map_err(failed)?;
        }
        let new = objects.join(format!("{NEW}{id}-{}", uuid::Uuid::new_v4().simple()));
        let made = async {
            fs::create_dir(&new).map_err(failed)?;
            copy(rootfs, &new.join("root")).await?;
            put_in(&new, "record.json", record).map_err(failed)?;
            let whole = objects.join(name);
            rustix::fs::renameat_with(rustix::fs::CWD, &new, rustix::fs::CWD, &whole, RenameFlags::NOREPLACE).map_err(
                |fault| match fault {
                    rustix::io::Errno::EXIST => Error::NameTaken(name.to_owned()),
                    other => failed(other),
                },
            )
        };
        let made = made.await;
        if made.is_err() {
            let _ = fs::remove_dir_all(&new);
        }
        made
    }

    pub(crate) async fn start(&self, dir: &Path) -> Result<()> {
        let mut keeper = Command::new(&self.keeper);
        keeper.arg("keep").arg(dir).current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().map_err(failed)?;
        let out = keeper.stdout.take().ok_or_else(|| failed("the keeper has no output"))?;
        let mut line = String::new();
        let told = tokio::time::timeout(STARTING, BufReader::new(out).read_line(&mut line)).await;
        told.map_err(|_| failed("the program has not started in time"))?.map_err(failed)?;
        match serde_json::from_str(&line) {
            Ok(Start::Running | Start::Already) => Ok(()),
            Ok(Start::PortTaken(why)) => Err(Error::PortTaken(why)),
            Ok(Start::Failed(why)) => Err(Error::Failed(why)),
            Err(_) => Err(failed("the keeper ended without a word")),
        }
    }
}

/// The earlier generation's folder with its root becomes that of the next one.
fn remake(object: &Object, record: &Record) -> Result<()> {
    for old in ["end.json", "frozen", "log", "log.1", "life.json"] {
        let _ = fs::remove_file(object.dir.join(old));
    }
    let _ = fs::remove_dir_all(object.dir.join("runs"));
    put_in(&object.dir, "record.json", record).map_err(failed)
}

async fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut copy = Command::new("cp");
    copy.arg("-a").arg(from).arg(to).stdin(Stdio::null()).kill_on_drop(true);
    let copied = copy.output().await.map_err(failed)?;
    if copied.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&copied.stderr).trim())) }
}

impl ProcessRuntime {
    /// Removes what nothing will finish.
    pub(crate) fn sweep(&self) -> Result<()> {
        for gone in self.store.hidden(GONE)? {
            fs::remove_dir_all(gone).map_err(failed)?;
        }
        Ok(())
    }
}
