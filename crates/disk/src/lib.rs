//! The network disk: a storage host with File Browser's HTTP API.
//!
//! Each feature is a folder: `resources` for files and folders, `raw` for content, `tus` for resumable uploads, `dav`
//! for WebDAV, `search` for names, `preview` for thumbnails, `usage` for space and quotas, `datasets` and `home_chores`
//! for the portal's chores with the folders of datasets and of people who leave. What happens to files themselves is in
//! `disk-core`, which has no HTTP. The disk does not depend on the portal: identities come through
//! [`http_kit::Authenticate`] and [`Directory`].

mod archive;
mod command;
mod datasets;
mod dav;
mod directory;
mod extract;
mod fresh;
mod health;
mod home_chores;
mod host;
mod http;
mod import;
mod intake;
mod migrations;
mod openapi;
mod permissions;
mod preview;
mod raw;
mod resources;
mod rights;
mod search;
mod settings;
mod shares;
mod subtitles;
mod tasks;
#[cfg(test)]
mod tests;
mod trail;
mod trash;
mod tus;
mod under_way;
mod usage;
mod users;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::Response;
use background::Duties;
use db_kit::Db;
use disk_core::files::FileStore;
use disk_core::jail::Jail;
use disk_core::space;
use http_kit::{Authenticate, Routes, Shortcut, uncompressed};
use kernel::Clock;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service, service_fn};

pub use archive::ContextError;
pub use dav::above_dav;
pub use directory::{Account, Directory, FolderOwner, HolderGroup, HolderName, QuotaHolder};
pub use extract::EntryPath;
/// How long a running disk may use profiles and settings that another process has changed.
pub use fresh::KEPT_FOR as NOTICED_WITHIN;
pub use import::{Import, ImportedProfile, ImportedRule, Newcomer, Outcome, Outlook, RuleTarget, Unfit};
#[cfg(any(test, feature = "fuzzing"))]
pub use intake::check_upload_length;
pub use openapi::openapi;
pub use permissions::Permissions;
#[cfg(any(test, feature = "fuzzing"))]
pub use raw::check_range;
pub use rights::missing_rights;
pub use search::{Query as SearchQuery, QueryError as SearchQueryError};
pub use settings::Settings;
pub use shares::{ImportedShare, ShareState};
#[cfg(any(test, feature = "fuzzing"))]
pub use tus::check_tus_headers;

use host::{Host, Parts};
use settings::CurrentSettings;
use shares::Shares;
use users::{Profiles, Views};

/// The configuration that a disk is started with.
#[derive(Clone, Debug)]
pub struct DiskConfig {
    /// The folder that holds everything; made when it is missing.
    pub root: PathBuf,
    /// Settings until an administrator changes them.
    pub settings: Settings,
    /// Other origins whose pages may use the disk, such as `https://lab.example`.
    pub origins: Vec<String>,
    /// Names the process among all that share the database, the same at every start.
    pub process: String,
    /// The duties of the process, to which the disk adds its own; `None`: it has some of its own.
    pub duties: Option<Duties>,
    /// Whether the database's files lie on the root's file system: then uploads leave it some room.
    pub beside_database: bool,
    /// Works as if the kernel had no `openat2`.
    #[cfg(test)]
    pub(crate) one_by_one: bool,
}

impl DiskConfig {
    /// A disk at this folder, with everything else as usual.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self {
            process: format!("{}:{}", background::host_name(), root.display()),
            root,
            settings: Settings::default(),
            origins: Vec::new(),
            duties: None,
            beside_database: false,
            #[cfg(test)]
            one_by_one: false,
        }
    }
}

/// A running storage host.
#[derive(Clone)]
pub struct Disk(Host);

impl Disk {
    /// Opens the root, makes its folders, brings the tables up to date, and removes what
    /// interrupted uploads left behind. Blocks; it is for the start.
    ///
    /// # Errors
    /// When the root can't be made, opened or written, or the database does not answer or was
    /// made by a newer version.
    pub async fn open(
        config: DiskConfig,
        db: Db,
        authenticate: Arc<dyn Authenticate>,
        directory: Arc<dyn Directory>,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        prepare_database(&db).await?;
        let usual = config.settings.for_disk_at(&config.root);
        let settings = Arc::new(CurrentSettings::new(db.clone(), usual, Arc::clone(&clock)));
        let profiles = Arc::new(Profiles::new(db.clone(), Arc::clone(&directory), Arc::clone(&clock)));
        let duties = config.duties.unwrap_or_else(|| Duties::new(Arc::clone(&clock)));
        space::make_folders(&config.root)?;
        let jail = Jail::open(&config.root)?;
        #[cfg(test)]
        let jail = jail.one_by_one(config.one_by_one);
        let shares = Arc::new(Shares::open(db.clone(), clock.now()).await?);
        let (now, followers) = (Arc::clone(&clock), Arc::clone(&shares));
        let files = Arc::new(FileStore::open(jail, &db, now, config.beside_database, followers).await?);
        let previews = preview::Workshop::open(&files.jail)?;
        rights::warn_of_missing();
        let tasks = Arc::new(tasks::Tasks::new(Arc::clone(&clock), db.clone(), config.process));
        tasks.recall().await?;
        let uploads = tus::Uploads::open(Arc::clone(&files), Arc::clone(&clock))?;
        let parts = Parts {
            files,
            trail: trail::Trail::default(),
            tasks,
            full_accounts: usage::FullAccounts::default(),
            uploads,
            shares,
            search_turns: search::Turns::default(),
            name_lists: search::Lists::default(),
            previews,
            origins: config.origins.into(),
            dav: dav::Dav::default(),
            db,
            settings,
            profiles,
            views: Views::default(),
            authenticate,
            directory,
            clock,
            duties,
            stopped: CancellationToken::new(),
            sockets: TaskTracker::new(),
        };
        let host = Host::new(parts);
        trash::keep_purging(&host);
        tasks::keep_leases(&host);
        datasets::keep(&host);
        home_chores::keep(&host);
        usage::keep_watching(&host);
        usage::keep_telling(&host);
        trail::keep_sending(&host);
        tus::keep_sweeping(&host);
        Ok(Self(host))
    }

