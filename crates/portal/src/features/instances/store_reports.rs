//! Live reports of the servers, written by the leader for the other portals, which show them as their own. Unused on
//! SQLite, where there is only one portal.

use db_kit::Sql;
use http_kit::{ApiError, ApiResult};

use crate::Portal;
use crate::features::clusters::Report;
use crate::features::servers;

/// Writes the reports of all servers.
pub(super) async fn write(portal: &Portal) -> ApiResult<()> {
    let servers = servers::all(portal.db()).await?;
    let workers: Vec<_> = servers.iter().map(|server| portal.clusters().of(&server.id)).collect();
    let tx = portal.db().begin().await?;
    for worker in workers {
        let report = serde_json::to_string(&worker.report()).map_err(ApiError::internal)?;
        let sql = "insert into server_reports (server_id, report) values ($1, $2) \
            on conflict (server_id) do update set report = $2";
        tx.run(sql, vec![worker.server.as_str().into(), report.into()]).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Adopts the leader's reports, unless this portal is the leader.
pub(super) async fn read(portal: &Portal) -> ApiResult<()> {
    if portal.leads() {
        return Ok(());
    }
    let reports: Vec<(String, String)> =
        portal.db().pairs("select server_id, report from server_reports", vec![]).await?;
    for (server, report) in reports {
        // Another version's may be of another shape.
        if let Ok(report) = serde_json::from_str::<Report>(&report) {
            portal.clusters().of(&server).adopt(report);
        }
    }
    Ok(())
}
