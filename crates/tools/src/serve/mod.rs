//! Serves a connection of the portal on standard input and output until it ends, and with it what was started on it.

mod environment;
mod fd;
mod listen;
mod places;
mod process;
mod pump;
mod shell;
mod socket;
mod terminal;

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tools::link::{Fault, Handle, Link, Side};
use tools::wire::{MAX_CHANNELS, Refusal, Request, SILENCE_SECONDS};

use crate::complain;
use environment::Surroundings;
use fd::Stream;

/// Open files that the channels need.
const OPEN_FILES: u64 = 8 * 1024;
/// How long processes have to end after a hang-up.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked whether the portal is silent. While an instance is frozen no time passes.
const LOOK: Duration = Duration::from_secs(30);

/// What the channels of a connection share.
struct Serving {
    surroundings: Surroundings,
    /// A slot for each channel, and each process that has not ended yet.
    slots: Arc<Semaphore>,
}

pub(crate) fn run() -> ExitCode {
    let open_files = raise_open_files();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    match runtime.block_on(serve(open_files)) {
        Ok(Fault::Ended) => ExitCode::SUCCESS,
        Ok(fault) => {
            complain(&fault.to_string());
            ExitCode::FAILURE
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &io::Error) -> ExitCode {
    complain(&format!("can't serve: {error}"));
    ExitCode::FAILURE
}

/// The limit before, for the programs that are started; `None` if it did not change.
fn raise_open_files() -> Option<u64> {
    let before = getrlimit(Resource::Nofile);
    let current = before.current?;
    let wanted = OPEN_FILES.min(before.maximum.unwrap_or(OPEN_FILES));
    if current >= wanted {
        return None;
    }
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: before.maximum });
    raised.ok().map(|()| current)
}

fn own(fd: impl AsFd) -> io::Result<Stream> {
    let own: OwnedFd = fd.as_fd().try_clone_to_owned()?;
    Stream::new(own)
}

async fn serve(open_files: Option<u64>) -> io::Result<Fault> {
    let (input, output) = (own(rustix::stdio::stdin())?, own(rustix::stdio::stdout())?);
    let slots = Arc::new(Semaphore::new(MAX_CHANNELS));
    let serving = Arc::new(Serving { surroundings: Surroundings::new(open_files), slots: Arc::clone(&slots) });
    let link = Link::new(Side::Program);
    let heard = Cell::new(false);
    let read = link.read(input, |handle, request| open(&serving, handle, request), || heard.set(true));
    let mut write = pin!(link.write(output));
    let mut written = false;
    let fault = tokio::select! {
        read = read => read.err().unwrap_or(Fault::Ended),
        result = &mut write => {
            written = true;
            result.err().map_or(Fault::Ended, Fault::from)
        }
        () = silence(&heard) => Fault::Broken(io::ErrorKind::TimedOut),
    };
    link.end(fault.clone());
    let all = u32::try_from(MAX_CHANNELS).unwrap_or(u32::MAX);
    let ended = timeout(2 * GRACE, slots.acquire_many(all));
    if written {
        let _ = ended.await;
    } else {
        let _ = tokio::join!(ended, timeout(GRACE, write));
    }
    Ok(fault)
}

/// Resolves when nothing was heard for too long.
async fn silence(heard: &Cell<bool>) {
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut silent = Duration::ZERO;
    while silent < Duration::from_secs(SILENCE_SECONDS) {
        looks.tick().await;
        silent = if heard.replace(false) { Duration::ZERO } else { silent + LOOK };
    }
}

fn open(serving: &Arc<Serving>, handle: Handle, request: Request) {
    let Ok(slot) = Arc::clone(&serving.slots).try_acquire_owned() else {
        return handle.refuse(Refusal::TooMany.into());
    };
    let serving = Arc::clone(serving);
    tokio::spawn(async move { carry_out(&serving, handle, request, slot).await });
}

async fn carry_out(serving: &Arc<Serving>, handle: Handle, request: Request, slot: OwnedSemaphorePermit) {
    let surroundings = &serving.surroundings;
    match request {
        Request::Run(run) => process::carry(handle, surroundings.program(run)).await,
        Request::Shell(shell) => process::carry(handle, surroundings.shell(shell)).await,
        Request::Sftp => process::carry(handle, Ok(surroundings.part("sftp", Vec::new()))).await,
        Request::Scp(arguments) => process::carry(handle, Ok(surroundings.part("scp", arguments))).await,
        Request::Tcp(address, port) => socket::tcp(handle, address, port).await,
        Request::Unix(path) => socket::unix(handle, &path).await,
        Request::ListenTcp(address, port) => listen::tcp(&serving.slots, handle, address, port).await,
        Request::ListenUnix { path, replace } => listen::unix(&serving.slots, handle, &path, replace).await,
        Request::ListenAgent => listen::agent(&serving.slots, &surroundings.account, handle).await,
    }
    drop(slot);
}
