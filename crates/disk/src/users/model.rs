//! A disk user's own part; name and home are the platform account's.

use disk_core::jail::{MAX_NAME_BYTES, VirtualPath, is_reserved};
use disk_core::rules::{Rule, RuleError, RuleSet};
use disk_core::space::is_fixed_folder;
use kernel::Actor;
use kernel::scope::AccessToken;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::permissions::Permissions;
use crate::resources::Sorting;

/// The language of our own pages; another stored choice is kept.
const LOCALE: &str = "zh-cn";
/// Of a language and of an editor's colours.
const MAX_WORD_CHARS: usize = 64;
/// Maximum number of rules of a person, and of global ones: each is checked for every displayed entry.
pub(crate) const MAX_RULES: usize = 200;
const MAX_COMMANDS: usize = 200;

/// How a folder is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ViewMode {
    #[default]
    List,
    Mosaic,
    /// Pictures side by side, in File Browser's pages; ours show it as `mosaic`.
    #[serde(rename = "mosaic gallery")]
    MosaicGallery,
}

/// Colours of the disk's pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    #[default]
    Light,
    Dark,
}

/// A disk user's preferences and rights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Profile {
    /// The folder of the person's view that is their root; `/` is all of it. Not for the
    /// platform's administrators.
    #[schema(required = true)]
    pub(crate) scope: String,
    /// Kept for File Browser's pages; ours are Chinese.
    #[schema(required = true)]
    pub(crate) locale: String,
    #[schema(required = true)]
    pub(crate) view_mode: ViewMode,
    /// Whether one click opens.
    #[schema(required = true)]
    pub(crate) single_click: bool,
    #[schema(required = true)]
    pub(crate) sorting: Sorting,
    #[schema(required = true)]
    pub(crate) perm: Permissions,
    /// Programs that the command panel may start, by their exact names.
    #[schema(required = true)]
    pub(crate) commands: Vec<String>,
    /// After the global ones.
    #[schema(required = true)]
    pub(crate) rules: Vec<Rule>,
    /// The user can't change their password. Passwords are the platform's, which gets this setting.
    #[schema(required = true)]
    pub(crate) lock_password: bool,
    /// Whether listings leave out names that begin with a dot.
    #[schema(required = true)]
    pub(crate) hide_dotfiles: bool,
    #[schema(required = true)]
    pub(crate) theme: Theme,
    /// Whether times are written out, in File Browser's pages.
    #[schema(required = true)]
    pub(crate) date_format: bool,
    /// Whether a copy or a move leads to where it went, in File Browser's pages.
    #[schema(required = true)]
    pub(crate) redirect_after_copy_move: bool,
    /// The editor's colours, in File Browser's pages.
    #[schema(required = true)]
    pub(crate) ace_editor_theme: String,
}

/// Why a profile is invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfileError {
    #[error("locale and aceEditorTheme are short words")]
    Word,
    #[error("scope is no folder in home, share, groups or datasets")]
    Scope,
    #[error("a command is the name of a program, without its folder and options")]
    Command,
    #[error("too many commands or rules")]
    TooMany,
    #[error(transparent)]
    Rule(#[from] RuleError),
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            scope: "/".to_owned(),
            locale: LOCALE.to_owned(),
            view_mode: ViewMode::default(),
            single_click: false,
            sorting: Sorting::default(),
            perm: Permissions::ORDINARY,
            commands: Vec::new(),
            rules: Vec::new(),
            lock_password: false,
            hide_dotfiles: false,
            theme: Theme::default(),
            date_format: false,
            redirect_after_copy_move: true,
            ace_editor_theme: String::new(),
        }
    }
}

impl Profile {
    /// The owner's present permissions. The platform's administrators have all; an access token has no administration
    /// permission unless its scopes include it.
    pub(crate) fn rights_of(&self, actor: &Actor) -> Permissions {
        let administers = actor.token.as_ref().is_none_or(AccessToken::administers);
        if actor.is_admin() {
            Permissions::ALL
        } else {
            Permissions { admin: self.perm.admin && administers, ..self.perm }
        }
    }

    /// The defaults of a new person: never more than reading and writing files, whatever the settings say. An
    /// administrator grants the rest explicitly.
    pub(crate) fn for_newcomer(&self) -> Self {
        let perm = Permissions { admin: false, execute: false, ..self.perm };
        Self { perm, commands: Vec::new(), ..self.clone() }
    }

    /// With the scope in normal form, and all permissions for an administrator; an error for an invalid profile.
    pub(crate) fn checked(mut self) -> Result<Self, ProfileError> {
        if !is_word(&self.locale) || !is_word(&self.ace_editor_theme) {
            return Err(ProfileError::Word);
        }
        if self.locale.is_empty() {
            self.locale = LOCALE.to_owned();
        }
        let scope = VirtualPath::from_decoded(&self.scope).map_err(|_| ProfileError::Scope)?;
        let in_view = scope.names().first().is_none_or(|first| is_fixed_folder(first.as_ref()));
        if !in_view || scope.names().iter().any(|name| is_reserved(name.as_bytes())) {
            return Err(ProfileError::Scope);
        }
        self.scope = if scope.is_root() { scope.to_string() } else { scope.to_string().trim_end_matches('/').into() };
        if self.commands.len() > MAX_COMMANDS || self.rules.len() > MAX_RULES {
            return Err(ProfileError::TooMany);
        }
        if !self.commands.iter().all(|name| is_program(name)) {
            return Err(ProfileError::Command);
        }
        RuleSet::compile(&self.rules)?;
        if self.perm.admin {
            self.perm = Permissions::ALL;
        }
        Ok(self)
    }
}

/// Whether this can be a language or an editor's colours.
pub(crate) fn is_word(text: &str) -> bool {
    text.chars().count() <= MAX_WORD_CHARS && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Whether this can be the name of a program.
pub(crate) fn is_program(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_alphanumeric() || "._+-".contains(c))
}
