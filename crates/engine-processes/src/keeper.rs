//! The keeper: started by a driver, and independent of it from then on.

mod errand;
mod log;
mod walls;

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::process::Signal;

use self::log::Log;
use crate::procfs::{self, Executable};
use crate::record::{Ending, Forward, Life, Record, Start, get, put};
use crate::users;

/// What the binary of this crate does: `keep OBJECT` and `run ERRAND`.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["keep", folder] => keep(Path::new(folder)),
        ["run", folder] => errand::run(Path::new(folder)),
        _ => ExitCode::from(2),
    }
}

fn keep(folder: &Path) -> ExitCode {
    match start(folder) {
        Ok(kept) => {
            tell(&Start::Running);
            kept.attend();
        }
        Err(Halt::Told(start)) => tell(&start),
        Err(Halt::Fault(fault)) => tell(&Start::Failed(fault.to_string())),
    }
    ExitCode::SUCCESS
}

/// A driver that is gone hears nothing, and the work goes on.
fn tell(start: &Start) {
    let line = serde_json::to_string(start).unwrap_or_default();
    let mut out = io::stdout();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Why nothing was started.
enum Halt {
    Told(Start),
    Fault(io::Error),
}

impl From<io::Error> for Halt {
    fn from(fault: io::Error) -> Self {
        Self::Fault(fault)
    }
}

/// A program under way.
struct Kept {
    folder: File,
    proc: File,
    own: Executable,
    space: String,
    child: Child,
    logs: Vec<JoinHandle<()>>,
    /// Held as long as the keeper lives.
    _lock: File,
}

fn start(folder: &Path) -> Result<Kept, Halt> {
    let handle = File::open(folder)?;
    let lock = File::create(folder.join("lock"))?;
    if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Err(Halt::Told(Start::Already));
    }
    let record: Record = get(&folder.join("record.json"))?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let earlier: Option<Life> = get(&folder.join("life.json"))?;
    let proc = File::open("/proc")?;
    let own = Executable::of(Path::new("/proc/self/exe"))?;
    if let Some(earlier) = earlier {
        end_all(&proc, &earlier.space, own);
    }
    // A session of its own, so that nothing that ends the driver's ends it.
    let _ = rustix::process::setsid();
    let log = Log::open(folder)?;
    let listeners = listen(&record.ports)?;
    let (boot, keeper) = (procfs::boot(), std::process::id());
    let born = procfs::stat(keeper).map_or(0, |stat| stat.born);
    walls::leave(&record.host_name)?;
    let space = fs::read_link("/proc/self/ns/net")?.to_string_lossy().into_owned();
    let null = File::open("/dev/null")?;
    walls::enter(&folder.join("root"), &record)?;
    if record.no_new_privileges {
        rustix::thread::set_no_new_privs(true).map_err(io::Error::from)?;
    }
    let config = &record.config;
    let mut command = program(&record.argv, &record.environment, &config.working_dir, &config.user)?;
    let mut child = command
        .stdin(null)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|fault| io::Error::other(format!("{:?} does not start: {fault}", record.argv)))?;
    let life = Life { boot, keeper, born, program: child.id(), space: space.clone(), started: procfs::now() };
    for old in ["end.json", "frozen"] {
        let _ = rustix::fs::unlinkat(&handle, old, rustix::fs::AtFlags::empty());
    }
    if let Err(fault) = put(handle.as_fd(), "life.json", &life) {
        let _ = child.kill();
        return Err(fault.into());
    }
    for (listener, port) in listeners {
        thread::spawn(move || forward(&listener, port));
    }
    let logs = vec![log.follow(child.stdout.take(), false), log.follow(child.stderr.take(), true)];
    Ok(Kept { folder: handle, proc, own, space, child, logs, _lock: lock })
}

impl Kept {
    /// Until the program has ended, and all others with it.
    fn attend(mut self) {
        let status = self.child.wait();
        end_all(&self.proc, &self.space, self.own);
        for log in self.logs {
            let _ = log.join();
        }
        let ending = Ending { code: status.map_or(255, code), at: procfs::now(), error: String::new() };
        // With a full disk there is no room for it: then the end is known, but not how.
        let _ = put(self.folder.as_fd(), "end.json", &ending);
    }
}

/// As shells count.
fn code(status: ExitStatus) -> i64 {
    i64::from(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(127)))
}

/// Kills whatever is in a network, 2 s at most.
fn end_all(proc: &File, space: &str, own: Executable) {
    for _ in 0..200 {
        let members = procfs::members(proc.as_fd(), space, own);
        if members.is_empty() {
            return;
        }
        members.iter().for_each(|pid| procfs::signal(*pid, Signal::KILL));
        pause(Duration::from_millis(10));
    }
}

fn pause(time: Duration) {
    let (_open, never) = mpsc::channel::<()>();
    let _ = never.recv_timeout(time);
}

/// A program in the present root.
fn program(argv: &[String], environment: &[(String, String)], dir: &str, user: &str) -> io::Result<Command> {
    let (name, arguments) = argv.split_first().ok_or_else(|| io::Error::other("no program to start"))?;
    let (uid, gid) = users::ids(user)?;
    let mut command = Command::new(name);
    command.args(arguments).env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
    command.current_dir(if dir.is_empty() { "/" } else { dir }).uid(uid).gid(gid);
    Ok(command)
}

fn listen(ports: &[Forward]) -> Result<Vec<(TcpListener, u16)>, Halt> {
    let bind = |forward: &Forward| match TcpListener::bind(("0.0.0.0", forward.node_port)) {
        Ok(listener) => Ok((listener, forward.port)),
        Err(fault) if fault.kind() == io::ErrorKind::AddrInUse => {
            Err(Halt::Told(Start::PortTaken(format!("port {}: {fault}", forward.node_port))))
        }
        Err(fault) => Err(fault.into()),
    };
    ports.iter().map(bind).collect()
}

/// The listener is of the machine's network, what it connects to of the workload's.
fn forward(listener: &TcpListener, port: u16) {
    for outer in listener.incoming().flatten() {
        thread::spawn(move || -> io::Result<()> {
            let inner = TcpStream::connect(("127.0.0.1", port))?;
            let (mut from, mut to) = (outer.try_clone()?, inner.try_clone()?);
            thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
            let (mut from, mut to) = (inner, outer);
            io::copy(&mut from, &mut to)?;
            to.shutdown(std::net::Shutdown::Write)
        });
    }
}
