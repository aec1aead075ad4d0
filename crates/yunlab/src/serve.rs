//! `yunlab serve`: portal, disk and pages on one port.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::{FromRef, Request};
use axum::routing::{any, get};
use http_kit::assets::Lookup;
use http_kit::{App, Authenticate};
use portal::{MachineFileSystems, NewProgram, PasswordCost, PasswordReset, Portal, PortalConfig};

use crate::backup::Maker;
use crate::config::Config;
use crate::embedded::EmbeddedDirectory;
use crate::engines::{self, EngineSource};
use crate::own_disk::OwnDisk;
use crate::process::{Process, Signals};
use crate::ssh::Ssh;
use crate::{
    healthcheck, say, storage_host, update,
    web::{self, Web},
};

/// Time for the pages' websockets to close.
const WEBSOCKET_FAREWELL: Duration = Duration::from_secs(3);

/// The time limit for a rehearsed server to become healthy. The caller has a time limit of its own.
const REHEARSED_WITHIN: Duration = Duration::from_secs(60);

/// Runs until it is stopped, or becomes another version.
pub(crate) async fn run(config: Config, engines: &EngineSource, pages: Lookup) -> anyhow::Result<()> {
    let program = update::program()?;
    let mut signals = Signals::catch()?;
    let new = match serve(config.clone(), program.clone(), engines, pages).await {
        Ok(new) => new,
        Err(fault) => return Err(update::give_way(&config, fault)),
    };
    match new {
        Some(new) => update::switch(&config, &program, &new, &mut signals).await,
        None => Ok(()),
    }
}

/// Serves; returns the program to be executed next, if there is one.
async fn serve(
    config: Config,
    program: PathBuf,
    engines: &EngineSource,
    pages: Lookup,
) -> anyhow::Result<Option<NewProgram>> {
    let process = Process::start(config).await?;
    let config = &process.config;
    let failed = update::recover(config, &process.db).await?;
    let Parts { portal, disk, app } = open(&process, &program, engines, pages).await?;
    portal.check_peers().await?;
    if let Err(error) = portal.refresh_certificate().await {
        // A new one is requested on the pages, so they must be reachable.
        tracing::error!(error = format!("{error:#}"), "the certificate for HTTPS can't be served");
    }
    let door = process.open_door(Some(portal.clone())).await?;
    // Last of all that can fail: the password that this makes is shown once.
    let first = portal.first_start(config.admin_password()?).await?;
    greet(config, door.address, first);
    process.warn();
    let _finding = match engines {
        EngineSource::Docker => engines::find_local(config, &portal, &process.duties).await?,
        EngineSource::Given(_) => None,
    };
    portal.break_off_jobs().await?;
    portal.start_peers();
    update::settle(config)?;
    portal.note_failed_update(failed);
    portal.start_duties().await?;
    let ssh = Ssh::open(config, &portal).await;
    let (updated, sealing) = (portal.clone(), portal.clone());
    let farewell = async move {
        tokio::join!(
            close_websockets(portal.clone()),
            ssh.stop(),
            portal.stop_duties(),
            portal.stop_jobs(),
            portal.stop_updates(),
            portal.stop_peers(),
            disk.stop()
        );
    };
    process.serve(door, app, async move { updated.update_ready().await }, farewell, seal_logs(sealing)).await
}

/// Runs a start on a private port, and exits. Engines and instances are not touched.
pub(crate) async fn rehearse(mut config: Config, engines: &EngineSource, pages: Lookup) -> anyhow::Result<()> {
    config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    (config.https_listen, config.metrics_listen) = (None, None);
    let process = Process::start(config).await?;
    let Parts { disk, app, .. } = open(&process, Path::new(""), engines, pages).await?;
    let door = process.open_door(None).await?;
    let origin = process.config.origin_at(door.address);
    let healthy = async move { healthcheck::until_healthy(&origin, REHEARSED_WITHIN).await };
    let healthy = process.serve(door, app, healthy, async move { disk.stop().await }, async {}).await?;
    healthy.context("停止了")??;
    say::line(&update::passed(kernel::RELEASE));
    Ok(())
}

