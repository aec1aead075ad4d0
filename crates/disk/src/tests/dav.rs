//! WebDAV; `litmus` and `rclone` try it from outside.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use futures_util::stream;
use http::Method;

use super::harness::{Answer, Call, TestDisk};
use super::tus;
use super::uploading::broken;

/// A call with a person's app password.
pub(super) fn by(disk: &TestDisk, username: &str) -> Call {
    sign(disk, username, &format!("app-{username}"))
}

pub(super) fn sign(disk: &TestDisk, username: &str, password: &str) -> Call {
    disk.anonymous().header("authorization", &format!("Basic {}", STANDARD.encode(format!("{username}:{password}"))))
}

fn verb(name: &str) -> Method {
    Method::from_bytes(name.as_bytes()).unwrap()
}

pub(super) async fn send(call: Call, method: &str, path: &str, body: &str) -> Answer {
    call.send(verb(method), &format!("/dav{path}"), body.to_owned()).await
}

pub(super) async fn transfer(call: Call, method: &str, from: &str, to: &str) -> Answer {
    send(call.header("destination", &format!("/disk/dav{to}")), method, from, "").await
}

/// The names that a listing has, without the folder itself.
pub(super) async fn names(call: Call, path: &str) -> Vec<String> {
    let text = send(call.header("depth", "1"), "PROPFIND", path, "").await.expect(207).text();
    let hrefs = text.split("<D:href>").skip(2).map(|rest| rest.split("</D:href>").next().unwrap());
    let mut names: Vec<String> =
        hrefs.map(|href| href.trim_end_matches('/').rsplit('/').next().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Refused as a whole, or where only a part could be, by name.
#[track_caller]
pub(super) fn refused(answer: &Answer) {
    let named = answer.status == 207 && answer.text().contains("403 Forbidden");
    assert!(answer.status == 403 || named, "{}: {}", answer.status, answer.text());
}

#[tokio::test]
async fn only_an_app_password_opens_it() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "hers");
    let refused = send(disk.anonymous(), "PROPFIND", "/", "").await.expect(401);
    assert_eq!(refused.header("www-authenticate"), "Basic realm=\"YunLab\", charset=\"UTF-8\"");
    for call in [disk.ann(), disk.anonymous().header("x-auth", "ann"), sign(&disk, "ann", "ann")] {
        send(call, "GET", "/home/a", "").await.expect(401);
    }
    send(disk.anonymous(), "GET", "/home/a?auth=ann", "").await.expect(401);
    send(sign(&disk, "bob", "app-ann"), "GET", "/home/a", "").await.expect(401);
    assert_eq!(send(by(&disk, "ann"), "GET", "/home/a", "").await.expect(200).text(), "hers");
    // And nothing but this.
    sign(&disk, "ann", "app-ann").get("/api/raw/home/a").await.expect(401);
    disk.portal.set(2, |ann| ann.active = false);
    send(by(&disk, "ann"), "GET", "/home/a", "").await.expect(401);
}

#[tokio::test]
async fn wrong_passwords_are_held_back_and_right_ones_are_not() {
    let disk = TestDisk::new().await;
    // All at once, as a try returns every three seconds.
    let answers = join_all((0..60).map(|_| send(sign(&disk, "ann", "wrong"), "OPTIONS", "/", ""))).await;
    let (refused, held): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 401);
    assert!((20..40).contains(&refused.len()), "{} were refused", refused.len());
    for answer in held {
        assert!(!answer.expect(429).header("retry-after").is_empty());
    }
    send(by(&disk, "ann"), "OPTIONS", "/", "").await.expect(200);
    send(sign(&disk, "bob", "wrong"), "OPTIONS", "/", "").await.expect(401);
}

