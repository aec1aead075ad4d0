//! The program in the machine helper's image: carries out the request in its argument, writes the reply as one line of
//! JSON, and ends. It is the only program of a container with the rights of that one verb
//! (`crates/engine/src/docker/machine_helper/profile.rs`) and without a shell.
//!
//! Single-threaded, because a process with several threads can't enter a mount namespace.

mod verbs;

use std::io::Write;
use std::process::ExitCode;

use machine_helper::{MAX_REQUEST_BYTES, Refusal, Reply, Request};

fn main() -> ExitCode {
    let reply = request().map_or(Reply::Refused(Refusal::NotSupported), |request| verbs::run(&request).into());
    let Ok(mut line) = serde_json::to_vec(&reply) else { return ExitCode::FAILURE };
    line.push(b'\n');
    match std::io::stdout().write_all(&line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Parses the only argument; `None` unless it is a request of this version.
fn request() -> Option<Request> {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().filter(|text| text.len() <= MAX_REQUEST_BYTES)?;
    if arguments.next().is_some() {
        return None;
    }
    serde_json::from_str(&text).ok()
}
