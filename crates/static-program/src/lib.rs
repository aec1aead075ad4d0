//! Builds a program of this workspace fully static and small, so that the image or root that it runs in needs nothing
//! else. Used by build scripts, and by tests of such a program.
//!
//! A separate cargo process, since its flags differ from the outer build's; in a target folder of its own, since the
//! outer cargo holds the lock of the usual one.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Builds the package's program of the same name for `target` in `folder`, without its optional features; its path there.
///
/// # Panics
/// When it can't be built.
#[must_use]
pub fn build(root: &Path, package: &str, target: &str, folder: &Path) -> PathBuf {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for name in OUTER {
        cargo.env_remove(name);
    }
    // Zig, the linker for packages with an old glibc, has no static glibc. A static program does not need an old one.
    for (name, value) in env::vars().filter(|(name, _)| name.starts_with("CARGO_TARGET_") && name.ends_with("_LINKER"))
    {
        if value.contains("zig") {
            cargo.env_remove(name);
        }
    }
    // With an explicit target the flags do not apply to procedural macros, which cannot be static.
    cargo.args(["build", "--quiet", "--release", "--locked", "--offline", "--no-default-features"]);
    cargo.args(["--package", package, "--bin", package, "--target", target, "--target-dir"]).arg(folder);
    // A package has no paths of the machine that built it, and neither has a program in it.
    let outer = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let remapped = outer.split('\u{1f}').filter(|flag| flag.starts_with("--remap-path-prefix="));
    let flags: Vec<&str> = remapped.chain(["-Ctarget-feature=+crt-static"]).collect();
    cargo.current_dir(root).env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
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
    assert!(status.success(), "{package} can't be built");
    folder.join(target).join("release").join(package)
}
