//! The portal's side: one [`Session`] over the streams of the program that an engine started in an instance.
//!
//! ```no_run
//! # async fn example(stdin: tokio::io::DuplexStream, stdout: tokio::io::DuplexStream) -> Result<(), Box<dyn std::error::Error>> {
//! use tools::client::Session;
//! use tools::wire::{Address, Shell};
//!
//! let session = Session::open(stdout, stdin).await?;
//! let listing = session.shell(Shell { command: Some(b"ls -l".to_vec()), ..Shell::default() }).await?;
//! let web = session.tcp(Address::Loopback, 8888).await?;
//! # Ok(())
//! # }
//! ```

mod channel;
mod session;

pub use crate::link::{Fault, Incoming, OpenError, Outgoing};
pub use channel::{Control, Listener, Process, Stream};
pub use session::Session;