#[tokio::test]
async fn everybody_sees_their_own_view() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/图 1/x", "x");
    disk.seed("home/ann/.hidden", "");
    disk.seed("home/bob/b", "his");
    disk.link("图 1", "home/ann/link");
    disk.link("../bob", "home/ann/out");
    disk.link("nowhere", "home/ann/dangling");
    assert_eq!(names(by(&disk, "ann"), "/").await, ["datasets", "groups", "home", "share"]);
    assert_eq!(names(by(&disk, "ann"), "").await, ["datasets", "groups", "home", "share"]);
    assert_eq!(names(by(&disk, "ann"), "/home/").await, ["%E5%9B%BE%201", ".hidden", "link"]);
    assert_eq!(names(by(&disk, "root"), "/home/").await, ["ann", "bob"]);
    for path in ["/home/out/b", "/home/out"] {
        send(by(&disk, "ann"), "GET", path, "").await.expect(403);
        send(by(&disk, "ann"), "PUT", path, "x").await.expect(403);
    }
    send(by(&disk, "ann"), "GET", "/home/ann/b", "").await.expect(404);
    send(by(&disk, "ann"), "GET", "/.yunlab", "").await.expect(404);
    assert_eq!(disk.read("home/bob/b"), "his");
}

#[tokio::test]
async fn paths_that_are_none() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    for path in ["/home/../home/a", "/home/%2e%2e/x", "//home/a", "/home//a", "/home/a%00", "/home/%ff", "/home/%zz"] {
        for method in ["GET", "PUT", "DELETE", "PROPFIND", "MKCOL", "LOCK"] {
            send(by(&disk, "ann"), method, path, "").await.expect(400);
        }
        if !path.contains("%00") {
            transfer(by(&disk, "ann"), "COPY", "/home/a", path).await.expect(400);
            transfer(by(&disk, "ann"), "MOVE", "/home/a", path).await.expect(400);
        }
    }
    for destination in ["/disk/davx/home/b", "/home/b", "%2Fdisk%2Fdav%2Fhome%2Fb"] {
        let call = by(&disk, "ann").header("destination", destination);
        send(call, "MOVE", "/home/a", "").await.expect(400);
    }
    assert_eq!(disk.read("home/ann/a"), "a");
    for method in ["POST", "REPORT", "MKCALENDAR", "TRACE", "BREW"] {
        send(by(&disk, "ann"), method, "/home/a", "").await.expect(405);
    }
}

#[tokio::test]
async fn files_arrive_whole_or_not_at_all() {
    let disk = TestDisk::new().await;
    send(by(&disk, "ann"), "PUT", "/home/a", "one").await.expect(201);
    let modified = by(&disk, "ann").header("x-oc-mtime", "1600000000");
    assert_eq!(send(modified, "PUT", "/home/a", "two").await.expect(204).header("x-oc-mtime"), "accepted");
    let listing = send(by(&disk, "ann").header("depth", "0"), "PROPFIND", "/home/a", "").await.expect(207).text();
    assert!(listing.contains("Sun, 13 Sep 2020 12:26:40 GMT"), "{listing}");
    by(&disk, "ann").send(Method::PUT, "/dav/home/a", broken("thr")).await;
    // As macOS sends it: in chunks, with a length of its own.
    let three = Body::from_stream(stream::iter([Ok::<_, Infallible>("three")]));
    by(&disk, "ann").header("x-expected-entity-length", "10").send(Method::PUT, "/dav/home/a", three).await;
    assert_eq!(disk.read("home/ann/a"), "two");
    send(by(&disk, "ann").header("content-range", "bytes 0-0/3"), "PUT", "/home/a", "x").await.expect(400);
    send(by(&disk, "ann"), "PUT", "/home/none/a", "x").await.expect(409);
    send(by(&disk, "ann"), "PUT", "/home", "x").await.expect(409);
    let before = send(by(&disk, "ann"), "GET", "/home/a", "").await.expect(200).header("etag").to_owned();
    send(by(&disk, "ann").header("if-match", "\"other\""), "PUT", "/home/a", "x").await.expect(412);
    send(by(&disk, "ann").header("if-match", &before), "PUT", "/home/a", "three").await.expect(204);
    disk.portal.set(2, |ann| ann.disk_quota = 64 * 1024);
    send(by(&disk, "ann"), "PUT", "/home/b", &"x".repeat(100_000)).await.expect(507);
    assert!(disk.leftovers().is_empty() && !disk.real("home/ann/b").exists());
}

