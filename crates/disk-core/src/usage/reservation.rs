//! Room that is promised to changes under way.

use std::sync::Arc;

use super::{Allowance, Ledger};
use crate::error::{DiskError, DiskResult};
use crate::reason::Reason;
use crate::space::Space;

/// Minimum allocation of a file system.
const BLOCK: u64 = 4096;

/// Space reserved for one change; released when dropped.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    space: Space,
    allowance: Allowance,
    held: u64,
    /// It is written where the database needs room too.
    beside_database: bool,
}

impl Reservation {
    pub(super) fn new(ledger: Arc<Ledger>, space: Space, allowance: Allowance, bytes: u64) -> DiskResult<Self> {
        // An old count is renewed in the background.
        allowance.accounts().iter().try_for_each(|account| ledger.used_by(account).map(drop))?;
        let beside_database = ledger.is_beside_database(&space);
        let mut room = Self { ledger, space, allowance, held: 0, beside_database };
        room.grow_to(bytes)?;
        Ok(room)
    }

    /// Restores an earlier promise, whatever space there is by now.
    pub(super) fn promised(ledger: Arc<Ledger>, space: Space, bytes: u64) -> Self {
        let (allowance, beside_database) = (Allowance::unlimited(), ledger.is_beside_database(&space));
        let held = bytes.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX);
        ledger.take(&space, &allowance, held);
        Self { ledger, space, allowance, held, beside_database }
    }

    /// Sets aside at least this much altogether; 507 when a quota has no room for it, or when it would take the room
    /// that is kept for the database.
    pub fn grow_to(&mut self, bytes: u64) -> DiskResult<()> {
        // The last block is allocated as a whole.
        let bytes = bytes.checked_next_multiple_of(BLOCK).unwrap_or(u64::MAX);
        let more = bytes.saturating_sub(self.held);
        if more == 0 {
            // Instances, or concurrent changes, may have used the reserved space.
            return if bytes > 0 && self.beside_database { self.ledger.check_margin() } else { Ok(()) };
        }
        if self.beside_database && !self.ledger.leaves_margin(more)? {
            return Err(DiskError::InsufficientStorage(Reason::DiskFull));
        }
        self.ledger.know(&self.allowance)?;
        if !self.take(more) {
            self.ledger.recount(&self.allowance)?;
            let fits = self.take(more) || self.ledger.make_room(&self.allowance, more)? && self.take(more);
            if !fits {
                return Err(DiskError::InsufficientStorage(Reason::QuotaExceeded));
            }
        }
        self.held = bytes;
        Ok(())
    }

    /// Adds `bytes` to the reservation.
    pub(crate) fn grow_by(&mut self, bytes: u64) -> DiskResult<()> {
        self.grow_to(self.held.saturating_add(bytes))
    }

    fn take(&self, more: u64) -> bool {
        self.ledger.take(&self.space, &self.allowance, more)
    }

    /// The change is done: it took `grown` bytes and gave back `freed`.
    pub fn settle(self, grown: u64, freed: u64) {
        self.ledger.add(&self.space, grown, freed);
    }

    /// The change is done and took about the reserved size; the exact size is counted at the next query.
    pub fn settle_roughly(self) {
        self.ledger.add(&self.space, self.held, 0);
        self.ledger.forget(&self.space);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.ledger.give_back(&self.space, self.held);
    }
}
