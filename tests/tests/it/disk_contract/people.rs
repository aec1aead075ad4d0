//! Disk users, the disk's settings, and its health.

use serde_json::{Value, json};

use super::row::Who::{Admin, Ann, Bob, Eve, Nobody};
use super::row::{Row, Who, row};

pub(super) fn rows() -> Vec<Row> {
    [users(), settings(), health()].concat()
}

fn envelope(field: &str, value: impl Into<Value>) -> Value {
    json!({ "what": "user", "which": [field], "data": { field: value.into() } })
}

fn users() -> Vec<Row> {
    let make = |who, name: &str| {
        let body = json!({ "what": "user", "which": [], "data": { "username": name, "password": "" } });
        row("createDiskUser", who, "").json(body)
    };
    let change =
        |who: Who, tail, field: &str, value: Value| row("changeDiskUser", who, tail).json(envelope(field, value));
    vec![
        row("listDiskUsers", Admin, "").gives(200).holds("/1/username", "ann").holds("/1/perm/admin", false),
        row("listDiskUsers", Ann, "").gives(403),
        row("listDiskUsers", Eve, "").gives(403),
        row("getDiskUser", Ann, "<ann>").gives(200).holds("/username", "ann").holds("/scope", "/"),
        row("getDiskUser", Ann, "<bob>").gives(403),
        row("getDiskUser", Admin, "<eve>").gives(200).holds("/perm/create", false),
        row("getDiskUser", Admin, "<cui>").gives(404),
        row("getDiskUser", Eve, "<eve>").gives(200).holds("/perm/download", false),
        make(Ann, "cui").gives(403),
        make(Eve, "cui").gives(403),
        make(Admin, "cui").gives(201).header("location", "/disk/api/users/<cui>"),
        make(Admin, "cui").gives(409),
        make(Admin, "nobody").gives(400),
        row("createDiskUser", Admin, "").sends_too_much().gives(413),
        change(Ann, "<ann>", "theme", json!("dark")).gives(200).says("200 OK\n"),
        change(Ann, "<ann>", "theme", json!(7)).gives(400),
        row("changeDiskUser", Ann, "<ann>").sends_too_much().gives(413),
        change(Ann, "<ann>", "perm", json!({ "admin": true })).gives(403),
        change(Ann, "<bob>", "theme", json!("dark")).gives(403),
        change(Eve, "<eve>", "perm", json!({ "create": true })).gives(403),
        change(Eve, "<eve>", "theme", json!("dark")).gives(200),
        change(Admin, "999999", "theme", json!("dark")).gives(404),
        row("getDiskUser", Ann, "<ann>").gives(200).holds("/theme", "dark").holds("/perm/admin", false),
        row("resetDiskUser", Ann, "<cui>").gives(403),
        row("resetDiskUser", Eve, "<cui>").gives(403),
        row("resetDiskUser", Admin, "<cui>").gives(200).says("200 OK\n"),
        row("resetDiskUser", Admin, "<cui>").gives(404),
        row("resetDiskUser", Bob, "<bob>").gives(403),
    ]
}

fn settings() -> Vec<Row> {
    let put = |who, body| row("changeDiskSettings", who, "").json(body);
    vec![
        row("getDiskSettings", Admin, "").gives(200).holds("/trashDays", 30).holds("/defaults/scope", "/"),
        row("getDiskSettings", Ann, "").gives(403),
        row("getDiskSettings", Eve, "").gives(403),
        put(Admin, json!({ "trashDays": 7 })).gives(200).says("200 OK\n"),
        put(Admin, json!({ "trashDays": -1 })).gives(400),
        put(Admin, json!({ "trashdays": 1 })).gives(400),
        row("changeDiskSettings", Admin, "").sends_too_much().gives(413),
        put(Ann, json!({ "trashDays": 1 })).gives(403),
        put(Eve, json!({ "trashDays": 1 })).gives(403),
        row("getDiskSettings", Admin, "").gives(200).holds("/trashDays", 7),
        row("getPublicDiskSettings", Nobody, "").gives(200),
    ]
}

fn health() -> Vec<Row> {
    vec![row("health", Nobody, "").gives(200).holds("/status", "OK").holds("", json!({ "status": "OK" }))]
}
