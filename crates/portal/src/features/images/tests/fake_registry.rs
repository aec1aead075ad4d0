//! A registry with scripted answers that real ones cannot be made to give.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

pub(super) const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
pub(super) const LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";

/// Type, body and further headers.
#[derive(Clone)]
struct Said {
    status: StatusCode,
    kind: String,
    body: Vec<u8>,
    headers: Vec<(&'static str, String)>,
}

#[derive(Clone, Default)]
pub(super) struct FakeRegistry {
    /// By path and query.
    answers: Arc<Mutex<HashMap<String, Said>>>,
    asked: Arc<Mutex<Vec<String>>>,
    pub(super) url: String,
}

impl FakeRegistry {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let registry = Self { url: format!("http://{}", listener.local_addr().unwrap()), ..Self::default() };
        let router = Router::new().fallback(answer).with_state(registry.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        registry
    }

    pub(super) fn host(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    pub(super) fn say(&self, path: &str, kind: &str, body: impl Into<Vec<u8>>) {
        let said = Said { status: StatusCode::OK, kind: kind.to_owned(), body: body.into(), headers: Vec::new() };
        self.answers.lock().unwrap().insert(path.to_owned(), said);
    }

    pub(super) fn say_json(&self, path: &str, body: &Value) {
        self.say(path, "application/json; charset=utf-8", body.to_string());
    }

    pub(super) fn say_with(&self, path: &str, status: u16, name: &'static str, value: &str) {
        let mut answers = self.answers.lock().unwrap();
        let said = answers.entry(path.to_owned()).or_insert_with(|| Said {
            status: StatusCode::OK,
            kind: "application/json".to_owned(),
            body: Vec::new(),
            headers: Vec::new(),
        });
        said.status = StatusCode::from_u16(status).unwrap();
        said.headers.push((name, value.to_owned()));
    }

    /// Paths of the requests so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Adds an image with one layer of `size` bytes; returns its manifest's digest.
    pub(super) fn image(&self, repository: &str, tag: &str, size: u64) -> String {
        let configuration = json!({ "architecture": "amd64", "os": "linux", "created": "2026-11-01T08:00:00Z",
            "config": { "Env": ["PATH=/bin"], "Cmd": ["sh"], "ExposedPorts": { "22/tcp": {} }, "WorkingDir": "/root" },
            "history": [{ "created": "2026-11-01T08:00:00Z", "created_by": "ADD x" }] })
        .to_string();
        let digest = sha256(&configuration);
        self.say(&format!("/v2/{repository}/blobs/{digest}"), "application/octet-stream", configuration);
        let layer = json!({ "digest": sha256("layer"), "size": size });
        let manifest = json!({ "schemaVersion": 2, "config": { "digest": digest }, "layers": [layer] }).to_string();
        let digest = sha256(&manifest);
        for reference in [tag, &digest] {
            self.say(&format!("/v2/{repository}/manifests/{reference}"), MANIFEST, manifest.clone());
        }
        digest
    }
}

pub(super) fn sha256(text: &str) -> String {
    let digits: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

async fn answer(State(registry): State<FakeRegistry>, request: Request) -> Response {
    let path = request.uri().path_and_query().unwrap().to_string();
    registry.asked.lock().unwrap().push(path.clone());
    let Some(said) = registry.answers.lock().unwrap().get(&path).cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = (said.status, [(header::CONTENT_TYPE, said.kind)], said.body).into_response();
    for (name, value) in said.headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}
