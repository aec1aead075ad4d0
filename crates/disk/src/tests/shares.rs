//! Share links, from their creation to their end.

use std::time::Duration;

use futures_util::future::join_all;
use http::Method;
use serde_json::json;

use super::harness::{Answer, TestDisk};

/// Ann's permanent link to this path.
pub(super) async fn share(disk: &TestDisk, path: &str) -> String {
    hash(&disk.ann().post(&format!("/api/share{path}"), "").await.expect(200))
}

pub(super) fn hash(answer: &Answer) -> String {
    answer.json()["hash"].as_str().unwrap().to_owned()
}

/// Paths of Ann's own links.
async fn listed(disk: &TestDisk) -> Vec<String> {
    let links = disk.ann().get("/api/shares").await.expect(200).json();
    let path = |link: &serde_json::Value| link["path"].as_str().unwrap().to_owned();
    let mut paths: Vec<_> = links.as_array().unwrap().iter().map(path).collect();
    paths.sort_unstable();
    paths
}

/// Whether a link works for visitors.
pub(super) async fn is_open(disk: &TestDisk, hash: &str) -> bool {
    let seen = disk.anonymous().get(&format!("/api/public/share/{hash}")).await;
    let fetched = disk.anonymous().get(&format!("/api/public/dl/{hash}")).await;
    assert_eq!(seen.status == 404, fetched.status == 404, "{} {}", seen.status, fetched.status);
    match seen.status.as_u16() {
        200 => true,
        404 => false,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn s191_s371_s374_a_file_for_everybody() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/图 1.txt", "0123456789");
    let link = disk.ann().post("/api/share/home/%E5%9B%BE%201.txt", "").await.expect(200).json();
    assert_eq!(link["path"], "/home/图 1.txt");
    assert_eq!((&link["expire"], &link["userID"], &link["hasPassword"]), (&json!(0), &json!(2), &json!(false)));
    assert!(link.get("username").is_none());
    let hash = link["hash"].as_str().unwrap();
    assert_eq!(hash.len(), 22);
    let seen = disk.anonymous().get(&format!("/api/public/share/{hash}")).await.expect(200);
    let json = seen.json();
    assert_eq!((&json["name"], &json["path"], &json["size"]), (&json!("图 1.txt"), &json!(""), &json!(10)));
    assert_eq!((&json["type"], &json["isDir"]), (&json!("textImmutable"), &json!(false)));
    assert_eq!(json["content"], "0123456789");
    let listed = disk.anonymous().get(&format!("/api/public/share/{hash}?kind=listing")).await.expect(200).json();
    assert!(listed.get("content").is_none() && listed["size"] == 10);
    assert!(json.get("token").is_none());
    assert_eq!(seen.header("x-content-type-options"), "nosniff");
    assert!(seen.header("cache-control").contains("private"));
    let fetched = disk.anonymous().get(&format!("/api/public/dl/{hash}")).await.expect(200);
    assert_eq!(fetched.text(), "0123456789");
    assert!(fetched.header("content-disposition").starts_with("attachment; filename=\"_ 1.txt\""));
    assert!(fetched.header("content-security-policy").starts_with("sandbox"));
    let named = format!("/api/public/dl/{hash}/any.txt?inline=true");
    let part = disk.anonymous().header("range", "bytes=2-3").get(&named).await.expect(206);
    assert_eq!((part.text(), part.header("content-disposition").starts_with("inline")), ("23".into(), true));
    for path in [format!("/api/public/dl/{hash}"), format!("/api/public/share/{hash}")] {
        assert!(disk.anonymous().send(Method::HEAD, &path, "").await.expect(200).body.is_empty());
        disk.anonymous().post(&path, "").await.expect(405);
    }
}

#[tokio::test]
async fn s037_a_folder_and_what_is_in_it() {
    let disk = TestDisk::new().await;
    for name in ["b10", "b2", "A/x.txt", "A/deep/y"] {
        disk.seed(&format!("home/ann/d/{name}"), name);
    }
    let hash = share(&disk, "/home/d/").await;
    let root = disk.anonymous().get(&format!("/api/public/share/{hash}/")).await.expect(200);
    assert_eq!(root.names(), ["A", "b2", "b10"]);
    let json = root.json();
    assert_eq!((&json["name"], &json["path"], &json["numDirs"]), (&json!("d"), &json!("/"), &json!(1)));
    assert_eq!(json["items"][0]["path"], "/A");
    let page = disk.anonymous().get(&format!("/api/public/share/{hash}?offset=1&limit=1")).await.expect(200);
    assert_eq!((page.names(), &page.json()["numFiles"]), (vec!["b2".to_owned()], &json!(2)));
    let below = disk.anonymous().get(&format!("/api/public/share/{hash}/A/deep")).await.expect(200);
    assert_eq!((below.names(), &below.json()["path"]), (vec!["y".to_owned()], &json!("/A/deep")));
    let file = disk.anonymous().get(&format!("/api/public/share/{hash}/A/x.txt")).await.expect(200).json();
    assert_eq!(file["path"], "/A/x.txt");
    let fetched = disk.anonymous().get(&format!("/api/public/dl/{hash}/A/x.txt")).await.expect(200);
    assert_eq!(fetched.text(), "A/x.txt");
    disk.anonymous().get(&format!("/api/public/share/{hash}/none")).await.expect(404);
    disk.anonymous().get("/api/public/share/AAAAAAAAAAAAAAAAAAAAAA").await.expect(404);
    disk.anonymous().get("/api/public/share/").await.expect(404);
    disk.anonymous().get("/api/public/dl").await.expect(404);
}

#[tokio::test]
async fn s246_s247_one_permanent_link_and_any_number_that_expire() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let post = async |query: &str| disk.ann().post(&format!("/api/share/home/a{query}"), "").await;
    let later = hash(&post("?expires=2").await.expect(200));
    let sooner = post("?expires=30&unit=minutes").await.expect(200);
    assert_eq!(sooner.json()["expire"], 1_800_000_000 + 1800);
    let permanent = hash(&post("").await.expect(200));
    assert_eq!(hash(&post("").await.expect(200)), permanent);
    assert_eq!(hash(&post("?expires=&unit=hours").await.expect(200)), permanent);
    let hashes = |list: &Answer| -> Vec<String> {
        list.json().as_array().unwrap().iter().map(|link| link["hash"].as_str().unwrap().to_owned()).collect()
    };
    let expected = [permanent.clone(), hash(&sooner), later];
    assert_eq!(hashes(&disk.ann().get("/api/share/home/a").await.expect(200)), expected);
    assert_eq!(hashes(&disk.ann().get("/api/shares").await.expect(200)), expected);
    disk.ann().delete(&format!("/api/share/{permanent}")).await.expect(200);
    disk.ann().delete(&format!("/api/share/{permanent}")).await.expect(404);
    assert!(!is_open(&disk, &permanent).await);
    assert_ne!(hash(&post("").await.expect(200)), permanent);
    for query in ["?expires=-1", "?expires=2147483648", "?expires=x", "?expires=1&unit=weeks"] {
        post(query).await.expect(400);
    }
}

