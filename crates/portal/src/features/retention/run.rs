//! Deletes expired data.

use anyhow::{Context, bail};

use super::{list, store};
use crate::Portal;
use crate::features::logs::{self, DutyCall};
use crate::features::settings;

const TITLE: &str = "清理过期数据";

/// Deletes expired data of each kind. A failure does not stop the others.
pub(super) async fn run(portal: &Portal) -> anyhow::Result<()> {
    let settings = settings::read(portal.db()).await?.retention;
    let (mut failed, mut dropped) = (Vec::new(), Vec::new());
    for kind in list::all() {
        let Some(limit) = kind.limit(&settings, portal.now()) else { continue };
        match kind.drop_before(portal, limit).await.with_context(|| kind.title.to_owned()) {
            Ok(removed) => {
                store::note(portal.db(), kind.name, portal.now(), removed).await?;
                if removed > 0 {
                    dropped.push(format!("{} {removed} 条", kind.title));
                }
            }
            Err(error) => failed.push(format!("{error:#}")),
        }
    }
    if !dropped.is_empty() {
        let tx = portal.db().begin().await?;
        let call = DutyCall {
            duty: TITLE,
            action: "retention.drop",
            target: "过期数据",
            detail: dropped.join("，"),
            failed: false,
        };
        logs::record_duty(&tx, portal.now(), call).await?;
        tx.commit().await?;
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("；"));
    }
    Ok(())
}

impl Portal {
    /// Deletes data older than the settings allow.
    ///
    /// # Errors
    /// When the database fails, or the logs cannot be archived first.
    pub async fn drop_old(&self) -> anyhow::Result<()> {
        run(self).await
    }
}
