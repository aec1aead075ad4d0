//! A client of the portal.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{Answer, Contract};

/// A client with one identity. Every JSON response is checked against the document.
#[derive(Clone, Debug)]
pub struct Client {
    router: Router,
    contract: Arc<Contract>,
    token: Option<String>,
    /// Sent again when the portal requires it, as the pages do.
    password: Option<String>,
    /// The client's pretended address.
    address: Option<String>,
}

impl Client {
    pub(crate) fn new(router: Router, contract: Arc<Contract>, token: Option<String>) -> Self {
        Self { router, contract, token, password: None, address: None }
    }

    /// The same client with another token, whose owner's password is unknown.
    #[must_use]
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), password: None, ..self.clone() }
    }

    /// The same client of another router.
    pub(crate) fn of(self, router: Router) -> Self {
        Self { router, ..self }
    }

    pub(crate) fn at(self, address: &str) -> Self {
        Self { address: Some(address.to_owned()), ..self }
    }

    pub(crate) fn with_password(self, password: &str) -> Self {
        Self { password: Some(password.to_owned()), ..self }
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
        self.change("POST", path, &body).await
    }

    /// PUT with JSON.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.change("PUT", path, &body).await
    }

    async fn change(&self, method: &str, path: &str, body: &Value) -> Answer {
        let send = async |path: &str, method: &str, body: &Value| {
            self.send(method, path, Some("application/json"), Body::from(body.to_string())).await
        };
        let answer = send(path, method, body).await;
        let Some(password) = self.password.as_ref().filter(|_| answer.wants_password()) else { return answer };
        send("/api/auth/confirm", "POST", &json!({ "password": password })).await.is(204);
        send(path, method, body).await
    }

    /// Sends any request.
    ///
    /// # Panics
    /// When the request can't be built, or the response violates the document.
    pub async fn send(&self, method: &str, path: &str, content_type: Option<&str>, body: Body) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(kind) = content_type {
            request = request.header(header::CONTENT_TYPE, kind);
        }
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if let Some(address) = &self.address {
            request = request.header("x-forwarded-for", address);
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
