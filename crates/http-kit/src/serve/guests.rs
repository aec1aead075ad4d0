//! Limits on the connections of unauthenticated clients ("guests"), per address and in total, so that one client cannot
//! exhaust them. At a limit, the connection that has been idle longest is evicted in favour of the new one; the new one
//! is refused only if all are busy.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::eviction::Eviction;
use crate::network_of;

/// How long a request with credentials waits for room.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The limits on open connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Unauthenticated connections of one address ([`network_of`]).
    pub guests_per_address: usize,
    /// Unauthenticated connections of all addresses.
    pub guests: usize,
    /// All connections; the remaining descriptors are kept for files and the database.
    pub all: usize,
}

impl ConnectionLimits {
    /// Derives limits from the number of file descriptors: half of them for guests, an eighth kept in reserve.
    #[must_use]
    pub fn within(descriptors: usize) -> Self {
        let guests = descriptors / 2;
        let all = descriptors - descriptors / 8;
        Self { guests_per_address: (guests / 4).clamp(32, 1024).min(guests), guests, all }
    }
}

/// The registry of guests.
#[derive(Clone, Debug)]
pub(super) struct GuestBook(Arc<Book>);

#[derive(Debug)]
struct Book {
    limits: ConnectionLimits,
    state: Mutex<State>,
    /// Wakes those who wait for room, whenever a guest has left.
    left: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// A logical clock: incremented by each admission and each time a guest becomes idle.
    turn: u64,
    addresses: HashMap<IpAddr, BTreeMap<u64, Entry>>,
    total: usize,
}

#[derive(Debug)]
struct Entry {
    /// Requests in progress.
    busy: usize,
    /// The turn at which the guest became idle.
    idle_since: u64,
    /// Evicts the connection; `None` for a request behind a proxy, which cannot be evicted.
    eviction: Option<Eviction>,
    /// Set when the entry is removed.
    gone: Arc<AtomicBool>,
}

impl State {
    fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }

    /// Returns the id of the entry that has been idle longest.
    fn idlest<'a>(entries: impl Iterator<Item = (&'a u64, &'a Entry)>) -> Option<u64> {
        let idle = entries.filter(|(_, entry)| entry.busy == 0 && entry.eviction.is_some());
        idle.min_by_key(|(_, entry)| entry.idle_since).map(|(id, _)| *id)
    }

    fn remove(&mut self, address: IpAddr, id: u64) -> Option<Entry> {
        let entries = self.addresses.get_mut(&address)?;
        let entry = entries.remove(&id)?;
        entry.gone.store(true, Ordering::Relaxed);
        if entries.is_empty() {
            self.addresses.remove(&address);
        }
        self.total -= 1;
        Some(entry)
    }

    /// Evicts the longest idle connection of this address. Returns whether there was one.
    fn make_room(&mut self, address: IpAddr) -> bool {
        let idlest = self.addresses.get(&address).and_then(|entries| Self::idlest(entries.iter()));
        let Some(entry) = idlest.and_then(|id| self.remove(address, id)) else { return false };
        if let Some(eviction) = entry.eviction {
            eviction.evict();
        }
        true
    }
}

impl GuestBook {
    pub(super) fn new(limits: ConnectionLimits) -> Self {
        Self(Arc::new(Book { limits, state: Mutex::default(), left: Notify::new() }))
    }

    /// Admits a connection that `eviction` can close. Returns `None` if there is no room.
    pub(super) fn connection(&self, address: IpAddr, eviction: Eviction) -> Option<Guest> {
        self.admit(address, Some(eviction), 0)
    }

    /// Admits a request that a proxy forwards for this address. Returns `None` if there is no room.
    pub(super) fn request(&self, address: IpAddr) -> Option<Guest> {
        self.admit(address, None, 1)
    }

    /// The same for a request with credentials, which waits for others to leave: many that arrive together are
    /// authenticated within milliseconds of each other.
    pub(super) async fn claim(&self, address: IpAddr) -> Option<Guest> {
        let admitted = async {
            loop {
                let mut left = pin!(self.0.left.notified());
                // From here on none that leaves is missed.
                left.as_mut().enable();
                if let Some(guest) = self.request(address) {
                    return guest;
                }
                left.await;
            }
        };
        timeout(LONGEST_WAIT, admitted).await.ok()
    }

    fn admit(&self, address: IpAddr, eviction: Option<Eviction>, busy: usize) -> Option<Guest> {
        let (address, limits) = (network_of(address), self.0.limits);
        let mut state = self.0.state();
        let own = state.addresses.get(&address).map_or(0, BTreeMap::len);
        if own >= limits.guests_per_address && !state.make_room(address) {
            return None;
        }
        if state.total >= limits.guests {
            // The address with the most connections loses one first.
            let most = state.addresses.iter().max_by_key(|(_, entries)| entries.len()).map(|(address, _)| *address);
            if !most.is_some_and(|most| state.make_room(most)) && !state.make_room(address) {
                return None;
            }
        }
        let id = state.next_turn();
        let gone = Arc::new(AtomicBool::new(false));
        let entry = Entry { busy, idle_since: id, eviction, gone: Arc::clone(&gone) };
        state.addresses.entry(address).or_default().insert(id, entry);
        state.total += 1;
        Some(Guest(Arc::new(Place { book: Arc::clone(&self.0), address, id, gone })))
    }
}

