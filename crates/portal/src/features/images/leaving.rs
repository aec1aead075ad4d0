//! Images of people who leave: listed, handed over, deleted; and their instances, saved as images of the person who
//! takes over.

use db_kit::{Sql, Tx};
use http_kit::ApiResult;
use kernel::{Actor, ErrorKind, UserId};

use super::deletion::Attempt;
use super::jobs::BROKEN_OFF;
use super::model_jobs::{Job, JobKind, JobState, Task};
use super::{deletion, naming, store, store_jobs};
use crate::Portal;
use crate::features::logs::Acting;
use crate::visibility::Visibility;

/// Tags that are tried for an image of an instance.
const TAGS: u32 = 50;

/// An image and its owner.
#[derive(Clone, Debug)]
pub(crate) struct HeldImage {
    pub(crate) id: String,
    /// `repository:tag`.
    pub(crate) name: String,
    /// Bytes on an engine.
    pub(crate) size: u64,
    pub(crate) visibility: Visibility,
}

/// Lists all images of a person, by name.
///
/// # Errors
/// If the database fails, as in all of these.
pub(crate) async fn owned_by(db: &impl Sql, user: UserId) -> ApiResult<Vec<HeldImage>> {
    let found = store::owned_by(db, user).await?;
    let held = found.into_iter().map(|one| HeldImage {
        name: one.name(),
        size: one.described.size,
        visibility: one.visibility,
        id: one.id,
    });
    Ok(held.collect())
}

/// Transfers an image to another person; `false` when it is gone or has another owner by now.
///
/// # Errors
/// As above.
pub(crate) async fn hand_over(tx: &Tx, id: &str, from: UserId, to: UserId, to_name: &str) -> ApiResult<bool> {
    Ok(store::hand_over(tx, id, from, to, to_name).await? > 0)
}

/// The outcome of a deletion.
#[derive(Clone, Debug)]
pub(crate) enum Deleted {
    Gone,
    /// Instances, by name, that were made of it.
    InUse(Vec<String>),
    /// It cannot be used any more, but could not be removed from these places yet.
    Left(Vec<String>),
}

/// Deletes an image on all servers and in the registry.
///
/// # Errors
/// As above, and when a server's or registry's settings can't be read.
pub(crate) async fn delete(portal: &Portal, by: &Acting, id: &str) -> ApiResult<Deleted> {
    // As an administrator sees it.
    let image = match store::visible(portal.db(), &by.actor, id).await {
        Ok(image) => image,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Deleted::Gone),
        Err(error) => return Err(error),
    };
    Ok(match deletion::delete(portal, by, &image).await? {
        Attempt::InUse(names) => Deleted::InUse(names),
        Attempt::Deleted(deletion) if !deletion.left.is_empty() => Deleted::Left(deletion.left),
        Attempt::Deleted(_) | Attempt::Gone => Deleted::Gone,
    })
}

/// An instance that is to become an image.
#[derive(Clone, Debug)]
pub(crate) struct Save<'a> {
    /// The new image's owner.
    pub(crate) owner: &'a Actor,
    /// The administrator who requests it.
    pub(crate) by: &'a Acting,
    /// The instance's id and name.
    pub(crate) instance: &'a str,
    pub(crate) name: &'a str,
    pub(crate) server: String,
    /// The cluster's id of what the instance is made as.
    pub(crate) object: String,
    pub(crate) description: String,
}

/// A job that is written down and begins after the commit, by [`Portal::start_saving`].
#[must_use = "the job is to be started after the commit"]
#[derive(Debug)]
pub(crate) struct Saving(Job);

impl Saving {
    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }
}

/// Creates the job that saves an instance as another person's image.
///
/// # Errors
/// When no name is free, or as above.
pub(crate) async fn save(portal: &Portal, tx: &Tx, save: Save<'_>) -> ApiResult<Saving> {
    tx.serialize("images").await?;
    let repository = repository_of(save.name);
    let mut claimed = None;
    for number in 1..=TAGS {
        let tag = if number == 1 { "handover".to_owned() } else { format!("handover-{number}") };
        match naming::claim(tx, save.owner, &repository, &tag).await {
            Ok(found) => {
                claimed = Some(found);
                break;
            }
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
    let (image, push) = claimed.ok_or_else(store::taken)?;
    let task = Task::Save {
        instance: save.instance.to_owned(),
        object: save.object,
        description: save.description,
        visibility: Visibility::Private,
        push,
    };
    let job = Job {
        id: uuid::Uuid::now_v7().to_string(),
        kind: JobKind::Save,
        state: JobState::Queued,
        image: image.to_string(),
        server: save.server,
        user: save.owner.id,
        username: save.owner.username.clone(),
        task,
        percent: None,
        bytes: 0,
        log: String::new(),
        error: String::new(),
        created: portal.now(),
        started: None,
        ended: None,
    };
    store_jobs::insert(tx, &job, portal.id()).await?;
    save.by.record(tx, "image.save", &job.image, "").await?;
    Ok(Saving(job))
}

impl Portal {
    /// Begins a job that is committed.
    pub(crate) fn start_saving(&self, saving: Saving) {
        self.jobs().start(self, saving.0);
    }
}

/// How far an instance's saving is.
#[derive(Clone, Debug)]
pub(crate) enum Saved {
    UnderWay,
    /// The image's name.
    Done(String),
    Failed(String),
    /// Interrupted by a restart; it can be started again.
    BrokenOff,
}

/// How far the job is.
///
/// # Errors
/// As above.
pub(crate) async fn saved(db: &impl Sql, job: &str) -> ApiResult<Saved> {
    let Some(job) = store_jobs::by_id(db, job).await? else { return Ok(Saved::BrokenOff) };
    Ok(match job.state {
        JobState::Queued | JobState::Running => Saved::UnderWay,
        JobState::Done => Saved::Done(job.image),
        JobState::Failed if job.error == BROKEN_OFF => Saved::BrokenOff,
        JobState::Failed => Saved::Failed(job.error),
        JobState::Cancelled => Saved::Failed("保存镜像的任务被取消".to_owned()),
    })
}

/// Derives an image name from an instance's: lower case, only characters that image names allow.
fn repository_of(instance: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = instance.to_lowercase().chars().map(plain).collect();
    // Image names have no two separators in a row, and none at either end.
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "instance".to_owned() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_gives_a_name_that_images_may_have() {
        assert_eq!(repository_of("ins_Zhang.San@x_GPUa1b2c"), "ins-zhang-san-x-gpua1b2c");
        assert_eq!(repository_of("___"), "instance");
    }
}
