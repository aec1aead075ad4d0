//! The portal's tables, step by step. Released steps are never edited.

use anyhow::Context;
use db_kit::{Db, Migration};

const TABLE: &str = "portal_migrations";

/// The migrations of the portal's tables, in order.
pub const STEPS: &[Migration] = &[
    Migration { name: "m0001_people", sql: include_str!("../migrations/m0001_people.sql") },
    Migration { name: "m0002_app_passwords", sql: include_str!("../migrations/m0002_app_passwords.sql") },
    Migration { name: "m0003_compute", sql: include_str!("../migrations/m0003_compute.sql") },
    Migration { name: "m0004_terminals", sql: include_str!("../migrations/m0004_terminals.sql") },
    Migration { name: "m0005_images", sql: include_str!("../migrations/m0005_images.sql") },
    Migration { name: "m0006_host_keys", sql: include_str!("../migrations/m0006_host_keys.sql") },
    Migration { name: "m0007_worksheets", sql: include_str!("../migrations/m0007_worksheets.sql") },
    Migration { name: "m0008_datasets", sql: include_str!("../migrations/m0008_datasets.sql") },
    Migration { name: "m0009_announcements", sql: include_str!("../migrations/m0009_announcements.sql") },
    Migration { name: "m0010_password_lock", sql: include_str!("../migrations/m0010_password_lock.sql") },
    Migration { name: "m0012_compute_history", sql: include_str!("../migrations/m0012_compute_history.sql") },
    Migration { name: "m0013_usage", sql: include_str!("../migrations/m0013_usage.sql") },
    Migration { name: "m0014_access_tokens", sql: include_str!("../migrations/m0014_access_tokens.sql") },
    Migration { name: "m0015_watch", sql: include_str!("../migrations/m0015_watch.sql") },
    Migration { name: "m0016_peers", sql: include_str!("../migrations/m0016_peers.sql") },
    Migration { name: "m0018_former_group_folders", sql: include_str!("../migrations/m0018_former_group_folders.sql") },
    Migration { name: "m0019_webhook", sql: include_str!("../migrations/m0019_webhook.sql") },
    Migration { name: "m0020_kept_by", sql: include_str!("../migrations/m0020_kept_by.sql") },
    Migration { name: "m0021_server_identity", sql: include_str!("../migrations/m0021_server_identity.sql") },
    Migration { name: "m0022_background", sql: include_str!("../migrations/m0022_background.sql") },
    Migration { name: "m0023_notices", sql: include_str!("../migrations/m0023_notices.sql") },
    Migration { name: "m0024_machine_helper", sql: include_str!("../migrations/m0024_machine_helper.sql") },
    Migration { name: "m0025_sign_ins", sql: include_str!("../migrations/m0025_sign_ins.sql") },
    Migration { name: "m0026_app_password_limits", sql: include_str!("../migrations/m0026_app_password_limits.sql") },
    Migration { name: "m0027_known_places", sql: include_str!("../migrations/m0027_known_places.sql") },
    Migration { name: "m0028_group_invitations", sql: include_str!("../migrations/m0028_group_invitations.sql") },
    Migration { name: "m0029_must_change_password", sql: include_str!("../migrations/m0029_must_change_password.sql") },
    Migration { name: "m0032_audit", sql: include_str!("../migrations/m0032_audit.sql") },
    Migration { name: "m0033_disk_quota", sql: include_str!("../migrations/m0033_disk_quota.sql") },
    Migration { name: "m0034_instance_version", sql: include_str!("../migrations/m0034_instance_version.sql") },
    Migration { name: "m0035_held_group_folders", sql: include_str!("../migrations/m0035_held_group_folders.sql") },
    Migration { name: "m0036_alerts", sql: include_str!("../migrations/m0036_alerts.sql") },
    Migration { name: "m0037_restarts", sql: include_str!("../migrations/m0037_restarts.sql") },
    Migration { name: "m0038_backups", sql: include_str!("../migrations/m0038_backups.sql") },
    Migration { name: "m0039_password_made_up", sql: include_str!("../migrations/m0039_password_made_up.sql") },
    Migration { name: "m0040_card_outages", sql: include_str!("../migrations/m0040_card_outages.sql") },
    Migration { name: "m0041_departures", sql: include_str!("../migrations/m0041_departures.sql") },
    Migration { name: "m0042_disk_space", sql: include_str!("../migrations/m0042_disk_space.sql") },
    Migration { name: "m0043_https", sql: include_str!("../migrations/m0043_https.sql") },
    Migration { name: "m0044_joins", sql: include_str!("../migrations/m0044_joins.sql") },
    Migration { name: "m0045_clusters", sql: include_str!("../migrations/m0045_clusters.sql") },
    Migration { name: "m0046_reservations", sql: include_str!("../migrations/m0046_reservations.sql") },
    Migration { name: "m0047_told_endings", sql: include_str!("../migrations/m0047_told_endings.sql") },
    Migration { name: "m0048_uses", sql: include_str!("../migrations/m0048_uses.sql") },
    Migration { name: "m0049_ssh_keys", sql: include_str!("../migrations/m0049_ssh_keys.sql") },
    Migration { name: "m0050_ssh_host_keys", sql: include_str!("../migrations/m0050_ssh_host_keys.sql") },
    Migration { name: "m0051_app_password_kind", sql: include_str!("../migrations/m0051_app_password_kind.sql") },
];

/// Brings the portal's tables up to date.
///
/// # Errors
/// When the database does not answer or was made by a newer version.
pub async fn prepare_database(db: &Db) -> anyhow::Result<()> {
    db_kit::migrate(db, TABLE, STEPS).await.context("准备数据库")
}
