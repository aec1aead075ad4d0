//! The development lab: the product in this process on in-memory engines, filled with users, files and instances.
//! `./run --dev` starts it beside the pages. As an example it is built by the tests and never shipped.

mod calls;
mod compute;
mod files;
mod folder;
mod machines;
#[path = "../../src/pages.rs"]
mod pages;
mod people;
mod requests;
mod seed;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::sync::oneshot;
use tokio::time::interval;
use yunlab::EngineSource;

use crate::folder::Folder;
use crate::machines::{BEAT, Machines};

/// A debug build on a busy machine, and pages that are prepared for the first time.
const START_LIMIT: Duration = Duration::from_secs(120);

/// The time between two looks at the engines: changes since the last one are lost at the end.
const LOOKS_EVERY: Duration = Duration::from_millis(200);

/// 启动开发用的实验室
#[derive(Debug, Parser)]
struct Options {
    /// 平台和网盘的监听地址
    #[arg(long, value_name = "ADDR:PORT")]
    listen: SocketAddr,
    /// 数据目录，没有就新建
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// 网页的地址，能打开之后再说已就绪
    #[arg(long, value_name = "URL")]
    pages: Option<String>,
    /// 删除原来的数据，重新建立
    #[arg(long)]
    fresh: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match start(&options) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Serves until it is stopped.
fn start(options: &Options) -> anyhow::Result<ExitCode> {
    let (folder, is_seeded) = Folder::open(&options.data_dir, options.fresh)?;
    let machines = Machines::open(folder.engines())?;
    let engines = EngineSource::Given(Arc::new(machines.clusters()));
    let words = ["dev-lab", "--listen", &options.listen.to_string()].map(OsString::from);
    let files = ["--config".into(), folder.config().into(), "--data-dir".into(), options.data_dir.clone().into()];
    let life = Life { origin: format!("http://{}", options.listen), pages: options.pages.clone(), is_seeded };
    std::thread::spawn(move || {
        if let Err(error) = life.live(machines) {
            complain(&error);
            // An incomplete lab is recreated by the next start, so nothing of it needs a graceful stop.
            std::process::exit(1);
        }
    });
    Ok(yunlab::run(words.into_iter().chain(files), &engines, pages::find))
}

fn complain(error: &anyhow::Error) {
    // Fails if stderr is closed, which is fine.
    let _ = writeln!(stderr(), "dev-lab: {error:#}");
}

/// The tasks beside the portal.
struct Life {
    /// Where the portal answers.
    origin: String,
    pages: Option<String>,
    is_seeded: bool,
}

impl Life {
    /// Fills the lab if it is new, reports when it is ready, and keeps its machines busy. Only a failure ends it.
    fn live(self, machines: Machines) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let (whole, is_whole) = oneshot::channel();
            tokio::try_join!(self.prepare(whole), keep_busy(machines, is_whole)).map(|_| ())
        })
    }

    async fn prepare(&self, whole: oneshot::Sender<()>) -> anyhow::Result<()> {
        calls::answers(&format!("{}/health", self.origin), START_LIMIT).await.context("等待平台启动")?;
        if !self.is_seeded {
            seed::fill(&self.origin).await.context("建立实验室")?;
        }
        // The receiver lives as long as this program.
        let _ = whole.send(());
        if let Some(pages) = &self.pages {
            calls::answers(pages, START_LIMIT).await.context("等待网页启动")?;
        }
        let address = self.pages.as_deref().unwrap_or(&self.origin);
        let table = people::table();
        // Fails if stdout is closed, which is fine.
        let _ = write!(stdout(), "\n开发实验室已就绪：{address}\n平台和网盘的接口：{}\n\n{table}\n", self.origin);
        Ok(())
    }
}

/// Machines work from the start. Their state is written when the lab is complete, which tells the next start that it
/// is.
async fn keep_busy(mut machines: Machines, mut is_whole: oneshot::Receiver<()>) -> anyhow::Result<()> {
    let (mut beats, mut looks) = (interval(BEAT), interval(LOOKS_EVERY));
    loop {
        tokio::select! {
            _ = beats.tick() => machines.beat().await?,
            _ = looks.tick() => {
                if machines.is_kept() || is_whole.try_recv().is_ok() {
                    machines.keep()?;
                }
            }
        }
    }
}
