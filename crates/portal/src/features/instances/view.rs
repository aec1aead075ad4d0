//! Instances as the API shows them.

use std::collections::HashMap;
use std::time::Duration;

use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Timestamp, UserId};
use strum::IntoEnumIterator;

use super::endings::{RELEASE_NOTICE, STOP_NOTICE};
use super::frozen::FreezeReason;
use super::model::{
    Act, Idle, Instance, InstanceAct, InstanceOwner, InstancePort, InstanceRoot, InstanceServer, InstanceView, Notice,
    NoticeKind, PortProtocol, SSH_PORT,
};
use super::policy::Standing;
use super::state::{ENDED_AT_ONCE, State};
use super::{policy, store, store_ports};
use crate::Portal;
use crate::features::allocations::Accesses;
use crate::features::disk_space::{self, LevelRow, SpaceHolder};
use crate::features::gpus::{self, Gpu};
use crate::features::servers::{self, Server, ServerState};
use crate::features::settings;
use crate::features::users;

/// With server, cards and ports: a few further queries for all of them.
pub(super) async fn shown(portal: &Portal, actor: &Actor, found: Vec<Instance>) -> ApiResult<Vec<InstanceView>> {
    let db = portal.db();
    let servers = servers::all(db).await?;
    let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
    let mut ports = store_ports::of_instances(db, &ids).await?;
    let cards = gpus::all(db).await?.into_iter().filter(|card| found.iter().any(|one| one.gpus.contains(&card.id)));
    let occupants = store::occupants(db).await?;
    let cards = gpus::shown(portal, actor, &Accesses::All, cards.collect(), &occupants).await?;
    let cards: HashMap<&str, &Gpu> = cards.iter().map(|card| (card.id.as_str(), card)).collect();
    let holders: Vec<SpaceHolder> = found.iter().map(|one| SpaceHolder::Root(one.id.clone())).collect();
    let limit = settings::read(db).await?.space.root_limit;
    let mut roots: HashMap<SpaceHolder, InstanceRoot> =
        disk_space::levels_of(db, &holders).await?.into_iter().map(|row| root(row, limit)).collect();
    let owners: Vec<UserId> = found.iter().map(|one| one.user).collect();
    let names = users::names_of(db, &owners).await?;
    let views = found.iter().map(|one| {
        let server = servers.iter().find(|server| server.id == one.server);
        let held = ports.remove(&one.id).unwrap_or_default();
        let cards = one.gpus.iter().filter_map(|id| cards.get(id.as_str())).map(|card| (*card).clone());
        let root = roots.remove(&SpaceHolder::Root(one.id.clone()));
        let name = names.get(&one.user).cloned().unwrap_or_default();
        let owner = InstanceOwner { id: one.user, username: one.username.clone(), name };
        InstanceView { root, owner, ..view(portal, actor, one, server, held, cards.collect()) }
    });
    Ok(views.collect())
}

fn root(row: LevelRow, limit: i64) -> (SpaceHolder, InstanceRoot) {
    let used = i64::try_from(row.used).unwrap_or(i64::MAX);
    (row.holder, InstanceRoot { used, limit, counted: row.counted })
}

pub(super) async fn one_shown(portal: &Portal, actor: &Actor, one: Instance) -> ApiResult<InstanceView> {
    shown(portal, actor, vec![one]).await?.pop().ok_or_else(|| ApiError::internal("one instance gives one view"))
}

fn view(
    portal: &Portal,
    actor: &Actor,
    one: &Instance,
    server: Option<&Server>,
    ports: Vec<InstancePort>,
    gpus: Vec<Gpu>,
) -> InstanceView {
    let own = actor.is_admin() || actor.id == one.user;
    let ssh = ports.iter().find(|port| port.container_port == SSH_PORT && port.protocol == PortProtocol::Tcp);
    InstanceView {
        ssh: ssh.zip(server).map(|(port, server)| format!("ssh -p {} root@{}", port.host_port, server.public_host)),
        unreachable: server.is_some_and(|server| server.state() == ServerState::Unreachable),
        server: server.map(|server| InstanceServer {
            id: server.id.clone(),
            name: server.name.clone(),
            public_host: server.public_host.clone(),
            drain_at: server.drain.as_ref().map(|drain| drain.at),
        }),
        pull: (one.state == State::Preparing).then(|| portal.clusters().pulled(&one.server, &one.id)).flatten(),
        notice: notice(one, portal.now()),
        idle: one.idle_since.map(|since| Idle { since, stop_at: one.idle_stop_at }),
        env: own.then(|| one.env.clone()),
        id: one.id.clone(),
        name: one.name.clone(),
        note: one.note.clone(),
        owner: InstanceOwner { id: one.user, username: one.username.clone(), name: String::new() },
        state: one.state,
        acts: acts(actor, one, if own { Standing::Full } else { Standing::Leader }),
        state_reason: one.state_reason.clone(),
        ended_at_once: one.state == State::Stopped && one.state_reason == ENDED_AT_ONCE,
        suspended: one.suspended.clone(),
        frozen: one.frozen_for.as_ref().map(FreezeReason::of),
        root: None,
        desired_state: one.desired,
        image: one.image.clone(),
        image_digest: one.image_digest.clone(),
        gpus,
        cpu_quota: one.cpu_quota,
        memory: one.memory,
        shm_size: one.shm_size,
        pids_limit: one.pids_limit,
        ports,
        mounts: one.mounts.clone(),
        command: one.command.clone(),
        created: one.created,
        started: one.started,
        stop_at: one.stop_at,
        keep_until: one.keep_until,
        auto_start: one.auto_start,
    }
}

fn acts(actor: &Actor, one: &Instance, standing: Standing) -> Vec<InstanceAct> {
    let why = |act| policy::refusal(actor, standing, one, act).map(|refused| refused.message().to_owned());
    Act::iter().map(|act| InstanceAct { act, why: why(act) }).collect()
}

/// What will happen soon by itself.
fn notice(one: &Instance, now: Timestamp) -> Option<Notice> {
    let soon = |at: Option<Timestamp>, before: Duration| at.filter(|at| at.minus(before) <= now);
    match one.state {
        State::Stopped | State::Error => {
            soon(one.keep_until, RELEASE_NOTICE).map(|at| Notice { kind: NoticeKind::Release, at })
        }
        state if state.is_active() => soon(one.stop_at, STOP_NOTICE).map(|at| Notice { kind: NoticeKind::Stop, at }),
        _ => None,
    }
}
