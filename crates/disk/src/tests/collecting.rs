//! Links by which strangers send files to a folder that they do not see.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use disk_core::rules::Rule;
use futures_util::future::join_all;
use futures_util::stream;
use http::Request;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower::ServiceExt;

use super::harness::{Answer, Call, TestDisk};
use super::shares::{hash, share};
use super::uploading::broken;

const MIB: usize = 1024 * 1024;

fn limits(bytes: impl Into<Value>, files: impl Into<Value>) -> Value {
    let (bytes, files): (Value, Value) = (bytes.into(), files.into());
    json!({ "collect": { "maxBytes": bytes, "maxFiles": files } })
}

/// Ann's permanent link to a new folder `in` of her home, with these limits in bytes and files.
async fn link(disk: &TestDisk, bytes: usize, files: usize) -> String {
    disk.ann().post("/api/resources/home/in/", "").await.expect(200);
    hash(&disk.ann().post("/api/share/home/in", limits(bytes, files).to_string()).await.expect(200))
}

async fn send(call: Call, hash: &str, name: &str, content: impl Into<Body>) -> Answer {
    call.post(&format!("/api/public/collect/{hash}/{name}"), content).await
}

/// What Ann sees of her link.
async fn seen(disk: &TestDisk) -> Value {
    disk.ann().get("/api/share/home/in").await.expect(200).json()[0].clone()
}

/// How much the link has taken: bytes, files.
async fn taken(disk: &TestDisk) -> (u64, u64) {
    let collect = seen(disk).await["collect"].clone();
    (collect["bytes"].as_u64().unwrap(), collect["files"].as_u64().unwrap())
}

fn names(disk: &TestDisk) -> Vec<String> {
    let entries = std::fs::read_dir(disk.real("home/ann/in")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn strangers_send_files_and_see_nothing() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| "安然".clone_into(&mut ann.name));
    let link = link(&disk, 1000, 10).await;
    disk.seed("home/ann/in/secret.txt", "of others");
    let sent = send(disk.anonymous(), &link, "%E5%9B%BE%201.txt", "from a stranger").await.expect(200);
    assert_eq!(sent.text(), "200 OK\n");
    assert!(!sent.headers.contains_key("etag"));
    assert_eq!(disk.read("home/ann/in/图 1.txt"), "from a stranger");
    let page = disk.anonymous().get(&format!("/api/public/share/{link}?size=true")).await.expect(200);
    let json = page.json();
    assert_eq!((&json["name"], &json["path"], &json["isDir"]), (&json!("in"), &json!("/"), &json!(true)));
    let collect = json!({ "maxBytes": 1000, "maxFiles": 10, "full": false });
    assert_eq!(json["sharing"], json!({ "by": "安然", "collect": collect }));
    for member in ["items", "numFiles", "numDirs", "total"] {
        assert!(json.get(member).is_none(), "{member}");
    }
    assert!(!page.text().contains("secret") && !page.text().contains("home"));
    for path in ["secret.txt", "%E5%9B%BE%201.txt", "none", "secret.txt?size=true"] {
        disk.anonymous().get(&format!("/api/public/share/{link}/{path}")).await.expect(404);
        disk.anonymous().get(&format!("/api/public/dl/{link}/{path}")).await.expect(404);
    }
    disk.anonymous().get(&format!("/api/public/dl/{link}")).await.expect(404);
    disk.anonymous().get(&format!("/api/public/dl/{link}?algo=zip")).await.expect(404);
    disk.anonymous().get(&format!("/api/public/collect/{link}/secret.txt")).await.expect(405);
    disk.anonymous().delete(&format!("/api/public/collect/{link}/secret.txt")).await.expect(405);
    let seen = seen(&disk).await;
    assert_eq!(seen["collect"], json!({ "maxBytes": 1000, "maxFiles": 10, "bytes": 15, "files": 1 }));
    assert_eq!(seen["downloads"], 0);
}

