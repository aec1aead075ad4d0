//! Permissions of each call: one row for every operation of the document, and each row tested.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::harness::TestDisk;

/// The requirement of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// None: public.
    Nobody,
    /// A signed-in person. What they see is decided by their view.
    Anybody,
    /// Each of these rights.
    Rights(&'static [&'static str]),
    /// Not called by this test, because it is no plain request.
    Socket(&'static [&'static str]),
    Administrator,
}

use Needs::{Administrator, Anybody, Nobody, Rights, Socket};

/// Operation, its requirement, and a call that gets as far as the check.
const TABLE: [(&str, Needs, &str); 39] = [
    ("runCommand", Socket(&["execute", "download"]), "/api/command/home/"),
    ("preview", Rights(&["download"]), "/api/preview/thumb/home/a.png"),
    ("downloadShared", Nobody, "/api/public/dl/x"),
    ("getPublicDiskSettings", Nobody, "/api/public/settings"),
    ("getSharedResource", Nobody, "/api/public/share/x"),
    ("download", Rights(&["download"]), "/api/raw/home/a"),
    ("getResource", Anybody, "/api/resources/home/a"),
    ("replaceResource", Rights(&["modify"]), "/api/resources/home/a"),
    ("createResource", Rights(&["create"]), "/api/resources/home/new"),
    ("deleteResource", Rights(&["delete"]), "/api/resources/home/gone"),
    ("changeResource", Rights(&["create", "download"]), "/api/resources/home/a?action=copy&destination=/home/copy"),
    ("search", Anybody, "/api/search/home?query=a"),
    ("find", Anybody, "/api/find?q=a"),
    ("getDiskSettings", Administrator, "/api/settings"),
    ("changeDiskSettings", Administrator, "/api/settings"),
    ("listSharesOfResource", Anybody, "/api/share/home/a"),
    ("createShare", Rights(&["share", "download"]), "/api/share/home/a"),
    ("deleteShare", Anybody, "/api/share/x"),
    ("listShares", Anybody, "/api/shares"),
    ("getSubtitle", Rights(&["download"]), "/api/subtitle/home/a.srt"),
    ("listTasks", Anybody, "/api/tasks"),
    ("createTask", Rights(&["create", "download"]), "/api/tasks"),
    ("getTask", Anybody, "/api/tasks/x"),
    ("deleteTask", Anybody, "/api/tasks/x"),
    ("listTrash", Anybody, "/api/trash"),
    ("emptyTrash", Rights(&["delete"]), "/api/trash"),
    ("purgeFromTrash", Rights(&["delete"]), "/api/trash/x"),
    ("restoreFromTrash", Rights(&["create", "delete"]), "/api/trash/x/restore"),
    ("createUpload", Rights(&["create"]), "/api/tus/home/tus"),
    ("terminateUpload", Rights(&["create"]), "/api/tus/home/tus"),
    ("getTusCapabilities", Anybody, "/api/tus/home/tus"),
    ("getUpload", Rights(&["create"]), "/api/tus/home/tus"),
    ("appendUpload", Rights(&["create"]), "/api/tus/home/tus"),
    ("getUsage", Anybody, "/api/usage/home"),
    ("listDiskUsers", Administrator, "/api/users"),
    ("createDiskUser", Administrator, "/api/users"),
    // For other users; the caller's own user may be read, and its view settings changed.
    ("getDiskUser", Administrator, "/api/users/3"),
    ("changeDiskUser", Administrator, "/api/users/3"),
    ("resetDiskUser", Administrator, "/api/users/3"),
];
/// Public.
const HEALTH: &str = "health";

/// Operation and verb, of the document.
fn documented() -> Vec<(String, Method)> {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let calls = paths.flat_map(|verbs| verbs.as_object().unwrap().clone());
    let calls = calls.filter_map(|(verb, operation)| Some((operation["operationId"].as_str()?.to_owned(), verb)));
    calls.map(|(id, verb)| (id, verb.to_uppercase().parse().unwrap())).collect()
}

#[test]
fn every_operation_has_exactly_one_row() {
    let ids: BTreeSet<String> = documented().into_iter().map(|(id, _)| id).collect();
    let rows = TABLE.iter().map(|(id, ..)| (*id).to_owned()).chain([HEALTH.to_owned()]);
    assert_eq!(ids, rows.collect::<BTreeSet<_>>());
    assert_eq!(TABLE.len() + 1, ids.len(), "a row stands twice");
}

fn body(id: &str) -> String {
    match id {
        // As long as announced: a longer body is refused before authentication.
        "createUpload" | "appendUpload" => return "x".to_owned(),
        "createTask" => {
            json!({ "kind": "compress", "paths": ["/home/a"], "destination": "/home/a.tar", "format": "tar" })
        }
        "changeDiskUser" => json!({ "what": "user", "which": ["theme"], "data": { "theme": "dark" } }),
        "createDiskUser" => json!({ "what": "user", "which": ["all"], "data": { "username": "bob" } }),
        _ => json!({}),
    }
    .to_string()
}

/// Gives Ann all permissions except these.
async fn without(disk: &TestDisk, rights: &[&str]) {
    let all = ["create", "rename", "modify", "delete", "download", "share", "execute"];
    let perm: serde_json::Map<String, Value> =
        all.iter().map(|right| ((*right).to_owned(), Value::Bool(!rights.contains(right)))).collect();
    let change = json!({ "what": "user", "which": ["perm"], "data": { "perm": perm } });
    disk.root().put("/api/users/2", change.to_string()).await.expect(200);
}

#[tokio::test]
async fn every_row_is_kept() {
    let disk = TestDisk::new().await;
    for name in ["a", "a.png", "a.srt", "gone"] {
        disk.seed(&format!("home/ann/{name}"), "x");
    }
    disk.ann().get("/api/resources/home").await.expect(200);
    for (id, verb) in documented() {
        let Some((_, needs, path)) = TABLE.iter().find(|(row, ..)| *row == id) else { continue };
        let call = async |call: super::harness::Call| {
            let call = call.header("tus-resumable", "1.0.0").header("upload-length", "1").header("upload-offset", "0");
            let call = call.header("content-type", "application/offset+octet-stream");
            call.send(verb.clone(), path, body(&id)).await.status.as_u16()
        };
        let nobody = call(disk.anonymous()).await;
        assert_eq!(nobody == 401, *needs != Nobody, "{id} by nobody: {nobody}");
        let (Rights(rights) | Socket(rights)) = *needs else {
            let status = call(disk.ann()).await;
            assert_eq!(status == 403, *needs == Administrator, "{id} by Ann: {status}");
            continue;
        };
        for right in rights {
            without(&disk, &[right]).await;
            assert_eq!(call(disk.ann()).await, 403, "{id} without {right}");
        }
        // These permissions alone suffice, without any of the others.
        let others: Vec<&str> = ["create", "rename", "modify", "delete", "download", "share", "execute"]
            .into_iter()
            .filter(|right| !rights.contains(right))
            .collect();
        without(&disk, &others).await;
        let status = call(disk.ann()).await;
        assert!(status != 403 || matches!(needs, Socket(_)), "{id} with {rights:?}: {status}");
    }
}
