//! The portal's public keys, kept for a while.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use kernel::Timestamp;
use kernel::token::{Jwks, TokenError, Verified, Verifier};
use moka::future::Cache;
use reqwest::Client;

/// A key that the portal no longer publishes counts for no longer than this.
const KEPT_FOR: Duration = Duration::from_secs(60);
/// Minimum interval between fetches that tokens with unknown keys cause.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// The portal's keys, cached for a while.
pub(super) struct Keys {
    http: Client,
    url: String,
    known: Cache<(), (Arc<Verifier>, Instant)>,
}

impl Keys {
    pub(super) fn new(http: Client, portal: &str) -> Self {
        let url = format!("{portal}/.well-known/jwks.json");
        Self { http, url, known: Cache::builder().time_to_live(KEPT_FOR).build() }
    }

    /// Verifies a token; the outer error means that the keys are unavailable.
    pub(super) async fn verify(&self, token: &str, now: Timestamp) -> anyhow::Result<Result<Verified, TokenError>> {
        let (keys, asked) = self.get().await?;
        let verified = keys.verify(token, now);
        // Signed perhaps by a key that is new.
        if verified == Err(TokenError::Rejected) && asked.elapsed() > ASKED_AGAIN_AFTER {
            self.known.invalidate(&()).await;
            return Ok(self.get().await?.0.verify(token, now));
        }
        Ok(verified)
    }

    async fn get(&self) -> anyhow::Result<(Arc<Verifier>, Instant)> {
        let known = self.known.try_get_with((), self.fetch()).await;
        known.map_err(|error: Arc<anyhow::Error>| anyhow::anyhow!("{error:#}"))
    }

    async fn fetch(&self) -> anyhow::Result<(Arc<Verifier>, Instant)> {
        let asked = Instant::now();
        let answer = self.http.get(&self.url).send().await.and_then(reqwest::Response::error_for_status);
        let jwks: Jwks = answer.context("asking the portal for its keys")?.json().await.context("the portal's keys")?;
        Ok((Arc::new(Verifier::new(&jwks)), asked))
    }
}
