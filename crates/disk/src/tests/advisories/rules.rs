//! Flaws of rules and scopes.

use http::Method;
use serde_json::{Value, json};

use crate::tests::harness::TestDisk;
use crate::tests::paths::snapshot;

/// A disk on which these paths of every view are denied.
async fn denying(paths: &[&str]) -> TestDisk {
    let disk = TestDisk::new().await;
    let rules: Vec<Value> = paths.iter().map(|path| json!({ "path": path })).collect();
    disk.root().put("/api/settings", json!({ "rules": rules }).to_string()).await.expect(200);
    disk
}

/// Never fixed in the original: a link beside a denied folder leads into it.
#[tokio::test]
async fn ghsa_7w29_an_alias_dodges_a_rule() {
    let disk = denying(&["/home/secret", "/home/ann/secret"]).await;
    disk.seed("home/ann/secret/x", "secret");
    disk.seed("home/ann/open/y", "open");
    disk.link("secret", "home/ann/a");
    disk.link("secret/x", "home/ann/file");
    disk.link("../a", "home/ann/open/again");
    disk.link(".", "home/ann/self");
    disk.link("open/../secret", "home/ann/winding");
    let before = snapshot(&disk);
    for (who, base) in [(disk.ann(), "/home"), (disk.root(), "/home/ann")] {
        for folder in ["a", "open/again", "self/secret", "self/self/a", "winding", "secret"] {
            let folder = format!("{base}/{folder}");
            let calls = [
                (Method::GET, format!("/api/resources{folder}/")),
                (Method::GET, format!("/api/resources{folder}/x")),
                (Method::GET, format!("/api/raw{folder}/x")),
                (Method::GET, format!("/api/raw{folder}/?algo=zip")),
                (Method::GET, format!("/api/usage{folder}")),
                (Method::GET, format!("/api/resources{folder}/x?checksum=md5")),
                (Method::GET, format!("/api/preview/big{folder}/x")),
                (Method::GET, format!("/api/subtitle{folder}/x")),
                (Method::GET, format!("/api/search{folder}/?query=x")),
                (Method::POST, format!("/api/share{folder}/x")),
                (Method::PUT, format!("/api/resources{folder}/x")),
                (Method::POST, format!("/api/resources{folder}/x?override=true")),
                (Method::POST, format!("/api/resources{folder}/new")),
                (Method::POST, format!("/api/resources{folder}/new/")),
                (Method::POST, format!("/api/tus{folder}/new")),
                (Method::DELETE, format!("/api/resources{folder}/x")),
                (Method::PATCH, format!("/api/resources{folder}/x?action=copy&destination={base}/out")),
                (Method::PATCH, format!("/api/resources{folder}/x?action=rename&destination={base}/out")),
                (Method::PATCH, format!("/api/resources{base}/open/y?action=copy&destination={folder}/in")),
                (Method::PATCH, format!("/api/resources{base}/open/y?action=rename&destination={folder}/in")),
            ];
            for (method, path) in calls {
                let call = who.clone().header("tus-resumable", "1.0.0").header("upload-length", "1");
                let bare = ["/api/share", "/api/tus"].iter().any(|api| path.starts_with(api));
                let body = if bare { "" } else { "x" };
                let answer = call.send(method.clone(), &path, body).await;
                assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text());
            }
        }
        for (method, body) in [(Method::GET, ""), (Method::PUT, "x")] {
            who.clone().send(method, &format!("/api/resources{base}/file"), body).await.expect(403);
        }
        who.clone().get(&format!("/api/raw{base}/file")).await.expect(403);
    }
    assert_eq!(snapshot(&disk), before);
}

/// CVE-2026-73612: rules are not checked for entries in a folder. `rules.rs` has it in full.
#[tokio::test]
async fn ghsa_77x8_a_denied_child_goes_along() {
    let disk = denying(&["/home/src/secret"]).await;
    disk.seed("home/ann/src/secret", "secret");
    disk.seed("home/ann/src/other", "other");
    let before = snapshot(&disk);
    disk.ann().change("copy", "/home/src", "/share/copy", "").await.expect(403);
    disk.ann().rename("/home/src", "/home/moved").await.expect(403);
    disk.ann().delete("/api/resources/home/src").await.expect(403);
    disk.ann().delete("/api/resources/home/src/?permanent=true").await.expect(403);
    assert_eq!(snapshot(&disk), before);
}

