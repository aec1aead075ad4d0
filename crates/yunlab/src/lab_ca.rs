//! `yunlab admin ca …`: a CA of the lab, for certificates inside it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Subcommand;
use portal::{LabCaFacts, Portal};

use crate::{backup, say};

const CHAIN: &str = "cert.pem";
const KEY: &str = "key.pem";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// 生成 CA，并用它给平台签发证书（配置里要有 https_listen）
    Init {
        /// 打开平台用的域名和 IP 地址，最常用的在前面
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// 换掉已有的 CA；之后所有人都要重新安装
        #[arg(long)]
        replace: bool,
    },
    /// 显示 CA 的证书和指纹
    Show,
    /// 给实验室的其他服务签发证书，例如网盘存储节点
    Issue {
        /// 域名和 IP 地址
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// 写入 cert.pem 和 key.pem 的文件夹
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Does it.
pub(crate) async fn run(portal: &Portal, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Init { names, replace } => {
            describe(&portal.init_lab_ca(&names, replace).await?);
            say::line("正在运行的平台会在十几秒内换上证书。请大家打开 平台地址/lab-ca 安装这个 CA，安装前核对指纹");
        }
        Command::Show => {
            let ca = portal.lab_ca().await?.context("还没有实验室的 CA，先运行 yunlab admin ca init")?;
            describe(&ca);
            say::line(ca.certificate.trim_end());
        }
        Command::Issue { names, out } => {
            ensure!(out.is_dir(), "没有文件夹 {}", out.display());
            for name in [CHAIN, KEY] {
                let path = out.join(name);
                ensure!(!path.exists(), "{} 已经存在", path.display());
            }
            let files = portal.issue_from_lab_ca(&names).await?;
            // The key first: a certificate without its key must not be picked up.
            write(&out.join(KEY), files.key.expose())?;
            write(&out.join(CHAIN), &files.chain)?;
            say::line(&format!("已写入 {} 和 {}", out.join(CHAIN).display(), out.join(KEY).display()));
        }
    }
    Ok(())
}

fn describe(ca: &LabCaFacts) {
    say::line(&format!("CA：{}，有效期到 {}", ca.name, ca.not_after));
    say::line(&format!("可以签发：{}（及其下级域名），以及内网地址", ca.names.join("、")));
    say::line(&format!("SHA-256 指纹：{}", ca.fingerprint));
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    // A file that exists by now is not ours, and stays.
    let mut file = backup::private(path).with_context(|| format!("写入 {}", path.display()))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.inspect_err(|_| drop(fs::remove_file(path))).with_context(|| format!("写入 {}", path.display()))
}
