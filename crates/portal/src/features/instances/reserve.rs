//! Creating an instance: quota, cards and ports are reserved in one transaction before the engine is asked for
//! anything, so that of any number of requests for the last card exactly one gets it.

use db_kit::{Sql, Tx};
use engine::{Resources, default_pids, default_shm};
use http_kit::{ApiError, ApiResult};
use kernel::units::{CPU_PERIOD, GB};
use kernel::{Actor, ErrorKind, Timestamp};

use super::form::{InstanceForm, PortForm};
use super::model::{Instance, InstanceMount, InstancePort};
use super::placing::{self, Demand};
use super::state::{Desired, State};
use super::{disabled_owners, ports, store, store_history, store_ports};
use crate::features::allocations::{self, Amount};
use crate::features::datasets::{Mountable, Mounter};
use crate::features::reservations::{self, Cards, Denied, Reason, ReservationRequest};
use crate::features::servers::{self, Server};
use crate::features::{datasets, disk_space, gpus, groups, images, settings};
use crate::instance_name::{RANDOM_CHARACTERS, instance_name};

/// Defaults where no share can be computed: servers without cards, or before the engine's first answer.
const DEFAULT_CPU: i64 = 4 * CPU_PERIOD;
const DEFAULT_MEMORY: i64 = 8 * GB;

/// Reserves everything that the form asks for, and returns the new instance.
pub(super) async fn create(tx: &Tx, actor: &Actor, form: &InstanceForm, now: Timestamp) -> Result<Instance, Denied> {
    allocations::hold_reservations(tx).await?;
    disabled_owners::check_active(tx, actor).await?;
    let (server, access) = placing::open_server(tx, actor, &form.server, now).await?;
    if !server.storage_path.is_empty() {
        disk_space::refuse_full(tx, actor, actor.id, now).await?;
    }
    images::check_usable(tx, actor, &form.image).await?;
    let all = gpus::of_server(tx, &server.id).await?;
    let request = request_of(actor, form);
    let count = request.cards.count();
    let (cpu, memory) = share(&server, all.len(), count);
    let (cpu_quota, memory) = (form.cpu_quota.unwrap_or(cpu), form.memory.unwrap_or(memory));
    let shm = form.shm_size.unwrap_or_else(|| i64::try_from(default_shm(memory.unsigned_abs())).unwrap_or(memory));
    let gpus = i64::try_from(count).unwrap_or_default();
    let adds = Amount { instances: 1, gpus, cpu: cpu_quota, memory };
    let demand = Demand { owner: actor.id, cards: request.cards.clone(), size: (cpu_quota, memory), adds };
    let cards = match placing::place(tx, &server, &all, Some(&access), demand, now).await? {
        Err(refusal) if refusal.is_about_cards() => return Err(refusal.into()),
        _ if shm > memory => return Err(ApiError::field("shmSize", "共享内存不能超过内存").into()),
        placed => placed?,
    };
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
        gpus: cards,
        cpu_quota,
        memory,
        shm_size: shm,
        pids_limit: i64::from(default_pids(count)),
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
    let request = ReservationRequest { instance: Some((instance.id.clone(), instance.name.clone())), ..request };
    placing::hold(tx, &request, &instance, &placing::cards_of(&all, &instance.gpus), now).await?;
    let ssh = [PortForm::ssh()];
    hold_ports(tx, &server, &instance.id, form.ports.as_deref().unwrap_or(&ssh), &[]).await?;
    Ok(instance)
}

/// The request of a form, before there is an instance.
pub(super) fn request_of(actor: &Actor, form: &InstanceForm) -> ReservationRequest {
    ReservationRequest {
        instance: None,
        user: actor.id,
        server: form.server.clone(),
        cards: Cards::from(form.gpu_count, form.gpus.as_deref()),
        cpu: form.cpu_quota,
        memory: form.memory,
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

/// Resources that a build on a server may use: what no instance holds, but at least a quarter of what instances may
/// have, one core and 1 GB, so that builds proceed on a full server.
///
/// # Errors
/// If the database fails or the server is gone.
pub(crate) async fn left_for_a_build(db: &impl Sql, server: &str) -> ApiResult<Resources> {
    let server = servers::by_id(db, server).await?;
    let held = reservations::held_on(db, &server.id).await?;
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

/// Reserves host ports of the server's range; `avoid` are those that the engine has just refused.
pub(super) async fn hold_ports(
    tx: &Tx,
    server: &Server,
    instance: &str,
    wanted: &[PortForm],
    avoid: &[i64],
) -> Result<Vec<InstancePort>, Denied> {
    let mut taken = store_ports::taken(tx, &server.id).await?;
    taken.extend(avoid);
    let mut held = Vec::with_capacity(wanted.len());
    for port in wanted {
        let host_port = ports::choose(server.port_from, server.port_to, &taken).ok_or_else(|| {
            let message = format!("服务器 {} 的端口已用完，请联系管理员", server.name);
            let error = ApiError::new(ErrorKind::Invalid, "ports_exhausted", message).on_field("ports");
            Denied::new(Reason::PortsExhausted, error)
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
