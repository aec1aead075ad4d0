//! The steps of an item. Each step looks at the present state, so that repeating it changes nothing.

use db_kit::Sql;
use http_kit::{ApiError, ApiResult};
use kernel::dataset::DiskHolder;
use kernel::{Actor, Role, Timestamp};

use super::model::{Departure, DepartureAction, DepartureItem, HoldingKind};
use super::{deletion, store_items};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::users::{self, PublicUser};
use crate::features::{datasets, groups, images, instances, worksheets};

/// For the past of instances that are released.
const REASON: &str = "账号离开，实例随之释放";
/// The disk has been asked.
pub(super) const ASKED: &str = "asked";
/// Before the job that saves an instance as an image.
const SAVE: &str = "save:";
/// Before the id of the saved image, while the instance is being released.
const RELEASE: &str = "release:";
/// The same, but a release that failed is to be tried once more.
const RELEASE_AGAIN: &str = "release-again:";
/// The disk is to remove a dataset.
const REMOVE: &str = "remove";
const ON_AGAIN: &str = "账号又被启用了。仍要办理离开的话，请先禁用账号再重试";
const MORE_THINGS: &str = "开始办理之后，此人名下又有了实例、数据集或镜像。请选择怎么处理它们，再重试";

/// How far a thing is.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Done(String),
    Failed(String),
    Waits { words: String, begun: String },
}

fn waits(words: &str, begun: &str) -> ApiResult<Step> {
    Ok(Step::Waits { words: words.to_owned(), begun: begun.to_owned() })
}

/// Returns the progress with which a failed item is tried again.
pub(super) fn begun_again(item: &DepartureItem) -> String {
    match released_image(&item.begun) {
        // An earlier plan did not want an image.
        Some("") if item.action == DepartureAction::Save => String::new(),
        // The image is there already.
        Some(image) => format!("{RELEASE_AGAIN}{image}"),
        None => String::new(),
    }
}

/// The id of the image that was saved before the release began (empty: none); `None` before the release.
fn released_image(begun: &str) -> Option<&str> {
    begun.strip_prefix(RELEASE).or_else(|| begun.strip_prefix(RELEASE_AGAIN))
}

/// Takes the next step of an item that is due.
pub(super) async fn step(portal: &Portal, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    let now = portal.now();
    let by = &Acting { actor: one.actor(now), address: one.came_from(), at: now };
    match item.kind {
        HoldingKind::Instance => instance(portal, by, one, item).await,
        HoldingKind::Dataset => dataset(portal, by, one, item).await,
        HoldingKind::Image => image(portal, by, one, item).await,
        HoldingKind::Group => group(portal, by, item).await,
        HoldingKind::Files => files(portal, one, item).await,
        HoldingKind::Account => account(portal, by, one).await,
    }
}

async fn instance(portal: &Portal, by: &Acting, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    if let Some(job) = item.begun.strip_prefix(SAVE) {
        return match images::saved(portal.db(), job).await? {
            images::Saved::UnderWay => waits("正在保存为镜像", &item.begun),
            images::Saved::Done(image) => waits("已保存为镜像，正在释放", &format!("{RELEASE_AGAIN}{image}")),
            images::Saved::Failed(words) => Ok(Step::Failed(words)),
            images::Saved::BrokenOff => waits("保存中断，重新保存", ""),
        };
    }
    if item.action == DepartureAction::Save && item.begun.is_empty() {
        return save(portal, by, one, item).await;
    }
    release(portal, by, item).await
}

async fn save(portal: &Portal, by: &Acting, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    let (server, object, name) = match instances::root_of(portal.db(), &item.object).await? {
        instances::Root::At { server, object, name } => (server, object, name),
        instances::Root::NotYet => return waits("等待实例停止", ""),
        instances::Root::None => {
            return Ok(Step::Failed("实例没有可以保存的系统盘，请改为直接释放".to_owned()));
        }
        instances::Root::Gone => return release(portal, by, item).await,
    };
    let receiver = receiver(portal, item).await?;
    let tx = portal.db().begin().await?;
    let owner = actor_of(&receiver, by.at);
    let description = format!("{} 离开时由实例 {name} 保存", one.user.username);
    let (instance, name) = (item.object.as_str(), name.as_str());
    let save = images::Save { owner: &owner, by, instance, name, server, object, description };
    let saving = images::save(portal, &tx, save).await?;
    let (words, begun) = ("正在保存为镜像", format!("{SAVE}{}", saving.id()));
    let noted = DepartureItem { words: words.to_owned(), begun: begun.clone(), ..item.clone() };
    // With the job, so that a restart finds both or none.
    store_items::note(&tx, &one.id, &noted, by.at).await?;
    tx.commit().await?;
    portal.start_saving(saving);
    waits(words, &begun)
}

