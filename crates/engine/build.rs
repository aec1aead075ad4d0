//! Builds the programs that are embedded in this crate, the machine helper's and that of instances: fully static, so that
//! they need nothing else, and for the target that this crate is built for.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    for path in ["Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    for package in ["machine-helper", "tools"] {
        for path in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", root.join("crates").join(package).join(path).display());
        }
        let program = static_program::build(&root, package, &variable("TARGET"), &out.join("static-programs"));
        fs::copy(&program, out.join(format!("{package}-program"))).expect("a program");
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
