//! Instances' use, measured and condensed.

use std::time::Duration;

use engine::Usage;
use kernel::Clock;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

impl Lab {
    /// Sets the engine's figures of a container, and has the portal measure.
    async fn measure(&self, name: &Value, cpu_seconds: u64, received: u64) {
        let at = self.portal.clock.now();
        let used = Usage {
            at,
            cpu_nanos: cpu_seconds * 1_000_000_000,
            memory: 1 << 30,
            memory_limit: 8 << 30,
            pids: 7,
            received,
            sent: 2 * received,
            disk_read: 0,
            disk_written: 0,
        };
        self.cluster.use_up(name.as_str().unwrap(), used);
        self.portal.portal.measure().await.unwrap();
    }
}

#[tokio::test]
async fn samples_are_kept_fresh_for_an_hour_and_by_the_minute_for_a_month() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let all = async |minutes: u32| {
        // A session does not last as long as samples do.
        let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
        let answer = ann.get(&path(&one["id"], &format!("/samples?minutes={minutes}"))).await.expect(200);
        (answer["span"].as_i64().unwrap(), answer["items"].as_array().unwrap().clone())
    };
    // Aligned to the minute: twelve samples in it, and one in the next.
    for count in 0..13 {
        lab.measure(&one["name"], 10 * count, 5000 * count).await;
        lab.portal.clock.advance(Duration::from_secs(5));
    }
    let (span, fresh) = all(60).await;
    assert_eq!((span, fresh.len()), (5, 13));
    assert_eq!((&fresh[0]["cpu"], &fresh[0]["received"]), (&json!(null), &json!(null)), "rates need two");
    let second = &fresh[1];
    assert_eq!((&second["cpu"], &second["received"], &second["sent"]), (&json!(2.0), &json!(1000), &json!(2000)));
    assert_eq!(
        (&second["memory"], &second["memoryLimit"], &second["pids"]),
        (&json!(1 << 30), &json!(8_i64 << 30), &json!(7))
    );

    let (span, kept) = all(120).await;
    assert_eq!((span, kept.len()), (60, 1), "only whole minutes");
    assert_eq!((&kept[0]["cpu"], &kept[0]["received"], &kept[0]["pids"]), (&json!(2.0), &json!(1000), &json!(7)));
    assert_eq!(kept[0]["time"], fresh[0]["time"]);

    lab.portal.clock.advance(Duration::from_secs(3600));
    lab.portal.portal.measure().await.unwrap();
    let (_, fresh) = all(60).await;
    assert_eq!(fresh.len(), 1, "the older ones are gone");
    let (_, kept) = all(120).await;
    assert_eq!(kept.len(), 2, "a minute is made once, and the second one's sample is made a minute, too");
    lab.portal.clock.advance(Duration::from_secs(31 * 24 * 3600));
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(all(43200).await.1.len(), 0);
}

#[tokio::test]
async fn idle_instances_are_told_and_stopped_when_the_settings_say_so() {
    let lab = Lab::new(1).await;
    let settings = lab.portal.admin().get("/api/settings").await.expect(200);
    let set = async |idle: i64, stop: i64| {
        let mut basic = settings["basic"].clone();
        (basic["idleMinutes"], basic["idleStopMinutes"]) = (json!(idle), json!(stop));
        lab.portal.admin().put("/api/settings", json!({ "basic": basic })).await.is(200);
    };
    set(10, 0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    // Passes minutes with these seconds of CPU used in each.
    let mut used = 0;
    let mut pass = async |minutes: u64, seconds: u64| {
        for _ in 0..minutes {
            lab.portal.clock.advance(Duration::from_secs(60));
            used += seconds;
            lab.measure(&one["name"], used, 0).await;
        }
        lab.get(&ann, &one["id"]).await
    };
    assert_eq!(pass(10, 6).await["idle"], Value::Null, "a tenth of a core is use");
    assert_eq!(pass(9, 0).await["idle"], Value::Null, "not for long enough");
    let idle = pass(3, 0).await["idle"].clone();
    assert!(idle["since"].is_string() && idle["stopAt"].is_null(), "{idle:#}");
    assert_eq!(pass(2, 6).await["idle"], Value::Null, "it is used again");

    set(10, 5).await;
    let idle = pass(13, 0).await["idle"].clone();
    assert!(idle["stopAt"].is_string(), "{idle:#}");
    lab.portal.portal.keep_times().await.unwrap();
    let notices = ann.get("/api/notices").await.expect(200);
    assert_eq!((&notices["total"], &notices["items"][0]["kind"]), (&json!(1), &json!("instance_stopping")));
    let extended = ann.post(&path(&one["id"], "/extend"), json!({ "stopAt": null })).await.expect(200);
    assert_eq!(extended["idle"], Value::Null);
    let seen = pass(4, 0).await;
    assert_eq!((&seen["state"], seen["idle"]["stopAt"].is_string()), (&json!("running"), true), "the full time again");
    // Without measurements there is no evidence, whatever the clock says.
    lab.portal.clock.advance(Duration::from_secs(30 * 60));
    assert_eq!(pass(2, 0).await["idle"], Value::Null);
    assert_eq!(pass(16, 0).await["state"], "stopping");
    lab.look().await;
    let stopped = lab.get(&ann, &one["id"]).await;
    assert_eq!((&stopped["state"], &stopped["stateReason"]), (&json!("stopped"), &json!("长时间没有使用，自动停止")));
    assert_eq!(stopped["idle"], Value::Null);
}
