//! Disks that are nearly full: those of the data folder, of the network disk, and of the servers' images and instances.
//! A network disk that lies elsewhere, on a storage host or a share, is looked at as the servers see it.

use std::time::Duration;

use super::size;
use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::servers::{DiskRoom, Server};
use crate::file_systems::FileSystemRoom;

const WARNING_PERCENT: u64 = 90;
const CRITICAL_PERCENT: u64 = 97;
/// The gap to the warning limit keeps the alert from flapping.
const FINE_PERCENT: u64 = 87;
/// Shares report their size in blocks of up to 1 MiB, so the same disk may be a little larger elsewhere.
const SAME_SIZE_WITHIN: u64 = 4 << 20;

/// A disk, and its usage if known.
struct Disk {
    object: String,
    name: String,
    link: String,
    room: Option<Room>,
}

/// The file systems of the data folder and the network disk, if known.
type OwnRooms = [Option<FileSystemRoom>; 2];

/// In bytes.
#[derive(Clone, Copy)]
struct Room {
    used: u64,
    available: u64,
}

pub(super) async fn look(portal: &Portal, servers: &[Server]) -> Vec<Condition> {
    let rooms = portal.own_rooms().await;
    let mut disks = own(portal, rooms);
    let enabled = servers.iter().filter(|server| server.enabled);
    disks.extend(enabled.filter_map(|server| of_server(portal, server, &rooms)));
    disks.extend(elsewhere(portal, servers, &rooms));
    disks.into_iter().filter_map(condition).collect()
}

/// The disks of the portal's machine: one, if the data folder and the network disk share it.
fn own(portal: &Portal, [data, network]: OwnRooms) -> Vec<Disk> {
    let disk = |object: &str, name: &str, room: Option<FileSystemRoom>| Disk {
        object: object.to_owned(),
        name: name.to_owned(),
        link: "/settings/retention_setting".to_owned(),
        room: room.map(|room| Room { used: room.used, available: room.available }),
    };
    let is_shared = data.zip(network).is_some_and(|(data, network)| data.device == network.device);
    let mut disks = vec![disk("data", if is_shared { "数据目录和网盘" } else { "数据目录" }, data)];
    if portal.disk_root().is_some() && !is_shared {
        disks.push(Disk { link: "/netdisk/files".to_owned(), ..disk("network", "网盘", network) });
    }
    disks
}

/// The disk with a server's images, unless it is one of the portal's own.
fn of_server(portal: &Portal, server: &Server, own: &OwnRooms) -> Option<Disk> {
    let known = portal.clusters().machine_usage(server, portal.now()).and_then(|usage| usage.disk);
    if server.local && known.is_some_and(|disk| is_own(disk, own)) {
        return None;
    }
    let room = known.map(Room::from);
    Some(Disk {
        object: format!("server:{}", server.id),
        name: format!("服务器 {} 的镜像和实例所在磁盘", server.name),
        link: format!("/servers/server_detail/{}", server.id),
        room,
    })
}

/// The network disk as the servers see it, unless it is one of the portal's own disks or of theirs. A lab has one, so
/// of several readings the worst counts.
fn elsewhere(portal: &Portal, servers: &[Server], own: &OwnRooms) -> Option<Disk> {
    let mounted = || servers.iter().filter(|server| server.enabled && !server.storage_path.is_empty());
    let usages: Vec<_> = mounted()
        .filter_map(|server| Some((server, portal.clusters().machine_usage(server, portal.now())?)))
        .filter_map(|(server, usage)| Some((server, usage.disk, usage.storage?)))
        .collect();
    let disk = |name: String, link: String, room: Option<Room>| Disk { object: "storage".to_owned(), name, link, room };
    if usages.is_empty() {
        return mounted().next().map(|_| disk(String::new(), String::new(), None));
    }
    let others = usages.into_iter().filter(|(_, images, storage)| {
        !is_own(*storage, own) && images.is_none_or(|images| !is_same_size(size_of(images), size_of(*storage)))
    });
    let (server, room) =
        others.map(|(server, _, storage)| (server, Room::from(storage))).max_by_key(|(_, room)| percent(*room))?;
    let name = format!("服务器 {} 挂载的网盘", server.name);
    Some(disk(name, format!("/servers/server_detail/{}", server.id), Some(room)))
}

/// The probe reports no device ids, so two disks with the same size are taken for one.
fn is_own(disk: DiskRoom, own: &OwnRooms) -> bool {
    own.iter().flatten().any(|room| is_same_size(room.size, size_of(disk)))
}

fn is_same_size(one: u64, other: u64) -> bool {
    one.abs_diff(other) <= SAME_SIZE_WITHIN
}

fn size_of(disk: DiskRoom) -> u64 {
    disk.total.max(0).unsigned_abs()
}

impl From<DiskRoom> for Room {
    fn from(disk: DiskRoom) -> Self {
        let used = disk.used.max(0).unsigned_abs();
        Self { used, available: size_of(disk).saturating_sub(used) }
    }
}

fn condition(disk: Disk) -> Option<Condition> {
    let reading = match disk.room {
        None => Reading::Unsure,
        Some(room) => {
            let percent = percent(room);
            if percent < FINE_PERCENT {
                return None;
            }
            match severity(percent) {
                None => Reading::Unsure,
                Some(severity) => Reading::Faulty(Fault {
                    severity,
                    words: format!(
                        "{}已用 {percent}%，还剩 {}。写满之后登录、上传和运行中的实例都会受影响，请清理或扩容",
                        disk.name,
                        size(room.available)
                    ),
                    name: disk.name,
                    link: disk.link,
                    after: Duration::ZERO,
                }),
            }
        }
    };
    Some(Condition { kind: AlertKind::DiskFull, object: disk.object, reading })
}

fn severity(percent: u64) -> Option<AlertSeverity> {
    match percent {
        CRITICAL_PERCENT.. => Some(AlertSeverity::Critical),
        WARNING_PERCENT.. => Some(AlertSeverity::Warning),
        _ => None,
    }
}

/// The used share of what ordinary users can use, as in `df`.
fn percent(room: Room) -> u64 {
    let whole = room.used.saturating_add(room.available);
    room.used.saturating_mul(100).checked_div(whole).unwrap_or_default()
}
