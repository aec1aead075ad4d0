//! The packages of `scripts/package`, and their installation.

mod container;
mod contents;
mod debian;
mod machine;
mod release;
mod service;
mod userlands;

use std::path::Path;
use std::process::{Command, Output};

use tests::root;

pub(crate) use release::Release;

/// Runs a command to its end.
#[track_caller]
fn sh(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).output().expect("the command starts");
    succeeded(&ran)
}

#[track_caller]
fn succeeded(ran: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{}\n{out}\n{err}", ran.status);
    out.into_owned()
}

/// Copies a program without its debug information.
#[track_caller]
pub(crate) fn strip(program: &Path, to: &Path) {
    let _ = sh("strip", &["-o", text(to), text(program)]);
}

/// Runs `scripts/package` with these options, and with little compression. It packs this program.
#[track_caller]
fn pack(program: &Path, out: &Path, options: &[&str]) {
    let mut command = Command::new(root().join("scripts/package"));
    command.env("PACKAGE_LEVEL", "1").arg("--binary").arg(program).arg("--out").arg(out).args(options);
    let _ = succeeded(&command.output().expect("scripts/package"));
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain names")
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
