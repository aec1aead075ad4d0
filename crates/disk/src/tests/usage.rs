//! Room and quotas.

use std::time::Duration;

use axum::body::Body;
use futures_util::stream;
use kernel::Clock;

use super::harness::{TestDisk, seed_in};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn use_is_counted_and_follows_changes() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 1 << 30);
    disk.seed("home/ann/a", vec![1; MIB]);
    let used = async |path: &str| {
        let usage = disk.ann().get(&format!("/api/usage{path}")).await.expect(200).json();
        assert!(usage["total"].as_u64().unwrap() > 0);
        (usage["used"].as_u64().unwrap(), usage["quota"].as_u64().unwrap())
    };
    let (first, quota) = used("/home").await;
    assert_eq!(quota, 1 << 30);
    assert!(first >= MIB as u64 && first < 2 * MIB as u64);
    disk.ann().post("/api/resources/home/b", vec![2; MIB]).await.expect(200);
    assert_eq!(used("/home/").await.0, first + MIB as u64);
    assert_eq!(used("/").await, used("/home").await);
    disk.ann().put("/api/resources/home/b", vec![2; 2 * MIB]).await.expect(200);
    assert_eq!(used("/home").await.0, first + 2 * MIB as u64);
    disk.ann().change("copy", "/home/b", "/home/c", "").await.expect(200);
    assert_eq!(used("/home").await.0, first + 4 * MIB as u64);
    disk.ann().rename("/home/c", "/share/c").await.expect(200);
    assert_eq!(used("/home").await.0, first + 2 * MIB as u64);
    assert!(used("/share").await.1 > 0, "it has a quota of its own");
    disk.ann().delete("/api/resources/home/b?permanent=true").await.expect(200);
    assert_eq!(used("/home").await.0, first);
    disk.ann().get("/api/usage/home/none").await.expect(404);
    assert_eq!(disk.root().get("/api/usage/home/ann").await.expect(200).json()["quota"], 1 << 30);
    disk.root().get("/api/usage/").await.expect(200);
}

#[tokio::test]
async fn over_the_quota_is_507_and_nothing_stays() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| {
        ann.disk_quota = 2 * MIB as u64;
        ann.groups[0].disk_quota = MIB as u64;
    });
    disk.ann().post("/api/resources/home/a", vec![1; MIB]).await.expect(200);
    let refused = disk.ann().header("content-length", &MIB.to_string());
    let refused = refused.post("/api/resources/home/b", vec![1; MIB]).await.expect(507);
    assert_eq!(refused.text(), "507 Insufficient Storage (quota exceeded)\n");
    // A length that is not announced is found out on the way.
    let chunks = vec![Ok::<_, std::convert::Infallible>(vec![0; 64 * 1024]); 64];
    disk.ann().post("/api/resources/home/b", Body::from_stream(stream::iter(chunks.clone()))).await.expect(507);
    disk.ann().put("/api/resources/home/a", Body::from_stream(stream::iter(chunks))).await.expect(507);
    disk.ann().change("copy", "/home/a", "/home/b", "").await.expect(507);
    disk.ann().post("/api/resources/groups/vision/g", vec![1; MIB]).await.expect(507);
    disk.seed("share/large", vec![1; 3 * MIB]);
    disk.ann().rename("/share/large", "/home/large").await.expect(507);
    // The owner's quota counts for every writer.
    disk.root().post("/api/resources/home/ann/b", vec![1; 2 * MIB]).await.expect(507);
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names(), ["a"]);
    assert_eq!(std::fs::read(disk.real("home/ann/a")).unwrap(), vec![1; MIB]);
    assert!(disk.leftovers().is_empty());
    // Renaming within the home takes no room.
    disk.ann().rename("/home/a", "/home/z").await.expect(200);
    // The refused upload has released its space.
    disk.ann().delete("/api/resources/home/z").await.expect(200);
    disk.ann().post("/api/resources/home/c", vec![1; MIB + MIB / 2]).await.expect(200);
}

