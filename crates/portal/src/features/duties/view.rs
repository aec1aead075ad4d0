//! The list of duties: this portal's present state, and the other portals' journal rows.

use std::collections::HashMap;
use std::time::Duration;

use background::{DutyReport, Scope};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::journal;
use super::model::{DutyFailure, DutyInPortal, DutyList, DutyRun, DutyView};
use super::store::{self, RunRow};
use crate::Portal;
use crate::features::servers;

/// A portal that wrote nothing for this long is not there.
const GONE_AFTER: Duration = Duration::from_secs(60);

/// All duties as an administrator sees them.
pub(super) async fn list(portal: &Portal) -> ApiResult<DutyList> {
    let now = portal.now();
    let host = background::host_name();
    let names: HashMap<String, String> =
        servers::all(portal.db()).await?.into_iter().map(|server| (server.id, server.name)).collect();
    let others: Vec<RunRow> =
        store::all(portal.db()).await?.into_iter().filter(|row| row.portal != portal.id()).collect();
    let items: Vec<DutyView> = portal
        .duties()
        .reports()
        .iter()
        .map(|report| {
            let own = journal::row(report, portal.id(), &host, now);
            let rows: Vec<&RunRow> = others.iter().filter(|row| row.duty == report.duty.name).collect();
            view(report, &own, &rows, now, &names)
        })
        .collect();
    let leaders = items.iter().filter(|duty| duty.leader_only).flat_map(|duty| &duty.portals);
    let leader = leaders.into_iter().find(|portal| portal.active).map(|portal| portal.host.clone());
    Ok(DutyList { total: i64::try_from(items.len()).unwrap_or(i64::MAX), items, leader })
}

pub(super) fn is_there(row: &RunRow, now: Timestamp) -> bool {
    Timestamp::from_millis(row.noted).plus(GONE_AFTER) >= now
}

fn view(
    report: &DutyReport,
    own: &RunRow,
    others: &[&RunRow],
    now: Timestamp,
    names: &HashMap<String, String>,
) -> DutyView {
    let leader_only = report.duty.scope == Scope::Leader;
    let there = others.iter().copied().filter(|row| is_there(row, now));
    let mut portals = Vec::new();
    if leader_only {
        // The portal where it is active, else where it ran last.
        let working = std::iter::once(own).chain(there).find(|row| row.active);
        let last = std::iter::once(own).chain(others.iter().copied()).max_by_key(|row| row.started);
        portals.extend(working.or(last).map(|row| in_portal(row, row.portal == own.portal, names)));
    } else {
        portals.push(in_portal(own, true, names));
        portals.extend(there.map(|row| in_portal(row, false, names)));
    }
    DutyView {
        name: report.duty.name.to_owned(),
        title: report.duty.title.to_owned(),
        description: report.duty.description.to_owned(),
        period_ms: i64::try_from(report.duty.period.as_millis()).unwrap_or(i64::MAX),
        leader_only,
        needs_trusted_clock: report.duty.needs_trusted_clock,
        portals,
    }
}

fn in_portal(row: &RunRow, here: bool, names: &HashMap<String, String>) -> DutyInPortal {
    let at = |millis: Option<i64>| millis.map(Timestamp::from_millis);
    let failing = row
        .failing()
        .into_iter()
        .map(|(subject, error)| DutyFailure { server: names.get(&subject).cloned().unwrap_or(subject), error });
    DutyInPortal {
        host: row.host.clone(),
        here,
        active: row.active,
        running_since: at(row.running_since),
        last: at(row.started).map(|started| DutyRun {
            started,
            took_ms: row.took_ms.unwrap_or_default(),
            error: row.error.clone(),
        }),
        next: at(row.next),
        held: row.held,
        failing: failing.collect(),
    }
}
