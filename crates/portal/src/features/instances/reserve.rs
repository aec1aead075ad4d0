//! Creating an instance: quota, cards and ports are reserved in one transaction before the engine is asked for
//! anything, so that of any number of requests for the last card exactly one gets it.

use db_kit::{Sql, Tx};
use engine::{Resources, default_pids, default_shm};
use http_kit::{ApiError, ApiResult, FieldProblem};
use kernel::units::{CPU_PERIOD, GB};
use kernel::{Actor, ErrorKind, Timestamp, UserId};

use super::form::{InstanceForm, PortForm};
use super::model::{Instance, InstanceMount, InstancePort};
use super::state::{Desired, State};
use super::{disabled_owners, ports, store, store_history, store_ports};
use crate::features::allocations::{self, Access, Amount, Limit, unless_zero};
use crate::features::datasets::{Mountable, Mounter};
use crate::features::gpus::{self, GpuRow, GpuState};
use crate::features::servers::{self, Server};
use crate::features::{datasets, disk_space, groups, images, settings, users};
use crate::instance_name::{RANDOM_CHARACTERS, instance_name};

/// Defaults where no share can be computed: servers without cards, or before the engine's first answer.
const DEFAULT_CPU: i64 = 4 * CPU_PERIOD;
const DEFAULT_MEMORY: i64 = 8 * GB;

/// The cards of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    /// Any free cards, this many.
    Any(usize),
    /// These.
    These(&'a [String]),
}

impl<'a> Wanted<'a> {
    pub(super) fn from(count: Option<i64>, cards: Option<&'a [String]>) -> Self {
        match cards {
            Some(cards) => Self::These(cards),
            None => Self::Any(usize::try_from(count.unwrap_or_default()).unwrap_or_default()),
        }
    }
}

/// Reserves everything that the form asks for, and returns the new instance.
pub(super) async fn create(tx: &Tx, actor: &Actor, form: &InstanceForm, now: Timestamp) -> ApiResult<Instance> {
    allocations::hold_reservations(tx).await?;
    disabled_owners::check_active(tx, actor).await?;
    let (server, access) = allocations::usable_server(tx, actor, &form.server, now).await?;
    if !server.storage_path.is_empty() {
        disk_space::refuse_full(tx, actor, actor.id, now).await?;
    }
    images::check_usable(tx, actor, &form.image).await?;
    let all = gpus::of_server(tx, &server.id).await?;
    let cards = choose_cards(tx, &all, &access, Wanted::from(form.gpu_count, form.gpus.as_deref())).await?;
    let (cpu, memory) = share(&server, all.len(), cards.len());
    let (cpu_quota, memory) = (form.cpu_quota.unwrap_or(cpu), form.memory.unwrap_or(memory));
    let shm = form.shm_size.unwrap_or_else(|| i64::try_from(default_shm(memory.unsigned_abs())).unwrap_or(memory));
    if shm > memory {
        return Err(ApiError::field("shmSize", "共享内存不能超过内存"));
    }
    let gpus = i64::try_from(cards.len()).unwrap_or_default();
    let wanted = Amount { instances: 1, gpus, cpu: cpu_quota, memory };
    check_room(tx, &server, (cpu_quota, memory), wanted).await?;
    check_quotas(tx, actor.id, &server.id, &access, wanted).await?;
    let datasets = datasets::mountable(tx, actor, &form.datasets).await?;
    let mut random = [0u8; RANDOM_CHARACTERS];
    getrandom::fill(&mut random).map_err(|error| ApiError::internal(error.to_string()))?;
    let instance = Instance {
        id: uuid::Uuid::now_v7().to_string(),
        name: instance_name(&actor.username, random),
        user: actor.id,
        username: actor.username.clone(),
        image: form.image.clone(),
        image_digest: String::new(),
        note: form.note.trim().to_owned(),
        gpus: cards.iter().map(|card| card.id.clone()).collect(),
        cpu_quota,
        memory,
        shm_size: shm,
        pids_limit: i64::from(default_pids(cards.len())),
        env: form.env.clone(),
        command: form.command.clone(),
        mounts: mounts(tx, actor, &server, &datasets).await?,
        server: server.id.clone(),
        generation: 1,
        root_image: String::new(),
        desired: Desired::Running,
        state: State::Queued,
        state_reason: String::new(),
        engine_id: String::new(),
        missed: 0,
        resize: false,
        attempts: 0,
        retry_at: None,
        created: now,
        changed: now,
        version: 1,
        started: None,
        stop_at: form.stop_at,
        keep_until: None,
        idle_since: None,
        idle_stop_at: None,
        suspended: String::new(),
        frozen_for: None,
        paused: false,
        lifted: None,
        auto_start: form.auto_start.unwrap_or(settings::read(tx).await?.basic.auto_start),
        revived: None,
        revived_before: None,
        reviving: None,
    };
    store::insert(tx, &instance).await?;
    store_history::note(tx, &instance, &actor.username, now).await?;
    images::note_use(tx, &instance.image, &instance.id, &instance.name).await?;
    for dataset in &datasets {
        let by = Mounter { id: &instance.id, name: &instance.name, username: &actor.username };
        datasets::note_use(tx, dataset, by, now).await?;
    }
    gpus::lease(tx, &cards, &instance.id, actor.id, now).await?;
    let ssh = [PortForm::ssh()];
    hold_ports(tx, &server, &instance.id, form.ports.as_deref().unwrap_or(&ssh), &[]).await?;
    Ok(instance)
}

