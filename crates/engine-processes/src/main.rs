//! The keeper of one workload, or of one program in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_processes::keeper::main()
}
