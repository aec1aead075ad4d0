//! Common start and stop of our servers.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum_server::tls_rustls::RustlsConfig;
use background::{Duties, MachineClocks};
use db_kit::Db;
use disk::{Directory, Disk, DiskConfig};
use http_kit::{App, Authenticate, Port, Stop, TrustedProxies};
use kernel::{Clock, GuardedClock};
use portal::Portal;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::Config;
use crate::data::{self, Lock};
use crate::{descriptors, logging, metrics, reserve, rights, say, tls};

/// A server on its data folder that does not listen yet.
pub(crate) struct Process {
    pub(crate) config: Config,
    pub(crate) db: Db,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) duties: Duties,
    signals: Signals,
    hangup: Signal,
    lock: Lock,
}

/// Where it will listen.
pub(crate) struct Door {
    port: Port,
    /// For the certificate that the portal keeps.
    https: Option<Port>,
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) async fn start(config: Config) -> anyhow::Result<Self> {
        logging::start(&config)?;
        descriptors::raise_limit();
        // Before the process is visible to others: a signal without a handler kills at once.
        let signals = Signals::catch()?;
        let hangup = signal(SignalKind::hangup()).context("catching signals")?;
        data::prepare(&config.data_dir)?;
        let lock = data::lock(&config.data_dir)?;
        reserve::drop_ballast(&config.data_dir);
        let db = data::open_database(&config).await?;
        let clock: Arc<dyn Clock> = Arc::new(GuardedClock::new(MachineClocks));
        let duties = Duties::new(Arc::clone(&clock));
        Ok(Self { config, db, clock, duties, signals, hangup, lock })
    }

    /// Opens the disk with this authentication and directory.
    pub(crate) async fn open_disk(
        &self,
        checker: Arc<dyn Authenticate>,
        directory: Arc<dyn Directory>,
    ) -> anyhow::Result<Disk> {
        let mut config = DiskConfig::new(self.config.disk_root());
        config.origins = self.config.page_origins();
        config.duties = Some(self.duties.clone());
        // Two portals may share a disk's root, but no data folder.
        config.beside_database = data::is_beside_database(&self.config);
        config.process = format!("{}:{}", background::host_name(), self.config.data_dir.display());
        Disk::open(config, self.db.clone(), checker, directory, Arc::clone(&self.clock)).await.context("打开网盘")
    }

    /// Binds the address, without accepting connections yet. A portal adds its lab's figures to the metrics.
    pub(crate) async fn open_door(&self, portal: Option<Portal>) -> anyhow::Result<Door> {
        let config = &self.config;
        let tls = match (config.tls_cert.clone(), config.tls_key.clone()) {
            (Some(cert), Some(key)) => {
                let tls = tls::load(&cert, &key).await?;
                tls::keep(&tls, cert, key, &self.duties);
                Some(tls)
            }
            _ => None,
        };
        if let Some(address) = config.metrics_listen {
            metrics::serve(address, portal.clone()).await?;
        }
        let (listener, address) = listen(config.listen)?;
        let https = match (config.https_listen, portal) {
            (Some(wanted), Some(portal)) => {
                let (listener, address) = listen(wanted)?;
                portal.listens_for_https(address.port());
                Some(Port { listener, tls: Some(tls::kept_by(&portal)) })
            }
            _ => None,
        };
        self.lock.announce(&config.origin_at(address));
        Ok(Door { port: Port { listener, tls }, https, address })
    }

    /// Prints a warning about missing capabilities.
    pub(crate) fn warn(&self) {
        if let Some(missing) = rights::missing(None).ok().filter(|missing| !missing.is_empty()) {
            say::line(&format!("注意：{}", rights::words(&missing)));
        }
    }

    /// Serves until it is stopped, or until `else_to_do` resolves, whose output is returned then: no new connections,
    /// `farewell` to those that would stay open, and running requests, including uploads, may finish within the
    /// configured time.
    pub(crate) async fn serve<T: Send + 'static>(
        self,
        door: Door,
        app: App,
        else_to_do: impl Future<Output = T> + Send + 'static,
        farewell: impl Future<Output = ()> + Send + 'static,
        last: impl Future<Output = ()>,
    ) -> anyhow::Result<Option<T>> {
        let proxies = TrustedProxies(self.config.trusted_proxies.clone());
        let limits = self.config.connection_limits(descriptors::limit());
        let stop = Stop::default();
        let tls = door.port.tls.clone().zip(self.config.tls_cert.clone().zip(self.config.tls_key.clone()));
        let hangups = tokio::spawn(mind_hangups(self.hangup, tls));
        let reserve = reserve::keep(&self.db, &self.config.data_dir, &self.duties);
        let limit = Duration::from_secs(self.config.stop_seconds);
        let (mut signals, stopping) = (self.signals, stop.clone());
        let stopped = tokio::spawn(async move {
            let next = tokio::select! {
                () = signals.come() => None,
                next = else_to_do => Some(next),
            };
            tracing::info!(connections = stopping.connections(), "stopping");
            stopping.begin(limit);
            farewell.await;
            next
        });
        let ports = std::iter::once(door.port).chain(door.https).collect();
        http_kit::serve(ports, stop, proxies, limits, app).await.context("serving")?;
        let next = stopped.await.context("stopping")?;
        last.await;
        hangups.abort();
        drop(reserve);
        self.db.close().await.context("closing the database")?;
        tracing::info!("stopped");
        Ok(next)
    }
}

fn listen(wanted: SocketAddr) -> anyhow::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(wanted).with_context(|| format!("监听 {wanted}"))?;
    listener.set_nonblocking(true).context("preparing the listener")?;
    let address = listener.local_addr().context("asking for the address")?;
    Ok((listener, address))
}

/// A terminal that was closed, or a script that put a new certificate in place: no reason to stop.
async fn mind_hangups(mut hangup: Signal, tls: Option<(RustlsConfig, (PathBuf, PathBuf))>) {
    while hangup.recv().await.is_some() {
        match &tls {
            Some((config, (cert, key))) => tls::reload(config, cert, key).await,
            None => tracing::info!("SIGHUP: there is no certificate to read again, going on"),
        }
    }
}

/// Signals that stop the process.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn catch() -> anyhow::Result<Self> {
        let catch = |kind| signal(kind).context("catching signals");
        Ok(Self { terminate: catch(SignalKind::terminate())?, interrupt: catch(SignalKind::interrupt())? })
    }

    pub(crate) async fn come(&mut self) {
        tokio::select! { _ = self.terminate.recv() => {}, _ = self.interrupt.recv() => {} }
    }
}
