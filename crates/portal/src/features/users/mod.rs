//! Platform users: accounts, roles and quotas (SPEC §3, §7; DESIGN §6).
//!
//! A user changes some facts about themselves; everything else is the administrators'.

mod admin;
mod batch;
mod form;
mod http;
mod http_quota;
mod model;
mod service;
mod store;
mod store_accounts;

pub use admin::{PasswordReset, UserSummary};
pub(crate) use http::routes;
pub(crate) use model::{Changed, PublicUser};
pub(crate) use store::{count, existing, mark_leaders, public_by_ids, quotas_of};
pub(crate) use store_accounts::{NameAndRole, disk_facts, home_quota, login_user, names_and_roles, note_login};
