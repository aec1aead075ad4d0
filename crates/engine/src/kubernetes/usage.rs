//! What a workload uses, as its pod helper reads it; and what its program wrote.

use std::collections::HashMap;

use futures_util::io::AsyncBufReadExt;
use futures_util::stream::{self, BoxStream, StreamExt};
use k8s_openapi::jiff::Timestamp as Time;
use kube::api::LogParams;

use super::cluster::Cluster;
use super::error::{absent, within};
use super::names::CONTAINER;
use super::{Link, QUICK};
use crate::{Error, LogChunk, LogQuery, Result, Usage, WorkloadId};

/// What a pod without a limit has, as control groups write it.
const UNLIMITED: u64 = 1 << 62;

impl Cluster {
    pub(super) async fn measure(&self, id: &WorkloadId) -> Result<Usage> {
        let (_, pod) = self.running(id).await?;
        let answer = self.ask_helper(&pod.name, &["usage"], QUICK).await?;
        let numbers = read(answer.text());
        let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
        let limit = number("memory_limit");
        Ok(Usage {
            at: self.site.now(),
            cpu_nanos: number("cpu_nanos"),
            memory: number("memory"),
            memory_limit: if limit > UNLIMITED { 0 } else { limit },
            pids: number("pids"),
            received: number("received"),
            sent: number("sent"),
            disk_read: number("disk_read"),
            disk_written: number("disk_written"),
        })
    }
}

fn read(text: &str) -> HashMap<&str, u64> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, value)| Some((name, value.parse().ok()?))).collect()
}

/// The output of a workload's program. The API keeps standard error in the same stream.
pub(super) async fn log(link: &Link, id: &WorkloadId, query: LogQuery) -> Result<BoxStream<'static, Result<LogChunk>>> {
    let cluster = link.cluster().await?;
    let anchor = cluster.anchor(id).await?;
    let params = LogParams {
        container: Some(CONTAINER.to_owned()),
        follow: query.follow,
        tail_lines: query.tail.map(i64::from),
        since_time: query.since.and_then(|seconds| Time::from_second(seconds).ok()),
        timestamps: query.timestamps,
        ..LogParams::default()
    };
    let opened = absent(within(QUICK, cluster.pods().log_stream(&anchor.base, &params)).await);
    let log = match opened {
        Ok(Some(log)) => log,
        // It has no pod at present, or one that has written nothing yet.
        Ok(None) => return Ok(stream::empty().boxed()),
        Err(Error::Rejected(words)) if words.contains("waiting to start") => return Ok(stream::empty().boxed()),
        Err(error) => return Err(error),
    };
    let pieces = stream::unfold(Some(Box::pin(log)), async |log| {
        let mut log = log?;
        match log.fill_buf().await {
            Ok([]) => None,
            Ok(piece) => {
                let bytes = bytes::Bytes::copy_from_slice(piece);
                log.consume_unpin(bytes.len());
                Some((Ok(LogChunk { stderr: false, bytes }), Some(log)))
            }
            Err(error) => Some((Err(Error::Unreachable(error.to_string())), None)),
        }
    });
    Ok(pieces.boxed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_names() {
        let numbers = read("cpu_nanos 12\nmemory 5\nnew 1 2\nbad x\n");
        assert_eq!((numbers.get("cpu_nanos"), numbers.get("memory"), numbers.len()), (Some(&12), Some(&5), 2));
    }
}
