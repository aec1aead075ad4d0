//! The command panel: programs that an administrator allowed a person to run, in a sandbox that contains only that
//! person's folders.
//!
//! No shell interprets the input: a line is split into words, and the first word must be in the person's list exactly.
//! Beyond its name, an allowed program (which may start others and read what it likes) is bounded by the sandbox alone,
//! so without a sandbox there are no commands.

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
