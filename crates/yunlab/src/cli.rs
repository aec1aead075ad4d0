//! The command line.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use http_kit::assets::Lookup;
use serde::Serialize;

use crate::engines::EngineSource;
use crate::{admin, config, disk, healthcheck, openapi, serve};

/// 云实验室：GPU 计算与网盘
#[derive(Debug, Parser)]
#[command(name = "yunlab", version = kernel::VERSION, long_version = kernel::RELEASE, about)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Settings that may stand on the command line; they win over all other places.
#[derive(Clone, Debug, Default, Args, Serialize)]
pub(crate) struct Options {
    /// 配置文件（默认：当前目录的 yunlab.toml；安装的程序用 /etc/yunlab/yunlab.toml）
    #[arg(long, global = true, env = "YUNLAB_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
    /// 试启动：打开一切，检查之后结束。更新时由旧版本使用
    #[arg(long, global = true, hide = true)]
    #[serde(skip)]
    rehearse: bool,
    /// 监听地址
    #[arg(long, global = true, value_name = "ADDR:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<String>,
    /// 数据目录
    #[arg(long, global = true, value_name = "DIR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
    /// 数据库地址：sqlite://… 或 postgres://…
    #[arg(long, global = true, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    database_url: Option<String>,
    /// 网盘的根目录
    #[arg(long, global = true, value_name = "DIR")]
    #[serde(skip_serializing_if = "Option::is_none")]
    disk_root: Option<PathBuf>,
    /// 平台的地址：https://…（只用于 disk）
    #[arg(long, global = true, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    portal: Option<String>,
    /// Prometheus 指标的监听地址（默认不开）
    #[arg(long, global = true, value_name = "ADDR:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics_listen: Option<String>,
    /// 日志格式：human 或 json
    #[arg(long, global = true, value_name = "FORMAT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_format: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// 启动（默认）
    Serve,
    /// 只启动网盘存储节点，账号由 --portal 的平台管理
    Disk,
    /// 查看配置
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// 检查服务是否可用；可用时返回 0
    Healthcheck(healthcheck::Options),
    /// 管理账号与检查安装
    Admin {
        #[command(subcommand)]
        command: admin::Command,
    },
    /// 把接口文档写入目录
    #[command(hide = true)]
    Openapi {
        /// 目录
        dir: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// 显示生效的配置和每一项的来源
    Show,
}

/// Runs the requested command.
pub(crate) fn run(cli: Cli, engines: &EngineSource, pages: Lookup) -> anyhow::Result<()> {
    let command = cli.command.unwrap_or(Command::Serve);
    if let Command::Openapi { dir } = command {
        return openapi::write(&dir);
    }
    let loaded = config::load(&cli.options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    match command {
        Command::Serve if cli.options.rehearse => runtime.block_on(serve::rehearse(loaded.config, engines, pages)),
        Command::Serve => runtime.block_on(serve::run(loaded.config, engines, pages)),
        Command::Disk => runtime.block_on(disk::run(loaded.config)),
        Command::Config { command: ConfigCommand::Show } => {
            loaded.show();
            Ok(())
        }
        Command::Healthcheck(options) => runtime.block_on(healthcheck::run(&loaded.config, &options)),
        Command::Admin { command } => runtime.block_on(admin::run(&loaded, command)),
        Command::Openapi { .. } => Ok(()),
    }
}
