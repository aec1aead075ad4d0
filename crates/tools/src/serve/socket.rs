//! Connections to sockets of the instance.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tools::link::Handle;
use tools::wire::{Address, Opened, Refusal, Refused};

use super::places::{loopback, refused};
use super::pump::pump;

/// How long a connection inside one machine may take.
const CONNECTING: Duration = Duration::from_secs(10);

pub(super) async fn tcp(handle: Handle, address: Address, port: u16) {
    match timeout(CONNECTING, connect(address, port)).await {
        Ok(Ok(stream)) => {
            // Keystrokes go through here as well as files.
            let _ = stream.set_nodelay(true);
            handle.accept(Opened::Plain);
            carry(handle, stream.into_split()).await;
        }
        Ok(Err(refused)) => handle.refuse(refused),
        Err(_) => handle.refuse(Refusal::TimedOut.into()),
    }
}

async fn connect(address: Address, port: u16) -> Result<TcpStream, Refused> {
    let mut first = None;
    for place in loopback(address, port)? {
        match TcpStream::connect(place).await {
            Ok(stream) => return Ok(stream),
            // The first address is the usual one.
            Err(error) => first = first.or(Some(refused(&error))),
        }
    }
    Err(first.unwrap_or(Refusal::NotHere.into()))
}

pub(super) async fn unix(handle: Handle, path: &[u8]) {
    match timeout(CONNECTING, UnixStream::connect(OsStr::from_bytes(path))).await {
        Ok(Ok(stream)) => {
            handle.accept(Opened::Plain);
            carry(handle, stream.into_split()).await;
        }
        Ok(Err(error)) => handle.refuse(refused(&error)),
        Err(_) => handle.refuse(refused(&io::ErrorKind::TimedOut.into())),
    }
}

/// Until both directions ended, or the portal is done with it.
pub(super) async fn carry(handle: Handle, (read, write): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin)) {
    let handle = Arc::new(handle);
    let (incoming, outgoing) = handle.halves();
    tokio::select! {
        _ = async { tokio::join!(pump(read, outgoing), pump(incoming, write)) } => {}
        () = handle.closed() => {}
    }
}
