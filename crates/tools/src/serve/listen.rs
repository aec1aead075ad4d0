//! Sockets that listen in the instance. Each connection becomes a channel; while there is no room for one, connections
//! wait in the socket's own queue.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::Mode;
use rustix::rand::{GetRandomFlags, getrandom};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tools::link::Handle;
use tools::wire::{Address, Opened, Peer};

use super::places::{listening, refused};
use super::socket;
use crate::account::Account;

/// After an error that another try may not have, such as too many open files.
const PAUSE: Duration = Duration::from_secs(1);
/// Where the socket of an agent may be: one of these can be written to, also on read-only roots.
const AGENT_FOLDERS: [&str; 4] = ["/tmp", "/dev/shm", "/run", "/var/tmp"];

pub(super) async fn tcp(slots: &Arc<Semaphore>, handle: Handle, address: Address, port: u16) {
    let sockets = match bind(address, port).await {
        Ok(sockets) => sockets,
        Err(error) => return handle.refuse(refused(&error)),
    };
    let port = sockets.first().and_then(|socket| socket.local_addr().ok()).map_or(port, |address| address.port());
    handle.accept(Opened::Port(port));
    match &sockets[..] {
        [one] => serve(slots, &handle, one).await,
        [one, two, ..] => {
            tokio::join!(serve(slots, &handle, one), serve(slots, &handle, two));
        }
        [] => {}
    }
}

async fn serve(slots: &Arc<Semaphore>, handle: &Handle, socket: &TcpListener) {
    let place = |address: SocketAddr| Some((address.ip(), address.port()));
    hand_on(slots, handle, || socket.accept(), place).await;
}

/// All addresses on the same port. Only the first has to be possible.
async fn bind(address: Address, port: u16) -> io::Result<Vec<TcpListener>> {
    let (wanted, otherwise) = listening(address);
    let mut sockets: Vec<TcpListener> = Vec::new();
    for address in wanted {
        let port = sockets.first().map_or(Ok(port), |first| first.local_addr().map(|first| first.port()))?;
        match (TcpListener::bind((address, port)).await, otherwise.first()) {
            (Ok(socket), _) => sockets.push(socket),
            (Err(_), _) if !sockets.is_empty() => {}
            (Err(_), Some(other)) => sockets.push(TcpListener::bind((*other, port)).await?),
            (Err(error), None) => return Err(error),
        }
    }
    Ok(sockets)
}

pub(super) async fn unix(slots: &Arc<Semaphore>, handle: Handle, path: &[u8], replace: bool) {
    let path = PathBuf::from(OsStr::from_bytes(path));
    match Socket::bind(path, replace) {
        Ok(socket) => {
            handle.accept(Opened::Plain);
            socket.serve(slots, &handle).await;
        }
        Err(error) => handle.refuse(refused(&error)),
    }
}

pub(super) async fn agent(slots: &Arc<Semaphore>, account: &Account, handle: Handle) {
    match agent_socket(account) {
        // The socket is removed before its folder.
        Ok((_folder, socket)) => {
            handle.accept(Opened::Path(socket.path.clone().into_os_string().into_vec()));
            socket.serve(slots, &handle).await;
        }
        Err(error) => handle.refuse(refused(&error)),
    }
}

fn agent_socket(account: &Account) -> io::Result<(OwnFolder, Socket)> {
    let folder = OwnFolder::make(account)?;
    let socket = Socket::bind(folder.0.join("agent"), false)?;
    Ok((folder, socket))
}

/// A Unix socket that only its user can use; removed when dropped.
struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    fn bind(path: PathBuf, replace: bool) -> io::Result<Self> {
        let is_socket = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
        if replace && is_socket(&path) {
            fs::remove_file(&path)?;
        }
        // No other thread makes files meanwhile.
        let before = rustix::process::umask(Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(&path);
        rustix::process::umask(before);
        Ok(Self { listener: bound?, path })
    }

    async fn serve(&self, slots: &Arc<Semaphore>, handle: &Handle) {
        hand_on(slots, handle, || self.listener.accept(), |_| None).await;
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A folder that only its user can enter; removed when dropped.
struct OwnFolder(PathBuf);

impl OwnFolder {
    fn make(account: &Account) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom(&mut random, GetRandomFlags::empty())?;
        let name = format!("ssh-{:016x}", u64::from_ne_bytes(random));
        let mut failed = None;
        for place in AGENT_FOLDERS.iter().map(Path::new).chain([account.home.as_path()]) {
            let folder = place.join(&name);
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Hands accepted connections on until the portal is done with the listener. They outlive it.
async fn hand_on<S, A, F>(
    slots: &Arc<Semaphore>,
    handle: &Handle,
    accept: impl Fn() -> F,
    address: impl Fn(A) -> Option<(IpAddr, u16)>,
) where
    S: Halves,
    F: Future<Output = io::Result<(S, A)>>,
{
    let accepting = async {
        loop {
            let Ok(slot) = Arc::clone(slots).acquire_owned().await else { return };
            let Ok((stream, from)) = accept().await else {
                let _ = timeout(PAUSE, handle.closed()).await;
                continue;
            };
            let peer = Peer { listener: handle.id(), address: address(from) };
            if let Some(channel) = handle.link().accept(&peer) {
                tokio::spawn(async move {
                    stream.carry(channel).await;
                    drop(slot);
                });
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        () = handle.closed() => {}
    }
}

/// A socket of either family.
trait Halves: Send + 'static {
    fn carry(self, channel: Handle) -> impl Future<Output = ()> + Send;
}

impl Halves for tokio::net::TcpStream {
    async fn carry(self, channel: Handle) {
        let _ = self.set_nodelay(true);
        socket::carry(channel, self.into_split()).await;
    }
}

impl Halves for tokio::net::UnixStream {
    async fn carry(self, channel: Handle) {
        socket::carry(channel, self.into_split()).await;
    }
}