#[tokio::test]
async fn s192_s372_the_body_says_the_same() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let post =
        async |query: &str, body: &str| disk.ann().post(&format!("/api/share/home/a{query}"), body.to_owned()).await;
    let table = [
        ("", r#"{"expires":"3","unit":"days"}"#, 3 * 86_400),
        ("", r#"{"expires":3}"#, 3 * 3600),
        ("?expires=9&unit=days", r#"{"password":"","expires":"5","unit":"seconds"}"#, 5),
        ("?expires=9&unit=seconds", "{}", 9),
        ("", r#"{"expires":"","unit":"hours"}"#, -1_800_000_000),
    ];
    for (query, body, seconds) in table {
        assert_eq!(post(query, body).await.expect(200).json()["expire"], 1_800_000_000 + seconds, "{query} {body}");
    }
    for body in
        ["{", "[]", r#"{"expires":-1}"#, r#"{"expires":"1","unit":"years"}"#, r#"{"expires":1.5}"#, r#"{"expire":"1"}"#]
    {
        post("", body).await.expect(400);
    }
    post("", &format!(r#"{{"password":"{}"}}"#, "x".repeat(2000))).await.expect(400);
    post("", &format!(r#"{{"password":"{}"}}"#, "x".repeat(20_000))).await.expect(413);
}

#[tokio::test]
async fn a_link_expires() {
    let mut disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let link = hash(&disk.ann().post("/api/share/home/a?expires=90&unit=seconds", "").await.expect(200));
    assert!(is_open(&disk, &link).await);
    // Visitors see when it ends.
    let seen = disk.anonymous().get(&format!("/api/public/share/{link}")).await.expect(200);
    assert_eq!(seen.header("sunset"), "Fri, 15 Jan 2027 08:01:30 GMT");
    let lasting = share(&disk, "/home/a").await;
    let seen = disk.anonymous().get(&format!("/api/public/share/{lasting}")).await.expect(200);
    assert!(!seen.headers.contains_key("sunset"));
    disk.ann().delete(&format!("/api/share/{lasting}")).await.expect(200);
    disk.clock.advance(Duration::from_secs(89));
    assert!(is_open(&disk, &link).await);
    disk.clock.advance(Duration::from_secs(1));
    assert!(!is_open(&disk, &link).await);
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json(), json!([]));
    disk.ann().delete(&format!("/api/share/{link}")).await.expect(404);
    disk.reopen().await;
    assert!(!is_open(&disk, &link).await);
    let at_once = hash(&disk.ann().post("/api/share/home/a?expires=0", "").await.expect(200));
    assert!(!is_open(&disk, &at_once).await);
}

#[tokio::test]
async fn s369_s370_s373_whose_links_are_whose() {
    let disk = TestDisk::new().await;
    disk.seed("share/a", "");
    let anns = share(&disk, "/share/a").await;
    let bobs = hash(&disk.bob().post("/api/share/share/a", "").await.expect(200));
    assert_ne!(anns, bobs);
    for path in ["/api/shares", "/api/share/share/a"] {
        assert_eq!(disk.bob().get(path).await.expect(200).json()[0]["hash"], bobs.as_str());
        let all = disk.root().get(path).await.expect(200).json();
        let names: Vec<_> = all.as_array().unwrap().iter().map(|link| link["username"].as_str().unwrap()).collect();
        assert_eq!(names.len(), 2);
        assert!(names.contains(&"ann") && names.contains(&"bob"));
    }
    assert_eq!(disk.ann().get("/api/share/share/none").await.expect(200).json(), json!([]));
    assert_eq!(disk.ann().get("/api/share/").await.expect(200).json(), json!([]));
    disk.root().delete(&format!("/api/share/{anns}")).await.expect(200);
    assert!(!is_open(&disk, &anns).await && is_open(&disk, &bobs).await);
    disk.ann().delete("/api/share/not/a/hash").await.expect(404);
    disk.anonymous().get("/api/shares").await.expect(401);
    disk.anonymous().post("/api/share/share/a", "").await.expect(401);
}

#[tokio::test]
async fn what_can_be_shared() {
    let disk = TestDisk::new().await;
    let fifo = disk.real("home/ann/pipe");
    std::fs::create_dir_all(fifo.parent().unwrap()).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    disk.ann().post("/api/share/home/pipe", "").await.expect(403);
    disk.ann().post("/api/share/", "").await.expect(400);
    disk.root().post("/api/share/", "").await.expect(400);
    disk.ann().post("/api/share/home/bob", "").await.expect(404);
    disk.ann().post("/api/share/groups/other", "").await.expect(404);
    disk.ann().post("/api/share/home/../share", "").await.expect(400);
    disk.ann().post("/api/share/home", "").await.expect(200);
}

#[tokio::test]
async fn passwords_and_tokens() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", "content");
    let post = async |password: &str| {
        disk.ann().post("/api/share/home/a.txt", json!({ "password": password }).to_string()).await
    };
    let link = post("pass 密").await.expect(200);
    assert_eq!(link.json()["hasPassword"], true);
    let hash = hash(&link);
    let look = async |password: &'static str| {
        disk.anonymous().header("x-share-password", password).get(&format!("/api/public/share/{hash}")).await
    };
    let with = async |token: &str| disk.anonymous().get(&format!("/api/public/dl/{hash}?token={token}")).await;
    disk.anonymous().get(&format!("/api/public/share/{hash}")).await.expect(401);
    disk.anonymous().get(&format!("/api/public/dl/{hash}")).await.expect(401);
    look("wrong").await.expect(401);
    let token = look("pass%20%E5%AF%86").await.expect(200).json()["token"].as_str().unwrap().to_owned();
    assert_eq!(with(&token).await.expect(200).text(), "content");
    with(&format!("{token}x")).await.expect(401);
    with("").await.expect(401);
    disk.clock.advance(Duration::from_secs(3600));
    with(&token).await.expect(401);
    // Another password on the same link invalidates tokens for the former one.
    let token = look("pass%20%E5%AF%86").await.expect(200).json()["token"].as_str().unwrap().to_owned();
    assert_eq!(super::shares::hash(&post("other1").await.expect(200)), hash);
    with(&token).await.expect(401);
    look("pass%20%E5%AF%86").await.expect(401);
    look("other1").await.expect(200);
    // Requested again without a password, the link keeps it.
    assert_eq!(post("").await.expect(200).json()["hasPassword"], true);
}

#[tokio::test]
async fn passwords_can_not_be_guessed_without_end() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let hash = hash(&disk.ann().post("/api/share/home/a", r#"{"password":"secret1"}"#).await.expect(200));
    let guess = async || disk.anonymous().header("x-share-password", "x").get(&format!("/api/public/dl/{hash}")).await;
    // All at once: one after another, each waits for a password hash, and a try returns every six seconds.
    let answers = join_all((0..40).map(|_| guess())).await;
    let (tried, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 401);
    assert!((10..30).contains(&tried.len()), "{} were tried", tried.len());
    for answer in refused {
        let wait = answer.expect(429).header("retry-after").parse::<u64>().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    disk.anonymous().get(&format!("/api/public/dl/{hash}")).await.expect(401);
}

#[tokio::test]
async fn links_in_a_shared_folder_lead_nowhere_else() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/inner/a", "inside");
    disk.seed("home/ann/secret", "secret");
    disk.link("inner/a", "home/ann/d/good");
    disk.link("../secret", "home/ann/d/up");
    disk.link("inner/../../secret", "home/ann/d/around");
    disk.link("/etc/passwd", "home/ann/d/out");
    disk.link("..", "home/ann/d/parent");
    let hash = share(&disk, "/home/d").await;
    let get = async |path: &str| disk.anonymous().get(&format!("/api/public/dl/{hash}/{path}")).await;
    assert_eq!(get("good").await.expect(200).text(), "inside");
    for path in ["up", "around", "out", "parent/secret", "parent"] {
        get(path).await.expect(404);
        disk.anonymous().get(&format!("/api/public/share/{hash}/{path}")).await.expect(404);
    }
    for path in ["../secret", "%2e%2e/secret", "..%2fsecret", "inner/../../secret", "//secret"] {
        get(path).await.expect(400);
    }
    get(".yunlab").await.expect(404);
    let listing = disk.anonymous().get(&format!("/api/public/share/{hash}")).await.expect(200);
    assert_eq!(listing.item("up")["type"], "invalid_link");
    assert!(!listing.text().contains("secret"));
}

#[tokio::test]
async fn s361_a_folder_as_an_archive() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a.txt", "content of a");
    disk.seed("home/ann/d/inner/b", "content of b");
    disk.seed("home/ann/beside", "secret");
    disk.link("../beside", "home/ann/d/link");
    let hash = share(&disk, "/home/d").await;
    let get = async |rest: &str| disk.anonymous().get(&format!("/api/public/dl/{hash}{rest}")).await;
    let whole = get("?algo=tar").await.expect(200);
    assert!(whole.header("content-disposition").contains("\"d.tar\""));
    let text = String::from_utf8_lossy(&whole.body).into_owned();
    assert!(text.contains("content of a") && text.contains("content of b") && !text.contains("secret"));
    let inner = get("/inner?algo=tar").await.expect(200);
    let text = String::from_utf8_lossy(&inner.body).into_owned();
    assert!(text.contains("content of b") && !text.contains("content of a"));
    let some = get("?algo=tar&files=a.txt").await.expect(200);
    let text = String::from_utf8_lossy(&some.body).into_owned();
    assert!(text.contains("content of a") && !text.contains("content of b"));
    for files in ["../beside", "%2e%2e%2fbeside", "/../beside"] {
        let refused = get(&format!("?algo=tar&files={files}")).await;
        assert!([400, 404].contains(&refused.status.as_u16()), "{files} {}", refused.status);
    }
    get("?algo=rar").await.expect(400);
}

#[tokio::test]
async fn what_the_owner_hides_visitors_do_not_see() {
    let disk = TestDisk::with(|config| config.settings.defaults.hide_dotfiles = true).await;
    disk.seed("home/ann/d/.git/config", "");
    disk.seed("home/ann/d/a", "");
    let hash = share(&disk, "/home/d").await;
    let listing = disk.anonymous().get(&format!("/api/public/share/{hash}")).await.expect(200);
    assert_eq!(listing.names(), ["a"]);
    disk.anonymous().get(&format!("/api/public/dl/{hash}/.git/config")).await.expect(404);
    let archive = disk.anonymous().get(&format!("/api/public/dl/{hash}?algo=tar")).await.expect(200);
    assert!(!String::from_utf8_lossy(&archive.body).contains(".git"));
    disk.anonymous().get(&format!("/api/public/share/{hash}/.git")).await.expect(404);
}

#[tokio::test]
async fn new_content_keeps_the_link_and_anything_else_ends_it() {
    let disk = TestDisk::new().await;
    for name in ["a", "b", "c", "d", "e/f", "g"] {
        disk.seed(&format!("home/ann/{name}"), name);
    }
    let mut links = std::collections::HashMap::new();
    for name in ["a", "b", "c", "d", "e/f", "e"] {
        links.insert(name, share(&disk, &format!("/home/{name}")).await);
    }
    for round in ["second", "third"] {
        disk.ann().put("/api/resources/home/a", round).await.expect(200);
        assert_eq!(disk.anonymous().get(&format!("/api/public/dl/{}", links["a"])).await.expect(200).text(), round);
    }
    disk.ann().post("/api/resources/home/a?override=true", "fourth").await.expect(200);
    assert_eq!(disk.anonymous().get(&format!("/api/public/dl/{}", links["a"])).await.expect(200).text(), "fourth");
    // Deleted and created again.
    disk.ann().delete("/api/resources/home/b").await.expect(200);
    disk.ann().post("/api/resources/home/b", "new").await.expect(200);
    // Another file moved over it, by us and by a program beside us.
    disk.ann().change("rename", "/home/g", "/home/c", "&override=true").await.expect(200);
    std::fs::rename(disk.seed("home/ann/new", "new"), disk.real("home/ann/d")).unwrap();
    // Moved away and back with its folder.
    disk.ann().rename("/home/e", "/home/h").await.expect(200);
    disk.ann().rename("/home/h", "/home/e").await.expect(200);
    for name in ["b", "c", "d", "e", "e/f"] {
        assert!(!is_open(&disk, &links[name]).await, "{name}");
    }
    assert_eq!(listed(&disk).await, ["/home/a"]);
    // A link to the new entry is another link.
    assert_eq!(disk.ann().get("/api/share/home/d").await.expect(200).json(), json!([]));
    let anew = share(&disk, "/home/d").await;
    assert!(anew != links["d"] && is_open(&disk, &anew).await && !is_open(&disk, &links["d"]).await);
}

#[tokio::test]
async fn s369_what_is_gone_is_not_listed() {
    let disk = TestDisk::new().await;
    let hard = "home/ann/d/ a%20#?\"图";
    let kept = [disk.seed(hard, ""), disk.seed("home/ann/kept", "")];
    for path in ["/home/d/%20a%2520%23%3F%22%E5%9B%BE", "/home/kept", "/home/d"] {
        share(&disk, path).await;
    }
    assert_eq!(listed(&disk).await, ["/home/d", "/home/d/ a%20#?\"图", "/home/kept"]);
    // By other programs, without the disk's knowledge.
    std::fs::rename(&kept[0], disk.real("home/ann/away")).unwrap();
    std::fs::remove_file(&kept[1]).unwrap();
    std::os::unix::fs::symlink("away", &kept[1]).unwrap();
    assert_eq!(listed(&disk).await, ["/home/d"]);
    assert_eq!(disk.root().get("/api/shares").await.expect(200).json().as_array().unwrap().len(), 1);
    // An entry that comes back keeps its link.
    std::fs::rename(disk.real("home/ann/away"), &kept[0]).unwrap();
    assert_eq!(listed(&disk).await, ["/home/d", "/home/d/ a%20#?\"图"]);
}

#[tokio::test]
async fn s369_what_the_owner_may_not_share_at_the_moment_stays_listed() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let link = share(&disk, "/home/a").await;
    disk.portal.set(2, |person| person.active = false);
    assert!(!is_open(&disk, &link).await);
    assert_eq!(disk.root().get("/api/shares").await.expect(200).json()[0]["hash"], link.as_str());
}

#[tokio::test]
async fn downloads_are_counted() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "0123456789");
    let hash = share(&disk, "/home/a").await;
    let path = format!("/api/public/dl/{hash}");
    for _ in 0..3 {
        disk.anonymous().get(&path).await.expect(200);
    }
    disk.anonymous().header("range", "bytes=0-").get(&path).await.expect(206);
    // Neither further ranges of a download nor a `HEAD` count.
    disk.anonymous().header("range", "bytes=5-").get(&path).await.expect(206);
    disk.anonymous().send(Method::HEAD, &path, "").await.expect(200);
    disk.anonymous().get(&format!("/api/public/share/{hash}")).await.expect(200);
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json()[0]["downloads"], 4);
}
