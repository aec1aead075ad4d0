//! Asks the scheduler for one instance, with the facts of its server and of its owner's quotas. All of it happens under
//! the lock of reservations, in the transaction that writes the outcome.

use std::collections::HashMap;

use db_kit::{Sql, Tx};
use http_kit::ApiResult;
use kernel::{Actor, Timestamp, UserId};

use super::model::Instance;
use super::store;
use crate::features::allocations::{self, Access, Amount, Limit, unless_zero};
use crate::features::gpus::{self, GpuRow, GpuState};
use crate::features::reservations::{
    self, Card, CardState, Cards, Denied, LimitOf, Node, QueuedRequest, Quota, Refusal, ReservationRequest,
};
use crate::features::servers::Server;
use crate::features::{groups, users};

/// What an instance asks for.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) owner: UserId,
    pub(super) cards: Cards,
    /// CPU and memory of the whole instance.
    pub(super) size: (i64, i64),
    /// The increase over what it holds.
    pub(super) adds: Amount,
}

/// A server that takes instances of the actor now.
pub(super) async fn open_server(
    db: &impl Sql,
    actor: &Actor,
    id: &str,
    now: Timestamp,
) -> Result<(Server, Access), Denied> {
    Ok(allocations::usable_server(db, actor, id, now).await??)
}

/// Asks for a part of a server, and returns the cards that are granted. Without `access` no card is allowed, and quotas
/// are left out: the caller grants no additions then.
pub(super) async fn place(
    tx: &Tx,
    server: &Server,
    all: &[GpuRow],
    access: Option<&Access>,
    demand: Demand,
    now: Timestamp,
) -> ApiResult<Result<Vec<String>, Refusal>> {
    let node = node(tx, server, all).await?;
    let quotas = match access {
        Some(access) if demand.adds != Amount::default() => quotas(tx, demand.owner, &server.id, access).await?,
        _ => Vec::new(),
    };
    let allowed = |card: &&GpuRow| access.is_some_and(|access| access.covers(&card.id));
    let request = QueuedRequest {
        user: demand.owner,
        node: server.id.clone(),
        cards: demand.cards,
        allowed: all.iter().filter(allowed).map(|card| card.id.clone()).collect(),
        cpu: demand.size.0,
        memory: demand.size.1,
        adds: demand.adds,
        since: now,
    };
    let outcome = reservations::schedule(&[request], &[node], &quotas, now).pop();
    Ok(outcome.unwrap_or(Err(Refusal::NodeUnknown)).map(|grant| grant.cards))
}

/// Writes down what an instance holds from now on, and leases the cards to it.
pub(super) async fn hold(
    tx: &Tx,
    request: &ReservationRequest,
    one: &Instance,
    cards: &[&GpuRow],
    now: Timestamp,
) -> ApiResult<()> {
    let reservation = reservations::grant(tx, request, (one.cpu_quota, one.memory), now).await?;
    gpus::lease(tx, cards, &one.id, &reservation, one.user, now).await
}

/// The request of an instance that is to hold again what it held before.
pub(super) fn request_of(one: &Instance) -> ReservationRequest {
    ReservationRequest {
        instance: Some((one.id.clone(), one.name.clone())),
        user: one.user,
        server: one.server.clone(),
        cards: Cards::These(one.gpus.clone()),
        cpu: Some(one.cpu_quota),
        memory: Some(one.memory),
    }
}

/// Cards by their ids, in this order.
pub(super) fn cards_of<'a>(all: &'a [GpuRow], ids: &[String]) -> Vec<&'a GpuRow> {
    let by_id: HashMap<&str, &GpuRow> = all.iter().map(|card| (card.id.as_str(), card)).collect();
    ids.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect()
}

async fn node(tx: &Tx, server: &Server, all: &[GpuRow]) -> ApiResult<Node> {
    let leases = gpus::open_leases(tx, Some(&server.id)).await?;
    let card = |card: &GpuRow| Card {
        state: state(card, leases.contains_key(&card.id)),
        id: card.id.clone(),
        position: card.position,
    };
    Ok(Node {
        id: server.id.clone(),
        cpu: server.cpu_for_instances(),
        memory: server.memory_for_instances(),
        memory_held: reservations::held_on(tx, &server.id).await?.memory,
        cards: all.iter().map(card).collect(),
    })
}

fn state(card: &GpuRow, leased: bool) -> CardState {
    match card.state(false) {
        GpuState::Faulty => CardState::Faulty(card.fault.clone()),
        GpuState::Free if leased => CardState::Held,
        GpuState::Free => CardState::Free,
        // Not leased, so a foreign container has it.
        GpuState::Allocated | GpuState::Missing | GpuState::Excluded => CardState::Closed,
    }
}

/// A person's quotas from the narrowest to the widest: their own, on this server, and together with each of their
/// groups.
async fn quotas(db: &impl Sql, user: UserId, server: &str, access: &Access) -> ApiResult<Vec<Quota>> {
    let own = users::quotas_of(db, user).await?;
    let limit = Limit {
        instances: Some(own.instance_limit + own.instance_limit_offset),
        gpus: Some(own.gpu_limit),
        cpu: unless_zero(own.cpu_quota),
        memory: unless_zero(own.memory_limit),
    };
    let held = held_by(db, &[user], None).await?;
    let mut quotas = vec![Quota { of: LimitOf::User, users: vec![user], node: None, limit, held }];
    if access.limit != Limit::default() {
        let held = held_by(db, &[user], Some(server)).await?;
        let (limit, node) = (access.limit, Some(server.to_owned()));
        quotas.push(Quota { of: LimitOf::Allocation, users: vec![user], node, limit, held });
    }
    for group in groups::quotas_around(db, user).await? {
        let limit = Limit {
            instances: unless_zero(group.instance_limit),
            gpus: unless_zero(group.gpu_limit),
            cpu: unless_zero(group.cpu_quota),
            memory: unless_zero(group.memory_limit),
        };
        if limit != Limit::default() {
            let held = held_by(db, &group.members, None).await?;
            quotas.push(Quota { of: LimitOf::Group(group.name), users: group.members, node: None, limit, held });
        }
    }
    Ok(quotas)
}

async fn held_by(db: &impl Sql, people: &[UserId], server: Option<&str>) -> ApiResult<Amount> {
    let held = store::held(db, people, server).await?;
    Ok(Amount { gpus: gpus::count_held(db, people, server).await?, ..held })
}
