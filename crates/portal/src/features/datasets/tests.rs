//! Datasets through the router. The test plays the disk: it asks for chores and reports them.

use kernel::dataset::{
    ChangeKind, ChangedFile, DatasetCount, DatasetDifference, DatasetFault, DatasetLimits, DatasetOutcome,
    DatasetOwner, DatasetReport, DatasetWork, KeptBy,
};
use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

use crate::lab::{Lab, path};

fn form(name: &str) -> Value {
    json!({ "name": name, "title": "手写数字", "type": "image", "visibility": "private" })
}

fn at(dataset: &Value) -> String {
    format!("/api/datasets/{}", dataset["id"].as_str().unwrap())
}

/// Reports this outcome for every pending chore; returns the chores.
async fn disk_does(portal: &TestPortal, end: impl Fn(&DatasetWork) -> DatasetOutcome) -> Vec<DatasetWork> {
    let mut done = Vec::new();
    for chore in portal.portal.dataset_chores(None).await.unwrap() {
        done.push(chore.work.clone());
        let outcome = end(&chore.work);
        portal.portal.dataset_report(&DatasetReport { chore, outcome }).await.unwrap();
    }
    done
}

fn well(work: &DatasetWork) -> DatasetOutcome {
    match work {
        DatasetWork::Make { .. } | DatasetWork::Remove { .. } => DatasetOutcome::Done,
        DatasetWork::Count => DatasetOutcome::Counted(DatasetCount { size: 4096, files: 3, whole: true }),
        DatasetWork::Keep { .. } => DatasetOutcome::Kept {
            count: DatasetCount { size: 4096, files: 3, whole: true },
            by: KeptBy::Copy,
            difference: DatasetDifference {
                added: 3,
                files: vec![ChangedFile { path: "a/1.png".to_owned(), kind: ChangeKind::Added, size: 9 }],
                ..DatasetDifference::default()
            },
        },
    }
}

async fn made(portal: &TestPortal, who: &Client, form: Value) -> Value {
    let dataset = who.post("/api/datasets", form).await.expect(202);
    disk_does(portal, well).await;
    who.get(&at(&dataset)).await.expect(200)
}

async fn total(who: &Client, query: &str) -> Value {
    who.get(&format!("/api/datasets{query}")).await.expect(200)["total"].clone()
}

async fn folders(portal: &TestPortal, id: i64) -> Vec<(String, bool)> {
    let person = portal.portal.person(id).await.unwrap().unwrap();
    person.datasets.iter().map(|one| (one.folder.clone(), one.writable)).collect()
}

#[tokio::test]
async fn a_dataset_is_there_when_the_disk_has_its_folder() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let mut wanted = form("MNIST");
    wanted["origin"] = json!({ "folder": "/home/mnist/", "copy": true });
    let dataset = ann.post("/api/datasets", wanted).await.expect(202);
    assert_eq!((&dataset["state"], &dataset["path"]), (&json!("preparing"), &json!("/datasets/MNIST")));
    let done = disk_does(&portal, well).await;
    assert!(
        matches!(&done[..], [DatasetWork::Make { source: Some(source), adopt: false }]
        if source.path == "/home/mnist/" && source.copy),
        "{done:?}"
    );
    disk_does(&portal, well).await;
    let dataset = ann.get(&at(&dataset)).await.expect(200);
    assert_eq!((&dataset["state"], &dataset["size"], &dataset["files"]), (&json!("ready"), &json!(4096), &json!(3)));
    let _ = ann.post("/api/datasets", form("mnist")).await.refused(409, "dataset_name_taken");
    ann.post("/api/datasets", form("../x")).await.faults(&["name"]);
    let mut adopted = form("there");
    adopted["adopt"] = json!(true);
    ann.post("/api/datasets", adopted.clone()).await.faults(&["adopt"]);
    portal.admin().post("/api/datasets", adopted).await.is(202);
    let log = portal.admin().get("/api/logs/operate?action=dataset.create").await.expect(200);
    assert_eq!(log["items"][0]["target"], "there");
}

