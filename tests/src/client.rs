//! A client over the network.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Method;
use kernel::{Clock, SystemClock};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Answer, Contract};
use utoipa::openapi::OpenApi;

use crate::root;

/// A client with one identity. JSON responses are checked against the committed API document.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    origin: String,
    token: Option<String>,
    /// Sent again when the portal requires it, as the pages do.
    password: Option<String>,
    contract: Arc<Contract>,
}

impl Client {
    pub(crate) fn new(origin: &str) -> Self {
        Self::over(origin, Self::builder())
    }

    /// With a client that the test configures, such as one that trusts a certificate.
    ///
    /// # Panics
    /// When the client can't be made.
    #[must_use]
    pub fn over(origin: &str, builder: reqwest::ClientBuilder) -> Self {
        let http = builder.build().expect("an HTTP client");
        Self { http, origin: origin.to_owned(), token: None, password: None, contract: contract() }
    }

    /// The common configuration of all clients.
    pub fn builder() -> reqwest::ClientBuilder {
        static PROVIDER: OnceLock<()> = OnceLock::new();
        PROVIDER.get_or_init(|| {
            // Another part of the test may have been first.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let redirects = reqwest::redirect::Policy::none();
        reqwest::Client::builder().no_proxy().redirect(redirects).timeout(Duration::from_secs(60))
    }

    /// A client with this token, whose owner's password is unknown.
    #[must_use]
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), password: None, ..self.clone() }
    }

    /// The token in use.
    #[must_use]
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    /// Signs in.
    ///
    /// # Panics
    /// When that is refused.
    pub async fn sign_in(&self, username: &str, password: &str) -> Self {
        let answer = self.post("/api/auth", json!({ "username": username, "password": password })).await;
        let body = answer.expect(200);
        let password = Some(password.to_owned());
        Self { password, ..self.with_token(body["jwt"].as_str().expect("a token")) }
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// POST with JSON.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.change(Method::POST, path, &body).await
    }

    /// PUT with JSON.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.change(Method::PUT, path, &body).await
    }

    async fn change(&self, method: Method, path: &str, body: &Value) -> Answer {
        let answer = self.send(self.request(method.clone(), path).json(body)).await;
        let Some(password) = self.password.as_ref().filter(|_| answer.wants_password()) else { return answer };
        let again = json!({ "password": password });
        self.send(self.request(Method::POST, "/api/auth/confirm").json(&again)).await.is(204);
        self.send(self.request(method, path).json(body)).await
    }

    /// POST without a body.
    pub async fn act(&self, path: &str) -> Answer {
        self.send(self.request(Method::POST, path)).await
    }

    /// Uploads a file to the disk, replacing an existing one.
    pub async fn upload(&self, path: &str, content: impl Into<reqwest::Body>) -> Answer {
        let path = format!("/disk/api/resources{path}?override=true");
        self.send(self.request(Method::POST, &path).body(content)).await
    }

    /// Gets a file from the disk.
    pub async fn download(&self, path: &str) -> Answer {
        self.get(&format!("/disk/api/raw{path}")).await
    }

    /// Gets a ticket for one request.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn ticket(&self, method: &str, path: &str) -> String {
        let body = self.post("/api/tickets", json!({ "path": path, "method": method })).await.expect(200);
        body["ticket"].as_str().expect("a ticket").to_owned()
    }

    /// A new access token with these scopes, good for 30 days, and its id.
    ///
    /// # Panics
    /// When none is given.
    pub async fn access_token(&self, scopes: &[&str]) -> (String, String) {
        let expires = SystemClock.now().plus(Duration::from_secs(30 * 24 * 60 * 60));
        let form = json!({ "name": scopes.join(" "), "scopes": scopes, "expires": expires });
        let made = self.post("/api/profile/access-tokens", form).await.expect(201);
        let text = |name: &str| made[name].as_str().expect("a token and its id").to_owned();
        (text("token"), text("id"))
    }

    /// A request that is to be finished by the caller.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.origin));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request.
    ///
    /// # Panics
    /// When there is no response, or one that violates the document.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        self.try_send(request).await.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Sends a request to a server that may be stopping.
    ///
    /// # Errors
    /// Without a complete response.
    ///
    /// # Panics
    /// When the response violates the document.
    pub async fn try_send(&self, request: RequestBuilder) -> reqwest::Result<Answer> {
        let request = request.build()?;
        let (method, path) = (request.method().to_string(), request.url().path().to_owned());
        let response = self.http.execute(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let answer = Answer { status, headers, body: response.bytes().await? };
        let is_json = answer.header("content-type").starts_with("application/json");
        let json = is_json.then(|| answer.json());
        self.contract.check(&method, &path, answer.status.as_u16(), json.as_ref());
        Ok(answer)
    }
}

fn contract() -> Arc<Contract> {
    static CONTRACT: OnceLock<Arc<Contract>> = OnceLock::new();
    let read = || {
        let text = std::fs::read(root().join("openapi/portal.json")).expect("the API document is committed");
        let document: OpenApi = serde_json::from_slice(&text).expect("the API document can be read");
        Arc::new(Contract::new(&document))
    };
    Arc::clone(CONTRACT.get_or_init(read))
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn digest(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Percent-encodes the value of a query parameter.
#[must_use]
pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
