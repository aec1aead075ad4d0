//! `/metrics` for Prometheus, on a listener of its own so that it is not open to everybody who
//! may reach the pages.

use std::net::SocketAddr;

use anyhow::Context;
use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusBuilder;

/// Answer times in seconds.
const BUCKETS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Serves until the process ends.
pub(crate) async fn serve(address: SocketAddr) -> anyhow::Result<()> {
    let builder = PrometheusBuilder::new().set_buckets(BUCKETS).context("metrics buckets")?;
    let handle = builder.install_recorder().context("starting metrics")?;
    let listener =
        tokio::net::TcpListener::bind(address).await.with_context(|| format!("监听 {address}（metrics）"))?;
    tracing::info!(metrics.address = %listener.local_addr()?, "metrics listening");
    let router = Router::new().route("/metrics", get(move || std::future::ready(handle.render())));
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(error = %error, "metrics listener ended");
        }
    });
    Ok(())
}
