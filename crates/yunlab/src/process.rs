//! What every server of ours begins and ends with, whatever it serves.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum_server::Handle;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use db_kit::Db;
use disk::{Directory, Disk, DiskConfig};
use http_kit::{Authenticate, TrustedProxies};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use kernel::{Clock, SystemClock};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::config::Config;
use crate::data::{self, Lock};
use crate::prompt::PromptAcceptor;
use crate::sendfile::FileAcceptor;
use crate::{logging, metrics, tls};

/// A client must have sent its request head by then.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// A client that sends nothing more of a body, or takes nothing more of an answer, for so long has
/// gone.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// A server on its data folder that does not listen yet.
pub(crate) struct Process {
    pub(crate) config: Config,
    pub(crate) db: Db,
    pub(crate) clock: Arc<dyn Clock>,
    signals: Signals,
    _lock: Lock,
}

/// Where it will listen.
pub(crate) struct Door {
    listener: std::net::TcpListener,
    tls: Option<RustlsConfig>,
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) async fn start(config: Config) -> anyhow::Result<Self> {
        logging::start(&config)?;
        // Before anybody can know that we run: a signal that is not caught kills at once.
        let signals = Signals::catch()?;
        data::prepare(&config.data_dir)?;
        let lock = data::lock(&config.data_dir)?;
        let db = data::open_database(&config).await?;
        Ok(Self { config, db, clock: Arc::new(SystemClock), signals, _lock: lock })
    }

    /// Opens the disk for people that these know.
    pub(crate) async fn open_disk(
        &self,
        checker: Arc<dyn Authenticate>,
        directory: Arc<dyn Directory>,
    ) -> anyhow::Result<Disk> {
        let mut config = DiskConfig::new(self.config.disk_root());
        config.origins = self.config.page_origins();
        Disk::open(config, self.db.clone(), checker, directory, Arc::clone(&self.clock)).await.context("打开网盘")
    }

    /// Takes the address, but no connections.
    pub(crate) async fn open_door(&self) -> anyhow::Result<Door> {
        let config = &self.config;
        let tls = match (config.tls_cert.clone(), config.tls_key.clone()) {
            (Some(cert), Some(key)) => Some(tls::load(cert, key).await?),
            _ => None,
        };
        if let Some(address) = config.metrics_listen {
            metrics::serve(address).await?;
        }
        let listener = std::net::TcpListener::bind(config.listen).with_context(|| format!("监听 {}", config.listen))?;
        listener.set_nonblocking(true).context("preparing the listener")?;
        let address = listener.local_addr().context("asking for the address")?;
        Ok(Door { listener, tls, address })
    }

    /// Serves until it is told to stop, or until there is something `else_to_do`, which is the answer
    /// then: no new connections, `farewell` to those who would stay, and running requests, uploads
    /// among them, may finish within the time configured.
    pub(crate) async fn serve<T: Send + 'static>(
        self,
        door: Door,
        app: Router,
        else_to_do: impl Future<Output = T> + Send + 'static,
        farewell: impl Future<Output = ()> + Send + 'static,
    ) -> anyhow::Result<Option<T>> {
        let proxies = Arc::new(TrustedProxies(self.config.trusted_proxies.clone()));
        let app = app
            .layer(CatchPanicLayer::new())
            .layer(RequestBodyTimeoutLayer::new(STALL_TIMEOUT))
            .layer(from_fn_with_state(proxies, http_kit::track));
        let handle = Handle::new();
        let limit = Duration::from_secs(self.config.stop_seconds);
        let (mut signals, stopping) = (self.signals, handle.clone());
        let stop = tokio::spawn(async move {
            let next = tokio::select! {
                () = signals.come() => None,
                next = else_to_do => Some(next),
            };
            tracing::info!(connections = stopping.connection_count(), "stopping");
            stopping.graceful_shutdown(Some(limit));
            farewell.await;
            next
        });
        listen(door, handle, app).await?;
        let next = stop.await.context("stopping")?;
        self.db.close().await.context("closing the database")?;
        tracing::info!("stopped");
        Ok(next)
    }
}

async fn listen(door: Door, handle: Handle<SocketAddr>, app: Router) -> anyhow::Result<()> {
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    if let Some(tls) = door.tls {
        let acceptor =
            PromptAcceptor::new(RustlsAcceptor::new(tls).acceptor(NoDelayAcceptor::new()), HEAD_TIMEOUT, STALL_TIMEOUT);
        let mut server = axum_server::from_tcp(door.listener)?.handle(handle).acceptor(acceptor);
        bound(server.http_builder());
        return server.serve(service).await.context("serving");
    }
    let acceptor = PromptAcceptor::new(FileAcceptor, HEAD_TIMEOUT, STALL_TIMEOUT);
    let mut server = axum_server::from_tcp(door.listener)?.handle(handle).acceptor(acceptor);
    bound(server.http_builder());
    server.serve(service).await.context("serving")
}

/// No connection is held by a client that does not go on with it.
fn bound(builder: &mut Builder<TokioExecutor>) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let http2 = &mut builder.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(HEAD_TIMEOUT).keep_alive_timeout(HEAD_TIMEOUT);
}

/// What tells the process to stop.
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
