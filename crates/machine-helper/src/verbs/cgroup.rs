//! Freezing and thawing a container through its control group, of either version.

use std::fs;
use std::path::{Path, PathBuf};

use machine_helper::{Answer, CGROUP_ROOT, ContainerId, Refusal};
use rustix::time::Timespec;

/// Groups lie at most this deep, `kubepods/pod…/…` included.
const DEPTH: usize = 8;
/// More groups than any machine has.
const MOST_GROUPS: usize = 100_000;
/// The number of checks, ten milliseconds apart, whether all programs have stopped.
const LOOKS: usize = 500;

/// The files of one version of control groups.
struct Freezer {
    group: PathBuf,
    file: &'static str,
    frozen: &'static str,
    thawed: &'static str,
    /// The file with the present state.
    state: &'static str,
    done: &'static str,
}

pub(super) fn set_frozen(container: &ContainerId, frozen: bool) -> Result<Answer, Refusal> {
    let freezer = find(Path::new(CGROUP_ROOT), container)?;
    freezer.set(frozen)?;
    if !frozen || freezer.all_stopped()? {
        return Ok(Answer::Nothing);
    }
    // Half frozen is the worst of all.
    freezer.set(false)?;
    Err(Refusal::UNKNOWN)
}

impl Freezer {
    fn set(&self, frozen: bool) -> Result<(), Refusal> {
        Ok(fs::write(self.group.join(self.file), if frozen { self.frozen } else { self.thawed })?)
    }

    fn all_stopped(&self) -> Result<bool, Refusal> {
        let step = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
        for _ in 0..LOOKS {
            if fs::read_to_string(self.group.join(self.state))?.lines().any(|line| line == self.done) {
                return Ok(true);
            }
            // Version 1 has no notification, so its state is polled.
            rustix::event::poll(&mut [], Some(&step))?;
        }
        Ok(false)
    }
}

/// Finds the container's group; there must be exactly one.
fn find(root: &Path, container: &ContainerId) -> Result<Freezer, Refusal> {
    let unified = root.join("cgroup.controllers").exists();
    let start = if unified { root.to_owned() } else { root.join("freezer") };
    let mut found = groups(&start, container)?.into_iter();
    let (Some(group), None) = (found.next(), found.next()) else { return Err(Refusal::NotFound) };
    Ok(if unified {
        let (file, state) = ("cgroup.freeze", "cgroup.events");
        Freezer { group, file, frozen: "1", thawed: "0", state, done: "frozen 1" }
    } else {
        let file = "freezer.state";
        Freezer { group, file, frozen: "FROZEN", thawed: "THAWED", state: file, done: "FROZEN" }
    })
}

fn groups(start: &Path, container: &ContainerId) -> Result<Vec<PathBuf>, Refusal> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![(start.to_owned(), 0)], 0);
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            seen += 1;
            if seen > MOST_GROUPS {
                return Err(Refusal::NotSupported);
            }
            let name = entry.file_name();
            match name.to_str().and_then(|name| id_in(name).parse::<ContainerId>().ok()) {
                Some(id) if id == *container => found.push(entry.path()),
                // Groups inside a container's group belong to that container, whatever their names.
                Some(_) => {}
                None if depth < DEPTH => open.push((entry.path(), depth + 1)),
                None => {}
            }
        }
    }
    Ok(found)
}

/// Whether a group is the container's.
pub(super) fn is_of(name: &str, container: &ContainerId) -> bool {
    id_in(name) == container.as_str()
}

/// `<id>` with the driver `cgroupfs`, `docker-<id>.scope` with `systemd`.
fn id_in(name: &str) -> &str {
    name.strip_prefix("docker-").and_then(|name| name.strip_suffix(".scope")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> ContainerId {
        digit.repeat(64).parse().unwrap()
    }

    #[test]
    fn a_group_is_found_under_either_driver_and_only_when_there_is_one() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str| fs::create_dir_all(root.path().join(path)).unwrap();
        make(&format!("docker/{}", id("a")));
        make(&format!("system.slice/docker-{}.scope/nested", id("b")));
        make(&format!("docker/{0}/{1}", id("a"), id("c")));
        make(&format!("x/{}", id("d")));
        make(&format!("y/{}", id("d")));
        fs::write(root.path().join("cgroup.controllers"), "").unwrap();
        assert!(find(root.path(), &id("a")).unwrap().group.ends_with(id("a").as_str()));
        assert!(find(root.path(), &id("b")).is_ok());
        for hidden in ["c", "d", "e"] {
            assert_eq!(find(root.path(), &id(hidden)).err(), Some(Refusal::NotFound), "{hidden}");
        }
    }
}
