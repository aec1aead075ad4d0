//! While the database server does not answer, requests fail at once instead of waiting for it (A12).

use std::time::{Duration, Instant};

use serde_json::json;
use tests::{ADMIN_PASSWORD, Client, Postgres, Server, Setup, until};
use tokio::join;

/// The patience of load balancers and people.
const AT_ONCE: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(60);

/// Asserts that requests are refused because the database is unreachable.
async fn refused(server: &Server, admin: &Client) {
    let stranger = server.anonymous();
    let began = Instant::now();
    let (health, disk, sign_in, people, write) = join!(
        stranger.get("/health"),
        stranger.get("/disk/health"),
        stranger.post("/api/auth", json!({ "username": "admin", "password": ADMIN_PASSWORD })),
        admin.get("/api/users"),
        admin.post("/api/users", json!({ "username": "wang", "password": ADMIN_PASSWORD })),
    );
    for answer in [health, disk, sign_in, people, write] {
        answer.is(503);
    }
    let took = began.elapsed();
    assert!(took < AT_ONCE, "it took {took:?}");
    let answer = admin.get("/api/users").await;
    assert_eq!(answer.header("retry-after"), "2");
    assert_eq!(answer.expect(503)["code"], "database_away");
}

async fn comes_back(server: &Server, admin: &Client) {
    let healthy = async || (server.anonymous().get("/health").await.status == 200).then_some(());
    until("the portal to answer again", PATIENCE, healthy).await;
    admin.get("/api/users").await.is(200);
    admin.get("/disk/api/resources/home").await.is(200);
}

#[tokio::test]
async fn without_its_database_everything_is_refused_within_a_second() {
    let Some(postgres) = Postgres::start() else { return };
    let server = Server::start(Setup::new().with("YUNLAB_DATABASE_URL", &postgres.url())).await;
    let admin = server.admin().await;
    comes_back(&server, &admin).await;

    postgres.stop();
    // The first requests find connections that were open, later ones know that the server is unreachable.
    refused(&server, &admin).await;
    refused(&server, &admin).await;
    postgres.start_again();
    comes_back(&server, &admin).await;

    // Connections that are open and silent, as after a cable was pulled.
    postgres.freeze();
    refused(&server, &admin).await;
    refused(&server, &admin).await;
    postgres.thaw();
    comes_back(&server, &admin).await;

    // A refused request was not carried out halfway.
    let people = admin.get("/api/users").await.expect(200);
    assert!(people["total"].as_i64().is_some_and(|total| total <= 2), "{people}");
}
