//! A disk user's own part; name and home are the platform account's.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::permissions::Permissions;
use crate::resources::Sorting;
use crate::rules::Rule;

/// How a folder is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ViewMode {
    #[default]
    List,
    Mosaic,
}

/// Colours of the disk's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    #[default]
    Light,
    Dark,
}

/// What somebody chose and what was chosen for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Profile {
    /// The folder of the person's view that is their root; `/` is all of it.
    pub(crate) scope: String,
    /// Always `zh-cn`.
    pub(crate) locale: String,
    pub(crate) view_mode: ViewMode,
    /// Whether one click opens.
    pub(crate) single_click: bool,
    pub(crate) sorting: Sorting,
    pub(crate) perm: Permissions,
    /// Programs that the command panel may start, by their exact names.
    pub(crate) commands: Vec<String>,
    /// After the global ones.
    pub(crate) rules: Vec<Rule>,
    /// The password can't be changed; passwords are the platform's, so this only shows.
    pub(crate) lock_password: bool,
    /// Whether listings leave out names that begin with a dot.
    pub(crate) hide_dotfiles: bool,
    pub(crate) theme: Theme,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            scope: "/".to_owned(),
            locale: "zh-cn".to_owned(),
            view_mode: ViewMode::default(),
            single_click: false,
            sorting: Sorting::default(),
            perm: Permissions::ORDINARY,
            commands: Vec::new(),
            rules: Vec::new(),
            lock_password: false,
            hide_dotfiles: false,
            theme: Theme::default(),
        }
    }
}

impl Profile {
    /// What a new person gets: never more than reading and writing files, whatever the defaults
    /// say. An administrator gives the rest by hand.
    pub(crate) fn for_newcomer(&self) -> Self {
        let perm = Permissions { admin: false, execute: false, ..self.perm };
        Self { perm, commands: Vec::new(), ..self.clone() }
    }
}
