//! Finding files while the user is typing: `GET /api/find`.

use std::time::Duration;

use disk_core::rules::Rule;
use serde_json::Value;

use super::harness::{Call, TestDisk};

/// What is found in the end, as paths: a call says whether asking again would find more.
async fn found(caller: impl Fn() -> Call, words: &str) -> Vec<String> {
    let words = percent_encoding::utf8_percent_encode(words, percent_encoding::NON_ALPHANUMERIC).to_string();
    loop {
        let answer = caller().get(&format!("/api/find?q={words}")).await.expect(200).json();
        if answer["searching"] == false {
            let path = |item: &Value| item["path"].as_str().unwrap().to_owned();
            return answer["items"].as_array().unwrap().iter().map(path).collect();
        }
    }
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths
}

#[tokio::test]
async fn all_that_the_viewer_sees_is_found_at_any_depth() {
    let disk = TestDisk::new().await;
    for folder in ["home/ann/a/b/c/d", "home/bob", "share", "groups/vision", "groups/other", "datasets/d", ".yunlab"] {
        disk.seed(&format!("{folder}/mark.txt"), "four");
    }
    let anns = ["/datasets/d/mark.txt", "/groups/vision/mark.txt", "/home/a/b/c/d/mark.txt", "/share/mark.txt"];
    assert_eq!(sorted(found(|| disk.ann(), "mark").await), anns);
    let bobs = ["/datasets/d/mark.txt", "/home/mark.txt", "/share/mark.txt"];
    assert_eq!(sorted(found(|| disk.bob(), "mark").await), bobs);
    assert_eq!(found(|| disk.root(), "mark").await.len(), 6);
    assert_eq!(found(|| disk.root(), "mark ann").await, ["/home/ann/a/b/c/d/mark.txt"]);
    // A folder's path ends with a slash.
    assert_eq!(found(|| disk.ann(), "vision").await, ["/groups/vision/"]);
    let one = disk.ann().get("/api/find?q=MARK+a").await.expect(200).json();
    assert_eq!(one["items"][0]["size"], 4);
    assert_eq!(one["items"][0]["isDir"], false);
    assert_eq!(one["limited"], false);
}

#[tokio::test]
async fn what_is_gone_is_not_shown_and_what_is_new_is_found_soon() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/mark-old", "");
    disk.seed("home/ann/mark-gone", "");
    assert_eq!(sorted(found(|| disk.ann(), "mark").await), ["/home/mark-gone", "/home/mark-old"]);
    std::fs::remove_file(disk.real("home/ann/mark-gone")).unwrap();
    disk.seed("home/ann/mark-new", "");
    assert_eq!(found(|| disk.ann(), "mark").await, ["/home/mark-old"]);
    disk.clock.advance(Duration::from_secs(31));
    assert_eq!(sorted(found(|| disk.ann(), "mark").await), ["/home/mark-new", "/home/mark-old"]);
}

#[tokio::test]
async fn a_lost_right_counts_at_once() {
    let disk = TestDisk::new().await;
    disk.seed("groups/vision/mark", "");
    disk.seed("home/ann/mark", "");
    assert_eq!(sorted(found(|| disk.ann(), "mark").await), ["/groups/vision/mark", "/home/mark"]);
    disk.portal.set(2, |ann| ann.groups.clear());
    assert_eq!(found(|| disk.ann(), "mark").await, ["/home/mark"]);
}

#[tokio::test]
async fn rules_and_hidden_names_hold() {
    let deny = |path: &str| Rule { path: path.into(), ..Rule::default() };
    let disk = TestDisk::with(|config| {
        config.settings.rules = vec![deny("/home/secret"), deny("/share")];
        config.settings.defaults.hide_dotfiles = true;
    })
    .await;
    for path in ["home/ann/secret/mark", "home/ann/.git/mark", "home/ann/.mark", "share/mark", "home/ann/mark"] {
        disk.seed(path, "");
    }
    disk.seed("home/bob/mark-of-bob", "");
    disk.link("../bob/mark-of-bob", "home/ann/mark-link");
    assert_eq!(found(|| disk.ann(), "mark").await, ["/home/mark"]);
    assert_eq!(found(|| disk.ann(), "secret").await, [] as [&str; 0]);
}

#[tokio::test]
async fn many_files_are_found_in_several_calls_and_the_best_are_shown() {
    let disk = TestDisk::new().await;
    for number in 0..2000 {
        disk.seed(&format!("home/ann/d{}/e{}/mark-{number}", number % 40, number % 7), "");
    }
    disk.seed("home/ann/d1/e1/mark", "");
    let shown = found(|| disk.ann(), "mark").await;
    assert_eq!(shown.len(), 8);
    assert_eq!(shown[0], "/home/d1/e1/mark");
    assert_eq!(found(|| disk.ann(), "mark-1999").await, ["/home/d39/e4/mark-1999"]);
}

#[tokio::test]
async fn refusals() {
    let disk = TestDisk::new().await;
    disk.ann().get(&format!("/api/find?q={}", "x".repeat(201))).await.expect(400);
    disk.anonymous().get("/api/find?q=x").await.expect(401);
    disk.ann().post("/api/find?q=x", "").await.expect(405);
    assert_eq!(disk.ann().get("/api/find").await.expect(200).json()["items"], serde_json::json!([]));
}
