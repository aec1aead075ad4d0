//! A release's manifest, and the comparison of versions. The manifest comes from elsewhere, so parsing enforces bounds.

use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::str::FromStr;

use kernel::rules;
use serde::{Deserialize, Serialize};

/// Of a manifest.
pub(super) const MAX_MANIFEST_BYTES: u64 = 256 * 1024;
/// No program is larger.
const MAX_PROGRAM_BYTES: u64 = 1 << 30;
const MAX_NOTES: usize = 20_000;
const MAX_BUILDS: usize = 16;
const MAX_NAME: usize = 100;

/// Three numbers, such as `4.10.0`, compared as numbers, and the number of the package: `4.10.0-2` is newer than
/// `4.10.0-1`, which is newer than `4.10.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: [u32; 3],
    /// 0 without a package number.
    package: u32,
}

impl Version {
    /// The running version.
    #[must_use]
    pub fn running() -> Self {
        kernel::RELEASE.parse().expect("the version in the workspace's manifest is three numbers")
    }
}

impl FromStr for Version {
    type Err = ReleaseError;

    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        let number = |part: &str| -> Option<u32> {
            let canonical = part == "0" || !part.starts_with(['0', '+']);
            part.parse().ok().filter(|_| canonical)
        };
        let (numbers, package) = match text.split_once('-') {
            Some((numbers, package)) => (numbers, number(package).filter(|package| *package > 0)),
            None => (text, Some(0)),
        };
        let numbers: Option<Vec<u32>> = numbers.split('.').map(number).collect();
        let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
        let version = numbers.zip(package).map(|(numbers, package)| Self { numbers, package });
        version.ok_or_else(|| ReleaseError::malformed("版本号不是 1.2.3 或 1.2.3-4 的形式"))
    }
}

impl Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        if self.package > 0 { write!(f, "-{}", self.package) } else { Ok(()) }
    }
}

/// Why a release can't be used, in words for administrators.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// No answer, or an interrupted one.
    #[error("更新源没有应答：{0}")]
    Unreachable(String),
    /// The source has no such file.
    #[error("更新源中没有 {0}")]
    Missing(String),
    /// More bytes than the file may have.
    #[error("更新源中的 {0} 过大")]
    TooLarge(String),
    /// Not signed with the configured key.
    #[error("发布清单的签名不对：内容被改动过，或者 update_key 不是发布者的公钥")]
    Signature,
    /// Signed, and yet not readable.
    #[error("发布清单的内容不对：{0}")]
    Malformed(String),
    /// Nothing for this kind of machine.
    #[error("版本 {version} 中没有适用于本机（{target}）的程序")]
    NoBuild {
        /// The release's.
        version: Version,
        /// This machine's.
        target: String,
    },
    /// The program does not match the manifest.
    #[error("下载的程序与发布清单不符：{0}")]
    Corrupt(&'static str),
    /// The new program can't be written beside the old one.
    #[error("不能写入 {path}：{why}")]
    Write {
        /// Where.
        path: String,
        /// Why not.
        why: String,
    },
    /// The server is stopping.
    #[error("服务停止，下载已中断")]
    Stopped,
}

impl ReleaseError {
    fn malformed(why: impl Into<String>) -> Self {
        Self::Malformed(why.into())
    }
}

/// The signed manifest of a release: one version, for some kinds of machines. Unknown fields, of a later format, are
/// ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Three numbers, and optionally the package's.
    pub version: String,
    /// The changes, for people; may be empty.
    #[serde(default)]
    pub notes: String,
    /// One for each kind of machine.
    pub builds: Vec<Build>,
}

/// A program of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// As from [`this_target`].
    pub target: String,
    /// Beside the manifest.
    pub file: String,
    /// Bytes.
    pub size: u64,
    /// Of the file, in hexadecimal digits.
    pub sha256: String,
}

/// This kind of machine, such as `x86_64-linux`.
#[must_use]
pub fn this_target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

impl Manifest {
    /// Parses and validates a signed manifest.
    ///
    /// # Errors
    /// [`ReleaseError::Malformed`] with the reason.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReleaseError> {
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| ReleaseError::malformed(error.to_string()))?;
        manifest.version()?;
        if !rules::is_text(&manifest.notes, MAX_NOTES) {
            return Err(ReleaseError::malformed("更新说明过长，或者含有控制字符"));
        }
        if manifest.builds.len() > MAX_BUILDS {
            return Err(ReleaseError::malformed("程序过多"));
        }
        manifest.builds.iter().try_for_each(Build::check)?;
        Ok(manifest)
    }

    /// The release's version.
    ///
    /// # Errors
    /// When the field is not a version number.
    pub fn version(&self) -> Result<Version, ReleaseError> {
        self.version.parse()
    }

    /// Compares the release with the running version.
    pub(super) fn compared(&self) -> Result<Ordering, ReleaseError> {
        Ok(self.version()?.cmp(&Version::running()))
    }

    /// The program for this machine.
    pub(super) fn build(&self) -> Result<&Build, ReleaseError> {
        let target = this_target();
        let found = self.builds.iter().find(|build| build.target == target);
        found.ok_or(ReleaseError::NoBuild { version: self.version()?, target })
    }
}

