//! Gathering the figures of the lab from the features that own them.

use db_kit::Word;
use http_kit::ApiResult;
use strum::IntoEnumIterator;

use super::cards;
use super::text::Text;
use crate::Portal;
use crate::features::alerts;
use crate::features::backups;
use crate::features::instances;
use crate::features::notices::AlertKind;
use crate::features::servers::{self, Server, ServerState, ServerUsage};
use crate::jobs;

const SERVER_STATES: [(ServerState, &str); 3] =
    [(ServerState::Online, "online"), (ServerState::Unreachable, "unreachable"), (ServerState::Disabled, "disabled")];

/// All metrics that only the leading portal exports.
pub(super) async fn of_lab(portal: &Portal) -> ApiResult<Text> {
    let mut text = Text::default();
    let servers = servers::all(portal.db()).await?;
    write_servers(portal, &servers, &mut text);
    cards::write(portal, &servers, &mut text).await?;
    write_rows(portal, &mut text).await?;
    write_disks(portal, &mut text).await;
    Ok(text)
}

fn write_servers(portal: &Portal, servers: &[Server], text: &mut Text) {
    let mut states = text.gauge("yunlab_servers", "Servers by state.");
    for (state, word) in SERVER_STATES {
        states.sample(&[("state", word)], servers.iter().filter(|server| server.state() == state).count());
    }
    let mut up = text.gauge("yunlab_server_up", "Whether the engine of a server that is in use answers.");
    for server in servers.iter().filter(|server| server.enabled) {
        up.sample(&[("server", &server.name)], u8::from(server.reachable));
    }
    let measured: Vec<(&Server, ServerUsage)> = servers
        .iter()
        .filter_map(|server| Some((server, portal.clusters().machine_usage(server, portal.now())?)))
        .collect();
    let mut each = |name, help, value: fn(&Server, ServerUsage) -> Option<i64>| {
        let mut gauge = text.gauge(name, help);
        for (server, usage) in &measured {
            gauge.sample_some(&[("server", &server.name)], value(server, *usage));
        }
    };
    each("yunlab_server_memory_total_bytes", "Memory of a server.", |server, _| {
        server.facts.as_ref().map(|facts| facts.memory_total)
    });
    each("yunlab_server_memory_used_bytes", "Used memory of a server.", |_, usage| Some(usage.memory));
    each("yunlab_server_disk_size_bytes", "Size of the disk where a server keeps images and instances.", |_, usage| {
        usage.disk.map(|disk| disk.total)
    });
    each("yunlab_server_disk_used_bytes", "What is used of that disk.", |_, usage| usage.disk.map(|disk| disk.used));
}

async fn write_rows(portal: &Portal, text: &mut Text) -> ApiResult<()> {
    let db = portal.db();
    let counted = instances::count_by_state(db).await?;
    let mut by_state = text.gauge("yunlab_instances", "Instances that are not released, by state.");
    for (state, count) in counted {
        by_state.sample(&[("state", &Word(state).to_string())], count);
    }
    let mut queue = text.gauge("yunlab_jobs", "Jobs that wait, run or failed, by kind.");
    for (kind, state, count) in jobs::counts(portal).await? {
        queue.sample(&[("kind", kind), ("state", state)], count);
    }
    let firing = alerts::count_firing(db).await?;
    let mut alerts = text.gauge("yunlab_alerts_firing", "Alerts that are not resolved, silenced ones included.");
    for kind in AlertKind::iter() {
        let count = firing.get(&kind).copied().unwrap_or_default();
        alerts.sample(&[("kind", &Word(kind).to_string())], count);
    }
    let mut backed_up =
        text.gauge("yunlab_backup_last_success_timestamp_seconds", "When the last good backup ended, by kind.");
    for (kind, at) in backups::last_successes(db).await? {
        backed_up.sample(&[("kind", &Word(kind).to_string())], at.as_millis() / 1000);
    }
    let size = db.size().await?;
    text.gauge("yunlab_database_size_bytes", "Size of the database.").sample(&[], size);
    Ok(())
}

async fn write_disks(portal: &Portal, text: &mut Text) {
    let rooms = portal.own_rooms().await;
    let disks: Vec<_> =
        ["data", "network"].into_iter().zip(rooms).filter_map(|(disk, room)| Some((disk, room?))).collect();
    let mut size = text.gauge("yunlab_disk_size_bytes", "Size of the disk of the data folder and of the network disk.");
    for (disk, room) in &disks {
        size.sample(&[("disk", disk)], room.size);
    }
    let mut used = text.gauge("yunlab_disk_used_bytes", "What is used of these disks.");
    for (disk, room) in &disks {
        used.sample(&[("disk", disk)], room.used);
    }
    let mut available = text.gauge("yunlab_disk_available_bytes", "What ordinary users can still use of these disks.");
    for (disk, room) in &disks {
        available.sample(&[("disk", disk)], room.available);
    }
}
