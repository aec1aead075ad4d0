//! All cards of the lab together: how many are in use and how busy they are, once a minute for
//! 30 days.

use std::collections::HashSet;

use http_kit::ApiResult;

use super::model::GpuState;
use super::{store, store_lab, store_leases};
use crate::Portal;
use crate::features::servers::{self, ServerState};

/// Stores a sample of all the lab's cards. Cards of unreachable servers are left out, since their load is unknown.
pub(crate) async fn keep_lab_sample(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let servers = servers::all(&tx).await?;
    let online: HashSet<&str> = servers
        .iter()
        .filter(|server| server.state() == ServerState::Online)
        .map(|server| server.id.as_str())
        .collect();
    let leases = store_leases::open_leases(&tx, None).await?;
    let (mut cards, mut used) = (0_i64, 0_i64);
    let mut measured = Vec::new();
    for card in store::all(&tx).await?.into_iter().filter(|card| online.contains(card.server.as_str())) {
        let leased = leases.contains_key(&card.id);
        match card.state(leased) {
            GpuState::Allocated => used += 1,
            // Faulty, and still leased.
            GpuState::Faulty if leased => used += 1,
            GpuState::Free => {}
            GpuState::Faulty | GpuState::Missing | GpuState::Excluded => continue,
        }
        cards += 1;
        measured.extend(portal.clusters().sample(&card.server, &card.uuid, now).and_then(|sample| sample.utilization));
    }
    let count = i64::try_from(measured.len()).unwrap_or(i64::MAX);
    let utilization = measured.iter().sum::<i64>().checked_div(count);
    store_lab::keep(&tx, now, cards, used, utilization).await?;
    tx.commit().await?;
    Ok(())
}