/// CVE-2026-72835: other case and Windows separators, against a rule.
#[tokio::test]
async fn ghsa_fgm5_case_and_separators_dodge_a_rule() {
    let disk = denying(&["/home/Secret.TXT", "/home/Straße"]).await;
    for name in ["Secret.TXT", "SECRET.txt", "secret.txt", "sEcReT.tXt", "Straße", "STRASSE", "strasse", "ſecret.txt"]
    {
        disk.seed(&format!("home/ann/{name}"), "secret");
    }
    disk.seed("home/ann/allow/x", "x");
    for name in ["Secret.TXT", "SECRET.txt", "sEcReT.tXt", "Stra%C3%9Fe", "STRASSE", "strasse", "%C5%BFecret.txt"] {
        disk.ann().get(&format!("/api/raw/home/{name}")).await.expect(403);
        disk.ann().put(&format!("/api/resources/home/{name}"), "x").await.expect(403);
        disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(403);
        disk.ann()
            .rename("/home/allow/x", &format!("/home/{}", name.replace("%C3%9F", "ß").replace("%C5%BF", "ſ")))
            .await
            .expect(403);
    }
    for path in ["/home/allow%5C..%5CSecret.TXT", "/home%5CSecret.TXT", "/%5Chome%5CSecret.TXT"] {
        disk.ann().get(&format!("/api/raw{path}")).await.expect(404);
    }
    disk.ann().get("/api/raw/home/allow/../Secret.TXT").await.expect(400);
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names(), ["allow"]);
}

/// CVE-2026-35605: a rule for a folder also matches neighbours with a longer name.
#[tokio::test]
async fn ghsa_5q48_a_rule_ends_at_a_segment() {
    let disk = denying(&["/home/up"]).await;
    for path in ["up/x", "uploads/x", "up.txt", "allowed/x"] {
        disk.seed(&format!("home/ann/{path}"), "x");
    }
    disk.ann().get("/api/raw/home/up/x").await.expect(403);
    disk.ann().get("/api/raw/home/uploads/x").await.expect(200);
    disk.ann().get("/api/raw/home/up.txt").await.expect(200);
    let rules = json!({ "rules": [{ "path": "/" }, { "path": "/home/up", "allow": true }] });
    disk.root().put("/api/settings", rules.to_string()).await.expect(200);
    disk.ann().get("/api/raw/home/up/x").await.expect(200);
    disk.ann().get("/api/raw/home/uploads/x").await.expect(403);
    disk.ann().get("/api/raw/home/up.txt").await.expect(403);
}

/// CVE-2026-32758: dots in the destination, against a rule.
#[tokio::test]
async fn ghsa_9f3r_dots_lead_to_a_denied_place() {
    let disk = denying(&["/home/denied"]).await;
    disk.seed("home/ann/a", "a");
    disk.seed("home/ann/ok/x", "x");
    disk.seed("home/ann/denied/x", "x");
    let before = snapshot(&disk);
    for action in ["copy", "rename"] {
        for to in ["/home/ok/../denied/y", "/home/ok/%2e%2e/denied/y", "%2Fhome%2Fok%2F..%2Fdenied%2Fy"] {
            let path = format!("/api/resources/home/a?action={action}&destination={to}");
            disk.ann().send(Method::PATCH, &path, "").await.expect(400);
        }
        for to in ["/home/denied/y", "%2Fhome%2Fdenied%2Fy", "%252Fhome%252Fdenied%252Fy"] {
            let path = format!("/api/resources/home/a?action={action}&destination={to}");
            disk.ann().send(Method::PATCH, &path, "").await.expect(403);
        }
    }
    assert_eq!(snapshot(&disk), before);
}

/// CVE-2026-25890: further slashes get past a rule.
#[tokio::test]
async fn ghsa_4mh3_slashes_dodge_a_rule() {
    let disk = denying(&["/home/denied"]).await;
    disk.seed("home/ann/denied/x", "x");
    for path in ["//home/denied/x", "/home//denied/x", "/home/%2fdenied/x", "/home/./denied/x", "/home/denied//x"] {
        for feature in ["resources", "raw", "usage"] {
            disk.ann().get(&format!("/api/{feature}{path}")).await.expect(400);
        }
        disk.ann().delete(&format!("/api/resources{path}")).await.expect(400);
    }
    for path in ["/home/denied/x/", "/home%2fdenied/x", "/%68ome/%64enied/x"] {
        disk.ann().get(&format!("/api/resources{path}")).await.expect(403);
    }
}

