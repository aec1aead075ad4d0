//! `yunlab healthcheck`: exits 0 when the server on this machine can serve.

use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::config::Config;

/// Between two tries when waiting.
const TRY_EVERY: Duration = Duration::from_millis(20);

/// What may be asked for.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// 最多等待多少秒，直到服务可用（默认：不等待）
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "SECONDS")]
    wait: u64,
}

/// Polls until it is healthy or the time is over.
pub(crate) async fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    until_healthy(&config.origin(), Duration::from_secs(options.wait)).await
}

/// Polls a server on this machine until it is healthy or `limit` is over.
pub(crate) async fn until_healthy(origin: &str, limit: Duration) -> anyhow::Result<()> {
    let url = format!("{origin}/health");
    // Whether the certificate is good is the browsers' question; here only whether we answer.
    let client = reqwest::Client::builder()
        .tls_danger_accept_invalid_certs(true)
        .timeout(Duration::from_secs(5))
        .no_proxy()
        .build()
        .context("making an HTTP client")?;
    let end = Instant::now() + limit;
    let mut tick = interval(TRY_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let outcome = client.get(&url).send().await.and_then(reqwest::Response::error_for_status);
        match outcome {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() >= end => bail!("{url} 不可用：{error}"),
            Err(_) => {}
        }
    }
}
