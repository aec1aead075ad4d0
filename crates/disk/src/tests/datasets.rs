//! Datasets: their visibility, and the portal's chores with their folders.

use std::os::unix::fs::MetadataExt;

use kernel::dataset::{
    ChangeKind, DatasetCount, DatasetFault, DatasetFolder, DatasetOutcome, DatasetSource, DatasetWork, KeptBy,
};

use super::harness::TestDisk;

fn failed(fault: DatasetFault) -> DatasetOutcome {
    DatasetOutcome::Failed { fault }
}

fn from(path: &str, copy: bool) -> DatasetWork {
    let source = DatasetSource { person: 2, path: path.to_owned(), copy };
    DatasetWork::Make { source: Some(source), adopt: false }
}

fn folder(name: &str, writable: bool) -> DatasetFolder {
    DatasetFolder { folder: name.to_owned(), writable }
}

#[tokio::test]
async fn a_dataset_is_there_only_for_those_who_see_it() {
    let disk = TestDisk::new().await;
    disk.seed("datasets/open/x", "open");
    disk.seed("datasets/secret/x", "secret");
    disk.seed("datasets/nobodys/x", "nobody's");
    disk.link("../secret/x", "datasets/open/link");
    disk.portal.set(2, |ann| ann.datasets = vec![folder("open", false), folder("secret", true)]);
    disk.portal.set(3, |bob| bob.datasets = vec![folder("open", false)]);
    let names = async |who: super::harness::Call| who.get("/api/resources/datasets").await.expect(200).names();
    assert_eq!(names(disk.ann()).await, ["open", "secret"]);
    assert_eq!(names(disk.bob()).await, ["open"]);
    assert_eq!(names(disk.root()).await, ["nobodys", "open", "secret"]);
    for call in ["resources", "raw", "usage"] {
        disk.bob().get(&format!("/api/{call}/datasets/secret/x")).await.expect(404);
    }
    disk.bob().get("/api/raw/datasets/open/link").await.expect(403);
    disk.bob().change("copy", "/datasets/secret", "/home/mine", "").await.expect(404);
    disk.bob().post("/api/resources/datasets/secret/new", "x").await.expect(403);
    let found = disk.bob().get("/api/search/?query=x").await.expect(200);
    assert!(!found.text().contains("secret"), "{}", found.text());
    let packed = disk.bob().get("/api/raw/datasets").await.expect(200);
    assert!(!String::from_utf8_lossy(&packed.body).contains("secret"));

    disk.ann().post("/api/resources/datasets/secret/new", "x").await.expect(200);
    disk.ann().post("/api/resources/datasets/open/new", "x").await.expect(403);
    disk.ann().post("/api/resources/datasets/mine/", "").await.expect(403);
    disk.ann().delete("/api/resources/datasets/secret").await.expect(403);
    disk.ann().rename("/datasets/secret", "/home/mine").await.expect(403);
    // A share of it ends with the sight of it.
    let share = disk.ann().post("/api/share/datasets/secret/x", "").await.expect(200);
    let shared = format!("/api/public/dl/{}", share.json()["hash"].as_str().unwrap());
    disk.anonymous().get(&shared).await.expect(200);
    disk.portal.set(2, |ann| ann.datasets.clear());
    disk.ann().get("/api/resources/datasets/secret/x").await.expect(404);
    disk.anonymous().get(&shared).await.expect(404);
}

#[tokio::test]
async fn a_folder_is_made_of_one_that_its_owner_may_give() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/data/x", "mine");
    disk.seed("home/bob/data/x", "his");
    disk.seed("datasets/taken/x", "x");
    let portal = &disk.portal;
    let empty = |adopt| DatasetWork::Make { source: None, adopt };
    assert_eq!(portal.outcome_of("new", empty(false)).await, DatasetOutcome::Done);
    assert!(disk.real("datasets/new").is_dir());
    // The report may have been lost.
    assert_eq!(portal.outcome_of("new", empty(false)).await, DatasetOutcome::Done);
    assert_eq!(portal.outcome_of("taken", empty(false)).await, failed(DatasetFault::NameTaken));
    assert_eq!(portal.outcome_of("taken", empty(true)).await, DatasetOutcome::Done);

    assert_eq!(portal.outcome_of("copied", from("/home/data/", true)).await, DatasetOutcome::Done);
    assert_eq!((disk.read("datasets/copied/x"), disk.read("home/ann/data/x")), ("mine".into(), "mine".into()));
    assert_eq!(portal.outcome_of("moved", from("/home/data", false)).await, DatasetOutcome::Done);
    assert!(!disk.real("home/ann/data").exists() && disk.real("datasets/moved/x").exists());
    for (path, fault) in [
        ("/home/none", DatasetFault::Missing),
        ("/bob/data", DatasetFault::Missing),
        ("/home", DatasetFault::Forbidden),
        ("/datasets/d", DatasetFault::Missing),
    ] {
        assert_eq!(portal.outcome_of("none", from(path, true)).await, failed(fault), "{path}");
    }
    assert_eq!(portal.outcome_of("none", from("/datasets/taken", false)).await, failed(DatasetFault::Forbidden));
    assert!(!disk.real("datasets/none").exists() && disk.leftovers().is_empty());
}

