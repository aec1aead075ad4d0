//! A connection to the program of an instance.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::channel::{Listener, Process, Stream};
use crate::link::{Fault, Handle, Link, OpenError, Owner, Side};
use crate::wire::{Address, MAX_CONTROL_BYTES, Opened, PING_SECONDS, Refusal, Request, Run, Shell};

/// How long the program may take for its first frame, and for the last ones of the portal.
const GREETING: Duration = Duration::from_secs(20);

/// A connection to the program of an instance. It ends when this and all its clones and channels are dropped.
#[derive(Clone, Debug)]
pub struct Session {
    owner: Arc<Owner>,
}

impl Session {
    /// Greets the program behind these streams: its output and its input. A task serves them until the connection ends.
    ///
    /// # Errors
    /// [`Fault::NotSpoken`] with the first output, if that is not the program, for example because it is not there.
    pub async fn open(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Self, Fault> {
        let session = Self { owner: Arc::new(Owner(Link::new(Side::Portal))) };
        let link = Arc::clone(&session.owner.0);
        tokio::spawn(async move { drive(&link, output, input).await });
        match tokio::time::timeout(GREETING, session.owner.0.greeted()).await {
            Ok(greeted) => greeted.map(|()| session),
            Err(_) => Err(Fault::Broken(std::io::ErrorKind::TimedOut)),
        }
    }

    /// Resolves when the connection ended.
    pub async fn ended(&self) -> Fault {
        self.owner.0.ended().await
    }

    async fn request(&self, request: &Request) -> Result<(Handle, Opened), OpenError> {
        let handle = self.owner.0.open(request, Arc::clone(&self.owner)).await?;
        let opened = handle.answered().await?;
        Ok((handle, opened))
    }

    /// Starts a program.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn run(&self, run: Run) -> Result<Process, OpenError> {
        self.process(Request::Run(run)).await
    }

    /// Starts the user's shell, or a command in it.
    ///
    /// # Errors
    /// [`Refusal::NoShell`] where there is none, other refusals, or the end of the connection.
    pub async fn shell(&self, shell: Shell) -> Result<Process, OpenError> {
        self.process(Request::Shell(shell)).await
    }

    /// Starts the SFTP server: packets on its input and output.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn sftp(&self) -> Result<Process, OpenError> {
        self.process(Request::Sftp).await
    }

    /// Starts the remote end of an `scp` of the old protocol, with the arguments after `scp`.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn scp(&self, arguments: Vec<Vec<u8>>) -> Result<Process, OpenError> {
        self.process(Request::Scp(arguments)).await
    }

    async fn process(&self, request: Request) -> Result<Process, OpenError> {
        match self.request(&request).await? {
            (handle, Opened::Process(id)) => Ok(Process::new(handle, id)),
            _ => Err(wrong_answer()),
        }
    }

    /// Connects to a TCP port of the instance's own.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn tcp(&self, address: Address, port: u16) -> Result<Stream, OpenError> {
        self.stream(Request::Tcp(address, port)).await
    }

    /// Connects to a Unix socket.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn unix(&self, path: Vec<u8>) -> Result<Stream, OpenError> {
        self.stream(Request::Unix(path)).await
    }

    async fn stream(&self, request: Request) -> Result<Stream, OpenError> {
        let (handle, _) = self.request(&request).await?;
        Ok(Stream::new(handle))
    }

    /// Listens on a TCP port in the instance; the port that it listens on. Port 0 is any free one.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn listen_tcp(&self, address: Address, port: u16) -> Result<(Listener, u16), OpenError> {
        match self.request(&Request::ListenTcp(address, port)).await? {
            (handle, Opened::Port(port)) => Ok((Listener::new(handle), port)),
            _ => Err(wrong_answer()),
        }
    }

    /// Listens on a Unix socket, which is removed with the listener.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn listen_unix(&self, path: Vec<u8>, replace: bool) -> Result<Listener, OpenError> {
        let (handle, _) = self.request(&Request::ListenUnix { path, replace }).await?;
        Ok(Listener::new(handle))
    }

    /// Listens on a Unix socket of its own for an agent, and the path of the socket.
    ///
    /// # Errors
    /// The program's refusal, or the end of the connection.
    pub async fn listen_agent(&self) -> Result<(Listener, Vec<u8>), OpenError> {
        match self.request(&Request::ListenAgent).await? {
            (handle, Opened::Path(path)) => Ok((Listener::new(handle), path)),
            _ => Err(wrong_answer()),
        }
    }
}

/// The program answered something else than what was asked for.
fn wrong_answer() -> OpenError {
    OpenError::Refused(Refusal::Failed.into())
}

/// Reads, writes and pings, until one of the sides ends the connection.
async fn drive(link: &Arc<Link>, output: impl AsyncRead + Unpin, input: impl AsyncWrite + Unpin) {
    // The program opens no channels except those of listeners.
    let read = link.read(output, |handle, _| drop(handle), || {});
    let mut write = pin!(link.write(input));
    let fault = tokio::select! {
        read = read => read.err().unwrap_or(Fault::Ended),
        written = &mut write => {
            return link.end(written.err().map_or(Fault::Ended, Fault::from));
        }
        () = ping(link) => Fault::Ended,
        fault = link.ended() => fault,
    };
    link.end(fault);
    // What waits is still sent after the end.
    let _ = tokio::time::timeout(GREETING, write).await;
}

async fn ping(link: &Link) {
    let mut pings = tokio::time::interval(Duration::from_secs(PING_SECONDS));
    loop {
        pings.tick().await;
        link.ping().await;
    }
}

const _: () = assert!(MAX_CONTROL_BYTES > 4096 + 64, "a path must fit into an answer");
