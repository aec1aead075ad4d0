//! Has an instance run, and writes down each step that its cluster takes for it before the next one begins.

use std::ops::ControlFlow::{self, Break, Continue};

use async_trait::async_trait;
use engine::{Error, Failure, ImageRef, Stage, Step, Waits, Watch};
use http_kit::ApiResult;

use super::drive::Drive;
use super::{folders, settle, workload};
use crate::features::clusters::{self, PullProgress};
use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};
use crate::features::instances::{changes, store_ports};
use crate::features::{allocations, images};

/// Sets of node ports that are tried before the cluster's refusal is the user's error.
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

/// Starts an instance.
pub(super) async fn run(drive: &Drive<'_>, one: Instance) -> ApiResult<()> {
    carry_out(drive, one, None).await
}

/// Starts an instance that was stopped to be restarted.
pub(super) async fn run_again(drive: &Drive<'_>, one: Instance) -> ApiResult<()> {
    carry_out(drive, one, Some("重启失败")).await
}

/// `what` replaces the name of the step that failed.
async fn carry_out(drive: &Drive<'_>, one: Instance, what: Option<&'static str>) -> ApiResult<()> {
    let mut steps = Steps { drive, one, waits: None, halted: None };
    match bring(&mut steps).await {
        Ok(()) | Err(Halt::Later) => Ok(()),
        Err(Halt::Failed(step, error)) => drive.failed(&steps.one, what.unwrap_or(step), &error).await,
        Err(Halt::Broken(error)) => Err(error),
    }
}

async fn bring(steps: &mut Steps<'_>) -> Result<(), Halt> {
    let drive = steps.drive;
    steps.advance(State::Preparing, |_| {}).await?;
    let image = workload::image(&steps.one).map_err(|error| Halt::Failed("镜像名称不正确", error.into()))?;
    if let Some(root) = drive.portal.disk_root() {
        let made = folders::make(root, &steps.one.mounts).await;
        made.map_err(|error| Halt::Failed("建立网盘文件夹失败", Error::Failed(error.to_string())))?;
    }
    let workload = workload::of(drive.portal, &steps.one, &image).await?;
    let workload = workload.map_err(|error| Halt::Failed("创建容器失败", error))?;
    match drive.runtime.apply(&workload, steps).await {
        Ok(()) => steps.halted.take().map_or(Ok(()), Err),
        Err(failure) => {
            let failure = steps.worded(failure);
            Err(halt(drive, &steps.one, &image, failure).await?)
        }
    }
}

/// What follows from a failure.
async fn halt(drive: &Drive<'_>, one: &Instance, image: &ImageRef, failure: Failure) -> ApiResult<Halt> {
    let Failure { stage, error } = failure;
    Ok(match (stage, error) {
        // The portal chose the ports, so it chooses others; but what ran once has a root to lose, and its user
        // addresses that people wrote down.
        (Stage::Start, Error::PortTaken(words)) if one.started.is_none() && one.attempts < PORT_TRIES => {
            tracing::info!(instance.id = one.id, words, "other ports are tried");
            exchange_ports(drive, one).await?;
            Halt::Later
        }
        (Stage::FetchImage, error) => {
            tracing::warn!(instance.id = one.id, %image, %error, "the image could not be pulled");
            Halt::Failed(in_words(stage), images::told(drive.portal, one.user, image, error).await?)
        }
        (Stage::FindImage, Error::ImageMissing(_)) if one.root_image.is_empty() => {
            let error = Error::Failed("它没有推送到镜像仓库，只有保存它的服务器可以使用".to_owned());
            Halt::Failed("服务器上没有这个镜像", error)
        }
        (Stage::FindImage, error @ Error::ImageMissing(_)) => Halt::Failed("服务器上没有保留的系统盘", error),
        (Stage::Look, error @ Error::NameTaken(_)) => Halt::Failed("容器名称已被其他容器占用", error),
        (stage, error) => Halt::Failed(in_words(stage), error),
    })
}

fn in_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Look => "查看容器失败",
        Stage::StopEarlier => "停止旧容器失败",
        Stage::KeepRoot => "保留系统盘失败",
        Stage::RemoveEarlier => "移除旧容器失败",
        Stage::FindImage => "查看镜像失败",
        Stage::FetchImage => "拉取镜像失败",
        Stage::Isolate => "建立实例网络失败",
        Stage::Make => "创建容器失败",
        Stage::Start => "启动失败",
    }
}

