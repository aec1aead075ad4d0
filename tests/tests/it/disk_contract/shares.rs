//! Public links.

use serde_json::json;

use super::row::At::{Header, Json};
use super::row::Who::{Admin, Ann, Bob, Eve, Nobody};
use super::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    [making(), visiting(), fetching(), listing(), ending()].concat()
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
