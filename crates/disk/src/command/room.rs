//! Space that quotas leave to a command. The kernel does not know these quotas: a command writes past the disk. So a
//! folder whose quota is full is mounted read-only, no file may grow larger than all quotas allow, and while the
//! command runs its folders are counted repeatedly; one that is over its quota ends the command. Bytes written between
//! two counts stay, and count.

use std::sync::Arc;
use std::time::{Duration, Instant};

use disk_core::blocking::blocking;
use disk_core::error::DiskResult;
use disk_core::jail::Location;
use disk_core::space::Space;
use disk_core::usage::{Allowance, Ledger};
use tokio::time::sleep_until;

use crate::host::Host;
use crate::http::Member;

/// Counting takes at most one twentieth of the time, however many files there are.
const RESTS_TIMES: u32 = 19;
const COUNT_EVERY: Duration = Duration::from_secs(1);
/// Minimum allocation of a file.
const BLOCK: u64 = 4096;

/// The folders with a quota that a command may write into.
#[derive(Clone, Debug)]
pub(super) struct Room {
    ledger: Arc<Ledger>,
    limited: Vec<(Space, Allowance)>,
    /// Whether one of the folders has no quota.
    unlimited: bool,
}

impl Room {
    /// The space of the folders in a person's view, and the spaces whose quota is full.
    pub(super) async fn of(
        host: &Host,
        member: &Member,
        roots: &[(String, Location)],
    ) -> DiskResult<(Self, Vec<Space>)> {
        let mut limited = Vec::new();
        let mut unlimited = false;
        for (_, location) in roots.iter().filter(|(_, location)| location.writable) {
            let allowance = member.allowance(host, &location.space).await?;
            if allowance.is_limited() {
                limited.push((location.space.clone(), allowance));
            } else {
                unlimited = true;
            }
        }
        let ledger = Arc::clone(&host.files.ledger);
        blocking(move || {
            let mut full = Vec::new();
            for (space, allowance) in &limited {
                if ledger.is_over(space, allowance, BLOCK)? {
                    full.push(space.clone());
                }
            }
            limited.retain(|(space, _)| !full.contains(space));
            Ok((Self { ledger, limited, unlimited }, full))
        })
        .await
    }

    /// Bytes that no file can have more of, if there is a limit at all.
    pub(super) fn largest_file(&self) -> Option<u64> {
        let largest = self.limited.iter().filter_map(|(_, allowance)| allowance.most()).max();
        largest.filter(|_| !self.unlimited)
    }

    /// Resolves when a folder is over its quota.
    pub(super) async fn exceeded(self) {
        if self.limited.is_empty() {
            return std::future::pending().await;
        }
        let mut pause = COUNT_EVERY;
        loop {
            sleep_until((Instant::now() + pause).into()).await;
            let begun = Instant::now();
            let room = self.clone();
            match blocking(move || room.is_over()).await {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => tracing::warn!(error = %error, "a command's folders could not be counted"),
            }
            pause = COUNT_EVERY.max(begun.elapsed() * RESTS_TIMES);
        }
    }

    fn is_over(&self) -> DiskResult<bool> {
        for (space, allowance) in &self.limited {
            if self.ledger.is_over(space, allowance, 0)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
