//! The state of releases, and the one update that may run at a time.

use std::cmp::Ordering;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kernel::Timestamp;
use serde::Serialize;
use tokio::fs::File;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;

use super::model::{Build, Manifest, ReleaseError};
use super::signature::PublisherKey;
use super::source::{Source, unwritable};
use crate::Portal;
use crate::features::broadcast::{Audience, Message};

/// The source of releases, and the key that they must be signed with.
#[derive(Clone, Debug)]
pub struct UpdateConfig {
    source: Source,
    key: PublisherKey,
    /// The running program; a new one is written beside it.
    program: PathBuf,
}

impl UpdateConfig {
    /// # Errors
    /// The invalid setting, in words.
    pub fn new(source: &str, key: &str, program: PathBuf) -> Result<Self, &'static str> {
        let source = Source::parse(source).ok_or("update_source 应为绝对路径，或 http(s) 地址")?;
        let key = PublisherKey::parse(key).ok_or("update_key 应为 Base64 形式的 Ed25519 公钥")?;
        Ok(Self { source, key, program })
    }

    fn new_program(&self) -> PathBuf {
        let mut name = self.program.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        self.program.with_file_name(name)
    }
}

/// An update that was rolled back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FailedUpdate {
    /// The version that did not become healthy.
    pub version: String,
    /// In words for administrators.
    pub reason: String,
    /// When it was given up.
    pub time: Timestamp,
}

/// A verified program beside the running one.
#[derive(Clone, Debug)]
pub struct NewProgram {
    /// Its version.
    pub version: String,
    /// The file.
    pub path: PathBuf,
}

/// What an update is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UpdateState {
    #[default]
    Idle,
    /// Fetching the new program and checking it.
    Downloading,
    /// The server is about to restart with the new version.
    Restarting,
}

/// The present state.
#[derive(Clone, Debug, Default)]
pub(super) struct Status {
    pub(super) state: UpdateState,
    /// Set when it is newer than the running version.
    pub(super) latest: Option<Manifest>,
    /// When the source last answered.
    pub(super) checked: Option<Timestamp>,
    /// The last error, in words for administrators.
    pub(super) error: Option<String>,
    pub(super) failed: Option<FailedUpdate>,
    /// Bytes.
    pub(super) downloaded: u64,
}

/// Why an update does not begin.
#[derive(Debug)]
pub(super) enum Refused {
    NotConfigured,
    Running,
    /// The latest version runs already.
    UpToDate,
    /// Another version than the latest (this one) was requested.
    Other(String),
    Release(ReleaseError),
}

/// The updates of one portal.
#[derive(Debug)]
pub(crate) struct Updates {
    config: Option<UpdateConfig>,
    status: Mutex<Status>,
    /// Serializes the queries of the source.
    looking: tokio::sync::Mutex<()>,
    ready: watch::Sender<Option<NewProgram>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Updates {
    pub(crate) fn new(config: Option<UpdateConfig>) -> Self {
        Self {
            config,
            status: Mutex::default(),
            looking: tokio::sync::Mutex::default(),
            ready: watch::Sender::new(None),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }
    }

    pub(super) fn is_configured(&self) -> bool {
        self.config.is_some()
    }

    fn status_mut(&self) -> MutexGuard<'_, Status> {
        // Each change is one assignment, so a poisoned lock protects valid data.
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn status(&self) -> Status {
        self.status_mut().clone()
    }

    /// Queries the source now. Returns the release if it is newer than the running version.
    pub(super) async fn check(&self, now: Timestamp) -> Result<Option<Manifest>, Refused> {
        let config = self.config.as_ref().ok_or(Refused::NotConfigured)?;
        let _turn = self.looking.lock().await;
        let offered = config.source.manifest(&config.key).await;
        let newer = offered.and_then(|manifest| {
            let is_newer = manifest.compared()? == Ordering::Greater;
            Ok(is_newer.then_some(manifest))
        });
        let mut status = self.status_mut();
        match newer {
            Ok(latest) => {
                (status.checked, status.error) = (Some(now), None);
                status.latest.clone_from(&latest);
                Ok(latest)
            }
            Err(error) => {
                status.error = Some(error.to_string());
                Err(Refused::Release(error))
            }
        }
    }

    /// Claims the only update for the caller and checks whether it can begin.
    pub(super) async fn prepare(&self, wanted: Option<&str>, now: Timestamp) -> Result<Preparation<'_>, Refused> {
        let config = self.config.as_ref().ok_or(Refused::NotConfigured)?;
        let claim = Claim::take(self).ok_or(Refused::Running)?;
        let manifest = self.check(now).await?.ok_or(Refused::UpToDate)?;
        if wanted.is_some_and(|wanted| wanted != manifest.version) {
            return Err(Refused::Other(manifest.version));
        }
        let place = config.new_program();
        let prepared = manifest.build().cloned().and_then(|build| Ok((build, make(&place)?)));
        let (build, file) = prepared.map_err(|error| {
            self.status_mut().error = Some(error.to_string());
            Refused::Release(error)
        })?;
        Ok(Preparation { claim, version: manifest.version, build, file, place })
    }

