//! Where pictures are made: by few workers, in bounded memory, each at most once at a time.

use std::fs::File;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::Jail;
use disk_core::reason::Reason;
use moka::future::Cache;
use tokio::sync::Semaphore;

use super::picture::{MAX_DECODED_BYTES, Refusal, Size, make};
use super::store::Store;

/// Requests that may wait for a worker; others are refused as busy.
const MOST_WAITING: usize = 1024;
/// Memory that all workers together may decode into.
const ROOM_BYTES: u64 = 2 * MAX_DECODED_BYTES;
/// Thumbnails cached in memory, as those of a folder are requested repeatedly.
const MEMORY_BYTES: u64 = 8 * 1024 * 1024;
const MEMORY_TIME: Duration = Duration::from_secs(300);

/// A file's identity and the requested size.
pub(super) type Key = (String, Size);
type Made = Result<Bytes, Refusal>;

/// The workers and the cache of their results.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    /// Also failures, so that a broken image is decoded once.
    made: Cache<Key, Made>,
    store: Arc<Store>,
    workers: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    room: Arc<Room>,
}

impl Workshop {
    pub(crate) fn open(jail: &Jail) -> anyhow::Result<Self> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let weigh =
            |_: &Key, made: &Made| made.as_ref().map_or(64, |made| u32::try_from(made.len()).unwrap_or(u32::MAX));
        Ok(Self {
            made: Cache::builder().weigher(weigh).max_capacity(MEMORY_BYTES).time_to_idle(MEMORY_TIME).build(),
            store: Arc::new(Store::open(jail)?),
            workers: Arc::new(Semaphore::new(workers)),
            queue: Arc::new(Semaphore::new(MOST_WAITING)),
            room: Arc::new(Room::new(ROOM_BYTES)),
        })
    }

    /// Returns the thumbnail for this identity, or makes it from the file. Concurrent requests for the same one share
    /// the result.
    pub(super) async fn get(&self, key: Key, file: File) -> DiskResult<Bytes> {
        let made = self.made.try_get_with(key.clone(), self.find_or_make(key, file)).await;
        match made {
            Ok(Ok(made)) => Ok(made),
            Ok(Err(Refusal::Unknown)) => Err(DiskError::UnsupportedMediaType),
            Ok(Err(Refusal::Broken)) => Err(DiskError::Unprocessable(Reason::PictureBroken)),
            Ok(Err(Refusal::TooLarge)) => Err(DiskError::TooLarge),
            Err(error) => match Arc::try_unwrap(error) {
                Ok(error) => Err(error),
                Err(shared) if matches!(*shared, DiskError::Busy) => Err(DiskError::Busy),
                Err(shared) => Err(DiskError::internal(anyhow::anyhow!("{shared}"))),
            },
        }
    }

    async fn find_or_make(&self, key: Key, file: File) -> DiskResult<Made> {
        let (store, known) = (Arc::clone(&self.store), key.clone());
        if let Some(found) = blocking(move || Ok(store.get(&known))).await? {
            return Ok(Ok(found.into()));
        }
        let Ok(place) = Arc::clone(&self.queue).try_acquire_owned() else { return Err(DiskError::Busy) };
        let worker = Arc::clone(&self.workers).acquire_owned().await.map_err(DiskError::internal)?;
        drop(place);
        let (store, room) = (Arc::clone(&self.store), Arc::clone(&self.room));
        blocking(move || {
            // Held until the work is done, also when the request was cancelled.
            let _worker = worker;
            let made = make(file, key.1, &room);
            if let Ok(made) = &made {
                store.put(&key, made);
            }
            Ok(made.map(Bytes::from))
        })
        .await
    }
}

/// Bytes of memory that the workers share.
#[derive(Debug)]
pub(super) struct Room {
    all: u64,
    free: Mutex<u64>,
    freed: Condvar,
}

/// A part of the memory, given back when dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Room {
    fn new(all: u64) -> Self {
        Self { all, free: Mutex::new(all), freed: Condvar::new() }
    }

    /// Waits until there is as much. Only workers call this, so few threads wait.
    pub(super) fn take(&self, bytes: u64) -> Held<'_> {
        let bytes = bytes.min(self.all);
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free < bytes).unwrap_or_else(PoisonError::into_inner);
        *free -= bytes;
        Held { room: self, bytes }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *self.room.free.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
        self.room.freed.notify_all();
    }
}
