//! Who may change a dataset.

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::model::Dataset;

/// Its owner and administrators change and delete it, make versions, and write in its folder.
pub(super) fn may_edit(actor: &Actor, dataset: &Dataset) -> bool {
    actor.is_admin() || dataset.user == actor.id
}

pub(super) fn check_may_edit(actor: &Actor, dataset: &Dataset) -> ApiResult<()> {
    if may_edit(actor, dataset) {
        Ok(())
    } else {
        Err(ApiError::conflict("not_owner", "只有所有者和管理员可以更改数据集"))
    }
}

/// A folder in `datasets` without a dataset has no owner, so only an administrator may assign it.
pub(super) fn check_may_adopt(actor: &Actor, adopt: bool) -> ApiResult<()> {
    if actor.is_admin() || !adopt {
        Ok(())
    } else {
        Err(ApiError::field("adopt", "只有管理员可以登记已有文件夹"))
    }
}