impl Build {
    fn check(&self) -> Result<(), ReleaseError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_name = (1..=MAX_NAME).contains(&self.file.len()) && self.file.chars().all(plain);
        if !is_name || self.file.starts_with('.') {
            return Err(ReleaseError::malformed("程序的文件名只能有字母、数字和 . _ -"));
        }
        if !(1..=MAX_PROGRAM_BYTES).contains(&self.size) {
            return Err(ReleaseError::malformed("程序的大小应在 1 字节到 1 GiB 之间"));
        }
        if self.sha256.len() != 64 || !self.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(ReleaseError::malformed("sha256 应为 64 位小写十六进制数字"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn release() -> Value {
        let build = json!({ "target": "x86_64-linux", "file": "yunlab-4.4.0", "size": 5, "sha256": "a".repeat(64) });
        json!({ "version": "4.4.0", "notes": "修复\n若干问题", "builds": [build], "later": { "field": 1 } })
    }

    #[rstest]
    #[case("4.3.29", "4.3.30")]
    #[case("4.9.9", "4.10.0")]
    #[case("4.3.29", "5.0.0")]
    #[case("4.3.29", "4.3.29-1")]
    #[case("4.3.29-1", "4.3.29-2")]
    #[case("4.3.29-9", "4.3.29-10")]
    #[case("4.3.29-10", "4.3.30")]
    #[case("4.3.29-10", "4.3.30-1")]
    fn versions_are_compared_as_numbers(#[case] older: Version, #[case] newer: Version) {
        assert!(older < newer);
        assert_eq!(newer.to_string().parse::<Version>().unwrap(), newer);
    }

    #[rstest]
    #[case("")]
    #[case("4.3")]
    #[case("4.3.29.1")]
    #[case("4.3.29-rc1")]
    #[case("v4.3.29")]
    #[case("4.03.29")]
    #[case("4.+3.29")]
    #[case("4.3.-1")]
    #[case("4.3.29-")]
    #[case("4.3.29-0")]
    #[case("4.3.29-01")]
    #[case("4.3.29-1-1")]
    #[case("4.3.29-1.1")]
    #[case("4.3.4294967296")]
    #[case("４.3.29")]
    fn what_is_no_version_is_refused(#[case] text: &str) {
        assert!(text.parse::<Version>().is_err());
    }

    #[test]
    fn a_release_is_read() {
        let manifest = Manifest::parse(release().to_string().as_bytes()).unwrap();
        assert_eq!((manifest.version().unwrap().to_string(), manifest.builds.len()), ("4.4.0".to_owned(), 1));
    }

    #[rstest]
    #[case("/version", json!("4.4"))]
    #[case("/version", json!(4.4))]
    #[case("/notes", json!("字".repeat(20_001)))]
    #[case("/notes", json!("\u{1b}[2J"))]
    #[case("/builds", json!({}))]
    #[case("/builds/0/file", json!("../yunlab"))]
    #[case("/builds/0/file", json!("/etc/passwd"))]
    #[case("/builds/0/file", json!(".."))]
    #[case("/builds/0/file", json!("a%2fb"))]
    #[case("/builds/0/file", json!("a?b"))]
    #[case("/builds/0/file", json!(""))]
    #[case("/builds/0/file", json!("a".repeat(101)))]
    #[case("/builds/0/size", json!(0))]
    #[case("/builds/0/size", json!(-1))]
    #[case("/builds/0/size", json!(2_000_000_000))]
    #[case("/builds/0/sha256", json!("A".repeat(64)))]
    #[case("/builds/0/sha256", json!("a".repeat(63)))]
    fn what_is_out_of_bounds_is_refused(#[case] place: &str, #[case] value: Value) {
        let mut release = release();
        *release.pointer_mut(place).unwrap() = value;
        assert!(matches!(Manifest::parse(release.to_string().as_bytes()), Err(ReleaseError::Malformed(_))));
    }

    #[test]
    fn another_machines_program_is_none() {
        let mut release = release();
        release["builds"][0]["target"] = json!("pdp11-unix");
        let manifest = Manifest::parse(release.to_string().as_bytes()).unwrap();
        assert!(matches!(manifest.build(), Err(ReleaseError::NoBuild { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Manifest::parse(&bytes);
        }

        #[test]
        fn any_text_is_answered(text in r#"[{}\[\]":,0-9a-z.]{0,200}"#) {
            let _ = Manifest::parse(text.as_bytes());
        }
    }
}
