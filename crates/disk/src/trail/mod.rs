//! The audit trail: deletions, share links, and what administrators read or move of other people's files, also by
//! commands and as build contexts.
//!
//! An entry is durable here before the request is answered, and is sent to the portal's operate log in the background,
//! so that none is lost while the portal is away. It is sent at least once; the portal drops repetitions.

mod store;
mod watch;

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use background::{Duty, Scope};
use disk_core::jail::{Location, VirtualPath};
use http_kit::{ClientAddress, secret_digest};
use kernel::{DiskAction, DiskChange, DiskEvent, UserId};
use moka::sync::Cache;
use uuid::Uuid;

pub(crate) use watch::Watched;

use crate::host::{Host, WeakHost};
use crate::http::{Member, change_by};

static SEND: Duty = Duty {
    name: "disk-trail",
    title: "上报网盘的操作记录",
    description: "把删除、分享和查看他人文件的记录写入操作日志；平台不可用时留在网盘，恢复后补上",
    period: Duration::from_secs(3),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};
/// Entries in one message to the portal.
const AT_ONCE: u32 = 200;
/// Repeated reads of a file by one person within this time are one entry: players fetch a video in hundreds of ranges.
const ONE_LOOK: Duration = Duration::from_secs(10 * 60);
const MOST_LOOKS: u64 = 10_000;
/// Characters of a detail: a whole command. The names of an archive's entries may be longer, but their number comes
/// first.
const MAX_DETAIL_CHARS: usize = 4096;
/// The address in entries of background work.
const PLATFORM: &str = "平台";

/// The part of the trail that lives in memory.
#[derive(Debug)]
pub(crate) struct Trail {
    /// Whether there may be entries to send.
    waiting: AtomicBool,
    looks: Cache<(UserId, String), ()>,
}

impl Default for Trail {
    fn default() -> Self {
        let looks = Cache::builder().time_to_live(ONE_LOOK).max_capacity(MOST_LOOKS).build();
        // An earlier process may have left some.
        Self { waiting: AtomicBool::new(true), looks }
    }
}

impl Trail {
    /// Whether this is the person's first read of this place, with this detail, within [`ONE_LOOK`].
    fn is_first_look(&self, user: UserId, target: &str, detail: &str) -> bool {
        // A detail may be long.
        let key = if detail.is_empty() { target.to_owned() } else { secret_digest(&format!("{target}\n{detail}")) };
        self.looks.entry((user, key)).or_insert(()).is_fresh()
    }
}

/// Formats a place for the log: the path from the disk's root, independent of the person's view.
pub(crate) fn named(location: &Location) -> String {
    if location.names.is_empty() {
        return "/".to_owned();
    }
    location.names.iter().map(|name| format!("/{}", name.to_string_lossy())).collect()
}

/// Writes an entry. The action has succeeded already, so a failure is logged and cannot undo it.
pub(crate) async fn note(
    host: &Host,
    member: &Member,
    address: ClientAddress,
    (action, target): (DiskAction, String),
    detail: String,
) {
    write(host, change_by(member, address, action, target, shortened(detail))).await;
}

fn shortened(detail: String) -> String {
    match detail.char_indices().nth(MAX_DETAIL_CHARS) {
        Some((end, _)) => format!("{}…", &detail[..end]),
        None => detail,
    }
}

async fn write(host: &Host, change: DiskChange) {
    let event = DiskEvent { id: Uuid::now_v7().to_string(), at: host.clock.now().as_millis(), change };
    match store::add(&host.db, &event).await {
        Ok(()) => host.trail.waiting.store(true, Ordering::Relaxed),
        Err(error) => {
            let error = format!("{error:#}");
            tracing::error!(error, action = event.change.action.code(), "the audit trail could not be written");
        }
    }
}

/// Writes an entry for reading this place, if the settings and the person's role require one.
pub(crate) async fn note_look(host: &Host, member: &Member, address: ClientAddress, path: &VirtualPath) {
    if let Some(target) = look_at(host, member, path, "") {
        note(host, member, address, (DiskAction::FileRead, target), String::new()).await;
    }
}

/// The same for a folder that an image is built from, by a job of the portal.
pub(crate) async fn note_build(host: &Host, member: &Member, folder: &VirtualPath) {
    let detail = "构建镜像".to_owned();
    if let Some(target) = look_at(host, member, folder, &detail) {
        let nowhere = ClientAddress(Ipv4Addr::UNSPECIFIED.into());
        let change = change_by(member, nowhere, DiskAction::FileRead, target, detail);
        write(host, DiskChange { address: PLATFORM.to_owned(), ..change }).await;
    }
}

/// The target of an entry for reading this place, if there is to be one.
fn look_at(host: &Host, member: &Member, path: &VirtualPath, detail: &str) -> Option<String> {
    let place = member.view.place(path);
    let target = watch::named_place(&place).filter(|_| watch::counts(member, &place))?;
    host.trail.is_first_look(member.actor.id, &target, detail).then_some(target)
}

/// An administrator's command that sees other people's files. It can read and change all of them, so the entry has the
/// command itself.
pub(crate) struct WatchedCommand {
    host: WeakHost,
    member: Member,
    address: ClientAddress,
    folder: String,
}

impl WatchedCommand {
    /// `None` where a command in this folder sees no such files, or is an ordinary user's.
    pub(crate) fn of(host: &Host, member: &Member, address: ClientAddress, folder: &VirtualPath) -> Option<Self> {
        let sees_others = |(_, root): &(String, Location)| watch::has_others(&member.view, root);
        if !member.actor.is_admin() || !member.view.roots().iter().any(sees_others) {
            return None;
        }
        let folder = watch::named_place(&member.view.place(folder))?;
        Some(Self { host: host.downgrade(), member: member.clone(), address, folder })
    }

    /// Writes the entry, before the command starts.
    pub(crate) async fn note(self, line: &str) {
        // The disk's stop ends the command as well.
        let Some(host) = self.host.upgrade() else { return };
        note(&host, &self.member, self.address, (DiskAction::CommandRun, self.folder), line.to_owned()).await;
    }
}

/// Sends entries to the portal until the disk stops.
pub(crate) fn keep_sending(host: &Host) {
    let (duties, stopped, weak) = (host.duties.clone(), host.stopped.clone(), host.downgrade());
    let send = async |host: Option<Host>| match host {
        Some(host) => send(&host).await,
        None => Ok(()),
    };
    tokio::spawn(async move { duties.repeat(&SEND, stopped, || send(weak.upgrade())).await });
}

async fn send(host: &Host) -> anyhow::Result<()> {
    while host.trail.waiting.swap(false, Ordering::Relaxed) {
        let sent = send_some(host).await;
        if sent.as_ref().map_or(true, |sent| *sent > 0) {
            host.trail.waiting.store(true, Ordering::Relaxed);
        }
        sent?;
    }
    Ok(())
}

/// Returns how many entries the portal has taken.
async fn send_some(host: &Host) -> anyhow::Result<usize> {
    let events = store::oldest(&host.db, AT_ONCE).await?;
    if !events.is_empty() {
        host.directory.record_events(&events).await.context("the portal did not take the audit trail")?;
        store::remove(&host.db, &events).await?;
    }
    Ok(events.len())
}
