//! Platform users: accounts, roles and quotas (SPEC §3, §7).
//!
//! A user may change some of their own data; administrators change everything else. What has to happen to other features'
//! things when an account is disabled is in `accounts`, when it ends or is deleted in `departures`.

mod admin;
mod batch;
mod directory;
mod form;
mod grants;
mod http;
mod http_grants;
mod http_quota;
mod import;
mod leaving;
mod model;
mod service;
mod store;
mod store_accounts;
mod store_ends;
mod temporary;

pub use admin::{PasswordReset, UserSummary, has_users};
pub(crate) use directory::{NotAdmitted, admit};
pub(crate) use form::{OWN_FIELDS, QuotaChange, UserPayload, check_password};
pub(crate) use grants::look_at_grants;
pub(crate) use http::{may_know, routes};
pub(crate) use http_grants::check_moment;
pub use import::ImportedAccount;
pub(crate) use leaving::{account, active_among};
pub(crate) use model::{PublicUser, User};
pub(crate) use service::{change, check_change, grant_quotas, hold, keep_an_admin, set_quotas};
pub(crate) use store::{
    NAMED_LIKE, count, delete, existing, id_by_name, mark_leaders, public_by_ids, quotas_of, set_active,
};
pub(crate) use store_accounts::{
    Contact, LoginUser, NameAndRole, WithDiskQuota, administrator_name, administrators, contacts, disk_facts,
    first_created, has_administrator, has_foreign_password, has_imported_passwords, lock_password, login_user,
    names_and_roles, note_login, replace_password, replace_password_hash, with_disk_quota,
};
pub(crate) use store_ends::{
    EndingAccount, ended_while_off, ending, forget_past_ends, note_end_told, note_end_while_off, set_end,
};