#[tokio::test]
async fn a_deleted_folder_is_one_thing_in_the_trash() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/e/f", "f");
    disk.seed("home/ann/d/g", "g");
    send(by(&disk, "ann"), "DELETE", "/home/d", "").await.expect(204);
    assert!(!disk.real("home/ann/d").exists());
    let trash = disk.ann().get("/api/trash").await.expect(200).json();
    assert_eq!(trash["items"].as_array().unwrap().len(), 1, "{trash}");
    for fixed in ["/", "/home", "/share", "/groups/vision", "/groups"] {
        send(by(&disk, "ann"), "DELETE", fixed, "").await.expect(403);
    }
}

#[tokio::test]
async fn copies_and_moves() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/e/f", "f");
    disk.seed("home/ann/a", "a");
    disk.seed("home/ann/b", "b");
    transfer(by(&disk, "ann"), "COPY", "/home/d", "/home/copy").await.expect(201);
    transfer(by(&disk, "ann"), "MOVE", "/home/copy", "/share/moved").await.expect(201);
    assert_eq!(disk.read("share/moved/e/f"), "f");
    transfer(by(&disk, "ann").header("overwrite", "F"), "COPY", "/home/a", "/home/b").await.expect(412);
    transfer(by(&disk, "ann"), "COPY", "/home/a", "/home/b").await.expect(204);
    assert_eq!(disk.read("home/ann/b"), "a");
    // A folder in the place of a file, and the other way round.
    transfer(by(&disk, "ann"), "COPY", "/home/d", "/home/b").await.expect(204);
    assert_eq!(disk.read("home/ann/b/e/f"), "f");
    transfer(by(&disk, "ann"), "MOVE", "/home/a", "/home/b").await.expect(204);
    assert_eq!(disk.read("home/ann/b"), "a");
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home/d", "/home/d/e/d").await);
    transfer(by(&disk, "ann"), "COPY", "/home/d", "/home/none/d").await.expect(409);
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home", "/share/home").await);
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home/d", "/home").await);
    assert_eq!(disk.read("home/ann/d/e/f"), "f");
}

