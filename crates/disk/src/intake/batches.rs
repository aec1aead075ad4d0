//! Content on its way to a [`Sink`].

use bytes::Bytes;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Sink;
use futures_util::{Stream, StreamExt};
use http_kit::BodyFault;
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};

/// Written at once: large enough that the hop to a blocking thread costs next to nothing.
const BATCH_BYTES: usize = 1024 * 1024;

/// Hands content to a sink in large batches. The next batch is gathered while the last one is being written.
#[derive(Debug)]
pub(crate) struct Batches<S: Sink> {
    /// `None` while a batch is being written, and after a failure.
    idle: Option<S>,
    writing: Option<JoinHandle<DiskResult<S>>>,
    batch: Vec<Bytes>,
    batched: usize,
}

impl<S: Sink> Batches<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self { idle: Some(sink), writing: None, batch: Vec::new(), batched: 0 }
    }

    /// Adds content. A failure to write an earlier batch is returned here or at the end.
    pub(crate) async fn push(&mut self, chunk: Bytes) -> DiskResult<()> {
        self.batched += chunk.len();
        self.batch.push(chunk);
        if self.batched < BATCH_BYTES {
            return Ok(());
        }
        let sink = self.sink().await?;
        let full = std::mem::take(&mut self.batch);
        self.batched = 0;
        self.writing = Some(spawn_blocking(move || write(sink, &full)));
        Ok(())
    }

    /// Waits for the last write. Returns the sink with the final batch, which is left for the caller to write in one
    /// step with its own work on the file.
    pub(crate) async fn end(mut self) -> DiskResult<(S, Vec<Bytes>)> {
        let sink = self.sink().await?;
        Ok((sink, std::mem::take(&mut self.batch)))
    }

    /// The sink, unless a batch is being written.
    pub(crate) fn idle(&mut self) -> Option<&mut S> {
        self.idle.as_mut()
    }

    async fn sink(&mut self) -> DiskResult<S> {
        match (self.idle.take(), self.writing.take()) {
            (Some(sink), _) => Ok(sink),
            (None, Some(writing)) => writing.await.map_err(DiskError::internal)?,
            (None, None) => Err(DiskError::internal(anyhow::anyhow!("an upload lost its file"))),
        }
    }
}

/// Requests are dropped on threads that must not block, but removing the large file of one takes a while.
impl<S: Sink> Drop for Batches<S> {
    fn drop(&mut self) {
        let (idle, writing) = (self.idle.take(), self.writing.take());
        let Ok(runtime) = Handle::try_current() else { return };
        if let Some(sink) = idle {
            runtime.spawn_blocking(move || drop(sink));
        } else if let Some(writing) = writing {
            runtime.spawn(async move {
                if let Ok(Ok(sink)) = writing.await {
                    spawn_blocking(move || drop(sink));
                }
            });
        }
    }
}

fn write<S: Sink>(mut sink: S, batch: &[Bytes]) -> DiskResult<S> {
    sink.write(batch)?;
    Ok(sink)
}

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last byte.
    Whole,
    /// Too early.
    Broken(BodyFault),
    /// The body exceeds the announced length; the bytes before that were received.
    TooMuch,
}

/// Receives a body, at most `limit` bytes. The final batch, also before an error, is left for the caller to write.
pub(crate) async fn stream<S: Sink>(
    sink: S,
    limit: Option<u64>,
    mut body: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin,
) -> DiskResult<(S, Vec<Bytes>, End)> {
    let (mut batches, mut total) = (Batches::new(sink), 0_u64);
    let end = loop {
        match body.next().await {
            Some(Ok(chunk)) => {
                total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                if limit.is_some_and(|limit| total > limit) {
                    break End::TooMuch;
                }
                batches.push(chunk).await?;
            }
            Some(Err(error)) => break End::Broken(BodyFault::of(&error)),
            None => break End::Whole,
        }
    };
    let (sink, last) = batches.end().await?;
    Ok((sink, last, end))
}
