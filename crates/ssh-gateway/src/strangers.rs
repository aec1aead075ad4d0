//! Connections of clients that have not signed in, bounded for each address and in all. At a bound the one that is here
//! longest gives way: who floods shuts out themselves first.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gate::Gate;

const OF_ONE_ADDRESS: usize = 32;
const OF_ALL: usize = 512;

/// The strangers, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strangers(Arc<Mutex<Present>>);

#[derive(Debug, Default)]
struct Present {
    next: u64,
    here: VecDeque<One>,
}

#[derive(Debug)]
struct One {
    number: u64,
    network: IpAddr,
    gate: Arc<Gate>,
}

impl Strangers {
    fn present(&self) -> MutexGuard<'_, Present> {
        // Each change is whole in itself.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection as a stranger's until the answer is dropped.
    pub(crate) fn admit(&self, address: IpAddr, gate: Arc<Gate>) -> Stranger {
        let network = network_of(address);
        let mut present = self.present();
        let neighbours = present.here.iter().filter(|one| one.network == network).count();
        if neighbours >= OF_ONE_ADDRESS {
            present.send_away(|one| one.network == network);
        } else if present.here.len() >= OF_ALL {
            present.send_away(|_| true);
        }
        let number = present.next;
        present.next += 1;
        present.here.push_back(One { number, network, gate });
        Stranger { number, strangers: self.clone() }
    }
}

impl Present {
    fn send_away(&mut self, which: impl Fn(&One) -> bool) {
        if let Some(gone) = self.here.iter().position(which).and_then(|at| self.here.remove(at)) {
            gone.gate.break_off();
        }
    }
}

/// A connection before sign-in.
#[derive(Debug)]
pub(crate) struct Stranger {
    number: u64,
    strangers: Strangers,
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut present = self.strangers.present();
        if let Ok(at) = present.here.binary_search_by_key(&self.number, |one| one.number) {
            present.here.remove(at);
        }
    }
}

/// The address, or the /64 network of an IPv6 address, which one customer has.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX)).into(),
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn here(strangers: &Strangers) -> Vec<u64> {
        strangers.present().here.iter().map(|one| one.number).collect()
    }

    #[test]
    fn the_oldest_of_an_address_gives_way() {
        let strangers = Strangers::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let other = strangers.admit(address("192.0.2.9"), Arc::default());
        let mut flood: Vec<Stranger> = (0..OF_ONE_ADDRESS as u64)
            .map(|n| strangers.admit(address(&format!("2001:db8::{n:x}")), Arc::default()))
            .collect();
        flood.push(strangers.admit(address("2001:db8::ffff"), Arc::default()));
        let left = here(&strangers);
        assert_eq!((left.len(), left[0], left[1]), (OF_ONE_ADDRESS + 1, 0, 2));
        drop(flood);
        assert_eq!(here(&strangers), [0]);
        drop(other);
        assert!(here(&strangers).is_empty());
    }

    #[test]
    fn the_oldest_of_all_gives_way() {
        let strangers = Strangers::default();
        let all: Vec<Stranger> = (0..=OF_ALL)
            .map(|n| strangers.admit(Ipv4Addr::from_bits(u32::try_from(n).unwrap()).into(), Arc::default()))
            .collect();
        assert_eq!(here(&strangers).len(), OF_ALL);
        assert_eq!(here(&strangers)[0], 1);
        drop(all);
    }
}
