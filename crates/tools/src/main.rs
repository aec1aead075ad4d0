//! The program that lies read-only in every instance: carries programs, shells, files and sockets for the portal over its
//! standard input and output. It is static, and works as any user, on any root, without a shell.
//!
//! Its first argument is one of a closed list of verbs. Under the names `scp` and `sftp-server` it is the part of that
//! name, so that a shell finds them in images that lack them.

mod account;
mod marked;
mod processes;
mod scp;
mod serve;
mod sftp;
mod start;

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code for arguments that are none of the program's.
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let name = arguments.next().map(PathBuf::from).unwrap_or_default();
    match name.file_name().map(OsStrExt::as_bytes) {
        Some(b"scp") => return scp::run(arguments),
        Some(b"sftp-server") => return sftp::run(),
        _ => {}
    }
    let verb = arguments.next().unwrap_or_default();
    match verb.as_bytes() {
        b"serve" => serve::run(),
        b"sftp" => sftp::run(),
        b"scp" => scp::run(arguments),
        b"signal" => marked::signal(arguments),
        b"hang-up" => marked::hang_up(arguments),
        start::VERB => start::run(arguments),
        b"version" => say(env!("CARGO_PKG_VERSION")),
        _ => usage(),
    }
}

fn say(text: &str) -> ExitCode {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn usage() -> ExitCode {
    complain("usage: tools serve | sftp | scp ARGUMENT… | signal MARKER NAME | hang-up MARKER | version");
    ExitCode::from(USAGE)
}

/// Writes a line to standard error; nothing can be done if that fails.
fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The path of this program, to start it again. Roots without `/proc` have it under the name that it was started by.
fn own_path() -> PathBuf {
    let name = std::env::args_os().next().map(PathBuf::from);
    match name.filter(|name| name.is_absolute() && name.exists()) {
        Some(name) => name,
        _ => PathBuf::from("/proc/self/exe"),
    }
}

/// The folder with the names of its parts; `None` where it lies without one.
fn applets() -> Option<OsString> {
    let folder = own_path().parent().map(|folder| folder.join(tools::APPLETS))?;
    Path::new(&folder).is_dir().then(|| folder.into_os_string())
}
