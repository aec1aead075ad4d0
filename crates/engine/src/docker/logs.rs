//! The output of a container's main process.

use bollard::container::LogOutput;
use bollard::query_parameters::LogsOptions;
use futures_util::stream::{BoxStream, StreamExt};

use super::DockerEngine;
use super::error::from_bollard;
use crate::{ContainerRef, LogChunk, LogQuery, Result};

impl DockerEngine {
    pub(super) fn container_logs(
        &self,
        container: &ContainerRef,
        query: LogQuery,
    ) -> BoxStream<'static, Result<LogChunk>> {
        let options = LogsOptions {
            follow: query.follow,
            stdout: true,
            stderr: true,
            since: query.since.and_then(|since| i32::try_from(since).ok()).unwrap_or_default(),
            until: 0,
            timestamps: query.timestamps,
            tail: query.tail.map_or_else(|| "all".to_owned(), |lines| lines.to_string()),
        };
        self.docker.logs(container.as_str(), Some(options)).map(|piece| piece.map(chunk).map_err(from_bollard)).boxed()
    }
}

fn chunk(piece: LogOutput) -> LogChunk {
    LogChunk { stderr: matches!(piece, LogOutput::StdErr { .. }), bytes: piece.into_bytes() }
}
