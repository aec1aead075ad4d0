//! Datasets, labels and versions, stored and in the API.

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::dataset::{ChangeKind, DatasetFault, KeptBy};
use kernel::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::visibility::Visibility;

/// What a dataset consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DatasetType {
    Image,
    Text,
    Audio,
    Video,
    Table,
    Multimodal,
    Other,
}

/// What a label speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LabelKind {
    /// What one does with the data, such as detection.
    Task,
    /// What the data is about, such as medicine.
    Domain,
    /// How the data is laid out.
    Format,
    Other,
}

/// How far the folder of a dataset, or a version, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DatasetState {
    /// It is being made.
    Preparing,
    Ready,
    /// It could not be made.
    Failed,
}

/// The source of a dataset's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// A folder of the owner, as a path of theirs.
    pub(super) folder: Option<String>,
    /// Copy it instead of moving it.
    pub(super) copy: bool,
    /// A folder of the dataset's name that is there already.
    pub(super) adopt: bool,
}

/// A dataset as it is stored.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(table = "datasets")]
pub(crate) struct Dataset {
    pub(super) id: String,
    #[record(insert_only)]
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    #[record(word)]
    pub(super) kind: DatasetType,
    #[record(word)]
    pub(super) visibility: Visibility,
    #[record(column = "user_id", insert_only)]
    pub(super) user: UserId,
    #[record(insert_only)]
    pub(super) username: String,
    pub(super) licence: String,
    pub(super) source: String,
    pub(super) cover: String,
    #[record(word, insert_only)]
    pub(super) state: DatasetState,
    #[record(insert_only)]
    pub(super) fault: String,
    #[record(json, insert_only)]
    pub(super) origin: Origin,
    #[record(read_only)]
    pub(super) size: Option<i64>,
    #[record(read_only)]
    pub(super) files: Option<i64>,
    #[record(insert_only)]
    pub(super) partial: bool,
    #[record(read_only)]
    pub(super) counted: Option<Timestamp>,
    #[record(insert_only)]
    pub(super) last_version: i64,
    #[record(insert_only)]
    pub(super) created: Timestamp,
    pub(super) changed: Timestamp,
}

/// Whose a dataset is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DatasetOwner {
    pub(super) id: UserId,
    pub(super) username: String,
}

/// A word by which datasets are found.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "labels")]
pub(crate) struct Label {
    pub(super) id: String,
    pub(super) name: String,
    /// `#rrggbb`.
    pub(super) color: String,
    #[record(word)]
    pub(super) kind: LabelKind,
    /// Datasets that have it, including those that the caller does not see.
    #[record(computed)]
    pub(super) uses: i64,
}

/// A dataset.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatasetView {
    pub(super) id: String,
    /// Also the name of its folder.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) r#type: DatasetType,
    pub(super) labels: Vec<Label>,
    pub(super) visibility: Visibility,
    pub(super) owner: DatasetOwner,
    /// Its folder, on the disk and in instances alike: `/datasets/<name>`.
    pub(super) path: String,
    pub(super) licence: String,
    /// Where it comes from.
    pub(super) source: String,
    /// A picture in it, by its path from the folder down; empty: none.
    pub(super) cover: String,
    pub(super) state: DatasetState,
    /// Why it could not be made.
    pub(super) fault: String,
    /// Bytes of content; absent until it was counted.
    pub(super) size: Option<i64>,
    pub(super) files: Option<i64>,
    /// It holds more than was counted.
    pub(super) partial: bool,
    /// When it was counted last.
    pub(super) counted: Option<Timestamp>,
    /// Versions that are kept.
    pub(super) versions: i64,
    /// Instances that ever had it.
    pub(super) uses: i64,
    pub(super) created: Timestamp,
    pub(super) changed: Timestamp,
    /// Whether the viewer changes and deletes it, and writes in its folder.
    pub(super) editable: bool,
}

/// A dataset with what only its own page shows.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatasetDetail {
    #[serde(flatten)]
    pub(super) dataset: DatasetView,
    /// Markdown.
    pub(super) description: String,
    /// Instances that have it now. While there are any it can't be deleted. Only for those who may
    /// delete it.
    pub(super) instances: Option<Vec<DatasetUse>>,
}