/// Cards that are free and may be used.
pub(super) async fn choose_cards<'c>(
    tx: &Tx,
    all: &'c [GpuRow],
    access: &Access,
    wanted: Wanted<'_>,
) -> ApiResult<Vec<&'c GpuRow>> {
    let leases = gpus::open_leases(tx, None).await?;
    let is_free = |card: &&GpuRow| card.state(leases.contains_key(&card.id)) == GpuState::Free;
    match wanted {
        Wanted::Any(count) => {
            let free: Vec<&GpuRow> = all.iter().filter(is_free).filter(|card| access.covers(&card.id)).collect();
            if free.len() < count {
                let message = format!("空闲显卡不足：需要 {count} 张，现有 {} 张可用", free.len());
                return Err(ApiError::new(ErrorKind::Invalid, "gpu_unavailable", message).on_field("gpuCount"));
            }
            Ok(free.into_iter().take(count).collect())
        }
        Wanted::These(ids) => {
            let mut chosen = Vec::with_capacity(ids.len());
            for id in ids {
                let card = all.iter().find(|card| card.id == *id && access.covers(id));
                let card = card.ok_or_else(|| ApiError::field("gpus", "所选显卡不存在，或没有分配给你"))?;
                if !card.fault.is_empty() {
                    let message = format!("{} 号卡故障（{}），请重新选择", card.position, card.fault);
                    return Err(ApiError::new(ErrorKind::Invalid, "gpu_unavailable", message).on_field("gpus"));
                }
                if !is_free(&card) {
                    let message = format!("{} 号卡已被占用或不可用，请重新选择", card.position);
                    return Err(ApiError::new(ErrorKind::Invalid, "gpu_unavailable", message).on_field("gpus"));
                }
                chosen.push(card);
            }
            Ok(chosen)
        }
    }
}

/// Default CPU and memory: the same share of the server as of its cards.
fn share(server: &Server, cards: usize, wanted: usize) -> (i64, i64) {
    let (cards, wanted) = (i64::try_from(cards).unwrap_or_default(), i64::try_from(wanted).unwrap_or_default());
    let of = |total: Option<i64>, default: i64| match total {
        Some(total) if cards > 0 && wanted > 0 => total / cards * wanted,
        Some(total) => default.min(total),
        None => default,
    };
    (of(server.cpu_for_instances(), DEFAULT_CPU), of(server.memory_for_instances(), DEFAULT_MEMORY))
}

/// Checks that the server has the capacity. `size` is the instance's total CPU and memory, `wanted` the increase over
/// what it holds. CPU is time-shared and may be overcommitted; memory may not.
pub(super) async fn check_room(db: &impl Sql, server: &Server, size: (i64, i64), wanted: Amount) -> ApiResult<()> {
    let held = store::held_on(db, &server.id).await?;
    let machine = Limit { memory: server.memory_for_instances(), ..Limit::default() };
    let mut faults = Vec::new();
    if server.cpu_for_instances().is_some_and(|most| size.0 > most) {
        let most = server.cpu_for_instances().unwrap_or_default() / CPU_PERIOD;
        faults.push(FieldProblem {
            name: "cpuQuota".to_owned(), message: format!("该服务器最多可用 {most} 核")
        });
    }
    faults.extend(machine.exceeded("服务器", held, wanted));
    quota_refusal(faults)
}

/// Resources that a build on a server may use: what no instance holds, but at least a quarter of what instances may
/// have, one core and 1 GB, so that builds proceed on a full server.
///
/// # Errors
/// If the database fails or the server is gone.
pub(crate) async fn left_for_a_build(db: &impl Sql, server: &str) -> ApiResult<Resources> {
    let server = servers::by_id(db, server).await?;
    let held = store::held_on(db, &server.id).await?;
    let left = |all: Option<i64>, default: i64, held: i64, least: i64| {
        let all = all.unwrap_or(default);
        (all - held).max(all / 4).max(least).unsigned_abs()
    };
    Ok(Resources {
        cpu_quota: left(server.cpu_for_instances(), DEFAULT_CPU, held.cpu, CPU_PERIOD),
        memory: left(server.memory_for_instances(), DEFAULT_MEMORY, held.memory, GB),
        // Engines have no such limit for builds.
        pids: 0,
    })
}