/// Writes the steps down.
struct Steps<'a> {
    drive: &'a Drive<'a>,
    one: Instance,
    /// Why its cluster has no node for it, as it was last shown.
    waits: Option<Waits>,
    /// Why the work was ended at a step.
    halted: Option<Halt>,
}

#[async_trait]
impl Watch for Steps<'_> {
    async fn step(&mut self, step: Step) -> ControlFlow<()> {
        match self.note(step).await {
            Ok(()) => Continue(()),
            Err(halt) => {
                self.halted = Some(halt);
                Break(())
            }
        }
    }

    async fn cancelled(&self) {
        self.drive.cancelled.cancelled().await;
    }
}

impl Steps<'_> {
    /// A failure to find a node, in the words in which the wait for it was shown.
    fn worded(&self, failure: Failure) -> Failure {
        let error = match (&self.waits, failure.error) {
            (Some(waits), Error::Failed(words)) if words == waits.words => Error::Failed(clusters::waiting(waits)),
            (_, error) => error,
        };
        Failure { stage: failure.stage, error }
    }

    async fn note(&mut self, step: Step) -> Result<(), Halt> {
        match step {
            Step::RootKept(kept) => {
                let before = self.one.clone();
                self.one.root_image = kept;
                self.put(&before).await
            }
            Step::Fetching { current, total } => {
                self.drive.worker.note_pull(&self.one.id, PullProgress { current, total });
                Ok(())
            }
            Step::Image { digest, fetched } => self.note_image(digest, fetched).await,
            Step::Made(object) => {
                self.advance(State::Creating, |_| {}).await?;
                self.advance(State::Starting, |one| {
                    one.engine_id = object;
                    one.resize = false;
                })
                .await
            }
            Step::Waiting(waits) => {
                let before = self.one.clone();
                self.one.state_reason = clusters::waiting(&waits);
                self.waits = Some(waits);
                self.put(&before).await
            }
            Step::Running => {
                let now = self.drive.portal.now();
                self.advance(State::Running, |one| {
                    one.desired = Desired::Running;
                    one.started = Some(now);
                })
                .await
            }
        }
    }

    async fn note_image(&mut self, digest: String, fetched: bool) -> Result<(), Halt> {
        let portal = self.drive.portal;
        if fetched && let Ok(image) = workload::image(&self.one) {
            images::note_place(portal, &image, &self.one.server).await?;
        }
        if self.one.root_image.is_empty() && !images::may_use_digest(portal, self.one.user, &digest).await? {
            let error = Error::Failed("镜像不存在，或没有权限使用".to_owned());
            return Err(Halt::Failed("查看镜像失败", error));
        }
        let before = self.one.clone();
        self.one.image_digest = digest;
        // Written down with the next state, unless that was reached before.
        if self.one.state == State::Preparing {
            self.one.step(State::Creating, "");
        }
        self.put(&before).await
    }

    /// Writes the next state down; states behind are passed over.
    async fn advance(&mut self, next: State, change: impl FnOnce(&mut Instance)) -> Result<(), Halt> {
        let order = [State::Queued, State::Preparing, State::Creating, State::Starting, State::Running];
        let place = |state: State| order.iter().position(|other| *other == state);
        if place(self.one.state) > place(next) {
            return Ok(());
        }
        let before = self.one.clone();
        change(&mut self.one);
        if self.one.state != next {
            self.one.step(next, "");
        }
        self.put(&before).await
    }

    async fn put(&mut self, before: &Instance) -> Result<(), Halt> {
        if *before == self.one {
            return Ok(());
        }
        match settle::save(self.drive.portal, before, self.one.clone()).await? {
            Some(saved) => {
                self.one = saved;
                Ok(())
            }
            None => Err(Halt::Later),
        }
    }
}

/// Exchanges the host ports and raises the generation; the next try replaces the container.
async fn exchange_ports(drive: &Drive<'_>, one: &Instance) -> ApiResult<()> {
    let (portal, now) = (drive.portal, drive.portal.now());
    let held = store_ports::of_instances(portal.db(), &[&one.id]).await?;
    let held = held.get(&one.id).map(Vec::as_slice).unwrap_or_default();
    let refused = drive.worker.refuse_ports(held.iter().map(|port| port.host_port));
    let attempts = one.attempts;
    let mut again = one.clone();
    again.step(State::Queued, "端口已被占用，正在更换");
    again.attempts = attempts + 1;
    again.generation += 1;
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    changes::other_ports(&tx, one, &refused, now).await?;
    if changes::put(&tx, one, again, "", now).await?.is_none() {
        return Ok(());
    }
    tx.commit().await?;
    drive.worker.wake.notify_one();
    Ok(())
}
