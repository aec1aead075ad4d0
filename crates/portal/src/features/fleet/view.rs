//! Servers and cards with what runs on them.

use std::collections::HashMap;

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use crate::Portal;
use crate::features::allocations::Accesses;
use crate::features::gpus::{self, Gpu, GpuRow};
use crate::features::instances;
use crate::features::servers::{self, Load, Server, ServerView};

/// Servers with their cards and counts.
pub(super) async fn shown(
    portal: &Portal,
    actor: &Actor,
    accesses: &Accesses,
    servers: Vec<Server>,
) -> ApiResult<Vec<ServerView>> {
    let occupants = instances::occupants(portal.db()).await?;
    let running: HashMap<String, i64> = instances::active_by_server(portal.db()).await?;
    servers::shown(portal, actor, accesses, servers, &Load { occupants, running }).await
}

/// A server, for an administrator.
pub(super) async fn one_shown(portal: &Portal, actor: &Actor, server: Server) -> ApiResult<ServerView> {
    let shown = shown(portal, actor, &Accesses::All, vec![server]).await?.pop();
    shown.ok_or_else(|| ApiError::internal("one server gives one view"))
}

/// Cards with their holders and what computes on them.
pub(super) async fn cards_shown(
    portal: &Portal,
    actor: &Actor,
    accesses: &Accesses,
    cards: Vec<GpuRow>,
) -> ApiResult<Vec<Gpu>> {
    let occupants = instances::occupants(portal.db()).await?;
    gpus::shown(portal, actor, accesses, cards, &occupants).await
}
