//! Homes of leaving users: the disk asks for chores and reports their outcome. A chore stays pending until then, so
//! that a stop of either side loses nothing.

use background::NewJob;
use http_kit::ApiResult;
use kernel::home::{HomeChore, HomeFault, HomeOutcome, HomeOwner, HomeReport, HomeWork};

use super::model::{Departure, DepartureAction, DepartureItem, DepartureItemState, HoldingKind};
use super::steps::ASKED;
use super::{DUTY, HOME_JOB_KIND, store, store_items};
use crate::Portal;
use crate::features::peers::Word;
use crate::jobs::JOBS;

impl Portal {
    /// Returns the pending chores of homes for `runner`, which receives the lease of each and renews it by asking
    /// again; `None` is the disk in this process.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn home_chores(&self, runner: Option<&str>) -> anyhow::Result<Vec<HomeChore>> {
        let mut chores = Vec::new();
        // Unreadable rows are skipped here; the duty fails because of them.
        for one in store::running(self.db()).await?.into_iter().flatten() {
            for item in store_items::of(self.db(), &one.id).await? {
                let Some(chore) = chore(&one, &item) else { continue };
                if self.lease_home(&chore, runner.unwrap_or(self.id())).await? {
                    chores.push(chore);
                }
            }
        }
        Ok(chores)
    }

    async fn lease_home(&self, chore: &HomeChore, runner: &str) -> ApiResult<bool> {
        let (id, now) = (job_of(chore), self.now());
        let tx = self.db().begin().await?;
        let job = NewJob { id: &id, kind: HOME_JOB_KIND.0, owner: None, runner, due: now };
        let leased = JOBS.claim(&tx, job, now).await?;
        tx.commit().await?;
        Ok(leased)
    }

    /// How a chore ended.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()> {
        if self.note_home(report).await? {
            self.activate_duty(DUTY);
            self.tell_peers(Word::RunDuty { duty: DUTY.to_owned() });
        }
        Ok(())
    }

    /// Stores an outcome; `false` when no item waited for it.
    async fn note_home(&self, report: &HomeReport) -> ApiResult<bool> {
        let Some((departure, number)) = report.chore.id.rsplit_once('.') else { return Ok(false) };
        let tx = self.db().begin().await?;
        JOBS.remove(&tx, &job_of(&report.chore)).await?;
        let items = store_items::of(&tx, departure).await?;
        let waiting = |item: &&DepartureItem| item.number.to_string() == number && is_asked(item);
        let noted = match items.iter().find(waiting) {
            Some(item) => {
                let (state, words) = in_words(&report.chore.work, &report.outcome);
                let item = DepartureItem { state, words, ..item.clone() };
                store_items::note(&tx, departure, &item, self.now()).await? > 0
            }
            None => false,
        };
        tx.commit().await?;
        Ok(noted)
    }
}

fn job_of(chore: &HomeChore) -> String {
    format!("home-{}", chore.id)
}

fn is_asked(item: &DepartureItem) -> bool {
    item.kind == HoldingKind::Files && item.state == DepartureItemState::Waiting && item.begun == ASKED
}

fn chore(one: &Departure, item: &DepartureItem) -> Option<HomeChore> {
    if !is_asked(item) {
        return None;
    }
    let work = match (item.action, item.receiver_id) {
        (DepartureAction::HandOver, Some(id)) => {
            HomeWork::HandOver { to: HomeOwner { id, username: item.receiver.clone() } }
        }
        (DepartureAction::Delete, _) => HomeWork::Delete { by: one.by_id, by_name: one.by.clone() },
        _ => HomeWork::Keep,
    };
    let owner = HomeOwner { id: one.user.id, username: one.user.username.clone() };
    Some(HomeChore { id: format!("{}.{}", one.id, item.number), owner, work })
}

fn in_words(work: &HomeWork, outcome: &HomeOutcome) -> (DepartureItemState, String) {
    let (place, in_trash, shares) = match outcome {
        HomeOutcome::Done { place, in_trash, shares } => (place.as_deref(), *in_trash, *shares),
        HomeOutcome::Failed { fault } => return (DepartureItemState::Failed, fault_in_words(*fault).to_owned()),
    };
    let files = match (work, place) {
        (HomeWork::HandOver { to }, Some(place)) => {
            let folder = place.rsplit('/').next().unwrap_or(place);
            format!("文件已移到 {} 的个人文件夹，在“{folder}”里", to.username)
        }
        (HomeWork::Keep, Some(place)) => format!("文件保留在网盘的 /{place}，只有管理员能看到"),
        (HomeWork::Delete { .. }, _) if in_trash => "个人文件夹已移入回收站，到期后清除".to_owned(),
        (HomeWork::Delete { .. }, _) => "个人文件夹已不存在".to_owned(),
        (HomeWork::HandOver { .. } | HomeWork::Keep, None) => "没有个人文件夹".to_owned(),
    };
    let shares = if shares > 0 { format!("；结束了 {shares} 个分享链接") } else { String::new() };
    (DepartureItemState::Done, format!("{files}{shares}"))
}

fn fault_in_words(fault: HomeFault) -> &'static str {
    match fault {
        HomeFault::NoRoom => "接手的人的网盘配额或磁盘空间不够，请调高配额或清理后重试，或换一个接手的人",
        HomeFault::Forbidden => "个人文件夹里挂载了其他磁盘，或目标位置被占用，请处理后重试",
        HomeFault::Broken => "网盘处理失败，原因见存储主机的日志，处理后可以重试",
    }
}
