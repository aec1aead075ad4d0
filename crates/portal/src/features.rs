//! The features, one folder each.

pub(crate) mod access_tokens;
pub(crate) mod allocations;
pub(crate) mod announcements;
pub(crate) mod app_passwords;
pub(crate) mod broadcast;
pub(crate) mod dashboard;
pub(crate) mod datasets;
pub(crate) mod directory;
pub(crate) mod gpus;
pub(crate) mod groups;
pub(crate) mod health;
pub(crate) mod images;
pub(crate) mod instances;
pub(crate) mod logs;
pub(crate) mod notices;
pub(crate) mod peers;
pub(crate) mod servers;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod terminals;
pub(crate) mod update;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod watch;
pub(crate) mod worksheets;
