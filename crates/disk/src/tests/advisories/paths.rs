//! Flaws of path handling.

use http::Method;

use crate::tests::harness::TestDisk;
use crate::tests::paths::snapshot;

/// CVE-2026-54094: a link at the end or on the way leaves the space. `links.rs` has every verb.
#[tokio::test]
async fn ghsa_239w_links_leave_the_scope() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/secret", "secret");
    disk.link("../bob/secret", "home/ann/final");
    disk.link("../bob", "home/ann/ancestor");
    for path in ["final", "ancestor/secret"] {
        disk.ann().get(&format!("/api/raw/home/{path}")).await.expect(403);
        disk.ann().put(&format!("/api/resources/home/{path}"), "x").await.expect(403);
    }
    assert_eq!(disk.read("home/bob/secret"), "secret");
}

/// CVE-2026-55668: a write through a dangling link makes a file outside.
#[tokio::test]
async fn ghsa_8wc8_write_through_a_dangling_link() {
    let disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("new");
    disk.link(target.to_str().unwrap(), "home/ann/link");
    disk.seed("home/ann/a", "a");
    disk.ann().post("/api/resources/home/link", "x").await.expect(403);
    disk.ann().post("/api/resources/home/link?override=true", "x").await.expect(403);
    disk.ann().put("/api/resources/home/link", "x").await.expect(403);
    disk.ann().change("copy", "/home/a", "/home/link/x", "").await.expect(403);
    // A copy onto the link's name replaces the link; it never writes through it.
    disk.ann().change("copy", "/home/a", "/home/link", "").await.expect(409);
    disk.ann().change("copy", "/home/a", "/home/link", "&override=true").await.expect(200);
    assert!(!target.exists());
}

/// CVE-2026-55667: cleaning up after a failed upload deletes through a link.
#[tokio::test]
async fn ghsa_fmm7_cleanup_through_a_link() {
    let disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("child"), "keep").unwrap();
    disk.link(outside.path().to_str().unwrap(), "home/ann/out");
    let body = crate::tests::uploading::broken("part");
    disk.ann().post("/api/resources/home/out/child?override=true", body).await.expect(403);
    assert_eq!(std::fs::read_to_string(outside.path().join("child")).unwrap(), "keep");
}

/// CVE-2026-32758: `..` in a destination.
#[tokio::test]
async fn ghsa_9f3r_dots_in_the_destination() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    disk.seed("home/ann/ok/x", "x");
    let before = snapshot(&disk);
    for action in ["copy", "rename"] {
        for to in ["/home/ok/../../bob/x", "/home/ok/%2e%2e/x", "%2Fhome%2Fok%2F..%2Fx"] {
            let path = format!("/api/resources/home/a?action={action}&override=true&destination={to}");
            disk.ann().send(Method::PATCH, &path, "").await.expect(400);
        }
        // Encoded twice it is a name with percent signs, and the second reading is no path.
        let path = format!("/api/resources/home/a?action={action}&destination=/home/ok/%252e%252e%252fx");
        disk.ann().send(Method::PATCH, &path, "").await.expect(200);
        assert!(disk.real("home/ann/ok/%2e%2e%2fx").exists());
        disk.ann().rename("/home/ok/%252e%252e%252fx", "/home/back").await.expect(200);
        if action == "rename" {
            disk.ann().rename("/home/back", "/home/a").await.expect(200);
        } else {
            disk.ann().delete("/api/resources/home/back?permanent=true").await.expect(200);
        }
    }
    assert_eq!(snapshot(&disk), before);
}

/// CVE-2026-25890: further slashes get past a rule. Here they are no path at all.
#[tokio::test]
async fn ghsa_4mh3_many_slashes() {
    let disk = TestDisk::new().await;
    for path in ["//home", "///home", "/home//", "/%2fhome", "/.//home", "/home/%2f", "/home/./", "//"] {
        disk.ann().get(&format!("/api/resources{path}")).await.expect(400);
        disk.ann().delete(&format!("/api/resources{path}")).await.expect(400);
    }
}

/// CVE-2026-72835: Windows separators and other case. A backslash is a character.
#[tokio::test]
async fn ghsa_fgm5_backslashes_separate_nothing() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/Secret", "secret");
    for path in ["/home/..\\bob\\Secret", "/home\\..\\home\\bob\\Secret", "\\home", "/home/%5c..%5cbob"] {
        let path = path.replace('\\', "%5C");
        let path = if path.starts_with('/') { path } else { format!("/{path}") };
        disk.ann().get(&format!("/api/raw{path}")).await.expect(404);
    }
    disk.ann().get("/api/resources/HOME").await.expect(404);
    disk.ann().get("/api/resources/Home/").await.expect(404);
    disk.ann().post("/api/resources/home/..%5C..%5Cx", "mine").await.expect(200);
    assert_eq!(disk.read("home/ann/..\\..\\x"), "mine");
}

/// CVE-2026-35605 and an unreported one: a prefix without a boundary matches a neighbour.
#[tokio::test]
async fn ghsa_5q48_a_prefix_is_not_a_folder() {
    let disk = TestDisk::new().await;
    disk.seed("home/annabel/x", "hers");
    disk.seed("groups/vision2/x", "theirs");
    disk.link("../annabel/x", "home/ann/link");
    disk.ann().get("/api/raw/home/link").await.expect(403);
    disk.ann().get("/api/raw/groups/vision2/x").await.expect(404);
    disk.ann().get("/api/raw/homeabel/x").await.expect(404);
    disk.ann().get("/api/raw/home/../annabel/x").await.expect(400);
}

/// Unreported (2): deleting the root under another name.
#[tokio::test]
async fn trap_2_the_root_cannot_be_deleted_by_any_name() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    let before = snapshot(&disk);
    for path in ["", "/", "//", "/.", "/%2e", "/home/..", "/home/%2e%2e", "/home/a/../..", "/%2f", "/home/.", "/home//"]
    {
        for who in [disk.ann(), disk.root()] {
            let status = who.delete(&format!("/api/resources{path}")).await.status.as_u16();
            assert!(status == 400 || status == 403, "{path:?}: {status}");
        }
    }
    assert_eq!(snapshot(&disk), before);
}

/// Unreported (3): renaming a missing source, with override, deletes the destination.
#[tokio::test]
async fn trap_3_a_missing_source_changes_nothing() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/target", "keep");
    for action in ["rename", "copy"] {
        disk.ann().change(action, "/home/missing", "/home/target", "&override=true").await.expect(404);
        disk.ann().change(action, "/home/missing", "/home/new/deep/x", "").await.expect(404);
    }
    assert_eq!(disk.read("home/ann/target"), "keep");
    assert!(!disk.real("home/ann/new").exists());
}
