//! The moment between fork and exec, as a program: gives the process a session of its own, its terminal and its limits,
//! and becomes the program that is to run. So nothing unsafe has to run in a forked process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::process::{Resource, Rlimit, getrlimit, ioctl_tiocsctty, setrlimit, setsid};

use crate::complain;

/// The verb.
pub(crate) const VERB: &[u8] = b".start";
/// With a terminal on standard input.
const TERMINAL: &str = "terminal";
/// Without.
const PIPES: &str = "pipes";

/// What shells say of a program that can't be run, and of one that is not there.
const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// The arguments for this program with which it becomes another one.
pub(crate) fn arguments(terminal: bool, open_files: Option<u64>, program: &Path, name: &OsStr) -> [OsString; 5] {
    [
        OsString::from(".start"),
        OsString::from(if terminal { TERMINAL } else { PIPES }),
        OsString::from(open_files.map_or_else(String::new, |limit| limit.to_string())),
        program.as_os_str().to_owned(),
        name.to_owned(),
    ]
}

pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let mut next = || arguments.next().unwrap_or_default();
    let (kind, open_files, program, name) = (next(), next(), next(), next());
    // Fails only for the leader of a group, which a new process is not.
    let _ = setsid();
    if kind == TERMINAL
        && let Err(error) = ioctl_tiocsctty(rustix::stdio::stdin())
    {
        complain(&format!("no terminal: {error}"));
    }
    if let Some(limit) = open_files.to_str().and_then(|limit| limit.parse().ok()) {
        let now = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(limit), maximum: now.maximum });
    }
    let error = Command::new(&program).arg0(&name).args(arguments).exec();
    complain(&format!("{}: {error}", program.display()));
    ExitCode::from(if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE })
}
