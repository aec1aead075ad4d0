//! Signing in and out, renewing, and checking tokens.
//!
//! A sign-in is a row, and so is each session that its renewals create. Deleting the sign-in ends them all: on
//! sign-out, when the password changes, when the account is disabled or deleted, and from the list of devices.

mod check;
mod confirm;
mod credentials;
mod http;
mod http_sign_ins;
mod lifetimes;
mod limits;
mod model;
mod password;
mod places;
mod sign_in;
mod store;
mod store_places;

use std::time::Duration;

use background::{Duty, Scope};
use kernel::Actor;

pub use check::AccountName;
pub(crate) use confirm::{require_password, spend_try};
pub(crate) use http::routes;
pub(crate) use limits::LoginLimits;
pub use password::PasswordCost;
pub(crate) use password::Passwords;
pub(crate) use places::Warnings;
pub(crate) use sign_in::SignIn;
pub(crate) use store::{count_open, count_open_of, end_all_of, end_all_of_many};

use crate::Portal;
use crate::duty::PortalDuty;
use crate::recent::Recent;

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "ended-sessions",
        title: "清理过期的登录",
        description: "删除到期的登录和用过的票据的记录",
        period: Duration::from_secs(60 * 60),
        scope: Scope::Leader,
        needs_trusted_clock: true,
    },
    run: |portal| Box::pin(async move { portal.forget_ended_sessions().await }),
}];

/// The tables of sign-ins and sessions.
pub const SIGNED_IN_TABLES: [&str; 3] = ["sign_ins", "sessions", "spent_tickets"];

impl Portal {
    pub(crate) fn passwords(&self) -> &Passwords {
        self.part()
    }

    fn login_limits(&self) -> &LoginLimits {
        self.part()
    }

    fn login_warnings(&self) -> &Warnings {
        self.part()
    }

    /// By login token or access token.
    fn recent_actors(&self) -> &Recent<String, Actor> {
        self.part()
    }
}
