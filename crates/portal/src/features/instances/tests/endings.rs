//! Notices before instances end by themselves.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Two portals look, at once and once more; returns the notices of a kind to a user.
async fn told(lab: &Lab, other: &portal::Portal, who: &Client, kind: &str) -> Vec<Value> {
    let own = &lab.portal.portal;
    let (one, two) = tokio::join!(own.keep_times(), other.keep_times());
    one.and(two).unwrap();
    own.keep_times().await.unwrap();
    let list = who.get("/api/notices?size=100").await.expect(200);
    list["items"].as_array().unwrap().iter().filter(|item| item["kind"] == kind).cloned().collect()
}

#[tokio::test]
async fn a_stop_is_told_half_an_hour_before_once_and_again_for_another_time() {
    let lab = Lab::new(0).await;
    let (other, _folder) = lab.portal.beside().await;
    let ann = lab.portal.as_user("ann").await;
    let mut form = lab.form(0);
    form["stopAt"] = json!("2026-11-20T12:00:00Z");
    let made = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    lab.portal.clock.advance(89 * MINUTE);
    assert!(told(&lab, &other, &ann, "instance_stopping").await.is_empty());
    lab.portal.clock.advance(MINUTE);
    let first = told(&lab, &other, &ann, "instance_stopping").await;
    assert_eq!(first.len(), 1, "{first:#?}");
    let name = made["name"].as_str().unwrap();
    assert_eq!(first[0]["title"], format!("实例 {name} 将于北京时间 2026-11-20 20:00 停止"));
    let link = format!("/servers/instance_detail/{}", made["id"].as_str().unwrap());
    assert_eq!((&first[0]["object"], &first[0]["link"]), (&json!("instance"), &json!(link)));
    assert!(first[0]["words"].as_str().unwrap().contains("延长停止时间"));

    ann.post(&path(&made["id"], "/extend"), json!({ "stopAt": "2026-11-20T14:00:00Z" })).await.is(200);
    lab.portal.clock.advance(HOUR);
    assert_eq!(told(&lab, &other, &ann, "instance_stopping").await.len(), 1);
    lab.portal.clock.advance(HOUR);
    assert_eq!(told(&lab, &other, &ann, "instance_stopping").await.len(), 2, "the new end is told, too");
    // An end that was taken back has no notice, and other users receive none.
    ann.post(&path(&made["id"], "/extend"), json!({ "stopAt": null })).await.is(200);
    lab.portal.clock.advance(HOUR);
    assert_eq!(told(&lab, &other, &ann, "instance_stopping").await.len(), 2);
    assert_eq!(lab.get(&ann, &made["id"]).await["state"], "running");
    assert_eq!(lab.portal.admin().get("/api/notices").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn a_release_is_told_three_days_and_one_day_before() {
    let lab = Lab::new(0).await;
    let (other, _folder) = lab.portal.beside().await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    // It is kept for thirty days.
    let pass = async |time: Duration| {
        lab.portal.clock.advance(time);
        let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
        let notices = told(&lab, &other, &ann, "instance_releasing").await;
        (notices.len(), notices, ann)
    };
    assert_eq!(pass(26 * DAY).await.0, 0);
    assert_eq!(pass(DAY + HOUR).await.0, 1);
    assert_eq!(pass(DAY).await.0, 1);
    let (many, notices, ann) = pass(DAY).await;
    let words = notices[0]["words"].as_str().unwrap();
    assert!(many == 2 && words.contains("容器里的改动随之删除") && words.contains("另存为镜像"), "{words}");
    ann.post(&path(&one["id"], "/extend"), json!({ "stopAt": null })).await.is(200);
    assert_eq!(pass(26 * DAY).await.0, 2, "kept for the full time again");
    let (many, _, ann) = pass(DAY + HOUR).await;
    assert_eq!(many, 3);
    // After two days without a run, the notice of one day before is sent, and the earlier one is skipped.
    ann.post(&path(&one["id"], "/extend"), json!({ "stopAt": null })).await.is(200);
    assert_eq!(pass(29 * DAY + HOUR).await.0, 4);
    let (many, _, ann) = pass(DAY).await;
    lab.look().await;
    assert_eq!((many, &lab.get(&ann, &one["id"]).await["state"]), (4, &json!("released")));
}
