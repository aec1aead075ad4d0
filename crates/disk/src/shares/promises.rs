//! Room that uploads under way have been promised, for each link that takes files. Without it, uploads at the same time
//! would each be let in by the same room, and fill the disk before their end refuses them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use http_kit::network_of;

use super::model::Collection;

/// Uploads of one network to one link at the same time; a lab often shares one address.
const AT_ONCE_BY_NETWORK: u64 = 64;
/// Uploads to one link at the same time.
const AT_ONCE: u64 = 128;
/// When a refused one may be tried again.
const TRY_AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct Promised {
    bytes: u64,
    files: u64,
    by_network: HashMap<IpAddr, u64>,
}

type Links = HashMap<String, Promised>;

/// The promises for all links.
#[derive(Debug, Default)]
pub(super) struct Promises(Arc<Mutex<Links>>);

impl Promises {
    /// Promises room for one file. 409 when the link has no more, 429 when too many are under way.
    pub(super) fn make(&self, hash: &str, from: IpAddr, bytes: u64, limits: &Collection) -> DiskResult<Promise> {
        let network = network_of(from);
        let mut links = lock(&self.0);
        let (taken, ours) = links.get(hash).map_or(((0, 0), 0), |promised| {
            ((promised.bytes, promised.files), promised.by_network.get(&network).copied().unwrap_or_default())
        });
        if !limits.has_room(bytes, taken) {
            return Err(DiskError::conflict(Reason::LinkFull));
        }
        if taken.1 >= AT_ONCE || ours >= AT_ONCE_BY_NETWORK {
            return Err(DiskError::TooManyRequests(TRY_AGAIN));
        }
        let promised = links.entry(hash.to_owned()).or_default();
        promised.bytes = promised.bytes.saturating_add(bytes);
        promised.files += 1;
        *promised.by_network.entry(network).or_default() += 1;
        Ok(Promise { links: Arc::clone(&self.0), hash: hash.to_owned(), network, bytes })
    }
}

fn lock(links: &Mutex<Links>) -> MutexGuard<'_, Links> {
    links.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for one file, until this is dropped.
#[derive(Debug)]
pub(super) struct Promise {
    links: Arc<Mutex<Links>>,
    hash: String,
    network: IpAddr,
    bytes: u64,
}

impl Drop for Promise {
    fn drop(&mut self) {
        let mut links = lock(&self.links);
        let Some(promised) = links.get_mut(&self.hash) else { return };
        promised.bytes = promised.bytes.saturating_sub(self.bytes);
        promised.files = promised.files.saturating_sub(1);
        if let Some(ours) = promised.by_network.get_mut(&self.network) {
            *ours = ours.saturating_sub(1);
            if *ours == 0 {
                promised.by_network.remove(&self.network);
            }
        }
        if promised.files == 0 {
            links.remove(&self.hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_promised_is_not_promised_again_until_it_is_given_back() {
        let promises = Promises::default();
        let limits = Collection::new(100, 3).unwrap();
        let by = |n: u8| IpAddr::from([192, 0, 2, n]);
        let first = promises.make("a", by(1), 60, &limits).unwrap();
        assert!(matches!(promises.make("a", by(2), 41, &limits), Err(DiskError::Conflict(_))));
        let second = promises.make("a", by(2), 40, &limits).unwrap();
        let third = promises.make("a", by(3), 0, &limits).unwrap();
        assert!(promises.make("a", by(4), 0, &limits).is_err());
        drop((first, third));
        let again = promises.make("a", by(1), 60, &limits).unwrap();
        drop((second, again));
        assert!(promises.0.lock().unwrap().is_empty());
    }

    #[test]
    fn neither_one_network_nor_all_together_hold_a_link_for_themselves() {
        let promises = Promises::default();
        let limits = Collection::new(1, 10_000).unwrap();
        let make = |address: String| promises.make("a", address.parse().unwrap(), 0, &limits);
        let held: Vec<_> = (0..100).filter_map(|n| make(format!("2001:db8:0:7::{n:x}")).ok()).collect();
        assert_eq!(held.len(), 64, "one network of IPv6");
        let others: Vec<_> = (0..100).filter_map(|n| make(format!("192.0.2.{n}")).ok()).collect();
        assert_eq!(others.len(), 64);
        assert!(matches!(make("198.51.100.1".to_owned()), Err(DiskError::TooManyRequests(_))));
        drop(held);
        assert!(make("198.51.100.1".to_owned()).is_ok());
    }
}