/// Unreported (1): scopes with a common prefix. The original compares text, so `/srv/bob` also contains `/srv/bobby`.
#[tokio::test]
async fn trap_1_a_neighbours_scope_begins_alike() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/resources/").await.expect(200);
    disk.seed("share/bob/x", "bob's");
    disk.seed("share/bobby/x", "bobby's");
    disk.link("../bobby", "share/bob/link");
    disk.link("../bobby/x", "share/bob/file");
    let scope = json!({ "what": "user", "which": ["scope"], "data": { "scope": "/share/bob" } });
    disk.root().put("/api/users/2", scope.to_string()).await.expect(200);
    assert_eq!(disk.ann().get("/api/raw/x").await.expect(200).text(), "bob's");
    for path in ["/../bobby/x", "/%2e%2e/bobby/x", "/..%2fbobby%2fx", "/..bobby/x", "/by/x", "by/x", "/link/x", "/file"]
    {
        let status = disk.ann().get(&format!("/api/raw{path}")).await.status;
        assert!([400, 403, 404].contains(&status.as_u16()), "{path}: {status}");
        let status = disk.ann().put(&format!("/api/resources{path}"), "evil").await.status;
        assert!([400, 403, 404].contains(&status.as_u16()), "{path}: {status}");
    }
    disk.ann().rename("/x", "/../bobby/y").await.expect(400);
    disk.ann().rename("/x", "/link/y").await.expect(403);
    disk.ann().change("copy", "/link/x", "/mine", "").await.expect(403);
    assert_eq!((disk.read("share/bob/x"), disk.read("share/bobby/x")), ("bob's".into(), "bobby's".into()));
}

/// Unreported (5): a field that there is not, or no data, ends the process's request.
#[tokio::test]
async fn trap_5_a_change_of_nothing() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/resources/").await.expect(200);
    for body in [
        json!({ "what": "user", "which": ["nonsense"], "data": { "nonsense": 1 } }),
        json!({ "what": "user", "which": [""], "data": {} }),
        json!({ "what": "user", "which": ["theme"] }),
        json!({ "what": "user", "which": ["all"], "data": null }),
        json!({ "what": "user" }),
    ] {
        for who in [disk.ann(), disk.root()] {
            who.put("/api/users/2", body.to_string()).await.expect(400);
        }
    }
    disk.ann().get("/api/users/2").await.expect(200);
}

/// Unreported (6): an invalid expression is saved, and every request fails from then on.
#[tokio::test]
async fn trap_6_an_invalid_expression_takes_the_disk_down() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/resources/").await.expect(200);
    for raw in [json!("("), json!("*"), json!("[z-a]"), json!("(?<name"), json!("\\"), json!(""), json!(null), json!(7)]
    {
        let rules = json!([{ "regex": true, "regexp": { "raw": raw } }]);
        disk.root().put("/api/settings", json!({ "rules": rules }).to_string()).await.expect(400);
        let user = json!({ "what": "user", "which": ["rules"], "data": { "rules": rules } });
        disk.root().put("/api/users/2", user.to_string()).await.expect(400);
        let new = json!({ "what": "user", "data": { "username": "bob", "rules": rules } });
        disk.root().post("/api/users", new.to_string()).await.expect(400);
        disk.ann().get("/api/resources/").await.expect(200);
    }
}

/// Unreported (10): with any rule present, one broken or escaping link makes a tree immovable.
#[tokio::test]
async fn trap_10_a_broken_link_in_a_tree_with_rules() {
    let disk = denying(&["/home/tree/other/secret", "/home/elsewhere"]).await;
    let rules = json!({ "rules": [{ "regex": true, "regexp": { "raw": "\\.key$" } }, { "path": "/home/elsewhere" }] });
    disk.root().put("/api/settings", rules.to_string()).await.expect(200);
    disk.seed("home/ann/tree/inner/x", "x");
    disk.seed("home/ann/elsewhere/x", "denied");
    for (name, target) in
        [("broken", "nowhere"), ("out", "/etc"), ("up", "../../../.."), ("self", "self"), ("denied", "../elsewhere")]
    {
        disk.link(target, &format!("home/ann/tree/{name}"));
        disk.link(target, &format!("home/ann/single_{name}"));
    }
    disk.ann().change("copy", "/home/tree", "/home/copy", "").await.expect(200);
    disk.ann().rename("/home/tree", "/home/moved").await.expect(200);
    assert!(disk.real("home/ann/moved/out").is_symlink() && disk.real("home/ann/copy/broken").is_symlink());
    disk.ann().delete("/api/resources/home/moved").await.expect(200);
    disk.ann().delete("/api/resources/home/copy?permanent=true").await.expect(200);
    for name in ["broken", "out", "up", "self", "denied"] {
        disk.ann().rename(&format!("/home/single_{name}"), &format!("/home/{name}")).await.expect(200);
        disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(200);
    }
    assert_eq!(disk.read("home/ann/elsewhere/x"), "denied");
}

/// CVE-2026-34530: the instance's name is inserted into pages unescaped. Here it is only data.
#[tokio::test]
async fn ghsa_xfqj_a_name_that_is_a_script() {
    let disk = TestDisk::new().await;
    let name = "</script><script>alert(1)</script>";
    disk.root().put("/api/settings", json!({ "branding": { "name": name } }).to_string()).await.expect(200);
    let seen = disk.root().get("/api/settings").await.expect(200);
    assert_eq!(seen.json()["branding"]["name"], name);
    assert_eq!(seen.header("content-type"), "application/json");
    assert_eq!(seen.header("x-content-type-options"), "nosniff");
}
