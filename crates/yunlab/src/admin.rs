//! `yunlab admin …`: what can be done without signing in, by whoever may read the data folder.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use background::Duties;
use clap::Subcommand;
use db_kit::Db;
use kernel::{Secret, SystemClock};
use portal::{MachineFileSystems, PasswordCost, PasswordReset, Portal, PortalConfig};

use crate::config::Config;
use crate::engines::DockerEngines;
use crate::{backup, data, descriptors, import, release, say};

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
    },
    /// 把备份恢复到空的数据库，例如新的数据目录，或者 PostgreSQL
    Restore {
        /// 备份文件
        file: PathBuf,
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
    /// 检查安装是否正常
    Doctor,
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
pub(crate) async fn run(config: &Config, command: Command) -> anyhow::Result<()> {
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
        Command::Backup { file } => return backup::backup(config, &file).await,
        Command::Restore { file } => return backup::restore(config, &file).await,
        Command::Import(options) => return import::run(config, options).await,
        Command::SignRelease { dir, key, notes } => return release::publish(&dir, &key, notes.as_deref()),
        Command::Audit(AuditCommand::Verify { expect }) => return verify_logs(config, expect).await,
        Command::Doctor => return doctor(config).await,
    }
    Ok(())
}

/// When a command says that a session is over, or that a rule holds, a running server has noticed too.
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

/// The portal on a database that is open, without what only a server has.
pub(crate) async fn open_on(config: &Config, db: Db) -> anyhow::Result<Portal> {
    let portal = PortalConfig {
        data_dir: config.data_dir.clone(),
        disk_root: None,
        audit_file: None,
        own_ports: Vec::new(),
        updates: None,
        duties: Duties::new(Arc::new(SystemClock)),
        machine_helper: false,
        certificate: None,
        file_systems: Arc::new(MachineFileSystems),
        password_cost: PasswordCost::default(),
    };
    Portal::open(&portal, db, Arc::new(SystemClock), Arc::new(DockerEngines)).await
}

async fn open_existing(config: &Config) -> anyhow::Result<Portal> {
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

/// Looks at each part and says what to do about what is wrong.
async fn doctor(config: &Config) -> anyhow::Result<()> {
    let mut sound = true;
    let mut check = |name: &str, outcome: anyhow::Result<String>| match outcome {
        Ok(detail) => say::line(&format!("正常  {name}：{detail}")),
        Err(error) => {
            sound = false;
            say::line(&format!("异常  {name}：{error:#}"));
        }
    };
    check("数据目录", writable(&config.data_dir));
    check("网盘目录", writable(&config.disk_root()));
    let opened = open_existing(config).await;
    match opened {
        Ok(portal) => {
            check("数据库", Ok("可以连接，结构为最新".to_owned()));
            let counts = portal.user_summary().await;
            check(
                "账号",
                counts.and_then(|counts| {
                    if counts.admins == 0 {
                        bail!("没有管理员，请运行 yunlab admin create 用户名");
                    }
                    Ok(format!("共 {} 个，管理员 {} 个", counts.total, counts.admins))
                }),
            );
        }
        Err(error) => check("数据库", Err(error)),
    }
    if let (Some(cert), Some(key)) = (&config.tls_cert, &config.tls_key) {
        let loaded = crate::tls::load(cert, key).await;
        check("证书", loaded.map(|_| "可以使用".to_owned()));
    }
    check("连接数", connections(config));
    let socket = config.docker_socket();
    match tokio::net::UnixStream::connect(socket).await {
        Ok(_) => say::line(&format!("正常  容器引擎：{} 有应答", socket.display())),
        // A portal may have its engines elsewhere only.
        Err(error) => say::line(&format!("注意  容器引擎：{} 没有应答（{error}），本机不能运行实例", socket.display())),
    }
    if sound { Ok(()) } else { bail!("有异常的项目") }
}

/// What a server that is started like this command could hold.
fn connections(config: &Config) -> anyhow::Result<String> {
    const TOO_FEW: usize = 1024;
    descriptors::raise_limit();
    let descriptors = descriptors::limit();
    let limits = config.connection_limits(descriptors);
    let told = format!(
        "可打开 {descriptors} 个文件，最多 {} 个连接，其中未登录的 {} 个、每个地址 {} 个",
        limits.all, limits.guests, limits.guests_per_address
    );
    ensure!(descriptors >= TOO_FEW, "{told}。请提高打开文件数的上限（systemd 的 LimitNOFILE=，或 ulimit -Hn）");
    Ok(told)
}

fn writable(path: &std::path::Path) -> anyhow::Result<String> {
    if !path.is_dir() {
        bail!("{} 不存在（首次启动时会建立）", path.display());
    }
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
        .with_context(|| format!("{} 不可写", path.display()))?;
    Ok(path.display().to_string())
}
