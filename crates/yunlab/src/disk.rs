//! `yunlab disk`: a separate storage host, whose people and sessions are a portal's elsewhere.

use std::sync::Arc;

use anyhow::{Context, ensure};
use axum::Router;
use http_kit::App;

use crate::config::Config;
use crate::process::Process;
use crate::say;
use crate::storage_host::{self, RemotePortal};

/// Runs until it is stopped. The portal need not be reachable yet: until it answers, this host answers 503.
pub(crate) async fn run(config: Config) -> anyhow::Result<()> {
    let address = config.portal().context("要用 --portal 说明平台的地址")?.to_owned();
    let secret = config.portal_secret()?.context("要设置 portal_secret，与平台的相同")?;
    let unused = "存储节点的 HTTPS 只用证书文件：请设置 tls_cert 和 tls_key，去掉 https_listen";
    ensure!(config.https_listen.is_none(), unused);
    let process = Process::start(config).await?;
    if address.starts_with("http://") {
        tracing::warn!("the portal is asked without TLS: whoever reads that network reads the secret");
    }
    let host = format!("{}:{}", background::host_name(), process.config.data_dir.display());
    let portal = Arc::new(RemotePortal::new(&address, secret, host, Arc::clone(&process.clock))?);
    let _clock = storage_host::keep_clock(&process.clock, &process.db, &process.duties, &portal).await?;
    let disk = process.open_disk(portal.clone(), portal).await?;
    let service = disk.service();
    // Both under the path that it has beside a portal, and at the root, since its configured URL may be either.
    let router = Router::new().nest_service("/disk", service.clone()).fallback_service(service);
    let app = App::from(router).with_shortcut(disk.downloads());
    let door = process.open_door(None).await?;
    let origin = process.config.origin_at(door.address);
    say::line(&format!("云实验室 YunLab {} 网盘存储节点已启动：{origin}", kernel::VERSION));
    process.warn();
    let stopped = process.serve(door, app, std::future::pending::<()>(), async move { disk.stop().await }, async {});
    stopped.await.map(drop)
}
