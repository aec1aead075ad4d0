//! Accepts connections within the [`ConnectionLimits`], and logs failures and refusals.

use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use axum_server::{AddrListener, Address, Handle};
use tokio::net::{TcpListener, TcpStream};

use super::eviction::Eviction;
use super::guests::{ConnectionLimits, Guest, GuestBook};
use crate::TrustedProxies;

/// The interval at which a repeated fault is logged.
const LOGGED_EVERY: Duration = Duration::from_secs(10);

/// The remote end of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(super) address: SocketAddr,
    /// `None` for a trusted proxy, whose requests are counted one by one.
    pub(super) guest: Option<Guest>,
}

/// An accepted connection.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(super) stream: TcpStream,
    pub(super) eviction: Eviction,
}

impl Address for Peer {
    type Stream = Accepted;
    type Listener = Listener;
}

/// A TCP listener that enforces the limits.
#[derive(Debug)]
pub(crate) struct Listener {
    tcp: TcpListener,
    guests: GuestBook,
    limits: ConnectionLimits,
    proxies: TrustedProxies,
    handle: Handle<Peer>,
    failed: Faults,
    refused: Faults,
}

impl Listener {
    pub(super) fn new(
        tcp: std::net::TcpListener,
        guests: GuestBook,
        limits: ConnectionLimits,
        proxies: TrustedProxies,
        handle: Handle<Peer>,
    ) -> io::Result<Self> {
        let tcp = TcpListener::from_std(tcp)?;
        Ok(Self { tcp, guests, limits, proxies, handle, failed: Faults::default(), refused: Faults::default() })
    }

    /// Returns `None` if there is no room.
    fn admit(&self, address: SocketAddr, eviction: &Eviction) -> Option<Peer> {
        if self.handle.connection_count() >= self.limits.all {
            return None;
        }
        if self.proxies.trusts(address.ip().to_canonical()) {
            return Some(Peer { address, guest: None });
        }
        let guest = self.guests.connection(address.ip(), eviction.clone())?;
        Some(Peer { address, guest: Some(guest) })
    }
}

impl AddrListener<Accepted, Peer> for Listener {
    async fn bind_to(_: Peer) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    async fn accept_stream(&self) -> io::Result<(Accepted, Peer)> {
        loop {
            // The caller backs off after an error and retries.
            let (stream, address) = self.tcp.accept().await.inspect_err(|error| {
                metrics::counter!("http_accept_failures_total").increment(1);
                if let Some(before) = self.failed.count() {
                    tracing::error!(%error, before, "a connection could not be taken");
                }
            })?;
            let eviction = Eviction::default();
            if let Some(peer) = self.admit(address, &eviction) {
                return Ok((Accepted { stream, eviction }, peer));
            }
            metrics::counter!("http_connections_refused_total").increment(1);
            if let Some(before) = self.refused.count() {
                tracing::warn!(client.address = %address.ip(), before, "too many connections, a new one is refused");
            }
        }
    }

    fn get_local_addr(&self) -> io::Result<Peer> {
        Ok(Peer { address: self.tcp.local_addr()?, guest: None })
    }
}

/// A rate-limited fault log: the number of faults since the last logged one, and its time.
#[derive(Debug, Default)]
struct Faults(Mutex<(u64, Option<Instant>)>);

impl Faults {
    /// Counts a fault. Returns how many were suppressed before it if this one is to be logged.
    fn count(&self) -> Option<u64> {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (unlogged, last) = *faults;
        if last.is_some_and(|last| last.elapsed() < LOGGED_EVERY) {
            *faults = (unlogged + 1, last);
            return None;
        }
        *faults = (0, Some(Instant::now()));
        Some(unlogged)
    }
}