/// The parts of a running server.
struct Parts {
    portal: Portal,
    disk: disk::Disk,
    app: App,
}

async fn open(process: &Process, program: &Path, engines: &EngineSource, pages: Lookup) -> anyhow::Result<Parts> {
    let config = &process.config;
    let portal_config = PortalConfig {
        data_dir: config.data_dir.clone(),
        disk_root: Some(config.disk_root()),
        audit_file: config.audit_file.clone(),
        own_ports: std::iter::once(config.listen).chain(config.https_listen).map(|address| address.port()).collect(),
        updates: config.updates(program.to_owned())?,
        duties: process.duties.clone(),
        machine_helper: config.machine_helper,
        certificate: config.tls_cert.clone(),
        file_systems: Arc::new(MachineFileSystems),
        password_cost: PasswordCost::default(),
    };
    let portal =
        Portal::open(&portal_config, process.db.clone(), Arc::clone(&process.clock), engines.connections()).await?;
    let checker = Arc::<dyn Authenticate>::from_ref(&portal);
    let has_storage_hosts = config.portal_secret()?.is_some();
    let directory = EmbeddedDirectory::for_own_disk(portal.clone(), has_storage_hosts);
    let disk = process.open_disk(checker, Arc::new(directory)).await?;
    let own_disk = Arc::new(OwnDisk(disk.clone()));
    let maker = Maker::new(process.db.clone(), config.backups());
    // The disk holds a handle of the portal, too, to which nothing is lent.
    let portal = portal.with_contexts(own_disk.clone()).with_backup_maker(Arc::new(maker));
    // Where there are storage hosts, people's files may lie there.
    let portal = match has_storage_hosts {
        true => portal,
        false => portal.with_files(own_disk.clone()).with_disk_counter(own_disk),
    };
    let app = App::from(router(config, Web { portal: portal.clone(), pages }, &disk)?).with_shortcut(disk.downloads());
    Ok(Parts { portal, disk, app })
}

fn greet(config: &Config, address: SocketAddr, first: Option<PasswordReset>) {
    say::line(&format!("云实验室 YunLab {} 已启动：{}", kernel::VERSION, config.origin_at(address)));
    let Some(reset) = first else { return };
    match reset.made_up {
        Some(_) if say::goes_to_journal() => {
            let name = reset.username;
            say::line(&format!("管理员 {name} 还没有人知道密码。得到密码：sudo yunlab admin reset-password {name}"));
        }
        Some(password) => {
            say::line(&format!("管理员 {} 的初始密码（只显示这一次）：{}", reset.username, password.expose()));
        }
        None => say::line(&format!("管理员 {} 的密码已按配置设置", reset.username)),
    }
}

fn router(config: &Config, web: Web, disk: &disk::Disk) -> anyhow::Result<Router> {
    let mut router = portal::router(web.portal.clone());
    if let Some(secret) = config.portal_secret()? {
        router = router.merge(storage_host::routes(web.portal.clone(), secret));
    }
    let page = {
        let web = web.clone();
        move |request: Request| web.clone().serve(request)
    };
    for path in web::DOCUMENTS {
        router = router.route(path, get(page.clone()));
    }
    let root = any(move |request: Request| web.clone().root(request));
    Ok(router.nest_service("/disk", disk.service()).route("/", root).fallback(page))
}

/// Seals the remaining rows, so that none of them can be changed unnoticed while the portal is stopped.
async fn seal_logs(portal: Portal) {
    if let Err(error) = portal.seal_at_stop().await {
        tracing::warn!(error = format!("{error:#}"), "the logs were not sealed");
    }
}

async fn close_websockets(portal: Portal) {
    if tokio::time::timeout(WEBSOCKET_FAREWELL, portal.close_websockets()).await.is_err() {
        tracing::warn!("some pages did not take their leave in time");
    }
}
