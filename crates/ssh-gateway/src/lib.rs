//! An SSH server in front of instances: shells, commands, files and forwards of standard SSH clients, carried by the
//! program that lies in every instance ([`tools`]).
//!
//! It knows SSH and that program. Who may come in, which instance a name means, how it is reached and when a right has
//! ended is asked of a [`Lab`]; what is run and forwarded stays inside the instance. One host key stands for all
//! instances, so that a new root never looks like another host.

mod carry;
mod connection;
mod forward;
mod gate;
mod handler;
mod host_key;
mod inbox;
mod lab;
mod login;
mod menu;
mod pipe;
mod server;
mod signals;
mod strangers;
mod words;

pub use host_key::{HostKey, HostKeyError, known_hosts_line};
pub use lab::{Entered, Guest, Lab, Offer, Purpose, Reason, Refusal, Standing};
pub use login::Login;
pub use server::Gateway;
