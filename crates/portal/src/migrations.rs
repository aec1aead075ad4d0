//! The portal's tables, step by step. Released steps are never edited.

use db_kit::Migration;

pub(crate) const TABLE: &str = "portal_migrations";

pub(crate) const STEPS: &[Migration] = &[
    Migration { name: "m0001_people", sql: include_str!("../migrations/m0001_people.sql") },
    Migration { name: "m0002_app_passwords", sql: include_str!("../migrations/m0002_app_passwords.sql") },
];
