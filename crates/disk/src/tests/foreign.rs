//! Requests of third-party clients that once failed: each finding by its number. The clients themselves are in
//! `tests/clients`.

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use serde_json::{Value, json};

use super::dav::{by, send};
use super::harness::{Answer, Call, TestDisk};
use super::tus::{head, patch};

fn metadata(pairs: &[(&str, &str)]) -> String {
    pairs.iter().map(|(key, value)| format!("{key} {}", STANDARD.encode(value))).collect::<Vec<_>>().join(",")
}

fn address(answer: &Answer) -> String {
    answer.header("location").strip_prefix("/disk").unwrap().to_owned()
}

async fn part(call: Call, endpoint: &str, content: &'static str) -> String {
    let length = content.len().to_string();
    let begun = call.clone().header("upload-length", &length).header("upload-concat", "partial");
    let at = address(&begun.post(endpoint, "").await.expect(201));
    patch(call, &at, 0, content).await.expect(204);
    at
}

#[tokio::test]
async fn f8_one_address_for_all_uploads() {
    let disk = TestDisk::new().await;
    let call =
        |pairs: &[(&str, &str)]| disk.ann().header("upload-length", "3").header("upload-metadata", &metadata(pairs));
    let begun = call(&[("filename", "图 %41.txt")]).post("/api/tus/home/new/", "").await.expect(201);
    assert!(begun.header("location").starts_with("/disk/api/tus/home/new/%E5%9B%BE%20%2541.txt?upload="));
    patch(disk.ann(), &address(&begun), 0, "abc").await.expect(204);
    assert_eq!(disk.read("home/ann/new/图 %41.txt"), "abc");
    call(&[("filename", "图 %41.txt")]).post("/api/tus/home/new/", "").await.expect(409);
    let dropped = call(&[("name", "b"), ("relativePath", "folder/b")]).post("/api/tus/home/", "").await.expect(201);
    patch(disk.ann(), &address(&dropped), 0, "def").await.expect(204);
    assert_eq!(disk.read("home/ann/folder/b"), "def");
    for bad in [&[("filename", "../x")][..], &[("filename", "a/b")], &[("filename", "")], &[("type", "x")]] {
        call(bad).post("/api/tus/home/new/", "").await.expect(400);
    }
    // Without the slash it is the file's own address, as ever.
    call(&[("filename", "x")]).post("/api/tus/home/new", "").await.expect(409);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn f3_parts_are_joined() {
    let mut disk = TestDisk::new().await;
    disk.seed("home/ann/good.bin", "GOOD");
    for endpoint in ["/api/tus/home/good.bin?override=true", "/api/tus/home/"] {
        let (one, two) = (part(disk.ann(), endpoint, "hello ").await, part(disk.ann(), endpoint, "world").await);
        assert_eq!(disk.read("home/ann/good.bin"), "GOOD", "a part is no file");
        let at = head(disk.ann(), &two).await.expect(200);
        assert_eq!((at.header("upload-concat"), at.header("upload-offset")), ("partial", "5"));
        disk.reopen().await;
        let concat = format!("final;/disk{one} http://lab.example/disk{two}");
        let name = metadata(&[("filename", "good.bin"), ("lastModified", "1700000000250")]);
        let join = || {
            let call = disk.ann().header("upload-concat", &concat).header("upload-metadata", &name);
            call.post(if endpoint.ends_with('/') { "/api/tus/home/?override=true" } else { endpoint }, "")
        };
        let joined = join().await.expect(201);
        assert_eq!((joined.header("upload-offset"), disk.read("home/ann/good.bin").as_str()), ("11", "hello world"));
        let time = std::fs::metadata(disk.real("home/ann/good.bin")).unwrap().modified().unwrap();
        assert_eq!(time.duration_since(UNIX_EPOCH).unwrap(), Duration::from_millis(1_700_000_000_250));
        // A client that lost the response repeats the request and gets it.
        assert_eq!(join().await.expect(201).header("location"), joined.header("location"));
        let whole = head(disk.ann(), &address(&joined)).await.expect(200);
        assert_eq!((whole.header("upload-concat"), whole.header("upload-length")), (concat.as_str(), "11"));
        patch(disk.ann(), &address(&joined), 11, "x").await.expect(403);
        patch(disk.ann(), &one, 6, "x").await.expect(404);
        assert!(disk.leftovers().is_empty());
        disk.seed("home/ann/good.bin", "GOOD");
    }
}

#[tokio::test]
async fn f3_what_can_not_be_joined_is_refused_and_kept() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 64 * 1024);
    let one = part(disk.ann(), "/api/tus/home/", "abc").await;
    let concat = |text: String| disk.ann().header("upload-concat", &text);
    concat(format!("final;{one} /api/tus/home/?upload=0")).post("/api/tus/home/a", "").await.expect(400);
    concat(format!("final;{one} {one}")).post("/api/tus/home/a", "").await.expect(400);
    concat("final;".to_owned()).post("/api/tus/home/a", "").await.expect(400);
    concat("whole".to_owned()).post("/api/tus/home/a", "").await.expect(400);
    disk.bob().header("upload-concat", &format!("final;{one}")).post("/api/tus/home/a", "").await.expect(400);
    let open = disk.ann().header("upload-length", "3").header("upload-concat", "partial");
    let open = address(&open.post("/api/tus/home/", "").await.expect(201));
    concat(format!("final;{one} {open}")).post("/api/tus/home/a", "").await.expect(409);
    disk.seed("home/ann/a", "theirs");
    concat(format!("final;{one}")).post("/api/tus/home/a", "").await.expect(409);
    assert_eq!(disk.read("home/ann/a"), "theirs");
    // Without an id no part is addressed, and an unused part can be removed.
    head(disk.ann(), "/api/tus/home/a").await.expect(404);
    disk.ann().delete(&open).await.expect(204);
    concat(format!("final;{one}")).post("/api/tus/home/b", "").await.expect(201);
    assert_eq!(disk.read("home/ann/b"), "abc");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn f4_f5_f6_folders_over_webdav() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/<b> &\"c\"/x", "x");
    for path in ["/", "/home/", "/home", "/home/%3Cb%3E%20&%22c%22/"] {
        send(by(&disk, "ann"), "HEAD", path, "").await.expect(200);
        let page = send(by(&disk, "ann"), "GET", path, "").await.expect(200);
        assert!(
            page.header("content-type").starts_with("text/html")
                && page.header("content-security-policy").contains("sandbox")
        );
    }
    let page = send(by(&disk, "ann"), "GET", "/home/", "").await.text();
    assert!(
        page.contains("<a href=\"/disk/dav/home/%3Cb%3E%20%26%22c%22/\">&lt;b&gt; &amp;&quot;c&quot;/</a>"),
        "{page}"
    );
    send(by(&disk, "ann"), "GET", "/home/none/", "").await.expect(404);
    // F5: without a depth the folder itself is there, and a file.
    let folder = send(by(&disk, "ann"), "PROPFIND", "/home/", "").await.expect(207).text();
    assert!(folder.contains("<D:href>/disk/dav/home/</D:href>") && folder.matches("<D:response>").count() == 2);
    let file = send(by(&disk, "ann"), "PROPFIND", "/home/%3Cb%3E%20&%22c%22/x", "").await.expect(207).text();
    assert!(file.contains("getcontentlength>1<"), "{file}");
    // F6: an existing folder is reported as such, even to a person who may not create it.
    for path in ["/", "/home/", "/home", "/share/", "/home/%3Cb%3E%20&%22c%22/"] {
        send(by(&disk, "ann"), "MKCOL", path, "").await.expect(405);
    }
    send(by(&disk, "ann"), "MKCOL", "/elsewhere", "").await.expect(403);
}

