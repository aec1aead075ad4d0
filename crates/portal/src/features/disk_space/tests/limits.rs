//! Limits of projects on the file systems of servers.

use std::num::NonZeroU64;

use engine::machine_helper::Request;
use kernel::dataset::DiskHolder;
use serde_json::{Value, json};

use super::{Full, GB, HOUR};

/// The limits that were set for her so far, after another run of the duty.
async fn limits_set(full: &Full) -> Vec<u64> {
    full.lab.portal.portal.set_project_limits().await.unwrap();
    let hers = DiskHolder::User(full.id).project();
    let asked = full.lab.cluster.machine.requests().into_iter().filter_map(|request| match request {
        Request::SetProjectLimit { project, limit_bytes, .. } if Some(project.number()) == hers => {
            Some(limit_bytes.map_or(0, NonZeroU64::get))
        }
        _ => None,
    });
    asked.collect()
}

#[tokio::test]
async fn limits_of_projects_are_set_once_and_stay_while_nothing_is_counted() {
    let full = Full::new().await;
    assert_eq!(limits_set(&full).await, Vec::<u64>::new());
    full.space(json!({ "projectQuotas": true })).await;
    assert_eq!(limits_set(&full).await, [5 * GB]);
    full.space(json!({ "count": false })).await;
    assert_eq!(limits_set(&full).await, [5 * GB], "what is set is not set again");
    full.space(json!({ "projectQuotas": false })).await;
    assert_eq!(limits_set(&full).await, [5 * GB, 0]);
}

#[tokio::test]
async fn limits_that_a_disk_lost_are_set_again() {
    let full = Full::new().await;
    full.space(json!({ "projectQuotas": true })).await;
    assert_eq!(limits_set(&full).await, [5 * GB]);
    full.lab.portal.clock.advance(2 * HOUR);
    assert_eq!(limits_set(&full).await, [5 * GB], "they are as they were set");
    full.lab.cluster.machine.lose_project_limits();
    full.lab.portal.clock.advance(2 * HOUR);
    assert_eq!(limits_set(&full).await, [5 * GB, 5 * GB]);
    // For another folder, no limits are stored.
    let (admin, server) = (full.lab.portal.admin(), format!("/api/servers/{}", full.lab.server));
    admin.put(&server, json!({ "storagePath": "/srv/other" })).await.is(200);
    assert_eq!(limits_set(&full).await.len(), 3);
}

#[tokio::test]
async fn a_disk_that_limits_no_projects_is_looked_at_once_an_hour_and_after_a_check() {
    let full = Full::new().await;
    let looks = async || {
        assert_eq!(limits_set(&full).await, Vec::<u64>::new());
        let requests = full.lab.cluster.machine.requests();
        requests.iter().filter(|asked| matches!(asked, Request::FileSystem { .. })).count()
    };
    full.lab.cluster.machine.mount_disk_with("rw");
    full.space(json!({ "projectQuotas": true })).await;
    let first = looks().await;
    assert_eq!((looks().await, looks().await), (first, first));
    full.lab.portal.clock.advance(HOUR);
    assert_eq!(looks().await, first + 1);
    full.lab.cluster.machine.mount_disk_with("rw,prjquota");
    assert_eq!(looks().await, first + 1);
    let check = format!("/api/servers/{}/check", full.lab.server);
    full.lab.portal.admin().post(&check, json!({})).await.is(200);
    assert_eq!(limits_set(&full).await, [5 * GB]);
}

/// How often the way around the limit was tried.
fn tries(full: &Full) -> usize {
    let requests = full.lab.cluster.machine.requests();
    requests.iter().filter(|asked| matches!(asked, Request::TryProjectChange { .. })).count()
}

#[tokio::test]
async fn a_check_says_whether_the_kernel_holds_the_quota_and_whether_an_instance_gets_around_it() {
    let full = Full::new().await;
    let check = format!("/api/servers/{}/check", full.lab.server);
    let row = async || {
        let rows = full.lab.portal.admin().post(&check, json!({})).await.expect(200);
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "project_quota").cloned().unwrap();
        let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        (word("outcome"), word("detail"), word("advice"))
    };
    let machine = &full.lab.cluster.machine;
    machine.mount_disk_with("rw");
    let (outcome, detail, advice) = row().await;
    assert!(outcome == "warning" && detail.contains("没有开启"), "{outcome} {detail}");
    assert!(advice.contains("/etc/fstab") && advice.contains("prjquota") && advice.contains("umount /srv"), "{advice}");

    machine.mount_disk_with("rw,prjquota");
    let (outcome, detail, advice) = row().await;
    assert!(outcome == "warning" && detail.contains("已开启，平台没有使用"), "{outcome} {detail}");
    assert!(advice.contains("打开“项目配额”"), "{advice}");
    assert_eq!(tries(&full), 0, "nothing is tried while it is of no use");

    full.space(json!({ "projectQuotas": true })).await;
    let (outcome, detail, advice) = row().await;
    assert!(outcome == "warning" && detail.contains("能改文件的项目编号"), "{outcome} {detail}");
    assert!(!advice.is_empty());
    machine.keep_projects();
    let (outcome, detail, advice) = row().await;
    assert!(outcome == "passed" && detail.contains("不能改文件的项目编号"), "{outcome} {detail}");
    assert_eq!((tries(&full), advice.as_str()), (2, ""));
    let server = full.lab.portal.admin().get(&format!("/api/servers/{}", full.lab.server)).await.expect(200);
    let tried = machine.requests().into_iter().rev().find_map(|asked| match asked {
        Request::TryProjectChange { root } => Some(json!(root.as_str())),
        _ => None,
    });
    assert_eq!(tried.unwrap_or(Value::Null), server["manage"]["storagePath"], "where instances write");
}
