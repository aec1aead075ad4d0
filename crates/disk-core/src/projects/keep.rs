//! Tags existing entries, in the rounds in which all accounts are counted and at their pace. After a restart an
//! unfinished space begins again; entries with their tag keep it.

use std::fs;

use db_kit::Db;
use rustix::fd::AsFd;
use tokio::runtime::Handle;

use super::{Project, store, tag};
use crate::error::{DiskError, DiskResult};
use crate::files::FileStore;
use crate::jail::{Jail, Location, Meta, names_in};
use crate::space::Space;
use crate::usage::Pace;

/// Has these spaces counted as this project, as far as the file system can; blocks for long.
pub fn keep(files: &FileStore, db: &Db, spaces: &[Space], number: u32, pace: &mut Pace) -> DiskResult<()> {
    for space in spaces {
        let wanted = Project { number, tagged: true };
        if files.staging.projects().known().get(space) == Some(&wanted) {
            continue;
        }
        if !is_possible(&files.jail)? {
            return Ok(());
        }
        // Known from now on: new entries are tagged as soon as their folder passes the project on.
        note(files, db, space, Project { tagged: false, ..wanted })?;
        if tag_all(files, space, number, pace)? {
            note(files, db, space, wanted)?;
        }
    }
    Ok(())
}

fn note(files: &FileStore, db: &Db, space: &Space, project: Project) -> DiskResult<()> {
    Handle::current().block_on(store::put(db, space, project))?;
    files.staging.projects().change().insert(space.clone(), project);
    Ok(())
}

/// False when it was broken off.
fn tag_all(files: &FileStore, space: &Space, number: u32, pace: &mut Pace) -> DiskResult<bool> {
    pace.begin();
    let stop = files.ledger.stop_flag();
    let mut go_on = |programs| {
        // The programs run beside this thread; their running time is at least their CPU time.
        pace.add(programs);
        pace.step(stop);
        !stop.load(std::sync::atomic::Ordering::Relaxed)
    };
    let mut names = space.names();
    let Some(last) = names.pop() else { return Ok(true) };
    let parent = match files.jail.find(&Location::of_true_names(names)) {
        // It inherits the project when it is made and counted next.
        Err(DiskError::NotFound) => return Ok(false),
        found => found?.handle,
    };
    let folders = match space {
        // With the folders of its versions.
        Space::Dataset(_) => {
            let mut all = names_in(&parent)?;
            all.retain(|name| name.to_str().is_some_and(|name| Space::dataset(name) == *space));
            all
        }
        _ => vec![last],
    };
    for folder in folders {
        match tag::tag(parent.as_fd(), &folder, Some(number), &mut go_on) {
            Err(DiskError::NotFound) => return Ok(false),
            Ok(false) => return Ok(false),
            done => done?,
        };
    }
    Ok(true)
}

/// Whether the root's file system limits projects and there is a program to tag them.
fn is_possible(jail: &Jail) -> DiskResult<bool> {
    let mount = Meta::of(jail.root())?.mount;
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    Ok(limits_projects(&table, mount) && tag::program().is_some())
}

fn limits_projects(table: &str, mount: u64) -> bool {
    let id = mount.to_string();
    let line = table.lines().find(|line| line.split(' ').next() == Some(id.as_str()));
    let system = line.and_then(|line| line.split_once(" - ")).map(|(_, system)| system);
    let mut words = system.unwrap_or_default().split(' ');
    let (kind, options) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
    matches!(kind, "xfs" | "ext4") && options.split(',').any(|option| matches!(option, "prjquota" | "pquota"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mount_with_project_quotas_limits_projects() {
        let table = "31 22 8:17 / /srv/disk rw,noatime shared:1 - xfs /dev/sdb1 rw,attr2,prjquota\n\
            32 22 8:18 / /srv/other rw - ext4 /dev/sdb2 rw\n\
            33 22 0:50 / /srv/nfs rw - nfs4 gpu01:/srv rw,prjquota\n";
        let of = |mount| limits_projects(table, mount);
        assert_eq!((of(31), of(32), of(33), of(34)), (true, false, false, false));
    }
}
