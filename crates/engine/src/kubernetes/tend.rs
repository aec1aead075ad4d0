//! Looks after what the driver made.

use std::collections::BTreeMap;

use super::anchor::Anchor;
use super::cluster::Cluster;
use crate::runtime::Care;
use crate::{Phase, Result};

impl Cluster {
    pub(super) async fn tend(&self, care: Care) -> Result<()> {
        match care {
            Care::Isolation => self.keep_policies().await,
            Care::Leftovers => {
                self.close_ledgers().await?;
                self.sweep_policies().await?;
                self.sweep_trials().await?;
                self.sweep_lent().await?;
                self.sweep_tools().await
            }
        }
    }

    /// Pods that someone else deleted wait until how they ended is noted.
    async fn close_ledgers(&self) -> Result<()> {
        let seen = self.complete().await?;
        let anchors = seen.anchors.all();
        let anchors: BTreeMap<&str, &Anchor> =
            anchors.iter().filter_map(|one| one.as_ref().as_ref()).map(|one| (one.base.as_str(), one)).collect();
        for pod in seen.pods.all() {
            let is_ours = pod.namespace == self.settings.namespace && pod.held;
            if !is_ours || !pod.leaving || !matches!(pod.phase, Phase::Ended(_)) {
                continue;
            }
            if let (Some(anchor), Some(end)) = (anchors.get(pod.name.as_str()), &pod.end) {
                self.note_end(anchor, end).await?;
            }
            self.release_pod(&pod).await?;
        }
        Ok(())
    }
}
