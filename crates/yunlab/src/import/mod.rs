//! `yunlab admin import`: imports the users, permissions, rules and share links of a File Browser.
//!
//! Without `--yes` it only prints the plan. The plan is made from the File Browser's database and from the present
//! state (`plan`), and printed (`report`, `notes`); accounts are created by the portal, profiles, rules and links by
//! the disk, in one transaction except for the links, which need existing people.

mod arguments;
mod notes;
mod plan;
mod report;
mod target;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use filebrowser::{Database, ReadError};

use self::plan::Plan;
use self::target::Target;
use crate::config::Config;
use crate::say;

/// What is taken over, and how.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// File Browser 的数据库，例如 filebrowser.db
    file: PathBuf,
    /// 真的导入；不写时只说明会做什么，什么也不改
    #[arg(long)]
    yes: bool,
    /// 管理员也导入为普通用户
    #[arg(long)]
    no_admins: bool,
    /// 只建账号：文件在独立的存储节点上时，先在平台上这样运行
    #[arg(long)]
    accounts_only: bool,
    /// 换一个用户名，可以写多次
    #[arg(long, value_name = "旧名=新名")]
    rename: Vec<String>,
    /// 几个人共用的目录放在网盘的哪里，例如 /team=groups/team，可以写多次
    #[arg(long, value_name = "目录=位置")]
    place: Vec<String>,
    /// File Browser 的文件在本机的哪个目录（默认按数据库里的记录）
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
}

/// Prints the plan, or carries it out.
pub(crate) async fn run(config: &Config, options: Options) -> anyhow::Result<()> {
    let file = options.file.clone();
    let read = tokio::task::spawn_blocking(move || Database::read(&file)).await?.map_err(|error| match error {
        // Has Chinese words only where it is seen.
        ReadError::Io(error) => anyhow::Error::new(error),
        other => anyhow::Error::new(other),
    });
    let database = read.with_context(|| format!("读取 {}", options.file.display()))?;
    if database.in_use && options.yes {
        bail!("{} 正被 File Browser 使用：请先停止它，以免漏掉之后的改动", options.file.display());
    }
    let choices = arguments::Choices::read(&options, &database)?;
    let target = Target::open(config, options.accounts_only).await?;
    let mut plan = Plan::new(database, &choices, &target.accounts().await?, target.makes_accounts(), target.now());
    let done = match options.yes {
        true => Some(target.write(&mut plan).await?),
        false => {
            target.look(&mut plan).await?;
            None
        }
    };
    // The commands in it are to work in any folder.
    let disk_root = std::path::absolute(config.disk_root())?;
    let places = report::Places { files: options.files.as_deref(), disk_root: &disk_root };
    for line in report::lines(&plan, done, &places) {
        say::line(&line);
    }
    Ok(())
}
