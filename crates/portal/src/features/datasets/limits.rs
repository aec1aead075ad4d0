//! Enforces the limits on the number of datasets and versions. Administrators set them on the disk, which reports them.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::UserId;
use kernel::dataset::DatasetLimits;

use super::store_limits;
use crate::Portal;

/// Where the limits are set.
const PAGE: &str = "系统设置 → 网盘设置 → 全局设置";

impl Portal {
    /// Enforces these limits from now on; what exceeds them already stays.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()> {
        if store_limits::limits(self.db()).await? == limits {
            return Ok(());
        }
        let tx = self.db().begin().await?;
        store_limits::put(&tx, limits).await?;
        Ok(tx.commit().await?)
    }
}

/// 409 when the person has as many datasets as they may have. No other of theirs is made before the transaction ends.
pub(super) async fn check_datasets(tx: &Tx, user: UserId) -> ApiResult<()> {
    tx.serialize(&format!("datasets of {user}")).await?;
    let most = store_limits::limits(tx).await?.datasets;
    if store_limits::datasets_of(tx, user).await? < i64::from(most) {
        return Ok(());
    }
    let message =
        format!("名下的数据集已达上限（{most} 个），请先删除不用的数据集，或请管理员在“{PAGE}”里调高“每人数据集数”");
    Err(ApiError::conflict("too_many_datasets", message))
}

/// 409 when the dataset has as many versions as it may have. The caller holds a lock against concurrent ones.
pub(super) async fn check_versions(tx: &Tx, dataset: &str) -> ApiResult<()> {
    let most = store_limits::limits(tx).await?.versions;
    if store_limits::versions_of(tx, dataset).await? < i64::from(most) {
        return Ok(());
    }
    let message = format!(
        "这个数据集的版本已达上限（{most} 个），请先删除不用的版本，或请管理员在“{PAGE}”里调高“每个数据集的版本数”"
    );
    Err(ApiError::conflict("too_many_versions", message))
}
