//! What visitors of links see of them, and what owners see of their visitors.

use std::time::Duration;

use disk_core::rules::Rule;
use serde_json::json;

use super::harness::TestDisk;
use super::shares::share;

#[tokio::test]
async fn views_and_the_last_visit_are_counted() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a.txt", "abc");
    let link = share(&disk, "/home/d").await;
    let seen = async || disk.ann().get("/api/share/home/d").await.expect(200).json()[0].clone();
    let before = seen().await;
    assert_eq!((&before["views"], before.get("lastVisit")), (&json!(0), None));
    disk.clock.advance(Duration::from_secs(60));
    // One visitor who walks about.
    for path in ["", "/", "/a.txt", "?limit=0"] {
        disk.anonymous().get(&format!("/api/public/share/{link}{path}")).await.expect(200);
    }
    let after = seen().await;
    assert_eq!((&after["views"], &after["downloads"]), (&json!(1), &json!(0)));
    assert_eq!(after["lastVisit"], "2027-01-15T08:01:00.000Z");
    // What is refused is no visit.
    disk.clock.advance(Duration::from_secs(60));
    disk.anonymous().get(&format!("/api/public/share/{link}/none")).await.expect(404);
    assert_eq!(seen().await["lastVisit"], after["lastVisit"]);
    disk.anonymous().get(&format!("/api/public/dl/{link}/a.txt")).await.expect(200);
    let fetched = seen().await;
    assert_eq!((&fetched["views"], &fetched["downloads"]), (&json!(1), &json!(1)));
    assert_ne!(fetched["lastVisit"], after["lastVisit"]);
}

#[tokio::test]
async fn visitors_see_whose_share_it_is_and_how_much() {
    let denied = Rule { path: "/home/d/secret".into(), ..Rule::default() };
    let disk = TestDisk::with(|config| config.settings.defaults.rules = vec![denied]).await;
    disk.seed("home/ann/d/a", "12345");
    disk.seed("home/ann/d/inner/b", "123");
    disk.seed("home/ann/d/secret/c", "not counted");
    let link = share(&disk, "/home/d").await;
    let look =
        async |path: &str| disk.anonymous().get(&format!("/api/public/share/{link}{path}")).await.expect(200).json();
    // Without a name that people gave, the one of the account.
    assert_eq!(look("").await["sharing"], json!({ "by": "ann" }));
    disk.portal.set(2, |ann| "安然".clone_into(&mut ann.name));
    assert_eq!(look("/inner").await["sharing"], json!({ "by": "安然" }));
    assert!(look("").await.get("total").is_none());
    assert_eq!(look("?limit=0&size=true").await["total"], json!({ "bytes": 8, "files": 2, "folders": 1 }));
    assert_eq!(look("/inner?size=true").await["total"], json!({ "bytes": 3, "files": 1, "folders": 0 }));
    assert!(look("/a?size=true").await.get("total").is_none());
}