#[tokio::test]
async fn f7_windows_finds_its_way() {
    let disk = TestDisk::new().await;
    for path in ["/", ""] {
        let options = disk.anonymous().send(Method::OPTIONS, path, "").await.expect(200);
        assert_eq!((options.header("dav"), options.header("ms-author-via")), ("1,2,3", "DAV"));
        let found = disk.anonymous().header("depth", "1").send(Method::from_bytes(b"PROPFIND").unwrap(), path, "");
        assert!(found.await.expect(207).text().contains("<D:href>/disk/dav/</D:href>"));
    }
    disk.anonymous().get("/").await.expect(404);
    let call = disk.anonymous().header("authorization", &format!("Basic {}", STANDARD.encode("LAB\\ann:app-ann")));
    send(call, "PROPFIND", "/home/", "").await.expect(207);
}

#[tokio::test]
async fn f9_room_is_that_of_the_space() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 1 << 20);
    disk.seed("home/ann/sub/a", "x".repeat(40_960));
    let asked = "<propfind xmlns=\"DAV:\"><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>";
    let room = async |path: &str, body: &str| {
        let text = send(by(&disk, "ann").header("depth", "0"), "PROPFIND", path, body).await.expect(207).text();
        let number = |name: &str| -> u64 {
            let rest = text.split(&format!("{name}>")).nth(1).unwrap_or_else(|| panic!("{text}"));
            rest.split('<').next().unwrap().parse().unwrap()
        };
        (number("quota-used-bytes"), number("quota-available-bytes"))
    };
    let (used, free) = room("/", asked).await;
    assert!(used >= 40_960 && used + free == 1 << 20, "{used} {free}");
    for path in ["/home/", "/home/sub/"] {
        assert_eq!(room(path, asked).await, (used, free), "{path}");
        // In the form that the npm client sends.
        assert_eq!(room(path, "").await, (used, free), "{path}");
    }
    assert_ne!(room("/share/", asked).await, (used, free));
}

