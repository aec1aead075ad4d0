//! A server that is being drained: nothing starts there, owners are notified in time, and at the set time everything is
//! stopped.

use std::time::Duration;

use kernel::Clock;
use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

/// 18:00 of the lab's time is 10:00 UTC, when every test begins.
const AT: &str = "2026-11-20T13:00:00Z";

fn drain_of(lab: &Lab) -> String {
    format!("/api/servers/{}/drain", lab.server)
}

fn later(lab: &Lab, minutes: u64) {
    lab.portal.clock.advance(Duration::from_secs(60 * minutes));
}

/// Titles and texts of a person's notices, the latest first.
async fn told(who: &Client) -> Vec<(String, String)> {
    let list = who.get("/api/notices").await.expect(200);
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let items = list["items"].as_array().unwrap().iter();
    items.filter(|one| one["kind"] == "server_draining").map(|one| (word(one, "title"), word(one, "words"))).collect()
}

#[tokio::test]
async fn people_are_told_twice_and_at_the_moment_all_is_stopped() {
    let lab = Lab::new(2).await;
    let (ann, bob, admin) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await, lab.portal.admin());
    let (one, stopped) = (lab.running(&ann, 1).await, lab.running(&ann, 1).await);
    ann.post(&path(&stopped["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let server = admin.post(&drain_of(&lab), json!({ "at": AT, "note": "换电源" })).await.expect(200);
    assert_eq!(
        (&server["drain"]["at"], &server["drain"]["note"]),
        (&json!("2026-11-20T13:00:00.000Z"), &json!("换电源"))
    );
    let seen = ann.get(&format!("/api/servers/{}", lab.server)).await.expect(200);
    assert_eq!(seen["drain"], server["drain"], "everybody sees it");
    let name = one["name"].as_str().unwrap();
    let notice = (
        "服务器 gpu01 将于 11-20 21:00 停机维护：换电源".to_owned(),
        format!(
            "到时实例 {name} 会自动停止，容器里的文件和网盘文件都保留。请提前保存进度；现在起不能在这台服务器上启动实例"
        ),
    );
    assert_eq!(told(&ann).await, std::slice::from_ref(&notice));
    assert!(told(&bob).await.is_empty(), "nothing of theirs runs there");

    let words = bob.post("/api/instances", lab.form(1)).await.refused(409, "server_draining");
    assert_eq!(words, "服务器 gpu01 将于 11-20 21:00 停机维护：换电源，不能在上面启动实例");
    let _ = ann.post(&path(&stopped["id"], "/start"), json!({})).await.refused(409, "server_draining");

    later(&lab, 119);
    lab.look().await;
    assert_eq!(told(&ann).await.len(), 1);
    later(&lab, 1);
    for _ in 0..2 {
        lab.look().await;
    }
    assert_eq!(told(&ann).await, [notice.clone(), notice], "once more, an hour before");
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    later(&lab, 60);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["stateReason"]), (&json!("stopped"), &json!("服务器停机维护，自动停止")));
    let _ = bob.post("/api/instances", lab.form(1)).await.refused(409, "server_draining");

    let lifted = admin.delete(&drain_of(&lab)).await.expect(200);
    assert_eq!(lifted["drain"], Value::Null);
    let _ = admin.delete(&drain_of(&lab)).await.refused(409, "server_not_draining");
    lab.running(&bob, 1).await;
    let log = admin.get("/api/logs/operate?action=server.drain").await.expect(200);
    assert!(log["items"].as_array().unwrap().iter().any(|row| row["detail"] == "将于 11-20 21:00 停机维护：换电源"));
}

#[tokio::test]
async fn what_was_called_off_is_told_and_nothing_stops() {
    let lab = Lab::new(1).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let one = lab.running(&ann, 1).await;
    admin.post(&drain_of(&lab), json!({ "at": "2026-11-20T10:30:00Z" })).await.is(200);
    later(&lab, 20);
    lab.look().await;
    assert_eq!(told(&ann).await.len(), 1, "less than an hour before one notice is enough");
    admin.delete(&drain_of(&lab)).await.is(200);
    assert_eq!(told(&ann).await[0].0, "服务器 gpu01 在 11-20 18:30 的停机维护已取消");
    later(&lab, 20);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn nothing_comes_back_on_a_server_that_is_being_emptied() {
    let lab = Lab::new(1).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let one = lab.running(&ann, 1).await;
    admin.post(&drain_of(&lab), json!({ "at": AT })).await.is(200);
    lab.cluster.restart(lab.portal.clock.now(), 143);
    for _ in 0..2 {
        lab.look().await;
    }
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!(seen["state"], "stopped");
    assert!(seen["stateReason"].as_str().unwrap().ends_with("没有自动启动：服务器正在停机维护"), "{seen:#}");
}

#[tokio::test]
async fn a_drain_lies_ahead_and_is_an_administrators() {
    let lab = Lab::new(0).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    ann.post(&drain_of(&lab), json!({ "at": AT })).await.is(403);
    for form in [
        json!({ "at": "2026-11-20T10:00:00Z" }),
        json!({ "at": "2028-11-20T10:00:00Z" }),
        json!({ "at": AT, "note": "a\nb" }),
    ] {
        let _ = admin.post(&drain_of(&lab), form).await.refused(422, "invalid");
    }
    admin.post("/api/servers/none/drain", json!({ "at": AT })).await.is(404);
}
