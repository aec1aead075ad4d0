//! Chores for the homes of people who leave: handed over, deleted or kept, as the portal requests. Their share links
//! end.
//!
//! As with datasets, the portal returns a chore until its outcome is reported, and each is idempotent: a home that was
//! handed over has the chore's id as an attribute, which shows a repetition that it is done.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use background::{Duty, Scope};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::jail::{Location, attribute, names_in, set_attribute};
use disk_core::progress::Progress;
use disk_core::space::{HOME, Space};
use disk_core::transfer::{Action, Change, Clash};
use disk_core::usage::Allowance;
use kernel::home::{HomeChore, HomeFault, HomeOutcome, HomeOwner, HomeReport, HomeWork};
use kernel::{Actor, Role};

use crate::host::Host;
use crate::under_way::UnderWay;

static CHORES: Duty = Duty {
    name: "home-chores",
    title: "处理离开人员的文件",
    description: "按离开计划移交或删除个人文件夹，结束其分享链接",
    period: Duration::from_secs(1),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};
const ATTRIBUTE: &str = "user.yunlab.departure";
/// Before the former owner's name in the receiver's home.
const FROM: &str = "来自";

/// Carries out the portal's chores until the disk stops.
pub(crate) fn keep(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let under_way = UnderWay::default();
    let ask = move || ask(weak.upgrade(), under_way.clone());
    tokio::spawn(async move { duties.repeat(&CHORES, stopped, ask).await });
}

/// Queries the portal once, and begins new chores.
async fn ask(host: Option<Host>, under_way: UnderWay<HomeChore>) -> anyhow::Result<()> {
    let Some(host) = host else { return Ok(()) };
    let chores = host.directory.home_chores().await.context("the portal does not say what homes need")?;
    for chore in chores.into_iter().filter(|chore| under_way.begin(chore)) {
        let (working, under_way) = (host.clone(), under_way.clone());
        host.sockets.spawn(async move {
            carry_out_and_report(&working, &chore).await;
            under_way.end(&chore);
        });
    }
    Ok(())
}

/// A chore that a stop interrupts is not reported, so the portal returns it again.
async fn carry_out_and_report(host: &Host, chore: &HomeChore) {
    let ended = carry_out(host, chore).await;
    // Without the portal the quota is unknown; the portal returns the chore again.
    if host.stopped.is_cancelled() || matches!(ended, Err(DiskError::Unavailable(_))) {
        return;
    }
    let outcome = ended.unwrap_or_else(|error| HomeOutcome::Failed { fault: fault(chore, error) });
    let report = HomeReport { chore: chore.clone(), outcome };
    if let Err(error) = host.directory.home_report(&report).await {
        tracing::warn!(error = format!("{error:#}"), "the portal could not be told of a home");
    }
}

async fn carry_out(host: &Host, chore: &HomeChore) -> DiskResult<HomeOutcome> {
    let (place, in_trash) = match &chore.work {
        HomeWork::Keep => (kept(host, chore).await?, false),
        HomeWork::Delete { by, by_name } => (None, delete(host, chore, *by, by_name).await?),
        HomeWork::HandOver { to } => (hand_over(host, chore, to.clone()).await?, false),
    };
    let shares = host.shares.end_of(chore.owner.id).await?;
    Ok(HomeOutcome::Done { place, in_trash, shares })
}

/// The path of the home that is kept, if there is one.
async fn kept(host: &Host, chore: &HomeChore) -> DiskResult<Option<String>> {
    let (files, owner) = (Arc::clone(&host.files), chore.owner.clone());
    blocking(move || {
        let there = has_home(&files, &owner)?;
        Ok(there.then(|| format!("{HOME}/{}", owner.username)))
    })
    .await
}

/// Whether it lies in the trash now.
async fn delete(host: &Host, chore: &HomeChore, by: kernel::UserId, by_name: &str) -> DiskResult<bool> {
    let keeps = host.settings.get().await?.trash_days > 0;
    let (session, expires, username) = (String::new(), host.clock.now(), by_name.to_owned());
    let actor = Actor { id: by, username, role: Role::Admin, session, expires, token: None, folder: None };
    let (files, owner) = (Arc::clone(&host.files), chore.owner.clone());
    blocking(move || {
        if !has_home(&files, &owner)? {
            return Ok(false);
        }
        files.remove(&home(&owner.username), keeps.then_some(&actor))?;
        Ok(keeps)
    })
    .await
}

