//! Servers that the join script set up (`joins`): the same rules as for those that administrators add.

use std::time::Duration;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Secret;

use super::form::{ServerForm, TlsForm};
use super::manage::{add, drafted, fresh};
use super::{identity, store};
use crate::Portal;
use crate::features::clusters::{self, EngineFault, explain};

/// A server to be added, from a join's row.
#[derive(Debug)]
pub(crate) struct JoinedServer {
    pub(crate) name: String,
    /// `tcp://host:port`.
    pub(crate) endpoint: String,
    pub(crate) public_host: String,
    pub(crate) storage_path: String,
    /// Certificate of the authority, the portal's certificate and its key, all PEM; `None` before they exist.
    pub(crate) tls: Option<(String, String, String)>,
}

impl JoinedServer {
    fn form(&self) -> ServerForm {
        let tls = self.tls.as_ref().map(|(ca, cert, key)| TlsForm {
            ca: Secret::new(ca.as_str()),
            cert: Secret::new(cert.as_str()),
            key: Secret::new(key.as_str()),
        });
        ServerForm {
            name: Some(self.name.clone()),
            endpoint: Some(self.endpoint.clone()),
            tls,
            public_host: Some(self.public_host.clone()),
            storage_path: Some(self.storage_path.clone()),
            ..ServerForm::default()
        }
    }
}

/// Validates the server by the rules for servers, before anything is done on its machine.
///
/// # Errors
/// 422 with the fields of a join, 409 when the name is taken.
pub(crate) async fn check_joined(portal: &Portal, tx: &Tx, joined: &JoinedServer) -> ApiResult<()> {
    let form = joined.form();
    let server = drafted(tx, &form, portal.now()).await?;
    let faults: Vec<_> = form.faults(&server, true).into_iter().filter(|fault| fault.name == "name").collect();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    if store::has_name(tx, &server.name).await? {
        return Err(store::name_is_taken());
    }
    if clusters::has_address(tx, &server.cluster.address).await? {
        let message = "已有服务器使用这个地址和端口，不必再添加；要换证书请先移除它";
        return Err(ApiError::conflict("server_known", message).on_field("host"));
    }
    Ok(())
}

/// Connects to the engine with the new certificates. Returns its identity.
///
/// # Errors
/// 409 `join_unreachable`, worded for the person at the machine.
pub(crate) async fn reach_joined(portal: &Portal, joined: &JoinedServer, patience: Duration) -> ApiResult<String> {
    let server = fresh(portal, portal.db(), joined.form()).await.map_err(|faults| faults.refusal(None))?;
    let unreachable = |fault: EngineFault| {
        let message = format!("平台连接 {} 失败：{}。{}", joined.endpoint, fault.words, fault.advice);
        tracing::info!(endpoint = joined.endpoint, error = fault.original, "a joined engine is not reached");
        ApiError::conflict("join_unreachable", message)
    };
    let runtime = portal.clusters().unkept(portal, &server)?.map_err(|error| unreachable(explain(&error)))?;
    match tokio::time::timeout(patience, runtime.node()).await {
        Ok(Ok(can)) => Ok(identity::of(&can)),
        Ok(Err(error)) => Err(unreachable(explain(&error))),
        Err(_) => Err(unreachable(explain(&engine::Error::Unreachable(format!("no answer within {patience:?}"))))),
    }
}

/// Adds it. Returns its id.
///
/// # Errors
/// As adding by hand.
pub(crate) async fn add_joined(portal: &Portal, tx: &Tx, joined: JoinedServer, identity: String) -> ApiResult<String> {
    let server = add(portal, tx, joined.form(), Some(identity)).await.map_err(|faults| faults.refusal(None))?;
    Ok(server.id)
}
