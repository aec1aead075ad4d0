//! Changes that people make to their instances. Each only writes the desired state; the reconciler carries it out and
//! resumes after a crash.

use std::collections::HashSet;

use db_kit::Tx;
use engine::default_pids;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, ErrorKind, Role, Timestamp};
use serde::Deserialize;
use utoipa::ToSchema;

use super::form::{InstanceChange, PortForm};
use super::model::{Instance, InstanceMount};
use super::placing::{self, Demand};
use super::state::{Desired, State};
use super::{disabled_owners, reserve, store, store_history, store_ports};
use crate::features::allocations::{self, Amount};
use crate::features::datasets::Mounter;
use crate::features::reservations::{self, Cards, Denied, Reason, ReservationRequest};
use crate::features::{datasets, disk_space, gpus, groups, servers, users};

/// What is done to the whole of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    Start,
    Stop,
    Restart,
    Release,
}

impl Action {
    /// For the operate log.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Start => "instance.start",
            Self::Stop => "instance.stop",
            Self::Restart => "instance.restart",
            Self::Release => "instance.release",
        }
    }

    const fn verb(self) -> &'static str {
        match self {
            Self::Start => "启动",
            Self::Stop => "停止",
            Self::Restart => "重启",
            Self::Release => "释放",
        }
    }
}

/// The state that begins the action; 409 when it can't be done now.
pub(super) fn first_state(one: &Instance, action: Action) -> ApiResult<State> {
    let state = match action {
        Action::Start => State::Queued,
        Action::Stop => State::Stopping,
        Action::Restart => State::Starting,
        Action::Release => State::Releasing,
    };
    if fits(one, action) && one.state.may_become(state) {
        return Ok(state);
    }
    Err(ApiError::conflict("instance_state", format!("实例{}，不能{}", one.state, action.verb())))
}

/// Whether a person may request the action: the transition table also has steps that only the reconciler takes.
fn fits(one: &Instance, action: Action) -> bool {
    match action {
        Action::Restart => one.state == State::Running,
        Action::Start => matches!(one.state, State::Stopped | State::Error),
        Action::Stop | Action::Release => true,
    }
}

/// Writes down that the action is wanted. `by` is empty when the portal itself requests it, for `reason`.
pub(super) async fn act(
    tx: &Tx,
    before: &Instance,
    action: Action,
    by: &str,
    reason: &str,
    now: Timestamp,
) -> ApiResult<Instance> {
    let mut one = before.clone();
    one.step(first_state(before, action)?, reason);
    one.desired = match action {
        Action::Start => Desired::Running,
        Action::Stop => Desired::Stopped,
        Action::Restart => Desired::Restarted,
        Action::Release => Desired::Released,
    };
    if action == Action::Start {
        one.keep_until = None;
        one.stop_at = one.stop_at.filter(|stop| *stop > now);
    }
    if matches!(action, Action::Start | Action::Restart) && leave_groups(tx, &mut one).await? {
        // Its running container has the folder: another is made in its place, as at a start.
        one.desired = Desired::Running;
    }
    put(tx, before, one, by, now).await?.ok_or_else(changed_meanwhile)
}

/// Drops the folders of groups that the owner left since the container was made. The container is then recreated from
/// its kept root. Returns whether there was such a folder.
pub(super) async fn leave_groups(tx: &Tx, one: &mut Instance) -> ApiResult<bool> {
    let groups = groups::folders_of(tx, one.user).await?;
    let left = |mount: &InstanceMount| {
        let folder = mount.source.strip_prefix("groups/");
        folder.is_some_and(|folder| !groups.iter().any(|group| group.folder == folder))
    };
    let folders: Vec<&str> = one.mounts.iter().filter(|mount| left(mount)).map(|mount| mount.target.as_str()).collect();
    if folders.is_empty() {
        return Ok(false);
    }
    one.state_reason = format!("已不在用户组中，不再有文件夹 {}", folders.join("、"));
    one.mounts.retain(|mount| !left(mount));
    one.generation += 1;
    Ok(true)
}

/// Reserves cards, CPU and memory again for a stopped instance that is to start.
pub(super) async fn reserve_again(tx: &Tx, actor: &Actor, one: &Instance, now: Timestamp) -> Result<(), Denied> {
    allocations::hold_reservations(tx).await?;
    disabled_owners::check_active(tx, actor).await?;
    let (server, access) = placing::open_server(tx, actor, &one.server, now).await?;
    if !one.mounts.is_empty() {
        disk_space::refuse_full(tx, actor, one.user, now).await?;
    }
    check_datasets(tx, actor, one, "可以先修改实例去掉它，再启动").await?;
    let all = gpus::of_server(tx, &one.server).await?;
    let request = placing::request_of(one);
    let gpus = i64::try_from(one.gpus.len()).unwrap_or_default();
    let adds = Amount { instances: 0, gpus, cpu: one.cpu_quota, memory: one.memory };
    let demand = Demand { owner: one.user, cards: request.cards.clone(), size: (one.cpu_quota, one.memory), adds };
    let cards = placing::place(tx, &server, &all, Some(&access), demand, now).await?.map_err(|refusal| {
        let about_cards = refusal.is_about_cards();
        let denied = Denied::from(refusal);
        if about_cards { denied.worded(|error| other_cards(&error)) } else { denied }
    })?;
    Ok(placing::hold(tx, &request, one, &placing::cards_of(&all, &cards), now).await?)
}

