//! WebDAV with programs that people use for it: litmus, rclone and curl, from Debian.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tests::{Server, Setup};

/// A server, its address for WebDAV, and an app password of the administrator's.
async fn started() -> (Server, String, String) {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let made = admin.post("/api/profile/app-passwords", json!({ "name": "test" })).await.expect(201);
    let password = made["password"].as_str().expect("a password").to_owned();
    let dav = format!("{}/disk/dav", server.origin());
    (server, dav, password)
}

/// The output of a program, which must succeed.
#[track_caller]
fn run(program: &str, dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.current_dir(dir).args(arguments).env("RCLONE_CONFIG", dir.join("rclone.conf"));
    for proxy in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let output = command.output().unwrap_or_else(|error| panic!("{program} ({error}); Debian has it"));
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}: {text}");
    text
}

/// The suites, and how many tests each has: none may fail, and none may be left out unseen.
#[tokio::test]
async fn litmus_finds_nothing_wrong() {
    let (server, dav, password) = started().await;
    let dir = server.setup().dir();
    for (suite, tests) in [("basic", 16), ("copymove", 13), ("props", 30), ("locks", 41), ("http", 4)] {
        let url = format!("{dav}/share/");
        let program = format!("/usr/libexec/litmus/{suite}");
        let said = run(&program, dir, &["--htdocs", "/usr/share/litmus/htdocs", &url, "admin", &password]);
        let passed = format!("{tests} passed, 0 failed");
        assert!(said.contains(&passed) && !said.contains("SKIPPED"), "{suite}: {said}");
    }
}

#[tokio::test]
async fn rclone_syncs_both_ways() {
    let (server, dav, password) = started().await;
    let dir = server.setup().dir();
    let from = dir.join("from");
    std::fs::create_dir_all(from.join("深/b c")).expect("folders");
    for (name, content) in
        [("a.txt", "a"), ("深/图 #1?.txt", "two"), ("深/b c/large", &"x".repeat(3_000_000)), ("empty", "")]
    {
        std::fs::write(from.join(name), content).expect("a file");
    }
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_600_000_000);
    let file = std::fs::File::options().append(true).open(from.join("a.txt")).expect("it opens");
    file.set_modified(time).expect("its time is set");
    let secret = run("rclone", dir, &["obscure", &password]);
    // As Nextcloud's clients it sends the time along.
    let config = format!("[lab]\ntype = webdav\nurl = {dav}\nvendor = owncloud\nuser = admin\npass = {secret}\n");
    std::fs::write(dir.join("rclone.conf"), config).expect("its configuration");
    run("rclone", dir, &["sync", "from", "lab:share/copy"]);
    let share = server.setup().data_dir().join("disk/share");
    assert_eq!(std::fs::metadata(share.join("copy/a.txt")).expect("it").modified().expect("its time"), time);
    run("rclone", dir, &["check", "from", "lab:share/copy", "--download"]);
    run("rclone", dir, &["sync", "lab:share/copy", "back"]);
    assert_eq!(std::fs::read_to_string(dir.join("back/深/图 #1?.txt")).expect("it"), "two");
    std::fs::remove_file(from.join("empty")).expect("it goes");
    run("rclone", dir, &["sync", "from", "lab:share/copy"]);
    assert!(!share.join("copy/empty").exists() && share.join("copy/深/b c/large").exists());
    run("rclone", dir, &["moveto", "lab:share/copy", "lab:share/moved"]);
    run("rclone", dir, &["purge", "lab:share/moved"]);
    assert_eq!(std::fs::read_dir(&share).expect("the share").count(), 0);
}

#[tokio::test]
async fn curl_and_who_may_what() {
    let (server, dav, password) = started().await;
    let dir = server.setup().dir();
    let admin = server.admin().await;
    let user = json!({ "username": "ann", "password": "lab2026a", "name": "Ann" });
    admin.post("/api/users", user).await.is(201);
    let ann = server.sign_in("ann", "lab2026a").await;
    let hers = ann.post("/api/profile/app-passwords", json!({ "name": "curl" })).await.expect(201);
    let hers_password = hers["password"].as_str().expect("a password").to_owned();
    std::fs::write(dir.join("f"), "content").expect("a file");
    let curl = |credentials: &str, more: &[&str]| {
        let all = [&["-s", "-o", "out", "-w", "%{http_code}", "-u", credentials][..], more].concat();
        run("curl", dir, &all)
    };
    let hers = format!("ann:{hers_password}");
    let file = format!("{dav}/home/f");
    assert_eq!(curl(&hers, &["-T", "f", &file]), "201");
    assert_eq!(curl(&hers, &["-T", "f", &file]), "204");
    assert_eq!(curl(&hers, &[&file]), "200");
    assert_eq!(std::fs::read_to_string(dir.join("out")).expect("it"), "content");
    assert_eq!(curl(&hers, &["-r", "1-2", &file]), "206");
    assert_eq!(curl(&hers, &["-T", "f", &format!("{dav}/datasets/f")]), "403");
    assert_eq!(curl(&hers, &["--path-as-is", &format!("{dav}/home/../../etc/passwd")]), "400");
    assert_eq!(curl(&hers, &[&format!("{dav}/home/%2e%2e/%2e%2e/etc/passwd")]), "400");
    assert_eq!(curl(&format!("admin:{password}"), &[&format!("{dav}/home/ann/f")]), "200");
    // The login password opens nothing here, nor does a token.
    assert_eq!(curl("ann:lab2026a", &[&file]), "401");
    assert_eq!(curl(&format!("admin:{hers_password}"), &[&file]), "401");
    assert_eq!(
        run(
            "curl",
            dir,
            &["-s", "-o", "out", "-w", "%{http_code}", "-H", &format!("Authorization: Bearer {}", ann.token()), &file]
        ),
        "401"
    );
    // Connections that the password opened are closed too.
    let ids = ann.get("/api/profile/app-passwords").await.expect(200);
    ann.delete(&format!("/api/profile/app-passwords/{}", ids["items"][0]["id"].as_str().expect("an id"))).await.is(204);
    assert_eq!(curl(&hers, &[&file]), "401");
}
