//! Malicious and malformed paths.

use serde_json::json;

use super::dav::{by, send, transfer};
use super::harness::TestDisk;
use super::shares::share;
use super::tasks::attempt;
use super::tus::{begin, patch};

/// Every form in which a path can be wrong, below `home`.
pub(super) const BAD_PATHS: [&str; 26] = [
    "/home/..",
    "/home/../",
    "/home/../share/x",
    "/home/%2e%2e/bob/x",
    "/home/%2E%2E%2Fbob",
    "/home/.%2e/bob",
    "/home/..%2fbob%2fx",
    "/home/./x",
    "/home/%2e/x",
    "/home/x/.",
    "//home/x",
    "/home//x",
    "/home/%2fx",
    "/home/x%2f%2fy",
    "/home/x//",
    "/%2f%2fetc/passwd",
    "/home/a%00b",
    "/home/%00",
    "/home/%c0%ae%c0%ae/x",
    "/home/%c0%afx",
    "/home/%e0%80%ae",
    "/home/%ff",
    "/home/%ed%a0%80",
    "/home/%zz",
    "/home/%",
    "/home/a%2",
];

#[tokio::test]
async fn bad_paths_are_400_for_every_verb_and_change_nothing() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/x", "bob's");
    disk.seed("home/ann/a", "a");
    let before = snapshot(&disk);
    for path in BAD_PATHS {
        for who in [disk.ann(), disk.root()] {
            who.clone().get(&format!("/api/resources{path}")).await.expect(400);
            who.clone().get(&format!("/api/raw{path}")).await.expect(400);
            who.clone().get(&format!("/api/usage{path}")).await.expect(400);
            who.clone().post(&format!("/api/resources{path}?override=true"), "evil").await.expect(400);
            who.clone().put(&format!("/api/resources{path}"), "evil").await.expect(400);
            who.clone().delete(&format!("/api/resources{path}")).await.expect(400);
            let from = format!("/api/resources{path}?action=rename&destination=/home/new");
            who.clone().send(http::Method::PATCH, &from, "").await.expect(400);
            for action in ["rename", "copy"] {
                let to = format!("/api/resources/home/a?action={action}&override=true&destination={path}");
                who.clone().send(http::Method::PATCH, &to, "").await.expect(400);
            }
        }
    }
    assert_eq!(snapshot(&disk), before);
}

/// Every entry of the disk, except the records of the homes' owners.
pub(super) fn snapshot(disk: &TestDisk) -> Vec<(String, String)> {
    fn walk(folder: &std::path::Path, out: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let content = std::fs::read_link(&path).map(|to| to.display().to_string());
            let content = content.or_else(|_| std::fs::read_to_string(&path)).unwrap_or_default();
            out.push((path.display().to_string(), content));
            if std::fs::symlink_metadata(&path).unwrap().is_dir() {
                walk(&path, out);
            }
        }
    }
    let mut all = Vec::new();
    walk(disk.folder.path(), &mut all);
    all.retain(|(path, _)| !path.contains(".yunlab/homes/"));
    all.sort();
    all
}

#[tokio::test]
async fn a_doubly_encoded_path_is_a_name_with_percent_signs() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/%252e%252e%252fbob", "mine").await.expect(200);
    assert_eq!(disk.read("home/ann/%2e%2e%2fbob"), "mine");
    assert_eq!(
        disk.ann().get("/api/resources/home/%252e%252e%252fbob").await.expect(200).json()["name"],
        "%2e%2e%2fbob"
    );
}

#[tokio::test]
async fn names_and_paths_have_limits() {
    let disk = TestDisk::new().await;
    let name = "x".repeat(255);
    disk.ann().post(&format!("/api/resources/home/{name}"), "").await.expect(200);
    disk.ann().get(&format!("/api/resources/home/{name}")).await.expect(200);
    disk.ann().post(&format!("/api/resources/home/{name}x"), "").await.expect(400);
    disk.ann().get(&format!("/api/resources/home/{}", "图".repeat(86))).await.expect(400);
    disk.ann().get(&format!("/api/resources/{}", "a/".repeat(1001))).await.expect(400);
    disk.ann().get(&format!("/api/resources/{}", "abcdefghi/".repeat(1700))).await.expect(400);
}

