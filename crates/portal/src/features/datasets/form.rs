//! Forms of datasets, labels and versions, and their validation.

use http_kit::FieldProblem;
use kernel::rules;
use serde::Deserialize;
use utoipa::ToSchema;

use super::model::{DatasetType, LabelKind};
use crate::check::Check;
use crate::visibility::Visibility;

const MOST_LABELS: usize = 20;

/// A folder that becomes the dataset.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OriginForm {
    /// On the network disk, as its owner says it, such as `/home/cifar`.
    pub(super) folder: String,
    /// It stays where it is and is copied; otherwise it is moved.
    #[serde(default)]
    pub(super) copy: bool,
}

/// A dataset to make.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatasetForm {
    /// Also the name of its folder; never changes.
    pub(super) name: String,
    #[serde(default)]
    pub(super) title: String,
    /// Markdown.
    #[serde(default)]
    pub(super) description: String,
    pub(super) r#type: DatasetType,
    /// By id.
    #[serde(default)]
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) visibility: Visibility,
    #[serde(default)]
    pub(super) licence: String,
    #[serde(default)]
    pub(super) source: String,
    /// A picture in it, by its path from the folder down.
    #[serde(default)]
    pub(super) cover: String,
    /// Left out: the folder is empty at first.
    pub(super) origin: Option<OriginForm>,
    /// Takes a folder of this name that lies in `datasets` already; for administrators.
    #[serde(default)]
    pub(super) adopt: bool,
}

/// What may be changed; left-out fields stay.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DatasetChange {
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) r#type: Option<DatasetType>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) visibility: Option<Visibility>,
    pub(super) licence: Option<String>,
    pub(super) source: Option<String>,
    pub(super) cover: Option<String>,
}

/// A version to make.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionForm {
    /// What is new in it.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub(super) note: String,
}

/// A label to make, or all of it to change.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelForm {
    pub(super) name: String,
    /// `#rrggbb`.
    pub(super) color: String,
    pub(super) kind: LabelKind,
}

impl DatasetForm {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.that(
            is_dataset_name(&self.name),
            "name",
            "名称为 1 到 60 个汉字、字母、数字、空格、“.”、“-”或“_”，以汉字、字母或数字开头，不能以空格或“.”结尾",
        );
        let folder = self.origin.as_ref().map_or("/", |origin| origin.folder.as_str());
        check.that(folder.starts_with('/') && folder.len() <= 4096, "origin", "请选择网盘上的文件夹").that(
            self.origin.is_none() || !self.adopt,
            "origin",
            "登记已有文件夹时不能再选择来源",
        );
        check_texts(&mut check, [&self.title, &self.licence, &self.source], &self.description, &self.cover);
        check_labels(&mut check, &self.labels);
        check.faults()
    }
}

impl DatasetChange {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (title, licence, source) = (text(&self.title), text(&self.licence), text(&self.source));
        check_texts(&mut check, [&title, &licence, &source], &text(&self.description), &text(&self.cover));
        check_labels(&mut check, self.labels.as_deref().unwrap_or_default());
        check.faults()
    }
}

impl LabelForm {
    pub(super) fn trimmed(mut self) -> Self {
        self.name = self.name.trim().to_owned();
        self.color = self.color.to_lowercase();
        self
    }

    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.that(!self.name.is_empty() && rules::is_line(&self.name, 20), "name", "名称为 1 到 20 个字").that(
            is_color(&self.color),
            "color",
            "颜色的格式为 #rrggbb",
        );
        check.faults()
    }
}

impl VersionForm {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.that(rules::is_text(&self.note, 500), "note", "最多 500 个字，不能有控制字符");
        check.faults()
    }
}

fn check_texts(check: &mut Check, [title, licence, source]: [&str; 3], description: &str, cover: &str) {
    check
        .that(rules::is_line(title, 100), "title", "最多 100 个字，不能换行")
        .that(rules::is_text(description, 50_000), "description", "最多 50000 个字，不能有控制字符")
        .that(rules::is_line(licence, 100), "licence", "最多 100 个字，不能换行")
        .that(rules::is_line(source, 500), "source", "最多 500 个字，不能换行")
        .that(is_path_below(cover), "cover", "请填写数据集中图片的相对路径，如 images/cover.png");
}

fn check_labels(check: &mut Check, labels: &[String]) {
    check.that(labels.len() <= MOST_LABELS, "labels", &format!("最多 {MOST_LABELS} 个标签"));
}

/// The name is also a folder's: no characters with a meaning in paths, no leading dot, nothing that looks like a
/// version.
pub(super) fn is_dataset_name(name: &str) -> bool {
    (1..=60).contains(&name.chars().count())
        && name.chars().next().is_some_and(char::is_alphanumeric)
        && !name.ends_with([' ', '.'])
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_'))
}

/// Nothing, or a plain path.
fn is_path_below(path: &str) -> bool {
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    path.is_empty() || (rules::is_line(path, 500) && path.split('/').all(plain))
}

fn is_color(color: &str) -> bool {
    color.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use kernel::dataset::{is_version_folder, version_folder};
    use proptest::prelude::*;

    use super::is_dataset_name;

    proptest! {
        #[test]
        fn a_dataset_name_is_a_harmless_folder_name(name in "\\PC{0,70}") {
            if is_dataset_name(&name) {
                prop_assert!(!name.contains(['/', '\\', '\0', '\n']) && version_folder(&name, i64::MAX).len() <= 255);
                prop_assert!(!name.starts_with('.') && !is_version_folder(&name));
            }
        }
    }

    #[test]
    fn usual_names_are_fine() {
        assert!(["CIFAR-10", "COCO 2017", "数据集", "v1.2_a"].into_iter().all(is_dataset_name));
        assert!(!["", "..", ".a", "a/b", "a@v1", "a.", " a", "a "].into_iter().any(is_dataset_name));
    }
}
