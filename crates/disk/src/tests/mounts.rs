//! Several file systems below one root, and full ones. Needs the right to mount; on machines without it, these tests
//! print so and pass.

use std::path::PathBuf;
use std::process::Command;

use axum::body::Body;
use futures_util::stream;

use super::harness::TestDisk;

/// A small file system in memory.
struct Mounted(PathBuf);

impl Mounted {
    fn new(disk: &TestDisk, path: &str, size: &str) -> Option<Self> {
        let path = disk.real(path);
        std::fs::create_dir_all(&path).unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(&path).output();
        let mounted = mount.is_ok_and(|output| output.status.success());
        if !mounted {
            tracing::warn!("no right to mount: not tested");
        }
        mounted.then(|| Self(path))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[tokio::test]
async fn the_trash_of_a_mounted_space_is_found_at_the_start() {
    let mut disk = TestDisk::new().await;
    for path in ["share", "groups/vision"] {
        let Some(_mounted) = Mounted::new(&disk, path, "16m") else { return };
        disk.ann().post(&format!("/api/resources/{path}/f"), "one").await.expect(200);
        disk.ann().delete(&format!("/api/resources/{path}/f")).await.expect(200);
        assert!(disk.real(path).join(".yunlab/trash").read_dir().unwrap().count() == 2);
        disk.sql("delete from disk_trash").await;
        disk.reopen().await;
        let item = disk.ann().get("/api/trash").await.expect(200).json()["items"][0].clone();
        assert_eq!(item["path"], format!("/{path}/f"));
        let restore = format!("/api/trash/{}/restore", item["id"].as_str().unwrap());
        disk.ann().post(&restore, "").await.expect(200);
        assert_eq!(disk.read(&format!("{path}/f")), "one");
    }
}

const MIB: usize = 1024 * 1024;

fn chunks(mib: usize) -> Body {
    let chunks = (0..mib).map(|_| Ok::<_, std::convert::Infallible>(vec![7; MIB]));
    Body::from_stream(stream::iter(chunks.collect::<Vec<_>>()))
}

#[tokio::test]
async fn every_verb_works_on_a_mounted_space() {
    let disk = TestDisk::new().await;
    for path in ["share", "home/ann/inner/nas"] {
        let Some(_mounted) = Mounted::new(&disk, path, "16m") else { return };
        let url = path.replace("home/ann", "home");
        disk.ann().post(&format!("/api/resources/{url}/d/f"), "one").await.expect(200);
        disk.ann().put(&format!("/api/resources/{url}/d/f"), "two").await.expect(200);
        disk.ann().rename(&format!("/{url}/d"), &format!("/{url}/e")).await.expect(200);
        assert_eq!(disk.read(&format!("{path}/e/f")), "two");
        let listing = disk.ann().get(&format!("/api/resources/{url}")).await.expect(200);
        assert_eq!(listing.names(), ["e"]);
        // From one file system to the other and back, whole folders and onto existing ones.
        disk.ann().rename(&format!("/{url}/e"), "/home/back").await.expect(200);
        assert!(!disk.real(path).join("e").exists());
        assert_eq!(disk.read("home/ann/back/f"), "two");
        disk.seed(&format!("{path}/back/g"), "g");
        disk.ann().change("rename", "/home/back", &format!("/{url}/back"), "&override=true").await.expect(200);
        assert_eq!(
            (disk.read(&format!("{path}/back/f")), disk.read(&format!("{path}/back/g"))),
            ("two".into(), "g".into())
        );
        assert!(!disk.real("home/ann/back").exists());
        disk.ann().delete(&format!("/api/resources/{url}/back")).await.expect(200);
        assert_eq!(std::fs::read_dir(disk.real(path)).unwrap().count(), 1, "only the disk's own folder");
        assert!(disk.leftovers().is_empty());
    }
}

#[tokio::test]
async fn a_folder_with_a_mount_in_it_is_not_deleted() {
    let disk = TestDisk::new().await;
    let Some(_mounted) = Mounted::new(&disk, "home/ann/parent/n a s", "1m") else { return };
    disk.seed("home/ann/parent/n a s/keep", "keep");
    disk.seed("home/ann/parent/file", "x");
    disk.ann().delete("/api/resources/home/parent/n%20a%20s").await.expect(423);
    disk.ann().delete("/api/resources/home/parent").await.expect(423);
    disk.ann().rename("/home/parent", "/share/elsewhere").await.expect(423);
    assert_eq!(disk.read("home/ann/parent/n a s/keep"), "keep");
    disk.ann().delete("/api/resources/home/parent/file").await.expect(200);
}

#[tokio::test]
async fn a_full_disk_is_507_and_nothing_is_lost() {
    let disk = TestDisk::new().await;
    let Some(_mounted) = Mounted::new(&disk, "share", "4m") else { return };
    disk.ann().post("/api/resources/share/old", "old").await.expect(200);
    let full = disk.ann().header("content-length", &(8 * MIB).to_string());
    full.post("/api/resources/share/new", chunks(8)).await.expect(507);
    for path in ["/share/new", "/share/old?override=true", "/share/folder/deep/new"] {
        let refused = disk.ann().post(&format!("/api/resources{path}"), chunks(8)).await.expect(507);
        assert_eq!(refused.text(), "507 Insufficient Storage (disk full)\n");
    }
    disk.ann().put("/api/resources/share/old", chunks(8)).await.expect(507);
    disk.seed("home/ann/big/a", vec![1; MIB]);
    disk.seed("home/ann/big/b", vec![1; 8 * MIB]);
    for action in ["copy", "rename"] {
        disk.ann().change(action, "/home/big", "/share/big", "").await.expect(507);
        disk.ann().change(action, "/home/big/b", "/share/old", "&override=true").await.expect(507);
    }
    assert_eq!(disk.ann().get("/api/resources/share").await.expect(200).names(), ["old"]);
    assert_eq!(disk.read("share/old"), "old");
    assert!(disk.real("home/ann/big/b").exists());
    assert_eq!(std::fs::read_dir(disk.real("share/.yunlab/uploads")).unwrap().count(), 0);
    // All the room is there again.
    disk.ann().post("/api/resources/share/fits", chunks(3)).await.expect(200);
}