async fn release(portal: &Portal, by: &Acting, item: &DepartureItem) -> ApiResult<Step> {
    let image = released_image(&item.begun);
    let again = !item.begun.starts_with(RELEASE);
    let tx = portal.db().begin().await?;
    let released = instances::release(&tx, &item.object, &by.actor.username, REASON, again, by.at).await?;
    tx.commit().await?;
    let begun = format!("{RELEASE}{}", image.unwrap_or_default());
    match released {
        instances::Release::Gone => Ok(Step::Done(match image.filter(|image| !image.is_empty()) {
            Some(image) => format!("已保存为 {} 的镜像 {image}，实例已释放", item.receiver),
            None => "已释放".to_owned(),
        })),
        instances::Release::Told { server } => {
            portal.wake_server(&server);
            waits("正在释放", &begun)
        }
        instances::Release::UnderWay { unreachable: true } => waits("服务器失联，恢复后自动释放", &begun),
        instances::Release::UnderWay { unreachable: false } => waits("正在释放", &begun),
        instances::Release::Failed(reason) => Ok(Step::Failed(reason)),
    }
}

async fn dataset(portal: &Portal, by: &Acting, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    if item.action == DepartureAction::HandOver {
        let to = receiver(portal, item).await?;
        let used = portal.disk_uses().of(DiskHolder::User(to.id), by.at);
        let tx = portal.db().begin().await?;
        let (from, to_name) = (one.user.id, to.username.as_str());
        let handed = datasets::hand_over(&tx, by, &item.object, from, (to.id, to_name), used).await?;
        tx.commit().await?;
        portal.wake_dataset_chores();
        let theirs = handed || datasets::held_by(portal.db(), to.id).await?.iter().any(|held| held.id == item.object);
        return Ok(Step::Done(handed_words(theirs, &to.username)));
    }
    let again = item.begun != REMOVE;
    let tx = portal.db().begin().await?;
    let removal = datasets::remove(&tx, by, &item.object, again).await?;
    tx.commit().await?;
    portal.wake_dataset_chores();
    match removal {
        datasets::Removal::Gone => Ok(Step::Done("已删除".to_owned())),
        datasets::Removal::UnderWay => waits("等待网盘删除", REMOVE),
        datasets::Removal::Failed(fault) => Ok(Step::Failed(fault)),
    }
}

async fn image(portal: &Portal, by: &Acting, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    if item.action == DepartureAction::HandOver {
        let to = receiver(portal, item).await?;
        let tx = portal.db().begin().await?;
        let handed = images::hand_over(&tx, &item.object, one.user.id, to.id, &to.username).await?;
        if handed {
            by.record(&tx, "image.update", item.name.clone(), owner_words(one, &to)).await?;
        }
        tx.commit().await?;
        let theirs = handed || images::owned_by(portal.db(), to.id).await?.iter().any(|held| held.id == item.object);
        return Ok(Step::Done(handed_words(theirs, &to.username)));
    }
    Ok(match images::delete(portal, by, &item.object).await? {
        images::Deleted::Gone => Step::Done("已删除".to_owned()),
        images::Deleted::Left(places) => {
            Step::Done(format!("已删除，谁都不能再用；有的地方暂时没有清理掉，会自动重试：{}", places.join("；")))
        }
        images::Deleted::InUse(names) => {
            Step::Failed(format!("有 {} 个实例在使用：{}。请先释放，或改为移交", names.len(), names.join("、")))
        }
    })
}

async fn group(portal: &Portal, by: &Acting, item: &DepartureItem) -> ApiResult<Step> {
    if item.action != DepartureAction::HandOver {
        return Ok(Step::Done("没有指定新的组长".to_owned()));
    }
    let to = receiver(portal, item).await?;
    let group = item.object.parse().map_err(ApiError::internal)?;
    let tx = portal.db().begin().await?;
    if !groups::lead_from_now(&tx, group, to.id, by.at).await? {
        return Ok(Step::Done("用户组已不存在".to_owned()));
    }
    by.record(&tx, "group.set_leader", item.name.clone(), to.username.clone()).await?;
    tx.commit().await?;
    Ok(Step::Done(format!("由 {} 担任组长", to.username)))
}

