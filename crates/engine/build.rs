//! Builds the machine helper's program, which is embedded in this crate: fully static, so that its image needs nothing
//! else, and for the target that this crate is built for.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    for path in ["crates/machine-helper/src", "crates/machine-helper/Cargo.toml", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let program = static_program::build(&root, "machine-helper", &variable("TARGET"), &out.join("machine-helper"));
    fs::copy(&program, out.join("machine-helper-program")).expect("the machine helper's program");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
