//! Brings an instance to run: image, network, container, start. Each try starts from the engine's actual state, so it
//! can resume at any step.

use std::collections::HashMap;

use engine::{CommitSpec, ContainerRef, Engine, Error, ImageDetail, ImageRef, Inspection, Owner};
use futures_util::StreamExt;
use http_kit::ApiResult;

use super::drive::{Drive, GRACE, container, remove_container};
use super::settle;
use super::{folders, spec};
use crate::features::gpus::{self, GpuRow};
use crate::features::instances::model::{Instance, PullProgress};
use crate::features::instances::network::{self, Place};
use crate::features::instances::state::{Desired, State};
use crate::features::instances::{changes, reserve, store_ports};
use crate::features::{images, servers, settings};

/// Sets of host ports that are tried before the engine's refusal is the user's error.
const PORT_TRIES: i64 = 5;

/// Why it went no further.
enum Halt {
    /// Another action was requested meanwhile, or the step is retried later.
    Later,
    Failed(&'static str, Error),
    Broken(http_kit::ApiError),
}

impl From<http_kit::ApiError> for Halt {
    fn from(error: http_kit::ApiError) -> Self {
        Self::Broken(error)
    }
}

pub(super) async fn run(drive: &Drive<'_>, mut one: Instance) -> ApiResult<()> {
    match steps(drive, &mut one).await {
        Ok(()) | Err(Halt::Later) => Ok(()),
        Err(Halt::Failed(what, error)) => drive.failed(&one, what, &error).await,
        Err(Halt::Broken(error)) => Err(error),
    }
}

async fn steps(drive: &Drive<'_>, one: &mut Instance) -> Result<(), Halt> {
    let Some(name) = container(one) else { return Ok(()) };
    advance(drive, one, State::Preparing, |_| {}).await?;
    let image = image_of(one)?;
    // Mostly there is no container yet and the image is there.
    let (found, known) = tokio::join!(drive.engine.inspect(&name), drive.engine.inspect_image(&image));
    let mut digest = None;
    if !is_made(drive, one, &name, found).await? {
        // A root that was kept just now is an image of its own.
        let other = image_of(one)?;
        let known = if other == image { known } else { drive.engine.inspect_image(&other).await };
        digest = Some(fetch_image(drive, one, &other, known).await?);
    }
    if let Some(digest) = digest {
        let before = one.clone();
        one.image_digest = digest;
        // Written down with the next state, unless that was reached before.
        if one.state == State::Preparing {
            one.step(State::Creating, "");
        }
        put(drive, &before, one).await?;
    }
    advance(drive, one, State::Creating, |_| {}).await?;
    let made = create(drive, one).await?;
    advance(drive, one, State::Starting, |one| {
        one.engine_id = made;
        one.resize = false;
    })
    .await?;
    start(drive, one, &name).await?;
    let now = drive.portal.now();
    advance(drive, one, State::Running, |one| {
        one.desired = Desired::Running;
        one.started = Some(now);
    })
    .await
}

/// Writes the next state down; states behind are passed over.
async fn advance(
    drive: &Drive<'_>,
    one: &mut Instance,
    next: State,
    change: impl FnOnce(&mut Instance),
) -> Result<(), Halt> {
    let order = [State::Queued, State::Preparing, State::Creating, State::Starting, State::Running];
    let place = |state: State| order.iter().position(|other| *other == state);
    if place(one.state) > place(next) {
        return Ok(());
    }
    let before = one.clone();
    change(one);
    if one.state != next {
        one.step(next, "");
    }
    put(drive, &before, one).await
}

async fn put(drive: &Drive<'_>, before: &Instance, one: &mut Instance) -> Result<(), Halt> {
    if before == one {
        return Ok(());
    }
    let saved = settle::save(drive.portal, before, one.clone()).await?;
    *one = saved.ok_or(Halt::Later)?;
    Ok(())
}

/// Whether its container exists in the present generation. A container of an earlier generation is removed; its root is
/// kept as an image, unless it never ran.
async fn is_made(
    drive: &Drive<'_>,
    one: &mut Instance,
    name: &ContainerRef,
    found: engine::Result<Inspection>,
) -> Result<bool, Halt> {
    let found = match found {
        Ok(found) => found,
        Err(Error::NotFound(_)) => return Ok(false),
        Err(error) => return Err(Halt::Failed("查看容器失败", error)),
    };
    let Some(generation) = generation_of(&found, one) else {
        let error = Error::NameTaken(name.to_string());
        return Err(Halt::Failed("容器名称已被其他容器占用", error));
    };
    if generation == one.generation.unsigned_abs() {
        return Ok(true);
    }
    if found.container.state.is_active() {
        let stopped = drive.engine.stop(name, GRACE).await;
        stopped.map_err(|error| Halt::Failed("停止旧容器失败", error))?;
    }
    if one.started.is_some() {
        keep_root(drive, one, name).await?;
    }
    remove_container(drive.engine.as_ref(), name).await.map_err(|error| Halt::Failed("移除旧容器失败", error))?;
    Ok(false)
}

/// `None` when the container is not this instance's.
fn generation_of(found: &Inspection, one: &Instance) -> Option<u64> {
    match &found.container.owner {
        Owner::Portal(mark) if mark.instance == one.id => Some(mark.generation),
        _ => None,
    }
}

async fn keep_root(drive: &Drive<'_>, one: &mut Instance, name: &ContainerRef) -> Result<(), Halt> {
    let invalid = |error: engine::Invalid| Halt::Failed("保留系统盘失败", error.into());
    let image = format!("yunlab-root/{}:g{}", one.id, one.generation);
    let commit = CommitSpec {
        name: image.parse().map_err(invalid)?,
        comment: "root of an instance whose container is made anew".to_owned(),
        author: "yunlab".to_owned(),
    };
    drive.engine.commit(name, &commit).await.map_err(|error| Halt::Failed("保留系统盘失败", error))?;
    let before = one.clone();
    one.root_image = image;
    put(drive, &before, one).await?;
    if !before.root_image.is_empty() && before.root_image != one.root_image {
        forget_root(drive.engine.as_ref(), &before.root_image).await;
    }
    Ok(())
}

/// Removes an image that held a root. The engine refuses while the image is in use; then it stays.
pub(super) async fn forget_root(engine: &dyn Engine, image: &str) {
    let Ok(image) = image.parse::<ImageRef>() else { return };
    if let Err(error) = engine.remove_image(&image).await {
        tracing::debug!(%image, %error, "the image of a former root stays");
    }
}

/// The image of its container.
fn image_of(one: &Instance) -> Result<ImageRef, Halt> {
    let name = if one.root_image.is_empty() { &one.image } else { &one.root_image };
    name.parse().map_err(|error: engine::Invalid| Halt::Failed("镜像名称不正确", error.into()))
}

/// Ensures that the image is on the engine, and returns its digest. `known` is the engine's present answer about it.
async fn fetch_image(
    drive: &Drive<'_>,
    one: &Instance,
    image: &ImageRef,
    known: engine::Result<ImageDetail>,
) -> Result<String, Halt> {
    let detail = match known {
        Ok(detail) => detail,
        Err(Error::ImageMissing(_) | Error::NotFound(_)) if images::is_unpushed(image) => {
            let error = Error::Failed("它没有推送到镜像仓库，只有保存它的服务器可以使用".to_owned());
            return Err(Halt::Failed("服务器上没有这个镜像", error));
        }
        Err(Error::ImageMissing(_) | Error::NotFound(_)) => {
            pull(drive, one, image).await?;
            images::note_place(drive.portal, image, &one.server).await?;
            drive.engine.inspect_image(image).await.map_err(|error| Halt::Failed("查看镜像失败", error))?
        }
        Err(error) => return Err(Halt::Failed("查看镜像失败", error)),
    };
    if one.root_image.is_empty() && !images::may_use_digest(drive.portal, one.user, &detail.image.id).await? {
        let error = Error::Failed("镜像不存在，或没有权限使用".to_owned());
        return Err(Halt::Failed("查看镜像失败", error));
    }
    Ok(detail.image.id)
}

async fn pull(drive: &Drive<'_>, one: &Instance, image: &ImageRef) -> Result<(), Halt> {
    let auth = images::auth_for(drive.portal, image).await?;
    let mut steps = drive.engine.pull(image, auth.as_ref());
    let mut layers: HashMap<String, (u64, u64)> = HashMap::new();
    loop {
        let step = tokio::select! {
            () = drive.cancelled.cancelled() => return Err(Halt::Later),
            step = steps.next() => step,
        };
        let Some(step) = step else { return Ok(()) };
        let step = match step {
            Ok(step) => step,
            Err(error) => {
                tracing::warn!(instance.id = one.id, %image, %error, "the image could not be pulled");
                return Err(Halt::Failed("拉取镜像失败", images::told(drive.portal, one.user, image, error).await?));
            }
        };
        if let (Some(layer), Some(current)) = (step.layer, step.current) {
            layers.insert(layer, (current, step.total.unwrap_or(current)));
            let (current, total) = layers.values().fold((0, 0), |sum, layer| (sum.0 + layer.0, sum.1 + layer.1));
            drive.worker.note_pull(&one.id, PullProgress { current, total });
        }
    }
}

/// Makes the container; its engine's id.
async fn create(drive: &Drive<'_>, one: &Instance) -> Result<String, Halt> {
    let db = drive.portal.db();
    let server = servers::by_id(db, &one.server).await?;
    let known = gpus::of_server(db, &one.server).await?;
    let cards: Vec<GpuRow> = known.into_iter().filter(|card| one.gpus.contains(&card.id)).collect();
    if cards.len() != one.gpus.len() {
        let error = Error::Failed("有显卡已从服务器上移除".to_owned());
        return Err(Halt::Failed("创建容器失败", error));
    }
    let ports = store_ports::of_instances(db, &[&one.id]).await.map_err(http_kit::ApiError::from)?;
    let ports = ports.get(&one.id).map(Vec::as_slice).unwrap_or_default();
    // Held until the container is in the network, which then counts as used.
    let _used = drive.worker.networks.read().await;
    let place = place(drive, one).await?;
    let closed = settings::read(db).await?.network.no_new_privileges;
    let mut spec = spec::container(one, &cards, ports, &server.storage_path)
        .map_err(|error| Halt::Failed("创建容器失败", error.into()))?;
    (spec.network, spec.no_new_privileges) = (place.network(), closed);
    if let Some(root) = drive.portal.disk_root() {
        folders::make(root, &one.mounts).await.map_err(|error| {
            let error = Error::Failed(error.to_string());
            Halt::Failed("建立网盘文件夹失败", error)
        })?;
    }
    let created = drive.engine.create(&spec).await.map_err(|error| Halt::Failed("创建容器失败", error))?;
    for warning in created.warnings {
        tracing::info!(instance.id = one.id, warning, "engine warns");
    }
    if created.adopted {
        let joined = network::join(drive.engine.as_ref(), &spec.name, &place).await;
        joined.map_err(|error| Halt::Failed("加入实例网络失败", error))?;
    }
    if let Place::Own { bridge, .. } = &place {
        network::assert_guard_for(drive.portal, drive.worker, &server, drive.engine.as_ref(), bridge).await?;
    }
    Ok(created.id.to_string())
}

/// Where it is to belong from this start on.
async fn place(drive: &Drive<'_>, one: &Instance) -> Result<Place, Halt> {
    let made = network::ensure(drive.portal, drive.worker, drive.engine.as_ref(), one.user).await?;
    made.map_err(|error| Halt::Failed("建立实例网络失败", error))
}

async fn start(drive: &Drive<'_>, one: &Instance, name: &ContainerRef) -> Result<(), Halt> {
    match drive.engine.start(name).await {
        Ok(()) => Ok(()),
        // The portal chose the ports, so it chooses others; but a container that ran once has a
        // root to lose, and its user addresses that people wrote down.
        Err(Error::PortTaken(words)) if one.started.is_none() && one.attempts < PORT_TRIES => {
            tracing::info!(instance.id = one.id, words, "other ports are tried");
            exchange_ports(drive, one).await?;
            Err(Halt::Later)
        }
        Err(error) => Err(Halt::Failed("启动失败", error)),
    }
}

/// Exchanges the host ports and raises the generation; the next try replaces the container.
async fn exchange_ports(drive: &Drive<'_>, one: &Instance) -> Result<(), Halt> {
    let (portal, now) = (drive.portal, drive.portal.now());
    let held = store_ports::of_instances(portal.db(), &[&one.id]).await.map_err(http_kit::ApiError::from)?;
    let held = held.get(&one.id).map(Vec::as_slice).unwrap_or_default();
    let refused = drive.worker.refuse_ports(held.iter().map(|port| port.host_port));
    let attempts = one.attempts;
    let mut again = one.clone();
    again.step(State::Queued, "端口已被占用，正在更换");
    again.attempts = attempts + 1;
    again.generation += 1;
    let tx = portal.db().begin().await.map_err(http_kit::ApiError::from)?;
    reserve::begin(&tx).await?;
    changes::other_ports(&tx, one, &refused, now).await?;
    if changes::put(&tx, one, again, "", now).await?.is_none() {
        return Ok(());
    }
    tx.commit().await.map_err(http_kit::ApiError::from)?;
    drive.worker.wake.notify_one();
    Ok(())
}
