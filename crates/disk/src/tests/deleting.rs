//! Deleting.

use super::harness::TestDisk;

#[tokio::test]
async fn s351_files_and_trees() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    for number in 0..300 {
        disk.seed(&format!("home/ann/tree/{}/{number}", number % 7), "x");
    }
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    disk.ann().delete("/api/resources/home/a").await.expect(404);
    disk.ann().delete("/api/resources/home/tree/?permanent=true").await.expect(200);
    disk.ann().delete("/api/resources/home/none/x").await.expect(404);
    disk.ann().delete("/api/resources/home/x?permanent=maybe").await.expect(400);
    assert!(disk.ann().get("/api/resources/home").await.expect(200).names().is_empty());
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn depth_costs_no_open_files() {
    let disk = TestDisk::new().await;
    // Deeper than the limit of open files, built in steps because no path can be that long.
    let step = vec!["d"; 500].join("/");
    let mut real = disk.real("home/ann/deep");
    std::fs::create_dir_all(&real).unwrap();
    for _ in 0..3 {
        std::fs::create_dir_all(real.join(&step)).unwrap();
        real = real.join(&step);
    }
    disk.ann().delete("/api/resources/home/deep").await.expect(200);
    assert!(disk.leftovers().is_empty());
    assert!(!disk.real("home/ann/deep").exists());
}

#[tokio::test]
async fn a_folder_without_rights_goes_too() {
    use std::os::unix::fs::PermissionsExt;
    let disk = TestDisk::new().await;
    disk.seed("home/ann/shut/inner/x", "x");
    std::fs::set_permissions(disk.real("home/ann/shut/inner"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(disk.real("home/ann/shut"), PermissionsExt::from_mode(0o000)).unwrap();
    disk.ann().delete("/api/resources/home/shut").await.expect(200);
    assert!(disk.leftovers().is_empty());
}
