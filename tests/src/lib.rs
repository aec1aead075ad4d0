//! Support for the tests in this folder: they run the real binary as a process and use it from outside, as people,
//! browsers and administrators do. They do not look into the process; responses are checked against the committed API
//! documents.

mod binary;
mod client;
pub mod generate;
mod mounted;
mod postgres;
mod proxy;
mod random;
mod raw;
mod screen;
mod server;
mod setup;
mod sources;
mod wait;

pub use binary::{Ran, root, run};
pub use client::{Client, digest, encoded};
pub use mounted::Mounted;
pub use postgres::Postgres;
pub use proxy::{Duplex, ProxiedSocket, Proxy};
pub use random::Random;
pub use raw::{RawAnswer, exchange};
pub use screen::Screen;
pub use server::Server;
pub use setup::{ADMIN_PASSWORD, Setup};
pub use sources::files;
pub use testkit::{Answer, free_ports};
pub use wait::until;

/// Reports that a test can't run here, instead of passing silently. Continuous integration has everything that tests
/// require, so there this is a failure.
///
/// # Panics
/// Where `CI` is set.
#[expect(clippy::print_stderr, reason = "the test runner's output is where this is looked for")]
pub fn skipped(why: &str) {
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
    assert!(!in_ci, "this test must run in continuous integration, and could not: {why}");
    eprintln!("skipped: {why}");
}
