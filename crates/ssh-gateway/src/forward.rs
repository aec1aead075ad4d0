//! Connections between a client and sockets of the instance: to them (`-L`, `-D`, `-W`) and from them (`-R`, agents). Only
//! the instance itself is reached, with the rights of its user.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use russh::server::{ChannelOpenHandle, Handle, Msg};
use russh::{Channel, ChannelOpenFailure};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tools::client::{Listener, OpenError, Session, Stream};
use tools::wire::{Address, Peer, Refusal as Code};

use crate::connection::{Connection, Listening};
use crate::pipe::{Pipe, Side};
use crate::{Entered, Purpose, words};

/// How long the client may take to close a channel that both sides have ended. russh keeps something of those that are
/// closed from here.
const CLOSING: Duration = Duration::from_secs(5);
/// How long a socket may take to listen, during which nothing else happens on the connection.
const LISTENING: Duration = Duration::from_secs(30);

/// Where a client wants to go.
#[derive(Debug)]
pub(crate) enum Target {
    Port(String, u32),
    Socket(String),
}

/// Connects a channel that is not open yet.
pub(crate) async fn connect(
    connection: Arc<Connection>,
    channel: Channel<Msg>,
    handle: Handle,
    target: Target,
    reply: ChannelOpenHandle,
) {
    match reach(&connection, target).await {
        Ok(stream) => {
            let pipe = connection.pipe(channel, handle);
            reply.accept().await;
            splice(pipe, stream).await;
        }
        Err(failure) => reply.reject(failure).await,
    }
}

async fn reach(connection: &Connection, target: Target) -> Result<Stream, ChannelOpenFailure> {
    let entered = connection.enter(Purpose::Forward).await;
    let entered = entered.map_err(|refusal| failure(2, words::in_ascii(refusal.reason)))?;
    let opened = match target {
        Target::Port(host, port) => match (address(&host, &entered), u16::try_from(port)) {
            (Some(address), Ok(port)) => entered.session.tcp(address, port).await,
            _ => return Err(failure(1, "only the instance itself can be reached")),
        },
        Target::Socket(path) => entered.session.unix(path.into_bytes()).await,
    };
    opened.map_err(|error| match error {
        OpenError::Refused(refused) => match refused.refusal {
            Code::NotHere => failure(1, "only the instance itself can be reached"),
            Code::Denied => failure(2, "permission denied"),
            Code::NotFound => failure(2, "no such socket"),
            Code::TooMany => failure(4, "too many channels"),
            _ => failure(2, "nothing listens there"),
        },
        OpenError::Fault(_) => failure(2, "the way into the instance broke"),
    })
}

/// With a code of RFC 4254 §5.1, and words in ASCII.
fn failure(code: u32, reason: &str) -> ChannelOpenFailure {
    ChannelOpenFailure::Other { code, reason: reason.to_owned() }
}

/// The address of the instance that a host's name means.
fn address(host: &str, entered: &Entered) -> Option<Address> {
    match host.parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => Some(Address::Loopback),
        Ok(address) => Some(Address::Is(address)),
        Err(_) => is_own_name(host, entered).then_some(Address::Loopback),
    }
}

fn is_own_name(host: &str, entered: &Entered) -> bool {
    host.eq_ignore_ascii_case("localhost") || host == entered.name || host == entered.id
}

/// Where to listen, by RFC 4254 §7.1.
fn bind_address(text: &str) -> Option<Address> {
    match text {
        "" | "*" | "0.0.0.0" | "::" => Some(Address::Any),
        "localhost" => Some(Address::Loopback),
        other => other.parse().ok().map(Address::Is),
    }
}

/// What a channel to the client is opened for.
#[derive(Clone, Debug)]
enum Source {
    Port(String, u16),
    Socket(String),
    Agent,
}

impl Source {
    async fn open(&self, handle: &Handle, peer: &Peer) -> Result<Channel<Msg>, russh::Error> {
        match self {
            Self::Port(address, port) => {
                let (from, from_port) = match peer.address {
                    Some((address, port)) => (address.to_string(), port),
                    None => (String::new(), 0),
                };
                let (port, from_port) = (u32::from(*port), u32::from(from_port));
                handle.channel_open_forwarded_tcpip(address.as_str(), port, from, from_port).await
            }
            Self::Socket(path) => handle.channel_open_forwarded_streamlocal(path.as_str()).await,
            Self::Agent => handle.channel_open_agent().await,
        }
    }
}

