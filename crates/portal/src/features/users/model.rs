//! Users on the wire, and the rules that need no database.

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::{Role, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::temporary::TemporaryQuotas;
use crate::features::groups::UserGroup;
use crate::features::settings::Quotas;

/// Where an account comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    Local,
    Ldap,
}

/// A platform user.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
pub(crate) struct User {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) name: String,
    pub(super) email: String,
    pub(super) phone: String,
    pub(crate) role: Role,
    /// Empty, or a small picture as a data URL.
    pub(super) avatar: String,
    pub(super) introduction: String,
    pub(crate) active: bool,
    #[record(word)]
    pub(super) source: Source,
    #[serde(rename = "instanceLimit")]
    pub(super) instance_limit: i64,
    #[serde(rename = "instanceLimitOffset")]
    pub(super) instance_limit_offset: i64,
    /// 0 allows no card at all, only instances on CPU.
    #[serde(rename = "GPUNumlimit")]
    pub(super) gpu_limit: i64,
    /// Microseconds of CPU per 100 000 µs; 100 000 is one core, 0 is no limit.
    #[serde(rename = "CPUPeriodQuota")]
    pub(super) cpu_quota: i64,
    /// Bytes; 0 is no limit.
    #[serde(rename = "memoryLimit")]
    pub(super) memory_limit: i64,
    /// Bytes; 0 is no limit.
    #[serde(rename = "diskQuota")]
    pub(super) disk_quota: i64,
    #[serde(rename = "groupLeader")]
    pub(super) group_leader: bool,
    #[record(skip)]
    pub(super) groups: Vec<UserGroup>,
    pub(super) created: Timestamp,
    #[serde(rename = "lastLogin")]
    pub(super) last_login: Option<Timestamp>,
    /// When the account is disabled by itself; null: never.
    #[serde(rename = "endsAt")]
    pub(crate) ends_at: Option<Timestamp>,
    /// Quotas that hold for a time; null: none do.
    #[serde(rename = "temporaryQuotas")]
    #[record(skip)]
    pub(super) temporary_quotas: Option<TemporaryQuotas>,
}

impl User {
    /// The user's quotas.
    pub(crate) fn quotas(&self) -> Quotas {
        Quotas {
            instance_limit: self.instance_limit,
            instance_limit_offset: self.instance_limit_offset,
            gpu_limit: self.gpu_limit,
            cpu_quota: self.cpu_quota,
            memory_limit: self.memory_limit,
            disk_quota: self.disk_quota,
        }
    }

    /// Whether the directory has the password.
    pub(super) fn is_from_directory(&self) -> bool {
        self.source == Source::Ldap
    }
}

/// What any signed-in person may know of another.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
#[record(table = "users")]
pub(crate) struct PublicUser {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) name: String,
    pub(crate) avatar: String,
}

/// Filters of the list that all users may see.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublicUserFilter {
    /// Only the caller and the members of groups that the caller leads.
    pub(super) led: Option<bool>,
}

impl ListFilter for PublicUserFilter {
    const SORTS: &'static str = "`username`, `name` or `id`.";
    const WORDS: &'static str = "In username or name.";
    const MOST_WORDS: Option<usize> = Some(200);
}

/// The query of the list.
pub(crate) type PublicUserQuery = ListParams<PublicUserFilter>;

/// Filters of the user list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserFilter {
    #[param(minimum = 1, maximum = 2)]
    pub(super) role: Option<i64>,
    pub(super) active: Option<bool>,
    #[param(inline)]
    pub(super) source: Option<Source>,
    /// Members of this group.
    pub(super) group: Option<i64>,
}

impl ListFilter for UserFilter {
    const SORTS: &'static str = "A column of the list.";
    const WORDS: &'static str = "In username, name, e-mail or phone.";
}

/// The query of the list.
pub(crate) type UserQuery = ListParams<UserFilter>;

/// A new password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordRequest {
    /// Required for the caller's own.
    #[serde(rename = "oldPassword")]
    #[schema(value_type = Option<String>, format = Password)]
    pub(super) old_password: Option<kernel::Secret>,
    #[serde(rename = "newPassword")]
    #[schema(value_type = String, format = Password)]
    pub(super) new_password: kernel::Secret,
}
