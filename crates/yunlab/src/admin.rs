//! `yunlab admin …`: administration without signing in, for accounts that may read the data folder.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use db_kit::Db;
use kernel::{Clock, Secret, SystemClock};
use portal::{PasswordReset, Portal, PortalConfig};

use crate::config::{Config, Loaded};
use crate::engines::Drivers;
use crate::{backup, data, doctor, import, install, lab_ca, release, say, support_bundle};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// 创建管理员
    #[command(alias = "create-admin")]
    Create {
        /// 用户名
        username: String,
        /// 从标准输入读取密码；否则随机生成
        #[arg(long)]
        password_stdin: bool,
    },
    /// 重置密码并启用账号，同时结束该账号的所有登录
    ResetPassword {
        /// 用户名
        username: String,
        /// 从标准输入读取密码；否则随机生成
        #[arg(long)]
        password_stdin: bool,
    },
    /// 把数据库和密钥备份成一个文件，服务可以同时运行
    Backup {
        /// 备份文件，例如 yunlab.tar.zst
        file: PathBuf,
        /// 用这个密钥加密
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// 把备份恢复到空的数据库，例如新的数据目录，或者 PostgreSQL
    Restore {
        /// 备份文件
        file: PathBuf,
        /// 加密的备份的密钥；没有时用配置的 backup_key_file
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// 把备份恢复到临时的数据库，检查它是否可用
    VerifyBackup {
        /// 备份文件
        file: PathBuf,
        /// 加密的备份的密钥；没有时用配置的 backup_key_file
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// 生成加密备份用的密钥
    MakeBackupKey {
        /// 密钥文件
        file: PathBuf,
    },
    /// 备份目录换了磁盘之后，确认现在的目录
    ConfirmBackupFolder,
    /// 记下网盘文件刚刚备份成功，由备份文件的脚本调用
    FilesBackedUp {
        /// 说明，显示在“备份”页面上
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
    /// 从 File Browser 搬过来：用户、权限、规则和分享
    Import(import::Options),
    /// 把本程序作为新版本发布到文件夹，供其他服务器更新
    SignRelease {
        /// 发布的文件夹
        dir: PathBuf,
        /// 发布者的私钥；没有时生成，并显示公钥
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// 更新说明的文本文件
        #[arg(long, value_name = "FILE")]
        notes: Option<PathBuf>,
    },
    /// 审计日志
    #[command(subcommand)]
    Audit(AuditCommand),
    /// 实验室自己的 CA：内网的 HTTPS 证书
    #[command(subcommand)]
    Ca(lab_ca::Command),
    /// 把本程序安装为 systemd 服务，用自己的账号运行
    InstallService(install::Options),
    /// 检查安装是否正常
    Doctor,
    /// 收集排查问题用的信息，不含密码和密钥
    SupportBundle {
        /// 写入的文件，例如 support.tar.zst
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// 核对登录日志和操作日志与封条是否一致
    Verify {
        /// 之前记下的封条，形如 42:9f86d0…，核对它还在
        #[arg(long, value_name = "NUMBER:HASH", value_parser = noted_seal)]
        expect: Option<(i64, String)>,
    },
}

/// A seal that an auditor noted.
fn noted_seal(text: &str) -> Result<(i64, String), String> {
    let parts = text.split_once(':').and_then(|(number, hash)| Some((number.parse().ok()?, hash)));
    let fine = parts.filter(|(_, hash): &(i64, &str)| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
    let (number, hash) = fine.ok_or("应为“编号:哈希”，哈希是 64 位十六进制数")?;
    Ok((number, hash.to_ascii_lowercase()))
}

/// Does it.
pub(crate) async fn run(loaded: &Loaded, command: Command) -> anyhow::Result<()> {
    let config = &loaded.config;
    match command {
        Command::Create { username, password_stdin } => {
            data::prepare(&config.data_dir)?;
            let portal = open(config).await?;
            report(&portal.create_admin(&username, chosen(password_stdin)?).await?);
        }
        Command::ResetPassword { username, password_stdin } => {
            let portal = open_existing(config).await?;
            let reset = portal.reset_password(&username, chosen(password_stdin)?).await?;
            until_noticed(portal::NOTICED_WITHIN).await;
            report(&reset);
        }
        Command::Backup { file, key } => return backup::backup(config, &file, key.as_deref()).await,
        Command::Restore { file, key } => return backup::restore(config, &file, key.as_deref()).await,
        Command::VerifyBackup { file, key } => return backup::verify(config, &file, key.as_deref()).await,
        Command::MakeBackupKey { file } => return backup::make_key(&file),
        Command::ConfirmBackupFolder => return backup::confirm_folder(config),
        Command::FilesBackedUp { note } => {
            open_existing(config).await?.note_files_backup(note.trim()).await?;
            say::line("已记下：网盘文件备份成功");
        }
        Command::Import(options) => return import::run(config, options).await,
        Command::SignRelease { dir, key, notes } => return release::publish(&dir, &key, notes.as_deref()),
        Command::Audit(AuditCommand::Verify { expect }) => return verify_logs(config, expect).await,
        Command::Ca(command) => return lab_ca::run(&open_existing(config).await?, command).await,
        Command::InstallService(options) => return install::run(&options),
        Command::Doctor => return doctor::run(config).await,
        Command::SupportBundle { file } => return support_bundle::write(loaded, &file).await,
    }
    Ok(())
}

/// By the time a command reports that a session has ended, or that a rule is in force, a running server has noticed.
#[expect(
    clippy::disallowed_methods,
    reason = "another process does not say when it has; only how long it takes at most"
)]
pub(crate) async fn until_noticed(within: Duration) {
    tokio::time::sleep(within).await;
}

async fn open(config: &Config) -> anyhow::Result<Portal> {
    open_on(config, data::open_database(config).await?).await
}

/// The portal on an open database, without the parts of a server.
pub(crate) async fn open_on(config: &Config, db: Db) -> anyhow::Result<Portal> {
    open_with(config, db, Arc::new(SystemClock)).await
}

/// The same with another clock.
pub(crate) async fn open_with(config: &Config, db: Db, clock: Arc<dyn Clock>) -> anyhow::Result<Portal> {
    let portal = PortalConfig::bare(config.data_dir.clone(), &clock);
    Portal::open(&portal, db, clock, Arc::new(Drivers)).await
}

pub(crate) async fn open_existing(config: &Config) -> anyhow::Result<Portal> {
    if !config.data_dir.is_dir() {
        bail!("没有数据目录 {}", config.data_dir.display());
    }
    open(config).await
}

fn chosen(from_stdin: bool) -> anyhow::Result<Option<Secret>> {
    if !from_stdin {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::stdin().take(4096).read_to_string(&mut text).context("从标准输入读取密码")?;
    Ok(Some(Secret::new(text.trim_end_matches(['\r', '\n']))))
}

fn report(reset: &PasswordReset) {
    match &reset.made_up {
        Some(password) => say::line(&format!("用户 {} 的密码：{}", reset.username, password.expose())),
        None => say::line(&format!("用户 {} 的密码已设置", reset.username)),
    }
}

/// Says whether the logs are as they were written.
async fn verify_logs(config: &Config, expect: Option<(i64, String)>) -> anyhow::Result<()> {
    let report = open_existing(config).await?.verify_logs(expect).await?;
    for fault in &report.faults {
        say::line(&format!("异常  {fault}"));
    }
    say::line(&format!(
        "核对了 {} 个封条，覆盖 {} 条日志；另有 {} 条还没有封存",
        report.seals, report.rows, report.unsealed
    ));
    if let Some((number, hash)) = &report.last {
        say::line(&format!("最后一个封条：{number}:{hash}（可以抄下来，以后用 --expect 核对）"));
    }
    ensure!(report.faults.is_empty(), "日志与封条不一致，发现 {} 处", report.faults.len());
    say::line("日志与封条一致");
    Ok(())
}
