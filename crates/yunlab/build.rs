//! The pages are inside the binary: a new build of them calls for a new binary.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