/// At any time one of the two folders is there, complete, and the replaced one can be restored.
#[tokio::test]
async fn a_folder_takes_anothers_place_in_one_step() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/new/f", "new");
    disk.seed("home/ann/old/g", "old");
    let old = disk.real("home/ann/old");
    let stop = Arc::new(AtomicBool::new(false));
    let (seen, path) = (Arc::clone(&stop), old.clone());
    let watcher = std::thread::spawn(move || {
        let whole = || path.join("f").exists() || path.join("g").exists();
        while !seen.load(Ordering::Relaxed) {
            // Between two checks one may have replaced the other.
            assert!(whole() || whole() || whole(), "nothing is there");
        }
    });
    for _ in 0..20 {
        transfer(by(&disk, "ann"), "COPY", "/home/new", "/home/old").await.expect(204);
        disk.seed("home/ann/other/g", "old");
        transfer(by(&disk, "ann"), "MOVE", "/home/other", "/home/old").await.expect(204);
        assert!(!disk.real("home/ann/other").exists() && !old.join("f").exists());
    }
    stop.store(true, Ordering::Relaxed);
    watcher.join().unwrap();
    assert_eq!((disk.read("home/ann/new/f"), disk.read("home/ann/old/g")), ("new".into(), "old".into()));
    let deleted = disk.ann().get("/api/trash").await.expect(200).json();
    assert_eq!(deleted["items"].as_array().unwrap().len(), 40);
    assert!(deleted["items"].as_array().unwrap().iter().all(|item| item["path"] == "/home/old"), "{deleted}");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn what_can_not_take_a_place_leaves_what_is_there() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/old/inner/g", "old");
    disk.seed("home/ann/big/f", vec![0; 100_000]);
    disk.portal.set(2, |ann| ann.disk_quota = 150_000);
    let full = transfer(by(&disk, "ann"), "COPY", "/home/big", "/home/old").await;
    assert!(full.status == 507 || full.text().contains("507 "), "{}: {}", full.status, full.text());
    // Onto the folder that it lies in.
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home/old/inner", "/home/old").await);
    refused(&transfer(by(&disk, "ann"), "COPY", "/home/old/inner", "/home/old").await);
    assert_eq!(disk.read("home/ann/old/inner/g"), "old");
    assert!(disk.leftovers().is_empty());
    // Taking a folder's place is deleting it.
    let disk = TestDisk::without(|may| may.delete = false).await;
    disk.seed("home/ann/old/g", "old");
    disk.seed("home/ann/new/f", "new");
    disk.seed("home/ann/file", "file");
    for from in ["/home/new", "/home/file"] {
        for method in ["COPY", "MOVE"] {
            refused(&transfer(by(&disk, "ann"), method, from, "/home/old").await);
        }
    }
    assert_eq!((disk.read("home/ann/old/g"), disk.read("home/ann/new/f")), ("old".into(), "new".into()));
}

#[tokio::test]
async fn rights_are_asked() {
    let disk = TestDisk::with(|config| {
        let may = &mut config.settings.defaults.perm;
        (may.create, may.modify, may.delete, may.rename, may.download) = (false, false, false, false, false);
    })
    .await;
    disk.seed("home/ann/a", "a");
    disk.seed("home/ann/d/x", "x");
    for (method, path) in [
        ("GET", "/home/a"),
        ("PUT", "/home/a"),
        ("PUT", "/home/new"),
        ("MKCOL", "/home/new"),
        ("DELETE", "/home/a"),
        ("DELETE", "/home/d"),
        ("LOCK", "/home/a"),
        ("LOCK", "/home/new"),
    ] {
        send(by(&disk, "ann"), method, path, "").await.expect(403);
    }
    transfer(by(&disk, "ann"), "COPY", "/home/a", "/home/b").await.expect(403);
    transfer(by(&disk, "ann"), "MOVE", "/home/a", "/home/b").await.expect(403);
    let patch =
        "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><x xmlns=\"y:\">1</x></D:prop></D:set></D:propertyupdate>";
    send(by(&disk, "ann"), "PROPPATCH", "/home/a", patch).await.expect(403);
    assert_eq!(names(by(&disk, "ann"), "/home").await, ["a", "d"]);
    assert_eq!((disk.read("home/ann/a"), disk.read("home/ann/d/x")), ("a".into(), "x".into()));
}

pub(super) const LOCK: &str = "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope>\
    <D:locktype><D:write/></D:locktype></D:lockinfo>";

#[tokio::test]
async fn locks_are_on_places_and_end() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    disk.seed("home/bob/a", "");
    disk.seed("share/a", "");
    for path in ["/home/a", "/share/a"] {
        send(by(&disk, "ann").header("timeout", "Second-300"), "LOCK", path, LOCK).await.expect(200);
        send(by(&disk, "ann"), "PUT", path, "x").await.expect(423);
    }
    send(by(&disk, "bob"), "PUT", "/home/a", "his own").await.expect(204);
    send(by(&disk, "bob"), "PUT", "/share/a", "x").await.expect(423);
    send(by(&disk, "root"), "DELETE", "/home/ann", "").await.expect(423);
    send(by(&disk, "ann"), "DELETE", "/home/a", "").await.expect(423);
    disk.clock.advance(Duration::from_secs(301));
    send(by(&disk, "bob"), "PUT", "/share/a", "x").await.expect(204);
    send(by(&disk, "ann"), "LOCK", "/datasets/x", LOCK).await.expect(403);
    send(by(&disk, "ann"), "LOCK", "/home/new", LOCK).await.expect(201);
    assert_eq!(disk.read("home/ann/new"), "");
}