#[tokio::test]
async fn nothing_is_overwritten_and_nobody_learns_what_is_there() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 100).await;
    disk.seed("home/ann/in/taken.txt", "old");
    disk.seed("home/ann/in/folder/inside", "old");
    disk.seed("home/ann/secret", "secret");
    disk.link("../secret", "home/ann/in/link");
    disk.link("nowhere", "home/ann/in/dangling");
    disk.link("folder", "home/ann/in/to-folder");
    let fifo = disk.real("home/ann/in/pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let told = |answer: &Answer| {
        let headers = answer.headers.iter().filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
        let headers: BTreeMap<_, _> = headers.map(|(name, value)| (name.to_string(), value.clone())).collect();
        (answer.status, headers, answer.text())
    };
    let free = told(&send(disk.anonymous(), &link, "free.txt", "new").await.expect(200));
    for name in ["taken.txt", "taken.txt", "folder", "link", "dangling", "to-folder", "pipe", "free.txt"] {
        assert_eq!(told(&send(disk.anonymous(), &link, name, "new").await), free, "{name}");
    }
    assert_eq!((disk.read("home/ann/in/taken.txt"), disk.read("home/ann/secret")), ("old".into(), "secret".into()));
    for name in ["taken(1).txt", "taken(2).txt", "folder(1)", "link(1)", "dangling(1)", "to-folder(1)", "pipe(1)"] {
        assert_eq!(disk.read(&format!("home/ann/in/{name}")), "new", "{name}");
    }
    assert!(!disk.real("home/ann/nowhere").exists() && !disk.real("home/ann/in/nowhere").exists());
    assert_eq!(std::fs::read_dir(disk.real("home/ann/in/folder")).unwrap().count(), 1);
    // Too much for the link is refused alike, whatever has the name.
    let full = told(&send(disk.anonymous(), &link, "unknown", vec![0; 2000]).await.expect(409));
    assert_eq!(told(&send(disk.anonymous(), &link, "taken.txt", vec![0; 2000]).await), full);
}

#[tokio::test]
async fn names_of_strangers_are_names_of_plain_files_in_the_folder() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 100).await;
    let long = "x".repeat(256);
    let bad = [
        "",
        "/",
        "a/",
        "a/b",
        "..",
        "../a",
        "..%2fa",
        "%2e%2e%2fa",
        "a%2fb",
        ".bashrc",
        ".ssh%2fauthorized_keys",
        ".yunlab",
        "%00",
        "a%00b",
        "a%0ab",
        "a%1b%5b2J",
        "%20a",
        "a%20",
        "gpj.%e2%80%ae.exe",
        "%ff",
        "%c0%ae",
        "%zz",
        long.as_str(),
    ];
    for name in bad {
        let status = send(disk.anonymous(), &link, name, "x").await.status.as_u16();
        assert_eq!(status, 400, "{name}");
    }
    assert!(names(&disk).is_empty() && disk.leftovers().is_empty());
    assert_eq!(taken(&disk).await, (0, 0));
    for name in ["-rf", "$(id)", "a%5cb", "con.txt", "%F0%9F%98%80", "..."] {
        let status = if name == "..." { 400 } else { 200 };
        assert_eq!(send(disk.anonymous(), &link, name, "x").await.status.as_u16(), status, "{name}");
    }
    let longest = "图".repeat(85);
    for _ in 0..2 {
        send(disk.anonymous(), &link, &longest, "x").await.expect(200);
    }
    let shortened = format!("{}(1)", "图".repeat(84));
    assert_eq!(names(&disk), ["$(id)", "-rf", "a\\b", "con.txt", shortened.as_str(), longest.as_str(), "😀"]);
}

