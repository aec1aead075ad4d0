//! Progress and cancellation of long work.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use crate::error::{DiskError, DiskResult};
use crate::reason::Reason;

/// Shared between the work, which reports, and its observers. Work without observers has one too and is never
/// cancelled.
#[derive(Debug, Default)]
pub struct Progress {
    bytes_done: AtomicU64,
    bytes_total: AtomicU64,
    entries_done: AtomicU64,
    entries_skipped: AtomicU64,
    cancelled: CancellationToken,
}

impl Progress {
    /// For work without observers that ends with the token.
    pub fn until(cancelled: CancellationToken) -> Self {
        Self { cancelled, ..Self::default() }
    }

    /// Sets the total of bytes, as far as it is known.
    pub fn expect(&self, bytes: u64) {
        self.bytes_total.store(bytes, Ordering::Relaxed);
    }

    /// Adds bytes; an error when the work is cancelled.
    pub fn advance(&self, bytes: u64) -> DiskResult<()> {
        self.bytes_done.fetch_add(bytes, Ordering::Relaxed);
        self.check()
    }

    /// Counts one more file, folder or link.
    pub fn entry(&self) -> DiskResult<()> {
        self.entries_done.fetch_add(1, Ordering::Relaxed);
        self.check()
    }

    /// Counts one entry that was left out.
    pub fn skip(&self) {
        self.entries_skipped.fetch_add(1, Ordering::Relaxed);
    }

    /// An error when the work is cancelled.
    pub fn check(&self) -> DiskResult<()> {
        if self.cancelled.is_cancelled() { Err(DiskError::conflict(Reason::Cancelled)) } else { Ok(()) }
    }

    /// Cancels the work.
    pub fn token(&self) -> &CancellationToken {
        &self.cancelled
    }

    /// Bytes that were read or written.
    pub fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }

    /// At least the bytes done: announced sizes may be wrong.
    pub fn bytes_total(&self) -> u64 {
        self.bytes_total.load(Ordering::Relaxed).max(self.bytes_done())
    }

    /// Files, folders and links that are done.
    pub fn entries_done(&self) -> u64 {
        self.entries_done.load(Ordering::Relaxed)
    }

    /// Entries that were left out.
    pub fn entries_skipped(&self) -> u64 {
        self.entries_skipped.load(Ordering::Relaxed)
    }
}