#[tokio::test]
async fn what_the_disk_refuses_is_told_and_its_name_is_free_again() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let dataset = ann.post("/api/datasets", form("x")).await.expect(202);
    let _ = ann.delete(&at(&dataset)).await.refused(409, "dataset_busy");
    disk_does(&portal, |_| DatasetOutcome::Failed { fault: DatasetFault::NameTaken }).await;
    let failed = ann.get(&at(&dataset)).await.expect(200);
    assert_eq!(failed["state"], "failed");
    assert!(failed["fault"].as_str().unwrap().starts_with("网盘上已有同名文件夹"), "{failed:#}");
    let _ = ann.post(&format!("{}/versions", at(&dataset)), json!({})).await.refused(409, "dataset_not_ready");
    ann.delete(&at(&dataset)).await.is(204);
    // The folder of that name is not ours, so nothing is removed.
    assert_eq!(disk_does(&portal, well).await, []);
    ann.post("/api/datasets", form("x")).await.is(202);
}

#[tokio::test]
async fn visibility_says_who_sees_it_here_and_on_the_disk() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let users = portal.admin().get("/api/users?q=ann").await.expect(200);
    let anns = users["items"][0]["id"].as_i64().unwrap();
    let bobs = portal.admin().get("/api/users?q=bob").await.expect(200)["items"][0]["id"].as_i64().unwrap();
    let dataset = made(&portal, &ann, form("x")).await;
    assert_eq!((total(&ann, "").await, total(&bob, "").await), (json!(1), json!(0)));
    bob.get(&at(&dataset)).await.is(404);
    bob.delete(&at(&dataset)).await.is(404);
    assert_eq!(folders(&portal, anns).await, [("x".to_owned(), true)]);
    assert_eq!(folders(&portal, bobs).await, []);

    ann.put(&at(&dataset), json!({ "visibility": "group" })).await.is(200);
    assert_eq!(total(&bob, "").await, 0);
    let group = portal.admin().post("/api/groups", json!({ "name": "vision", "members": [anns, bobs] })).await;
    let group = group.expect(201)["id"].clone();
    assert_eq!(total(&bob, "").await, 1);
    assert_eq!(folders(&portal, bobs).await, [("x".to_owned(), false)]);
    portal.admin().delete(&format!("/api/groups/{group}/members/{bobs}")).await.is(204);
    assert_eq!(folders(&portal, bobs).await, []);

    ann.put(&at(&dataset), json!({ "visibility": "public" })).await.is(200);
    assert_eq!((total(&bob, "").await, folders(&portal, bobs).await.len()), (json!(1), 1));
    let seen = bob.get(&at(&dataset)).await.expect(200);
    assert_eq!((&seen["editable"], &seen["instances"]), (&json!(false), &Value::Null));
    let _ = bob.put(&at(&dataset), json!({ "title": "mine" })).await.refused(409, "not_owner");
    assert_eq!(portal.admin().get(&at(&dataset)).await.expect(200)["editable"], true);
}

