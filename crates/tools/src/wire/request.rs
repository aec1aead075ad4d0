//! What a channel is opened for, and how that is answered.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::code::{Code, Malformed, Reader, Writer};

/// Arguments of a program, and variables of its environment.
const MAX_WORDS: u32 = 16 << 10;
/// Modes of a terminal; there are 256 of them.
const MAX_MODES: u32 = 256;
/// The longest path that the kernel takes.
const MAX_PATH: usize = 4096;

/// What a channel is opened for. A closed list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A program.
    Run(Run),
    /// The user's shell, or a command in it.
    Shell(Shell),
    /// The SFTP server, protocol 3.
    Sftp,
    /// The old protocol of scp, with the arguments that the client's scp gave.
    Scp(Vec<Vec<u8>>),
    /// A connection to a TCP port on the loopback interface.
    Tcp(Address, u16),
    /// A connection to a Unix socket, by its path.
    Unix(Vec<u8>),
    /// Listens on a TCP port; port 0 is any free one. Each connection becomes a channel.
    ListenTcp(Address, u16),
    /// Listens on a Unix socket at this path, which is removed with the channel.
    ListenUnix {
        /// Where.
        path: Vec<u8>,
        /// Whether a socket that lies there already is removed before.
        replace: bool,
    },
    /// Listens on a Unix socket in a folder of its own that only this user can enter, for an agent.
    ListenAgent,
}

/// A program to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Program and arguments. Without a `/` the program is looked for in the search path.
    pub argv: Vec<Vec<u8>>,
    /// Added to the environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// Working folder; by default the one of the instance.
    pub folder: Option<Vec<u8>>,
    /// With a terminal; by default with three pipes.
    pub terminal: Option<Terminal>,
}

/// The user's shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shell {
    /// What the shell is to run; by default it is a login shell.
    pub command: Option<Vec<u8>>,
    /// Added to the environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// With a terminal; by default with three pipes.
    pub terminal: Option<Terminal>,
}

/// A terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// The value of `TERM`; empty for a usual one.
    pub term: Vec<u8>,
    /// Its size.
    pub size: Size,
    /// Modes, by the numbers of RFC 4254 §8.
    pub modes: Vec<(u8, u32)>,
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Characters in a row.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// Pixels in a row, 0 if unknown.
    pub width: u16,
    /// Pixels in a column, 0 if unknown.
    pub height: u16,
}

/// An address in the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The loopback interface, whatever the family.
    Loopback,
    /// All interfaces, whatever the family.
    Any,
    /// This one.
    Is(IpAddr),
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is open.
    Plain,
    /// A process runs, with this id in the instance.
    Process(u32),
    /// It listens on this TCP port.
    Port(u16),
    /// It listens on this socket.
    Path(Vec<u8>),
}

/// Where an accepted connection comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The channel that listens.
    pub listener: u32,
    /// The other end; `None` with Unix sockets.
    pub address: Option<(IpAddr, u16)>,
}

/// Why a channel is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is none of this version.
    Malformed,
    /// The connection has as many channels as it may.
    TooMany,
    /// There is no such program, socket or folder.
    NotFound,
    /// The user may not.
    Denied,
    /// There is no shell, and the command needs one.
    NoShell,
    /// The instance has no terminals.
    NoTerminal,
    /// Nothing listens there.
    NotListening,
    /// Something else listens there.
    InUse,
    /// Not an address of the instance itself.
    NotHere,
    /// No answer in time.
    TimedOut,
    /// Anything else, which the system's error tells.
    Failed,
}

impl Refusal {
    const ALL: [Self; 11] = [
        Self::Malformed,
        Self::TooMany,
        Self::NotFound,
        Self::Denied,
        Self::NoShell,
        Self::NoTerminal,
        Self::NotListening,
        Self::InUse,
        Self::NotHere,
        Self::TimedOut,
        Self::Failed,
    ];
}

