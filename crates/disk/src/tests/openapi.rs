//! The document of the API.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::harness::TestDisk;

#[test]
fn every_path_is_documented_with_its_tail() {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let paths: BTreeSet<&str> = document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "/api/preview/{size}/{path}",
        "/api/command/{path}",
        "/api/find",
        "/api/raw/{path}",
        "/api/resources/{path}",
        "/api/settings",
        "/api/subtitle/{path}",
        "/api/search/{path}",
        "/api/tasks",
        "/api/tasks/{id}",
        "/api/trash",
        "/api/trash/{id}",
        "/api/trash/{id}/restore",
        "/api/tus/{path}",
        "/api/usage/{path}",
        "/api/users",
        "/api/users/{id}",
        "/api/public/collect/{path}",
        "/api/public/dl/{path}",
        "/api/public/settings",
        "/api/public/share/{path}",
        "/api/share/{path}",
        "/api/shares",
        "/health",
    ];
    assert_eq!(paths, BTreeSet::from(expected));
    let verbs: Vec<&String> = document["paths"]["/api/resources/{path}"].as_object().unwrap().keys().collect();
    assert_eq!(verbs, ["delete", "get", "patch", "post", "put"]);
    assert!(document["components"]["schemas"]["Resource"].is_object());
}

#[test]
fn every_call_but_health_needs_a_token_and_says_what_it_is() {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    assert_eq!(document["security"].as_array().unwrap().len(), 3);
    for (path, verbs) in document["paths"].as_object().unwrap() {
        for (verb, operation) in verbs.as_object().unwrap() {
            let open = operation.get("security").is_some();
            assert_eq!(open, path == "/health" || path.starts_with("/api/public/"), "{verb} {path}");
            assert!(operation["summary"].is_string() && operation["operationId"].is_string(), "{verb} {path}");
        }
    }
}

/// Checks an answer against a schema of the document.
fn validate(schema: &str, answer: &Value) {
    let mut document = serde_json::to_value(crate::openapi()).unwrap();
    document["$ref"] = json!(format!("#/components/schemas/{schema}"));
    let errors: Vec<String> =
        jsonschema::validator_for(&document).unwrap().iter_errors(answer).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{schema}: {errors:?} in {answer}");
}

#[tokio::test]
async fn answers_are_as_documented() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "text");
    disk.seed("home/ann/d/b.png", "");
    disk.link("nowhere", "home/ann/link");
    disk.seed("home/ann/f.mp4", "");
    disk.seed("home/ann/f.srt", "");
    let queries = ["home?size=true", "home/a.txt?checksum=sha1", "home/f.mp4", "home/d?offset=0&limit=1"];
    for path in queries {
        validate("Resource", &disk.ann().get(&format!("/api/resources/{path}")).await.expect(200).json());
    }
    for path in ["/", "/home", "/home/d/", "/home/a.txt", "/groups", "/share", "/datasets"] {
        validate("Resource", &disk.ann().get(&format!("/api/resources{path}")).await.expect(200).json());
    }
    validate("Resource", &disk.root().get("/api/resources/").await.expect(200).json());
    validate("Usage", &disk.ann().get("/api/usage/home").await.expect(200).json());
    validate("FoundFiles", &disk.ann().get("/api/find?q=a").await.expect(200).json());
    validate("Health", &disk.anonymous().get("/health").await.expect(200).json());
    let copy = disk.ann().header("accept", "application/json").change("copy", "/home/a.txt", "/home/b.txt", "").await;
    validate("Changed", &copy.expect(200).json());
    disk.ann().delete("/api/resources/home/b.txt").await.expect(200);
    validate("DiskUser", &disk.ann().get("/api/users/2").await.expect(200).json());
    validate("DiskUser", &disk.root().get("/api/users").await.expect(200).json()[0]);
    validate("Settings", &disk.root().get("/api/settings").await.expect(200).json());
    validate("PublicSettings", &disk.anonymous().get("/api/public/settings").await.expect(200).json());
    let call = disk.ann().header("prefer", "respond-async");
    let task = call.change("copy", "/home/a.txt", "/home/c.txt", "").await.expect(202);
    validate("TaskView", &task.json());
    validate("TaskList", &disk.ann().get("/api/tasks").await.expect(200).json());
    let link = disk.ann().post("/api/share/home/a.txt", r#"{"password":"secret1"}"#).await.expect(200).json();
    validate("ShareLink", &link);
    validate("ShareLink", &disk.root().get("/api/shares").await.expect(200).json()[0]);
    let visitor = disk.anonymous().header("x-share-password", "secret1");
    let seen = visitor.get(&format!("/api/public/share/{}", link["hash"].as_str().unwrap())).await.expect(200);
    validate("Resource", &seen.json());
    let limits = json!({ "collect": { "maxBytes": 5, "maxFiles": 5 } }).to_string();
    let link = disk.ann().post("/api/share/home/d", limits).await.expect(200).json();
    validate("ShareLink", &link);
    let seen = disk.anonymous().get(&format!("/api/public/share/{}", link["hash"].as_str().unwrap())).await;
    validate("Resource", &seen.expect(200).json());
    validate("TrashList", &disk.ann().get("/api/trash").await.expect(200).json());
}
