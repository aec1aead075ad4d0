//! Finding files by name.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;

use axum::body::Body;
use disk_core::rules::Rule;
use http::{Method, Request};
use http_body_util::BodyExt;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use serde_json::Value;
use tower::ServiceExt;

use super::harness::{Call, TestDisk};

/// The paths that were found, sorted.
async fn found(caller: Call, path: &str, query: &str) -> Vec<String> {
    let query = percent_encoding::utf8_percent_encode(query, percent_encoding::NON_ALPHANUMERIC);
    let mark = if path.contains('?') { '&' } else { '?' };
    let hits = caller.get(&format!("/api/search{path}{mark}query={query}")).await.expect(200).json();
    let path = |hit: &Value| hit["path"].as_str().unwrap().to_owned();
    let mut paths: Vec<String> = hits.as_array().unwrap().iter().map(path).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn s190_s365_a_hit_has_path_dir_and_url() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/docs/年 report#1.txt", "");
    disk.seed("home/ann/docs/reports/zz", "");
    let answer = disk.ann().get("/api/search/home/docs/?query=report").await.expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
    let mut hits = answer.json().as_array().unwrap().clone();
    hits.sort_by_key(|hit| hit["dir"].as_bool());
    let expected = serde_json::json!([
        {"dir": false, "path": "年 report#1.txt", "url": "/files/home/docs/%E5%B9%B4%20report%231.txt"},
        {"dir": true, "path": "reports", "url": "/files/home/docs/reports/"},
    ]);
    assert_eq!(Value::from(hits), expected);
    assert_eq!(found(disk.ann(), "/home", "zz").await, ["docs/reports/zz"]);
    assert_eq!(found(disk.ann(), "/home", "nothing").await, [] as [&str; 0]);
    assert_eq!(disk.ann().get("/api/search/home/?query=nothing").await.text(), "[]");
}