#[tokio::test]
async fn s018_administrators_manage_labels_and_everybody_filters_by_them() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let wanted = json!({ "name": "检测", "color": "#166DB6", "kind": "task" });
    ann.post("/api/labels", wanted.clone()).await.is(403);
    let label = portal.admin().post("/api/labels", wanted.clone()).await.expect(201);
    assert_eq!(label["color"], "#166db6");
    let _ = portal.admin().post("/api/labels", wanted).await.refused(409, "label_name_taken");
    portal
        .admin()
        .post("/api/labels", json!({ "name": "", "color": "red", "kind": "task" }))
        .await
        .faults(&["name", "color"]);
    let mut labelled = form("labelled");
    labelled["labels"] = json!([label["id"]]);
    let dataset = made(&portal, &ann, labelled).await;
    made(&portal, &ann, form("plain")).await;
    assert_eq!(dataset["labels"][0]["name"], "检测");
    let id = label["id"].as_str().unwrap();
    assert_eq!(total(&ann, &format!("?label={id}")).await, 1);
    assert_eq!(total(&ann, "?q=LABEL").await, 1);
    assert_eq!((total(&ann, "?type=image").await, total(&ann, "?type=text").await), (json!(2), json!(0)));
    let sorted = ann.get("/api/datasets?sort=name&order=desc&size=1").await.expect(200);
    assert_eq!((&sorted["items"][0]["name"], &sorted["total"]), (&json!("plain"), &json!(2)));
    ann.put(&at(&dataset), json!({ "labels": ["none"] })).await.faults(&["labels"]);
    let change = json!({ "name": "目标检测", "color": "#111111", "kind": "domain" });
    assert_eq!(portal.admin().put(&format!("/api/labels/{id}"), change).await.expect(200)["uses"], 1);
    portal.admin().delete(&format!("/api/labels/{id}")).await.is(204);
    assert_eq!(ann.get(&at(&dataset)).await.expect(200)["labels"], json!([]));
}

#[tokio::test]
async fn versions_are_kept_one_at_a_time_and_numbers_are_not_given_twice() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let dataset = made(&portal, &ann, form("x")).await;
    let versions = format!("{}/versions", at(&dataset));
    let first = ann.post(&versions, json!({ "note": "初版" })).await.expect(202);
    assert_eq!((&first["number"], &first["state"]), (&json!(1), &json!("preparing")));
    let _ = ann.post(&versions, json!({})).await.refused(409, "dataset_busy");
    let _ = ann.delete(&at(&dataset)).await.refused(409, "dataset_busy");
    disk_does(&portal, well).await;
    let first = ann.get(&format!("{versions}/1")).await.expect(200);
    assert_eq!((&first["path"], &first["keptBy"]), (&json!("/datasets/x@v1"), &json!("copy")));
    assert_eq!((&first["added"], &first["difference"][0]["path"]), (&json!(3), &json!("a/1.png")));

    ann.delete(&format!("{versions}/1")).await.is(204);
    let done = disk_does(&portal, well).await;
    assert!(
        matches!(&done[..], [DatasetWork::Remove { numbers, whole: false, by_name, .. }]
        if *numbers == [1] && by_name == "ann"),
        "{done:?}"
    );
    ann.get(&format!("{versions}/1")).await.is(404);
    assert_eq!(ann.post(&versions, json!({})).await.expect(202)["number"], 2);
    disk_does(&portal, well).await;
    let account = portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0]["id"].as_i64().unwrap();
    assert_eq!(folders(&portal, account).await, [("x".to_owned(), true), ("x@v2".to_owned(), false)]);

    ann.delete(&at(&dataset)).await.is(204);
    ann.get(&at(&dataset)).await.is(404);
    assert_eq!(folders(&portal, account).await, []);
    let _ = ann.post("/api/datasets", form("x")).await.refused(409, "dataset_name_taken");
    let done = disk_does(&portal, well).await;
    assert!(matches!(&done[..], [DatasetWork::Remove { numbers, whole: true, .. }] if *numbers == [2]), "{done:?}");
    ann.post("/api/datasets", form("x")).await.is(202);
}