#[tokio::test]
async fn folders_lie_deeper_than_a_path_can_say() {
    let disk = TestDisk::new().await;
    let deep = format!("/home/{}", vec!["d".repeat(200); 40].join("/"));
    assert!(deep.len() > 4096);
    disk.ann().post(&format!("/api/resources{deep}/"), "").await.expect(200);
    disk.ann().post(&format!("/api/resources{deep}/file"), "at the bottom").await.expect(200);
    assert_eq!(disk.ann().get(&format!("/api/raw{deep}/file")).await.expect(200).text(), "at the bottom");
    assert_eq!(disk.ann().get(&format!("/api/resources{deep}")).await.expect(200).names(), ["file"]);
    disk.ann().rename(&format!("{deep}/file"), "/home/up").await.expect(200);
    let top = "d".repeat(200);
    disk.ann().change("copy", &format!("/home/{top}"), "/home/copy", "").await.expect(200);
    disk.ann().delete(&format!("/api/resources/home/{top}")).await.expect(200);
    disk.ann().delete("/api/resources/home/copy").await.expect(200);
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names(), ["up"]);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn everything_works_deeper_than_a_path_can_say() {
    let disk = TestDisk::new().await;
    let deep = format!("/home/{}", vec!["d".repeat(200); 25].join("/"));
    let file = format!("{deep}/file");
    let address = begin(disk.ann(), &file, "3").await;
    patch(disk.ann(), &address, 0, "abc").await.expect(204);
    let digest = disk.ann().get(&format!("/api/resources{file}?checksum=md5")).await.expect(200);
    assert!(digest.text().contains("900150983cd24fb0d6963f7d28e17f72"));
    disk.ann().put(&format!("/api/resources{file}"), "abcd").await.expect(200);
    disk.ann().get(&format!("/api/usage{deep}")).await.expect(200);
    disk.ann().get(&format!("/api/preview/big{file}")).await.expect(415);
    assert!(disk.ann().get(&format!("/api/search{deep}/?query=file")).await.expect(200).text().contains("file"));
    let link = share(&disk, &deep).await;
    assert_eq!(disk.anonymous().get(&format!("/api/public/dl/{link}/file")).await.expect(200).text(), "abcd");

    send(by(&disk, "ann"), "PUT", &format!("{deep}/dav"), "dav").await.expect(201);
    send(by(&disk, "ann"), "MKCOL", &format!("{deep}/folder"), "").await.expect(201);
    assert_eq!(send(by(&disk, "ann"), "GET", &format!("{deep}/dav"), "").await.expect(200).text(), "dav");
    send(by(&disk, "ann").header("depth", "1"), "PROPFIND", &deep, "").await.expect(207);
    transfer(by(&disk, "ann"), "COPY", &format!("{deep}/dav"), &format!("{deep}/copy")).await.expect(201);
    transfer(by(&disk, "ann"), "MOVE", &format!("{deep}/copy"), &format!("{deep}/folder/moved")).await.expect(201);
    send(by(&disk, "ann"), "DELETE", &format!("{deep}/dav"), "").await.expect(204);

    for work in [
        json!({ "kind": "compress", "paths": [deep], "destination": format!("{deep}/a.tar"), "format": "tar" }),
        json!({ "kind": "extract", "path": format!("{deep}/a.tar"), "destination": format!("{deep}/out") }),
    ] {
        let task = attempt(disk.ann(), work).await.unwrap();
        assert_eq!(task["state"], "done", "{task}");
    }
    let call = disk.ann().header("prefer", "respond-async");
    let copy = call.change("copy", &format!("{deep}/out"), &format!("{deep}/copied"), "").await.expect(202).json();
    super::tasks::ended(disk.ann(), copy["id"].as_str().unwrap()).await;
    let names = disk.ann().get(&format!("/api/resources{deep}")).await.expect(200).names();
    assert_eq!(names, ["copied", "folder", "out", "a.tar", "file"]);

    disk.ann().delete(&format!("/api/resources{deep}/out")).await.expect(200);
    let trash = disk.ann().get("/api/trash").await.expect(200).json();
    let out = trash["items"].as_array().unwrap().iter().find(|item| item["name"] == "out").unwrap().clone();
    disk.ann().post(&format!("/api/trash/{}/restore", out["id"].as_str().unwrap()), "").await.expect(200);
    disk.ann().get(&format!("/api/resources{deep}/out")).await.expect(200);
    let top = "d".repeat(200);
    disk.ann().delete(&format!("/api/resources/home/{top}?permanent=true")).await.expect(200);
    assert!(!disk.real("home/ann").join(top).exists() && disk.leftovers().is_empty());
}
