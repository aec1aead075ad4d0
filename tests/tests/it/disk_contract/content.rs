//! Content of files: bytes, archives, pictures, subtitles; and commands.

use serde_json::json;

use super::row::At::Header;
use super::row::Who::{Admin, Ann, Eve};
use super::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    [bytes(), previews(), subtitles(), commands()].concat()
}

/// The start of a picture's file.
fn head(side: u32) -> Vec<u8> {
    let size = side * 3 * side;
    let mut file = b"BM".to_vec();
    for number in [54 + size, 0, 54, 40, side, side, 1 | (24 << 16), 0, size, 2835, 2835, 0, 0] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    file
}

/// A picture of one colour.
fn bitmap() -> Vec<u8> {
    let mut file = head(64);
    file.resize(54 + 64 * 64 * 3, 200);
    file
}

fn bytes() -> Vec<Row> {
    let raw = "download";
    vec![
        row("createResource", Ann, "home/raw.txt").sends("0123456789").gives(200),
        row(raw, Ann, "home/raw.txt")
            .gives(200)
            .header("content-disposition", "attachment*")
            .header("content-length", "10")
            .header("x-content-type-options", "nosniff")
            .header("accept-ranges", "bytes")
            .says("0123456789")
            .keeps("raw", Header("etag")),
        row(raw, Ann, "home/raw.txt?inline=true").gives(200).header("content-disposition", "inline*"),
        row(raw, Ann, "home/raw.txt")
            .with("range", "bytes=2-4")
            .gives(206)
            .header("content-range", "bytes 2-4/10")
            .says("234"),
        row(raw, Ann, "home/raw.txt").with("if-none-match", "<raw>").gives(304).header("etag", "<raw>").says(""),
        row(raw, Ann, "home/raw.txt").with("if-match", "\"other\"").gives(412),
        row(raw, Ann, "home/raw.txt").with("range", "bytes=10-").gives(416).header("content-range", "bytes */10"),
        row(raw, Ann, "home/folder?algo=zip").gives(200).header("content-type", "application/zip"),
        row(raw, Ann, "home/folder?algo=rar").gives(400),
        row(raw, Ann, "home/none").gives(404),
        row(raw, Eve, "home/none").gives(403),
    ]
}

fn previews() -> Vec<Row> {
    let preview = "preview";
    let settings =
        |resize: bool| row("changeDiskSettings", Admin, "").json(json!({ "resizePreview": resize })).gives(200);
    vec![
        row("createResource", Ann, "home/pic.bmp").sends_bytes(bitmap()).gives(200),
        row("createResource", Ann, "home/half.bmp").sends_bytes(bitmap()[..1000].to_vec()).gives(200),
        row("createResource", Ann, "home/huge.bmp").sends_bytes([head(20_000), vec![0; 100]].concat()).gives(200),
        row(preview, Ann, "thumb/home/pic.bmp")
            .gives(200)
            .header("content-type", "image/jpeg")
            .header("content-security-policy", "sandbox*")
            .keeps("pic", Header("etag")),
        row(preview, Ann, "big/home/pic.bmp").gives(200).header("content-type", "image/jpeg"),
        row(preview, Ann, "thumb/home/pic.bmp").with("if-none-match", "<pic>").gives(304).says(""),
        row(preview, Ann, "small/home/pic.bmp").gives(400),
        row(preview, Ann, "thumb/home/folder").gives(400),
        row(preview, Ann, "thumb/home/none.bmp").gives(404),
        row(preview, Ann, "thumb/home/huge.bmp").gives(413),
        row(preview, Ann, "thumb/home/raw.txt").gives(415),
        row(preview, Ann, "thumb/home/half.bmp").gives(422),
        settings(false),
        row(preview, Ann, "big/home/pic.bmp").gives(200).header("content-type", "image/bmp"),
        row(preview, Ann, "big/home/pic.bmp").with("range", "bytes=0-1").gives(206).says("BM"),
        row(preview, Ann, "big/home/pic.bmp").with("if-match", "\"other\"").gives(412),
        settings(true),
        row(preview, Eve, "thumb/home/none.bmp").gives(403),
    ]
}

fn subtitles() -> Vec<Row> {
    let get = "getSubtitle";
    vec![
        row("createResource", Ann, "home/s.srt").sends("1\n00:00:01,000 --> 00:00:02,000\n字幕\n").gives(200),
        row("createResource", Ann, "home/large.srt").sends_bytes(vec![b'x'; 9 << 20]).gives(200),
        row(get, Ann, "home/s.srt")
            .gives(200)
            .header("content-type", "text/vtt*")
            .says("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n字幕\n\n")
            .keeps("subtitle", Header("etag")),
        row(get, Ann, "home/s.srt").with("if-none-match", "<subtitle>").gives(304).says(""),
        row(get, Ann, "home/raw.txt").gives(400),
        row(get, Ann, "home/none.srt").gives(404),
        row(get, Ann, "home/large.srt").gives(413),
        row(get, Eve, "home/none.srt").gives(403),
    ]
}

fn commands() -> Vec<Row> {
    let run = |who, path| row("runCommand", who, path);
    let socket = |row: Row| {
        let upgrade = row.with("connection", "upgrade").with("upgrade", "websocket");
        upgrade.with("sec-websocket-version", "13").with("sec-websocket-key", "MDEyMzQ1Njc4OWFiY2RlZg==").sandboxed()
    };
    vec![
        socket(run(Admin, "share/")).gives(101).header("upgrade", "websocket"),
        socket(run(Admin, "share/none")).gives(404),
        run(Admin, "share/").sandboxed().gives(400),
        run(Ann, "home/").gives(403),
        run(Eve, "home/").gives(403),
    ]
}
