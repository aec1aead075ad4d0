//! Connections without TLS can send files straight from the page cache.

use std::future::{Ready, ready};
use std::io;

use axum::Extension;
use axum::middleware::AddExtension;
use axum_server::accept::Accept;
use tokio::net::TcpStream;
use tower::Layer;

use crate::{FileSender, FileStream};

/// Wraps each connection, and gives its requests a `FileSender`.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileAcceptor;

impl<S> Accept<TcpStream, S> for FileAcceptor {
    type Stream = FileStream;
    type Service = AddExtension<S, FileSender>;
    type Future = Ready<io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        // Small responses are sent without waiting for the acknowledgement of the last one.
        let prompt = stream.set_nodelay(true);
        ready(prompt.map(|()| {
            let (stream, sender) = FileStream::new(stream);
            (stream, Extension(sender).layer(service))
        }))
    }
}
