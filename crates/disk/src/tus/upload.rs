//! One unfinished upload.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use disk_core::error::{DiskError, DiskResult};
use disk_core::staging::Area;
use disk_core::usage::Reservation;
use kernel::Timestamp;
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use super::KEPT_FOR;
use super::record::Record;

/// How long a request that cancelled another waits for it to release its turn.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(super) struct Upload {
    pub(super) id: String,
    pub(super) record: Record,
    pub(super) area: Arc<Area>,
    /// Of the file system where it is to be.
    pub(super) mount: u64,
    received: AtomicU64,
    /// Milliseconds since 1970.
    touched: AtomicI64,
    turn: Arc<tokio::sync::Mutex<Turn>>,
    /// Cancels the request that has the turn.
    stop: Mutex<CancellationToken>,
}

/// Exclusive access to an upload.
#[derive(Debug)]
pub(super) struct Turn {
    /// Room for the whole file.
    pub(super) room: Option<Reservation>,
    /// In place, or removed.
    pub(super) over: bool,
}

impl Upload {
    pub(super) fn new(
        id: String,
        record: Record,
        area: Arc<Area>,
        mount: u64,
        room: Reservation,
        (received, touched): (u64, Timestamp),
    ) -> Self {
        Self {
            id,
            record,
            area,
            mount,
            received: received.into(),
            touched: touched.as_millis().into(),
            turn: Arc::new(tokio::sync::Mutex::new(Turn { room: Some(room), over: false })),
            stop: Mutex::default(),
        }
    }

    /// Bytes that are safe.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.received() == self.record.length
    }

    /// Whether it is whole and becomes a file: a part waits for the others.
    pub(super) fn is_ready(&self) -> bool {
        self.is_whole() && !self.record.is_part()
    }

    pub(super) fn missing(&self) -> u64 {
        self.record.length.saturating_sub(self.received())
    }

    pub(super) fn advance(&self, received: u64, now: Timestamp) {
        self.received.store(received, Ordering::Relaxed);
        self.touched.store(now.as_millis(), Ordering::Relaxed);
    }

    pub(super) fn touched(&self) -> Timestamp {
        Timestamp::from_millis(self.touched.load(Ordering::Relaxed))
    }

    pub(super) fn expires(&self) -> Timestamp {
        self.touched().plus(KEPT_FOR)
    }

    /// Takes the turn if it is free: of several concurrent requests one wins.
    pub(super) fn try_turn(&self) -> Option<OwnedMutexGuard<Turn>> {
        Arc::clone(&self.turn).try_lock_owned().ok()
    }

    /// Takes the turn from a request that still has it. A client that queries the offset has given up on its earlier
    /// connection, even if the server has not noticed yet.
    pub(super) async fn take_turn(&self) -> DiskResult<OwnedMutexGuard<Turn>> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turn).lock_owned());
        turn.await.map_err(|_| DiskError::Busy)
    }

    /// A token that cancels the request with the turn.
    pub(super) fn stop(&self) -> CancellationToken {
        let fresh = CancellationToken::new();
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        fresh
    }
}
