//! Flaws of archives.

use std::process::Command;
use std::time::Duration;

use disk_core::rules::Rule;
use tokio::time::timeout;

use crate::tests::archives::{ALGORITHMS, unpack};
use crate::tests::harness::TestDisk;
use crate::tests::shares::share;

/// CVE-2026-82235, never fixed: a named pipe in a folder makes its archive wait forever.
#[tokio::test]
async fn ghsa_8q5j_a_pipe_in_a_folder() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a", "a");
    assert!(Command::new("mkfifo").arg(disk.real("home/ann/d/pipe")).status().unwrap().success());
    let all = async {
        for round in 0..100 {
            let algorithm = ALGORITHMS[round % ALGORITHMS.len()];
            let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
            assert_eq!(unpack(algorithm, &answer.body).into_keys().collect::<Vec<_>>(), ["a"]);
        }
    };
    timeout(Duration::from_secs(60), all).await.expect("it waits");
    // Visitors of a share wait no longer.
    let link = share(&disk, "/home/d").await;
    for algorithm in ALGORITHMS {
        let path = format!("/api/public/dl/{link}?algo={algorithm}");
        let answer = timeout(Duration::from_secs(10), disk.anonymous().get(&path)).await.expect("it waits").expect(200);
        assert_eq!(unpack(algorithm, &answer.body).into_keys().collect::<Vec<_>>(), ["a"]);
    }
    // A pipe that is requested by name is refused at once.
    let one = disk.ann().get("/api/raw/home/d?files=pipe");
    timeout(Duration::from_secs(10), one).await.expect("it waits").expect(403);
}

/// CVE-2026-54093 and its bad repair: backslashes in names become separators, or `../`.
#[tokio::test]
async fn ghsa_gxjx_ghsa_83xp_no_entry_leads_out() {
    let disk = TestDisk::new().await;
    for name in ["..\\..\\x", "\\abs", "a\\..\\b", "..\\", "\\..", "C:\\Windows\\x", "..\\..\\..\\dir/..\\inner"] {
        disk.seed(&format!("home/ann/d/{name}"), "x");
    }
    for algorithm in ALGORITHMS {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
        let packed = unpack(algorithm, &answer.body);
        assert_eq!(packed.values().filter(|content| *content == b"x").count(), 7);
        for path in packed.keys() {
            assert!(!path.contains("..") && !path.contains('\\') && !path.starts_with('/'), "{algorithm}: {path:?}");
        }
    }
    let chosen = disk.ann().get("/api/raw/home/d?files=..%5C..%5Cx,%5Cabs").await.expect(200);
    for path in unpack("zip", &chosen.body).into_keys() {
        assert!(!path.contains("..") && !path.contains('\\') && !path.starts_with('/'), "{path:?}");
    }
}

/// CVE-2026-35605: a rule's prefix without a boundary.
#[tokio::test]
async fn ghsa_5q48_rules_in_archives_end_at_a_segment() {
    let deny = Rule { path: "/home/up".into(), ..Rule::default() };
    let disk = TestDisk::with(|config| config.settings.rules = vec![deny]).await;
    disk.seed("home/ann/up/x", "denied");
    disk.seed("home/ann/uploads/x", "allowed");
    let answer = disk.ann().get("/api/raw/home").await.expect(200);
    assert_eq!(unpack("zip", &answer.body).into_keys().collect::<Vec<_>>(), ["uploads/", "uploads/x"]);
    disk.ann().get("/api/raw/home/up").await.expect(403);
}

/// CVE-2026-54094: links lead out of the space; never into an archive.
#[tokio::test]
async fn ghsa_239w_no_link_is_packed() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/secret", "secret");
    disk.seed("home/ann/d/a", "a");
    disk.link("../../bob", "home/ann/d/folder");
    disk.link("../../bob/secret", "home/ann/d/file");
    for algorithm in ALGORITHMS {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
        assert_eq!(unpack(algorithm, &answer.body).into_keys().collect::<Vec<_>>(), ["a"]);
    }
    for name in ["folder", "file", "folder/secret", "a,file"] {
        disk.ann().get(&format!("/api/raw/home/d?files={name}")).await.expect(403);
    }
}

/// Unreported (8): an archive of one selected file is empty.
#[tokio::test]
async fn trap_8_one_chosen_file_is_in_its_archive() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/one.txt", "content");
    for algorithm in ALGORITHMS {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}&files=one.txt")).await.expect(200);
        assert_eq!(unpack(algorithm, &answer.body)["one.txt"], b"content");
    }
}
