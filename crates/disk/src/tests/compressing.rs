//! Packing archives as files on the disk.

use serde_json::{Value, json};

use super::harness::{Answer, Call, TestDisk};
use super::tasks::ended;

const MIB: usize = 1024 * 1024;

async fn ask(call: Call, paths: &[&str], destination: &str, format: &str) -> Answer {
    let body = json!({"kind": "compress", "paths": paths, "destination": destination, "format": format});
    call.post("/api/tasks", body.to_string()).await
}

async fn compress(call: Call, paths: &[&str], destination: &str, format: &str) -> Value {
    let task = ask(call.clone(), paths, destination, format).await.expect(202).json();
    ended(call, task["id"].as_str().unwrap()).await
}

async fn extract(call: Call, path: &str, destination: &str) -> Value {
    let body = json!({"kind": "extract", "path": path, "destination": destination});
    let task = call.clone().post("/api/tasks", body.to_string()).await.expect(202).json();
    ended(call, task["id"].as_str().unwrap()).await
}

#[tokio::test]
async fn every_format_there_and_back() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/in/docs/a.txt", "text");
    disk.seed("home/ann/in/图.bin", vec![7; 300_000]);
    disk.seed("home/ann/in/left", "not chosen");
    disk.link("../../../bob", "home/ann/in/docs/link");
    for format in ["zip", "tar", "targz", "tarbz2", "tarxz", "tarlz4", "tarsz", "tarzst"] {
        let to = format!("/home/packed/{format}");
        let task = compress(disk.ann(), &["/home/in/docs", "/home/in/图.bin"], &to, format).await;
        assert_eq!((&task["state"], &task["error"]), (&"done".into(), &Value::Null), "{format}");
        assert_eq!((&task["kind"], &task["source"]), (&"compress".into(), &"/home/in/".into()));
        assert_eq!(task["destination"], to);
        let size = std::fs::metadata(disk.real(&format!("home/ann/packed/{format}"))).unwrap().len();
        assert_eq!((&task["bytesDone"], &task["bytesTotal"]), (&size.into(), &size.into()), "{format}");
        // The folder, the file in it, and the other file.
        assert_eq!(task["entriesDone"], 3, "{format}");
        let back = extract(disk.ann(), &to, &format!("/home/back/{format}")).await;
        assert_eq!((&back["state"], &back["error"]), (&"done".into(), &Value::Null), "{format}");
        assert_eq!(disk.read(&format!("home/ann/back/{format}/docs/a.txt")), "text");
        assert_eq!(std::fs::read(disk.real(&format!("home/ann/back/{format}/图.bin"))).unwrap(), vec![7; 300_000]);
        assert!(!disk.real(&format!("home/ann/back/{format}/left")).exists());
        assert!(disk.real(&format!("home/ann/back/{format}/docs/link")).symlink_metadata().is_err());
    }
    // Into the very folder that is packed.
    let task = compress(disk.ann(), &["/home/in"], "/home/in/self.zip", "zip").await;
    assert_eq!(task["state"], "done");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn refusals_and_rights() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", vec![1; MIB]);
    disk.seed("home/ann/there", "old");
    disk.seed("home/ann/folder/x", "x");
    disk.seed("home/bob/b", "b");
    ask(disk.ann(), &["/home/a"], "/home/there", "zip").await.expect(409);
    ask(disk.ann(), &["/home/none"], "/home/x", "zip").await.expect(404);
    ask(disk.ann(), &[], "/home/x", "zip").await.expect(400);
    ask(disk.ann(), &["/home/a"], "/home/x", "rar").await.expect(400);
    ask(disk.ann(), &["/home/a"], "/datasets/x", "zip").await.expect(403);
    ask(disk.ann(), &["/home/../bob/b"], "/home/x", "zip").await.expect(400);
    ask(disk.ann(), &["/home/a", "/elsewhere"], "/home/x", "zip").await.expect(404);
    let body = json!({"kind": "compress", "paths": ["/home/a"], "destination": "/home/folder", "format": "tar", "override": true});
    disk.ann().post("/api/tasks", body.to_string()).await.expect(409);
    let body = json!({"kind": "compress", "paths": ["/home/a"], "destination": "/home/there", "format": "tar", "override": true});
    let task = disk.ann().post("/api/tasks", body.to_string()).await.expect(202).json();
    assert_eq!(ended(disk.ann(), task["id"].as_str().unwrap()).await["state"], "done");
    assert!(std::fs::metadata(disk.real("home/ann/there")).unwrap().len() > MIB as u64);

    disk.portal.set(2, |ann| ann.disk_quota = 3 * MIB as u64);
    let task = compress(disk.ann(), &["/home/a"], "/home/over.tar", "tar").await;
    assert_eq!(task["error"], "507 Insufficient Storage (quota exceeded)");
    assert!(!disk.real("home/ann/over.tar").exists() && disk.leftovers().is_empty());

    for take in [|may: &mut crate::Permissions| may.download = false, |may: &mut crate::Permissions| may.create = false]
    {
        let disk = TestDisk::without(take).await;
        disk.seed("home/ann/a", "a");
        ask(disk.ann(), &["/home/a"], "/home/x", "zip").await.expect(403);
    }
}