/// An instance that has a dataset.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DatasetUse {
    /// The instance's name.
    pub(super) instance: String,
    pub(super) username: String,
    /// Null: the dataset itself.
    pub(super) version: Option<i64>,
}

/// A version: what the folder held at some moment, for reading.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "dataset_versions", key = "dataset_id, number")]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatasetVersion {
    /// From 1; never given twice.
    pub(super) number: i64,
    pub(super) note: String,
    #[record(word)]
    pub(super) state: DatasetState,
    /// Why it could not be made.
    pub(super) fault: String,
    /// Its folder, on the disk and in instances alike.
    #[record(skip)]
    pub(super) path: String,
    /// Bytes of content.
    pub(super) size: Option<i64>,
    pub(super) files: Option<i64>,
    /// How its bytes came about.
    #[record(word)]
    pub(super) kept_by: Option<VersionKeptBy>,
    /// Files that the version before did not have.
    pub(super) added: i64,
    /// Files with another content.
    pub(super) changed: i64,
    /// Files that the version before had.
    pub(super) removed: i64,
    /// Who made it.
    pub(super) username: String,
    pub(super) created: Timestamp,
}

/// A version with the files that differ.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DatasetVersionDetail {
    #[serde(flatten)]
    pub(super) version: DatasetVersion,
    /// The first of them by path.
    pub(super) difference: Vec<VersionChange>,
}

/// A file that differs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct VersionChange {
    /// From the dataset's folder down.
    pub(super) path: String,
    pub(super) kind: VersionChangeKind,
    /// Bytes.
    pub(super) size: u64,
}

/// How a file differs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VersionChangeKind {
    Added,
    Changed,
    Removed,
}

impl From<ChangeKind> for VersionChangeKind {
    fn from(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Added => Self::Added,
            ChangeKind::Changed => Self::Changed,
            ChangeKind::Removed => Self::Removed,
        }
    }
}

/// How the bytes of a version came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VersionKeptBy {
    /// The file system shares blocks with the dataset until these are written.
    Reflink,
    /// All files were copied.
    Copy,
    /// All files are shared with the version before by hard links.
    Hardlink,
    /// Changed files were copied; unchanged ones are shared with the version before by hard links.
    Mixed,
}

impl From<KeptBy> for VersionKeptBy {
    fn from(kept: KeptBy) -> Self {
        match kept {
            KeptBy::Reflink => Self::Reflink,
            KeptBy::Copy => Self::Copy,
            KeptBy::HardLink => Self::Hardlink,
            KeptBy::Mixed => Self::Mixed,
        }
    }
}

/// A message for the owner; `making` names what was being created.
pub(super) fn fault_in_words(fault: DatasetFault, making: &str) -> String {
    match fault {
        DatasetFault::NameTaken => "网盘上已有同名文件夹，请换一个名称，或请管理员登记该文件夹".to_owned(),
        DatasetFault::Missing => "网盘上没有该文件夹，或没有权限读取".to_owned(),
        DatasetFault::Forbidden => "没有权限复制或移动该文件夹，或其中挂载了文件系统".to_owned(),
        DatasetFault::NoRoom => {
            "超出所有者的网盘配额，或存储空间不足。请先删除不用的文件、数据集或版本，或申请更多配额".to_owned()
        }
        DatasetFault::Broken => format!("{making}失败，请稍后再试或联系管理员"),
    }
}

/// Filters of the list of datasets.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatasetFilter {
    #[param(inline)]
    pub(super) r#type: Option<DatasetType>,
    #[param(inline)]
    pub(super) visibility: Option<Visibility>,
    /// With this label, by id.
    pub(super) label: Option<String>,
    /// Only the caller's own.
    pub(super) mine: Option<bool>,
    /// Only those whose folder is there.
    pub(super) ready: Option<bool>,
}

impl ListFilter for DatasetFilter {
    const SORTS: &'static str = "`created`, `changed`, `name`, `size`, `files`, `uses` or `username`.";
    const WORDS: &'static str = "In name, title, description or owner.";
}

/// The query of the list.
pub(crate) type DatasetQuery = ListParams<DatasetFilter>;
