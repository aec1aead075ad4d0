//! `/metrics` for Prometheus, on a listener of its own so that it is not public together with the pages.

use std::net::SocketAddr;

use anyhow::Context;
use axum::Router;
use axum::routing::get;
use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::PrometheusBuilder;
use portal::Portal;

/// Answer times in seconds.
const BUCKETS: &[f64] = &[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// Serves until the process ends.
pub(crate) async fn serve(address: SocketAddr, portal: Option<Portal>) -> anyhow::Result<()> {
    let builder = PrometheusBuilder::new().set_buckets(BUCKETS).context("metrics buckets")?;
    let handle = builder.install_recorder().context("starting metrics")?;
    describe();
    let listener =
        tokio::net::TcpListener::bind(address).await.with_context(|| format!("监听 {address}（metrics）"))?;
    tracing::info!(metrics.address = %listener.local_addr()?, "metrics listening");
    let render = move || {
        let (mut text, portal) = (handle.render(), portal.clone());
        async move {
            if let Some(portal) = portal {
                text.push_str(&portal.lab_metrics().await);
            }
            text
        }
    };
    let router = Router::new().route("/metrics", get(render));
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(error = %error, "metrics listener ended");
        }
    });
    Ok(())
}

/// Metrics that this process counts itself, wherever they occur.
fn describe() {
    describe_counter!("http_requests_total", "Requests that were answered.");
    describe_histogram!("http_request_duration_seconds", "Time to the head of an answer.");
    describe_counter!("http_accept_failures_total", "Connections that could not be taken.");
    describe_counter!("http_connections_refused_total", "Connections that were one too many.");
    describe_counter!("yunlab_duty_runs_total", "Runs of background duties, by outcome.");
    describe_histogram!("yunlab_duty_seconds", "How long runs of background duties took.");
    describe_gauge!("yunlab_duty_last_success_timestamp_seconds", "When a background duty last succeeded.");
    describe_gauge!("yunlab_clock_trusted", "Whether the wall clock of this machine is trusted.");
    describe_gauge!("yunlab_looks_after_servers", "Whether this portal leads.");
}
