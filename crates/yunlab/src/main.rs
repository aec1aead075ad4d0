//! The `yunlab` binary: the program of the library beside it, on Docker, with the built pages and the allocator that
//! ships.

mod pages;

use std::process::ExitCode;

use yunlab::EngineSource;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    yunlab::run(std::env::args_os(), &EngineSource::Docker, pages::find)
}