/// The refusal of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{refusal:?} (system error {errno})")]
pub struct Refused {
    /// Why.
    pub refusal: Refusal,
    /// The system's error, 0 if there is none.
    pub errno: u32,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, errno: 0 }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself; 0 is success, 126 and 127 when it could not be started.
    Code(u8),
    /// By a signal.
    Signal {
        /// Its number.
        number: u8,
        /// Whether a core was written.
        core: bool,
    },
}

fn write_words(words: &[Vec<u8>], to: &mut Writer) {
    to.u32(u32::try_from(words.len()).unwrap_or(u32::MAX));
    for word in words {
        to.bytes(word);
    }
}

fn read_words(from: &mut Reader<'_>) -> Result<Vec<Vec<u8>>, Malformed> {
    (0..from.count(MAX_WORDS)?).map(|_| from.text().map(<[u8]>::to_vec)).collect()
}

fn write_env(env: &[(Vec<u8>, Vec<u8>)], to: &mut Writer) {
    to.u32(u32::try_from(env.len()).unwrap_or(u32::MAX));
    for (name, value) in env {
        to.bytes(name).bytes(value);
    }
}

fn read_env(from: &mut Reader<'_>) -> Result<Vec<(Vec<u8>, Vec<u8>)>, Malformed> {
    let count = from.count(MAX_WORDS)?;
    let one = |from: &mut Reader<'_>| {
        let (name, value) = (from.text()?, from.text()?);
        if name.is_empty() || name.contains(&b'=') {
            return Err(Malformed("not the name of a variable"));
        }
        Ok((name.to_vec(), value.to_vec()))
    };
    (0..count).map(|_| one(from)).collect()
}

fn write_option<T>(value: Option<&T>, to: &mut Writer, write: impl FnOnce(&T, &mut Writer)) {
    to.flag(value.is_some());
    if let Some(value) = value {
        write(value, to);
    }
}

fn read_option<T>(
    from: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Malformed>,
) -> Result<Option<T>, Malformed> {
    if from.flag()? { read(from).map(Some) } else { Ok(None) }
}

fn read_path(from: &mut Reader<'_>) -> Result<Vec<u8>, Malformed> {
    let path = from.text()?;
    if path.is_empty() || path.len() > MAX_PATH { Err(Malformed("not a path")) } else { Ok(path.to_vec()) }
}

impl Code for Size {
    fn write(&self, to: &mut Writer) {
        to.u16(self.columns).u16(self.rows).u16(self.width).u16(self.height);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self { columns: from.u16()?, rows: from.u16()?, width: from.u16()?, height: from.u16()? })
    }
}

impl Code for Terminal {
    fn write(&self, to: &mut Writer) {
        to.bytes(&self.term);
        self.size.write(to);
        to.u32(u32::try_from(self.modes.len()).unwrap_or(u32::MAX));
        for (mode, value) in &self.modes {
            to.u8(*mode).u32(*value);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (term, size) = (from.text()?.to_vec(), Size::read(from)?);
        let count = from.count(MAX_MODES)?;
        let modes = (0..count).map(|_| Ok((from.u8()?, from.u32()?))).collect::<Result<_, Malformed>>()?;
        Ok(Self { term, size, modes })
    }
}

impl Code for Address {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Loopback => to.u8(0),
            Self::Any => to.u8(1),
            Self::Is(IpAddr::V4(address)) => to.u8(4).raw(&address.octets()),
            Self::Is(IpAddr::V6(address)) => to.u8(6).raw(&address.octets()),
        };
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            0 => Self::Loopback,
            1 => Self::Any,
            4 => Self::Is(Ipv4Addr::from_bits(from.u32()?).into()),
            6 => Self::Is(Ipv6Addr::from_bits(u128::from(from.u64()?) << 64 | u128::from(from.u64()?)).into()),
            _ => return Err(Malformed("an unknown family of addresses")),
        })
    }
}

