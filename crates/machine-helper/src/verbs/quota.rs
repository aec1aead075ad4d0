//! Quotas of projects on XFS and ext4, through the machine's own xfsprogs, which do both.
//!
//! The tools are handed open files and never names below the folder, so the folder's owner can't
//! swap a file for a link between our check and their use.

use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, OwnedFd};

use machine_helper::{Answer, Folder, HostPath, ProjectChange, ProjectId, ProjectQuotaState, ProjectUsage, Refusal};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::process::{Resource, getrlimit, setrlimit};

use super::mounts::{self, Mount};
use super::tool::{Tool, enter_host};
use super::tree;

/// Open files that a tool is handed at once.
const AT_ONCE: usize = 128;

pub(super) fn set(
    root: &HostPath,
    folder: &Folder,
    project: ProjectId,
    limit_bytes: NonZeroU64,
) -> Result<Answer, Refusal> {
    let place = Place::open(root)?;
    let tools = Tools::find(&place)?;
    let start = place.folder(folder)?;
    // The limit first, so that the files are limited as soon as they are counted.
    tools.limit(project, Some(limit_bytes))?;
    tools.tag(start, &format!("chproj {}", project.number()), "chattr +P")?;
    Ok(Answer::Nothing)
}

pub(super) fn clear(root: &HostPath, folder: &Folder, project: ProjectId) -> Result<Answer, Refusal> {
    let place = Place::open(root)?;
    let tools = Tools::find(&place)?;
    match place.folder(folder) {
        Ok(start) => tools.tag(start, "chproj 0", "chattr -P")?,
        // A missing folder needs no change.
        Err(Refusal::NotFound) => {}
        Err(refusal) => return Err(refusal),
    }
    tools.limit(project, None)?;
    Ok(Answer::Nothing)
}

pub(super) fn limit(root: &HostPath, project: ProjectId, limit_bytes: Option<NonZeroU64>) -> Result<Answer, Refusal> {
    let place = Place::open(root)?;
    Tools::find(&place)?.limit(project, limit_bytes)?;
    Ok(Answer::Nothing)
}

/// Tries it with a file that has no name, so that nothing is left of it.
pub(super) fn try_change(root: &HostPath) -> Result<Answer, Refusal> {
    Place::open(root)?;
    let possible = is_in_first_user_namespace()? && changes_project(root)?;
    Ok(Answer::ProjectChange(ProjectChange { possible }))
}

/// In other user namespaces, the kernel refuses changes of projects.
fn is_in_first_user_namespace() -> Result<bool, Refusal> {
    let map = std::fs::read_to_string("/proc/self/uid_map")?;
    Ok(map.split_whitespace().eq(["0", "0", "4294967295"]))
}

fn changes_project(root: &HostPath) -> Result<bool, Refusal> {
    enter_host()?;
    let number = ProjectId::LAST;
    let change = format!("chproj {number}");
    match Tool::find("xfs_io")?.run(&["-T", "-c", &change, "-c", "lsproj", root.as_str()], "") {
        Ok(told) => Ok(told.contains(&format!("projid = {number}"))),
        Err(Refusal::Denied | Refusal::Failed { .. }) => Ok(false),
        Err(refusal) => Err(refusal),
    }
}

pub(super) fn get(root: &HostPath, project: ProjectId) -> Result<Answer, Refusal> {
    let place = Place::open(root)?;
    Ok(Answer::ProjectUsage(Tools::find(&place)?.usage(project)?))
}

/// A folder of the machine on a file system that limits projects.
struct Place {
    root: OwnedFd,
    mount: Mount,
}

impl Place {
    fn open(root: &HostPath) -> Result<Self, Refusal> {
        let root = mounts::open_on_host(root)?;
        let mount = mounts::of(&root)?;
        if mount.project_quota() != ProjectQuotaState::On {
            return Err(Refusal::NotSupported);
        }
        Ok(Self { root, mount })
    }

    fn folder(&self, folder: &Folder) -> Result<OwnedFd, Refusal> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        Ok(rustix::fs::openat2(&self.root, folder.as_str(), flags, Mode::empty(), tree::inside())?)
    }
}

