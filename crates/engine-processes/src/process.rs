//! Programs beside a workload's own.

use std::fs::{self, File};
use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Pair;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use engine::{Command, Error, Invalid, Process, ProcessControl, ProcessId, Result, TerminalSize};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::OpenptFlags;
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

use crate::procfs;
use crate::record::{Ending, Errand, Life, get, put_in};
use crate::store::{Object, Store, failed};

/// Between two looks at whether it was started.
const LOOK: Duration = Duration::from_millis(5);
const STARTING: Duration = Duration::from_secs(10);
/// Between two looks at whether it has ended.
const LOOK_FOR_END: Duration = Duration::from_millis(200);
/// Bytes of output that wait for their reader.
const WAITING: usize = 64 << 10;

type Input = Box<dyn AsyncWrite + Send + Unpin>;
type Output = Box<dyn AsyncRead + Send + Unpin>;

pub(crate) async fn start(store: &Store, keeper: &Path, object: &Object, command: &Command) -> Result<Process> {
    if command.argv.is_empty() || command.argv.iter().any(|word| word.contains('\0')) {
        return Err(Invalid { what: "command".to_owned(), why: "has no word, or a NUL" }.into());
    }
    let run = uuid::Uuid::new_v4().simple().to_string();
    let dir = object.dir.join("runs").join(&run);
    fs::create_dir_all(&dir).map_err(failed)?;
    let terminal = command.terminal.map(open_terminal).transpose().map_err(failed)?;
    let record = &object.record;
    let mut environment = record.environment.clone();
    environment.extend(terminal.iter().map(|_| ("TERM".to_owned(), "xterm-256color".to_owned())));
    let errand = Errand {
        argv: command.argv.clone(),
        environment,
        working_dir: command.working_dir.clone().unwrap_or_else(|| record.config.working_dir.clone()),
        user: command.user.clone().unwrap_or_else(|| record.config.user.clone()),
        terminal: terminal.as_ref().map(|terminal| terminal.path.clone()),
    };
    put_in(&dir, "errand.json", &errand).map_err(failed)?;
    let mut keeper = tokio::process::Command::new(keeper);
    keeper.arg("run").arg(&dir).current_dir("/");
    let (stdin, stdout, stderr) = match terminal {
        Some(terminal) => on_terminal(&mut keeper, terminal).map_err(failed)?,
        None => {
            keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = keeper.spawn().map_err(failed)?;
            let none = || failed("the keeper has no pipes");
            let stdin: Input = Box::new(child.stdin.take().ok_or_else(none)?);
            let stdout = until_the_end(child.stdout.take().ok_or_else(none)?, &dir);
            let stderr = until_the_end(child.stderr.take().ok_or_else(none)?, &dir);
            (stdin, stdout, Some(stderr))
        }
    };
    let begun = async {
        let mut looks = tokio::time::interval(LOOK);
        while !dir.join("life.json").exists() && !dir.join("end.json").exists() {
            looks.tick().await;
        }
    };
    tokio::time::timeout(STARTING, begun).await.map_err(|_| failed("the program has not started in time"))?;
    let id = ProcessId::new(format!("{} {run}", object.name()));
    let control = Arc::new(Control { store: store.clone(), dir });
    Ok(Process { id, stdin, stdout, stderr, control })
}

/// The output of a program, which ends with it also where others hold the pipe open.
fn until_the_end(mut pipe: impl AsyncRead + Send + Unpin + 'static, dir: &Path) -> Output {
    let (output, mut to) = tokio::io::duplex(WAITING);
    let end = dir.join("end.json");
    tokio::spawn(async move {
        let ended = async {
            let mut looks = tokio::time::interval(LOOK_FOR_END);
            while !end.exists() {
                looks.tick().await;
            }
        };
        tokio::select! {
            _ = tokio::io::copy(&mut pipe, &mut to) => return,
            () = ended => {}
        }
        // What it wrote last.
        let _ = tokio::time::timeout(LOOK_FOR_END, tokio::io::copy(&mut pipe, &mut to)).await;
    });
    Box::new(output)
}

pub(crate) fn attach(store: &Store, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let parts = process.as_str().split_once(' ');
    let Some((object, run)) = parts.filter(|(object, run)| plain(object) && uuid::Uuid::try_parse(run).is_ok()) else {
        return Err(Invalid { what: format!("process {:?}", process.as_str()), why: "is no program's id" }.into());
    };
    let dir = store.cluster.join("objects").join(object).join("runs").join(run);
    Ok(Arc::new(Control { store: store.clone(), dir }))
}

