//! `GET /api/command{path}` (WebSocket).

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Meta, RESERVED_NAME, VirtualPath};
use disk_core::reason::Reason;
use disk_core::space::Space;
use disk_core::view::Place;
use http_kit::{ClientAddress, Routes, routes};
use rustix::fs::{AtFlags, statat};

use super::room::Room;
use super::sandbox::{Folder, LARGEST_FILE, Sandbox};
use super::session::{MAX_FRAME_BYTES, Session};
use super::standing::{Standing, may_change, may_run};
use crate::host::Host;
use crate::http::{HttpResult, Member, Target, subtree};
use crate::permissions::require;
use crate::trail::WatchedCommand;

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/command", routes!(run))
}

/// 在文件夹里运行命令（WebSocket）
///
/// Runs one command in a folder. The client sends the command as one text frame, of at most
/// 4 KiB; each line of the output, standard error among it, is a text frame; the close frame's
/// code is 1000 and its reason the exit status. A command that is not run is answered with a line
/// that says why and the code 1008.
///
/// It ends with what it began by, within two seconds, or ten on a storage host of its own: the
/// sign-in, the rights, the folders. It ends when a folder comes to be over its quota, or takes the
/// room that the database needs, and a folder of which either holds before is there for reading
/// only. The last line says why, and the exit status is 137.
///
/// Needs the rights `execute` and `download`, and the program's exact name in the list of
/// commands. A user with rules can run nothing: a sandbox cannot enforce rules.
#[utoipa::path(
    get, path = "/api/command/{path}", tag = "command", operation_id = "runCommand",
    params(("path" = String, Path, description = "the folder to start in, may contain slashes")),
    responses(
        (status = 101, description = "the frames as said above"),
        (status = 400, description = "not a websocket, or not a folder"),
        (status = 403, description = "switched off, not allowed, or rules hold"),
        (status = 404, description = "no such folder"),
    )
)]
async fn run(
    State(host): State<Host>,
    member: Member,
    address: ClientAddress,
    Target(path): Target,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> HttpResult<Response> {
    require(may_run(&member).await?)?;
    let (opening, viewer) = (host.clone(), member.clone());
    let watched = WatchedCommand::of(&host, &member, address, &path);
    let sandbox = blocking(move || sandbox(&opening, &viewer, &path)).await?;
    let upgrade = upgrade.map_err(|_| DiskError::bad_request(Reason::NotWebsocket))?;
    let standing = Standing::of(&host, &member).await?;
    let roots = if may_change(&member) { member.view.roots() } else { Vec::new() };
    let (room, full) = Room::of(&host, &member, &roots).await?;
    let session = Session {
        allowed: member.profile.commands.clone(),
        watched,
        sandbox: sandbox.limited(&full, room.largest_file().unwrap_or(LARGEST_FILE)),
        standing,
        room,
        stopped: host.stopped.clone(),
        open: host.sockets.token(),
        ledger: host.files.ledger.clone(),
        spaces: roots.into_iter().filter(|(_, root)| root.writable).map(|(_, root)| root.space).collect(),
    };
    let upgrade = upgrade.max_frame_size(MAX_FRAME_BYTES).max_message_size(MAX_FRAME_BYTES);
    Ok(upgrade.on_upgrade(|socket| session.serve(socket)))
}

/// A sandbox with the folders of a person's view, at the paths of that view.
fn sandbox(host: &Host, member: &Member, path: &VirtualPath) -> DiskResult<Sandbox> {
    match member.view.place(path) {
        Place::Root | Place::Shelf(_) => {}
        Place::At(location) if host.files.jail.find(&location)?.meta.is_folder() => {}
        Place::At(_) => return Err(DiskError::bad_request(Reason::NoFolder)),
        Place::Nowhere => return Err(DiskError::NotFound),
    }
    let may_change = may_change(member);
    let (mut folders, mut user) = (Vec::new(), None);
    for (at, location) in member.view.roots() {
        require(location.access.is_open())?;
        let found = match host.files.jail.find(&location) {
            // The folder of a dataset was removed without the portal.
            Err(DiskError::NotFound) if matches!(location.space, Space::Dataset(_)) => continue,
            found => found?,
        };
        let masked = statat(&found.handle, RESERVED_NAME, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        user = user.or_else(|| owner(&found.meta));
        let writable = location.writable && may_change;
        folders.push(Folder { handle: found.handle, at, space: location.space, writable, masked });
    }
    Ok(Sandbox { folders, directory: member.view.unscoped(path), user, largest_file: LARGEST_FILE })
}

/// The user to run as in this folder. A disk that runs as root does not run commands as root, unless the folder is
/// root's.
fn owner(folder: &Meta) -> Option<(u32, u32)> {
    let as_root = rustix::process::geteuid().is_root();
    (as_root && folder.owner != 0).then_some((folder.owner, folder.group))
}
