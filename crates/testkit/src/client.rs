//! Somebody who makes calls.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::{Answer, Contract};

/// One identity at the portal's door. Every JSON answer is checked against the document.
#[derive(Clone, Debug)]
pub struct Client {
    router: Router,
    contract: Arc<Contract>,
    token: Option<String>,
}

impl Client {
    pub(crate) fn new(router: Router, contract: Arc<Contract>, token: Option<String>) -> Self {
        Self { router, contract, token }
    }

    /// The same door with another token.
    #[must_use]
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self.clone() }
    }

    /// The token in use.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None, Body::empty()).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None, Body::empty()).await
    }

    /// POST with JSON.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some("application/json"), Body::from(body.to_string())).await
    }

    /// PUT with JSON.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some("application/json"), Body::from(body.to_string())).await
    }

    /// Anything.
    ///
    /// # Panics
    /// When the request can't be built, or the answer is not one that the document promises.
    pub async fn send(&self, method: &str, path: &str, content_type: Option<&str>, body: Body) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(kind) = content_type {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(body).expect("a request");
        let response = self.router.clone().oneshot(request).await.expect("a router always answers");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        let answer = Answer { status: parts.status, headers: parts.headers, body };
        let is_json = answer.header("content-type").starts_with("application/json");
        let json = is_json.then(|| answer.json());
        self.contract.check(method, path, answer.status.as_u16(), json.as_ref());
        answer
    }
}
