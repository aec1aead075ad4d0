//! The visibility of objects that users create: images and datasets.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::features::groups;

/// Who may see and use it besides its owner and administrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Visibility {
    /// Only they.
    #[default]
    Private,
    /// Members of groups that its owner is in.
    Group,
    /// All users.
    Public,
}

/// The condition on `user_id` and `visibility` for what an ordinary user may see; `?` is their id.
pub(crate) fn seen() -> String {
    let nearby = groups::TOGETHER_WITH;
    format!("user_id = ? or visibility = 'public' or (visibility = 'group' and user_id in ({nearby}))")
}