/// Listens on a port of the instance; the port, or `None` where that is not possible.
pub(crate) async fn listen_on_port(
    connection: &Arc<Connection>,
    handle: Handle,
    address: &str,
    port: u32,
) -> Option<u16> {
    let listening = async {
        let entered = connection.enter(Purpose::Listen).await.ok()?;
        entered.session.listen_tcp(bind_address(address)?, u16::try_from(port).ok()?).await.ok()
    };
    let (listener, port) = timeout(LISTENING, listening).await.ok().flatten()?;
    let open = connection.listens(Listening::Port(address.to_owned(), u32::from(port)));
    let source = Source::Port(address.to_owned(), port);
    tokio::spawn(hand_on(Arc::clone(connection), handle, listener, source, open));
    Some(port)
}

/// Listens on a Unix socket of the instance; whether that is possible. A socket that lies there already is replaced:
/// those of broken connections do.
pub(crate) async fn listen_on_socket(connection: &Arc<Connection>, handle: Handle, path: &str) -> bool {
    let listening = async {
        let entered = connection.enter(Purpose::Listen).await.ok()?;
        entered.session.listen_unix(path.as_bytes().to_vec(), true).await.ok()
    };
    let Some(listener) = timeout(LISTENING, listening).await.ok().flatten() else { return false };
    let open = connection.listens(Listening::Socket(path.to_owned()));
    let source = Source::Socket(path.to_owned());
    tokio::spawn(hand_on(Arc::clone(connection), handle, listener, source, open));
    true
}

/// Listens for the client's agent; the path of the socket in the instance.
pub(crate) async fn listen_for_agent(
    connection: &Arc<Connection>,
    handle: Handle,
    session: &Session,
) -> Result<Vec<u8>, OpenError> {
    let (listener, path) = session.listen_agent().await?;
    let open = connection.listens(Listening::Agent);
    tokio::spawn(hand_on(Arc::clone(connection), handle, listener, Source::Agent, open));
    Ok(path)
}

/// Hands on what a listener in the instance accepts, until it is to end.
async fn hand_on(
    connection: Arc<Connection>,
    handle: Handle,
    listener: Listener,
    source: Source,
    open: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = open.cancelled() => return,
        };
        let Some((stream, peer)) = accepted else { return };
        // What is dropped is closed.
        if connection.is_full() {
            continue;
        }
        let (connection, handle, source) = (Arc::clone(&connection), handle.clone(), source.clone());
        tokio::spawn(async move {
            match source.open(&handle, &peer).await {
                Ok(channel) => splice(connection.pipe(channel, handle), stream).await,
                Err(error) => tracing::debug!(%error, "a client took no connection from its instance"),
            }
        });
    }
}

/// Carries a connection in both directions, each to its own end.
async fn splice(pipe: Pipe, stream: Stream) {
    let (incoming, mut outgoing) = stream.into_halves();
    let there = async {
        while let Some(data) = pipe.inbox().next().await {
            if outgoing.write_all(&data).await.is_err() {
                pipe.inbox().leave();
                break;
            }
        }
        let _ = outgoing.shutdown().await;
    };
    let back = async {
        pipe.send_all(Side::Output, incoming).await;
        pipe.end().await;
    };
    let both = async {
        tokio::join!(there, back);
        if timeout(CLOSING, pipe.inbox().gone()).await.is_err() {
            pipe.close().await;
        }
    };
    tokio::select! {
        () = both => {}
        () = pipe.inbox().gone() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_listen_are_read_as_ssh_has_them() {
        for any in ["", "*", "0.0.0.0", "::"] {
            assert_eq!(bind_address(any), Some(Address::Any), "{any:?}");
        }
        assert_eq!(bind_address("localhost"), Some(Address::Loopback));
        assert_eq!(bind_address("127.0.0.2"), Some(Address::Is([127, 0, 0, 2].into())));
        assert_eq!(bind_address("example.org"), None);
    }
}
