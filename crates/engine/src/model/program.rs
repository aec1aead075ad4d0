//! Processes in a container, and their connections.

use std::net::SocketAddr;

/// A snapshot of a container's processes. All values in it are chosen by the programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerPrograms {
    /// By their number on the machine.
    pub programs: Vec<Program>,
    /// The other ends of open TCP connections.
    pub connected: Vec<SocketAddr>,
}

/// A process in a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// On the machine.
    pub pid: u32,
    /// The name that the process set, at most 15 characters.
    pub name: String,
    /// The executable file as the kernel reports it; `… (deleted)` after its deletion. Empty when unknown.
    pub file: String,
    /// The command line, including the program: the beginning of each of the first 32 arguments.
    pub arguments: Vec<String>,
}
