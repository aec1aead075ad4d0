//! Platform users: accounts, roles and quotas (SPEC §3, §7).
//!
//! A user may change some of their own data; administrators change everything else.

mod admin;
mod batch;
mod directory;
mod disable;
mod ends;
mod form;
mod http;
mod http_active;
mod http_ends;
mod http_quota;
mod import;
mod leaving;
mod model;
mod service;
mod store;
mod store_accounts;
mod store_ends;
mod temporary;

pub use admin::{PasswordReset, UserSummary};
pub(crate) use directory::{NotAdmitted, admit};
pub(crate) use ends::DUTIES;
pub(crate) use form::{QuotaChange, check_password};
pub(crate) use http::routes;
pub use import::ImportedAccount;
pub(crate) use leaving::{SwitchedOff, account, active_among, delete_account, switch_off};
pub(crate) use model::PublicUser;
pub(crate) use service::{By, grant_quotas, hold, set_quotas};
pub(crate) use store::{NAMED_LIKE, count, existing, mark_leaders, public_by_ids, quotas_of};
pub(crate) use store_accounts::{
    Contact, LoginUser, NameAndRole, WithDiskQuota, administrator_name, administrators, contacts, disk_facts,
    first_created, has_administrator, has_foreign_password, has_imported_passwords, lock_password, login_user,
    names_and_roles, note_login, replace_password, replace_password_hash, with_disk_quota,
};
