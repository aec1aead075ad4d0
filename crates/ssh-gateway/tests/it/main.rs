//! The gateway with OpenSSH's clients, in front of roots that have our program and nothing else, or busybox beside it. It
//! needs root, as making roots does.

#![expect(clippy::unwrap_used, reason = "clippy knows a test by its attribute, and helpers of tests have none")]

mod client;
mod files;
mod forwards;
mod hostile;
mod lab;
mod programs;
#[path = "../../../tools/tests/it/root.rs"]
mod root;
mod sign_in;
