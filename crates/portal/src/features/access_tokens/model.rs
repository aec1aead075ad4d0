//! Access tokens; pure.

use std::collections::BTreeSet;
use std::time::Duration;

use db_kit::Record;
use http_kit::FieldProblem;
use kernel::scope::Scope;
use kernel::{Role, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::app_passwords;

/// The most tokens of one user.
pub(super) const MOST: i64 = 20;
/// A year that may be a leap year, and the day on which it ends.
const LONGEST: Duration = Duration::from_secs(367 * 24 * 60 * 60);

/// An access token, as its owner sees it later: not the token itself.
#[derive(Debug, Record, Serialize, ToSchema)]
#[record(table = "access_tokens")]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccessTokenEntry {
    pub(super) id: String,
    /// What it is for.
    pub(super) name: String,
    #[record(json)]
    pub(super) scopes: Vec<Scope>,
    pub(super) created: Timestamp,
    /// From then on it opens nothing.
    pub(super) expires: Timestamp,
    /// To within a few minutes; null before the first use.
    #[record(read_only)]
    pub(super) last_used: Option<Timestamp>,
}

/// A new access token; the only answer with the token in it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewAccessToken {
    #[serde(flatten)]
    pub(super) entry: AccessTokenEntry,
    pub(super) token: String,
}

/// What a new one is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccessTokenForm {
    /// What it is for; 1 to 50 characters.
    pub(super) name: String,
    /// At least one that opens something; `admin` only by administrators.
    pub(super) scopes: BTreeSet<Scope>,
    /// At most a year from now.
    pub(super) expires: Timestamp,
}

impl AccessTokenForm {
    /// Returns the invalid fields.
    pub(super) fn faults(&self, role: Role, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check
            .that(app_passwords::label(&self.name).is_some(), "name", app_passwords::LABEL_RULE)
            .that(self.scopes.iter().any(|scope| *scope != Scope::Admin), "scopes", "请选择令牌可以做什么")
            .that(
                role == Role::Admin || !self.scopes.contains(&Scope::Admin),
                "scopes",
                "只有管理员的令牌可以有管理员权限",
            )
            .that(self.expires > now, "expires", "有效期应在现在之后")
            .that(self.expires <= now.plus(LONGEST), "expires", "有效期最长一年");
        check.faults()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_168_800_000);

    fn faults(scopes: &[Scope], role: Role, days: u64) -> Vec<String> {
        let expires = NOW.plus(Duration::from_secs(days * 24 * 60 * 60));
        let form = AccessTokenForm { name: "x".to_owned(), scopes: scopes.iter().copied().collect(), expires };
        form.faults(role, NOW).into_iter().map(|fault| fault.name).collect()
    }

    #[test]
    fn it_opens_something_for_a_year_at_most() {
        assert!(faults(&[Scope::Read], Role::User, 366).is_empty());
        assert!(faults(&[Scope::Read, Scope::Admin], Role::Admin, 1).is_empty());
        assert_eq!(faults(&[], Role::User, 0), ["scopes", "expires"]);
        assert_eq!(faults(&[Scope::Admin], Role::Admin, 400), ["scopes", "expires"]);
        assert_eq!(faults(&[Scope::Read, Scope::Admin], Role::User, 30), ["scopes"]);
    }
}
