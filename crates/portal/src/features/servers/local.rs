//! The server on the portal's own machine: there from the first start on which its engine answers.

use http_kit::ApiResult;

use super::model::Server;
use super::store;
use crate::Portal;
use crate::features::settings;

/// The portal's own machine as a server.
#[derive(Clone, Debug)]
pub struct LocalServer {
    /// `unix:///path`.
    pub endpoint: String,
    /// Used in the addresses that people connect to, until an administrator says another.
    pub public_host: String,
    /// The disk's root.
    pub storage_path: String,
}

impl Portal {
    /// Makes the local server's record where there is none, and keeps its engine's address and
    /// the disk's root as they are configured.
    ///
    /// # Errors
    /// When the database fails, or another server is called 本机.
    pub async fn add_local_server(&self, local: LocalServer) -> ApiResult<()> {
        let tx = self.db().begin().await?;
        tx.serialize("servers").await?;
        if let Some(mut server) = store::local(&tx).await? {
            server.endpoint = local.endpoint;
            server.storage_path = local.storage_path;
            store::update(&tx, &server).await?;
        } else {
            let mut server = Server::blank(settings::read(&tx).await?.basic.port_range, self.now());
            "本机".clone_into(&mut server.name);
            server.endpoint = local.endpoint;
            server.public_host = local.public_host;
            server.storage_path = local.storage_path;
            server.local = true;
            store::insert(&tx, &server).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
