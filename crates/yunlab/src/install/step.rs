//! A step of the installation, to be printed or executed.

use std::fmt::{self, Display};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

#[derive(Debug)]
pub(super) enum Step {
    /// Makes a system's account, unless it is there.
    Account(String),
    /// A command of the system's.
    Run(Vec<String>),
    /// Writes a file, replacing an existing one.
    Write { path: PathBuf, mode: u32, text: String },
    /// Writes a file that people edit afterwards: an existing one stays.
    WriteOnce { path: PathBuf, mode: u32, text: String },
}

impl Step {
    pub(super) fn command<const N: usize, P: AsRef<Path>>(
        words: [&str; N],
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        let words = words.into_iter().map(str::to_owned);
        Self::Run(words.chain(paths.into_iter().map(|path| path.as_ref().display().to_string())).collect())
    }

    pub(super) fn write(path: &str, mode: u32, text: String) -> Self {
        Self::Write { path: path.into(), mode, text }
    }

    pub(super) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Account(name) => {
                if is_known(name)? {
                    return Ok(());
                }
                execute(&account(name))
            }
            Self::Run(words) => execute(words),
            Self::Write { path, mode, text } => write(path, *mode, text),
            Self::WriteOnce { path, .. } if path.exists() => Ok(()),
            Self::WriteOnce { path, mode, text } => write(path, *mode, text),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account(name) => write!(f, "{}（没有账号 {name} 时）", account(name).join(" ")),
            Self::Run(words) => f.write_str(&words.join(" ")),
            Self::Write { path, mode, .. } => write!(f, "写入 {}（权限 {mode:o}）", path.display()),
            Self::WriteOnce { path, mode, .. } => write!(f, "写入 {}（权限 {mode:o}，已有则不改）", path.display()),
        }
    }
}

/// As in the package's postinst.
fn account(name: &str) -> Vec<String> {
    let words = ["useradd", "--system", "--user-group", "--home-dir", "/var/lib/yunlab", "--no-create-home"];
    let rest = ["--shell", "/usr/sbin/nologin", "--comment", "YunLab", name];
    words.into_iter().chain(rest).map(str::to_owned).collect()
}

fn is_known(account: &str) -> anyhow::Result<bool> {
    let status = Command::new("getent").args(["passwd", account]).stdout(Stdio::null()).status();
    Ok(status.context("getent")?.success())
}

fn execute(words: &[String]) -> anyhow::Result<()> {
    let (program, arguments) = words.split_first().context("a command has a program")?;
    let status = Command::new(program).args(arguments).status().with_context(|| format!("运行 {program}"))?;
    ensure!(status.success(), "{program} 失败（{status}）");
    Ok(())
}

/// Appears as a whole, under its mode.
fn write(path: &Path, mode: u32, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    if !folder.is_dir() {
        // The program's own files are private; these folders must be readable for all accounts.
        execute(&["install", "-d", "-m", "755", &folder.display().to_string()].map(str::to_owned))?;
    }
    let part = path.with_extension("part");
    let put = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&part)?;
        file.write_all(text.as_bytes())?;
        // The process's mask took some of it.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&part, path)
    };
    put().with_context(|| format!("写入 {}", path.display()))
}
