//! The body of an upload on its way to the disk.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::intake::{Announced, Sink, Staged, Stored, UploadTarget, finish, open};
use disk_core::reason::Reason;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, header};
use http_kit::BodyFault;
use rustix::fs::Timespec;
use tokio::task::JoinHandle;

use crate::http::{Validators, body_fault, drain, drain_rest};

/// Written at once: large enough that the hop to a blocking thread costs next to nothing.
const BATCH_BYTES: usize = 1024 * 1024;

/// What the headers announce about the content.
pub(crate) fn announcement(headers: &HeaderMap) -> DiskResult<Announced> {
    // `u64::from_str` accepts a leading plus sign, HTTP does not.
    let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |value: &http::HeaderValue| value.to_str().ok().filter(digits)?.parse::<u64>().ok();
    let length = match headers.get(header::CONTENT_LENGTH) {
        Some(value) => Some(number(value).ok_or_else(|| DiskError::bad_request(Reason::LengthMalformed))?),
        None => None,
    };
    let modified = match headers.get("x-modified") {
        Some(value) => Some(seconds(value).ok_or_else(|| DiskError::bad_request(Reason::ModifiedMalformed))?),
        None => None,
    };
    Ok(Announced { length, modified })
}

/// Seconds since 1970 with an optional fraction, in a range that all file systems keep.
pub(crate) fn seconds(value: &http::HeaderValue) -> Option<Timespec> {
    let text = value.to_str().ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = |digits: &str| !digits.is_empty() && digits.len() <= 11 && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let tv_sec = whole.parse::<i64>().ok().filter(|seconds| *seconds < 1 << 34)?;
    let nanos: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    Some(Timespec { tv_sec, tv_nsec: nanos.parse().ok()? })
}

/// Properties of any announcement, for tests and for the fuzz target: the first line is a length, the second a time.
///
/// # Panics
/// When a value is misread.
#[cfg(any(test, feature = "fuzzing"))]
pub fn check_upload_length(text: &str) {
    let (length, modified) = text.split_once('\n').unwrap_or((text, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in [("content-length", length), ("x-modified", modified)] {
        if let Ok(value) = http::HeaderValue::from_str(value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
    }
    let Ok(announced) = announcement(&headers) else { return };
    if let Some(number) = announced.length {
        assert_eq!(format!("{number:0>width$}", width = length.len()), length, "{text:?}");
    }
    if let Some(at) = announced.modified {
        assert!((0..1 << 34).contains(&at.tv_sec) && (0..1_000_000_000).contains(&at.tv_nsec), "{text:?}");
    }
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

/// Receives the body and puts the file into its place. Nothing is left of it when this fails or is dropped.
pub(crate) async fn receive<F>(
    files: &Arc<FileStore>,
    to: &UploadTarget,
    announced: Announced,
    headers: &HeaderMap,
    body: Body,
    put: F,
) -> DiskResult<Validators>
where
    F: FnOnce(&Staged<'_>) -> DiskResult<Stored> + Send + 'static,
{
    let (opening, to) = (Arc::clone(files), to.clone());
    let incoming = match blocking(move || open(&opening, &to, announced)).await {
        Ok(incoming) => incoming,
        Err(refused) => {
            drain(headers, body, usize::MAX).await;
            return Err(refused);
        }
    };
    let mut body = body.into_data_stream();
    let (mut incoming, last, end) = match stream(incoming, announced.length, &mut body).await {
        Ok(taken) => taken,
        // Refused, for lack of space for example, while the client still sends.
        Err(refused) => {
            drain_rest(body, usize::MAX).await;
            return Err(refused);
        }
    };
    match end {
        End::Whole => {}
        End::Broken(fault) => return Err(body_fault(fault)),
        End::TooMuch => return Err(DiskError::TooLarge),
    }
    // In one step: for a small file changing threads costs more than the disk.
    blocking(move || {
        incoming.write(&last)?;
        if announced.length.is_some_and(|length| length != incoming.at()) {
            return Err(DiskError::bad_request(Reason::BodyShort));
        }
        Ok(Validators::of(&finish(incoming, announced.modified)?.store(put)?))
    })
    .await
}

/// Receives a body, at most `limit` bytes. Reads the next batch while the last one is being written. The final batch,
/// also before an error, is left for the caller to write.
pub(crate) async fn stream<I: Sink>(
    intake: I,
    limit: Option<u64>,
    mut body: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin,
) -> DiskResult<(I, Vec<Bytes>, End)> {
    let mut idle = Some(intake);
    let mut writing: Option<JoinHandle<DiskResult<I>>> = None;
    let (mut batch, mut batched, mut total) = (Vec::new(), 0_usize, 0_u64);
    loop {
        let end = match body.next().await {
            Some(Ok(chunk)) => {
                total = total.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                if limit.is_some_and(|limit| total > limit) {
                    Some(End::TooMuch)
                } else {
                    batched += chunk.len();
                    batch.push(chunk);
                    None
                }
            }
            Some(Err(error)) => Some(End::Broken(BodyFault::of(&error))),
            None => Some(End::Whole),
        };
        if batched < BATCH_BYTES && end.is_none() {
            continue;
        }
        let intake = match (idle.take(), writing.take()) {
            (Some(intake), _) => intake,
            (None, Some(writing)) => writing.await.map_err(DiskError::internal)??,
            (None, None) => return Err(DiskError::internal(anyhow::anyhow!("an upload lost its file"))),
        };
        let full = std::mem::take(&mut batch);
        batched = 0;
        if let Some(end) = end {
            return Ok((intake, full, end));
        }
        writing = Some(tokio::task::spawn_blocking(move || write(intake, &full)));
    }
}

fn write<I: Sink>(mut intake: I, batch: &[Bytes]) -> DiskResult<I> {
    intake.write(batch)?;
    Ok(intake)
}
