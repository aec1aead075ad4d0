//! `yunlab admin support-bundle`: data for remote support, in one file. Credentials are left out when it is collected,
//! and all secrets of this installation are redacted from it once more. Logs are not included: the service manager
//! keeps them.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use kernel::{Clock, Secret, SystemClock, VERSION};
use rustix::fs::statvfs;
use tar::{Builder, Header};

use crate::backup::{Key, private};
use crate::config::{Config, Loaded};
use crate::{admin, doctor, say};

const LEVEL: i32 = 3;
const STRUCK_OUT: &str = "***";
/// Shorter texts occur anywhere by chance.
const SHORTEST_SECRET: usize = 6;
/// Files of the kernel about the machine.
const MACHINE: [&str; 6] =
    ["/proc/version", "/proc/uptime", "/proc/loadavg", "/proc/meminfo", "/etc/os-release", "/sys/fs/cgroup/memory.max"];

/// Writes the bundle.
pub(crate) async fn write(loaded: &Loaded, to: &Path) -> anyhow::Result<()> {
    let config = &loaded.config;
    ensure!(config.data_dir.is_dir(), "没有数据目录 {}", config.data_dir.display());
    let mut files = vec![
        ("version.txt".to_owned(), version()),
        ("config.txt".to_owned(), loaded.lines().collect::<Vec<_>>().join("\n")),
        ("doctor.txt".to_owned(), diagnosis(config).await),
        ("machine.txt".to_owned(), machine(config)),
    ];
    // Without a database the rest is all the more useful.
    match of_database(config).await {
        Ok(found) => files.extend(found),
        Err(error) => files.push(("database-error.txt".to_owned(), format!("{error:#}"))),
    }
    let secrets = secrets(config);
    pack(to, files.into_iter().map(|(name, text)| (name, strike_out(text, &secrets))))
        .with_context(|| format!("写入 {}", to.display()))?;
    say::line(&format!("已写入 {}。其中没有密码和密钥，但有服务器的名称和地址，发出前请看一遍", to.display()));
    Ok(())
}

fn version() -> String {
    let program = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{VERSION}\n{program}\n{}\n{}\n", std::env::consts::ARCH, SystemClock.now())
}

async fn diagnosis(config: &Config) -> String {
    let mut lines = Vec::new();
    let faults = doctor::examine(config, &mut |line| lines.push(line)).await;
    lines.push(format!("{faults} 处异常\n"));
    lines.join("\n")
}

async fn of_database(config: &Config) -> anyhow::Result<Vec<(String, String)>> {
    let found = admin::open_existing(config).await?.support_files().await?;
    Ok(found.into_iter().map(|file| (file.name.to_owned(), file.text)).collect())
}

fn machine(config: &Config) -> String {
    let mut text = String::new();
    for path in MACHINE {
        let content = fs::read_to_string(path).unwrap_or_else(|error| format!("{error}\n"));
        text.push_str(&format!("== {path}\n{content}\n"));
    }
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    text.push_str(&format!("== cores\n{cores}\n\n== file systems\n"));
    for path in [&config.data_dir, &config.disk_root(), &config.backups().dir] {
        let room = match statvfs(path) {
            Ok(stat) => format!(
                "{} of {} bytes free, {} of {} inodes free",
                stat.f_bavail * stat.f_frsize,
                stat.f_blocks * stat.f_frsize,
                stat.f_favail,
                stat.f_files
            ),
            Err(error) => error.to_string(),
        };
        text.push_str(&format!("{}: {room}\n", path.display()));
    }
    text
}

/// Secrets of this installation, as far as they can be read here.
fn secrets(config: &Config) -> Vec<String> {
    let configured = [config.database_url(), config.admin_password(), config.portal_secret()];
    let configured = configured.into_iter().filter_map(Result::ok).flatten();
    let mut secrets: Vec<String> = configured.map(|secret: Secret| secret.expose().to_owned()).collect();
    let passwords: Vec<String> = secrets.iter().filter_map(|text| password_in(text)).collect();
    secrets.extend(passwords);
    for name in portal::KEY_FILES {
        let text = fs::read_to_string(config.data_dir.join(name)).unwrap_or_default();
        secrets.extend(text.lines().filter(|line| !line.starts_with("-----")).map(str::to_owned));
    }
    let key = config.backup_key_file.as_deref().and_then(|path| Key::read(path).ok());
    secrets.extend(key.map(|key| key.expose()));
    secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
    // A secret that is a part of another one comes last.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

/// The password in an address.
fn password_in(url: &str) -> Option<String> {
    Some(reqwest::Url::parse(url).ok()?.password()?.to_owned())
}

/// Redacts secrets, and names and passwords in any URL.
fn strike_out(mut text: String, secrets: &[String]) -> String {
    for secret in secrets {
        text = text.replace(secret, STRUCK_OUT);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let authority = after.find(|c: char| "/?#\"'<>".contains(c) || c.is_whitespace()).unwrap_or(after.len());
        let from = after[..authority].rfind('@').map_or(0, |at| at + 1);
        if from > 0 {
            clean.push_str(STRUCK_OUT);
            clean.push('@');
        }
        rest = &after[from..];
    }
    clean.push_str(rest);
    clean
}

fn pack(to: &Path, files: impl Iterator<Item = (String, String)>) -> anyhow::Result<()> {
    let file = private(to)?;
    let mut tar = Builder::new(zstd::Encoder::new(&file, LEVEL)?);
    for (name, text) in files {
        let mut header = Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o600);
        tar.append_data(&mut header, Path::new("support").join(name), text.as_bytes())?;
    }
    tar.into_inner()?.finish()?;
    file.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("password geheim2026.", "password ***.")]
    #[case("https://lab:x@host/releases", "https://***@host/releases")]
    #[case("a http://h/@b and socks5://u:p@ss@h", "a http://h/@b and socks5://***@h")]
    #[case("\"tcp://10.0.0.1:2376\"", "\"tcp://10.0.0.1:2376\"")]
    fn secrets_and_passwords_in_addresses_are_struck_out(#[case] text: &str, #[case] clean: &str) {
        assert_eq!(strike_out(text.to_owned(), &["geheim2026".to_owned()]), clean);
    }

    #[test]
    fn the_password_of_the_database_is_a_secret_too() {
        assert_eq!(password_in("postgres://lab:geheim@h/db").as_deref(), Some("geheim"));
        assert_eq!(password_in("sqlite:///srv/yunlab.db"), None);
    }
}
