//! Pages of other origins.

use http::Method;

use super::harness::{Answer, TestDisk};

const PORTAL: &str = "https://lab.example";

async fn with_portal() -> TestDisk {
    let disk = TestDisk::with(|config| config.origins = vec![PORTAL.to_owned()]).await;
    disk.seed("home/ann/a", "text");
    disk
}

async fn preflight(disk: &TestDisk, origin: &str, path: &str, method: &str) -> Answer {
    let asking = disk.anonymous().header("origin", origin).header("access-control-request-method", method);
    asking.header("access-control-request-headers", "upload-offset").send(Method::OPTIONS, path, "").await
}

#[tokio::test]
async fn the_portals_pages_may_ask_before_every_call() {
    let disk = with_portal().await;
    let share = "/api/public/share/AAAAAAAAAAAAAAAAAAAAAA";
    for path in
        ["/api/resources/home/a", "/api/tus/home/b", "/api/raw/home/a", "/api/search/", share, "/health", "/nowhere"]
    {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] {
            let answer = preflight(&disk, PORTAL, path, method).await.expect(204);
            assert_eq!(answer.header("access-control-allow-origin"), PORTAL);
            assert!(answer.header("access-control-allow-methods").contains(method));
            let allowed = answer.header("access-control-allow-headers").to_lowercase();
            for name in ["authorization", "x-auth", "content-type", "range", "if-match", "x-modified", "tus-resumable"]
            {
                assert!(allowed.contains(name), "{name}");
            }
            for name in ["upload-length", "upload-offset", "upload-metadata", "upload-checksum", "x-share-password"] {
                assert!(allowed.contains(name), "{name}");
            }
            assert_eq!((answer.header("access-control-max-age"), answer.header("vary")), ("7200", "Origin"));
            assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        }
    }
}

#[tokio::test]
async fn the_portals_pages_may_read_answers_and_refusals() {
    let disk = with_portal().await;
    for (path, status) in [("/api/resources/home/a", 200), ("/api/raw/home/a", 200), ("/api/resources/home/b", 404)] {
        let answer = disk.ann().header("origin", PORTAL).get(path).await.expect(status);
        assert_eq!(answer.header("access-control-allow-origin"), PORTAL);
        let exposed = answer.header("access-control-expose-headers").to_lowercase();
        let read = ["etag", "location", "content-disposition", "content-range", "upload-offset", "x-renew-token"];
        for name in read.into_iter().chain(["disk-reason"]) {
            assert!(exposed.contains(name), "{name}");
        }
    }
    let refused = disk.anonymous().header("origin", PORTAL).get("/api/resources/home/a").await.expect(401);
    assert_eq!(refused.header("access-control-allow-origin"), PORTAL);
}

#[tokio::test]
async fn s036_visitors_of_shares_read_them_from_the_portals_pages() {
    let disk = with_portal().await;
    let body = r#"{"expires":90,"unit":"seconds","password":"secret1"}"#;
    let link = disk.ann().post("/api/share/home/a", body).await.expect(200).json();
    let path = format!("/api/public/share/{}", link["hash"].as_str().unwrap());
    let visitor = || disk.anonymous().header("origin", PORTAL);
    let refused = visitor().get(&path).await.expect(401);
    assert_eq!(refused.header("access-control-allow-origin"), PORTAL);
    let seen = visitor().header("x-share-password", "secret1").get(&path).await.expect(200);
    assert_eq!(seen.header("access-control-allow-origin"), PORTAL);
    let exposed = seen.header("access-control-expose-headers").to_lowercase();
    assert!(exposed.contains("sunset") && exposed.contains("retry-after"), "{exposed}");
    let content =
        format!("/api/public/dl/{}?token={}", link["hash"].as_str().unwrap(), seen.json()["token"].as_str().unwrap());
    assert_eq!(visitor().get(&content).await.expect(200).header("access-control-allow-origin"), PORTAL);
}

#[tokio::test]
async fn nobody_elses_pages_may() {
    let disk = with_portal().await;
    let others = [
        "https://lab.example.evil.example",
        "https://evil.example",
        "http://lab.example",
        "https://lab.example:8443",
        "https://LAB.example",
        "null",
        "*",
        "",
    ];
    for origin in others {
        let answer = preflight(&disk, origin, "/api/resources/home/a", "PUT").await;
        assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control-")), "{origin}");
        let answer = disk.ann().header("origin", origin).get("/api/resources/home/a").await.expect(200);
        assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control-")), "{origin}");
        assert_eq!(answer.header("vary"), "Origin");
    }
    let plain = TestDisk::new().await;
    let answer = preflight(&plain, PORTAL, "/api/resources/home/a", "PUT").await;
    assert!(!answer.headers.contains_key("access-control-allow-origin"));
}