impl Code for Request {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Run(run) => {
                write_words(&run.argv, to.u8(1));
                write_env(&run.env, to);
                write_option(run.folder.as_ref(), to, |folder, to| {
                    to.bytes(folder);
                });
                write_option(run.terminal.as_ref(), to, Terminal::write);
            }
            Self::Shell(shell) => {
                write_option(shell.command.as_ref(), to.u8(2), |command, to| {
                    to.bytes(command);
                });
                write_env(&shell.env, to);
                write_option(shell.terminal.as_ref(), to, Terminal::write);
            }
            Self::Sftp => {
                to.u8(3);
            }
            Self::Scp(arguments) => write_words(arguments, to.u8(4)),
            Self::Tcp(address, port) => {
                address.write(to.u8(5));
                to.u16(*port);
            }
            Self::Unix(path) => {
                to.u8(6).bytes(path);
            }
            Self::ListenTcp(address, port) => {
                address.write(to.u8(7));
                to.u16(*port);
            }
            Self::ListenUnix { path, replace } => {
                to.u8(8).bytes(path).flag(*replace);
            }
            Self::ListenAgent => {
                to.u8(9);
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            1 => Self::Run(Run {
                argv: read_words(from)?,
                env: read_env(from)?,
                folder: read_option(from, read_path)?,
                terminal: read_option(from, Terminal::read)?,
            }),
            2 => Self::Shell(Shell {
                command: read_option(from, |from| from.text().map(<[u8]>::to_vec))?,
                env: read_env(from)?,
                terminal: read_option(from, Terminal::read)?,
            }),
            3 => Self::Sftp,
            4 => Self::Scp(read_words(from)?),
            5 => Self::Tcp(Address::read(from)?, from.u16()?),
            6 => Self::Unix(read_path(from)?),
            7 => Self::ListenTcp(Address::read(from)?, from.u16()?),
            8 => Self::ListenUnix { path: read_path(from)?, replace: from.flag()? },
            9 => Self::ListenAgent,
            _ => return Err(Malformed("an unknown request")),
        })
    }
}

impl Code for Opened {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Plain => to.u8(0),
            Self::Process(id) => to.u8(1).u32(*id),
            Self::Port(port) => to.u8(2).u16(*port),
            Self::Path(path) => to.u8(3).bytes(path),
        };
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match from.u8()? {
            0 => Self::Plain,
            1 => Self::Process(from.u32()?),
            2 => Self::Port(from.u16()?),
            3 => Self::Path(read_path(from)?),
            _ => return Err(Malformed("an unknown answer")),
        })
    }
}

impl Code for Peer {
    fn write(&self, to: &mut Writer) {
        to.u32(self.listener);
        write_option(self.address.as_ref(), to, |(address, port), to| {
            Address::Is(*address).write(to);
            to.u16(*port);
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let listener = from.u32()?;
        let address = read_option(from, |from| match Address::read(from)? {
            Address::Is(address) => Ok((address, from.u16()?)),
            Address::Loopback | Address::Any => Err(Malformed("not an address")),
        })?;
        Ok(Self { listener, address })
    }
}

impl Code for Refused {
    fn write(&self, to: &mut Writer) {
        let at = Refusal::ALL.iter().position(|one| *one == self.refusal).unwrap_or_default();
        to.u8(u8::try_from(at).unwrap_or(u8::MAX)).u32(self.errno);
    }

    /// A code of a later version is a failure.
    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let refusal = Refusal::ALL.get(usize::from(from.u8()?)).copied().unwrap_or(Refusal::Failed);
        Ok(Self { refusal, errno: from.u32()? })
    }
}

impl Code for Exit {
    fn write(&self, to: &mut Writer) {
        match self {
            Self::Code(code) => to.u8(0).u8(*code),
            Self::Signal { number, core } => to.u8(1 + u8::from(*core)).u8(*number),
        };
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let (kind, number) = (from.u8()?, from.u8()?);
        Ok(match kind {
            0 => Self::Code(number),
            1 | 2 => Self::Signal { number, core: kind == 2 },
            _ => return Err(Malformed("an unknown end")),
        })
    }
}