    async fn fetch(&self, build: &Build, file: std::fs::File, place: &Path) -> Result<(), ReleaseError> {
        let Some(config) = &self.config else { return Err(ReleaseError::Stopped) };
        let mut file = File::from_std(file);
        let heard = |bytes| self.status_mut().downloaded += bytes;
        tokio::select! {
            fetched = config.source.program(build, &mut file, place, heard) => fetched?,
            () = self.stopping.cancelled() => return Err(ReleaseError::Stopped),
        }
        // Made executable only now, for those who may run the old one.
        let permissions = fs::metadata(&config.program).map_err(|error| unwritable(&config.program, &error))?;
        file.set_permissions(permissions.permissions()).await.map_err(|error| unwritable(place, &error))
    }

    async fn run(&self, version: String, build: Build, file: std::fs::File, place: PathBuf) {
        match self.fetch(&build, file, &place).await {
            Ok(()) => {
                tracing::info!(update.version = version, "a new version is ready");
                self.status_mut().state = UpdateState::Restarting;
                self.ready.send_replace(Some(NewProgram { version, path: place }));
            }
            Err(error) => {
                tracing::error!(update.version = version, %error, "a new version could not be fetched");
                // If it cannot be removed now, the next try replaces it.
                let _ = fs::remove_file(&place);
                let mut status = self.status_mut();
                (status.state, status.error) = (UpdateState::Idle, Some(error.to_string()));
            }
        }
    }
}

/// The claim of the only update, released unless the update begins.
struct Claim<'a>(Option<&'a Updates>);

impl<'a> Claim<'a> {
    fn take(updates: &'a Updates) -> Option<Self> {
        let mut status = updates.status_mut();
        let free = status.state == UpdateState::Idle;
        free.then(|| {
            (status.state, status.downloaded, status.error) = (UpdateState::Downloading, 0, None);
            Self(Some(updates))
        })
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(updates) = self.0 {
            updates.status_mut().state = UpdateState::Idle;
        }
    }
}

/// An update that can begin. Dropped, nothing happens.
pub(super) struct Preparation<'a> {
    claim: Claim<'a>,
    pub(super) version: String,
    build: Build,
    file: std::fs::File,
    place: PathBuf,
}

impl Preparation<'_> {
    /// Starts the update in the background, up to the restart.
    pub(super) fn begin(mut self, portal: &Portal) {
        self.claim.0 = None;
        let Self { version, build, file, place, .. } = self;
        portal.updates().status_mut().failed = None;
        let running = portal.clone();
        portal.updates().tasks.spawn(async move {
            running.updates().run(version, build, file, place).await;
            running.tell_of_updates();
        });
        portal.tell_of_updates();
    }
}

/// Creates the new program's file, not executable yet. Deletes what an earlier try left.
fn make(place: &Path) -> Result<std::fs::File, ReleaseError> {
    let made = match fs::remove_file(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).mode(0o600).open(place),
    };
    made.map_err(|error| unwritable(place, &error))
}

impl Portal {
    /// Keeps the last update, when it was rolled back, to be shown.
    pub fn note_failed_update(&self, failed: Option<FailedUpdate>) {
        self.updates().status_mut().failed = failed;
    }

    /// Queries the source once, if there is one.
    pub(super) async fn look_for_updates(&self) -> anyhow::Result<()> {
        if !self.updates().is_configured() {
            return Ok(());
        }
        let known = self.updates().status().latest;
        match self.updates().check(self.now()).await {
            Ok(latest) if latest != known => self.tell_of_updates(),
            Err(Refused::Release(error)) => return Err(error.into()),
            _ => {}
        }
        Ok(())
    }

    /// Stops a running update.
    pub async fn stop_updates(&self) {
        self.updates().stopping.cancel();
        self.updates().tasks.close();
        self.updates().tasks.wait().await;
    }

    /// Notifies open pages of a change of updates.
    pub(super) fn tell_of_updates(&self) {
        self.tell_pages(Audience::Everyone, Message::Versions);
    }

    /// Waits until a new program is ready to replace this one.
    pub async fn update_ready(&self) -> NewProgram {
        let mut ready = self.updates().ready.subscribe();
        let new = ready.wait_for(Option::is_some).await.ok().and_then(|new| new.clone());
        match new {
            Some(new) => new,
            // The sender lives as long as the portal.
            None => std::future::pending().await,
        }
    }
}
