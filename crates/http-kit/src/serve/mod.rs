//! How all our servers accept connections: plain ones, over which files can be sent straight from the page cache, and
//! TLS; a client that stalls loses its connection.

mod app;
mod compress;
mod door;
mod eviction;
mod expect;
mod files;
mod guests;
mod heads;
mod listen;
mod prompt;
mod stop;
mod visit;

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum_server::Server;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use futures_util::future::try_join_all;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tower::service_fn;

use crate::TrustedProxies;
pub use app::{App, Shortcut};
pub use compress::uncompressed;
use door::Door;
use files::FileAcceptor;
pub use guests::ConnectionLimits;
pub(crate) use guests::Guest;
use guests::GuestBook;
use listen::{Listener, Peer};
use prompt::PromptAcceptor;
pub(crate) use stop::GivenUp;
pub use stop::Stop;

/// A client must have sent its request head by then.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// A client that sends nothing more of a body, or reads nothing more of a response, for this long counts as gone.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// A port to serve at. The listener must be non-blocking.
#[derive(Debug)]
pub struct Port {
    /// Where connections come.
    pub listener: TcpListener,
    /// `None` for plain HTTP.
    pub tls: Option<RustlsConfig>,
}

/// Serves on all ports until `stop` is triggered. The limits apply to all ports together.
///
/// # Errors
/// When one of the listeners fails.
pub async fn serve(
    ports: Vec<Port>,
    stop: Stop,
    proxies: TrustedProxies,
    limits: ConnectionLimits,
    app: impl Into<App>,
) -> io::Result<()> {
    let app = app.into();
    let guests = GuestBook::new(limits);
    let claimants = GuestBook::new(limits);
    let serving = ports.into_iter().map(|port| {
        let secure = port.tls.is_some();
        let door = Door {
            app: app.clone(),
            stop: stop.clone(),
            proxies: proxies.clone(),
            guests: guests.clone(),
            claimants: claimants.clone(),
            secure,
        };
        serve_port(port, limits, door)
    });
    try_join_all(serving).await.map(drop)
}

async fn serve_port(Port { listener, tls }: Port, limits: ConnectionLimits, door: Door) -> io::Result<()> {
    let handle = door.stop.handle.clone();
    let listener = Listener::new(listener, door.guests.clone(), limits, door.proxies.clone(), handle.clone())?;
    let door = Arc::new(door);
    let service = service_fn(move |peer: Peer| {
        let door = Arc::clone(&door);
        // Boxed, because the service's callers move the future several times, and it is large.
        let answering = service_fn(move |request| Box::pin(Arc::clone(&door).answer(peer.clone(), request)));
        async { Ok::<_, Infallible>(answering) }
    });
    if let Some(tls) = tls {
        let acceptor =
            PromptAcceptor::new(RustlsAcceptor::new(tls).acceptor(NoDelayAcceptor::new()), HEAD_TIMEOUT, STALL_TIMEOUT);
        let mut server = Server::from_listener(listener).handle(handle).acceptor(acceptor);
        bound(server.http_builder());
        return server.serve(service).await;
    }
    let acceptor = PromptAcceptor::new(FileAcceptor, HEAD_TIMEOUT, STALL_TIMEOUT);
    let mut server = Server::from_listener(listener).handle(handle).acceptor(acceptor);
    bound(server.http_builder());
    server.serve(service).await
}

/// Time limits, so that a client that stalls loses its connection.
fn bound(builder: &mut Builder<TokioExecutor>) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let http2 = &mut builder.http2();
    http2.timer(TokioTimer::new()).keep_alive_interval(HEAD_TIMEOUT).keep_alive_timeout(HEAD_TIMEOUT);
}
