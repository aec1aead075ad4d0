//! The pages are inside the binary: a new build of them calls for a new binary.

#![expect(clippy::print_stdout, reason = "cargo reads what a build script prints")]

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
