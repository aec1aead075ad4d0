//! Content on its way out.

use http::Method;

use super::harness::TestDisk;

#[tokio::test]
async fn s362_a_file_and_its_headers() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/图 1.txt", "0123456789");
    let raw = disk.ann().get("/api/raw/home/%E5%9B%BE%201.txt").await.expect(200);
    assert_eq!(raw.text(), "0123456789");
    assert_eq!(raw.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(raw.header("content-length"), "10");
    assert_eq!(raw.header("accept-ranges"), "bytes");
    assert_eq!(
        raw.header("content-disposition"),
        "attachment; filename=\"_ 1.txt\"; filename*=UTF-8''%E5%9B%BE%201.txt"
    );
    assert!(raw.header("cache-control").starts_with("private"));
    assert_eq!(raw.header("x-content-type-options"), "nosniff");
    let inline = disk.ann().get("/api/raw/home/%E5%9B%BE%201.txt?inline=true").await.expect(200);
    assert!(inline.header("content-disposition").starts_with("inline"));
    let head = disk.ann().send(Method::HEAD, "/api/raw/home/%E5%9B%BE%201.txt", "").await.expect(200);
    assert_eq!((head.header("content-length"), head.body.len()), ("10", 0));
    disk.ann().get("/api/raw/home/none").await.expect(404);
    disk.ann().get("/api/raw/home/%E5%9B%BE%201.txt?inline=2").await.expect(400);
}

#[tokio::test]
async fn ranges() {
    let disk = TestDisk::new().await;
    let content: Vec<u8> = (0..=255).cycle().take(700_000).collect();
    disk.seed("home/ann/f", &content);
    let get = |range: &str| disk.ann().header("range", range).get("/api/raw/home/f");
    let part = get("bytes=2-5").await.expect(206);
    assert_eq!((part.body.as_slice(), part.header("content-range")), (&content[2..6], "bytes 2-5/700000"));
    assert_eq!(get("bytes=699990-").await.expect(206).body, content[699_990..]);
    assert_eq!(get("bytes=-300000").await.expect(206).body, content[400_000..]);
    assert_eq!(get("bytes=0-699999").await.expect(206).body, content);
    let refused = get("bytes=700000-").await.expect(416);
    assert_eq!(
        (refused.header("content-range"), refused.text()),
        ("bytes */700000", "416 Range Not Satisfiable\n".into())
    );
    assert_eq!(get("bytes=9-2").await.expect(200).body.len(), 700_000);

    let several = get("bytes=0-1,300000-600000,-1").await.expect(206);
    let kind = several.header("content-type").to_owned();
    let boundary = kind.strip_prefix("multipart/byteranges; boundary=").unwrap();
    let mut expected = Vec::new();
    for (first, last) in [(0, 1), (300_000, 600_000), (699_999, 699_999)] {
        let head = format!(
            "\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes {first}-{last}/700000\r\n\r\n"
        );
        expected.extend_from_slice(head.as_bytes());
        expected.extend_from_slice(&content[first..=last]);
    }
    expected.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    assert_eq!(several.header("content-length"), expected.len().to_string());
    assert_eq!(several.body, expected);
}

#[tokio::test]
async fn conditions() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/f", "0123456789");
    let first = disk.ann().get("/api/raw/home/f").await.expect(200);
    let (etag, modified) = (first.header("etag").to_owned(), first.header("last-modified").to_owned());
    let get = |name: &'static str, value: &str| disk.ann().header(name, value).get("/api/raw/home/f");
    assert_eq!(get("if-none-match", &etag).await.expect(304).header("etag"), etag);
    get("if-none-match", &format!("W/{etag}")).await.expect(304);
    get("if-none-match", "\"other\"").await.expect(200);
    get("if-modified-since", &modified).await.expect(304);
    get("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT").await.expect(200);
    get("if-modified-since", "nonsense").await.expect(200);
    get("if-match", "\"other\"").await.expect(412);
    get("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT").await.expect(412);
    let ranged = |value: &str| disk.ann().header("range", "bytes=0-0").header("if-range", value).get("/api/raw/home/f");
    ranged(&etag).await.expect(206);
    ranged(&modified).await.expect(206);
    ranged("\"other\"").await.expect(200);
    ranged(&format!("W/{etag}")).await.expect(200);
    // Same size and same time, other content: another tag.
    let path = disk.real("home/ann/f");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    disk.ann().put("/api/resources/home/f", "9876543210").await.expect(200);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    get("if-none-match", &etag).await.expect(200);
    ranged(&etag).await.expect(200);
}
