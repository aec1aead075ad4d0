//! Carries out an instance's next action at the engine. Every step is written down before the next begins and is
//! idempotent, so the work resumes after a crash.

use std::sync::Arc;
use std::time::Duration;

use engine::{ContainerRef, EndCause, Engine, Error, Exit};
use http_kit::ApiResult;
use tokio_util::sync::CancellationToken;

use super::next::Work;
use super::revive;
use super::settle;
use super::worker::Worker;
use super::{bring, spec};
use crate::Portal;
use crate::features::clusters::{self, EngineFault};
use crate::features::instances::model::Instance;
use crate::features::instances::name::container_name;
use crate::features::instances::network::{self, Place};
use crate::features::instances::state::{Desired, ENDED_AT_ONCE, State};
use crate::features::instances::store;
use crate::features::servers;

/// Time for processes to exit after the stop signal.
pub(super) const GRACE: Duration = Duration::from_secs(30);
/// A released instance loses its root anyway.
const RELEASE_GRACE: Duration = Duration::from_secs(5);
/// The wait before a failed step is tried again grows with each try up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Interval between two looks at an instance that may have ended with its engine, and their maximum number.
const UNCLEAR_FOR: Duration = Duration::from_secs(5);
const UNCLEAR_TRIES: i64 = 6;
/// A machine that was just started may not have its cards and networks ready yet.
const REVIVE_TRIES: i64 = 4;

/// The context of work on one instance.
pub(super) struct Drive<'a> {
    pub(super) portal: &'a Portal,
    pub(super) worker: &'a Worker,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) cancelled: CancellationToken,
}