#[tokio::test]
async fn a_lock_opens_only_with_its_token_and_for_its_owner() {
    let disk = TestDisk::new().await;
    disk.seed("share/a", "");
    let locked = send(by(&disk, "ann"), "LOCK", "/share/a", LOCK).await.expect(200);
    let token = locked.header("lock-token").to_owned();
    let shown = |who: &str| by(&disk, who).header("if", &format!("({token})"));
    send(shown("bob"), "PUT", "/share/a", "x").await.expect(423);
    send(by(&disk, "bob").header("lock-token", &token), "UNLOCK", "/share/a", "").await.expect(409);
    send(shown("ann"), "PUT", "/share/a", "x").await.expect(204);
    send(by(&disk, "ann").header("lock-token", &token), "UNLOCK", "/share/a", "").await.expect(204);
    send(by(&disk, "bob"), "PUT", "/share/a", "y").await.expect(204);
}

#[tokio::test]
async fn xml_that_is_meant_to_hurt() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let deep = format!("<D:propfind xmlns:D=\"DAV:\">{}", "<a>".repeat(15_000));
    let large = format!("<D:propfind xmlns:D=\"DAV:\">{}</D:propfind>", " ".repeat(100_000));
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\
        <D:propfind xmlns:D=\"DAV:\"><D:prop><x>&b;</x></D:prop></D:propfind>";
    for method in ["PROPFIND", "PROPPATCH", "LOCK"] {
        send(by(&disk, "ann"), method, "/home/a", &deep).await.expect(413);
        send(by(&disk, "ann"), method, "/home/a", &large).await.expect(413);
        let status = send(by(&disk, "ann"), method, "/home/a", bomb).await.status.as_u16();
        assert!(status == 400 || status == 207, "{method}: {status}");
    }
    for call in [by(&disk, "ann"), by(&disk, "ann").header("x-litmus", "basic")] {
        let refused = send(call.header("depth", "infinity"), "PROPFIND", "/", "").await.expect(403);
        assert!(refused.text().contains("propfind-finite-depth"));
    }
}

/// Attributes written by a container's program are validated like a client's.
#[tokio::test]
async fn properties_stay_with_the_file() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let patch = "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><x xmlns=\"y:\">kept</x></D:prop></D:set></D:propertyupdate>";
    send(by(&disk, "ann"), "PROPPATCH", "/home/a", patch).await.expect(207);
    send(by(&disk, "ann"), "PUT", "/home/a", "other content").await.expect(204);
    disk.ann().rename("/home/a", "/home/b").await.expect(200);
    transfer(by(&disk, "ann"), "COPY", "/home/b", "/home/c").await.expect(201);
    let props =
        async |path: &str| send(by(&disk, "ann").header("depth", "0"), "PROPFIND", path, "").await.expect(207).text();
    assert!(props("/home/b").await.contains(">kept<") && props("/home/c").await.contains(">kept<"));
    let deep = format!("[{{\"name\":\"x\",\"namespace\":\"y:\",\"prefix\":null,\"xml\":\"{}\"}}]", "<a>".repeat(700));
    for hostile in [deep.as_str(), "no JSON", "[{\"name\":\"x\",\"namespace\":null,\"prefix\":null,\"xml\":\"<x\"}]"] {
        let set = rustix::fs::setxattr(
            disk.real("home/ann/b"),
            "user.yunlab.dav",
            hostile.as_bytes(),
            rustix::fs::XattrFlags::empty(),
        );
        set.unwrap();
        assert!(!props("/home/b").await.contains(">kept<"));
    }
}

