//! What the portal that looks after the servers knows of them at present, for the others: they show
//! it as if they had seen it themselves. On SQLite nobody else is there to read it.

use db_kit::{FromQueryResult, Sql};
use http_kit::{ApiError, ApiResult};

use super::reconcile::Report;
use crate::Portal;
use crate::features::servers;

#[derive(FromQueryResult)]
struct Row {
    server_id: String,
    report: String,
}

/// Writes down what is known of all servers.
pub(super) async fn write(portal: &Portal) -> ApiResult<()> {
    let servers = servers::all(portal.db()).await?;
    let workers: Vec<_> = servers.iter().map(|server| portal.compute().of(&server.id)).collect();
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

/// Takes over what the portal that leads knows, unless that is this one.
pub(super) async fn read(portal: &Portal) -> ApiResult<()> {
    if portal.leads() {
        return Ok(());
    }
    let rows: Vec<Row> = portal.db().all("select server_id, report from server_reports", vec![]).await?;
    for row in rows {
        // Another version's may be of another shape.
        if let Ok(report) = serde_json::from_str::<Report>(&row.report) {
            portal.compute().of(&row.server_id).adopt(report);
        }
    }
    Ok(())
}
