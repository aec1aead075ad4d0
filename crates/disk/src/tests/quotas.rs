//! One quota for a home and its owner's datasets, and limits of datasets, versions and links.

use argon2::Argon2;
use argon2::password_hash::PasswordHasher;
use http::StatusCode;
use kernel::dataset::{
    DatasetFault, DatasetFolder, DatasetLimits, DatasetOutcome, DatasetOwner, DatasetSource, DatasetWork, KeptBy,
};
use serde_json::{Value, json};

use super::harness::{Answer, Call, TestDisk};
use super::shares::hash;
use super::{dav, extracting, tasks, tus};

const MIB: usize = 1024 * 1024;

/// A disk where Ann has a quota of `mib` MiB, and the dataset `mine`, which Bob may read.
async fn with_quota(mib: usize) -> TestDisk {
    let disk = TestDisk::new().await;
    std::fs::create_dir_all(disk.real("datasets/mine")).unwrap();
    disk.portal.set(2, |ann| {
        ann.disk_quota = (mib * MIB) as u64;
        ann.datasets = vec![DatasetFolder { folder: "mine".to_owned(), writable: true }];
        ann.own_datasets = vec!["mine".to_owned()];
    });
    disk.portal.set(3, |bob| bob.datasets = vec![DatasetFolder { folder: "mine".to_owned(), writable: false }]);
    disk
}

fn mib(mib: usize) -> Vec<u8> {
    vec![1; mib * MIB]
}

async fn usage(call: Call, path: &str) -> (u64, u64, u64) {
    let usage = call.get(&format!("/api/usage{path}")).await.expect(200).json();
    let number = |name: &str| usage[name].as_u64().unwrap();
    (number("used") / MIB as u64, number("datasets") / MIB as u64, number("quota") / MIB as u64)
}

