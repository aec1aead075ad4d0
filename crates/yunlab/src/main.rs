//! The `yunlab` binary: the program of the library beside it, on Docker, with the allocator that ships.

use std::process::ExitCode;

use yunlab::EngineSource;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    yunlab::run(std::env::args_os(), &EngineSource::Docker)
}
