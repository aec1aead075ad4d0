//! Announcements through the router.

use std::time::Duration;

use serde_json::json;
use testkit::TestPortal;

const PATH: &str = "/api/announcements";

#[tokio::test]
async fn administrators_announce_and_everybody_reads_until_it_is_over() {
    let portal = TestPortal::new().await;
    let (admin, ann) = (portal.admin(), portal.as_user("ann").await);
    let made = admin
        .post(PATH, json!({ "title": " 周五维护 ", "content": "18:00 起", "until": "2026-11-20T11:00:00Z" }))
        .await;
    let one = made.expect(201);
    let path = format!("{PATH}/{}", one["id"].as_str().unwrap());
    assert_eq!(
        (made.header("location"), &one["title"], &one["author"]),
        (path.clone(), &json!("周五维护"), &json!("admin"))
    );
    portal.clock.advance(Duration::from_secs(60));
    admin.post(PATH, json!({ "title": "新镜像" })).await.is(201);
    admin.put(&path, json!({ "title": "周五维护", "important": true, "until": "2026-11-20T11:00:00Z" })).await.is(200);
    let list = ann.get(PATH).await.expect(200);
    let titles: Vec<_> = list["items"].as_array().unwrap().iter().map(|item| item["title"].clone()).collect();
    assert_eq!(titles, ["周五维护", "新镜像"]);
    portal.clock.advance(Duration::from_secs(3600));
    assert_eq!(ann.get(&format!("{PATH}?over=true")).await.expect(200)["total"], 1);
    assert_eq!(admin.get(PATH).await.expect(200)["total"], 1);
    assert_eq!(admin.get(&format!("{PATH}?over=true")).await.expect(200)["total"], 2);
    admin.delete(&path).await.is(204);
    admin.delete(&path).await.is(404);
    admin.put(&path, json!({ "title": "x" })).await.is(404);
    admin.post(PATH, json!({ "title": "x", "until": "2020-01-01T00:00:00Z" })).await.faults(&["until"]);
    admin.post(PATH, json!({ "title": "", "content": "\u{202e}" })).await.faults(&["title", "content"]);
    let log = admin.get("/api/logs/operate?q=%E7%BB%B4%E6%8A%A4").await.expect(200);
    assert_eq!(log["total"], 3);
}