#[tokio::test]
async fn f11_a_part_of_a_file_is_replaced() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "hello world");
    let kind = "application/x-sabredav-partialupdate";
    let call = |range: &str, length: usize| {
        let call = by(&disk, "ann").header("content-type", kind).header("x-update-range", range);
        call.header("content-length", &length.to_string())
    };
    send(call("bytes=0-4", 5), "PATCH", "/home/a", "HELLO").await.expect(204);
    send(call("append", 1), "PATCH", "/home/a", "!").await.expect(204);
    send(call("bytes=-1", 2), "PATCH", "/home/a", "?!").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "HELLO world?!");
    send(call("bytes=100-101", 2), "PATCH", "/home/a", "no").await.expect(416);
    send(call("bytes=0-4", 2), "PATCH", "/home/a", "no").await.expect(416);
    send(call("append", 1), "PATCH", "/home/none", "x").await.expect(404);
    send(call("append", 1), "PATCH", "/home/", "x").await.expect(405);
    send(by(&disk, "ann").header("content-length", "1"), "PATCH", "/home/a", "x").await.expect(415);
    assert_eq!(disk.read("home/ann/a"), "HELLO world?!");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn f12_times_are_set_afterwards() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "x");
    disk.seed("home/ann/d/x", "x");
    let set = |prop: &str| {
        format!(
            "<?xml version=\"1.0\"?><D:propertyupdate xmlns:D=\"DAV:\" xmlns:Z=\"urn:schemas-microsoft-com:\"><D:set><D:prop>{prop}</D:prop></D:set></D:propertyupdate>"
        )
    };
    let time = |path: &str| {
        let modified = std::fs::metadata(disk.real(path)).unwrap().modified().unwrap();
        modified.duration_since(UNIX_EPOCH).unwrap().as_secs()
    };
    let cases = [
        ("<lastmodified xmlns=\"DAV:\">981173106</lastmodified>", "lastmodified", 981_173_106),
        ("<D:getlastmodified>Thu, 03 Jan 2019 10:00:00 GMT</D:getlastmodified>", "getlastmodified", 1_546_509_600),
        (
            "<Z:Win32LastModifiedTime>Thu, 03 Jan 2019 10:00:01 GMT</Z:Win32LastModifiedTime>\
             <Z:Win32FileAttributes>00000020</Z:Win32FileAttributes>",
            "Win32LastModifiedTime",
            1_546_509_601,
        ),
    ];
    for (prop, name, wanted) in cases {
        for (path, real) in [("/home/a", "home/ann/a"), ("/home/d/", "home/ann/d")] {
            let said = send(by(&disk, "ann"), "PROPPATCH", path, &set(prop)).await.expect(207).text();
            assert!(said.contains(name) && said.contains("200 OK") && !said.contains("urn:yunlab"), "{said}");
            assert_eq!(time(real), wanted, "{name}");
        }
    }
    let bad = set("<D:getlastmodified>soon</D:getlastmodified>");
    let refused = send(by(&disk, "ann"), "PROPPATCH", "/home/a", &bad).await.expect(207);
    assert!(refused.text().contains("409"));
    assert_eq!(time("home/ann/a"), 1_546_509_601);
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.seed("home/ann/a", "x");
    send(by(&disk, "ann"), "PROPPATCH", "/home/a", &set(cases[0].0)).await.expect(403);
}

