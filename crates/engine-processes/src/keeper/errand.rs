//! A program beside a workload's own.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;

use rustix::process::{Pid, Signal};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tokio::signal::unix::{SignalKind, signal};

use super::{code, program};
use crate::procfs;
use crate::record::{Ending, Errand, Life, get, put};

/// Runs what the folder says, in the workload two folders above. Input and output are this process's own.
pub(super) fn run(folder: &Path) -> ExitCode {
    let Ok(handle) = File::open(folder) else { return ExitCode::from(2) };
    let ended = match carry_out(folder, &handle) {
        Ok(code) => code,
        Err(fault) => {
            let _ = writeln!(io::stderr(), "{fault}");
            if fault.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
        }
    };
    let _ = put(handle.as_fd(), "end.json", &Ending { code: ended, at: procfs::now(), error: String::new() });
    ExitCode::SUCCESS
}

fn carry_out(folder: &Path, handle: &File) -> io::Result<i64> {
    let absent = || io::Error::other("the workload does not run");
    let object = folder.ancestors().nth(2).ok_or_else(absent)?.to_owned();
    let errand: Errand = get(&folder.join("errand.json"))?.ok_or_else(absent)?;
    let around: Life = get(&object.join("life.json"))?.ok_or_else(absent)?;
    let _ = rustix::process::setsid();
    if errand.terminal.is_some() {
        rustix::process::ioctl_tiocsctty(io::stdin())?;
    }
    let (boot, keeper) = (procfs::boot(), std::process::id());
    let born = procfs::stat(keeper).map_or(0, |stat| stat.born);
    enter(around.keeper, &object.join("root"))?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        // What is meant for the program ends it and not its keeper, who tells how it ended.
        let _heard =
            [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit(), SignalKind::terminate()].map(signal);
        let mut command = program(&errand.argv, &errand.environment, &errand.working_dir, &errand.user)?;
        command.process_group(0);
        let mut child = tokio::process::Command::from(command).spawn()?;
        let program = child.id().unwrap_or_default();
        if let Some(group) = i32::try_from(program).ok().and_then(Pid::from_raw).filter(|_| errand.terminal.is_some()) {
            rustix::termios::tcsetpgrp(io::stdin(), group)?;
            // It may have been stopped for reading before it was in the foreground.
            let _ = rustix::process::kill_process_group(group, Signal::CONT);
        }
        let life = Life { boot, keeper, born, program, space: around.space, started: procfs::now() };
        put(handle.as_fd(), "life.json", &life)?;
        Ok(code(child.wait().await?))
    })
}

/// Goes into the root and behind the walls of a workload.
fn enter(keeper: u32, root: &Path) -> io::Result<()> {
    use LinkNameSpaceType::{HostNameAndNISDomainName, InterProcessCommunication, Mount, Network};
    let kinds =
        [("uts", HostNameAndNISDomainName), ("ipc", InterProcessCommunication), ("net", Network), ("mnt", Mount)];
    let open = |(name, kind)| Ok((File::open(format!("/proc/{keeper}/ns/{name}"))?, kind));
    let spaces = kinds.into_iter().map(open).collect::<io::Result<Vec<_>>>()?;
    for (space, kind) in &spaces {
        move_into_link_name_space(space.as_fd(), Some(*kind))?;
    }
    rustix::process::chroot(root)?;
    std::env::set_current_dir("/")
}
