//! The settings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::rules::Rule;
use crate::users::Profile;

/// What holds for everybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// What newcomers get.
    pub(crate) defaults: Profile,
    /// Before everybody's own.
    pub(crate) rules: Vec<Rule>,
    /// Whether pictures are made smaller for lists and previews.
    pub(crate) thumbnails: bool,
    /// Whether the command panel is on at all.
    pub(crate) exec: bool,
    /// Whether the public share is for reading only, except for administrators.
    pub(crate) share_read_only: bool,
    /// How long deleted files can be brought back; 0 = not at all.
    pub(crate) trash_days: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            defaults: Profile::default(),
            rules: Vec::new(),
            thumbnails: true,
            exec: true,
            share_read_only: false,
            trash_days: 30,
        }
    }
}
