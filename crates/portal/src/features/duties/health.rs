//! Duties whose last run failed, here and in the other portals.

use std::time::Duration;

use background::{DutyReport, Scope};
use http_kit::ApiResult;

use super::{store, view};
use crate::Portal;

/// A duty that failed, or may have.
#[derive(Clone, Debug)]
pub(crate) struct FailedDuty {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) period: Duration,
    /// Whether only the leading portal carries it out.
    pub(crate) leader_only: bool,
    /// The portal where it failed, and the name of its machine.
    pub(crate) portal: String,
    pub(crate) host: String,
    /// The server for which it failed; empty for a duty without servers.
    pub(crate) subject: String,
    pub(crate) health: DutyHealth,
}

/// How its last run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DutyHealth {
    /// Failed, for this reason.
    Failing(String),
    /// It did not run in this process yet.
    Unknown,
}

/// Duties that are failing or unknown, as the leading portal sees them.
///
/// # Errors
/// If the database fails.
pub(crate) async fn failed(portal: &Portal) -> ApiResult<Vec<FailedDuty>> {
    let (reports, host, now) = (portal.duties().reports(), background::host_name(), portal.now());
    let mut found = Vec::new();
    for report in &reports {
        let of = |subject: &str, health| failed_duty(report, (portal.id(), &host), subject, health);
        if report.runs == 0 {
            found.push(of("", DutyHealth::Unknown));
        }
        found.extend(report.failing.iter().map(|one| of(&one.subject, DutyHealth::Failing(one.error.clone()))));
    }
    if !portal.db().is_postgres() {
        // SQLite: there are no other portals.
        return Ok(found);
    }
    for row in store::all(portal.db()).await? {
        let known = reports.iter().find(|report| report.duty.name == row.duty);
        let Some(report) = known.filter(|report| report.duty.scope == Scope::EveryProcess) else { continue };
        if row.portal == portal.id() || !view::is_there(&row, now) {
            continue;
        }
        let of = |(subject, error): (String, String)| {
            failed_duty(report, (&row.portal, &row.host), &subject, DutyHealth::Failing(error))
        };
        found.extend(row.failing().into_iter().map(of));
    }
    Ok(found)
}

fn failed_duty(report: &DutyReport, (portal, host): (&str, &str), subject: &str, health: DutyHealth) -> FailedDuty {
    FailedDuty {
        name: report.duty.name,
        title: report.duty.title,
        period: report.duty.period,
        leader_only: report.duty.scope == Scope::Leader,
        portal: portal.to_owned(),
        host: host.to_owned(),
        subject: subject.to_owned(),
        health,
    }
}
