//! Long-lived connections: websockets and followed logs. All end when the server stops, and their number is limited for
//! each user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::UserId;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most connections of one user and kind.
const SEATS: usize = 32;

/// All of them.
#[derive(Clone, Debug)]
pub(crate) struct Sockets {
    /// Names this run of the portal.
    run: Arc<str>,
    stopping: CancellationToken,
    open: TaskTracker,
    taken: Taken,
}

/// By person and kind.
type Taken = Arc<Mutex<HashMap<(UserId, Kind), usize>>>;

/// The kinds of connections, counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A terminal or a log that is followed.
    Work,
    /// A page that listens to the broadcast.
    Page,
    /// A connection to the SSH gateway.
    Ssh,
}

impl Default for Sockets {
    fn default() -> Self {
        Self {
            run: uuid::Uuid::now_v7().to_string().into(),
            stopping: CancellationToken::new(),
            open: TaskTracker::new(),
            taken: Arc::default(),
        }
    }
}

impl Sockets {
    /// The id of this run of the portal.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Resolves when the server stops.
    pub(crate) fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        self.stopping.clone().cancelled_owned()
    }

    /// The work of open sockets, which the server waits for when it stops.
    pub(crate) fn open(&self) -> &TaskTracker {
        &self.open
    }

    /// A seat for another connection of this kind; `None` when the user has too many.
    pub(crate) fn seat(&self, user: UserId, kind: Kind) -> Option<Seat> {
        let mut all = taken(&self.taken);
        let seats = all.entry((user, kind)).or_default();
        (*seats < SEATS).then(|| {
            *seats += 1;
            Seat { holder: (user, kind), taken: Arc::clone(&self.taken) }
        })
    }

    /// Ends all connections, and waits until they are closed.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        self.open.close();
        self.open.wait().await;
    }
}

/// Held as long as the socket is open.
#[derive(Debug)]
pub(crate) struct Seat {
    holder: (UserId, Kind),
    taken: Taken,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut all = taken(&self.taken);
        if let Some(seats) = all.get_mut(&self.holder) {
            *seats -= 1;
            if *seats == 0 {
                all.remove(&self.holder);
            }
        }
    }
}

fn taken(seats: &Taken) -> MutexGuard<'_, HashMap<(UserId, Kind), usize>> {
    // Counting up and down is whole in itself.
    seats.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_takes_so_many_seats_and_gives_them_back() {
        let sockets = Sockets::default();
        let mut seats: Vec<Seat> = std::iter::from_fn(|| sockets.seat(1, Kind::Work)).collect();
        assert_eq!(seats.len(), SEATS);
        assert!(sockets.seat(1, Kind::Page).is_some());
        assert!(sockets.seat(2, Kind::Work).is_some());
        seats.pop();
        assert!(sockets.seat(1, Kind::Work).is_some());
        drop(seats);
        assert!(taken(&sockets.taken).is_empty());
    }
}