/// The instance's cards can't be leased to it again.
fn other_cards(error: &ApiError) -> ApiError {
    let message = format!("{}。可以先更换显卡再启动", error.message().trim_end_matches("，请重新选择"));
    ApiError::new(ErrorKind::Invalid, "gpu_unavailable", message).on_field("gpus")
}

/// The request of a change, where the instance keeps the rest.
pub(super) fn request_of(one: &Instance, form: &InstanceChange) -> ReservationRequest {
    let old = placing::request_of(one);
    let cards = match (&form.gpus, form.gpu_count) {
        (None, None) => old.cards,
        (cards, count) => Cards::from(count, cards.as_deref()),
    };
    ReservationRequest { cards, cpu: form.cpu_quota.or(old.cpu), memory: form.memory.or(old.memory), ..old }
}

/// Applies the form, with the quota checks of a new instance.
pub(super) async fn change(
    tx: &Tx,
    actor: &Actor,
    before: &Instance,
    form: &InstanceChange,
    now: Timestamp,
) -> Result<Instance, Denied> {
    let mut one = before.clone();
    if let Some(note) = &form.note {
        note.trim().clone_into(&mut one.note);
    }
    one.auto_start = form.auto_start.unwrap_or(one.auto_start);
    if form.cpu_quota.is_some() || form.memory.is_some() {
        resize(tx, actor, &mut one, form, now).await?;
    }
    if form.needs_new_container() {
        rebuild(tx, actor, &mut one, form, now).await?;
    }
    Ok(put(tx, before, one, &actor.username, now).await?.ok_or_else(changed_meanwhile)?)
}

async fn resize(
    tx: &Tx,
    actor: &Actor,
    one: &mut Instance,
    form: &InstanceChange,
    now: Timestamp,
) -> Result<(), Denied> {
    if !matches!(one.state, State::Running | State::Stopped) {
        return Err(ApiError::conflict("instance_state", format!("实例{}，不能调整 CPU 和内存", one.state)).into());
    }
    allocations::hold_reservations(tx).await?;
    let (cpu, memory) = (form.cpu_quota.unwrap_or(one.cpu_quota), form.memory.unwrap_or(one.memory));
    if memory < one.shm_size {
        return Err(ApiError::field("memory", "内存不能小于共享内存").into());
    }
    let more = Amount { cpu: (cpu - one.cpu_quota).max(0), memory: (memory - one.memory).max(0), ..Amount::default() };
    let access = allocations::accesses_of(tx, actor, now).await?.of(&one.server);
    let server = servers::by_id(tx, &one.server).await?;
    // A stopped instance holds none; the room is checked when it starts.
    let more = if one.state.is_active() { more } else { Amount::default() };
    let demand = Demand { owner: one.user, cards: Cards::Any(0), size: (cpu, memory), adds: more };
    placing::place(tx, &server, &[], access.as_ref(), demand, now).await??;
    if access.is_none() && more != Amount::default() {
        let error = ApiError::field("cpuQuota", "该服务器已不再分配给你，不能增加资源");
        return Err(Denied::new(Reason::ServerUnknown, error));
    }
    (one.cpu_quota, one.memory, one.resize) = (cpu, memory, true);
    if one.state.is_active() {
        reservations::resize(tx, &one.id, (cpu, memory)).await?;
    }
    Ok(())
}

/// Other cards, ports or another command: the container is recreated at the next start, from its kept root.
async fn rebuild(
    tx: &Tx,
    actor: &Actor,
    one: &mut Instance,
    form: &InstanceChange,
    now: Timestamp,
) -> Result<(), Denied> {
    if one.state != State::Stopped {
        let message = format!("实例{}，更换显卡、端口或命令前请先停止", one.state);
        return Err(ApiError::conflict("instance_state", message).into());
    }
    allocations::hold_reservations(tx).await?;
    let (server, access) = placing::open_server(tx, actor, &one.server, now).await?;
    if form.gpu_count.is_some() || form.gpus.is_some() {
        let all = gpus::of_server(tx, &one.server).await?;
        // They are chosen, and reserved at the next start.
        let cards = Cards::from(form.gpu_count, form.gpus.as_deref());
        let demand = Demand { owner: one.user, cards, size: (0, 0), adds: Amount::default() };
        one.gpus = placing::place(tx, &server, &all, Some(&access), demand, now).await??;
        one.pids_limit = i64::from(default_pids(one.gpus.len()));
    }
    if let Some(ports) = &form.ports {
        exchange_ports(tx, &server, one, ports, now).await?;
    }
    if let Some(folders) = &form.datasets {
        exchange_datasets(tx, actor, &server, one, folders, now).await?;
    }
    if let Some(command) = &form.command {
        one.command.clone_from(command);
    }
    one.generation += 1;
    Ok(())
}

