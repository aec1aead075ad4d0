//! File work on threads that may block.

use crate::error::{DiskError, DiskResult};

/// Runs file work on a blocking thread. It runs to its end when the client goes away.
pub async fn blocking<T, F>(work: F) -> DiskResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> DiskResult<T> + Send + 'static,
{
    let span = tracing::Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(result) => result,
        Err(panicked) => Err(DiskError::internal(panicked)),
    }
}
