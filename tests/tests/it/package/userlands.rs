//! The release on the oldest and the newest userland that debootstrap makes, and on those between.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tests::{Server, Setup};

use super::machine::Userland;
use super::{Release, succeeded, text};

/// Debian's releases from the oldest that its mirrors have (glibc 2.31) to the coming one.
const SUITES: [&str; 4] = ["bullseye", "bookworm", "trixie", "forky"];

/// A program that starts the installed one in the userland. It replaces itself, so signals reach the latter.
fn entered(userland: &Userland, setup: &Setup) -> PathBuf {
    let script = format!(
        "#!/bin/sh\nexec unshare --mount sh -ec \
         'mount -t proc proc \"$0/proc\"; exec chroot \"$0\" /usr/bin/yunlab \"$@\"' '{}' \"$@\"\n",
        text(userland.path())
    );
    let program = setup.dir().join("entered");
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may be run");
    program
}

#[tokio::test]
#[ignore = "long: a release is built, and userlands are made"]
async fn the_package_serves_on_the_oldest_and_the_newest_userland() {
    let release = Release::get();
    for suite in SUITES {
        let userland = Userland::new(suite, "");
        fs::copy(release.deb(), userland.path().join("opt/yunlab.deb")).expect("a copy");
        let said = succeeded(&userland.run(&["dpkg", "--install", "/opt/yunlab.deb"]));
        assert!(said.contains("reset-password admin"), "{suite}: {said}");
        let version = succeeded(&userland.run(&["yunlab", "--version"]));
        assert!(version.contains(Release::NAME), "{suite}: {version}");

        let setup = Setup::new();
        let program = entered(&userland, &setup);
        let mut server = Server::start(setup.with_program(program)).await;
        let admin = server.admin().await;
        admin.upload("/share/hello.txt", suite).await.is(200);
        assert_eq!(admin.download("/share/hello.txt").await.text(), suite);
        server.stop().await;
    }
}
