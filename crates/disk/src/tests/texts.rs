//! Content of text files in answers, in all encodings, and its way back.

use encoding_rs::{GB18030, GBK};
use http::Method;

use super::harness::TestDisk;

#[tokio::test]
async fn s171_s177_text_comes_with_what_it_says() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "日志 \"1\"\n\u{1f9ea}");
    disk.seed("home/ann/empty.txt", "");
    disk.seed("home/ann/notes", "no ending");
    disk.seed("home/ann/odd.txt", b"text\0binary");
    disk.seed("home/ann/a.bin", b"\x7fELF\0");
    let file = disk.ann().get("/api/resources/home/a.txt").await.expect(200);
    assert_eq!((&file.json()["content"], &file.json()["encoding"]), (&"日志 \"1\"\n\u{1f9ea}".into(), &"utf-8".into()));
    assert_eq!(file.header("content-type"), "application/json");
    assert_eq!(disk.ann().get("/api/resources/home/empty.txt").await.expect(200).json()["content"], "");
    assert_eq!(disk.ann().get("/api/resources/home/notes").await.expect(200).json()["content"], "no ending");
    assert_eq!(disk.ann().get("/api/resources/home/a.txt?kind=editor").await.expect(200).json()["encoding"], "utf-8");
    for path in ["odd.txt", "a.bin", "a.txt?kind=listing", "a.txt?checksum=md5"] {
        let json = disk.ann().get(&format!("/api/resources/home/{path}")).await.expect(200).json();
        assert!(json.get("content").is_none() && json.get("encoding").is_none(), "{json}");
    }
    let listing = disk.ann().get("/api/resources/home?kind=listing").await.expect(200);
    assert!(listing.item("a.txt").get("content").is_none());
    disk.ann().get("/api/resources/home?kind=other").await.expect(400);
    let etag = file.header("etag").to_owned();
    disk.ann().header("if-none-match", &etag).get("/api/resources/home/a.txt").await.expect(304);
}

#[tokio::test]
async fn a_long_text_is_whole() {
    let disk = TestDisk::new().await;
    // As large as text gets, with characters over the edges of all buffers.
    let long = "图\"\n".repeat(2 * 1024 * 1024);
    assert_eq!(long.len(), 10 * 1024 * 1024);
    disk.seed("home/ann/long.txt", &long);
    let file = disk.ann().get("/api/resources/home/long.txt").await.expect(200).json();
    assert!(file["content"] == long);
    disk.seed("home/ann/longer.txt", format!("{long}x"));
    let file = disk.ann().get("/api/resources/home/longer.txt").await.expect(200).json();
    assert!(file.get("content").is_none() && file["type"] == "blob");
}

#[tokio::test]
async fn gbk_and_utf16_are_recognised_and_kept() {
    let disk = TestDisk::new().await;
    let text = "实验记录：第一次\r\n第二行";
    let utf16: Vec<u8> = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    disk.seed("home/ann/gbk.txt", GBK.encode(text).0);
    disk.seed("home/ann/noending", GB18030.encode(text).0);
    disk.seed("home/ann/utf16.txt", &utf16);
    disk.seed("home/ann/bom.txt", format!("\u{feff}{text}"));
    for (name, encoding) in
        [("gbk.txt", "gb18030"), ("noending", "gb18030"), ("utf16.txt", "utf-16le"), ("bom.txt", "utf-8-bom")]
    {
        let path = format!("/api/resources/home/{name}");
        let file = disk.ann().get(&path).await.expect(200).json();
        assert_eq!((&file["content"], &file["encoding"]), (&text.into(), &encoding.into()), "{name}");
        assert_eq!(file["type"], "text");
        // Saved unchanged, it is the same file.
        let before = std::fs::read(disk.real(&format!("home/ann/{name}"))).unwrap();
        disk.ann().put(&format!("{path}?encoding={encoding}"), text).await.expect(200);
        assert_eq!(std::fs::read(disk.real(&format!("home/ann/{name}"))).unwrap(), before);
    }
    let path = "/api/resources/home/gbk.txt";
    disk.ann().put(&format!("{path}?encoding=gbk"), "新").await.expect(200);
    assert_eq!(std::fs::read(disk.real("home/ann/gbk.txt")).unwrap(), &GBK.encode("新").0[..]);
    for (query, body) in [("gbk", b"\xf0\x9f\xa7\xaa".as_slice()), ("nonsense", b"x"), ("gbk", b"\xff\xfe")] {
        disk.ann().put(&format!("{path}?encoding={query}"), body.to_vec()).await.expect(400);
    }
    disk.ann().put(&format!("{path}?encoding=gbk"), vec![b'x'; 10 * 1024 * 1024 + 1]).await.expect(413);
    let etag = disk.ann().get(path).await.expect(200).header("etag").to_owned();
    let call = || disk.ann().header("if-match", &etag);
    call().put(&format!("{path}?encoding=gbk"), "一").await.expect(200);
    call().put(&format!("{path}?encoding=gbk"), "二").await.expect(412);
    assert_eq!(std::fs::read(disk.real("home/ann/gbk.txt")).unwrap(), &GBK.encode("一").0[..]);
}

