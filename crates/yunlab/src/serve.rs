//! `yunlab serve`: portal, disk and pages on one port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::FromRef;
use axum::middleware::from_fn_with_state;
use axum_server::Handle;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use db_kit::Db;
use http_kit::{Authenticate, TrustedProxies};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use kernel::{Clock, SystemClock};
use portal::{PasswordReset, Portal, PortalConfig};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tower_http::catch_panic::CatchPanicLayer;

use crate::config::Config;
use crate::embedded::EmbeddedDirectory;
use crate::prompt::PromptAcceptor;
use crate::{data, logging, metrics, say, tls, web};

/// A client must have sent its request head by then.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pages are told to go within this time.
const WEBSOCKET_FAREWELL: Duration = Duration::from_secs(3);

/// Runs until it is told to stop.
pub(crate) async fn run(config: Config) -> anyhow::Result<()> {
    logging::start(&config)?;
    // Before anybody can know that we run: a signal that is not caught kills at once.
    let signals = Signals::catch()?;
    data::prepare(&config.data_dir)?;
    let _lock = data::lock(&config.data_dir)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let db = data::open_database(&config).await?;
    let portal_config = PortalConfig { data_dir: config.data_dir.clone() };
    let portal = Portal::open(&portal_config, db.clone(), Arc::clone(&clock)).await?;
    let disk = open_disk(&config, &portal, db.clone(), clock).await?;
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
    // Last of all that can fail: the password that this makes is shown once.
    let first = portal.first_start(config.admin_password()?).await?;
    greet(&config, address, first);
    tell_about_engine(&config).await;

    let app = router(&config, portal.clone(), &disk);
    let handle = Handle::new();
    let limit = Duration::from_secs(config.stop_seconds);
    let farewell = tokio::spawn(stop_on_signal(signals, handle.clone(), portal, limit));
    listen(listener, tls, handle, app).await?;
    farewell.await.context("stopping")?;
    db.close().await.context("closing the database")?;
    tracing::info!("stopped");
    Ok(())
}

fn greet(config: &Config, address: SocketAddr, first: Option<PasswordReset>) {
    say::line(&format!("云实验室 YunLab {} 已启动：{}", kernel::VERSION, config.origin_at(address)));
    let Some(reset) = first else { return };
    match reset.made_up {
        Some(password) => {
            say::line(&format!("管理员 {} 的初始密码（只显示这一次）：{}", reset.username, password.expose()));
        }
        None => say::line(&format!("管理员 {} 的密码已按配置设置", reset.username)),
    }
}

/// Without a local engine everything but computing works, and the log says so.
async fn tell_about_engine(config: &Config) {
    let socket = config.docker_socket();
    match tokio::net::UnixStream::connect(socket).await {
        Ok(_) => tracing::info!(engine.socket = %socket.display(), "local container engine answers"),
        Err(error) => {
            tracing::warn!(engine.socket = %socket.display(), error = %error, "no local container engine");
        }
    }
}

async fn open_disk(config: &Config, portal: &Portal, db: Db, clock: Arc<dyn Clock>) -> anyhow::Result<disk::Disk> {
    let checker = Arc::<dyn Authenticate>::from_ref(portal);
    let directory = Arc::new(EmbeddedDirectory(portal.clone()));
    let disk = disk::DiskConfig::new(config.disk_root());
    disk::Disk::open(disk, db, checker, directory, clock).await.context("打开网盘")
}

fn router(config: &Config, portal: Portal, disk: &disk::Disk) -> Router {
    let proxies = Arc::new(TrustedProxies(config.trusted_proxies.clone()));
    let (disk_router, _) = disk.routes();
    portal::router(portal)
        .nest("/disk", disk_router)
        .fallback(web::serve)
        .layer(CatchPanicLayer::new())
        .layer(from_fn_with_state(proxies, http_kit::track))
}

async fn listen(
    listener: std::net::TcpListener,
    tls: Option<RustlsConfig>,
    handle: Handle<SocketAddr>,
    app: Router,
) -> anyhow::Result<()> {
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    if let Some(tls) = tls {
        let acceptor = PromptAcceptor::new(RustlsAcceptor::new(tls).acceptor(NoDelayAcceptor::new()), HEAD_TIMEOUT);
        let mut server = axum_server::from_tcp(listener)?.handle(handle).acceptor(acceptor);
        bound(server.http_builder());
        return server.serve(service).await.context("serving");
    }
    let acceptor = PromptAcceptor::new(NoDelayAcceptor::new(), HEAD_TIMEOUT);
    let mut server = axum_server::from_tcp(listener)?.handle(handle).acceptor(acceptor);
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
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn catch() -> anyhow::Result<Self> {
        let catch = |kind| signal(kind).context("catching signals");
        Ok(Self { terminate: catch(SignalKind::terminate())?, interrupt: catch(SignalKind::interrupt())? })
    }
}

/// No new connections; websockets are told; running requests, uploads among them, may finish
/// within the time given.
async fn stop_on_signal(mut signals: Signals, handle: Handle<SocketAddr>, portal: Portal, limit: Duration) {
    tokio::select! { _ = signals.terminate.recv() => {}, _ = signals.interrupt.recv() => {} }
    tracing::info!(connections = handle.connection_count(), "stopping");
    handle.graceful_shutdown(Some(limit));
    if tokio::time::timeout(WEBSOCKET_FAREWELL, portal.close_websockets()).await.is_err() {
        tracing::warn!("some pages did not take their leave in time");
    }
}
