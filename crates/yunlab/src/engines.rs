//! The engines that the portal finds: Docker's, and the one on this machine.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use engine::{DockerEngine, Endpoint, Engine, TlsMaterial};
use portal::{EngineAddress, Engines, LocalServer, Portal};

use crate::config::Config;

/// Docker at any address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DockerEngines;

impl Engines for DockerEngines {
    fn connect(&self, address: &EngineAddress) -> engine::Result<Arc<dyn Engine>> {
        let tls = address.tls.as_ref().map(|tls| TlsMaterial {
            ca: tls.ca.clone(),
            certificate: tls.certificate.clone(),
            key: tls.key.clone(),
        });
        Ok(Arc::new(DockerEngine::new(Endpoint::new(&address.endpoint, tls.as_ref())?)))
    }
}

/// Makes a server of this machine when its engine answers. Without one everything but computing
/// works, and the log says so.
pub(crate) async fn find_local(config: &Config, portal: &Portal) -> anyhow::Result<()> {
    let socket = config.docker_socket();
    if let Err(error) = tokio::net::UnixStream::connect(socket).await {
        tracing::warn!(engine.socket = %socket.display(), error = %error, "no local container engine");
        return Ok(());
    }
    tracing::info!(engine.socket = %socket.display(), "local container engine answers");
    let root = config.disk_root();
    let root = std::path::absolute(&root).with_context(|| format!("finding {}", root.display()))?;
    let local = LocalServer {
        endpoint: format!("unix://{}", socket.display()),
        public_host: host_name(),
        storage_path: root.display().to_string(),
    };
    // Such as: an administrator called another server so. Everything else works all the same.
    if let Err(error) = portal.add_local_server(local).await {
        tracing::error!(%error, "the local server could not be added");
    }
    Ok(())
}

/// The name that people in the lab most likely know this machine by.
fn host_name() -> String {
    let name = std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname")).unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".to_owned() } else { name.to_owned() }
}
