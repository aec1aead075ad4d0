//! Files and folders: looking, making, changing, deleting; the trash; searching and how much there is.

use serde_json::json;

use super::row::At::{EndOf, Header, Json};
use super::row::Who::{Admin, Ann, Bob, Eve};
use super::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    [making(), looking(), replacing(), changing(), deleting(), trash(), searching()].concat()
}

fn making() -> Vec<Row> {
    let make = "createResource";
    vec![
        row(make, Ann, "home/a.txt").sends("hello").gives(200).header("etag", "\"*").says("200 OK\n"),
        row(make, Ann, "home/a.txt").sends("other").gives(409),
        row(make, Ann, "home/a.txt?override=true").sends("hello world").gives(200).header("etag", "\"*"),
        row(make, Ann, "home/folder/").gives(200),
        row(make, Ann, "home/folder").sends("x").gives(409),
        row(make, Ann, "home/folder/b.txt").sends("b").gives(200),
        row(make, Ann, "home/a%00b").sends("x").gives(400),
        row(make, Ann, "datasets/x").sends("x").gives(403),
        row(make, Bob, "home/big").sends_bytes(vec![0; 2 << 20]).gives(507),
        row(make, Bob, "home/half").sends_bytes(vec![0; 700_000]).gives(200),
        row(make, Eve, "home/x").sends("x").gives(403),
        row(make, Eve, "home/x/").gives(403),
    ]
}

fn looking() -> Vec<Row> {
    let look = "getResource";
    vec![
        row(look, Ann, "home/a.txt")
            .gives(200)
            .header("etag", "\"*")
            .header("last-modified", "*")
            .holds("/name", "a.txt")
            .holds("/path", "/home/a.txt")
            .holds("/size", 11)
            .holds("/isDir", false)
            .holds("/content", "hello world")
            .keeps("seen", Header("etag")),
        row(look, Ann, "home/a.txt").with("if-none-match", "<seen>").gives(304).header("etag", "<seen>").says(""),
        row(look, Ann, "home/a.txt?checksum=md5")
            .gives(200)
            .holds("/checksums/md5", "5eb63bbbe01eeed093cb22bb8f5acdc3"),
        row(look, Ann, "home/a.txt?checksum=crc").gives(400),
        row(look, Ann, "home/a.txt").with("x-encoding", "true").gives(200).says("hello world"),
        row(look, Ann, "home/?sort=name&asc=true")
            .gives(200)
            .holds("/isDir", true)
            .holds("/numDirs", 1)
            .holds("/numFiles", 1)
            .holds("/items/0/name", "folder"),
        row(look, Ann, "home/none").gives(404).says("404 Not Found\n"),
        row(look, Ann, "home/ann/").gives(404),
        row(look, Admin, "home/ann/a.txt").gives(200).holds("/path", "/home/ann/a.txt"),
        row(look, Eve, "home/").gives(200).holds("/items", json!([])),
    ]
}

fn replacing() -> Vec<Row> {
    let replace = "replaceResource";
    vec![
        row(replace, Ann, "home/a.txt").sends("new").gives(200).header("etag", "\"*").keeps("etag", Header("etag")),
        row(replace, Ann, "home/a.txt").with("if-match", "\"other\"").sends("lost").gives(412),
        row(replace, Ann, "home/a.txt").with("if-match", "<etag>").sends("newer").gives(200),
        row(replace, Ann, "home/none").sends("x").gives(404),
        row(replace, Ann, "home/folder").sends("x").gives(405),
        row(replace, Ann, "home/a.txt?encoding=gbk").sends_bytes(vec![b'x'; 11 << 20]).gives(413),
        row(replace, Bob, "home/half").sends_bytes(vec![0; 2 << 20]).gives(507),
        row(replace, Eve, "home/x").sends("x").gives(403),
        row("getResource", Ann, "home/a.txt").gives(200).holds("/content", "newer"),
    ]
}

