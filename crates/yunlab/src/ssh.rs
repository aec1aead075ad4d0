//! The SSH gateway of this process. A port that is taken is said, and stops nothing else.

use std::net::SocketAddr;

use anyhow::Context;
use portal::Portal;
use ssh_gateway::Gateway;
use tokio::net::TcpListener;

use crate::config::Config;
use crate::say;

/// A gateway that answers.
pub(crate) struct Ssh(Option<Gateway>);

impl Ssh {
    /// Opens the gateway where the configuration wants it, if that is possible.
    pub(crate) async fn open(config: &Config, portal: &Portal) -> Self {
        let Some(address) = config.ssh_listen() else { return Self(None) };
        match listen(address, portal).await {
            Ok(gateway) => Self(Some(gateway)),
            Err(error) => {
                tracing::warn!(ssh.address = %address, error = format!("{error:#}"), "the SSH gateway does not answer");
                say::line(&format!(
                    "注意：不能用 SSH 登录实例，因为不能监听 {address}（{}）。可以用 ssh_listen 换一个地址，或设为 off",
                    error.root_cause()
                ));
                Self(None)
            }
        }
    }

    /// Tells those who are connected, and waits until they are gone.
    pub(crate) async fn stop(&self) {
        if let Some(gateway) = &self.0 {
            gateway.stop().await;
        }
    }
}

async fn listen(address: SocketAddr, portal: &Portal) -> anyhow::Result<Gateway> {
    let key = portal.ssh_host_key().await?;
    let listener = TcpListener::bind(address).await.context("listening for SSH")?;
    let address = listener.local_addr().context("asking for the address")?;
    let gateway = Gateway::new(&key, portal.ssh_lab());
    portal.listens_for_ssh(address.port());
    tracing::info!(ssh.address = %address, ssh.host_key = key.fingerprint(), "SSH listening");
    let serving = gateway.clone();
    tokio::spawn(async move { serving.serve(listener).await });
    Ok(gateway)
}
