//! Flaws of taking more into memory than there is.

use crate::tests::harness::TestDisk;

/// Creates a sparse file of this size.
fn sparse(disk: &TestDisk, path: &str, bytes: u64) {
    let path = disk.seed(path, "text");
    std::fs::File::options().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

/// Never fixed: subtitles are converted in memory, whatever their size.
#[tokio::test]
async fn ghsa_448h_huge_subtitles() {
    let disk = TestDisk::new().await;
    for ending in ["srt", "vtt", "ass", "ssa"] {
        sparse(&disk, &format!("home/ann/a.{ending}"), 2 << 30);
        disk.ann().get(&format!("/api/subtitle/home/a.{ending}")).await.expect(413);
    }
}

/// CVE-2025-53893: any file that is called text is read whole. `tests/it/memory.rs` measures it.
#[tokio::test]
async fn ghsa_7xqm_huge_text() {
    let disk = TestDisk::new().await;
    sparse(&disk, "home/ann/a.txt", 20 << 30);
    sparse(&disk, "home/ann/noending", 20 << 30);
    for name in ["a.txt", "noending"] {
        let seen = disk.ann().get(&format!("/api/resources/home/{name}")).await.expect(200);
        assert!(seen.json().get("content").is_none() && seen.body.len() < 1000);
        let listing = disk.ann().header("x-encoding", "true").get(&format!("/api/resources/home/{name}")).await;
        assert!(listing.expect(200).body.len() < 1000);
    }
}