#[tokio::test]
async fn room_that_a_container_made_is_found() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 2 * MIB as u64);
    disk.ann().post("/api/resources/home/a", vec![1; MIB + MIB / 2]).await.expect(200);
    std::fs::remove_file(disk.real("home/ann/a")).unwrap();
    disk.clock.advance(Duration::from_secs(10));
    disk.ann().post("/api/resources/home/b", vec![1; MIB]).await.expect(200);
}

#[tokio::test]
async fn everybody_with_a_quota_is_counted_in_turn_and_answers_say_when() {
    let disk = TestDisk::prepared(|portal, folder| {
        portal.set(2, |ann| ann.disk_quota = 1 << 30);
        seed_in(folder, "home/ann/a", vec![1; MIB]);
    })
    .await;
    let told = disk.portal.use_of(2, |one| one.used >= MIB as u64).await;
    assert_eq!((told.quota, told.counted), (1 << 30, disk.clock.now()));
    disk.clock.advance(Duration::from_secs(3));
    let usage = async || disk.ann().get("/api/usage/home").await.expect(200).json();
    let before = usage().await;
    assert_eq!(before["counted"], told.counted.to_string());
    // Changes through the disk are known at once, and do not change the age of the count.
    disk.ann().post("/api/resources/home/b", vec![2; MIB]).await.expect(200);
    let after = usage().await;
    assert_eq!(after["used"].as_u64().unwrap(), before["used"].as_u64().unwrap() + MIB as u64);
    assert_eq!(after["counted"], before["counted"]);
    // An administrator's root is the file system, which reports its own use.
    assert_eq!(disk.root().get("/api/usage/").await.expect(200).json()["counted"], disk.clock.now().to_string());
}

/// One that is listed for a project quota alone.
#[tokio::test]
async fn who_is_not_to_be_counted_is_not_reported() {
    let disk = TestDisk::prepared(|portal, folder| {
        for (id, name) in [(2, "ann"), (3, "bob")] {
            portal.set(id, |person| person.disk_quota = 1 << 30);
            seed_in(folder, &format!("home/{name}/a"), vec![1; MIB]);
        }
        portal.uncounted.lock().unwrap().insert(2);
    })
    .await;
    // A round is reported at once.
    disk.portal.use_of(3, |one| one.used >= MIB as u64).await;
    assert!(!disk.portal.has_use_of(2));
}

#[tokio::test]
async fn room_that_somebody_made_here_is_told_before_the_next_count() {
    let disk = TestDisk::prepared(|portal, folder| {
        portal.set(2, |ann| ann.disk_quota = MIB as u64);
        seed_in(folder, "home/ann/a", vec![1; 2 * MIB]);
    })
    .await;
    let full = disk.portal.use_of(2, |one| one.used >= 2 * MIB as u64).await;
    disk.clock.advance(Duration::from_secs(3));
    disk.ann().delete("/api/resources/home/a?permanent=true").await.expect(200);
    let room = disk.portal.use_of(2, |one| one.used < one.quota).await;
    assert_eq!(room.counted, full.counted, "nothing was counted");
}

#[tokio::test]
async fn two_names_of_one_file_count_once() {
    let disk = TestDisk::new().await;
    let one = disk.seed("home/ann/one", vec![1; MIB]);
    std::fs::hard_link(one, disk.real("home/ann/two")).unwrap();
    let used = disk.ann().get("/api/usage/home").await.expect(200).json()["used"].as_u64().unwrap();
    assert!(used < 2 * MIB as u64);
}

#[tokio::test]
async fn an_old_count_is_renewed_behind_the_answer() {
    let disk = TestDisk::new().await;
    let used = async || disk.ann().get("/api/usage/home").await.expect(200).json()["used"].as_u64().unwrap();
    let before = used().await;
    disk.seed("home/ann/by-a-container", vec![1; MIB]);
    assert_eq!(used().await, before);
    disk.clock.advance(Duration::from_secs(11 * 60));
    let renewed = async { while used().await < before + MIB as u64 {} };
    tokio::time::timeout(Duration::from_secs(20), renewed).await.unwrap();
}