#[tokio::test]
async fn rules_hold_here_too() {
    let rule = |path: &str| disk_core::rules::Rule { path: path.into(), ..disk_core::rules::Rule::default() };
    let disk = TestDisk::with(|config| config.settings.rules = vec![rule("/home/d/secret")]).await;
    disk.seed("home/ann/d/secret/x", "secret");
    disk.seed("home/ann/d/open", "");
    disk.link("d/secret", "home/ann/alias");
    assert_eq!(names(by(&disk, "ann"), "/home/d").await, ["open"]);
    assert_eq!(names(by(&disk, "ann"), "/home").await, ["d"]);
    for path in ["/home/d/secret/x", "/home/alias/x", "/home/d/SECRET"] {
        let status = send(by(&disk, "ann"), "GET", path, "").await.status.as_u16();
        assert!(status == 403 || status == 404, "{path}: {status}");
        let status = send(by(&disk, "ann"), "PUT", path, "x").await.status.as_u16();
        assert!(status == 403, "{path}: {status}");
    }
    send(by(&disk, "ann"), "DELETE", "/home/d", "").await.expect(403);
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home/d", "/home/e").await);
    refused(&transfer(by(&disk, "ann"), "COPY", "/home/d", "/home/e").await);
    // Nor does it make way for another.
    disk.seed("home/ann/other/x", "");
    refused(&transfer(by(&disk, "ann"), "MOVE", "/home/other", "/home/d").await);
    refused(&transfer(by(&disk, "ann"), "COPY", "/home/other", "/home/d").await);
    // An unreadable folder is no destination for a copy.
    transfer(by(&disk, "ann"), "COPY", "/home/d/open", "/home/d/secret/y").await.expect(409);
    assert!(!disk.real("home/ann/d/secret/y").exists());
    assert_eq!(disk.read("home/ann/d/secret/x"), "secret");
    assert!(!disk.real("home/ann/e").exists());
}

/// RFC 4918 9.8.5: another server's URL is refused, even if its path is one of ours.
#[tokio::test]
async fn a_destination_on_another_server_is_refused() {
    let disk = TestDisk::with(|config| config.origins = vec!["https://lab.example".to_owned()]).await;
    disk.seed("home/ann/a", "a");
    let to = async |host: &str, destination: &str, extra: Option<(&'static str, &str)>| {
        let call = by(&disk, "ann").header("host", host).header("destination", destination);
        let call = extra.map_or(call.clone(), |(name, value)| call.header(name, value));
        send(call, "COPY", "/home/a", "").await.status.as_u16()
    };
    for elsewhere in [
        "http://elsewhere",
        "http://elsewhere/disk/dav/home/b",
        "https://disk.example.evil.example/disk/dav/home/b",
        "https://disk.example:8443/disk/dav/home/b",
        "http://disk.example@elsewhere/disk/dav/home/b",
    ] {
        assert_eq!(to("disk.example", elsewhere, None).await, 502, "{elsewhere}");
    }
    assert!(!disk.real("home/ann/b").exists());
    assert_eq!(to("disk.example", "https://disk.example/disk/dav/home/b", None).await, 201);
    // Behind a proxy, with or without the default port, at another of our addresses.
    for (host, destination, extra) in [
        ("disk.example:8443", "https://Disk.Example:8443/disk/dav/home/b", None),
        ("disk.example", "https://disk.example:443/disk/dav/home/b", None),
        ("127.0.0.1:8080", "https://disk.example/disk/dav/home/b", Some(("x-forwarded-host", "disk.example"))),
        ("127.0.0.1:8080", "https://lab.example/disk/dav/home/b", None),
        ("127.0.0.1:8080", "/disk/dav/home/b", None),
    ] {
        assert_eq!(to(host, destination, extra).await, 204, "{host} {destination}");
    }
}

