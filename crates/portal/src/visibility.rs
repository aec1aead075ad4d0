//! Who may see what somebody made: an image, a dataset.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::features::groups;

/// Who may see and use it besides its owner and administrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Visibility {
    /// Nobody.
    #[default]
    Private,
    /// Members of groups that its owner is in.
    Group,
    /// Everybody.
    Public,
}

/// What somebody who is no administrator may see, as a condition on `user_id` and `visibility`
/// whose `?` is the person.
pub(crate) fn seen() -> String {
    let nearby = groups::TOGETHER_WITH;
    format!("user_id = ? or visibility = 'public' or (visibility = 'group' and user_id in ({nearby}))")
}