#[tokio::test]
async fn a_length_is_needed_and_kept() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 100).await;
    let endless = stream::iter(vec![Ok::<_, std::convert::Infallible>(vec![0; 100]); 3]);
    let refused = send(disk.anonymous(), &link, "a", Body::from_stream(endless)).await.expect(400);
    assert_eq!(refused.header("disk-reason"), "length_missing");
    for length in ["-1", "+5", "x", "18446744073709551616"] {
        let head =
            format!("POST /disk/api/public/collect/{link}/a HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
        let text = disk.exchange(head.as_bytes()).await;
        assert!(text.starts_with("HTTP/1.1 400"), "{length}: {text}");
    }
    send(disk.anonymous().header("content-length", &(u64::MAX / 2).to_string()), &link, "a", "").await.expect(409);
    send(disk.anonymous().header("content-length", "10"), &link, "a", "short").await.expect(400);
    // A server that counts less strictly than ours passes more bytes than announced to the disk.
    let longer = Request::post(format!("/disk/api/public/collect/{link}/a")).header("content-length", "3");
    let answer = disk.router.clone().oneshot(longer.body(Body::from("longer than three")).unwrap()).await.unwrap();
    assert_eq!(answer.status(), 413);
    assert!(names(&disk).is_empty() && disk.leftovers().is_empty());
    assert_eq!(taken(&disk).await, (0, 0));
    send(disk.anonymous().header("x-modified", "1700000000"), &link, "a", "whole").await.expect(200);
    let modified = std::fs::metadata(disk.real("home/ann/in/a")).unwrap().modified().unwrap();
    assert_eq!(modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), 1_700_000_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_uploads_at_once_do_not_get_past_the_limits() {
    let disk = TestDisk::new().await;
    let files = link(&disk, 1000 * MIB, 7).await;
    let at_once = async |link: &str, content: &[u8]| {
        let uploads = (0..50).map(|n| {
            let name = format!("{}.bin", n % 3);
            let (call, content) = (disk.anonymous(), content.to_vec());
            async move { send(call, link, &name, content).await.status.as_u16() }
        });
        let mut statuses = join_all(uploads).await;
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    };
    assert_eq!(at_once(&files, &vec![1; 100_000]).await, [200, 409]);
    assert_eq!(names(&disk).len(), 7);
    assert_eq!(taken(&disk).await, (700_000, 7));
    disk.ann().delete(&format!("/api/share/{files}")).await.expect(200);
    // By bytes: eight of a mebibyte and a bit do not fit into eight mebibytes.
    let bytes = link(&disk, 8 * MIB, 1000).await;
    assert_eq!(at_once(&bytes, &vec![1; MIB + 1]).await, [200, 409]);
    assert_eq!((names(&disk).len(), taken(&disk).await), (14, (7 * (MIB as u64 + 1), 7)));
    assert!(disk.leftovers().is_empty());
    let page = disk.anonymous().get(&format!("/api/public/share/{bytes}")).await.expect(200).json();
    assert_eq!(page["sharing"]["collect"]["full"], false);
    send(disk.anonymous(), &bytes, "rest", vec![1; MIB - 7]).await.expect(200);
    let page = disk.anonymous().get(&format!("/api/public/share/{bytes}")).await.expect(200).json();
    assert_eq!(page["sharing"]["collect"]["full"], true);
    let refused = send(disk.anonymous(), &bytes, "more", "x").await.expect(409);
    assert_eq!(refused.header("disk-reason"), "link_full");
}

#[tokio::test]
async fn an_upload_that_is_cut_leaves_nothing_and_takes_nothing() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 100, 1).await;
    for _ in 0..3 {
        let call = disk.anonymous().header("content-length", "80");
        send(call, &link, "a.txt", broken("half")).await.expect(400);
        assert!(names(&disk).is_empty() && disk.leftovers().is_empty());
    }
    assert_eq!(taken(&disk).await, (0, 0));
    send(disk.anonymous(), &link, "a.txt", vec![b'x'; 100]).await.expect(200);
    send(disk.anonymous(), &link, "b.txt", "").await.expect(409);
    assert_eq!(taken(&disk).await, (100, 1));
}

