//! App passwords. No I/O.

use db_kit::Record;
use http_kit::FieldProblem;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;

/// The limit per user.
pub(super) const MOST: i64 = 20;
const MAX_NAME_CHARACTERS: usize = 50;
/// The same limit as on the disk.
const MAX_FOLDER_BYTES: usize = 4096;

/// Without characters that are easily confused.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Random bytes of a secret: 160 bits.
pub(super) const RANDOM_BYTES: usize = 20;

/// An app password, as its owner sees it later: not the password itself.
#[derive(Debug, Record, Serialize, ToSchema)]
#[record(table = "app_passwords")]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppPassword {
    pub(super) id: String,
    /// What it is for.
    pub(super) name: String,
    pub(super) created: Timestamp,
    /// When it expires; null if it does not.
    pub(super) expires: Option<Timestamp>,
    /// The folder of the disk that it is confined to, as its owner sees the path; null if it opens everything that its
    /// owner sees.
    pub(super) folder: Option<String>,
    /// When it was last used, to a few minutes; null before the first use.
    #[record(read_only)]
    pub(super) last_used: Option<Timestamp>,
}

/// A new app password; the only answer with the password in it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewAppPassword {
    #[serde(flatten)]
    pub(super) entry: AppPassword,
    pub(super) password: String,
}

/// The error of an invalid name.
pub(crate) const LABEL_RULE: &str = "请填写 1 到 50 个字的名称";

/// Normalizes the name of an app password or access token; `None` if it is invalid.
pub(crate) fn label(name: &str) -> Option<&str> {
    let name = name.trim();
    let fits = (1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    fits.then_some(name)
}

/// The request to create an app password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppPasswordForm {
    /// What it is for; 1 to 50 characters.
    pub(super) name: String,
    /// When it expires; never if omitted.
    #[serde(default)]
    pub(super) expires: Option<Timestamp>,
    /// The folder of the disk that it is confined to, which becomes its root; everything if omitted.
    #[serde(default)]
    #[schema(example = "/home/backup")]
    pub(super) folder: Option<String>,
}

impl AppPasswordForm {
    /// Returns what is invalid about it.
    pub(super) fn faults(&self, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check
            .that(label(&self.name).is_some(), "name", LABEL_RULE)
            .that(self.expires.is_none_or(|expires| expires > now), "expires", "有效期应在现在之后")
            .that(
                self.folder.as_deref().is_none_or(|folder| folder_path(folder).is_some()),
                "folder",
                "请填写网盘里的文件夹，如 /home/backup",
            );
        check.faults()
    }
}

/// Normalizes a folder's path: without a trailing slash, empty for the root; `None` if it is invalid. Does not check
/// that the folder exists, which only the disk can.
pub(super) fn folder_path(text: &str) -> Option<&str> {
    let path = text.strip_suffix('/').unwrap_or(text);
    if path.is_empty() {
        return Some(path);
    }
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.chars().any(char::is_control);
    let fits = text.len() <= MAX_FOLDER_BYTES && path.strip_prefix('/')?.split('/').all(is_name);
    fits.then_some(path)
}

/// Encodes random bytes as letters and digits, five bits each.
pub(super) fn spelled(bytes: &[u8; RANDOM_BYTES]) -> String {
    let mut password = String::with_capacity(RANDOM_BYTES * 8 / 5);
    for five in bytes.chunks(5) {
        let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for letter in (0..8).rev() {
            let index = usize::try_from(bits >> (5 * letter) & 31).unwrap_or_default();
            password.push(char::from(ALPHABET[index]));
        }
    }
    password
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_plain_path() {
        assert_eq!(folder_path("/home/备份/"), Some("/home/备份"));
        assert_eq!((folder_path("/"), folder_path("")), (Some(""), Some("")));
        for odd in ["home", "//home", "/home//a", "/home/..", "/./a", "/a\u{0}b", "/a\nb"] {
            assert_eq!(folder_path(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn spelling_loses_nothing() {
        assert_eq!(spelled(&[0; 20]), "a".repeat(32));
        assert_eq!(spelled(&[255; 20]), "9".repeat(32));
        let mut bytes = [0; 20];
        bytes[19] = 1;
        assert_eq!(spelled(&bytes), format!("{}b", "a".repeat(31)));
        assert_eq!(ALPHABET.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
    }
}
