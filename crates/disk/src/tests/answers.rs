//! The form of answers, and the way of a file through all verbs.

use super::harness::TestDisk;

#[tokio::test]
async fn s345_s346_s349_s351_s353_a_file_through_every_verb() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/docs/", "").await.expect(200);
    let stored = disk.ann().post("/api/resources/home/docs/a.txt", "one").await.expect(200);
    assert_eq!(stored.text(), "200 OK\n");
    assert!(stored.header("content-type").starts_with("text/plain"));
    assert_eq!(disk.read("home/ann/docs/a.txt"), "one");

    let seen = disk.ann().get("/api/resources/home/docs/a.txt").await.expect(200);
    assert_eq!(seen.header("etag"), stored.header("etag"));
    assert_eq!(seen.json()["size"], 3);
    let etag = stored.header("etag").to_owned();
    let replaced = disk.ann().header("if-match", &etag).put("/api/resources/home/docs/a.txt", "two!").await.expect(200);
    assert_ne!(replaced.header("etag"), etag);
    disk.ann().rename("/home/docs/a.txt", "/home/docs/b.txt").await.expect(200);
    let raw = disk.ann().get("/api/raw/home/docs/b.txt").await.expect(200);
    assert_eq!(raw.text(), "two!");
    disk.ann().delete("/api/resources/home/docs").await.expect(200);
    disk.ann().get("/api/resources/home/docs/").await.expect(404);
    assert_eq!(disk.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn refusals_are_lines_of_text() {
    let disk = TestDisk::new().await;
    let missing = disk.ann().get("/api/resources/home/none").await.expect(404);
    assert_eq!(missing.text(), "404 Not Found\n");
    assert!(missing.header("content-type").starts_with("text/plain"));
    assert_eq!(missing.header("x-content-type-options"), "nosniff");
    disk.ann().post("/api/resources/home/a", "").await.expect(200);
    assert_eq!(disk.ann().post("/api/resources/home/a", "").await.expect(409).text(), "409 Conflict (exists)\n");
    assert_eq!(disk.ann().get("/api/nonsense").await.expect(404).text(), "404 Not Found\n");
    assert_eq!(disk.ann().get("/api/resourcesfoo").await.expect(404).text(), "404 Not Found\n");
    let wrong_verb = disk.ann().send(http::Method::POST, "/api/raw/home/a", "").await.expect(405);
    assert_eq!(wrong_verb.text(), "405 Method Not Allowed\n");
    assert_eq!(disk.anonymous().get("/health").await.expect(200).json()["status"], "OK");
}