#[tokio::test]
async fn text_as_its_bytes() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "plain");
    disk.seed("home/ann/a.png", "picture");
    let raw = disk.ann().header("x-encoding", "true").get("/api/resources/home/a.txt").await.expect(200);
    assert_eq!((raw.text(), raw.header("content-type")), ("plain".into(), "application/octet-stream"));
    assert!(raw.header("content-security-policy").starts_with("sandbox"));
    let known = disk.ann().header("x-encoding", "true").header("if-none-match", raw.header("etag"));
    known.get("/api/resources/home/a.txt").await.expect(304);
    for (header, path) in [("true", "a.png"), ("false", "a.txt")] {
        let seen = disk.ann().header("x-encoding", header).get(&format!("/api/resources/home/{path}")).await;
        assert_eq!(seen.expect(200).json()["name"], path);
    }
}

#[tokio::test]
async fn text_that_may_not_be_changed() {
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.seed("home/ann/a.txt", "text");
    disk.seed("datasets/d/b.txt", "text");
    for path in ["/home/a.txt", "/datasets/d/b.txt"] {
        let file = disk.ann().get(&format!("/api/resources{path}")).await.expect(200).json();
        assert_eq!((&file["type"], &file["content"]), (&"textImmutable".into(), &"text".into()));
        let raw = disk.ann().header("x-encoding", "true").get(&format!("/api/resources{path}")).await.expect(200);
        assert_eq!(raw.text(), "text");
    }
}

#[tokio::test]
async fn s357_checksums() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/abc", "abc");
    disk.seed("home/ann/zeros", vec![0; 1_000_000]);
    disk.seed("home/ann/film.mp4", "");
    for (path, algorithm, expected) in [
        ("abc", "md5", "900150983cd24fb0d6963f7d28e17f72"),
        ("abc", "sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abc", "sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abc",
            "sha512",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
        ("zeros", "sha256", "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"),
        ("film.mp4", "md5", "d41d8cd98f00b204e9800998ecf8427e"),
    ] {
        let path = format!("/api/resources/home/{path}?checksum={algorithm}");
        let json = disk.ann().get(&path).await.expect(200).json();
        assert_eq!(json["checksums"], serde_json::json!({ algorithm: expected }));
    }
    for bad in ["sha3", "MD5", "", "md5,sha1"] {
        disk.ann().get(&format!("/api/resources/home/abc?checksum={bad}")).await.expect(400);
    }
    for folder in ["/", "/home", "/groups"] {
        disk.ann().get(&format!("/api/resources{folder}?checksum=md5")).await.expect(400);
    }
    let head = disk.ann().send(Method::HEAD, "/api/resources/home/abc", "").await.expect(200);
    assert!(head.body.is_empty() && !head.header("etag").is_empty());
}

#[tokio::test]
async fn s172_subtitles_of_a_film() {
    let disk = TestDisk::new().await;
    for name in ["film.mp4", "film.srt", "film.zh.ass", "film.en.VTT", "film.txt", "film2.srt", "other.vtt"] {
        disk.seed(&format!("home/ann/f/{name}"), "1\n00:00:01,000 --> 00:00:02,000\nx\n");
    }
    let film = disk.ann().get("/api/resources/home/f/film.mp4").await.expect(200).json();
    assert_eq!(
        film["subtitles"],
        serde_json::json!(["/home/f/film.en.VTT", "/home/f/film.srt", "/home/f/film.zh.ass"])
    );
    let other = disk.ann().get("/api/resources/home/f/film.srt").await.expect(200).json();
    assert!(other.get("subtitles").is_none());

    disk.seed("home/ann/f/gbk.srt", GBK.encode("1\r\n00:00:01,000 --> 00:00:02,500\r\n你好\r\n").0);
    let vtt = disk.ann().get("/api/subtitle/home/f/gbk.srt").await.expect(200);
    assert_eq!(vtt.text(), "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n你好\n\n");
    assert_eq!(vtt.header("content-type"), "text/vtt; charset=utf-8");
    assert!(vtt.header("cache-control").starts_with("private"));
    let etag = vtt.header("etag").to_owned();
    disk.ann().header("if-none-match", &etag).get("/api/subtitle/home/f/gbk.srt").await.expect(304);
    disk.seed("home/ann/f/noise.srt", b"\0\x01\x02");
    for (path, status) in [("film.mp4", 400), ("noise.srt", 400), ("none.srt", 404), ("", 400)] {
        disk.ann().get(&format!("/api/subtitle/home/f/{path}")).await.expect(status);
    }
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/a.srt", "x");
    disk.ann().get("/api/subtitle/home/a.srt").await.expect(403);
}