fn changing() -> Vec<Row> {
    let change = "changeResource";
    vec![
        row(change, Ann, "home/a.txt?action=copy&destination=/home/b.txt")
            .gives(200)
            .header("location", "/disk/api/resources/home/b.txt")
            .says("200 OK\n"),
        row(change, Ann, "home/a.txt?action=copy&destination=/home/b.txt").gives(409),
        row(change, Ann, "home/a.txt?action=copy&destination=/home/b.txt&rename=true")
            .with("accept", "application/json")
            .gives(200)
            .holds("/path", "/home/b(1).txt"),
        row(change, Ann, "home/b.txt?action=rename&destination=/home/c.txt").gives(200),
        row(change, Ann, "home/b.txt?action=rename&destination=/home/d.txt").gives(404),
        row(change, Ann, "home/folder?action=rename&destination=/home/folder/in").gives(400),
        row(change, Ann, "home/a.txt?action=copy&destination=/").gives(400),
        row(change, Ann, "home/a.txt?action=move&destination=/home/z").gives(400),
        row(change, Ann, "home/folder?action=copy&destination=/home/later")
            .with("prefer", "respond-async")
            .gives(202)
            .header("preference-applied", "respond-async")
            .header("location", "/disk/api/tasks/*")
            .holds("/kind", "copy")
            .keeps("copying", EndOf("location")),
        row("getTask", Ann, "<copying>").gives(200).holds("/destination", "/home/later"),
        row(change, Bob, "home/half?action=copy&destination=/home/more").gives(507),
        row(change, Eve, "home/x?action=copy&destination=/home/y").gives(403),
        row(change, Eve, "home/x?action=rename&destination=/home/y").gives(403),
    ]
}

fn deleting() -> Vec<Row> {
    let delete = "deleteResource";
    vec![
        row(delete, Ann, "home/c.txt?permanent=true").gives(200).says("200 OK\n"),
        row(delete, Ann, "home/c.txt").gives(404),
        row(delete, Ann, "home").gives(403),
        row(delete, Ann, "").gives(403),
        row(delete, Eve, "home/x").gives(403),
    ]
}

fn trash() -> Vec<Row> {
    vec![
        row("createResource", Ann, "home/old.txt").sends("old").gives(200),
        row("deleteResource", Ann, "home/old.txt").gives(200),
        row("listTrash", Ann, "")
            .gives(200)
            .holds("/total", 1)
            .holds("/items/0/path", "/home/old.txt")
            .keeps("old", Json("/items/0/id")),
        row("listTrash", Eve, "").gives(403),
        row("restoreFromTrash", Bob, "<old>/restore").gives(404),
        row("restoreFromTrash", Eve, "<old>/restore").gives(403),
        row("restoreFromTrash", Ann, "<old>/restore")
            .with("accept", "application/json")
            .gives(200)
            .header("location", "/disk/api/resources/home/old.txt")
            .holds("/path", "/home/old.txt"),
        row("restoreFromTrash", Ann, "<old>/restore").gives(404),
        row("deleteResource", Ann, "home/old.txt").gives(200),
        row("createResource", Ann, "home/old.txt").sends("new").gives(200),
        row("listTrash", Ann, "?limit=1").gives(200).keeps("old", Json("/items/0/id")),
        row("restoreFromTrash", Ann, "<old>/restore").gives(409),
        row("purgeFromTrash", Bob, "<old>").gives(404),
        row("purgeFromTrash", Eve, "<old>").gives(403),
        row("purgeFromTrash", Ann, "<old>").gives(200).says("200 OK\n"),
        row("purgeFromTrash", Ann, "<old>").gives(404),
        row("deleteResource", Ann, "home/old.txt").gives(200),
        row("emptyTrash", Eve, "").gives(403),
        row("emptyTrash", Ann, "").gives(200).says("200 OK\n"),
        row("listTrash", Ann, "").gives(200).holds("/items", json!([])),
    ]
}

fn searching() -> Vec<Row> {
    vec![
        row("createResource", Ann, "home/folder/wanted.txt").sends("w").gives(200),
        row("search", Ann, "home/?query=wanted").gives(200).holds("/0/path", "folder/wanted.txt"),
        row("search", Ann, "home/?query=wanted")
            .with("accept", "application/x-ndjson")
            .gives(200)
            .header("content-type", "application/x-ndjson"),
        row("search", Ann, "home/?query=wanted&depth=0").gives(400),
        row("search", Ann, "home/a.txt?query=x").gives(400),
        row("search", Ann, "home/none/?query=x").gives(404),
        row("search", Eve, "home/?query=wanted").gives(200).holds("", json!([])),
        row("getUsage", Ann, "home").gives(200).holds("/quota", 500_u64 << 30),
        row("getUsage", Bob, "home").gives(200).holds("/quota", 1 << 20),
        row("getUsage", Ann, "home/none").gives(404),
        row("getUsage", Eve, "home").gives(200),
    ]
}
