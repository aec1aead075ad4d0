//! The client's address.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::FromRequestParts;
use http::{Extensions, HeaderMap, request::Parts};
use ipnet::IpNet;

/// Reverse proxies whose `X-Forwarded-For` is trusted. All others' is ignored.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }

    /// The last address in the chain that no trusted proxy has.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let chain = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = chain.flat_map(|line| line.split(',')).map(str::trim).collect();
        for hop in hops.iter().rev() {
            if !self.trusts(client) {
                break;
            }
            let Ok(address) = hop.parse::<IpAddr>() else { break };
            client = address.to_canonical();
        }
        client
    }

    /// Whether this peer is a trusted proxy that reports TLS towards the client.
    pub(crate) fn say_secure(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
        if !peer.is_some_and(|peer| self.trusts(peer.ip().to_canonical())) {
            return false;
        }
        let said = headers.get_all("x-forwarded-proto").iter().next_back().and_then(|value| value.to_str().ok());
        let nearest = said.and_then(|said| said.rsplit(',').next()).map(str::trim);
        nearest.is_some_and(|proto| proto.eq_ignore_ascii_case("https"))
    }
}

/// Marks a request that reached a trusted proxy over TLS. Set by [`crate::track`].
#[derive(Clone, Copy, Debug)]
pub struct SecureAtProxy;

/// Marks a request on a connection with TLS to this very process.
#[derive(Clone, Copy, Debug)]
pub struct OverTls;

/// Whether the client speaks TLS, with this process or with a trusted proxy.
#[must_use]
pub fn is_secure(extensions: &Extensions) -> bool {
    extensions.get::<OverTls>().is_some() || extensions.get::<SecureAtProxy>().is_some()
}

/// The client's address, set by [`crate::track`]; `0.0.0.0` where there is no connection (tests
/// that call the router directly).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    pub(crate) fn of(peer: Option<SocketAddr>, headers: &HeaderMap, proxies: &TrustedProxies) -> Self {
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip().to_canonical());
        Self(proxies.client(peer, headers))
    }

    /// Reads it from a request's parts, like the extractor.
    #[must_use]
    pub fn of_request(parts: &Parts) -> Self {
        let known = parts.extensions.get::<Self>().copied();
        known.unwrap_or_else(|| Self::of(None, &HeaderMap::new(), &TrustedProxies::default()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self::of_request(parts))
    }
}

/// Returns the network that rate limits count as one client: the address itself for IPv4, the /64 prefix for IPv6,
/// since one customer controls a whole /64.
#[must_use]
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trusted_proxy_may_name_the_client() {
        let proxies = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "6.6.6.6, 203.0.113.9, 10.1.1.1".parse().unwrap());
        let seen = |peer: &str| proxies.client(peer.parse().unwrap(), &headers).to_string();
        assert_eq!(seen("10.0.0.1"), "203.0.113.9");
        assert_eq!(seen("198.51.100.7"), "198.51.100.7");
    }
}
