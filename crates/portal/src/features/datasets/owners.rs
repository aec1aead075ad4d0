//! The quota of the disk holds for a person's home and the datasets that they own: the disk asks here what counts
//! together, and tells what it comes to. Who is over it is told once, until they have been well below it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_kit::ApiResult;
use kernel::dataset::DiskUse;
use kernel::{Timestamp, UserId};

use super::store_owners;
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};
use crate::features::users;

/// A person, and what counts to their quota beside the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetHolder {
    /// Never given to anybody else.
    pub id: UserId,
    /// The name, which is also the home folder's.
    pub username: String,
    /// Bytes on the disk; 0 is no limit.
    pub disk_quota: i64,
    /// The folders of their own datasets, without versions.
    pub datasets: Vec<String>,
}

/// The disk counts once an hour.
const USE_IS_FRESH: Duration = Duration::from_secs(3 * 3600);

/// What people take on the disk, as it told last; in memory, since it tells again.
#[derive(Debug, Default)]
pub(crate) struct DiskUses(Mutex<HashMap<UserId, (u64, Timestamp)>>);

impl DiskUses {
    fn known(&self) -> MutexGuard<'_, HashMap<UserId, (u64, Timestamp)>> {
        // One value at a time.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, uses: &[DiskUse], at: Timestamp) {
        self.known().extend(uses.iter().map(|one| (one.user, (one.used, at))));
    }

    /// Bytes; `None` when nobody told lately.
    pub(crate) fn of(&self, person: UserId, now: Timestamp) -> Option<u64> {
        self.known().get(&person).filter(|(_, at)| at.plus(USE_IS_FRESH) >= now).map(|(used, _)| *used)
    }
}

impl Portal {
    /// Who has the home of exactly this name.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn holder_of_home(&self, username: &str) -> anyhow::Result<Option<DatasetHolder>> {
        let Some(user) = users::login_user(self.db(), username).await? else { return Ok(None) };
        let holder = self.holder(user.id).await?;
        Ok(holder.filter(|holder| holder.username == username))
    }

    /// Who owns the dataset with this folder.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn holder_of_dataset(&self, folder: &str) -> anyhow::Result<Option<DatasetHolder>> {
        match store_owners::owner_of(self.db(), folder).await? {
            Some(owner) => self.holder(owner).await,
            None => Ok(None),
        }
    }

    async fn holder(&self, id: UserId) -> anyhow::Result<Option<DatasetHolder>> {
        let Some(facts) = users::disk_facts(self.db(), id).await? else { return Ok(None) };
        let datasets = store_owners::owned_by(self.db(), id).await?;
        Ok(Some(DatasetHolder { id, username: facts.username, disk_quota: facts.disk_quota, datasets }))
    }

    /// Everybody who owns datasets and has a quota.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn dataset_owners(&self) -> anyhow::Result<Vec<DatasetHolder>> {
        let mut owned = store_owners::owned(self.db()).await?;
        let people = users::with_disk_quota(self.db()).await?.into_iter();
        let holders = people.filter_map(|person| {
            let datasets = owned.remove(&person.id)?;
            let (id, username, disk_quota) = (person.id, person.username, person.disk_quota);
            Some(DatasetHolder { id, username, disk_quota, datasets })
        });
        Ok(holders.collect())
    }

    /// Tells those who are over their quota and were not told yet.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn note_disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        self.disk_uses().note(uses, self.now());
        Ok(self.tell_who_is_over(uses).await?)
    }

    async fn tell_who_is_over(&self, uses: &[DiskUse]) -> ApiResult<()> {
        let (at, tx) = (self.now(), self.db().begin().await?);
        // Of two reports at once the second finds who was told.
        tx.serialize("disk_over").await?;
        let well: Vec<UserId> = uses.iter().filter(|one| is_well_below(one)).map(|one| one.user).collect();
        store_owners::forget_told(&tx, &well).await?;
        let told = store_owners::told(&tx).await?;
        let over = uses.iter().filter(|one| is_over(one) && !told.contains(&one.user)).map(|one| one.user);
        let there = users::contacts(&tx, &over.collect::<Vec<_>>()).await?;
        let new: Vec<UserId> = there.into_iter().map(|person| person.id).collect();
        if new.is_empty() {
            return Ok(tx.commit().await?);
        }
        store_owners::note_told(&tx, &new, at).await?;
        let told = notices::tell(&tx, at, &Recipients::people(new), &notice()).await?;
        tx.commit().await?;
        self.tell_noticed(&told);
        Ok(())
    }
}

fn is_over(one: &DiskUse) -> bool {
    one.quota > 0 && one.used > one.quota
}

/// So that somebody at the very limit is not told again and again.
fn is_well_below(one: &DiskUse) -> bool {
    one.quota == 0 || one.used <= one.quota / 10 * 9
}

fn notice() -> NewNotice {
    NewNotice {
        kind: UserNoticeKind::DiskOver,
        object: NoticeObject::Disk,
        object_id: String::new(),
        title: "网盘已超出配额".to_owned(),
        words: "个人文件夹和名下的数据集、版本合计超出了网盘配额。文件都在，可以照常查看、下载、移出和删除，\
                但不能再增加内容。请删除不用的文件、数据集或版本，或提交工单申请更多配额"
            .to_owned(),
        link: "/netdisk/files".to_owned(),
    }
}
