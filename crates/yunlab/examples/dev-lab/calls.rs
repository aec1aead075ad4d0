//! Calls to the portal and the disk, as pages and scripts make them.

use std::time::Duration;

use anyhow::{Context, ensure};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{interval, timeout};

/// The time between two polls.
const ASKS_EVERY: Duration = Duration::from_millis(100);
/// The timeout of a poll; a slow machine takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn client() -> anyhow::Result<Client> {
    // The portal in this process does the same; only the first counts.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(Client::builder().no_proxy().timeout(Duration::from_secs(60)).build()?)
}

/// Waits until something at this address answers well.
pub(crate) async fn answers(address: &str, limit: Duration) -> anyhow::Result<()> {
    let client = client()?;
    let well = async {
        let mut asks = interval(ASKS_EVERY);
        loop {
            asks.tick().await;
            if client.get(address).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
        }
    };
    timeout(limit, well).await.with_context(|| format!("{address} 没有应答"))
}

/// A signed-in client.
pub(crate) struct Caller {
    client: Client,
    origin: String,
    token: String,
}

impl Caller {
    pub(crate) async fn sign_in(origin: &str, username: &str, password: &str) -> anyhow::Result<Self> {
        let mut caller = Self { client: client()?, origin: origin.to_owned(), token: String::new() };
        let answer = caller.post("/api/auth", json!({ "username": username, "password": password })).await?;
        answer["jwt"].as_str().context("没有令牌")?.clone_into(&mut caller.token);
        Ok(caller)
    }

    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.send(self.request(Method::POST, path).json(&body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> anyhow::Result<Value> {
        self.send(self.request(Method::PUT, path).json(&body)).await
    }

    /// A request without a body.
    pub(crate) async fn act(&self, path: &str) -> anyhow::Result<()> {
        self.send(self.request(Method::POST, path)).await.map(|_| ())
    }

    pub(crate) async fn upload(&self, path: &str, content: Vec<u8>) -> anyhow::Result<()> {
        let request = self.request(Method::POST, &format!("/disk/api/resources{path}?override=false")).body(content);
        self.send(request).await.map(|_| ())
    }

    pub(crate) async fn make_folder(&self, path: &str) -> anyhow::Result<()> {
        self.act(&format!("/disk/api/resources{path}/")).await
    }

    /// Into the trash.
    pub(crate) async fn delete_file(&self, path: &str) -> anyhow::Result<()> {
        self.send(self.request(Method::DELETE, &format!("/disk/api/resources{path}"))).await.map(|_| ())
    }

    /// Polls until the condition holds.
    pub(crate) async fn until(&self, path: &str, is: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        let asked = async {
            let mut asks = interval(ASKS_EVERY);
            loop {
                asks.tick().await;
                let answer = self.get(path).await?;
                if is(&answer) {
                    return Ok(answer);
                }
            }
        };
        timeout(PATIENCE, asked).await.with_context(|| format!("等了 {} 秒：{path}", PATIENCE.as_secs()))?
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.origin));
        if self.token.is_empty() { request } else { request.bearer_auth(&self.token) }
    }

    async fn send(&self, request: RequestBuilder) -> anyhow::Result<Value> {
        let answer = request.send().await?;
        let (status, address) = (answer.status(), answer.url().path().to_owned());
        let text = answer.text().await?;
        ensure!(status.is_success(), "{address}：{status} {text}");
        // Some calls answer nothing, and the disk's some words.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }
}

/// The id of a created object.
pub(crate) fn id(made: &Value) -> anyhow::Result<&str> {
    made["id"].as_str().with_context(|| format!("没有编号：{made}"))
}
