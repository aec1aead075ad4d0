//! `yunlab admin install-service`: installs the running program as a service, like the Debian package does and from the
//! same files: an account, the program in a folder in which it may update itself, the unit, the configuration. It first
//! makes a list of steps, which `--dry-run` prints.

mod step;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;

use crate::{say, update};
use step::Step;

/// Where an installed program finds its configuration.
pub(crate) const CONFIG: &str = "/etc/yunlab/yunlab.toml";
/// Where the package puts the program.
const PACKAGED: &str = "/usr/bin/yunlab";
const UNIT: &str = "/etc/systemd/system/yunlab.service";
const GENERATOR: &str = "/etc/systemd/system-generators/yunlab";
/// systemd is this machine's init.
const SYSTEMD: &str = "/run/systemd/system";

const UNIT_TEXT: &str = include_str!("../../../../packaging/yunlab.service");
const GENERATOR_TEXT: &str = include_str!("../../../../packaging/yunlab-generator");
const CONFIG_TEXT: &str = include_str!("../../../../packaging/yunlab.toml");

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// 服务的账号，没有时建立
    #[arg(long, default_value = "yunlab", hide_default_value = true, value_name = "NAME", value_parser = account)]
    user: String,
    /// 程序装在这个目录的 lib/yunlab，默认 /usr/local
    #[arg(long, default_value = "/usr/local", hide_default_value = true, value_name = "DIR", value_parser = folder)]
    dir: PathBuf,
    /// 只说明会做什么，什么也不改
    #[arg(long)]
    dry_run: bool,
}

/// A name that is valid in units and command lines without quoting.
fn account(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let fine = text.len() <= 31 && begins && text.chars().all(plain) && text != "root";
    fine.then(|| text.to_owned()).ok_or_else(|| "应为 root 以外的系统账号名".to_owned())
}

fn folder(text: &str) -> Result<PathBuf, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let fine = text.starts_with('/') && text.chars().all(plain) && !text.split('/').any(|part| part == "..");
    fine.then(|| PathBuf::from(text)).ok_or_else(|| "应为绝对路径，只能有字母、数字和 . _ -".to_owned())
}

/// Carries out the steps, or prints them.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let steps = plan(options, &update::program()?);
    if options.dry_run {
        say::line("会做这些（现在什么也没有改）：");
        for step in &steps {
            say::line(&format!("  {step}"));
        }
        return Ok(());
    }
    ensure!(rustix::process::geteuid().is_root(), "要以 root 运行：sudo yunlab admin install-service");
    if !Path::new(SYSTEMD).is_dir() {
        bail!("这台机器不是由 systemd 管理的，不能安装为服务；可以用容器，或者自己写启动脚本");
    }
    if Path::new("/var/lib/dpkg/info/yunlab.list").exists() {
        bail!("已经用软件包安装了，请用软件包升级");
    }
    for step in &steps {
        say::line(&step.to_string());
        step.run().with_context(|| format!("没有做成：{step}"))?;
    }
    say::line("服务已启动。接下来：");
    say::line("  sudo yunlab admin reset-password admin   得到管理员 admin 的密码");
    say::line(&format!("  {CONFIG}                  配置；改后 sudo systemctl restart yunlab"));
    say::line("  sudo yunlab admin doctor                 检查安装");
    Ok(())
}

fn plan(options: &Options, program: &Path) -> Vec<Step> {
    let Options { user, dir, .. } = options;
    let home = dir.join("lib/yunlab");
    let place = home.join("yunlab");
    let link = dir.join("bin/yunlab");
    let mut steps = vec![Step::Account(user.clone())];
    // The service replaces its program when it updates itself, so the folder is its own.
    steps.push(Step::command(["install", "-d", "-m", "755", "-o", user, "-g", user], [&home]));
    if program != place {
        steps.push(Step::command(["install", "-m", "755", "-o", user, "-g", user], [program, &place]));
    }
    steps.push(Step::command(["mkdir", "-p"], [link.parent().unwrap_or(dir)]));
    steps.push(Step::command(["ln", "-sfn"], [&place, &link]));
    steps.extend([
        Step::write(UNIT, 0o644, unit(user, &home)),
        Step::write(GENERATOR, 0o755, GENERATOR_TEXT.to_owned()),
        Step::WriteOnce {
            path: CONFIG.into(),
            mode: 0o640,
            text: CONFIG_TEXT.replace("yunlab: ", &format!("{user}: ")),
        },
        Step::command(["chgrp", user], [CONFIG]),
        Step::command(["systemctl", "daemon-reload"], [""; 0]),
        Step::command(["systemctl", "--quiet", "enable", "yunlab"], [""; 0]),
        Step::command(["systemctl", "restart", "yunlab"], [""; 0]),
    ]);
    steps
}

/// The package's unit for another program and account. A program of its own may be replaced by an update.
fn unit(user: &str, home: &Path) -> String {
    let (program, home) = (home.join("yunlab").display().to_string(), home.display());
    UNIT_TEXT
        .replace(&format!("ExecStart={PACKAGED} "), &format!("ExecStart={program} "))
        .replace("User=yunlab\n", &format!("User={user}\n"))
        .replace("ProtectSystem=full\n", &format!("ProtectSystem=full\nReadWritePaths={home}\n"))
}

/// The default configuration where none is named and none is in the working folder: the installed one, for an installed
/// program. Builds from the sources on the same machine do not use it.
pub(crate) fn installed_config() -> Option<&'static Path> {
    let installed =
        update::program().is_ok_and(|program| program == Path::new(PACKAGED) || program.ends_with("lib/yunlab/yunlab"));
    Some(Path::new(CONFIG)).filter(|path| installed && path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packages_unit_is_made_another_programs() {
        let unit = unit("lab", Path::new("/opt/lab/lib/yunlab"));
        for line in [
            "ExecStart=/opt/lab/lib/yunlab/yunlab --config /etc/yunlab/yunlab.toml",
            "User=lab",
            "ReadWritePaths=/opt/lab/lib/yunlab",
            "StateDirectory=yunlab",
        ] {
            assert!(unit.lines().any(|present| present == line), "no {line} in\n{unit}");
        }
        assert!(!unit.contains(PACKAGED), "{unit}");
    }

    #[test]
    fn names_and_folders_are_plain() {
        for name in ["", "root", "Lab", "-lab", "a b", "lab%", "实验室"] {
            assert!(account(name).is_err(), "{name}");
        }
        for path in ["", "usr", "/a b", "/a/../b", "/a%b", "/a\nb"] {
            assert!(folder(path).is_err(), "{path}");
        }
        assert!(account("lab-2").is_ok() && folder("/opt/lab").is_ok());
    }
}
