//! Finding the binary, and running its short commands.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository.
#[must_use]
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// `YUNLAB_BIN`, else the binary that was built beside this test.
pub(crate) fn path() -> PathBuf {
    let path = std::env::var_os("YUNLAB_BIN").map(PathBuf::from).unwrap_or_else(|| {
        let test = std::env::current_exe().expect("a test knows its own path");
        test.ancestors().nth(2).unwrap_or(&test).join("yunlab")
    });
    assert!(path.is_file(), "no binary at {}: run `cargo build -p yunlab` or set YUNLAB_BIN", path.display());
    path
}

/// A binary with nothing of this process's own settings, in a folder of the test's.
pub(crate) fn command(
    program: &Path,
    dir: &Path,
    env: &[(String, String)],
    arguments: &[impl AsRef<OsStr>],
) -> Command {
    let mut command = Command::new(program);
    for (key, _) in std::env::vars_os() {
        if key.to_string_lossy().starts_with("YUNLAB_") {
            command.env_remove(key);
        }
    }
    command.current_dir(dir).envs(env.iter().cloned()).args(arguments).stdin(Stdio::null());
    command
}

/// The outcome of a finished command.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Whether it ended with 0.
    pub ok: bool,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Asserts success; returns the output.
    ///
    /// # Panics
    /// With the output.
    #[track_caller]
    #[must_use]
    pub fn expect_ok(&self) -> &str {
        assert!(self.ok, "{self:?}");
        &self.out
    }

    /// Asserts failure; returns the error output.
    ///
    /// # Panics
    /// With the output.
    #[track_caller]
    #[must_use]
    pub fn expect_refused(&self) -> &str {
        assert!(!self.ok, "{self:?}");
        &self.err
    }
}

/// Runs a binary of ours to its end.
///
/// # Panics
/// When it can't be started.
pub fn run(
    program: &Path,
    dir: &Path,
    env: &[(String, String)],
    arguments: &[impl AsRef<OsStr>],
    stdin: Option<&str>,
) -> Ran {
    let mut command = command(program, dir, env, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if stdin.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().expect("the binary starts");
    if let Some((text, mut pipe)) = stdin.zip(child.stdin.take()) {
        // A command that refuses before it reads closes the pipe.
        let _ = pipe.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { ok: output.status.success(), out: text(output.stdout), err: text(output.stderr) }
}