#[tokio::test]
async fn words_phrases_types_and_case() {
    let disk = TestDisk::new().await;
    for name in ["Trip.JPG", "trip notes.txt", "d/Song.mp3", "d/film.mkv", "d/a.tar.gz", "d/paper.pdf", "jpg"] {
        disk.seed(&format!("home/ann/{name}"), "");
    }
    let table: [(&str, &[&str]); 11] = [
        ("trip", &["Trip.JPG", "trip notes.txt"]),
        ("case:sensitive trip", &["trip notes.txt"]),
        ("\"trip notes\"", &["trip notes.txt"]),
        ("song film", &["d/Song.mp3", "d/film.mkv"]),
        ("type:image", &["Trip.JPG"]),
        ("type:jpg", &["Trip.JPG"]),
        ("type:audio type:video", &["d/Song.mp3", "d/film.mkv"]),
        ("type:pdf", &["d/paper.pdf"]),
        ("type:archive", &["d/a.tar.gz"]),
        ("type:text trip", &["trip notes.txt"]),
        ("", &["Trip.JPG", "d", "d/Song.mp3", "d/a.tar.gz", "d/film.mkv", "d/paper.pdf", "jpg", "trip notes.txt"]),
    ];
    for (query, expected) in table {
        assert_eq!(found(disk.ann(), "/home/", query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn s274_depth_counts_levels_of_folders() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x/x/x/x", "");
    assert_eq!(found(disk.ann(), "/home?depth=1", "x").await, ["x"]);
    assert_eq!(found(disk.ann(), "/home?depth=2", "x").await, ["x", "x/x"]);
    assert_eq!(found(disk.ann(), "/home", "x").await, ["x", "x/x", "x/x/x", "x/x/x/x"]);
    assert_eq!(found(disk.ann(), "/?depth=1", "").await, ["datasets", "groups", "home", "share"]);
    assert_eq!(found(disk.ann(), "/?depth=2", "vision x").await, ["groups/vision", "home/x"]);
    for bad in ["0", "-1", "x", "99999999999"] {
        disk.ann().get(&format!("/api/search/home/?query=x&depth={bad}")).await.expect(400);
    }
}

#[tokio::test]
async fn the_made_up_root_is_all_that_the_viewer_sees() {
    let disk = TestDisk::new().await;
    for folder in ["home/ann", "home/bob", "share", "groups/vision", "groups/other", "datasets/d", "extra", ".yunlab"] {
        disk.seed(&format!("{folder}/mark"), "");
    }
    let anns = ["datasets/d/mark", "groups/vision/mark", "home/mark", "share/mark"];
    assert_eq!(found(disk.ann(), "/", "mark").await, anns);
    assert_eq!(found(disk.ann(), "", "mark").await, anns);
    assert_eq!(found(disk.ann(), "/groups/", "mark").await, ["vision/mark"]);
    assert_eq!(found(disk.bob(), "/", "mark").await, ["datasets/d/mark", "home/mark", "share/mark"]);
    let all = [
        "datasets/d/mark",
        "extra/mark",
        "groups/other/mark",
        "groups/vision/mark",
        "home/ann/mark",
        "home/bob/mark",
        "share/mark",
    ];
    assert_eq!(found(disk.root(), "/", "mark").await, all);
    let url = disk.ann().get("/api/search/?query=mark&depth=2").await.json();
    assert!(url.as_array().unwrap().iter().any(|hit| hit["url"] == "/files/home/mark"), "{url}");
}

#[tokio::test]
async fn links_are_found_and_not_followed() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/secret", "");
    disk.seed("home/ann/real/mark", "");
    disk.link("../bob", "home/ann/out");
    disk.link("/", "home/ann/root");
    disk.link(".", "home/ann/mark-loop");
    disk.link("real", "home/ann/alias");
    assert_eq!(found(disk.ann(), "/home", "mark secret").await, ["mark-loop", "real/mark"]);
    // A link in the path is followed as everywhere: within the space only.
    assert_eq!(found(disk.ann(), "/home/alias", "mark").await, ["mark"]);
    disk.ann().get("/api/search/home/out/?query=secret").await.expect(403);
    disk.ann().get("/api/search/home/root/?query=secret").await.expect(403);
}

#[tokio::test]
async fn rules_hide_names_and_all_below_them() {
    let deny = |path: &str| Rule { path: path.into(), ..Rule::default() };
    let rules = vec![deny("/home/secret"), deny("/share"), deny("/home/d/one")];
    let disk = TestDisk::with(|config| config.settings.rules = rules).await;
    for path in ["home/ann/secret/mark", "home/ann/d/one", "home/ann/d/one-more", "share/mark", "groups/vision/mark"] {
        disk.seed(path, "");
    }
    disk.link("secret", "home/ann/alias");
    assert_eq!(found(disk.ann(), "/", "secret mark one share").await, ["groups/vision/mark", "home/d/one-more"]);
    for path in ["home/secret", "home/alias", "share"] {
        disk.ann().get(&format!("/api/search/{path}/?query=mark")).await.expect(403);
    }
}

/// The original also finds entries in hidden folders.
#[tokio::test]
async fn hidden_names_stay_hidden_and_are_not_looked_into() {
    let disk = TestDisk::with(|config| config.settings.defaults.hide_dotfiles = true).await;
    for path in ["home/ann/.git/mark", "home/ann/.mark", "home/ann/mark"] {
        disk.seed(path, "");
    }
    assert_eq!(found(disk.ann(), "/home", "mark").await, ["mark"]);
    let open = TestDisk::new().await;
    open.seed("home/ann/.git/mark", "");
    assert_eq!(found(open.ann(), "/home", "mark").await, [".git/mark"]);
}

#[tokio::test]
async fn refusals() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/file", "");
    disk.seed("home/bob/file", "");
    disk.ann().get("/api/search/home/none/?query=x").await.expect(404);
    disk.ann().get("/api/search/home/file?query=x").await.expect(400);
    disk.ann().get("/api/search/nowhere/?query=x").await.expect(404);
    disk.ann().get("/api/search/groups/other/?query=x").await.expect(404);
    disk.ann().get("/api/search/home/../bob/?query=x").await.expect(400);
    disk.ann().get("/api/search/home/%2e%2e/bob/?query=x").await.expect(400);
    disk.root().get("/api/search/.yunlab/?query=x").await.expect(404);
    disk.ann().get(&format!("/api/search/home/?query={}", "x".repeat(1025))).await.expect(400);
    disk.ann().get(&format!("/api/search/home/?query={}", "x+".repeat(33))).await.expect(400);
    disk.ann().get("/api/search/home/?query=%ff").await.expect(200);
    disk.anonymous().get("/api/search/home/?query=x").await.expect(401);
    disk.ann().post("/api/search/home/?query=x", "").await.expect(405);
    disk.ann().send(Method::HEAD, "/api/search/home/?query=x", "").await.expect(200);
}

/// Names that cannot be in a path are left out; all others are found.
#[tokio::test]
async fn hard_names_and_deep_folders() {
    let disk = TestDisk::new().await;
    let names = ["a\nmark", "mark\\b", "mark\"<>&", "\u{202e}mark", "mark%2f", "\u{1f600}mark"];
    for name in names {
        disk.seed(&format!("home/ann/hard/{name}"), "");
    }
    std::fs::write(disk.real("home/ann/hard").join(OsStr::from_bytes(b"mark\xff")), "").unwrap();
    let expected: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(found(disk.ann(), "/home/hard", "mark").await.into_iter().collect::<BTreeSet<_>>(), expected);

    // Deeper than any path that the kernel accepts.
    let name = "d".repeat(200);
    let mut folder = File::open(disk.real("home/ann")).unwrap();
    for _ in 0..40 {
        mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
        folder = openat(&folder, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap().into();
    }
    let hits = found(disk.ann(), "/home", "ddd").await;
    assert_eq!(hits.len(), 40);
    assert_eq!(hits.last().unwrap().len(), 40 * 201 - 1);
}

#[tokio::test]
async fn lines_are_streamed_while_searching() {
    let disk = TestDisk::new().await;
    for number in 0..200 {
        disk.seed(&format!("home/ann/d{}/mark{number}", number % 7), "");
    }
    let answer = disk.ann().header("accept", "application/x-ndjson").get("/api/search/home/?query=mark").await;
    let answer = answer.expect(200);
    assert_eq!(answer.header("content-type"), "application/x-ndjson");
    let text = answer.text();
    let paths: BTreeSet<String> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(paths.len(), 200);
    assert_eq!(found(disk.ann(), "/home", "mark").await.into_iter().collect::<BTreeSet<_>>(), paths);
}

/// A search ends with its client, however much is left to read.
#[tokio::test]
async fn a_search_ends_with_its_client() {
    let disk = TestDisk::new().await;
    // More than one part of the response holds.
    let folder = disk.seed("home/ann/many/first", "").parent().unwrap().to_owned();
    for number in 0..6000 {
        std::fs::write(folder.join(format!("{number}-{}", "mark".repeat(20))), "").unwrap();
    }
    let mut request = Request::builder().uri("/disk/api/search/home/?query=mark");
    request.headers_mut().unwrap().insert("x-auth", "ann".parse().unwrap());
    let answer = disk.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let mut body = answer.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"[{") && !first.ends_with(b"]"));
    drop(body);
    // The abandoned search holds no turn.
    assert_eq!(found(disk.ann(), "/home", "first").await, ["many/first"]);
}
