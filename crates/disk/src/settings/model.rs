//! The settings.

use std::collections::BTreeMap;
use std::path::Path;

use disk_core::rules::{Rule, RuleError, RuleSet};
use disk_core::view::ViewSettings;
use kernel::dataset::DatasetLimits;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::users::{MAX_RULES, Profile, ProfileError};

/// When the original ran commands of an administrator's.
const HOOKS: [&str; 10] = [
    "before_save",
    "after_save",
    "before_copy",
    "after_copy",
    "before_rename",
    "after_rename",
    "before_upload",
    "after_upload",
    "before_delete",
    "after_delete",
];
const HOMES: &str = "/home";
/// The platform's rule for passwords, for File Browser's pages.
const SHORTEST_PASSWORD: u32 = 6;
const MAX_BRAND_CHARS: usize = 100;
/// Ten years.
const MAX_TRASH_DAYS: u32 = 3650;
/// More datasets or links than people can survey.
const MOST_OF_ONE: u32 = 10_000;
const MOST_VERSIONS: u32 = 1000;
const GB: u64 = kernel::units::GB.unsigned_abs();

/// For all users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Always false: accounts are made on the platform.
    #[schema(required = true)]
    pub(crate) signup: bool,
    /// Whether homes, and scopes in them, are made at the first visit; else an administrator makes
    /// them.
    #[schema(required = true)]
    pub(crate) create_user_dir: bool,
    /// What newcomers get. They never get `perm.admin`, `perm.execute` and `commands` from here.
    #[schema(required = true)]
    pub(crate) defaults: Profile,
    /// Before each user's own.
    #[schema(required = true)]
    pub(crate) rules: Vec<Rule>,
    #[schema(required = true)]
    pub(crate) branding: Branding,
    /// Always empty: commands are started without a shell.
    #[schema(required = true)]
    pub(crate) shell: Vec<String>,
    /// Hooks by their event, each always empty: none are run.
    #[schema(required = true)]
    pub(crate) commands: BTreeMap<String, Vec<String>>,
    /// Whether pictures are made smaller for lists and previews.
    #[schema(required = true)]
    pub(crate) thumbnails: bool,
    /// Whether they are for previews too; else those show the file itself.
    #[schema(required = true)]
    pub(crate) resize_preview: bool,
    /// Whether the command panel is on at all.
    #[schema(required = true)]
    pub(crate) exec: bool,
    /// Whether the public share is for reading only, except for administrators.
    #[schema(required = true)]
    pub(crate) share_read_only: bool,
    /// How long deleted files can be brought back; 0 = not at all.
    #[schema(required = true, maximum = 3650)]
    pub(crate) trash_days: u32,
    #[schema(required = true)]
    pub(crate) quotas: Quotas,
    #[schema(required = true)]
    pub(crate) limits: Limits,
    #[schema(required = true)]
    pub(crate) audit: Audit,
    /// Whether the pages of File Browser 2.44 and later may be used with this disk: they show files by
    /// a cookie `auth`, which counts for `GET` and for access tokens with the scope `files` alone, and
    /// their searches get lines. The danger: a browser sends that cookie to every port of this host,
    /// also to servers in other users' instances there, who can then read this person's files.
    #[schema(required = true)]
    pub(crate) filebrowser_pages: bool,
    /// How File Browser's pages upload; ours find out by themselves.
    #[schema(required = true)]
    pub(crate) tus: Tus,
    /// Kept for File Browser's pages.
    #[schema(required = true)]
    pub(crate) hide_login_button: bool,
    /// Always 6, the platform's rule; another value is ignored.
    #[schema(required = true)]
    pub(crate) minimum_password_length: u32,
    /// Always `/home`; another value is ignored.
    #[schema(required = true)]
    pub(crate) user_home_base_path: String,
}

/// Pieces of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Tus {
    /// Bytes of a piece.
    #[schema(required = true, minimum = 1)]
    pub(crate) chunk_size: u64,
    /// How often a piece is sent again.
    #[schema(required = true)]
    pub(crate) retry_count: u16,
}

impl Default for Tus {
    fn default() -> Self {
        Self { chunk_size: 10 * 1024 * 1024, retry_count: 5 }
    }
}

/// How the disk's pages present themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Branding {
    /// Instead of the product's name; plain text.
    #[schema(required = true)]
    pub(crate) name: String,
    /// Whether pages leave out links to other sites.
    #[schema(required = true)]
    pub(crate) disable_external: bool,
    /// Whether File Browser's pages leave out how full the disk is.
    #[schema(required = true)]
    pub(crate) disable_used_percentage: bool,
    /// Always empty: no files of the machine stand in for pages.
    #[schema(required = true)]
    pub(crate) files: String,
    /// `light` or `dark` for users who have not chosen; empty for the browser's own.
    // An enum of the document can't have an empty word.
    #[schema(required = true, value_type = String)]
    pub(crate) theme: BrandTheme,
    /// `#rrggbb`, or empty for the usual one.
    #[schema(required = true, example = "#166db6")]
    pub(crate) color: String,
}

/// Colours for people who have not chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BrandTheme {
    #[default]
    #[serde(rename = "")]
    Browsers,
    Light,
    Dark,
}

/// Bytes that the common folders may take; 0 = no limit. Those of homes and group folders stand
/// at the platform's accounts and groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct Quotas {
    /// The public share; until the settings are changed for the first time a tenth of the file system.
    #[schema(required = true)]
    pub(crate) share: u64,
    /// All datasets of all users together, beside the quotas of their owners.
    #[schema(required = true)]
    pub(crate) datasets: u64,
}

