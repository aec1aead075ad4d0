//! Carries out an instance's next action at its cluster. Every step is written down before the next begins and is
//! idempotent, so the work resumes after a crash.

use std::sync::Arc;
use std::time::Duration;

use engine::{End, EndCause, Error, Phase, Runtime};
use http_kit::ApiResult;
use tokio_util::sync::CancellationToken;

use super::next::Work;
use super::revive;
use super::settle;
use super::{bring, workload};
use crate::Portal;
use crate::features::clusters::{self, Worker};
use crate::features::instances::model::Instance;
use crate::features::instances::state::{ENDED_AT_ONCE, State};
use crate::features::instances::store;

/// Time for processes to exit after the stop signal.
const GRACE: Duration = Duration::from_secs(30);
/// A released instance loses its root anyway.
pub(super) const RELEASE_GRACE: Duration = Duration::from_secs(5);
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
    pub(super) runtime: Arc<dyn Runtime>,
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

    /// Stops it and has it run again.
    async fn restart(&self, one: &Instance) -> ApiResult<()> {
        let id = workload::id(one)?;
        // A missing one would be recreated, without what was in its root.
        let stopped = match self.runtime.examine(&id).await {
            Ok(_) => self.runtime.stop(&id, GRACE).await,
            Err(error) => Err(error),
        };
        match stopped {
            Ok(()) => bring::run_again(self, one.clone()).await,
            Err(error) => self.failed(one, "重启失败", &error).await,
        }
    }

    async fn stop(&self, one: &Instance) -> ApiResult<()> {
        match self.runtime.stop(&workload::id(one)?, GRACE).await {
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
        if let Err(error) = self.runtime.discard(&workload::id(one)?, RELEASE_GRACE).await {
            return self.retry(one, "释放失败，将继续重试", &error).await;
        }
        let mut released = one.clone();
        released.step(State::Released, &one.state_reason);
        settle::save(self.portal, one, released).await?;
        Ok(())
    }

    async fn resize(&self, one: &Instance) -> ApiResult<()> {
        let resized = match self.runtime.resizing() {
            Some(resizing) => resizing.resize(&workload::id(one)?, &workload::resources(one)).await,
            None => Err(Error::Rejected("这台服务器不能在运行中调整配置".to_owned())),
        };
        if let Err(error) = resized {
            return self.retry(one, "调整配置失败，将继续重试", &error).await;
        }
        let mut resized = one.clone();
        resized.resize = false;
        resized.attempts = 0;
        resized.retry_at = None;
        settle::save(self.portal, one, resized).await?;
        Ok(())
    }

    async fn freeze(&self, one: &Instance, freeze: bool) -> ApiResult<()> {
        let (id, what) = (workload::id(one)?, if freeze { "暂停失败，将继续重试" } else { "解除暂停失败，将继续重试" });
        let done = match self.runtime.freezing() {
            Some(freezing) if freeze => freezing.freeze(&id).await,
            Some(freezing) => freezing.thaw(&id).await,
            None => Err(Error::Rejected("这台服务器不能暂停程序".to_owned())),
        };
        if let Err(error) = done {
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
        let found = match self.runtime.examine(&workload::id(one)?).await {
            Ok(found) if found.phase.is_active() => return Ok(()),
            Ok(found) => found,
            // The next complete lists decide whether it is gone.
            Err(Error::NotFound(_)) => return Ok(()),
            Err(error) => return self.retry(one, "查看容器失败", &error).await,
        };
        let Phase::Ended(Some(End { exit, cause })) = found.phase else {
            settle::stand(self.portal, one, State::Stopped, "程序已退出").await?;
            return Ok(());
        };
        match cause {
            EndCause::Restart => return revive::after_restart(self, one, &exit).await,
            EndCause::Unclear if one.attempts < UNCLEAR_TRIES => return self.look_later(one).await,
            EndCause::Unclear | EndCause::Own => {}
        }
        let reason = if exit.out_of_memory {
            "内存用尽，程序被系统终止".to_owned()
        } else if !exit.error.is_empty() {
            format!("程序已退出：{}", exit.error)
        } else if exit.code == 0 && self.has_just_started(one) {
            ENDED_AT_ONCE.to_owned()
        } else {
            format!("程序已退出，退出码 {}{}", exit.code, clusters::likely_cause(&exit))
        };
        settle::stand(self.portal, one, State::Stopped, &reason).await?;
        Ok(())
    }

    fn has_just_started(&self, one: &Instance) -> bool {
        one.state == State::Starting || one.started.is_none_or(|at| self.portal.now() < at.plus(AT_ONCE))
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
        if let Ok(found) = self.runtime.examine(&workload::id(one)?).await
            && found.phase.is_active()
        {
            return self.retry(one, what, error).await;
        }
        if one.reviving.is_some() && one.attempts < REVIVE_TRIES {
            return self.retry(one, what, error).await;
        }
        tracing::warn!(instance.id = one.id, %error, what, "instance failed");
        settle::stand(self.portal, one, State::Error, &clusters::said(what, error)).await?;
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
        again.state_reason = clusters::said(what, error);
        settle::save(self.portal, one, again).await?;
        Ok(())
    }
}

/// A program that ends within this time and without a fault had nothing to do.
const AT_ONCE: Duration = Duration::from_secs(30);

/// The container was removed, but not by the portal.
pub(super) const GONE: &str = "容器已不在服务器上，系统盘的内容已丢失。可以重新启动（从镜像新建）或释放";