/// That no way of writing makes more of it.
async fn assert_full(disk: &TestDisk) {
    let refused = disk.ann().post("/api/resources/datasets/mine/more", mib(2)).await.expect(507);
    assert_eq!(refused.text(), "507 Insufficient Storage (quota exceeded)\n");
    disk.ann().post("/api/resources/home/more", mib(2)).await.expect(507);
    disk.root().post("/api/resources/datasets/mine/more", mib(2)).await.expect(507);
    let length = (2 * MIB).to_string();
    disk.ann().header("upload-length", &length).post("/api/tus/datasets/mine/more", "").await.expect(507);
    let put = dav::by(disk, "ann").send(http::Method::PUT, "/dav/datasets/mine/more", mib(2)).await;
    assert_eq!(put.status, StatusCode::INSUFFICIENT_STORAGE);
    for to in ["/datasets/mine/more", "/home/more"] {
        disk.ann().change("copy", "/share/two", to, "").await.expect(507);
        disk.ann().rename("/share/two", to).await.expect(507);
        assert!(dav::transfer(dav::by(disk, "ann"), "COPY", "/share/two", to).await.status == 507);
        let task = json!({ "kind": "extract", "path": "/share/two.zip", "destination": to });
        let task = disk.ann().post("/api/tasks", task.to_string()).await.expect(202).json();
        let ended = tasks::ended(disk.ann(), task["id"].as_str().unwrap()).await;
        assert_eq!(ended["error"], "507 Insufficient Storage (quota exceeded)", "{ended}");
    }
    assert_eq!(disk.ann().get("/api/resources/datasets/mine").await.expect(200).names(), ["data"]);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn a_dataset_counts_to_its_owner_together_with_the_home() {
    let disk = with_quota(4).await;
    disk.seed("share/two", mib(2));
    disk.seed("share/two.zip", extracting::zip(&[("two", 0o644, &mib(2))]));
    disk.ann().post("/api/resources/datasets/mine/data", mib(2)).await.expect(200);
    disk.ann().post("/api/resources/home/a", mib(1)).await.expect(200);
    assert_full(&disk).await;
    // Both places report the same, and the datasets' part.
    for path in ["/home", "/", "/datasets/mine"] {
        assert_eq!(usage(disk.ann(), path).await, (3, 2, 4), "{path}");
    }
    assert_eq!(usage(disk.root(), "/home/ann").await, (3, 2, 4));
    let seen = dav::send(dav::by(&disk, "ann").header("depth", "0"), "PROPFIND", "/home/", "").await.expect(207).text();
    let used = seen.split("<D:quota-used-bytes>").nth(1).unwrap().split('<').next().unwrap();
    assert_eq!(used.parse::<usize>().unwrap() / MIB, 3, "{seen}");
    // Bob may not see her other use.
    assert_eq!(usage(disk.bob(), "/datasets/mine").await, (2, 2, 0));
    // Moving from one to the other does not increase the use.
    disk.ann().rename("/home/a", "/datasets/mine/a").await.expect(200);
    disk.ann().rename("/datasets/mine/data", "/home/data").await.expect(200);
    assert_eq!(usage(disk.ann(), "/").await, (3, 1, 4));
    disk.ann().delete("/api/resources/datasets/mine/a?permanent=true").await.expect(200);
    disk.ann().post("/api/resources/datasets/mine/b", mib(1)).await.expect(200);
    // The quota of all datasets holds beside it.
    disk.root().put("/api/settings", json!({ "quotas": { "datasets": MIB } }).to_string()).await.expect(200);
    disk.ann().post("/api/resources/datasets/mine/c", vec![1; MIB / 8]).await.expect(507);
    disk.ann().rename("/home/data", "/datasets/mine/data").await.expect(507);
}

/// An administrator's page shows it before they were ever there.
#[tokio::test]
async fn a_home_that_was_never_visited_takes_nothing() {
    let disk = TestDisk::new().await;
    assert_eq!(usage(disk.root(), "/home/root").await.0, 0);
    disk.root().get("/api/usage/home/nobody").await.expect(404);
    disk.root().get("/api/usage/home/root/nothing").await.expect(404);
}

#[tokio::test]
async fn of_many_uploads_at_once_only_those_that_fit_are_taken() {
    let disk = with_quota(4).await;
    let mut under_way = Vec::new();
    for number in 0..8 {
        let place = if number % 2 == 0 { "home" } else { "datasets/mine" };
        let (call, path) = (disk.ann(), format!("/api/resources/{place}/{number}"));
        under_way.push(tokio::spawn(async move { call.post(&path, mib(1)).await.status.as_u16() }));
    }
    let mut ends = Vec::new();
    for one in under_way {
        ends.push(one.await.unwrap());
    }
    ends.sort_unstable();
    // The folders themselves take a little.
    assert_eq!(ends, [200, 200, 200, 507, 507, 507, 507, 507]);
    assert_eq!(usage(disk.ann(), "/").await.0, 3);
}

#[tokio::test]
async fn a_started_upload_holds_its_room_in_both_places() {
    let disk = with_quota(4).await;
    let upload = tus::begin(disk.ann(), "/datasets/mine/large", &(3 * MIB).to_string()).await;
    disk.ann().post("/api/resources/home/a", mib(1)).await.expect(507);
    tus::patch(disk.ann(), &upload, 0, mib(3)).await.expect(204);
    disk.ann().post("/api/resources/home/a", mib(1)).await.expect(507);
    disk.ann().post("/api/resources/home/a", vec![1; MIB / 2]).await.expect(200);
}

#[tokio::test]
async fn versions_count_by_what_they_do_not_share() {
    let disk = with_quota(5).await;
    disk.seed("datasets/mine/data", mib(2));
    let keep = async |number, before| disk.portal.outcome_of("mine", DatasetWork::Keep { number, before }).await;
    let DatasetOutcome::Kept { by, .. } = keep(1, None).await else { panic!("the first fits") };
    assert_eq!(usage(disk.ann(), "/").await, (4, 4, 5));
    if by == KeptBy::Copy {
        // By hard links, it only takes its folder.
        assert!(matches!(keep(2, Some(1)).await, DatasetOutcome::Kept { by: KeptBy::HardLink, .. }));
        assert_eq!(usage(disk.ann(), "/").await, (4, 4, 5));
    }
    disk.seed("datasets/mine/data", vec![2; 2 * MIB]);
    let no_room = DatasetOutcome::Failed { fault: DatasetFault::NoRoom };
    assert_eq!(keep(3, Some(1)).await, no_room);
    assert!(!disk.real("datasets/mine@v3").exists() && disk.leftovers().is_empty());
    disk.ann().post("/api/resources/home/a", mib(2)).await.expect(507);
    // A dataset that copies a folder takes space, one that moves it does not.
    disk.portal.set(2, |ann| ann.own_datasets.push("new".to_owned()));
    disk.ann().post("/api/resources/home/folder/x", vec![1; MIB / 2]).await.expect(200);
    let make = |copy| {
        let source = DatasetSource { person: 2, path: "/home/folder".to_owned(), copy };
        DatasetWork::Make { source: Some(source), adopt: false }
    };
    disk.ann().post("/api/resources/home/b", vec![1; MIB / 4]).await.expect(200);
    assert_eq!(disk.portal.outcome_of("new", make(true)).await, no_room);
    assert_eq!(disk.portal.outcome_of("new", make(false)).await, DatasetOutcome::Done);
}

#[tokio::test]
async fn who_is_over_keeps_everything_and_the_portal_is_told() {
    let mut disk = with_quota(2).await;
    disk.seed("datasets/mine/data", mib(3));
    disk.seed("datasets/mine@v1/data", mib(2));
    disk.seed("home/ann/a", mib(1));
    disk.reopen().await;
    let told = disk.portal.use_of(2, |one| one.used >= 6 * MIB as u64).await;
    assert_eq!((told.used / MIB as u64, told.datasets / MIB as u64, told.quota), (6, 5, 2 * MIB as u64));
    assert_eq!(usage(disk.ann(), "/").await, (6, 5, 2));
    disk.ann().post("/api/resources/datasets/mine/more", "x").await.expect(507);
    disk.ann().post("/api/resources/home/more", "x").await.expect(507);
    assert_eq!(disk.ann().get("/api/raw/datasets/mine/data").await.expect(200).body.len(), 3 * MIB);
    disk.ann().rename("/home/a", "/home/b").await.expect(200);
    disk.ann().rename("/datasets/mine/data", "/home/data").await.expect(200);
    disk.ann().rename("/home/data", "/share/data").await.expect(200);
    disk.ann().delete("/api/resources/home/b?permanent=true").await.expect(200);
    disk.ann().post("/api/resources/home/more", "x").await.expect(507);
    let remove = DatasetWork::Remove { by: 2, by_name: "ann".to_owned(), numbers: vec![1], whole: false, owner: None };
    assert_eq!(disk.portal.outcome_of("mine", remove).await, DatasetOutcome::Done);
    disk.ann().post("/api/resources/home/more", mib(1)).await.expect(200);
}

/// Otherwise repeated creating and deleting of datasets would fill the disk with trash.
#[tokio::test]
async fn a_removed_dataset_counts_to_its_owner_until_it_has_left_the_trash() {
    let disk = with_quota(4).await;
    disk.ann().post("/api/resources/datasets/mine/data", mib(2)).await.expect(200);
    disk.ann().post("/api/resources/datasets/mine/early", mib(1)).await.expect(200);
    disk.ann().delete("/api/resources/datasets/mine/early").await.expect(200);
    assert_eq!(usage(disk.ann(), "/").await, (3, 3, 4));
    let owner = Some(DatasetOwner { id: 2, username: "ann".to_owned() });
    // It counts to its owner, not to the administrator who removed it.
    let remove = DatasetWork::Remove { by: 1, by_name: "root".to_owned(), numbers: vec![], whole: true, owner };
    assert_eq!(disk.portal.outcome_of("mine", remove).await, DatasetOutcome::Done);
    disk.portal.set(2, |ann| {
        ann.datasets.clear();
        ann.own_datasets.clear();
    });
    assert_eq!(usage(disk.ann(), "/").await, (3, 0, 4));
    let trash = disk.ann().get("/api/trash").await.expect(200).json();
    let items = trash["items"].as_array().unwrap();
    assert_eq!((items.len(), trash["total"].as_u64()), (2, Some(2)), "{trash}");
    assert_eq!(items[0]["path"], "/datasets/mine");
    let id = items[0]["id"].as_str().unwrap();
    disk.bob().delete(&format!("/api/trash/{id}")).await.expect(404);
    disk.ann().post(&format!("/api/trash/{id}/restore"), "").await.expect(403);
    // Room is made of it, the oldest first.
    disk.ann().post("/api/resources/home/a", mib(1)).await.expect(200);
    disk.ann().post("/api/resources/home/b", vec![1; MIB / 2]).await.expect(200);
    assert_eq!(disk.ann().get("/api/trash").await.expect(200).json()["total"], 1);
    disk.ann().delete("/api/trash").await.expect(200);
    assert_eq!(usage(disk.ann(), "/").await.0, 1);
    assert_eq!(disk.root().get("/api/trash").await.expect(200).json()["total"], 0);
}

async fn set(disk: &TestDisk, settings: Value) -> Answer {
    disk.root().put("/api/settings", settings.to_string()).await
}

#[tokio::test]
async fn the_portal_is_told_how_many_datasets_and_versions_there_may_be() {
    let disk = TestDisk::new().await;
    disk.portal.until_limits(DatasetLimits { datasets: 100, versions: 20 }).await;
    set(&disk, json!({ "limits": { "datasets": 7, "versions": 3 } })).await.expect(200);
    disk.portal.until_limits(DatasetLimits { datasets: 7, versions: 3 }).await;
    for bad in [json!({ "datasets": 0 }), json!({ "versions": 1001 }), json!({ "shares": 10_001 })] {
        assert!(set(&disk, json!({ "limits": bad })).await.expect(400).text().contains("limits are"));
    }
}

#[tokio::test]
async fn a_person_has_so_many_links_also_when_they_make_them_at_once() {
    let disk = TestDisk::new().await;
    assert_eq!(disk.root().get("/api/settings").await.expect(200).json()["limits"]["shares"], 200);
    set(&disk, json!({ "limits": { "shares": 3 } })).await.expect(200);
    disk.seed("home/ann/a", "");
    disk.seed("share/s", "");
    let permanent = hash(&disk.ann().post("/api/share/home/a", "").await.expect(200));
    let mut under_way = Vec::new();
    for _ in 0..6 {
        under_way.push(disk.ann().send_later("/api/share/home/a?expires=1&unit=days", String::new()));
    }
    let mut ends = Vec::new();
    for one in under_way {
        let answer = one.await.unwrap();
        assert!(answer.status == 200 || answer.text() == "409 Conflict (too many links)\n", "{}", answer.text());
        ends.push(answer.status.as_u16());
    }
    ends.sort_unstable();
    assert_eq!(ends, [200, 200, 409, 409, 409, 409]);
    // The existing one can be requested again, and get a password.
    let again = disk.ann().post("/api/share/home/a", r#"{"password":"abcd"}"#).await.expect(200);
    assert_eq!(hash(&again), permanent);
    for number in 0..4 {
        let made = disk.root().post("/api/share/share/s?expires=1", "").await.status.as_u16();
        assert_eq!(made, if number < 3 { 200 } else { 409 });
    }
    disk.ann().delete(&format!("/api/share/{permanent}")).await.expect(200);
    disk.ann().post("/api/share/home/a", "").await.expect(200);
    // A lowered limit leaves existing ones.
    set(&disk, json!({ "limits": { "shares": 1 } })).await.expect(200);
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json().as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_new_password_has_four_characters_and_a_former_one_goes_on_working() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "content");
    let post =
        async |password: &str| disk.ann().post("/api/share/home/a", json!({ "password": password }).to_string()).await;
    for short in ["1", "abc", "密码三"] {
        assert_eq!(post(short).await.expect(400).text(), "400 Bad Request (password too short)\n");
    }
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json(), json!([]));
    let link = hash(&post("密码四字").await.expect(200));
    // Nor does a change make it shorter.
    post("abc").await.expect(400);
    let look = async |password: &str| {
        let visitor = disk.anonymous().header("x-share-password", password);
        visitor.get(&format!("/api/public/share/{link}")).await.status.as_u16()
    };
    let former = Argon2::default().hash_password(b"x").unwrap();
    disk.sql(&format!("update disk_shares set password = '{former}'")).await;
    assert_eq!((look("x").await, look("y").await), (200, 401));
}

#[tokio::test]
async fn the_public_share_has_a_quota_until_somebody_chooses_another() {
    let mut disk = TestDisk::new().await;
    let seen = disk.ann().get("/api/usage/share").await.expect(200).json();
    let (total, quota) = (seen["total"].as_u64().unwrap(), seen["quota"].as_u64().unwrap());
    assert!(quota == 1 << 30 || quota <= total / 10 && quota > total / 10 - (1 << 30), "{seen}");
    set(&disk, json!({ "quotas": { "share": 0 } })).await.expect(200);
    disk.reopen().await;
    assert_eq!(disk.ann().get("/api/usage/share").await.expect(200).json()["quota"], 0);
    set(&disk, json!({ "quotas": { "share": 5 } })).await.expect(200);
    disk.reopen().await;
    assert_eq!(disk.ann().get("/api/usage/share").await.expect(200).json()["quota"], 5);
}
