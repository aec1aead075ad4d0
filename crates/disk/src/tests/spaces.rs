//! People's views of the disk, and where they may write.

use super::harness::TestDisk;

#[tokio::test]
async fn an_ordinary_root_holds_the_spaces_and_takes_nothing() {
    let disk = TestDisk::new().await;
    let root = disk.ann().get("/api/resources").await.expect(200);
    assert_eq!(root.names(), ["home", "share", "groups", "datasets"]);
    assert_eq!(root.json()["path"], "/");
    assert_eq!(root.json()["name"], "");
    assert_eq!(disk.bob().get("/api/resources/").await.expect(200).names(), ["home", "share", "datasets"]);
    assert_eq!(disk.ann().get("/api/resources/groups/").await.expect(200).names(), ["vision"]);
    for path in ["/file", "/folder/", "/groups/other/x", "/groups/new/", "/groups/file", "/home2/x"] {
        disk.ann().post(&format!("/api/resources{path}"), "x").await.expect(403);
    }
    disk.ann().post("/api/resources/home/a", "x").await.expect(200);
    disk.ann().rename("/home/a", "/a").await.expect(403);
    disk.ann().change("copy", "/home/a", "/groups/a", "").await.expect(403);
    disk.ann().get("/api/resources/etc").await.expect(404);
}

#[tokio::test]
async fn home_is_made_at_the_first_visit_and_belongs_to_one() {
    let disk = TestDisk::new().await;
    assert!(!disk.real("home/ann").exists());
    disk.ann().get("/api/resources/home").await.expect(200);
    assert!(disk.real("home/ann").is_dir());
    disk.seed("home/bob/secret", "s");
    disk.ann().get("/api/resources/home/bob/secret").await.expect(404);
    disk.bob().get("/api/resources/home/secret").await.expect(200);
    disk.ann().post("/api/resources/groups/vision/x", "ours").await.expect(200);
    disk.bob().get("/api/resources/groups/vision/x").await.expect(404);
    disk.bob().get("/api/resources/groups").await.expect(200);
    disk.ann().post("/api/resources/share/x", "all's").await.expect(200);
    assert_eq!(disk.bob().get("/api/raw/share/x").await.expect(200).text(), "all's");
}

/// A name that is given to another person after its owner was deleted.
#[tokio::test]
async fn a_new_person_of_an_old_name_finds_an_empty_home() {
    let mut disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/diary", "ann's").await.expect(200);
    disk.portal.set(3, |bob| bob.username = "Ann".to_owned());
    disk.bob().get("/api/resources/home/diary").await.expect(404);
    disk.bob().post("/api/resources/home/mine", "new").await.expect(200);
    assert_eq!(disk.root().get("/api/raw/home/ann~2/diary").await.expect(200).text(), "ann's");
    disk.reopen().await;
    disk.bob().get("/api/resources/home/mine").await.expect(200);
    disk.bob().get("/api/resources/home/diary").await.expect(404);
}

#[tokio::test]
async fn datasets_are_for_reading_and_the_share_can_be() {
    let disk = TestDisk::with(|config| config.settings.share_read_only = true).await;
    for space in ["datasets", "share"] {
        disk.seed(&format!("{space}/d/readme.md"), "data");
        let base = format!("/api/resources/{space}/d");
        let seen = disk.ann().get(&format!("{base}/readme.md")).await.expect(200);
        assert_eq!(seen.json()["type"], "textImmutable");
        disk.ann().post(&format!("{base}/new"), "x").await.expect(403);
        disk.ann().post(&format!("{base}/new/"), "").await.expect(403);
        disk.ann().put(&format!("{base}/readme.md"), "x").await.expect(403);
        disk.ann().delete(&format!("{base}/readme.md")).await.expect(403);
        disk.ann().rename(&format!("/{space}/d/readme.md"), "/home/mine").await.expect(403);
        disk.ann().change("copy", &format!("/{space}/d"), &format!("/home/{space}"), "").await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/{space}/readme.md")), "data");
        disk.root().put(&format!("{base}/readme.md"), "x").await.expect(200);
    }
}

#[tokio::test]
async fn an_administrators_root_is_the_disk() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/x", "bob's");
    let root = disk.root().get("/api/resources/").await.expect(200);
    assert_eq!(root.names(), ["datasets", "groups", "home", "share"]);
    assert_eq!(disk.root().get("/api/raw/home/bob/x").await.expect(200).text(), "bob's");
    disk.root().post("/api/resources/extra/", "").await.expect(200);
    disk.root().post("/api/resources/extra/file", "x").await.expect(200);
    disk.root().get("/api/resources/home/nobody").await.expect(404);
    disk.root().post("/api/resources/home/nobody/x", "x").await.expect(404);
    disk.root().delete("/api/resources/home/bob").await.expect(200);
    // Bob's home is created again at his next visit, empty.
    assert!(disk.bob().get("/api/resources/home").await.expect(200).names().is_empty());
}

#[tokio::test]
async fn the_disks_own_folder_is_nobodys() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/.yunlab/inner", "x");
    for who in [disk.ann(), disk.root()] {
        for path in ["/.yunlab", "/.yunlab/uploads", "/.YunLab/", "/home/.yunlab", "/share/a/.yunlab/b"] {
            who.clone().get(&format!("/api/resources{path}")).await.expect(404);
            who.clone().get(&format!("/api/raw{path}")).await.expect(404);
            who.clone().post(&format!("/api/resources{path}"), "x").await.expect(403);
            who.clone().delete(&format!("/api/resources{path}")).await.expect(403);
        }
        assert!(!who.clone().get("/api/resources/").await.expect(200).names().contains(&".yunlab".to_owned()));
        who.clone().post("/api/resources/share/a", "x").await;
        who.clone().rename("/share/a", "/share/.yunlab").await.expect(403);
    }
    assert!(disk.ann().get("/api/resources/home").await.expect(200).names().is_empty());
}

#[tokio::test]
async fn roots_and_spaces_stay() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    for path in ["", "/", "/home", "/home/", "/share", "/groups", "/groups/vision", "/datasets"] {
        disk.ann().delete(&format!("/api/resources{path}")).await.expect(403);
    }
    for path in ["", "/", "/home", "/share/", "/groups", "/datasets"] {
        disk.root().delete(&format!("/api/resources{path}")).await.expect(403);
    }
    disk.ann().rename("/", "/home/x").await.expect(400);
    disk.ann().rename("/home", "/share/x").await.expect(403);
    disk.ann().rename("/home/a", "/").await.expect(400);
    disk.ann().change("rename", "/home/a", "/share", "&override=true").await.expect(403);
    disk.root().rename("/share", "/old").await.expect(403);
    disk.ann().post("/api/resources/home", "x").await.expect(409);
    disk.ann().post("/api/resources/home/", "").await.expect(200);
    disk.ann().put("/api/resources/home", "x").await.expect(405);
    assert_eq!(disk.read("home/ann/a"), "a");
}

#[test]
fn a_link_in_place_of_a_space_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("share")).unwrap();
    let error = disk_core::space::make_folders(folder.path()).unwrap_err();
    assert!(error.to_string().contains("is a link"), "{error}");
}
