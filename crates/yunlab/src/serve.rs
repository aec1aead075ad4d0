//! `yunlab serve`: portal, disk and pages on one port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::FromRef;
use http_kit::Authenticate;
use portal::{PasswordReset, Portal, PortalConfig};

use crate::config::Config;
use crate::embedded::EmbeddedDirectory;
use crate::process::Process;
use crate::{say, storage_host, web};

/// Pages are told to go within this time.
const WEBSOCKET_FAREWELL: Duration = Duration::from_secs(3);

/// Runs until it is told to stop.
pub(crate) async fn run(config: Config) -> anyhow::Result<()> {
    let process = Process::start(config).await?;
    let config = &process.config;
    let portal_config = PortalConfig { data_dir: config.data_dir.clone() };
    let portal = Portal::open(&portal_config, process.db.clone(), Arc::clone(&process.clock)).await?;
    let checker = Arc::<dyn Authenticate>::from_ref(&portal);
    let disk = process.open_disk(checker, Arc::new(EmbeddedDirectory(portal.clone()))).await?;
    let app = router(config, portal.clone(), &disk)?;
    let door = process.open_door().await?;
    // Last of all that can fail: the password that this makes is shown once.
    let first = portal.first_start(config.admin_password()?).await?;
    greet(config, door.address, first);
    tell_about_engine(config).await;
    let farewell = async move {
        tokio::join!(close_websockets(portal), disk.stop());
    };
    process.serve(door, app, farewell).await
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

fn router(config: &Config, portal: Portal, disk: &disk::Disk) -> anyhow::Result<Router> {
    let mut router = portal::router(portal.clone());
    if let Some(secret) = config.portal_secret()? {
        router = router.merge(storage_host::routes(portal, secret));
    }
    Ok(router.nest("/disk", disk.routes().0).fallback(web::serve))
}

async fn close_websockets(portal: Portal) {
    if tokio::time::timeout(WEBSOCKET_FAREWELL, portal.close_websockets()).await.is_err() {
        tracing::warn!("some pages did not take their leave in time");
    }
}
