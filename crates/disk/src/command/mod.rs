//! The command panel: programs that an administrator allowed somebody to run, in a sandbox that
//! holds nothing but that person's folders.
//!
//! No shell reads what was typed: a line is split into words, and the first word must be in the
//! person's list as it stands. What an allowed program can do beyond its name (start others, read
//! what it likes) is bounded by the sandbox alone, so without a sandbox there are no commands.

mod available;
mod http;
mod line;
mod output;
mod room;
mod sandbox;
#[cfg(test)]
mod sandbox_tests;
mod seccomp;
mod session;
mod standing;
mod watch;

pub(crate) use available::{available, is_on};
pub(crate) use http::routes;
