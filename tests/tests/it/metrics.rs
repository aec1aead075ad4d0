//! Metrics are only served on their own listener.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tests::{Client, Server, Setup, until};

use crate::backup_schedule::ended;
use crate::portals::beside;

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn with_metrics(setup: Setup) -> Setup {
    setup.with("YUNLAB_METRICS_LISTEN", "127.0.0.1:0").with("YUNLAB_LOG_FORMAT", "json")
}

/// A client that reads the metrics.
pub(crate) fn reader(server: &Server) -> Client {
    let lines = server.log();
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let address = lines.filter_map(|line| line["metrics.address"].as_str().map(str::to_owned)).next();
    Client::over(&format!("http://{}", address.expect("the log says where")), Client::builder())
}

#[tokio::test]
async fn metrics_are_on_a_listener_of_their_own() {
    let server = Server::start(with_metrics(Setup::new())).await;
    let metrics = reader(&server);

    let admin = server.admin().await;
    admin.get("/api/users/1").await.is(200);
    admin.get("/api/users/999").await.is(404);
    admin.get("/disk/api/resources/home").await.is(200);
    admin.get("/disk/api/raw/share?algo=tar").await.is(200);
    let made_up = Method::from_bytes(b"MADE-UP").expect("a token");
    admin.send(admin.request(made_up, "/disk/api/resources/home")).await.is(405);
    let answer = metrics.get("/metrics").await;
    answer.is(200);
    assert!(answer.header("content-type").starts_with("text/plain"), "{answer:?}");
    let text = answer.text();
    let counted = |method: &str, route: &str, status: &str| {
        let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
        text.lines().any(|line| line == format!("http_requests_total{{{labels}}} 1"))
    };
    assert!(counted("GET", "/api/users/{id}", "200") && counted("GET", "/api/users/{id}", "404"), "{text}");
    assert!(counted("GET", "/disk/api/resources/{*path}", "200"), "{text}");
    // Answered past the router.
    assert!(counted("GET", "/disk/api/raw/{*path}", "200"), "{text}");
    assert!(!text.contains("MADE-UP"), "whoever makes up verbs would fill the memory: {text}");
    assert!(text.contains("http_request_duration_seconds_bucket"), "{text}");
    assert!(!text.contains("users/999"), "paths are without number and no labels: {text}");

    let public = admin.get("/metrics").await;
    assert!(!public.text().contains("http_requests_total"), "metrics for everybody");
    metrics.get("/login").await.is(404);
    metrics.get("/").await.is(404);
}

/// Global metrics are exported once, by the leading portal.
#[tokio::test]
async fn only_the_leader_tells_of_the_lab_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let first = Server::start(with_metrics(setup)).await;
    let second = Server::start(with_metrics(beside(&first))).await;
    let admin = first.admin().await;
    admin.act("/api/backups").await.is(202);
    assert_eq!(ended(&admin).await["outcome"], "good");
    let backup = "\nyunlab_backup_last_success_timestamp_seconds{kind=\"database\"} ";
    let text = until("the leader's figures", PATIENCE, async || {
        let text = reader(&first).get("/metrics").await.text();
        (text.contains("\nyunlab_servers{state=\"online\"} 0\n") && text.contains(backup)).then_some(text)
    })
    .await;
    assert!(!text.contains("yunlab_backup_last_success_timestamp_seconds{kind=\"files\"}"), "{text}");
    for family in ["yunlab_instances{", "yunlab_jobs{", "yunlab_alerts_firing{", "yunlab_disk_size_bytes{"] {
        assert!(text.contains(&format!("\n{family}")), "{family}: {text}");
    }
    assert!(text.contains("\nyunlab_database_size_bytes "), "{text}");
    let other = reader(&second).get("/metrics").await.text();
    assert!(other.contains("\nyunlab_database_up 1\n") && !other.contains("yunlab_servers{"), "{other}");
    assert!(!other.contains("yunlab_backup_last_success"), "{other}");
}

#[tokio::test]
async fn without_a_listener_there_are_none() {
    let server = Server::start(Setup::new()).await;
    assert!(!server.log().contains("metrics"), "{}", server.log());
    assert!(!server.admin().await.get("/metrics").await.text().contains("http_requests_total"));
}
