//! The identity of a server's engine. Two addresses of one engine would have two reconcilers fight over one set of
//! containers and cards, so each engine is one server, and an endpoint whose engine belongs to another server is not
//! used.

use std::time::Duration;

use db_kit::Tx;
use engine::Capabilities;
use http_kit::{ApiError, ApiResult};

use super::model::Server;
use super::store;
use crate::Portal;
use crate::features::clusters::{self, explain};

/// How long adding a server waits for an engine that may be down.
const PATIENCE: Duration = Duration::from_secs(5);

/// Identifies an engine. Its own ID is not enough: cloned machines share it, and so do engines of one machine.
pub(super) fn of(can: &Capabilities) -> String {
    format!("{}\n{}\n{}", can.id, can.host_name, can.data_root)
}

/// Returns the identity of the engine at the form's endpoint; `None` when it does not answer. Refuses certificates that
/// cannot be used for a connection.
pub(super) async fn asked(portal: &Portal, server: &Server) -> ApiResult<Option<String>> {
    let runtime = portal.clusters().unkept(portal, server)?.map_err(|error| {
        let fault = explain(&error);
        ApiError::field("tls", format!("{}。{}", fault.words, fault.advice))
    })?;
    let answer = tokio::time::timeout(PATIENCE, runtime.node()).await;
    Ok(answer.ok().and_then(Result::ok).as_ref().map(of))
}

/// Refuses a server whose engine already belongs to another server.
pub(super) async fn refuse_known(tx: &Tx, server: &Server) -> ApiResult<()> {
    let Some(identity) = &server.cluster.identity else { return Ok(()) };
    match store::by_identity(tx, identity).await?.filter(|other| other.id != server.id) {
        Some(other) => Err(taken(&other.name)),
        None => Ok(()),
    }
}

/// Claims the engine that answered for this server. If the engine belongs to another server, this one counts as
/// unreachable, and the reason is returned.
pub(crate) async fn claim(portal: &Portal, server: &Server, can: &Capabilities) -> ApiResult<Option<String>> {
    let identity = of(can);
    if server.cluster.identity.as_ref() == Some(&identity) {
        return Ok(None);
    }
    let tx = portal.db().begin().await?;
    tx.serialize("servers").await?;
    let other = store::by_identity(&tx, &identity).await?.filter(|other| other.id != server.id);
    let Some(other) = other else {
        clusters::note_identity(&tx, &server.cluster, Some(&identity)).await?;
        tx.commit().await?;
        return Ok(None);
    };
    let why = format!("地址指向的是服务器“{}”的容器引擎，平台不会在上面操作。请改正地址，或删除其中一台", other.name);
    if server.reachable || server.cluster.misdirected != why {
        tracing::warn!(
            server.id = server.id,
            server.name = server.name,
            other.id = other.id,
            "leads to another server's engine"
        );
        store::note_misdirected(&tx, server, &why).await?;
        tx.commit().await?;
    }
    Ok(Some(why))
}

/// Refuses work on a server whose endpoint leads to another server's engine.
pub(crate) fn refuse_misdirected(server: &Server) -> ApiResult<()> {
    if server.cluster.misdirected.is_empty() {
        return Ok(());
    }
    Err(ApiError::conflict("server_misdirected", format!("服务器 {} 的{}", server.name, server.cluster.misdirected)))
}

fn taken(name: &str) -> ApiError {
    let message = format!("该地址上的容器引擎已作为服务器“{name}”添加，同一个引擎只能添加一次");
    ApiError::conflict("engine_taken", message).on_field("endpoint")
}
