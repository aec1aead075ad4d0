//! What runs in a container, and whom it talks to.

use std::net::SocketAddr;

/// Everything that was found in a container at one moment. What is in it was chosen by its programs.
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
    /// What it calls itself, at most 15 characters.
    pub name: String,
    /// The file that runs, by the kernel's word; `… (deleted)` when it is gone. Empty when unknown.
    pub file: String,
    /// What it was started with, itself included: the beginning of each of the first 32.
    pub arguments: Vec<String>,
}