async fn exchange_datasets(
    tx: &Tx,
    actor: &Actor,
    server: &servers::Server,
    one: &mut Instance,
    folders: &[String],
    now: Timestamp,
) -> ApiResult<()> {
    let datasets = datasets::mountable(tx, actor, folders).await?;
    one.mounts.retain(|mount| mount.dataset().is_none());
    one.mounts.extend(reserve::dataset_mounts(server, &datasets)?);
    datasets::forget_uses(tx, &one.id).await?;
    for dataset in &datasets {
        let by = Mounter { id: &one.id, name: &one.name, username: &one.username };
        datasets::note_use(tx, dataset, by, now).await?;
    }
    Ok(())
}

/// Refuses the start when the owner may no longer use one of the datasets: the container would still have it. The
/// dataset stays in the instance's row, since access may return.
pub(super) async fn check_datasets(tx: &Tx, actor: &Actor, one: &Instance, advice: &str) -> ApiResult<()> {
    let owner = if actor.id == one.user {
        actor.clone()
    } else {
        let admin = users::administrator_name(tx, one.user).await?.is_some();
        let role = if admin { Role::Admin } else { Role::User };
        Actor { id: one.user, username: one.username.clone(), role, ..actor.clone() }
    };
    let mut lost = Vec::new();
    for folder in one.dataset_folders() {
        match datasets::mountable(tx, &owner, &[folder.to_owned()]).await {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Invalid => lost.push(folder),
            Err(error) => return Err(error),
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    let message = format!("数据集 {} 已不存在或没有权限使用。{advice}", lost.join("、"));
    Err(ApiError::new(ErrorKind::Invalid, "datasets_unavailable", message).on_field("datasets"))
}

/// Ports that stay keep their host port.
async fn exchange_ports(
    tx: &Tx,
    server: &servers::Server,
    one: &Instance,
    wanted: &[PortForm],
    now: Timestamp,
) -> Result<(), Denied> {
    let held = store_ports::of_instances(tx, &[&one.id]).await?.remove(&one.id).unwrap_or_default();
    store_ports::give_back(tx, &one.id, now).await?;
    let mut fresh = Vec::new();
    let mut kept = Vec::new();
    for port in wanted {
        match held.iter().find(|old| (old.container_port, old.protocol) == (port.container_port, port.protocol)) {
            Some(old) => {
                let mut old = old.clone();
                port.name.trim().clone_into(&mut old.name);
                kept.push(old);
            }
            None => fresh.push(port.clone()),
        }
    }
    store_ports::hold(tx, &one.id, &server.id, &kept).await?;
    reserve::hold_ports(tx, server, &one.id, &fresh, &[]).await?;
    Ok(())
}

/// Exchanges all host ports of an instance because the engine refused one of them.
pub(super) async fn other_ports(tx: &Tx, one: &Instance, refused: &HashSet<i64>, now: Timestamp) -> ApiResult<()> {
    let server = servers::by_id(tx, &one.server).await?;
    let held = store_ports::of_instances(tx, &[&one.id]).await?.remove(&one.id).unwrap_or_default();
    store_ports::give_back(tx, &one.id, now).await?;
    let wanted: Vec<PortForm> = held
        .iter()
        .map(|port| PortForm { container_port: port.container_port, protocol: port.protocol, name: port.name.clone() })
        .collect();
    let avoid: Vec<i64> = refused.iter().copied().collect();
    reserve::hold_ports(tx, &server, &one.id, &wanted, &avoid).await?;
    Ok(())
}

/// Replaces the version of the instance that was read before, and adds a new state to its history. `None` when the row
/// was changed in between.
pub(super) async fn put(
    tx: &Tx,
    before: &Instance,
    mut one: Instance,
    by: &str,
    now: Timestamp,
) -> ApiResult<Option<Instance>> {
    one.changed = now;
    one.version = before.version + 1;
    if !store::save(tx, &one).await? {
        return Ok(None);
    }
    if (before.state, &before.state_reason) != (one.state, &one.state_reason) {
        store_history::note(tx, &one, by, now).await?;
    }
    Ok(Some(one))
}

/// Whether an action failed because a concurrent change came first.
pub(super) fn is_outrun(error: &ApiError) -> bool {
    matches!(error.kind(), ErrorKind::Conflict | ErrorKind::NotFound)
}

pub(super) fn changed_meanwhile() -> ApiError {
    ApiError::conflict("instance_changed", "实例的状态刚刚变化，请刷新后再试")
}
