//! The static program, used from outside in roots of its own: an empty one, and one with busybox. It needs root, as
//! making roots does.

#![expect(clippy::unwrap_used, reason = "clippy knows a test by its attribute, and helpers of tests have none")]

mod hostile;
mod marked;
mod processes;
mod root;
mod scp;
mod sftp;
mod sockets;
mod support;
mod terminals;
mod without_anything;
