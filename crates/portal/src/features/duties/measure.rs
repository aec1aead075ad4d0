//! What the measuring duties do, once and in order.

use crate::Portal;
use crate::features::{gpus, instances, terminals, usage, watch};
use crate::jobs;

impl Portal {
    /// Measures all servers with a worker once, writes the samples, and acts upon them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn measure(&self) -> anyhow::Result<()> {
        instances::measure(self).await?;
        gpus::keep_lab_sample(self).await?;
        watch::look_at_cards(self).await?;
        terminals::sweep(self).await?;
        jobs::sweep_orphans(self).await?;
        usage::add_up(self).await?;
        Ok(())
    }
}