impl Drive<'_> {
    /// Does the work, unless the instance's state or generation changed since it was decided.
    pub(super) async fn run(&self, seen: &Instance, work: Work) -> ApiResult<()> {
        let one = store::by_id(self.portal.db(), &seen.id).await?;
        if (one.state, one.desired, one.generation) != (seen.state, seen.desired, seen.generation) {
            return Ok(());
        }
        match work {
            Work::Bring if !revive::is_ready(self, &one).await? => Ok(()),
            Work::Bring => bring::run(self, one).await,
            Work::Restart => self.restart(&one).await,
            Work::Stop => self.stop(&one).await,
            Work::Remove => self.remove(&one).await,
            Work::Resize => self.resize(&one).await,
            Work::Pause => self.freeze(&one, true).await,
            Work::Resume => self.freeze(&one, false).await,
            Work::Autopsy => self.autopsy(&one).await,
        }
    }

    async fn restart(&self, one: &Instance) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        match self.start_again(one, &name).await? {
            Ok(()) => {
                let mut running = one.clone();
                running.step(State::Running, "");
                running.desired = Desired::Running;
                running.started = Some(self.portal.now());
                settle::save(self.portal, one, running).await?;
                Ok(())
            }
            Err(error) => self.failed(one, "重启失败", &error).await,
        }
    }

    /// Restarts it; a container in an older network is moved to its owner's network in between.
    async fn start_again(&self, one: &Instance, name: &ContainerRef) -> ApiResult<engine::Result<()>> {
        let engine = self.engine.as_ref();
        let found = match engine.inspect(name).await {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        match network::ensure(self.portal, self.worker, engine, one.user).await? {
            Ok(place) if network::fits(&found, &place) => return Ok(engine.restart(name, GRACE).await),
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
        if let Err(error) = engine.stop(name, GRACE).await {
            return Ok(Err(error));
        }
        let _used = self.worker.networks.read().await;
        let joined = match network::ensure(self.portal, self.worker, engine, one.user).await? {
            Ok(place) => {
                if let Place::Own { bridge, .. } = &place {
                    let server = servers::by_id(self.portal.db(), &one.server).await?;
                    network::assert_guard_for(self.portal, self.worker, &server, engine, bridge).await?;
                }
                network::join(engine, name, &place).await
            }
            Err(error) => Err(error),
        };
        match joined {
            Ok(()) => Ok(engine.start(name).await),
            Err(error) => Ok(Err(error)),
        }
    }

    async fn stop(&self, one: &Instance) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        match self.engine.stop(&name, GRACE).await {
            Ok(()) => {
                settle::stand(self.portal, one, State::Stopped, &one.state_reason).await?;
                Ok(())
            }
            // It was stopped before it had a container.
            Err(Error::NotFound(_)) if one.engine_id.is_empty() => {
                settle::stand(self.portal, one, State::Stopped, &one.state_reason).await?;
                Ok(())
            }
            Err(Error::NotFound(_)) => {
                settle::stand(self.portal, one, State::Error, GONE).await?;
                Ok(())
            }
            Err(error) => self.retry(one, "停止失败，将继续重试", &error).await,
        }
    }

    async fn remove(&self, one: &Instance) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        if let Err(error) = remove_container(self.engine.as_ref(), &name).await {
            return self.retry(one, "释放失败，将继续重试", &error).await;
        }
        let root_image = one.root_image.clone();
        let mut released = one.clone();
        released.step(State::Released, &one.state_reason);
        let settled = settle::save(self.portal, one, released).await?;
        if settled.is_some() && !root_image.is_empty() {
            bring::forget_root(self.engine.as_ref(), &root_image).await;
        }
        Ok(())
    }

    async fn resize(&self, one: &Instance) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        let mut resized = one.clone();
        match self.engine.update(&name, &spec::resources(one)).await {
            Ok(()) => {
                resized.resize = false;
                resized.attempts = 0;
                resized.retry_at = None;
                settle::save(self.portal, one, resized).await?;
                Ok(())
            }
            Err(error) => self.retry(one, "调整配置失败，将继续重试", &error).await,
        }
    }

    async fn freeze(&self, one: &Instance, freeze: bool) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        let done = if freeze { self.engine.pause(&name).await } else { self.engine.resume(&name).await };
        if let Err(error) = done {
            let what = if freeze { "暂停失败，将继续重试" } else { "解除暂停失败，将继续重试" };
            return self.retry(one, what, &error).await;
        }
        let mut frozen = one.clone();
        frozen.paused = freeze;
        frozen.attempts = 0;
        frozen.retry_at = None;
        settle::save(self.portal, one, frozen).await?;
        Ok(())
    }

    /// Finds out why an instance does not run although its stop was not requested.
    async fn autopsy(&self, one: &Instance) -> ApiResult<()> {
        let Some(name) = container(one) else { return Ok(()) };
        match self.engine.inspect(&name).await {
            Ok(found) if found.container.state.is_active() => Ok(()),
            Ok(found) => {
                if let Some(exit) = &found.exit {
                    match self.cause(exit).await {
                        Ok(EndCause::Own) => {}
                        Ok(EndCause::Restart) => return revive::after_restart(self, one, exit).await,
                        Ok(EndCause::Unclear) if one.attempts < UNCLEAR_TRIES => return self.look_later(one).await,
                        Ok(EndCause::Unclear) => {}
                        Err(Error::Unreachable(_)) => return Ok(()),
                        Err(error) => tracing::warn!(instance.id = one.id, %error, "why it ended can't be told"),
                    }
                }
                let reason = match found.exit {
                    Some(exit) if exit.out_of_memory => "内存用尽，程序被系统终止".to_owned(),
                    Some(exit) if !exit.error.is_empty() => format!("程序已退出：{}", exit.error),
                    Some(exit) if exit.code == 0 && self.has_just_started(one) => ENDED_AT_ONCE.to_owned(),
                    Some(exit) => format!("程序已退出，退出码 {}{}", exit.code, clusters::likely_cause(&exit)),
                    None => "程序已退出".to_owned(),
                };
                settle::stand(self.portal, one, State::Stopped, &reason).await?;
                Ok(())
            }
            // The next complete lists decide whether it is gone.
            Err(Error::NotFound(_)) => Ok(()),
            Err(error) => self.retry(one, "查看容器失败", &error).await,
        }
    }

    fn has_just_started(&self, one: &Instance) -> bool {
        one.state == State::Starting || one.started.is_none_or(|at| self.portal.now() < at.plus(AT_ONCE))
    }

    /// Why its program ended.
    async fn cause(&self, exit: &Exit) -> engine::Result<EndCause> {
        match exit.finished {
            Some(finished) => Ok(self.engine.end_witness(finished).await?.cause(exit)),
            None => Ok(EndCause::Own),
        }
    }

    /// Looks again later. Every container on the machine ended: whether that is a restart shows when the engine goes
    /// away, or when the portal's own container runs again.
    async fn look_later(&self, one: &Instance) -> ApiResult<()> {
        let mut later = one.clone();
        later.attempts += 1;
        later.retry_at = Some(self.portal.now().plus(UNCLEAR_FOR));
        settle::save(self.portal, one, later).await?;
        Ok(())
    }

    /// Marks a step as failed, unless the engine is unreachable, which says nothing about the step.
    pub(super) async fn failed(&self, one: &Instance, what: &str, error: &Error) -> ApiResult<()> {
        if matches!(error, Error::Unreachable(_)) {
            return Ok(());
        }
        if let Some(name) = container(one)
            && let Ok(found) = self.engine.inspect(&name).await
            && found.container.state.is_active()
        {
            return self.retry(one, what, error).await;
        }
        if one.reviving.is_some() && one.attempts < REVIVE_TRIES {
            return self.retry(one, what, error).await;
        }
        tracing::warn!(instance.id = one.id, %error, what, "instance failed");
        settle::stand(self.portal, one, State::Error, &said(what, error)).await?;
        Ok(())
    }

    /// A step failed and is tried again after a while.
    async fn retry(&self, one: &Instance, what: &str, error: &Error) -> ApiResult<()> {
        if matches!(error, Error::Unreachable(_)) {
            return Ok(());
        }
        tracing::warn!(instance.id = one.id, %error, what, "will be tried again");
        let mut again = one.clone();
        again.attempts += 1;
        let wait = Duration::from_secs(5 * again.attempts.unsigned_abs()).min(LONGEST_WAIT);
        again.retry_at = Some(self.portal.now().plus(wait));
        again.state_reason = said(what, error);
        settle::save(self.portal, one, again).await?;
        Ok(())
    }
}

