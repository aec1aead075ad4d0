//! Flaws of permissions, of sessions, and of content that browsers execute.

use std::os::unix::fs::MetadataExt;

use http::Method;

use crate::tests::harness::TestDisk;

/// A digest reveals content to a person who may not download.
#[tokio::test]
async fn ghsa_7whw_no_checksum_without_download() {
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/a.txt", "content");
    for algorithm in ["md5", "sha1", "sha256", "sha512", "x"] {
        let status = if algorithm == "x" { 400 } else { 403 };
        let refused = disk.ann().get(&format!("/api/resources/home/a.txt?checksum={algorithm}")).await.expect(status);
        assert!(!refused.text().contains("checksums\":"));
    }
}

/// CVE-2026-35606: text in the answer without the right.
#[tokio::test]
async fn ghsa_67cg_no_content_without_download() {
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/a.txt", "the content");
    disk.seed("home/ann/d/a.txt", "the content");
    for query in ["", "?kind=editor"] {
        let seen = disk.ann().get(&format!("/api/resources/home/a.txt{query}")).await.expect(200);
        assert!(!seen.text().contains("the content") && seen.json().get("encoding").is_none());
    }
    disk.ann().header("x-encoding", "true").get("/api/resources/home/a.txt").await.expect(403);
    disk.ann().get("/api/raw/home/a.txt").await.expect(403);
    disk.ann().get("/api/raw/home/d").await.expect(403);
    disk.ann().get("/api/raw/home/?files=a.txt").await.expect(403);
    disk.ann().change("copy", "/home/a.txt", "/share/a.txt", "").await.expect(403);
}

/// CVE-2025-53826 and GHSA-v7vv: a session stays valid after its end.
#[tokio::test]
async fn ghsa_7xwp_an_ended_session_is_over() {
    let disk = TestDisk::new().await;
    for token in ["ended", "disabled"] {
        disk.call(token).get("/api/resources/").await.expect(401);
        disk.anonymous().get(&format!("/api/raw/home/x?auth={token}")).await.expect(401);
    }
}

/// GHSA-6759 and GHSA-j7jh: a new user gets the whole root, or another's home.
#[tokio::test]
async fn ghsa_6759_a_new_user_sees_only_their_own() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/secret", "secret");
    let listing = disk.ann().get("/api/resources/home").await.expect(200);
    assert!(listing.names().is_empty());
    disk.ann().get("/api/raw/home/bob/secret").await.expect(404);
    disk.portal.set(3, |bob| bob.username = "../ann".into());
    disk.bob().get("/api/resources/home").await.expect(403);
    disk.portal.set(3, |bob| bob.username = ".yunlab".into());
    disk.bob().get("/api/resources/home").await.expect(403);
    disk.portal.set(3, |bob| bob.username = String::new());
    disk.bob().get("/api/resources/home").await.expect(403);
}

/// CVE-2025-52900: others on the machine can read everything.
#[tokio::test]
async fn ghsa_jj2r_nobody_else_reads_the_files() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/d/e/", "").await.expect(200);
    disk.ann().post("/api/resources/share/x/f", "x").await.expect(200);
    disk.ann().post("/api/resources/groups/vision/f", "x").await.expect(200);
    for folder in ["home", "home/ann", "home/ann/d", "home/ann/d/e", "share/x", "groups/vision", "datasets", ".yunlab"]
    {
        let mode = std::fs::metadata(disk.real(folder)).unwrap().mode() & 0o7777;
        assert_eq!(mode & !0o750, 0, "{folder} {mode:o}");
    }
    for file in ["share/x/f", "groups/vision/f"] {
        let mode = std::fs::metadata(disk.real(file)).unwrap().mode() & 0o7777;
        assert_eq!(mode & !0o640, 0, "{file} {mode:o}");
    }
}

/// CVE-2023-39612, CVE-2021-37794, GHSA-5vpr, GHSA-4wx8: uploaded pages run in our origin.
#[tokio::test]
async fn cve_2023_39612_cve_2021_37794_ghsa_5vpr_ghsa_4wx8_uploaded_pages_run_nothing() {
    let disk = TestDisk::new().await;
    for name in [
        "a.html", "a.HTM", "a.svg", "a.xhtml", "a.xht", "a.xml", "a.xsl", "a.mht", "a.pdf", "a.epub", "a.md", "a.js",
        "none",
    ] {
        disk.seed(&format!("home/ann/{name}"), "<script>alert(1)</script>");
        for query in ["", "?inline=true"] {
            let raw = disk.ann().get(&format!("/api/raw/home/{name}{query}")).await.expect(200);
            let policy = raw.header("content-security-policy");
            assert!(policy.starts_with("sandbox; default-src 'none'") && !policy.contains("allow-"), "{policy}");
            assert!(!policy.contains("script-src"), "{policy}");
            assert_eq!(raw.header("x-content-type-options"), "nosniff");
            assert!(raw.header("cache-control").contains("private"));
        }
    }
}

/// CVE-2021-46398: another site's form changes something with the visitor's cookie.
#[tokio::test]
async fn cve_2021_46398_a_cookie_is_no_token() {
    let disk = TestDisk::new().await;
    for cookie in ["auth=ann", "token=ann", "jwt=ann"] {
        let call = || disk.anonymous().header("cookie", cookie).header("origin", "https://elsewhere.example");
        call().post("/api/resources/home/x", "x").await.expect(401);
        call().send(Method::PATCH, "/api/resources/home/a?action=rename&destination=/home/b", "").await.expect(401);
        call().delete("/api/resources/home/a").await.expect(401);
        call().get("/api/raw/home/a").await.expect(401);
    }
}