#[tokio::test]
async fn instances_read_datasets_and_keep_them_from_being_deleted() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let dataset = made(&lab.portal, &ann, form("x")).await;
    ann.post(&format!("{}/versions", at(&dataset)), json!({})).await.is(202);
    disk_does(&lab.portal, well).await;
    let mut wanted = lab.form(0);
    wanted["datasets"] = json!(["x", "x@v1"]);
    bob.post("/api/instances", wanted.clone()).await.faults(&["datasets"]);
    let one = ann.post("/api/instances", wanted.clone()).await.expect(202);
    let mounts = one["mounts"].as_array().unwrap();
    let mount = mounts.iter().find(|mount| mount["target"] == "/datasets/x@v1").unwrap();
    assert_eq!((&mount["source"], &mount["readOnly"]), (&json!("datasets/x@v1"), &json!(true)));
    wanted["datasets"] = json!(["x@v2"]);
    ann.post("/api/instances", wanted).await.faults(&["datasets"]);

    let seen = ann.get(&at(&dataset)).await.expect(200);
    assert_eq!((&seen["uses"], &seen["instances"][0]["instance"]), (&json!(1), &one["name"]));
    let message = ann.delete(&at(&dataset)).await.refused(409, "dataset_in_use");
    assert!(message.contains(one["name"].as_str().unwrap()), "{message}");
    let _ = ann.delete(&format!("{}/versions/1", at(&dataset))).await.refused(409, "dataset_in_use");
    ann.post(&path(&one["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    ann.delete(&at(&dataset)).await.is(204);
}

#[tokio::test]
async fn a_stopped_instance_keeps_what_its_owner_no_longer_sees_and_says_so_at_the_start() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let dataset = made(&lab.portal, &ann, form("x")).await;
    ann.put(&at(&dataset), json!({ "visibility": "public" })).await.is(200);
    let mut wanted = lab.form(0);
    wanted["datasets"] = json!(["x"]);
    let one = bob.post("/api/instances", wanted).await.expect(202);
    lab.look().await;
    bob.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    ann.put(&at(&dataset), json!({ "visibility": "private" })).await.is(200);
    for who in [&bob, &lab.portal.admin()] {
        let message = who.post(&path(&one["id"], "/start"), json!({})).await.refused(422, "datasets_unavailable");
        assert!(message.starts_with("数据集 x 已不存在或没有权限使用"), "{message}");
    }
    let datasets =
        |one: &Value| one["mounts"].as_array().unwrap().iter().filter(|mount| mount["readOnly"] == true).count();
    assert_eq!(datasets(&lab.get(&bob, &one["id"]).await), 1, "it may come back");
    bob.put(&path(&one["id"], ""), json!({ "datasets": ["x"] })).await.faults(&["datasets"]);
    let changed = bob.put(&path(&one["id"], ""), json!({ "datasets": [] })).await.expect(200);
    assert_eq!(datasets(&changed), 0);
    bob.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    let spec = lab.cluster.workload(one["name"].as_str().unwrap()).unwrap();
    assert!(spec.generation == 2 && spec.places.iter().all(|mount| !mount.target().starts_with("/datasets")));
    ann.delete(&at(&dataset)).await.is(204);
}

#[tokio::test]
async fn a_restart_does_not_hand_out_a_withdrawn_dataset_again() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let dataset = made(&lab.portal, &ann, form("x")).await;
    ann.put(&at(&dataset), json!({ "visibility": "public" })).await.is(200);
    let mut wanted = lab.form(0);
    wanted["datasets"] = json!(["x"]);
    let one = bob.post("/api/instances", wanted).await.expect(202);
    lab.look().await;
    bob.post(&path(&one["id"], "/restart"), json!({})).await.is(202);
    lab.look().await;
    ann.put(&at(&dataset), json!({ "visibility": "private" })).await.is(200);
    let message = bob.post(&path(&one["id"], "/restart"), json!({})).await.refused(422, "datasets_unavailable");
    assert!(message.contains("数据集 x") && message.contains("先停止实例"), "{message}");
    assert_eq!(lab.get(&bob, &one["id"]).await["state"], "running", "nothing was done to it");
}

