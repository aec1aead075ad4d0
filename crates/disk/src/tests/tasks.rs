//! Tasks that continue after the response.

use std::fs::File;
use std::time::Duration;

use serde_json::Value;

use super::harness::{Call, TestDisk};

/// A sparse file, so large that no machine copies it while a test runs.
const ENDLESS: u64 = 1 << 40;

/// Polls a task until it matches.
pub(super) async fn until(call: Call, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let looking = async {
        loop {
            let task = call.clone().get(&format!("/api/tasks/{id}")).await.expect(200).json();
            if wanted(&task) {
                return task;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.expect("the task never came so far")
}

/// Waits until a task has ended.
pub(super) async fn ended(call: Call, id: &str) -> Value {
    until(call, id, |task| !task["finished"].is_null()).await
}

/// The outcome of this work, or `None` if it was refused.
pub(super) async fn attempt(call: Call, body: Value) -> Option<Value> {
    let answer = call.clone().post("/api/tasks", body.to_string()).await;
    let id = (answer.status == 202).then(|| answer.json()["id"].as_str().unwrap().to_owned())?;
    Some(ended(call, &id).await)
}

async fn started(call: Call, action: &str, from: &str, to: &str) -> String {
    let answer = call.header("prefer", "respond-async").change(action, from, to, "").await.expect(202);
    answer.json()["id"].as_str().unwrap().to_owned()
}

fn endless(disk: &TestDisk, path: &str) {
    File::options().write(true).open(disk.seed(path, "")).unwrap().set_len(ENDLESS).unwrap();
}

#[tokio::test]
async fn a_copy_and_a_move_that_go_on() {
    let disk = TestDisk::new().await;
    for number in 0..20 {
        disk.seed(&format!("home/ann/tree/{}/{number}", number % 3), vec![7; 10_000]);
    }
    let call = disk.ann().header("prefer", "handling=lenient, Respond-Async");
    let answer = call.change("copy", "/home/tree", "/home/copy", "").await.expect(202);
    assert_eq!(answer.header("preference-applied"), "respond-async");
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("location"), format!("/disk/api/tasks/{id}"));
    let task = ended(disk.ann(), &id).await;
    assert_eq!((&task["kind"], &task["state"], &task["error"]), (&"copy".into(), &"done".into(), &Value::Null));
    assert_eq!((&task["source"], &task["destination"]), (&"/home/tree".into(), &"/home/copy".into()));
    assert_eq!((&task["bytesDone"], &task["bytesTotal"]), (&200_000.into(), &200_000.into()));
    assert_eq!(task["entriesDone"], 24);
    assert_eq!(disk.read("home/ann/copy/1/4").len(), 10_000);

    // The name that it got in the end.
    let call = disk.ann().header("prefer", "respond-async");
    let answer = call.change("copy", "/home/tree/0/0", "/home/tree/0/3", "&rename=true").await.expect(202);
    let task = ended(disk.ann(), answer.json()["id"].as_str().unwrap()).await;
    assert_eq!(task["destination"], "/home/tree/0/3(1)");
    let moved = started(disk.ann(), "rename", "/home/copy", "/share/copy").await;
    assert_eq!(ended(disk.ann(), &moved).await["kind"], "move");
    assert!(!disk.real("home/ann/copy").exists() && disk.real("share/copy/2/5").exists());

    // Predictable failures are refused at once.
    let call = || disk.ann().header("prefer", "respond-async");
    call().change("copy", "/home/none", "/home/x", "").await.expect(404);
    call().change("copy", "/home/tree", "/share/copy", "").await.expect(409);
    call().change("copy", "/home/tree", "/home/tree/in/itself", "").await.expect(400);
    assert_eq!(disk.ann().get("/api/tasks").await.expect(200).json()["items"].as_array().unwrap().len(), 3);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn who_waits_a_while_is_answered_when_it_has_ended_by_then() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    endless(&disk, "home/ann/tree/large");
    let waiting = |wait: &str| disk.ann().header("prefer", &format!("respond-async, wait={wait}"));
    let tasks = async || disk.ann().get("/api/tasks").await.expect(200).json()["items"].clone();
    let answer = waiting("20").change("copy", "/home/a", "/home/b", "").await.expect(200);
    assert_eq!(answer.header("location"), "/disk/api/resources/home/b");
    assert_eq!(disk.read("home/ann/b"), "a");
    // A failure of the work itself becomes the call's response.
    disk.portal.set(2, |ann| ann.disk_quota = 1);
    waiting("20").change("copy", "/home/a", "/home/c", "").await.expect(507);
    // The caller has the outcome, so the task is not listed.
    assert_eq!(tasks().await, serde_json::json!([]));

    disk.portal.set(2, |ann| ann.disk_quota = 0);
    let answer = waiting("1").change("copy", "/home/tree", "/home/copy", "").await.expect(202);
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    assert_eq!((&tasks().await[0]["id"], &tasks().await[0]["state"]), (&id.as_str().into(), &"running".into()));
    disk.ann().delete(&format!("/api/tasks/{id}")).await.expect(200);
    assert_eq!(ended(disk.ann(), &id).await["state"], "cancelled");

    // `wait` alone does not request a task; an invalid number means no wait.
    disk.ann().header("prefer", "wait=1").change("copy", "/home/a", "/home/d", "").await.expect(200);
    waiting("soon").change("copy", "/home/a", "/home/e", "").await.expect(202);
}

#[tokio::test]
async fn who_goes_away_while_waiting_finds_it_among_the_tasks() {
    let disk = TestDisk::new().await;
    endless(&disk, "home/ann/tree/large");
    let waiting = disk.ann().header("prefer", "respond-async, wait=30");
    let asked = waiting.change("copy", "/home/tree", "/home/copy", "");
    let listed = async || disk.ann().get("/api/tasks").await.expect(200).json()["items"].as_array().unwrap().len();
    // Long enough for the work to have begun; while the caller waits the task is not listed.
    assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
    assert_eq!(listed().await, 1);
    let id = disk.ann().get("/api/tasks").await.expect(200).json()["items"][0]["id"].as_str().unwrap().to_owned();
    disk.ann().delete(&format!("/api/tasks/{id}")).await.expect(200);
    ended(disk.ann(), &id).await;
}

#[tokio::test]
async fn whose_they_are_and_how_long_they_are_kept() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    let id = started(disk.ann(), "copy", "/home/a", "/home/b").await;
    ended(disk.ann(), &id).await;
    disk.bob().get(&format!("/api/tasks/{id}")).await.expect(404);
    disk.bob().delete(&format!("/api/tasks/{id}")).await.expect(404);
    disk.anonymous().get("/api/tasks").await.expect(401);
    let count = async |call: Call| call.get("/api/tasks").await.expect(200).json()["items"].as_array().unwrap().len();
    assert_eq!((count(disk.ann()).await, count(disk.bob()).await, count(disk.root()).await), (1, 0, 1));
    disk.ann().get("/api/tasks/nonsense").await.expect(404);

    let second = started(disk.ann(), "copy", "/home/a", "/home/c").await;
    ended(disk.ann(), &second).await;
    disk.ann().delete(&format!("/api/tasks/{second}")).await.expect(200);
    disk.ann().get(&format!("/api/tasks/{second}")).await.expect(404);
    assert!(disk.real("home/ann/c").exists());
    disk.clock.advance(Duration::from_secs(59 * 60));
    assert_eq!(count(disk.ann()).await, 1);
    disk.clock.advance(Duration::from_secs(60));
    assert_eq!(count(disk.ann()).await, 0);
}

#[tokio::test]
async fn cancelled_and_queued() {
    let disk = TestDisk::new().await;
    endless(&disk, "home/ann/tree/large");
    disk.seed("home/bob/small", "small");
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(started(disk.ann(), "copy", "/home/tree", &format!("/home/copy{number}")).await);
    }
    for id in &ids[..2] {
        until(disk.ann(), id, |task| task["bytesDone"].as_u64().unwrap() > 0).await;
    }
    // Two tasks of one person run concurrently; others get their turn.
    assert_eq!(until(disk.ann(), &ids[2], |_| true).await["state"], "queued");
    let bobs = started(disk.bob(), "copy", "/home/small", "/home/copy").await;
    assert_eq!(ended(disk.bob(), &bobs).await["state"], "done");
    disk.ann().delete(&format!("/api/tasks/{}", ids[2])).await.expect(200);
    assert_eq!(ended(disk.ann(), &ids[2]).await["state"], "cancelled");
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names(), ["tree"]);
    disk.ann().delete(&format!("/api/tasks/{}", ids[0])).await.expect(200);
    assert_eq!(ended(disk.ann(), &ids[0]).await["state"], "cancelled");
    // The disk stops: running tasks are cancelled and have cleaned up.
    disk.disk.stop().await;
    assert_eq!(until(disk.ann(), &ids[1], |_| true).await["state"], "cancelled");
    assert!(disk.leftovers().is_empty());
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names(), ["tree"]);
    disk.ann().header("prefer", "respond-async").change("copy", "/home/tree", "/home/x", "").await.expect(423);
}

#[tokio::test]
async fn a_failure_tells_why() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 100_000);
    disk.seed("home/ann/a", vec![1; 60_000]);
    let id = started(disk.ann(), "copy", "/home/a", "/home/b").await;
    let task = ended(disk.ann(), &id).await;
    assert_eq!(
        (&task["state"], &task["error"]),
        (&"failed".into(), &"507 Insufficient Storage (quota exceeded)".into())
    );
    assert!(!disk.real("home/ann/b").exists() && disk.leftovers().is_empty());
}

#[tokio::test]
async fn what_a_killed_one_left_is_swept_at_the_start() {
    let mut disk = TestDisk::new().await;
    disk.seed(".yunlab/uploads/0123456789abcdef0123456789abcdef/half/made", "x");
    assert_eq!(disk.leftovers().len(), 1);
    disk.reopen().await;
    assert!(disk.leftovers().is_empty());
}