/// The two programs of xfsprogs, in the machine's root.
struct Tools<'a> {
    io: Tool,
    quota: Tool,
    mount: &'a Mount,
}

impl<'a> Tools<'a> {
    fn find(place: &'a Place) -> Result<Self, Refusal> {
        enter_host()?;
        // Each level of folders keeps two files open.
        let mut files = getrlimit(Resource::Nofile);
        files.current = files.maximum;
        setrlimit(Resource::Nofile, files)?;
        Ok(Self { io: Tool::find("xfs_io")?, quota: Tool::find("xfs_quota")?, mount: &place.mount })
    }

    fn limit(&self, project: ProjectId, limit_bytes: Option<NonZeroU64>) -> Result<(), Refusal> {
        // A project without a limit has the limit 0. Part of a block is a block.
        let kib = limit_bytes.map_or(0, |bytes| bytes.get().div_ceil(1024));
        self.quota(&format!("limit -p bhard={kib}k {}", project.number())).map(drop)
    }

    fn usage(&self, project: ProjectId) -> Result<ProjectUsage, Refusal> {
        let number = project.number();
        let told = self.quota(&format!("report -p -N -n -b -L {number} -U {number}"))?;
        Ok(usage(&told, project))
    }

    fn quota(&self, command: &str) -> Result<String, Refusal> {
        // ext4 requires `-f`.
        self.quota.run(&["-x", "-f", "-c", command, &self.mount.at], "")
    }

    /// Has both commands done to all folders, and the first to all files.
    fn tag(&self, start: OwnedFd, project: &str, inherit: &str) -> Result<(), Refusal> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        tree::walk(start, &mut |file, kind| {
            let (batch, commands): (_, &[&str]) = match kind {
                FileType::Directory => (&mut folders, &[project, inherit]),
                _ => (&mut files, &[project]),
            };
            batch.push(file);
            if batch.len() < AT_ONCE { Ok(()) } else { self.change(batch, commands) }
        })?;
        self.change(&mut files, &[project])?;
        self.change(&mut folders, &[project, inherit])
    }

    fn change(&self, batch: &mut Vec<OwnedFd>, commands: &[&str]) -> Result<(), Refusal> {
        if batch.is_empty() {
            return Ok(());
        }
        let paths: Vec<String> = batch.iter().map(|file| format!("/proc/self/fd/{}", file.as_raw_fd())).collect();
        let mut arguments = vec!["-r"];
        arguments.extend(commands.iter().flat_map(|command| ["-c", command]));
        arguments.extend(paths.iter().map(String::as_str));
        self.io.run(&arguments, "")?;
        batch.clear();
        Ok(())
    }
}

/// `#number used soft hard warnings [grace]`, in KiB; projects without usage and limit are not listed.
fn usage(told: &str, project: ProjectId) -> ProjectUsage {
    let name = format!("#{}", project.number());
    let row = told.lines().map(str::split_whitespace).find_map(|mut words| {
        let is_it = words.next() == Some(name.as_str());
        is_it.then(|| words.map_while(|word| word.parse::<u64>().ok()).collect::<Vec<_>>())
    });
    let bytes = |at: usize| row.as_ref().and_then(|row| row.get(at)).map_or(0, |kib| kib.saturating_mul(1024));
    ProjectUsage { used_bytes: bytes(0), limit_bytes: Some(bytes(2)).filter(|limit| *limit > 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_and_limit_are_read_from_the_report() {
        let project = ProjectId::try_from(1_500_000_007).unwrap();
        let told = "#0                   4          0          0     00 [--------]\n\
            #1500000007       2048          0      10240     00 [--------]\n\n";
        let found = usage(told, project);
        assert_eq!((found.used_bytes, found.limit_bytes), (2 << 20, Some(10 << 20)));
        assert_eq!(usage("#1500000007 8 0 0 00 [------]", project).limit_bytes, None);
        assert_eq!(usage("", project), ProjectUsage { used_bytes: 0, limit_bytes: None });
    }
}
