//! The disk's tables, step by step. Released steps are never edited.

use db_kit::Migration;

pub(crate) const TABLE: &str = "disk_migrations";

pub(crate) const STEPS: &[Migration] = &[
    Migration { name: "m0001_users", sql: include_str!("../migrations/m0001_users.sql") },
    Migration { name: "m0002_trash", sql: include_str!("../migrations/m0002_trash.sql") },
    Migration { name: "m0003_shares", sql: include_str!("../migrations/m0003_shares.sql") },
    Migration { name: "m0004_trash_length", sql: include_str!("../migrations/m0004_trash_length.sql") },
    Migration { name: "m0005_tasks", sql: include_str!("../migrations/m0005_tasks.sql") },
    Migration { name: "m0006_shares_next", sql: include_str!("../migrations/m0006_shares_next.sql") },
    Migration { name: "m0007_trail", sql: include_str!("../migrations/m0007_trail.sql") },
    Migration { name: "m0008_projects", sql: include_str!("../migrations/m0008_projects.sql") },
    Migration { name: "m0009_shares_collect", sql: include_str!("../migrations/m0009_shares_collect.sql") },
];
