//! Public links.

use serde_json::json;

use super::row::At::{Header, Json};
use super::row::Who::{Admin, Ann, Bob, Eve, Nobody};
use super::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    [making(), visiting(), fetching(), collecting(), listing(), ending()].concat()
}

fn making() -> Vec<Row> {
    let share = |who, path| row("createShare", who, path);
    vec![
        share(Ann, "home/raw.txt")
            .gives(200)
            .holds("/path", "/home/raw.txt")
            .holds("/expire", 0)
            .keeps("link", Json("/hash")),
        share(Ann, "home/folder").gives(200).keeps("shelf", Json("/hash")),
        share(Ann, "home/raw.txt?expires=1&unit=hours")
            .json(json!({ "password": "secret1" }))
            .gives(200)
            .holds("/hasPassword", true)
            .keeps("locked", Json("/hash")),
        share(Ann, "home/a.txt").json(json!({ "password": "secret1" })).gives(200).keeps("guessed", Json("/hash")),
        share(Ann, "home/raw.txt").json(json!({ "pasword": "x" })).gives(400),
        share(Ann, "home/raw.txt").sends_too_much().gives(413),
        share(Ann, "home/none").gives(404),
        share(Ann, "home/folder?expires=2&unit=hours")
            .json(json!({ "collect": { "maxBytes": 10, "maxFiles": 2 } }))
            .gives(200)
            .holds("/collect/maxBytes", 10)
            .holds("/collect/files", 0)
            .keeps("letterbox", Json("/hash")),
        share(Ann, "home/raw.txt").json(json!({ "collect": { "maxBytes": 10, "maxFiles": 2 } })).gives(400),
        share(Ann, "home/folder").json(json!({ "collect": { "maxBytes": 0, "maxFiles": 2 } })).gives(400),
        share(Eve, "home/none").gives(403),
    ]
}

fn visiting() -> Vec<Row> {
    let visit = |who, path| row("getSharedResource", who, path);
    vec![
        visit(Nobody, "<link>").gives(200).holds("/name", "raw.txt").holds("/size", 10),
        visit(Eve, "<link>").gives(200).holds("/name", "raw.txt"),
        visit(Nobody, "<shelf>/").gives(200).holds("/isDir", true).holds("/items/0/name", "b.txt"),
        visit(Nobody, "<shelf>/../raw.txt").gives(404),
        visit(Nobody, "<locked>").gives(401),
        visit(Nobody, "<locked>").with("x-share-password", "wrong").gives(401),
        visit(Nobody, "<locked>").with("x-share-password", "secret1").gives(200).header("sunset", "*"),
        visit(Nobody, "none").gives(404),
        visit(Nobody, "<guessed>").with("x-share-password", "wrong").within(20).gives(429).header("retry-after", "*"),
    ]
}

fn fetching() -> Vec<Row> {
    let fetch = |path| row("downloadShared", Nobody, path);
    vec![
        fetch("<link>")
            .gives(200)
            .header("content-disposition", "attachment*")
            .header("content-security-policy", "sandbox*")
            .says("0123456789")
            .keeps("shared", Header("etag")),
        fetch("<link>").with("range", "bytes=2-3").gives(206).header("content-range", "bytes 2-3/10").says("23"),
        fetch("<link>").with("if-none-match", "<shared>").gives(304).says(""),
        fetch("<link>").with("if-match", "\"other\"").gives(412),
        fetch("<link>").with("range", "bytes=10-").gives(416),
        fetch("<shelf>?algo=tar").gives(200).header("content-type", "application/x-tar"),
        fetch("<shelf>?algo=rar").gives(400),
        fetch("<locked>").gives(401),
        fetch("none").gives(404),
        fetch("<guessed>").with("x-share-password", "wrong").within(20).gives(429).header("retry-after", "*"),
    ]
}

fn collecting() -> Vec<Row> {
    let send = |path| row("collectFile", Nobody, path);
    let wide = json!({ "collect": { "maxBytes": 100 << 20, "maxFiles": 2 } });
    vec![
        row("getSharedResource", Nobody, "<letterbox>")
            .gives(200)
            .holds("/name", "folder")
            .holds("/sharing/collect/full", false),
        row("getSharedResource", Nobody, "<letterbox>/b.txt").gives(404),
        row("downloadShared", Nobody, "<letterbox>/b.txt").gives(404),
        send("<letterbox>/b.txt").sends("abc").gives(200).says("200 OK\n"),
        send("<letterbox>/c.txt").sends("longer than ten").gives(409),
        send("<letterbox>/.profile").sends("abc").gives(400),
        send("<letterbox>/a/b").sends("abc").gives(400),
        send("<link>/a.txt").sends("abc").gives(404),
        send("none/a.txt").sends("abc").gives(404),
        send("<guessed>/a.txt").sends("abc").gives(401),
        send("<guessed>/a.txt").with("x-share-password", "wrong").within(20).gives(429).header("retry-after", "*"),
        row("createShare", Bob, "home").json(wide).gives(200).keeps("tight", Json("/hash")),
        send("<tight>/a.bin").sends_bytes(vec![0; 2 << 20]).gives(507),
        row("deleteShare", Bob, "<tight>").gives(200),
    ]
}

fn listing() -> Vec<Row> {
    vec![
        row("listSharesOfResource", Ann, "home/folder").gives(200).holds("/0/hash", "<shelf>"),
        row("listSharesOfResource", Ann, "home/none").gives(200).holds("", json!([])),
        row("listSharesOfResource", Eve, "home/folder").gives(200).holds("", json!([])),
        row("listShares", Ann, "").gives(200).holds("/3/hash", "<locked>").holds("/3/path", "/home/raw.txt"),
        row("listShares", Bob, "").gives(200).holds("", json!([])),
        row("listShares", Eve, "").gives(200).holds("", json!([])),
        row("listShares", Admin, "").gives(200).holds("/3/hash", "<locked>").holds("/3/username", "ann"),
    ]
}

fn ending() -> Vec<Row> {
    let end = |who, path| row("deleteShare", who, path);
    vec![
        end(Bob, "<link>").gives(403),
        end(Eve, "<link>").gives(403),
        end(Eve, "none").gives(404),
        end(Ann, "none").gives(404),
        end(Ann, "<link>").gives(200).says("200 OK\n"),
        end(Ann, "<link>").gives(404),
        row("getSharedResource", Nobody, "<link>").gives(404),
    ]
}
