//! The engines of the portal: which driver a kind of cluster takes, and the local engine of this machine.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use background::{Duties, Duty, Scope};
use engine::{DockerEngine, DockerRuntime, EngineAddress, Runtime, Site, TlsMaterial};
use portal::{ClusterAddress, ClusterKind, LocalServer, Portal, Runtimes};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use crate::say;

/// Which container engines servers lead to.
#[derive(Clone, Debug)]
pub enum EngineSource {
    /// Those at the servers' addresses, by [`Drivers`]; Docker on this machine becomes a server by itself.
    Docker,
    /// These alone. None is looked for on this machine.
    Given(Arc<dyn Runtimes>),
}

impl EngineSource {
    pub(crate) fn connections(&self) -> Arc<dyn Runtimes> {
        match self {
            Self::Docker => Arc::new(Drivers),
            Self::Given(engines) => Arc::clone(engines),
        }
    }
}

/// The driver of each kind of cluster. This is the only place that chooses one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drivers;

impl Runtimes for Drivers {
    fn connect(&self, address: &ClusterAddress, site: Arc<dyn Site>) -> engine::Result<Arc<dyn Runtime>> {
        match address.kind {
            ClusterKind::Docker => docker(address, site),
        }
    }
}

fn docker(address: &ClusterAddress, site: Arc<dyn Site>) -> engine::Result<Arc<dyn Runtime>> {
    let tls = address.tls.as_ref().map(|tls| TlsMaterial {
        ca: tls.ca.clone(),
        certificate: tls.certificate.clone(),
        key: tls.key.clone(),
    });
    let engine = DockerEngine::new(EngineAddress::new(&address.endpoint, tls.as_ref())?);
    Ok(Arc::new(DockerRuntime::new(Arc::new(engine), site)))
}

/// Looking for an engine that did not answer yet: it may start after the portal, or be installed later.
static LOOKS: Duty = Duty {
    name: "local-engine",
    title: "寻找本机的容器引擎",
    description: "启动时没有找到本机的容器引擎，每隔一会儿再找一次，找到为止",
    period: Duration::from_secs(10),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Creates a server for this machine once its engine answers. Without one everything but computing works, and a warning
/// is logged; polls for it until the returned handle is dropped.
pub(crate) async fn find_local(
    config: &Config,
    portal: &Portal,
    duties: &Duties,
) -> anyhow::Result<Option<AbortOnDropHandle<()>>> {
    let socket = config.docker_socket().to_owned();
    let root = config.disk_root();
    let root = std::path::absolute(&root).with_context(|| format!("finding {}", root.display()))?;
    let local = LocalServer {
        endpoint: format!("unix://{}", socket.display()),
        public_host: background::host_name(),
        storage_path: root.display().to_string(),
    };
    let Err(error) = UnixStream::connect(&socket).await else {
        tracing::info!(engine.socket = %socket.display(), "local container engine answers");
        keep_local(portal, local, true).await;
        return Ok(None);
    };
    tracing::warn!(engine.socket = %socket.display(), %error, "no local container engine");
    say::line(&format!("没有找到本机的容器引擎（{}）：网盘和管理可以使用，实例要等它启动", socket.display()));
    keep_local(portal, local.clone(), false).await;
    let (portal, attendance, found) = (portal.clone(), duties.attend(&LOOKS, ""), CancellationToken::new());
    Ok(Some(AbortOnDropHandle::new(tokio::spawn(async move {
        while !found.is_cancelled() {
            attendance.pause().await;
            let look = async {
                if UnixStream::connect(&socket).await.is_ok() {
                    tracing::info!(engine.socket = %socket.display(), "local container engine answers");
                    keep_local(&portal, local.clone(), true).await;
                    found.cancel();
                }
                Ok(())
            };
            attendance.run(look).await;
        }
    }))))
}

async fn keep_local(portal: &Portal, local: LocalServer, answers: bool) {
    // For example because an administrator gave another server this name. Everything else still works.
    if let Err(error) = portal.keep_local_server(local, answers).await {
        tracing::error!(%error, "the local server could not be kept");
    }
}
