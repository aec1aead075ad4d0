//! Work that goes on after its response.

use serde_json::json;

use super::row::At::Json;
use super::row::Who::{Admin, Ann, Bob, Eve};
use super::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    let pack = |who, from: &str, to: &str| {
        let body = json!({ "kind": "compress", "paths": [from], "destination": to, "format": "zip" });
        row("createTask", who, "").json(body)
    };
    vec![
        pack(Ann, "/home/folder", "/home/packed.zip")
            .gives(202)
            .header("location", "/disk/api/tasks/*")
            .holds("/kind", "compress")
            .holds("/destination", "/home/packed.zip")
            .keeps("task", Json("/id")),
        pack(Ann, "/home/none", "/home/none.zip").gives(404),
        pack(Ann, "/home/folder", "/home/raw.txt").gives(409),
        row("createTask", Ann, "").json(json!({ "kind": "other" })).gives(400),
        row("createTask", Ann, "").sends_too_much().gives(413),
        pack(Eve, "/home/folder", "/home/packed.zip").gives(403),
        row("listTasks", Ann, "").gives(200).holds("/items/0/id", "<task>"),
        row("listTasks", Admin, "").gives(200).holds("/items/0/id", "<task>"),
        row("listTasks", Eve, "").gives(200).holds("/items", json!([])),
        row("getTask", Ann, "<task>").gives(200).holds("/id", "<task>").holds("/destination", "/home/packed.zip"),
        row("getTask", Bob, "<task>").gives(404),
        row("getTask", Eve, "<task>").gives(404),
        row("deleteTask", Bob, "<task>").gives(404),
        row("deleteTask", Eve, "<task>").gives(404),
        row("deleteTask", Ann, "<task>").gives(200).says("200 OK\n"),
        row("deleteTask", Ann, "00000000-0000-0000-0000-000000000000").gives(404),
    ]
}
