//! The `yunlab` program: command line, configuration, wiring, graceful stop. No logic of the
//! product is here. It is a library so that the development lab (`examples/dev-lab`) starts the same
//! product on engines that are only memory, of which the binary knows nothing. The pages are the program's: so the
//! library is compiled while they are built.

mod admin;
mod backup;
mod chinese;
mod cli;
mod config;
mod data;
mod descriptors;
mod disk;
mod doctor;
mod embedded;
mod engines;
mod healthcheck;
mod import;
mod install;
mod lab_ca;
mod logging;
mod metrics;
mod openapi;
mod own_disk;
mod process;
mod release;
mod reserve;
mod rights;
mod say;
mod serve;
mod ssh;
mod storage_host;
mod support_bundle;
mod tls;
mod update;
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use http_kit::assets::Lookup;

pub use engines::EngineSource;

/// Does what the command line asks for; the first argument is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, engines: &EngineSource, pages: Lookup) -> ExitCode {
    let matches = chinese::matches(cli::Cli::command(), arguments);
    let cli = cli::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // ring is the only provider in the tree; a second install can't happen.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // New files are accessible to our user and, where the disk sets so, to the group.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o027));
    match cli::run(cli, engines, pages) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::error(&chinese::chain(&error));
            ExitCode::FAILURE
        }
    }
}
