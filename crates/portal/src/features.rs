//! The features, one folder each.

pub(crate) mod app_passwords;
pub(crate) mod broadcast;
pub(crate) mod dashboard;
pub(crate) mod groups;
pub(crate) mod health;
pub(crate) mod logs;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod update;
pub(crate) mod users;
