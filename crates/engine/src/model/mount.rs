//! A folder of the machine inside a container. Only the portal resolves such paths; the checks here are a second
//! barrier, should a user's path ever come this far.

use crate::Invalid;

/// A folder of the engine's machine and where the container sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    source: String,
    target: String,
    read_only: bool,
}

/// Folders of the machine itself: never mounted, nor anything below.
const MACHINE: [&str; 10] = ["/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr"];
/// Folders of the container that its image or the engine provides.
const CONTAINER: [&str; 10] =
    [tools::FOLDER, "/bin", "/boot", "/dev", "/etc", "/lib", "/proc", "/sbin", "/sys", "/usr"];

impl Mount {
    /// `source` must exist: an engine does not create it.
    ///
    /// # Errors
    /// Paths that are not absolute and plain, and those of the machine or the container itself.
    pub fn new(source: &str, target: &str, read_only: bool) -> Result<Self, Invalid> {
        check("mount source", source, &MACHINE)?;
        check("mount target", target, &CONTAINER)?;
        if source == "/var/run" || source.starts_with("/var/run/") || source.starts_with("/var/lib/docker") {
            return Err(Invalid::new("mount source", source, "belongs to the system"));
        }
        Ok(Self { source: source.to_owned(), target: target.to_owned(), read_only })
    }

    /// Absolute path on the machine.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Absolute path in the container.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Whether the container may only read.
    #[must_use]
    pub fn read_only(&self) -> bool {
        self.read_only
    }
}

fn check(kind: &str, path: &str, system: &[&str]) -> Result<(), Invalid> {
    let invalid = |why| Invalid::new(kind, path, why);
    let Some(rest) = path.strip_prefix('/') else { return Err(invalid("is not absolute")) };
    if path.len() > 4096 || path.chars().any(char::is_control) {
        return Err(invalid("is too long or has control characters"));
    }
    if rest.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(invalid("is not plain"));
    }
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if system.iter().any(|folder| below(folder)) {
        return Err(invalid("belongs to the system"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_folders_that_are_not_the_systems() {
        assert!(Mount::new("/srv/yunlab/home/ann", "/home/ann", false).is_ok());
        assert!(Mount::new("/data/数据集/a b", "/datasets/数据集", true).is_ok());
        assert!(Mount::new("/devices", "/process", true).is_ok());
        for source in [
            "",
            "/",
            "srv",
            "/srv/../etc",
            "/srv//x",
            "/srv/",
            "/etc",
            "/proc/1",
            "/var/run/docker.sock",
            "/run/x",
            "/var/lib/docker",
            "/a\0b",
            "/a\nb",
        ] {
            assert!(Mount::new(source, "/home/ann", false).is_err(), "{source:?}");
        }
        for target in [
            "",
            "/",
            "home",
            "/home/..",
            "/proc",
            "/sys/x",
            "/dev/shm",
            "/etc",
            "/usr/local",
            "/.yunlab",
            "/.yunlab/bin",
        ] {
            assert!(Mount::new("/srv/x", target, false).is_err(), "{target:?}");
        }
    }
}