/// The new path of the home, if there was one.
async fn hand_over(host: &Host, chore: &HomeChore, to: HomeOwner) -> DiskResult<Option<String>> {
    let settings = host.settings.get().await?;
    let space = Space::Home(to.username.clone());
    let account = host.account(&space, &settings).await?;
    let allowance = host.allowance(&space, account, &settings);
    let (files, chore, progress) =
        (Arc::clone(&host.files), chore.clone(), Progress::until(host.stopped.child_token()));
    blocking(move || {
        // The home of a former owner of the receiver's name is put aside first.
        files.homes.claim(&files.jail, &to.username, to.id)?;
        let name = match moved_before(&files, &chore, &to)? {
            Some(name) => Some(name),
            None if has_home(&files, &chore.owner)? => Some(move_home(&files, &chore, &to, allowance, &progress)?),
            None => None,
        };
        if is_theirs(&files, &chore.owner)? {
            let from = Space::Home(chore.owner.username.clone());
            let place: Vec<&str> = [HOME, &to.username].into_iter().chain(name.as_deref()).collect();
            files.trash.hand_over(&from, &Space::Home(to.username.clone()), Some(&place), to.id)?;
        }
        Ok(name.map(|name| format!("{HOME}/{}/{name}", to.username)))
    })
    .await
}

fn move_home(
    files: &Arc<FileStore>,
    chore: &HomeChore,
    to: &HomeOwner,
    allowance: Allowance,
    progress: &Progress,
) -> DiskResult<String> {
    let source = home(&chore.owner.username);
    let entry = files.jail.entry(&source)?;
    // Not every file system has attributes; then only a lost report is harder to mend.
    if let Err(error) = set_attribute(&entry.folder, &entry.name, ATTRIBUTE, chore.id.as_bytes()) {
        tracing::debug!(home.name = chore.owner.username, error = %error, "a home can't be marked");
    }
    let mut target = home(&to.username);
    target.names.push(OsString::from(format!("{FROM} {}", chore.owner.username)));
    let (clash, may_modify) = (Clash::FreeName, false);
    let (files, action) = (Arc::clone(files), Action::Rename);
    Change { files, action, clash, may_modify, source, target, allowance, by: None }.run(progress)
}

/// The name in the receiver's home that an earlier try gave it.
fn moved_before(files: &FileStore, chore: &HomeChore, to: &HomeOwner) -> DiskResult<Option<String>> {
    let folder = match files.jail.find(&home(&to.username)) {
        Ok(folder) => folder.handle,
        Err(DiskError::NotFound) => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_it = |name: &OsStr| attribute(&folder, name, ATTRIBUTE).is_ok_and(|mark| mark == chore.id.as_bytes());
    let found = names_in(&folder)?.into_iter().find(|name| is_it(name));
    Ok(found.map(|name| name.to_string_lossy().into_owned()))
}

/// Whether there is a home of this name, and it is theirs.
fn has_home(files: &FileStore, owner: &HomeOwner) -> DiskResult<bool> {
    let there = files.jail.entry(&home(&owner.username))?.meta()?.is_some_and(|meta| meta.is_folder());
    Ok(there && is_theirs(files, owner)?)
}

/// Whether the home with this name belongs to this owner: the name may have been given to another account since.
fn is_theirs(files: &FileStore, owner: &HomeOwner) -> DiskResult<bool> {
    // Without a record an instance made the folder for them.
    Ok(files.homes.owner_of(&owner.username)?.is_none_or(|known| known == owner.id))
}

/// A home, for the disk itself.
fn home(username: &str) -> Location {
    let names = vec![OsString::from(HOME), OsString::from(username)];
    Location { space: Space::Home(username.to_owned()), writable: true, ..Location::of_true_names(names) }
}

fn fault(chore: &HomeChore, error: DiskError) -> HomeFault {
    match error {
        DiskError::InsufficientStorage(_) => HomeFault::NoRoom,
        DiskError::Forbidden | DiskError::Busy | DiskError::Conflict(_) | DiskError::NotFound => HomeFault::Forbidden,
        error => {
            let home = &chore.owner.username;
            tracing::error!(home.name = home, error = format!("{error:?}"), "work on a home failed");
            HomeFault::Broken
        }
    }
}
