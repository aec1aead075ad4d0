//! The packages of `scripts/package`, and their installation.

mod container;
mod contents;
mod debian;
mod machine;
mod service;
mod userlands;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use tests::{Setup, root};

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

/// The binary under test without debug information, as in releases.
pub(crate) struct Stripped(TempDir);

impl Stripped {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("a folder");
        strip(&Setup::bare().program(), &dir.path().join("yunlab"));
        Self(dir)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("yunlab")
    }

    /// The packages of it, by these options of the script, quickly.
    pub(crate) fn packed(&self, out: &Path, options: &[&str]) {
        let mut command = Command::new(root().join("scripts/package"));
        command.env("PACKAGE_LEVEL", "1").arg("--binary").arg(self.path()).arg("--out").arg(out).args(options);
        let _ = succeeded(&command.output().expect("scripts/package"));
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain names")
}

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