/// A body of six bytes that ends when the sender fires.
fn waiting() -> (Body, oneshot::Sender<()>) {
    let (go, gone) = oneshot::channel::<()>();
    let rest = async move {
        let _ = gone.await;
        Ok::<_, std::convert::Infallible>(Bytes::from_static(b"def"))
    };
    let first = stream::iter([Ok(Bytes::from_static(b"abc"))]);
    (Body::from_stream(futures_util::StreamExt::chain(first, stream::once(rest))), go)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_ends_meanwhile_takes_nothing_more() {
    let disk = TestDisk::new().await;
    // Each way to end it, while an upload is under way.
    for way in ["delete", "expire", "rename", "replace"] {
        disk.ann().post("/api/resources/home/in/", "").await.expect(200);
        let body = json!({ "expires": 1, "unit": "hours", "collect": { "maxBytes": 100, "maxFiles": 5 } });
        let link = hash(&disk.ann().post("/api/share/home/in", body.to_string()).await.expect(200));
        let (content, go) = waiting();
        let call = disk.anonymous().header("content-length", "6");
        let sending = tokio::spawn({
            let link = link.clone();
            async move { send(call, &link, "late.txt", content).await }
        });
        // It has begun.
        while disk.leftovers().is_empty() {
            tokio::task::yield_now().await;
        }
        match way {
            "delete" => drop(disk.ann().delete(&format!("/api/share/{link}")).await.expect(200)),
            "expire" => disk.clock.advance(Duration::from_secs(3600)),
            "rename" => drop(disk.ann().rename("/home/in", "/home/other").await.expect(200)),
            _ => {
                std::fs::rename(disk.real("home/ann/in"), disk.real("home/ann/before")).unwrap();
                std::fs::create_dir(disk.real("home/ann/in")).unwrap();
            }
        }
        go.send(()).unwrap();
        let status = sending.await.unwrap().status.as_u16();
        assert!([404, 409].contains(&status), "{way}: {status}");
        for folder in ["in", "other", "before"] {
            assert!(!disk.real(&format!("home/ann/{folder}/late.txt")).exists(), "{way}");
        }
        assert!(disk.leftovers().is_empty(), "{way}");
        send(disk.anonymous(), &link, "later.txt", "x").await.expect(404);
        disk.ann().delete("/api/resources/home/in").await;
    }
}

#[tokio::test]
async fn it_counts_to_the_owners_quota_which_nobody_learns() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 2 * MIB as u64);
    let link = link(&disk, 100 * MIB, 100).await;
    send(disk.anonymous(), &link, "a", vec![1; MIB]).await.expect(200);
    let refused = send(disk.anonymous(), &link, "b", vec![1; MIB + 5000]).await.expect(507);
    assert_eq!((refused.header("disk-reason"), refused.text().contains("quota")), ("no_room", false));
    let usage = disk.ann().get("/api/usage/home").await.expect(200).json();
    assert!(usage["used"].as_u64().unwrap() >= MIB as u64, "{usage}");
    disk.ann().post("/api/resources/home/c", vec![1; MIB + 5000]).await.expect(507);
    assert_eq!((names(&disk), taken(&disk).await), (vec!["a".to_owned()], (MIB as u64, 1)));
    // An administrator's link to the whole home counts to it as well.
    let whole = disk.root().post("/api/share/home/ann", limits(100 * MIB, 100).to_string()).await.expect(200);
    send(disk.anonymous(), &hash(&whole), "d", vec![1; MIB + 5000]).await.expect(507);
    send(disk.anonymous(), &hash(&whole), "e", vec![1; MIB / 2]).await.expect(200);
    send(disk.anonymous(), &hash(&whole), "f", vec![1; MIB]).await.expect(507);
    assert!(disk.real("home/ann/e").exists());
    // A full disk is refused in the same words.
    disk.portal.set(2, |ann| ann.disk_quota = 0);
    let limits = limits(1_u64 << 44, 100).to_string();
    assert_eq!(hash(&disk.ann().post("/api/share/home/in", limits).await.expect(200)), link);
    let call = disk.anonymous().header("content-length", &((1_u64 << 44) - MIB as u64).to_string());
    let full = send(call, &link, "d", "").await.expect(507);
    assert_eq!((full.header("disk-reason"), full.text()), ("no_room", refused.text()));
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn one_address_sends_so_many_in_a_minute() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 10).await;
    let mut accepted = 0;
    // Refused for its name: it costs next to nothing, and counts all the same.
    let refused = loop {
        let answers = join_all((0..50).map(|_| send(disk.anonymous(), &link, ".x", ""))).await;
        let (named, limited): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 400);
        accepted += named.len();
        if let Some(refused) = limited.into_iter().next() {
            break refused;
        }
        assert!(accepted < 10_000, "there is no limit");
    };
    assert!(accepted >= 600, "{accepted}");
    assert!((1..=60).contains(&refused.expect(429).header("retry-after").parse::<u64>().unwrap()));
    // Looking at the page is another matter.
    disk.anonymous().get(&format!("/api/public/share/{link}")).await.expect(200);
}

