//! Disks that are nearly full: those of the data folder, of the network disk, and of the servers' images and instances.

use std::time::Duration;

use super::size;
use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::servers::Server;
use crate::file_systems::FileSystemRoom;

const WARNING_PERCENT: u64 = 90;
const CRITICAL_PERCENT: u64 = 97;
/// The gap to the warning limit keeps the alert from flapping.
const FINE_PERCENT: u64 = 87;

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
    let known = known.map(|disk| (disk.total.max(0).unsigned_abs(), disk.used.max(0).unsigned_abs()));
    // The probe reports no device ids, so two disks with exactly the same size are taken for one.
    let is_own = |total: u64| own.iter().flatten().any(|room| room.size == total);
    if server.local && known.is_some_and(|(total, _)| is_own(total)) {
        return None;
    }
    let room = known.map(|(total, used)| Room { used, available: total.saturating_sub(used) });
    Some(Disk {
        object: format!("server:{}", server.id),
        name: format!("服务器 {} 的镜像和实例所在磁盘", server.name),
        link: format!("/servers/server_detail/{}", server.id),
        room,
    })
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
