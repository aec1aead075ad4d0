//! The document of the API.

use std::collections::BTreeSet;

#[test]
fn every_path_is_documented_with_its_tail() {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let paths: BTreeSet<&str> = document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(paths, BTreeSet::from(["/api/raw/{path}", "/api/resources/{path}", "/api/usage/{path}", "/health"]));
    let verbs: Vec<&String> = document["paths"]["/api/resources/{path}"].as_object().unwrap().keys().collect();
    assert_eq!(verbs, ["delete", "get", "patch", "post", "put"]);
    assert!(document["components"]["schemas"]["Resource"].is_object());
}