/// How many there may be, of administrators' own too. What is over already stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub(crate) struct Limits {
    /// Datasets of one person.
    #[schema(required = true, minimum = 1, maximum = 10_000)]
    pub(crate) datasets: u32,
    /// Versions of one dataset.
    #[schema(required = true, minimum = 1, maximum = 1000)]
    pub(crate) versions: u32,
    /// Share links of one person.
    #[schema(required = true, minimum = 1, maximum = 10_000)]
    pub(crate) shares: u32,
}

impl Default for Limits {
    fn default() -> Self {
        let DatasetLimits { datasets, versions } = DatasetLimits::default();
        Self { datasets, versions, shares: 200 }
    }
}

impl Limits {
    /// The limits that the portal enforces.
    pub(crate) fn of_datasets(self) -> DatasetLimits {
        DatasetLimits { datasets: self.datasets, versions: self.versions }
    }

    fn are_possible(self) -> bool {
        let most = MOST_OF_ONE;
        (1..=most).contains(&self.datasets)
            && (1..=MOST_VERSIONS).contains(&self.versions)
            && (1..=most).contains(&self.shares)
    }
}

/// What the audit trail has beside deletions, share links and administrators' looks at other people's files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Audit {
    /// How many of a hundred other reads of files are written down, chosen by chance; 0 = none.
    #[schema(required = true, maximum = 100)]
    pub(crate) read_percent: u8,
}

/// Why settings can't be some.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("signup stays off: accounts are made on the platform")]
    Signup,
    #[error("shell stays empty: commands are started without one")]
    Shell,
    #[error("commands stay empty: hooks are not run")]
    Hooks,
    #[error("branding.files stays empty: pages are not replaced by files of this machine")]
    BrandFiles,
    #[error("branding.name is at most 100 characters of plain text")]
    BrandName,
    #[error("branding.color is #rrggbb")]
    BrandColor,
    #[error("trashDays is at most 3650")]
    TrashDays,
    #[error("limits are 1 to 10000, of versions to 1000")]
    Limits,
    #[error("audit.readPercent is at most 100")]
    ReadPercent,
    #[error("tus.chunkSize is at least 1")]
    ChunkSize,
    #[error("too many rules")]
    TooManyRules,
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error("defaults: {0}")]
    Defaults(#[from] ProfileError),
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            signup: false,
            create_user_dir: true,
            defaults: Profile::default(),
            rules: Vec::new(),
            branding: Branding::default(),
            shell: Vec::new(),
            commands: HOOKS.iter().map(|hook| ((*hook).to_owned(), Vec::new())).collect(),
            thumbnails: true,
            resize_preview: true,
            exec: true,
            share_read_only: false,
            trash_days: 30,
            quotas: Quotas::default(),
            limits: Limits::default(),
            audit: Audit::default(),
            filebrowser_pages: false,
            tus: Tus::default(),
            hide_login_button: false,
            minimum_password_length: SHORTEST_PASSWORD,
            user_home_base_path: HOMES.to_owned(),
        }
    }
}

impl Settings {
    /// The same for a disk at this folder, which need not be there yet: the public share has a quota.
    pub(crate) fn for_disk_at(mut self, root: &Path) -> Self {
        if self.quotas.share == 0 {
            self.quotas.share = share_quota(root);
        }
        self
    }

    /// The part that views are made with.
    pub(crate) fn of_views(&self) -> ViewSettings {
        ViewSettings { share_read_only: self.share_read_only, make_homes: self.create_user_dir }
    }

    /// The settings in normal form; an error for invalid ones.
    pub(crate) fn checked(mut self) -> Result<Self, SettingsError> {
        let refuse = |wrong: bool, error: SettingsError| if wrong { Err(error) } else { Ok(()) };
        refuse(self.signup, SettingsError::Signup)?;
        refuse(!self.shell.is_empty(), SettingsError::Shell)?;
        refuse(self.commands.values().any(|hook| !hook.is_empty()), SettingsError::Hooks)?;
        let Branding { name, files, color, .. } = &self.branding;
        refuse(!files.is_empty(), SettingsError::BrandFiles)?;
        refuse(name.chars().count() > MAX_BRAND_CHARS || name.contains(char::is_control), SettingsError::BrandName)?;
        refuse(!color.is_empty() && !is_color(color), SettingsError::BrandColor)?;
        refuse(self.tus.chunk_size == 0, SettingsError::ChunkSize)?;
        refuse(self.trash_days > MAX_TRASH_DAYS, SettingsError::TrashDays)?;
        refuse(!self.limits.are_possible(), SettingsError::Limits)?;
        refuse(self.audit.read_percent > 100, SettingsError::ReadPercent)?;
        refuse(self.rules.len() > MAX_RULES, SettingsError::TooManyRules)?;
        RuleSet::compile(&self.rules)?;
        self.defaults = self.defaults.checked()?;
        self.minimum_password_length = SHORTEST_PASSWORD;
        HOMES.clone_into(&mut self.user_home_base_path);
        Ok(self)
    }
}

/// A tenth of the file system, in whole GB: one person must not fill the disk through the public share.
fn share_quota(root: &Path) -> u64 {
    let system = root.ancestors().find_map(|folder| rustix::fs::statvfs(folder).ok());
    let total = system.map_or(0, |system| system.f_blocks.saturating_mul(system.f_frsize));
    (total / 10 / GB).max(1) * GB
}

fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}
