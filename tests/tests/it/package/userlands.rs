//! On which userlands the binary runs: where glibc is as new as its highest symbol, and nowhere else.

use std::fs;
use std::process::Command;

use super::machine::Userland;
use super::{Stripped, VERSION, sh, succeeded, text};

/// As numbers: 2.9 is older than 2.28.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// The highest version of glibc that its symbols require.
fn needed(binary: &Stripped) -> String {
    let listed = sh("readelf", &["--wide", "--version-info", text(&binary.path())]);
    let versions = listed.split("GLIBC_").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest[..end].to_owned()
    });
    let versions: Vec<String> = versions.filter(|version| version.starts_with('2')).collect();
    versions.into_iter().max_by_key(|version| numbers(version)).expect("it needs glibc")
}

#[test]
#[ignore = "long: userlands are made"]
fn it_runs_where_glibc_is_as_new_as_it_asks_for() {
    let binary = Stripped::new();
    let needed = needed(&binary);
    let mut ran_on = 0;
    for suite in ["bullseye", "bookworm", "trixie"] {
        let userland = Userland::new(suite, "");
        fs::copy(binary.path(), userland.path().join("opt/yunlab")).expect("a copy");
        let libc = succeeded(&userland.run(&["ldd", "--version"]));
        let has = libc.lines().next().and_then(|line| line.rsplit(' ').next()).expect("a version").to_owned();
        let ran = Command::new("chroot").arg(userland.path()).args(["/opt/yunlab", "--version"]).output();
        let ran = ran.expect("chroot");
        let runs = numbers(&has) >= numbers(&needed);
        assert_eq!(ran.status.success(), runs, "{suite} has {has}, {needed} is needed: {ran:?}");
        if runs {
            assert!(succeeded(&ran).contains(VERSION), "{suite}");
            ran_on += 1;
        }
    }
    assert!(ran_on > 0, "{needed} is needed");
}