/// A lock also protects against changes by other calls than WebDAV.
#[tokio::test]
async fn what_somebody_else_has_locked_can_not_be_changed_by_other_ways() {
    let disk = TestDisk::new().await;
    disk.seed("share/d/a", "hers");
    disk.seed("share/b", "b");
    let locked = send(by(&disk, "ann"), "LOCK", "/share/d/a", LOCK).await.expect(200);
    let told = disk.bob().put("/api/resources/share/d/a", "his").await.expect(423).text();
    assert_eq!(told, "423 Locked (locked over WebDAV)\n");
    disk.bob().post("/api/resources/share/d/a?override=true", "his").await.expect(423);
    disk.bob().header("upload-length", "3").post("/api/tus/share/d/a?override=true", "").await.expect(423);
    disk.bob().delete("/api/resources/share/d/a").await.expect(423);
    disk.bob().delete("/api/resources/share/d").await.expect(423);
    disk.bob().rename("/share/d/a", "/share/c").await.expect(423);
    disk.bob().rename("/share/d", "/share/e").await.expect(423);
    disk.bob().change("copy", "/share/b", "/share/d/a", "&override=true").await.expect(423);
    assert_eq!(disk.read("share/d/a"), "hers");
    // Reads, the folder's other entries, and the owner of the lock are not affected.
    disk.bob().get("/api/raw/share/d/a").await.expect(200);
    disk.bob().put("/api/resources/share/b", "new").await.expect(200);
    disk.bob().change("copy", "/share/d/a", "/share/c", "").await.expect(200);
    disk.ann().put("/api/resources/share/d/a", "hers again").await.expect(200);
    let token = locked.header("lock-token").to_owned();
    send(by(&disk, "ann").header("lock-token", &token), "UNLOCK", "/share/d/a", "").await.expect(204);
    disk.bob().put("/api/resources/share/d/a", "his").await.expect(200);
}

#[tokio::test]
async fn an_upload_that_ends_over_a_lock_waits_for_it() {
    let disk = TestDisk::new().await;
    disk.seed("share/a", "hers");
    let upload = tus::begin(disk.bob(), "/share/a?override=true", "3").await;
    let locked = send(by(&disk, "ann"), "LOCK", "/share/a", LOCK).await.expect(200);
    tus::patch(disk.bob(), &upload, 0, "hi").await.expect(204);
    tus::patch(disk.bob(), &upload, 2, "s").await.expect(423);
    assert_eq!(disk.read("share/a"), "hers");
    let token = locked.header("lock-token").to_owned();
    send(by(&disk, "ann").header("lock-token", &token), "UNLOCK", "/share/a", "").await.expect(204);
    // Nothing of it was lost.
    tus::patch(disk.bob(), &upload, 3, "").await.expect(204);
    assert_eq!(disk.read("share/a"), "his");
}

#[tokio::test]
async fn nothing_is_brought_back_to_a_place_that_somebody_else_has_locked() {
    let disk = TestDisk::new().await;
    disk.seed("share/d/a", "old");
    disk.bob().delete("/api/resources/share/d/a").await.expect(200);
    let list = disk.bob().get("/api/trash").await.expect(200).json();
    let restore = format!("/api/trash/{}/restore", list["items"][0]["id"].as_str().unwrap());
    let locked = send(by(&disk, "ann").header("depth", "infinity"), "LOCK", "/share/d", LOCK).await.expect(200);
    disk.bob().post(&restore, "").await.expect(423);
    disk.bob().post(&format!("{restore}?rename=true"), "").await.expect(423);
    assert!(!disk.real("share/d/a").exists());
    let token = locked.header("lock-token").to_owned();
    send(by(&disk, "ann").header("lock-token", &token), "UNLOCK", "/share/d", "").await.expect(204);
    disk.bob().post(&restore, "").await.expect(200);
    assert_eq!(disk.read("share/d/a"), "old");
}
