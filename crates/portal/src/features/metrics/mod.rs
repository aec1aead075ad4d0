//! Metrics of the whole lab for `/metrics`: cards, leases, instances, servers, disks, jobs and alerts.
//!
//! Global metrics are exported by the leading portal alone, so that sums over all portals are right. Metrics of a
//! process, such as response times and duties, are counted where they arise. The names are an interface: dashboards and
//! rules in `deploy/` use them, and the manual lists them.

mod cards;
mod gather;
mod text;

use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::timeout;

use self::text::Text;
use crate::Portal;

/// More frequent requests get the cached figures.
const GATHERED_EVERY: Duration = Duration::from_secs(10);
/// Prometheus waits 10 s for everything by default.
const PING_PATIENCE: Duration = Duration::from_secs(2);
const GATHER_PATIENCE: Duration = Duration::from_secs(5);

/// The metrics gathered last.
#[derive(Debug, Default)]
pub(crate) struct LabMetrics(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    gathered: Instant,
    leads: bool,
    text: String,
}

impl Portal {
    fn metrics(&self) -> &LabMetrics {
        self.part()
    }

    /// The figures of the lab in Prometheus' text format. Concurrent callers wait for the same answer.
    pub async fn lab_metrics(&self) -> String {
        let mut kept = self.metrics().0.lock().await;
        let leads = self.leads();
        if let Some(kept) = kept.as_ref()
            && kept.leads == leads
            && kept.gathered.elapsed() < GATHERED_EVERY
        {
            return kept.text.clone();
        }
        let text = gather_text(self, leads).await;
        *kept = Some(Kept { gathered: Instant::now(), leads, text: text.clone() });
        text
    }
}

async fn gather_text(portal: &Portal, leads: bool) -> String {
    let mut text = Text::default();
    let up = matches!(timeout(PING_PATIENCE, portal.db().ping()).await, Ok(Ok(())));
    text.gauge("yunlab_database_up", "Whether the database answers this portal.").sample(&[], u8::from(up));
    if !up || !leads {
        return text.into_string();
    }
    match timeout(GATHER_PATIENCE, gather::of_lab(portal)).await {
        Ok(Ok(lab)) => text.append(&lab),
        Ok(Err(error)) => tracing::warn!(%error, "the figures of the lab could not be gathered"),
        Err(_) => tracing::warn!("the figures of the lab took too long"),
    }
    text.into_string()
}