impl Book {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave a change half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An unauthenticated connection, or an unauthenticated request behind a proxy. Stored in the request's extensions.
#[derive(Clone, Debug)]
pub(crate) struct Guest(Arc<Place>);

#[derive(Debug)]
struct Place {
    book: Arc<Book>,
    address: IpAddr,
    id: u64,
    /// Whether the entry was removed, which most requests ask: without the book's lock.
    gone: Arc<AtomicBool>,
}

impl Guest {
    /// Marks the start of a request.
    pub(super) fn begin(&self) {
        self.change(|entry, _| entry.busy += 1);
    }

    /// Marks the end of a request.
    pub(super) fn end(&self) {
        self.change(|entry, turn| {
            entry.busy = entry.busy.saturating_sub(1);
            entry.idle_since = turn;
        });
    }

    /// Whether it still counts as a guest: neither authenticated nor evicted.
    pub(super) fn is_there(&self) -> bool {
        !self.0.gone.load(Ordering::Relaxed)
    }

    /// Removes it from the guests, since its client has authenticated.
    pub(crate) fn signed_in(&self) {
        self.0.leave();
    }

    fn change(&self, change: impl FnOnce(&mut Entry, u64)) {
        if !self.is_there() {
            return;
        }
        let mut state = self.0.book.state();
        let turn = state.next_turn();
        if let Some(entry) = state.addresses.get_mut(&self.0.address).and_then(|entries| entries.get_mut(&self.0.id)) {
            change(entry, turn);
        }
    }
}

impl Place {
    fn leave(&self) {
        if !self.gone.load(Ordering::Relaxed) {
            self.book.state().remove(self.address, self.id);
            self.book.left.notify_waiters();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::{join, join_all};

    use super::*;

    const LIMITS: ConnectionLimits = ConnectionLimits { guests_per_address: 3, guests: 5, all: 100 };

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn come(book: &GuestBook, from: &str) -> Option<(Guest, Eviction)> {
        let eviction = Eviction::default();
        Some((book.connection(address(from), eviction.clone())?, eviction))
    }

    #[test]
    fn the_longest_idle_of_an_address_gives_way() {
        let book = GuestBook::new(LIMITS);
        let held: Vec<_> = (0..3).map(|_| come(&book, "10.0.0.1").unwrap()).collect();
        held[0].0.begin();
        held[0].0.end();
        let fourth = come(&book, "10.0.0.1").unwrap();
        assert_eq!([0, 1, 2].map(|n: usize| held[n].1.is_evicted()), [false, true, false]);
        assert!(come(&book, "10.0.0.2").is_some());
        // Busy connections are never evicted.
        for guest in [&held[0].0, &held[2].0, &fourth.0] {
            guest.begin();
        }
        assert!(come(&book, "10.0.0.1").is_none());
        held[2].0.signed_in();
        assert!(come(&book, "10.0.0.1").is_some());
    }

    #[test]
    fn all_together_have_so_many_and_who_has_most_gives() {
        let book = GuestBook::new(LIMITS);
        let many: Vec<_> = (0..3).map(|_| come(&book, "10.0.0.1").unwrap()).collect();
        let others: Vec<_> = (2..4).map(|n| come(&book, &format!("10.0.0.{n}")).unwrap()).collect();
        let _new = come(&book, "10.0.0.9").unwrap();
        assert!(many[0].1.is_evicted() && !others.iter().any(|(_, eviction)| eviction.is_evicted()));
    }

    #[test]
    fn who_goes_makes_room() {
        let book = GuestBook::new(LIMITS);
        for _ in 0..20 {
            let (guest, _) = come(&book, "10.0.0.1").unwrap();
            guest.begin();
        }
        assert!(book.0.state().addresses.is_empty());
        assert_eq!(book.0.state().total, 0);
    }

    #[test]
    fn requests_through_a_proxy_are_never_broken_off() {
        let book = GuestBook::new(LIMITS);
        let requests: Vec<_> = (0..3).map(|_| book.request(address("10.0.0.1")).unwrap()).collect();
        assert!(book.request(address("10.0.0.1")).is_none());
        requests[0].signed_in();
        assert!(book.request(address("10.0.0.1")).is_some());
    }

    #[tokio::test]
    async fn who_has_credentials_waits_for_others_to_be_authenticated() {
        let book = GuestBook::new(LIMITS);
        let held: Vec<_> = (0..3).map(|_| book.request(address("10.0.0.1")).unwrap()).collect();
        let many =
            join_all((0..50).map(async |_| book.claim(address("10.0.0.1")).await.map(|guest| guest.signed_in())));
        let (admitted, ()) = join(many, async { held[1].signed_in() }).await;
        assert!(admitted.iter().all(Option::is_some));
    }

    #[test]
    fn one_customer_of_ipv6_is_one_address() {
        let book = GuestBook::new(LIMITS);
        let held: Vec<_> = (1..=3).map(|n| come(&book, &format!("2001:db8::{n}")).unwrap()).collect();
        let _fourth = come(&book, "2001:db8::9").unwrap();
        assert!(held[0].1.is_evicted());
        assert!(come(&book, "2001:db8:0:1::1").is_some());
        // An IPv4 client on a dual-stack socket.
        assert_eq!(network_of(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }

    #[test]
    fn limits_leave_descriptors_for_files() {
        for descriptors in [256, 1024, 20_000, 1_048_576] {
            let limits = ConnectionLimits::within(descriptors);
            assert!(limits.guests_per_address <= limits.guests && limits.guests < limits.all);
            assert!(limits.all < descriptors);
        }
        assert_eq!(ConnectionLimits::within(20_000).guests_per_address, 1024);
    }
}