    /// Cancels running tasks and waits until they have cleaned up; notifies open websockets. Other requests still work
    /// after it.
    pub async fn stop(&self) {
        self.0.stopped.cancel();
        self.0.sockets.close();
        tokio::join!(self.0.tasks.stop(), self.0.sockets.wait());
    }

    /// Packs a folder for building an image of it, as this person sees it and with their rights.
    ///
    /// # Errors
    /// When it is not there, has no Dockerfile, or is too large.
    pub async fn pack_context(
        &self,
        person: kernel::UserId,
        folder: &str,
    ) -> Result<impl futures_util::Stream<Item = std::io::Result<bytes::Bytes>> + Send + use<>, ContextError> {
        archive::pack_context(&self.0, person, folder).await
    }

    /// Counts the usage of a quota's holder now; `None` without a quota.
    ///
    /// # Errors
    /// When the portal does not answer, or the disk can't look.
    pub async fn count(&self, holder: kernel::dataset::DiskHolder) -> anyhow::Result<Option<kernel::dataset::DiskUse>> {
        usage::count_now(&self.0, holder).await
    }

    /// Whether what this person calls so is a file that they may read.
    ///
    /// # Errors
    /// When the disk can't look.
    pub async fn is_readable(&self, person: &kernel::Actor, path: &str) -> anyhow::Result<bool> {
        match resources::is_readable(&self.0, person.clone(), path).await {
            Err(error) if http::status_of(&error).is_server_error() => Err(error.into()),
            looked => Ok(looked.is_ok_and(|readable| readable)),
        }
    }

    /// Returns the service that answers requests, to be mounted under the storage host's base address.
    #[must_use]
    pub fn service(
        &self,
    ) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + use<>
    {
        let host = self.0.clone();
        let origins = Arc::clone(&host.origins);
        let router = api()
            .into_router()
            .route_layer(from_fn_with_state(host.clone(), http::guard))
            .merge(public().into_router())
            .merge(dav::routes())
            .method_not_allowed_fallback(http::not_allowed)
            .fallback(http::not_found)
            .with_state(host);
        service_fn(move |request| {
            let (origins, mut router) = (Arc::clone(&origins), router.clone());
            async move {
                let answer = async |request| {
                    let Ok(response) = Service::call(&mut router, request).await;
                    response
                };
                Ok(http::edge(&origins, request, answer).await)
            }
        })
    }

    /// Returns what answers downloads ahead of the router that this disk's service is mounted in, at `/disk`.
    #[must_use]
    pub fn downloads(&self) -> impl Shortcut + use<> {
        http::Downloads(self.0.clone())
    }
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Disk").field("jail", &self.0.files.jail).finish_non_exhaustive()
    }
}

/// Brings the disk's tables up to date.
///
/// # Errors
/// When the database does not answer or was made by a newer version.
pub async fn prepare_database(db: &Db) -> anyhow::Result<()> {
    Ok(db_kit::migrate(db, migrations::TABLE, migrations::STEPS).await?)
}

/// The calls that need a person.
fn api() -> Routes<Host> {
    Routes::new()
        .merge(resources::routes())
        .merge(raw::routes())
        .merge(tus::routes())
        .merge(subtitles::routes())
        .merge(usage::routes())
        .merge(shares::routes().layer(map_response(uncompressed)))
        .merge(trash::routes())
        .merge(command::routes())
        .merge(users::routes())
        .merge(settings::routes())
        .merge(search::routes())
        .merge(tasks::routes())
        .merge(preview::routes())
}

/// Routes that need no sign-in.
fn public() -> Routes<Host> {
    health::routes().merge(shares::public_routes().layer(map_response(uncompressed))).merge(settings::public_routes())
}
