//! What workloads' programs wrote.

use futures_util::io::AsyncBufReadExt;
use futures_util::stream::{self, BoxStream, StreamExt};
use k8s_openapi::jiff::Timestamp as Time;
use kube::api::LogParams;

use super::error::{absent, within};
use super::names::CONTAINER;
use super::{Link, QUICK};
use crate::{Error, LogChunk, LogQuery, Result, WorkloadId};

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