#[tokio::test]
async fn it_lives_on_its_owners_rights() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 100).await;
    let works = async || {
        let sent = send(disk.anonymous(), &link, "a", "x").await.status;
        let seen = disk.anonymous().get(&format!("/api/public/share/{link}")).await.status;
        assert_eq!(sent, seen);
        sent == 200
    };
    assert!(works().await);
    for (share, create) in [(false, true), (true, false), (true, true)] {
        let data = json!({ "id": 2, "perm": { "share": share, "create": create, "download": false } });
        let change = json!({ "what": "user", "which": ["perm"], "data": data });
        disk.root().put("/api/users/2", change.to_string()).await.expect(200);
        assert_eq!(works().await, share && create);
    }
    disk.portal.set(2, |ann| ann.active = false);
    assert!(!works().await);
    disk.portal.set(2, |ann| ann.active = true);
    assert!(works().await);
    // What is made read-only takes nothing.
    let shared = hash(&disk.ann().post("/api/share/share", limits(100, 10).to_string()).await.expect(200));
    send(disk.anonymous(), &shared, "a", "x").await.expect(200);
    disk.root().put("/api/settings", json!({ "shareReadOnly": true }).to_string()).await.expect(200);
    send(disk.anonymous(), &shared, "b", "x").await.expect(404);
    disk.ann().post("/api/share/share", limits(100, 10).to_string()).await.expect(403);
}

#[tokio::test]
async fn sharing_and_creating_are_needed_and_a_folder() {
    let ask = async |disk: &TestDisk, path: &str, body: Value| {
        disk.ann().post(&format!("/api/share{path}"), body.to_string()).await.status.as_u16()
    };
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "x");
    disk.seed("home/ann/in/x", "x");
    assert_eq!(ask(&disk, "/home/a.txt", limits(1, 1)).await, 400);
    assert_eq!(ask(&disk, "/home/none", limits(1, 1)).await, 404);
    assert_eq!(ask(&disk, "/", limits(1, 1)).await, 400);
    assert_eq!(ask(&disk, "/datasets/d", limits(1, 1)).await, 404);
    for (bytes, files) in [(json!(0), json!(1)), (json!(1), json!(0)), (json!(-1), json!(1)), (json!(1), json!(10_001))]
    {
        assert_eq!(ask(&disk, "/home/in", limits(bytes, files)).await, 400);
    }
    for body in [json!({}), json!({ "maxFiles": 1 }), json!({ "maxBytes": 1.5, "maxFiles": 1 })] {
        assert_eq!(ask(&disk, "/home/in", json!({ "collect": body })).await, 400);
    }
    assert_eq!(ask(&disk, "/home/in", limits(1, 1)).await, 200);
    for lacking in ["share", "create"] {
        let disk =
            TestDisk::without(|may| *(if lacking == "share" { &mut may.share } else { &mut may.create }) = false);
        let disk = disk.await;
        disk.seed("home/ann/in/x", "x");
        assert_eq!(ask(&disk, "/home/in", limits(1, 1)).await, 403, "{lacking}");
    }
    // Nothing is read by it.
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/in/x", "x");
    assert_eq!(ask(&disk, "/home/in", limits(1, 1)).await, 200);
    assert_eq!(ask(&disk, "/home/in", json!({})).await, 403);
}

