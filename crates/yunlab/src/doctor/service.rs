//! Whether a server runs on the data folder, and whether it answers.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::{Finding, Verdict, healthy};
use crate::data::{self, Holder};

pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The holder of the data folder's lock.
#[derive(Debug)]
pub(super) struct Service(Option<Holder>);

impl Service {
    /// The running process, if its id is known.
    pub(super) fn process(&self) -> Option<u32> {
        self.0.as_ref()?.process
    }

    /// How long it has been running; `None` when it is not.
    pub(super) fn running_for(&self) -> Option<Duration> {
        SystemTime::now().duration_since(self.0.as_ref()?.since?).ok()
    }
}

/// Finds it by the lock that it holds.
pub(super) fn find(data_dir: &Path) -> Service {
    Service(data::holder(data_dir))
}

/// Queries it.
pub(super) async fn look(service: &Service) -> Finding {
    let part = "服务";
    let Some(holder) = &service.0 else {
        return Finding::new(Verdict::Warning, part, "没有在这个数据目录上运行");
    };
    let process = holder.process.map_or_else(String::new, |id| format!("（进程 {id}）"));
    let Some(origin) = &holder.origin else {
        return Finding::new(Verdict::Warning, part, format!("正在启动，或正在备份、恢复{process}"));
    };
    match healthy(&format!("{origin}/health")).await {
        Ok(()) => Finding::new(Verdict::Sound, part, format!("{origin} 有应答{process}")),
        Err(error) => {
            let words = format!("在运行{process}，但 {origin} 不可用：{error:#}。请查看服务的日志");
            Finding::new(Verdict::Fault, part, words)
        }
    }
}

/// A storage host's portal.
pub(super) async fn portal(address: &str) -> Finding {
    let outcome = healthy(&format!("{address}/health")).await;
    Finding::of(
        "平台",
        outcome.map(|()| format!("{address} 有应答")).map_err(|error| error.context(format!("{address} 不可用"))),
    )
}