/// Waits for the disk, which asks for the chore and reports its outcome.
async fn files(portal: &Portal, one: &Departure, item: &DepartureItem) -> ApiResult<Step> {
    // Once the disk has begun, only it can finish or fail the chore.
    if item.begun != ASKED {
        if is_on_again(portal.db(), one).await? {
            return Ok(Step::Failed(ON_AGAIN.to_owned()));
        }
        if item.action == DepartureAction::HandOver {
            receiver(portal, item).await?;
        }
    }
    waits("等待网盘处理", ASKED)
}

async fn account(portal: &Portal, by: &Acting, one: &Departure) -> ApiResult<Step> {
    let tx = portal.db().begin().await?;
    if is_on_again(&tx, one).await? {
        return Ok(Step::Failed(ON_AGAIN.to_owned()));
    }
    let worksheets = worksheets::count_open(&tx, Some(one.user.id)).await?;
    let deleted = match deletion::delete_account(&tx, by, one.user.id).await {
        // These things are not in the plan, so no action was chosen for them.
        Err(error) if matches!(error.code(), "user_has_instances" | "user_has_things") => {
            return Ok(Step::Failed(MORE_THINGS.to_owned()));
        }
        deleted => deleted?,
    };
    tx.commit().await?;
    Ok(Step::Done(match (deleted, worksheets) {
        (false, _) => "账号已不存在".to_owned(),
        (true, 0) => "账号已删除".to_owned(),
        (true, worksheets) => format!("账号已删除，关闭了 {worksheets} 个没办完的工单"),
    }))
}

fn handed_words(theirs: bool, receiver: &str) -> String {
    if theirs { format!("已移交给 {receiver}") } else { "已不在此人名下，不用处理".to_owned() }
}

fn owner_words(one: &Departure, to: &PublicUser) -> String {
    format!("所有者 {} → {}", one.user.username, to.username)
}

/// Whether the account was switched on since the departure began.
async fn is_on_again(db: &impl Sql, one: &Departure) -> ApiResult<bool> {
    Ok(!users::active_among(db, &[one.user.id]).await?.is_empty())
}

/// Returns the receiver, who must still be active.
async fn receiver(portal: &Portal, item: &DepartureItem) -> ApiResult<PublicUser> {
    let id = item.receiver_id.ok_or_else(|| ApiError::internal("nobody is to get it"))?;
    let found = users::active_among(portal.db(), &[id]).await?.pop();
    found.ok_or_else(|| {
        let name = if item.receiver.is_empty() { String::new() } else { format!(" {} ", item.receiver) };
        let message = format!("接手的人{name}已不存在或已禁用，请换一个人后重试");
        ApiError::conflict("receiver_gone", message)
    })
}

/// The receiver as an actor, who becomes the owner of the saved image.
fn actor_of(person: &PublicUser, now: Timestamp) -> Actor {
    let (session, username) = (String::new(), person.username.clone());
    Actor { id: person.id, username, role: Role::User, session, expires: now, token: None, folder: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::departures::model::DepartureItemState;

    #[test]
    fn an_image_that_there_is_is_not_saved_again() {
        let again = |action: DepartureAction, begun: &str| {
            begun_again(&DepartureItem {
                number: 1,
                kind: HoldingKind::Instance,
                object: String::new(),
                name: String::new(),
                action,
                receiver_id: None,
                receiver: String::new(),
                state: DepartureItemState::Failed,
                words: String::new(),
                begun: begun.to_owned(),
                changed: Timestamp::from_millis(0),
            })
        };
        assert_eq!(again(DepartureAction::Save, "release:a:1"), "release-again:a:1");
        assert_eq!(again(DepartureAction::Save, "release-again:a:1"), "release-again:a:1");
        assert_eq!(again(DepartureAction::Save, "save:job"), "");
        assert_eq!(again(DepartureAction::Delete, "release:"), "release-again:");
        assert_eq!(again(DepartureAction::Save, "release:"), "", "the plan wants an image only now");
    }
}
