//! Paths in normal form: no `.`, no `..`, no empty segment, no control character, so that the kernel resolves exactly
//! what was checked.

use super::{Invalid, checked_text};

/// Half of the kernel's limit, which leaves room for the folder that a path is looked up in.
const MAX_PATH_BYTES: usize = 2048;
/// The kernel's limit of a name.
const MAX_NAME_BYTES: usize = 255;
/// Folders of the system, in which nothing of an instance is mounted that may go.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

checked_text!(
    /// An absolute path on the machine, which may be `/`.
    HostPath,
    host_path
);
checked_text!(
    /// An absolute path inside an instance: neither its root nor anything in `/proc`, `/sys` and `/dev`.
    InstancePath,
    instance_path
);
checked_text!(
    /// A relative path of a folder, as in `home/ann`.
    Folder,
    segments
);

impl HostPath {
    /// The path without its leading `/`, to be resolved below the machine's root; `.` for the root.
    #[must_use]
    pub fn below_root(&self) -> &str {
        if self.0 == "/" { "." } else { &self.0[1..] }
    }
}

impl InstancePath {
    /// The folder that holds the target, relative to the root (`.` for the root), and the target's name in it.
    #[must_use]
    pub fn parent_and_name(&self) -> (&str, &str) {
        self.0[1..].rsplit_once('/').unwrap_or((".", &self.0[1..]))
    }
}

fn host_path(text: &str) -> Result<(), Invalid> {
    if text == "/" { Ok(()) } else { absolute(text) }
}

fn instance_path(text: &str) -> Result<(), Invalid> {
    absolute(text)?;
    let within = |folder: &str| text.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if SYSTEM.into_iter().any(within) {
        return Err(Invalid("the path belongs to the system"));
    }
    Ok(())
}

fn absolute(text: &str) -> Result<(), Invalid> {
    segments(text.strip_prefix('/').ok_or(Invalid("the path is not absolute"))?)
}

fn segments(text: &str) -> Result<(), Invalid> {
    if text.len() > MAX_PATH_BYTES {
        return Err(Invalid("the path is too long"));
    }
    let fine = |name: &str| !matches!(name, "" | "." | "..") && name.len() <= MAX_NAME_BYTES;
    if !text.split('/').all(fine) {
        return Err(Invalid("the path has an empty, relative or overlong segment"));
    }
    if text.chars().any(char::is_control) {
        return Err(Invalid("the path has a control character"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn paths_that_mean_something_else_are_refused() {
        for bad in ["", "a", "a/b", "//", "/a/", "//a", "/a//b", "/.", "/..", "/a/../b", "/a/./b", "/a\n", "/a\0b"] {
            assert!(bad.parse::<HostPath>().is_err(), "{bad:?}");
            assert!(bad.parse::<InstancePath>().is_err(), "{bad:?}");
        }
        for bad in ["", "/", "/a", "a/", "a//b", "..", "a/..", ".", "a/\u{7f}"] {
            assert!(bad.parse::<Folder>().is_err(), "{bad:?}");
        }
        assert!("/".parse::<HostPath>().is_ok());
        assert!("/srv/网盘/…".parse::<HostPath>().is_ok());
        assert!(format!("/{}", "a".repeat(256)).parse::<HostPath>().is_err());
        assert!(format!("/{}", "a/".repeat(1500)).parse::<HostPath>().is_err());
    }

    #[test]
    fn an_instances_own_root_and_system_stay_mounted() {
        for bad in ["/", "/proc", "/proc/1", "/sys/fs", "/dev", "/dev/shm"] {
            assert!(bad.parse::<InstancePath>().is_err(), "{bad}");
        }
        let split = |text: &str| {
            let path: InstancePath = text.parse().unwrap();
            let (parent, name) = path.parent_and_name();
            (parent.to_owned(), name.to_owned())
        };
        assert_eq!(split("/share"), (".".to_owned(), "share".to_owned()));
        assert_eq!(split("/procedures/x"), ("procedures".to_owned(), "x".to_owned()));
        assert_eq!(split("/a/b/c"), ("a/b".to_owned(), "c".to_owned()));
    }

    proptest! {
        /// Accepted paths are in normal form and never leave the folder that they are resolved in.
        #[test]
        fn what_passes_is_normal(text in "[/.a\\PC]{0,40}") {
            if let Ok(path) = text.parse::<HostPath>() {
                let clean: std::path::PathBuf = std::path::Path::new(path.as_str()).components().collect();
                prop_assert_eq!(clean.to_str(), Some(path.as_str()));
                prop_assert!(!path.below_root().starts_with('/'));
                prop_assert!(path.below_root().split('/').all(|name| name != ".."));
            }
            if let Ok(folder) = text.parse::<Folder>() {
                let normal = |part| matches!(part, std::path::Component::Normal(_));
                prop_assert!(std::path::Path::new(folder.as_str()).components().all(normal));
            }
        }

        /// JSON is a door like any other.
        #[test]
        fn json_is_checked_alike(text in "\\PC{0,20}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(serde_json::from_str::<HostPath>(&json).ok(), text.parse().ok());
            prop_assert_eq!(serde_json::from_str::<InstancePath>(&json).ok(), text.parse().ok());
            prop_assert_eq!(serde_json::from_str::<Folder>(&json).ok(), text.parse().ok());
        }
    }
}