struct Pty {
    master: OwnedFd,
    slave: OwnedFd,
    path: String,
}

fn open_terminal(size: TerminalSize) -> io::Result<Pty> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags)?;
    rustix::pty::unlockpt(&master)?;
    tcsetwinsize(&master, window(size))?;
    let path = rustix::pty::ptsname(&master, Vec::new())?.to_string_lossy().into_owned();
    let slave = rustix::pty::ioctl_tiocgptpeer(&master, flags)?;
    Ok(Pty { master, slave, path })
}

fn window(size: TerminalSize) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn on_terminal(keeper: &mut tokio::process::Command, pty: Pty) -> io::Result<(Input, Output, Option<Output>)> {
    keeper.stdin(pty.slave.try_clone()?).stdout(pty.slave.try_clone()?).stderr(pty.slave);
    keeper.spawn()?;
    // The handles of the terminal's other side in this process are the command's.
    keeper.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let (here, there) = Pair::pair()?;
    let (mut shown, mut typed) = (File::from(pty.master.try_clone()?), File::from(pty.master));
    let (mut to, mut from) = (there.try_clone()?, there);
    // Terminals can't be polled everywhere, so a thread waits for each direction.
    thread::spawn(move || {
        // Ends with an error when the other side is closed everywhere.
        let _ = io::copy(&mut shown, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    thread::spawn(move || io::copy(&mut from, &mut typed));
    here.set_nonblocking(true)?;
    let (output, input) = UnixStream::from_std(here)?.into_split();
    Ok((Box::new(input), Box::new(output), None))
}

#[derive(Debug)]
struct Control {
    store: Store,
    dir: PathBuf,
}

impl Control {
    /// While it runs.
    fn life(&self) -> Result<Option<Life>> {
        self.store.objects()?;
        Ok(get::<Life>(&self.dir.join("life.json")).map_err(failed)?.filter(Life::lasts))
    }

    fn ending(&self) -> Result<Option<Ending>> {
        get(&self.dir.join("end.json")).map_err(failed)
    }
}

#[async_trait]
impl ProcessControl for Control {
    async fn resize(&self, size: TerminalSize) -> Result<()> {
        let errand: Option<Errand> = get(&self.dir.join("errand.json")).map_err(failed)?;
        let Some(terminal) = errand.and_then(|errand| errand.terminal) else {
            return Err(Error::Conflict("it has no terminal".to_owned()));
        };
        if self.life()?.is_none() {
            return Err(Error::Conflict("it has ended".to_owned()));
        }
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        let terminal = rustix::fs::open(terminal, flags, rustix::fs::Mode::empty()).map_err(failed)?;
        tcsetwinsize(terminal, window(size)).map_err(failed)
    }

    async fn signal(&self, name: &str) -> Result<()> {
        let signal = signal(name).ok_or_else(|| Invalid { what: format!("signal {name:?}"), why: "is none" })?;
        if let Some(life) = self.life()? {
            procfs::signal(life.program, signal);
        }
        Ok(())
    }

    async fn exit(&self) -> Result<Option<i64>> {
        if let Some(ending) = self.ending()? {
            return Ok(Some(ending.code));
        }
        if self.life()?.is_some() {
            return Ok(None);
        }
        // It may have ended between the two looks.
        match self.ending()? {
            Some(ending) => Ok(Some(ending.code)),
            None if self.dir.is_dir() => Ok(Some(137)),
            None => Err(Error::NotFound("the program".to_owned())),
        }
    }

    async fn hang_up(&self) -> Result<()> {
        let Some(life) = self.life()? else { return Ok(()) };
        let foreground = procfs::stat(life.program).map_or(0, |stat| stat.foreground);
        for group in [i32::try_from(life.program).unwrap_or(0), foreground] {
            if let Some(group) = Some(group).filter(|group| *group > 1).and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::HUP);
                let _ = kill_process_group(group, Signal::CONT);
            }
        }
        Ok(())
    }
}

fn signal(name: &str) -> Option<Signal> {
    Some(match name {
        "HUP" => Signal::HUP,
        "INT" => Signal::INT,
        "QUIT" => Signal::QUIT,
        "ABRT" => Signal::ABORT,
        "KILL" => Signal::KILL,
        "USR1" => Signal::USR1,
        "USR2" => Signal::USR2,
        "ALRM" => Signal::ALARM,
        "TERM" => Signal::TERM,
        "CONT" => Signal::CONT,
        "STOP" => Signal::STOP,
        "TSTP" => Signal::TSTP,
        "WINCH" => Signal::WINCH,
        _ => return None,
    })
}