#[tokio::test]
async fn a_person_has_so_many_datasets_and_a_dataset_so_many_versions() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    portal.portal.set_dataset_limits(DatasetLimits { datasets: 2, versions: 1 }).await.unwrap();
    for who in [&ann, &admin] {
        let name = |number: u8| form(&format!("{}{number}", if std::ptr::eq(who, &ann) { "a" } else { "r" }));
        let first = made(&portal, who, name(1)).await;
        let made = tokio::join!(who.post("/api/datasets", name(2)), who.post("/api/datasets", name(3)));
        let mut ends = [made.0.status, made.1.status];
        ends.sort_unstable();
        assert_eq!(ends, [202, 409], "two at once");
        let message = who.post("/api/datasets", name(4)).await.refused(409, "too_many_datasets");
        assert!(message.contains("（2 个）") && message.contains("“每人数据集数”"), "{message}");
        disk_does(&portal, well).await;

        let versions = format!("{}/versions", at(&first));
        who.post(&versions, json!({})).await.is(202);
        disk_does(&portal, well).await;
        let message = who.post(&versions, json!({})).await.refused(409, "too_many_versions");
        assert!(message.contains("（1 个）") && message.contains("“每个数据集的版本数”"), "{message}");
        who.delete(&format!("{versions}/1")).await.is(204);
        disk_does(&portal, well).await;
        who.post(&versions, json!({})).await.is(202);
        disk_does(&portal, well).await;
        who.delete(&at(&first)).await.is(204);
        disk_does(&portal, well).await;
        who.post("/api/datasets", name(4)).await.is(202);
        disk_does(&portal, well).await;
    }
    // Lower limits delete nothing.
    portal.portal.set_dataset_limits(DatasetLimits { datasets: 1, versions: 1 }).await.unwrap();
    assert_eq!(total(&ann, "?mine=true").await, 2);
    let _ = ann.post("/api/datasets", form("a5")).await.refused(409, "too_many_datasets");
}

#[tokio::test]
async fn the_disk_learns_whose_quota_a_dataset_counts_to() {
    let portal = TestPortal::new().await;
    let ann_id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let admin = portal.admin();
    admin.put(&format!("/api/users/{ann_id}"), json!({ "diskQuota": 5000 })).await.is(200);
    let dataset = made(&portal, &ann, form("x")).await;
    ann.post(&format!("{}/versions", at(&dataset)), json!({})).await.is(202);
    disk_does(&portal, well).await;
    // A failed dataset has no folder: a folder of its name is not the dataset's.
    ann.post("/api/datasets", form("failed")).await.is(202);
    disk_does(&portal, |_| DatasetOutcome::Failed { fault: DatasetFault::NameTaken }).await;
    let own = vec!["x".to_owned()];
    assert_eq!(portal.portal.person(ann_id).await.unwrap().unwrap().own_datasets, own);
    let holder = portal.portal.holder_of_dataset("x").await.unwrap().unwrap();
    assert_eq!((holder.id, holder.username.as_str(), holder.disk_quota, &holder.datasets), (ann_id, "ann", 5000, &own));
    assert_eq!(portal.portal.holder_of_home("ann").await.unwrap().as_ref(), Some(&holder));
    assert_eq!(portal.portal.holder_of_home("Ann").await.unwrap(), None, "another folder");
    assert_eq!(portal.portal.holder_of_dataset("failed").await.unwrap(), None);
    let holders = portal.portal.quota_holders().await.unwrap().unwrap();
    assert!(holders.people.contains(&holder), "{holders:?}");

    admin.delete(&at(&dataset)).await.is(204);
    // It counts until its folder is removed; then the disk counts what lies in the trash.
    assert_eq!(portal.portal.person(ann_id).await.unwrap().unwrap().own_datasets, own);
    let owner = Some(DatasetOwner { id: ann_id, username: "ann".to_owned() });
    let done = disk_does(&portal, well).await;
    assert!(matches!(&done[..], [DatasetWork::Remove { owner: told, .. }] if *told == owner), "{done:?}");
    assert_eq!(portal.portal.person(ann_id).await.unwrap().unwrap().own_datasets, [""; 0]);
}