/// Checks a person's quota: their own, on this server, and together with each of their groups.
pub(super) async fn check_quotas(
    db: &impl Sql,
    user: UserId,
    server: &str,
    access: &Access,
    wanted: Amount,
) -> ApiResult<()> {
    let own = users::quotas_of(db, user).await?;
    let limit = Limit {
        instances: Some(own.instance_limit + own.instance_limit_offset),
        gpus: Some(own.gpu_limit),
        cpu: unless_zero(own.cpu_quota),
        memory: unless_zero(own.memory_limit),
    };
    let mut faults = limit.exceeded("你的", held_by(db, &[user], None).await?, wanted);
    faults.extend(access.limit.exceeded("该服务器分给你的", held_by(db, &[user], Some(server)).await?, wanted));
    for group in groups::quotas_around(db, user).await? {
        let limit = Limit {
            instances: unless_zero(group.instance_limit),
            gpus: unless_zero(group.gpu_limit),
            cpu: unless_zero(group.cpu_quota),
            memory: unless_zero(group.memory_limit),
        };
        if limit != Limit::default() {
            let held = held_by(db, &group.members, None).await?;
            faults.extend(limit.exceeded(&format!("用户组 {} 的", group.name), held, wanted));
        }
    }
    quota_refusal(faults)
}

async fn held_by(db: &impl Sql, people: &[UserId], server: Option<&str>) -> ApiResult<Amount> {
    let held = store::held(db, people, server).await?;
    Ok(Amount { gpus: gpus::count_held(db, people, server).await?, ..held })
}

fn quota_refusal(faults: Vec<FieldProblem>) -> ApiResult<()> {
    let Some(first) = faults.first() else { return Ok(()) };
    let code = match first.name.as_str() {
        "instances" => "instance_quota_exceeded",
        "gpus" => "gpu_quota_exceeded",
        "cpuQuota" => "cpu_quota_exceeded",
        _ => "memory_quota_exceeded",
    };
    let mut error = ApiError::new(ErrorKind::Invalid, code, first.message.clone());
    for fault in faults {
        error = error.with_field(fault);
    }
    Err(error)
}

/// Reserves host ports of the server's range; `avoid` are those that the engine has just refused.
pub(super) async fn hold_ports(
    tx: &Tx,
    server: &Server,
    instance: &str,
    wanted: &[PortForm],
    avoid: &[i64],
) -> ApiResult<Vec<InstancePort>> {
    let mut taken = store_ports::taken(tx, &server.id).await?;
    taken.extend(avoid);
    let mut held = Vec::with_capacity(wanted.len());
    for port in wanted {
        let host_port = ports::choose(server.port_from, server.port_to, &taken).ok_or_else(|| {
            let message = format!("服务器 {} 的端口已用完，请联系管理员", server.name);
            ApiError::new(ErrorKind::Invalid, "ports_exhausted", message).on_field("ports")
        })?;
        taken.insert(host_port);
        held.push(InstancePort {
            name: port.name.trim().to_owned(),
            container_port: port.container_port,
            host_port,
            protocol: port.protocol,
        });
    }
    store_ports::hold(tx, instance, &server.id, &held).await?;
    Ok(held)
}

/// Mounts of the network disk in an instance: its owner's home, the public share, the folders of the owner's groups.
async fn mounts(
    db: &impl Sql,
    actor: &Actor,
    server: &Server,
    datasets: &[Mountable],
) -> ApiResult<Vec<InstanceMount>> {
    let of_datasets = dataset_mounts(server, datasets)?;
    if server.storage_path.is_empty() {
        return Ok(of_datasets);
    }
    let folder = |source: String| InstanceMount { target: format!("/{source}"), source, read_only: false };
    let mut mounts = vec![folder(format!("home/{}", actor.username)), folder("share".to_owned())];
    let groups = groups::folders_of(db, actor.id).await?;
    mounts.extend(groups.into_iter().map(|group| folder(format!("groups/{}", group.folder))));
    mounts.extend(of_datasets);
    Ok(mounts)
}

/// Datasets are there for reading.
pub(super) fn dataset_mounts(server: &Server, datasets: &[Mountable]) -> ApiResult<Vec<InstanceMount>> {
    if server.storage_path.is_empty() && !datasets.is_empty() {
        return Err(ApiError::field("datasets", format!("服务器 {} 没有网盘，不能使用数据集", server.name)));
    }
    let mount = |one: &Mountable| {
        let source = format!("datasets/{}", one.folder);
        InstanceMount { target: format!("/{source}"), source, read_only: true }
    };
    Ok(datasets.iter().map(mount).collect())
}
