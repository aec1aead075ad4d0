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
    /// Host name in the addresses that people connect to, until an administrator sets another.
    pub public_host: String,
    /// The disk's root.
    pub storage_path: String,
}

impl Portal {
    /// Updates the local server's endpoint and storage path to the configured ones, since the database may come from
    /// another installation. Creates the server if it is missing and its engine `answers`.
    ///
    /// # Errors
    /// When the database fails, or another server is called 本机.
    pub async fn keep_local_server(&self, local: LocalServer, answers: bool) -> ApiResult<()> {
        let tx = self.db().begin().await?;
        tx.serialize("servers").await?;
        if let Some(mut server) = store::local(&tx).await? {
            if server.cluster.address != local.endpoint {
                server.cluster.identity = None;
            }
            server.cluster.address = local.endpoint;
            server.storage_path = local.storage_path;
            store::update(&tx, &server).await?;
        } else if answers {
            let mut server = Server::blank(settings::read(&tx).await?.basic.port_range, self.now());
            "本机".clone_into(&mut server.name);
            server.cluster.address = local.endpoint;
            server.public_host = local.public_host;
            server.storage_path = local.storage_path;
            server.local = true;
            store::insert(&tx, &server).await?;
        }
        tx.commit().await?;
        self.servers_changed();
        Ok(())
    }
}