#[tokio::test]
async fn one_permanent_link_to_read_and_one_to_send() {
    let disk = TestDisk::new().await;
    let sends = link(&disk, 100, 10).await;
    let reads = share(&disk, "/home/in").await;
    assert_ne!(sends, reads);
    send(disk.anonymous(), &sends, "a", "abc").await.expect(200);
    send(disk.anonymous(), &reads, "a", "abc").await.expect(404);
    assert_eq!(disk.anonymous().get(&format!("/api/public/dl/{reads}/a")).await.expect(200).text(), "abc");
    // Asked for again, it has the new limits, and what it took counts.
    let body = json!({ "password": "word1", "collect": { "maxBytes": 5, "maxFiles": 20 } });
    let again = disk.ann().post("/api/share/home/in", body.to_string()).await.expect(200);
    assert_eq!((hash(&again), &again.json()["hasPassword"]), (sends.clone(), &json!(true)));
    assert_eq!(again.json()["collect"], json!({ "maxBytes": 5, "maxFiles": 20, "bytes": 3, "files": 1 }));
    let with = |password: &str| disk.anonymous().header("x-share-password", password);
    send(disk.anonymous(), &sends, "b", "x").await.expect(401);
    send(with("wrong"), &sends, "b", "x").await.expect(401);
    send(with("word1"), &sends, "b", "xyz").await.expect(409);
    disk.anonymous().get(&format!("/api/public/share/{sends}")).await.expect(401);
    let page = with("word1").get(&format!("/api/public/share/{sends}")).await.expect(200).json();
    let token = page["token"].as_str().unwrap();
    send(disk.anonymous(), &sends, &format!("b?token={token}"), "xy").await.expect(200);
    assert_eq!(names(&disk), ["a", "b"]);
}

#[tokio::test]
async fn the_owners_rules_hold() {
    let denied = |path: &str| Rule { path: path.into(), ..Rule::default() };
    let rules = vec![denied("/home/in/secret.txt"), denied("/home/in/a(1).txt")];
    let disk = TestDisk::with(|config| config.settings.defaults.rules = rules).await;
    let link = link(&disk, 1000, 100).await;
    for name in ["secret.txt", "SECRET.txt"] {
        assert_eq!(send(disk.anonymous(), &link, name, "x").await.expect(400).header("disk-reason"), "filename_unfit");
    }
    send(disk.anonymous(), &link, "a.txt", "x").await.expect(200);
    send(disk.anonymous(), &link, "a.txt", "x").await.expect(400);
    assert_eq!((names(&disk), taken(&disk).await), (vec!["a.txt".to_owned()], (1, 1)));
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn the_log_says_what_came_from_where() {
    let disk = TestDisk::new().await;
    let link = link(&disk, 1000, 100).await;
    send(disk.anonymous(), &link, "a.txt", "abc").await.expect(200);
    let of = |action: &str| (action.to_owned(), "/home/ann/in".to_owned(), "ann".to_owned());
    assert_eq!(disk.portal.trail(2).await, [of("disk.share"), of("disk.collect")]);
    let details = disk.portal.details();
    assert_eq!(details, ["收集文件，最多 100 个、1000 字节，永久，无密码", "a.txt，3 字节"]);
    assert!(details.iter().all(|detail| !detail.contains(&link)));
}
