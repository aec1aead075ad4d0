//! Log entries and filters.

use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Order, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What was tried at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoginAction {
    Login,
    Logout,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LoginOutcome {
    Success,
    WrongCredentials,
    Disabled,
    Limited,
    /// The account or its password is over, in the directory.
    Expired,
    /// The directory has locked the account.
    Locked,
    /// The directory knows them, but they have no account here.
    NotAdmitted,
    DirectoryUnavailable,
}

/// How a change went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Success,
    Failure,
}

/// A sign-in or sign-out that is to be recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoginEvent<'a> {
    pub(crate) user: Option<UserId>,
    pub(crate) username: &'a str,
    pub(crate) address: &'a str,
    pub(crate) user_agent: &'a str,
    pub(crate) action: LoginAction,
    pub(crate) outcome: LoginOutcome,
}

/// A change that is to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Operation<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) address: String,
    /// Such as `user.create`.
    pub(crate) action: &'static str,
    /// What it was done to, by a name that people know.
    pub(crate) target: String,
    /// What changed, in Chinese; never a secret.
    pub(crate) detail: String,
}

/// One try at the door.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginLog {
    pub(super) id: i64,
    pub(super) time: Timestamp,
    /// Absent if no user has that name.
    pub(super) user_id: Option<UserId>,
    /// As it was typed.
    pub(super) username: String,
    pub(super) ip: String,
    pub(super) user_agent: String,
    pub(super) action: String,
    pub(super) result: String,
    /// How many tries this stands for: what is refused again and again in a minute is one entry.
    pub(super) count: i64,
}

/// One change, or one refused try at a change.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OperateLog {
    pub(super) id: i64,
    pub(super) time: Timestamp,
    pub(super) user_id: Option<UserId>,
    pub(super) username: String,
    pub(super) ip: String,
    pub(super) action: String,
    pub(super) target: String,
    pub(super) detail: String,
    pub(super) result: String,
    /// Of the first.
    pub(super) request_id: String,
    /// How many tries this stands for: what is refused again and again in a minute is one entry.
    pub(super) count: i64,
}

/// Filters of the login log.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoginLogQuery {
    #[param(minimum = 1)]
    pub(super) page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    pub(super) size: Option<u32>,
    /// By time; newest first unless `asc`.
    #[param(inline)]
    pub(super) order: Option<Order>,
    /// In name, address or client.
    pub(super) q: Option<String>,
    /// Exactly this name, without regard to case.
    pub(super) username: Option<String>,
    /// Addresses that begin like this.
    pub(super) ip: Option<String>,
    #[param(inline)]
    pub(super) result: Option<LoginOutcome>,
    /// Only refused ones, whatever the reason.
    pub(super) failed: Option<bool>,
    /// From this moment on.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) from: Option<Timestamp>,
    /// Before this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) to: Option<Timestamp>,
}

/// Filters of the operate log.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperateLogQuery {
    #[param(minimum = 1)]
    pub(super) page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    pub(super) size: Option<u32>,
    /// By time; newest first unless `asc`.
    #[param(inline)]
    pub(super) order: Option<Order>,
    /// In name, address, target or detail.
    pub(super) q: Option<String>,
    /// Exactly this name, without regard to case.
    pub(super) username: Option<String>,
    /// Addresses that begin like this.
    pub(super) ip: Option<String>,
    /// Actions that begin like this, such as `user.`.
    pub(super) action: Option<String>,
    #[param(inline)]
    pub(super) result: Option<Outcome>,
    /// From this moment on.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) from: Option<Timestamp>,
    /// Before this moment.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(super) to: Option<Timestamp>,
}

/// The serialized word of a closed choice, which is the same in the database and in the API.
pub(super) fn word(choice: impl Serialize) -> ApiResult<String> {
    match serde_json::to_value(choice).map_err(ApiError::internal)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(ApiError::internal(format!("{other} is not a word"))),
    }
}
