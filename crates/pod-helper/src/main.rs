//! The program that the Kubernetes driver (`crates/engine/src/kubernetes`) mounts into every pod of a workload. A cluster's
//! API can neither start a program as another user or in another folder, nor keep a container's root, nor measure it;
//! this program does, inside the pod and with no more rights than the pod has:
//!
//! - `init`: process 1. Makes the root that outlives the pod, starts the workload's own program, passes signals on and
//!   reaps.
//! - `run`: becomes a program beside it, as a user, in a folder.
//! - `signal`, `hang-up`, `resize`, `alive`: for programs that `run` became, by a mark in their environment.
//! - `usage`: what the container uses, from its control group, again and again.
//! - `programs`: what runs in the container, and what it is connected to.
//! - `cards`: which cards the container was given, where the cluster only counts them.
//! - `layer`, `layer-size`: what a kept root has beyond its image; `hold`: process 1 of a pod that only lends the root.
//! - `try-root`: whether a root can be kept here.
//! - `show`: the beginning of a file, in hexadecimal digits, as the message with which the pod ends.
//!
//! It is one static file of less than a megabyte, the most that an object of a cluster holds: no JSON, no threads, and
//! errors are text on standard error.

mod argument;
mod cards;
mod identity;
mod init;
mod layer;
mod listing;
mod process;
mod program;
mod root;
mod run;
mod usage;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use argument::Verb;
use nix::sys::signal::SigSet;

/// The exit code of a request that is not understood or failed before any program started.
const FAILED: u8 = 125;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match argument::parse(&arguments).and_then(carry_out) {
        Ok(code) => ExitCode::from(code),
        Err(words) => {
            let _ = writeln!(std::io::stderr(), "{words}");
            ExitCode::from(FAILED)
        }
    }
}

fn carry_out(verb: Verb) -> Result<u8, String> {
    match verb {
        Verb::Init { keep, start } => init::init(keep.as_deref(), &start),
        Verb::Run(start) => run::run(&start),
        Verb::Become(start) => {
            // Process 1 takes all signals, and a child of it would, too.
            let none = SigSet::empty();
            none.thread_set_mask().map_err(|error| format!("signals: {error}"))?;
            run::become_program(&start)
        }
        Verb::Signal { mark, signal } => program::signal(&mark, signal),
        Verb::HangUp { mark } => program::hang_up(&mark),
        Verb::Resize { mark, columns, rows } => program::resize(&mark, columns, rows),
        Verb::Alive { mark } => Ok(u8::from(program::find(&mark).is_none())),
        Verb::Usage { every } => usage::print(Duration::from_secs(every)),
        Verb::Cards => cards::print(),
        Verb::Programs => listing::print(),
        Verb::Hold => init::hold(),
        Verb::Layer { upper } => layer::write(&upper),
        Verb::LayerSize { upper } => layer::size(&upper),
        Verb::TryRoot { keep } => root::attempt(&keep),
        Verb::Show { file } => show(&file),
    }
}

/// Where a pod's last words go, and how much of a file fits into them.
const LAST_WORDS: &str = "/dev/termination-log";
const MOST: u64 = 2000;

fn show(file: &Path) -> Result<u8, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut content = Vec::new();
    File::open(file).map_err(failed)?.take(MOST).read_to_end(&mut content).map_err(failed)?;
    let digits: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(LAST_WORDS, digits).map_err(|error| format!("{LAST_WORDS}: {error}"))?;
    Ok(0)
}