#[tokio::test]
async fn f17_checksums_of_ownclouds_kind() {
    let disk = TestDisk::new().await;
    let put = |checksum: &str| by(&disk, "ann").header("oc-checksum", checksum).header("content-length", "5");
    send(put("SHA1:0000000000000000000000000000000000000000"), "PUT", "/home/a", "hello").await.expect(400);
    assert!(!disk.real("home/ann/a").exists());
    let sha1 = "SHA1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";
    send(put(sha1), "PUT", "/home/a", "hello").await.expect(201);
    // Clients compare by either; rclone before 1.64 by MD5.
    let both = format!(">{sha1} MD5:5d41402abc4b2a76b9719d911017c592<");
    let asked = "<propfind xmlns=\"DAV:\"><prop><c:checksums xmlns:c=\"http://owncloud.org/ns\"/></prop></propfind>";
    let known = async || {
        let call = by(&disk, "ann").header("depth", "0");
        send(call, "PROPFIND", "/home/b", asked).await.expect(207).text().contains(&both)
    };
    disk.ann().rename("/home/a", "/home/b").await.expect(200);
    assert!(known().await);
    // Another time is the same content, another content is not.
    let touch = "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><D:lastmodified>981173106</D:lastmodified></D:prop></D:set></D:propertyupdate>";
    send(by(&disk, "ann"), "PROPPATCH", "/home/b", touch).await.expect(207);
    assert!(known().await);
    disk.seed("home/ann/b", "HELLO");
    assert!(!known().await);
    send(put("CRC32:00"), "PUT", "/home/c", "hello").await.expect(201);
}

#[tokio::test]
async fn f13_what_later_pages_of_file_browser_save_is_kept() {
    let disk = TestDisk::new().await;
    let user = async || -> Value { disk.ann().get("/api/users/2").await.json() };
    user().await;
    let save = |body: Value| disk.ann().put("/api/users/2", body.to_string());
    let which = ["locale", "hideDotfiles", "singleClick", "redirectAfterCopyMove", "dateFormat", "aceEditorTheme"];
    let data = json!({ "id": 2, "username": "ann", "locale": "en", "hideDotfiles": true, "singleClick": true, "dateFormat": true });
    save(json!({ "what": "user", "which": which, "data": data })).await.expect(200);
    save(json!({ "what": "user", "which": ["viewMode"], "data": { "id": 2, "viewMode": "mosaic gallery" } }))
        .await
        .expect(200);
    let now = user().await;
    let seen =
        ["locale", "dateFormat", "redirectAfterCopyMove", "aceEditorTheme", "viewMode"].map(|name| now[name].clone());
    assert_eq!(Value::from(seen.to_vec()), json!(["en", true, false, "", "mosaic gallery"]));
    let theirs = json!({ "minimumPasswordLength": 1, "userHomeBasePath": "/users", "hideLoginButton": true });
    disk.root().put("/api/settings", theirs.to_string()).await.expect(200);
    let kept = disk.root().get("/api/settings").await.json();
    let kept = ["minimumPasswordLength", "userHomeBasePath", "hideLoginButton"].map(|name| kept[name].clone());
    assert_eq!(Value::from(kept.to_vec()), json!([6, "/home", true]));
}

#[tokio::test]
async fn all_below_a_folder_in_one_list() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a #1/kept.txt", "four");
    disk.seed("home/ann/a #1/sub/x", "x");
    let list = async |path: &str| -> Vec<(String, bool, u64)> {
        let found: Value = disk.ann().get(&format!("/api/resources/recursive{path}")).await.expect(200).json();
        let entry = |one: &Value| {
            (one["path"].as_str().unwrap().to_owned(), one["isDir"] == true, one["size"].as_u64().unwrap())
        };
        let mut found: Vec<_> = found.as_array().unwrap().iter().map(entry).collect();
        found.sort();
        found
    };
    let wanted = [
        ("/home/a #1", true, 0),
        ("/home/a #1/kept.txt", false, 4),
        ("/home/a #1/sub", true, 0),
        ("/home/a #1/sub/x", false, 1),
    ];
    assert_eq!(list("/home/").await, wanted.map(|(path, dir, size)| (path.to_owned(), dir, size)));
    assert_eq!(list("/home/a%20%231").await.len(), 3);
    disk.ann().get("/api/resources/recursive/home/none/").await.expect(404);
    disk.ann().get("/api/resources/recursive/home/a%20%231/kept.txt").await.expect(400);
}

#[tokio::test]
async fn the_cookie_opens_files_only_where_an_administrator_allows_it() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "hers");
    let by = |cookie: &str| disk.anonymous().header("cookie", cookie);
    for cookie in ["auth=ann", "x=1; auth=ann"] {
        by(cookie).get("/api/raw/home/a").await.expect(401);
    }
    disk.root().put("/api/settings", "{\"filebrowserPages\":true}").await.expect(200);
    // A sign-in is not accepted in a cookie, whatever is allowed.
    by("auth=ann").get("/api/raw/home/a").await.expect(401);
    let lines = disk.ann().header("accept", "*/*").get("/api/search/home/?query=a").await.expect(200);
    assert_eq!(lines.text().lines().filter(|line| line.starts_with('{')).count(), 1);
    let array = disk.ann().header("accept", "application/json").get("/api/search/home/?query=a").await.expect(200);
    assert!(array.text().starts_with('['));
}
