//! Where the binary is to run on the machine that builds it, the linker separates code that an idle process does not
//! run, and packs its relocations, if the machine supports that: instead of 2.4 MB a start reads a few KB, and an idle
//! process keeps 45 KB of them. The pages are not watched here: a new build of them would compile the library again.

use std::env;
use std::process::Command;

/// The first glibc that reads packed relocations (<https://sourceware.org/glibc/wiki/Release/2.36>).
const READS_PACKED: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=on-demand.ld");
    println!("cargo::rerun-if-env-changed=PACKAGE_RELEASE");
    if !runs_here() {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-T{}/on-demand.ld", env!("CARGO_MANIFEST_DIR"));
    if glibc().is_some_and(|version| version >= READS_PACKED) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether it is neither for another machine, as packages are and whatever brings a linker of its own, nor for tests.
fn runs_here() -> bool {
    let is = |name, value| env::var(name).is_ok_and(|set| set == value);
    is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && env::var("TARGET") == env::var("HOST")
        && env::var_os("RUSTC_LINKER").is_none()
        && env::var_os("PACKAGE_RELEASE").is_none()
}

fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?.stdout;
    let (major, minor) = str::from_utf8(&said).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
