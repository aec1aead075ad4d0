//! Builds the programs that are embedded in this crate, the machine helper's and the pod helper's: fully static, so that
//! they need nothing else where they run, and for the target that this crate is built for. The pod helper is linked with
//! musl: an object of a cluster holds 1 MiB, and the GNU C library alone is most of that.
//!
//! A separate cargo process, since its flags differ from the outer build's; in a target folder of its own, since the
//! outer cargo holds the lock of the usual one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Variables that the outer cargo or its caller sets for its own build: clippy's wrapper, flags, folders.
const OUTER: [&str; 9] = [
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_TARGET_DIR",
    "CLIPPY_ARGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
];

fn main() {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("../..");
    let of_helpers =
        HELPERS.iter().flat_map(|name| [format!("crates/{name}/src"), format!("crates/{name}/Cargo.toml")]);
    for path in of_helpers.chain(["Cargo.toml", "Cargo.lock"].map(str::to_owned)) {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let target = variable("TARGET");
    for (name, target) in HELPERS.into_iter().zip([target.clone(), target.replace("-gnu", "-musl")]) {
        let program = build(&root, name, &target, &out.join("helpers"));
        fs::copy(&program, out.join(format!("{name}-program"))).expect("a helper's program");
    }
}

const HELPERS: [&str; 2] = ["machine-helper", "pod-helper"];

fn build(root: &Path, name: &str, target: &str, folder: &Path) -> PathBuf {
    let mut cargo = Command::new(variable("CARGO"));
    for outer in OUTER {
        cargo.env_remove(outer);
    }
    // Zig, the linker for packages with an old glibc, has no static glibc. A static program does not need an old one.
    for (name, value) in env::vars().filter(|(name, _)| name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER"))
    {
        if value.contains("zig") {
            cargo.env_remove(name);
        }
    }
    // With an explicit target the flags do not apply to procedural macros, which cannot be static.
    cargo.args(["build", "--quiet", "--release", "--locked", "--offline", "--package", name]);
    cargo.args(["--bin", name, "--target", target, "--target-dir"]).arg(folder).current_dir(root);
    // A package has no paths of the machine that built it, and neither has this program in it.
    let outer = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let remapped = outer.split('\u{1f}').filter(|flag| flag.starts_with("--remap-path-prefix="));
    let flags: Vec<&str> = remapped.chain(["-Ctarget-feature=+crt-static"]).collect();
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    for (setting, value) in [
        ("OPT_LEVEL", "z"),
        ("LTO", "fat"),
        ("CODEGEN_UNITS", "1"),
        ("PANIC", "abort"),
        ("STRIP", "symbols"),
        ("DEBUG", "0"),
    ] {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    let status = cargo.status().expect("cargo");
    assert!(status.success(), "{name} can't be built; if its target is missing: rustup target add {target}");
    folder.join(target).join("release").join(name)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