/// A program that ends within this time and without a fault had nothing to do.
const AT_ONCE: Duration = Duration::from_secs(30);

/// The container was removed, but not by the portal.
pub(super) const GONE: &str = "容器已不在服务器上，系统盘的内容已丢失。可以重新启动（从镜像新建）或释放";

/// The cause, followed by the engine's own words where they add to it.
pub(crate) fn said(what: &str, error: &Error) -> String {
    let EngineFault { words, original, .. } = clusters::explain(error);
    match error {
        Error::Unreachable(_) | Error::Invalid(_) => format!("{what}：{words}"),
        _ if words.is_empty() => format!("{what}：{original}"),
        _ => format!("{what}：{words}：{original}"),
    }
}

/// The name of its container; the rule for names ensures that it is valid.
pub(crate) fn container(one: &Instance) -> Option<ContainerRef> {
    container_name(&one.name).parse().ok()
}

/// Stops and removes a container of ours; a missing one counts as removed.
pub(super) async fn remove_container(engine: &dyn Engine, name: &ContainerRef) -> engine::Result<()> {
    match engine.stop(name, RELEASE_GRACE).await {
        Ok(()) => {}
        Err(Error::NotFound(_)) => return Ok(()),
        Err(error) => return Err(error),
    }
    match engine.remove(name).await {
        Ok(()) | Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