#[tokio::test]
async fn a_version_says_which_of_its_files_are_links() {
    let disk = TestDisk::new().await;
    disk.seed("datasets/x/a", "a");
    disk.seed("datasets/x/b", "b");
    let keep = async |number, before| match disk.portal.outcome_of("x", DatasetWork::Keep { number, before }).await {
        DatasetOutcome::Kept { by, .. } => by,
        other => panic!("{other:?}"),
    };
    let first = keep(1, None).await;
    let second = keep(2, Some(1)).await;
    disk.seed("datasets/x/b", "new");
    let third = keep(3, Some(2)).await;
    let (a, b) = (|n| inode(&disk, n, "a"), |n| inode(&disk, n, "b"));
    if first == KeptBy::Reflink {
        assert_eq!((second, third), (KeptBy::Reflink, KeptBy::Reflink));
        assert_ne!(a(1), a(2));
    } else {
        assert_eq!((first, second, third), (KeptBy::Copy, KeptBy::HardLink, KeptBy::Mixed));
        assert!(a(1) == a(2) && a(2) == a(3) && b(1) == b(2) && b(2) != b(3));
    }
    // A repetition after a lost report has the same outcome.
    assert_eq!(keep(3, Some(2)).await, third);
}

fn inode(disk: &TestDisk, version: u8, name: &str) -> u64 {
    std::fs::metadata(disk.real(&format!("datasets/x@v{version}/{name}"))).unwrap().ino()
}

#[tokio::test]
async fn versions_stay_what_they_were_and_say_what_differs() {
    let disk = TestDisk::new().await;
    for (name, content) in [("same", "same"), ("changed", "old"), ("gone", "gone"), ("deep/a", "a")] {
        disk.seed(&format!("datasets/x/{name}"), content);
    }
    let keep = async |number, before| match disk.portal.outcome_of("x", DatasetWork::Keep { number, before }).await {
        DatasetOutcome::Kept { count, difference, .. } => (count, difference),
        other => panic!("{other:?}"),
    };
    let counted = DatasetOutcome::Counted(DatasetCount { size: 12, files: 4, whole: true });
    assert_eq!(disk.portal.outcome_of("x", DatasetWork::Count).await, counted);
    let (count, first) = keep(1, None).await;
    assert_eq!((count.files, first.added, first.changed, first.removed), (4, 4, 0, 0));

    disk.seed("datasets/x/changed", "new");
    disk.seed("datasets/x/deep/b", "b");
    std::fs::remove_file(disk.real("datasets/x/gone")).unwrap();
    let (_, second) = keep(2, Some(1)).await;
    let told: Vec<_> = second.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
    assert_eq!(told, [("changed", ChangeKind::Changed), ("deep/b", ChangeKind::Added), ("gone", ChangeKind::Removed)]);
    // In place, as a container with an open file would.
    disk.seed("datasets/x/same", "other");
    assert_eq!((disk.read("datasets/x@v1/changed"), disk.read("datasets/x@v2/changed")), ("old".into(), "new".into()));
    assert_eq!((disk.read("datasets/x@v1/same"), disk.read("datasets/x@v2/same")), ("same".into(), "same".into()));

    // Versions are read-only, for administrators too.
    disk.portal.set(2, |ann| ann.datasets = vec![folder("x", true), folder("x@v1", false)]);
    for who in [disk.ann(), disk.root()] {
        who.clone().get("/api/raw/datasets/x@v1/changed").await.expect(200);
        who.clone().put("/api/resources/datasets/x@v1/changed", "x").await.expect(403);
        who.clone().delete("/api/resources/datasets/x@v1/changed").await.expect(403);
        who.delete("/api/resources/datasets/x@v1").await.expect(403);
    }

    let remove = |whole| DatasetWork::Remove { by: 2, by_name: "ann".to_owned(), numbers: vec![1], whole, owner: None };
    assert_eq!(disk.portal.outcome_of("x", remove(false)).await, DatasetOutcome::Done);
    assert!(!disk.real("datasets/x@v1").exists() && disk.real("datasets/x").exists());
    assert_eq!(disk.portal.outcome_of("x", remove(true)).await, DatasetOutcome::Done);
    assert!(!disk.real("datasets/x").exists());
    let trash = disk.root().get("/api/trash").await.expect(200);
    assert!(trash.text().contains("datasets/x"), "{}", trash.text());
}
