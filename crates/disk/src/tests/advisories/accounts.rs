//! Flaws of accounts, as far as the disk itself could have them. Those that need the portal are in
//! `tests/tests/it/advisories`.

use std::time::Duration;

use serde_json::json;

use crate::tests::harness::TestDisk;

/// CVE-2026-72836: names that differ in case share a home. No two accounts have such names; even if they had, they
/// would not find each other's files.
#[tokio::test]
async fn ghsa_576v_names_that_differ_in_case() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/secret", "secret").await.expect(200);
    disk.portal.add(5, "Ann");
    let seen = disk.call("user5").get("/api/resources/home").await.expect(200);
    assert!(seen.names().is_empty(), "{:?}", seen.names());
    disk.call("user5").get("/api/raw/home/secret").await.expect(404);
}

/// CVE-2026-72837: users that are made at their first visit get the server's root, two at once
/// the same home.
#[tokio::test]
async fn ghsa_j7jh_new_users_have_homes_of_their_own() {
    let disk = TestDisk::new().await;
    for id in 10..18 {
        disk.portal.add(id, &format!("new{id}"));
    }
    let visits =
        (10..18).map(|id| disk.call(&format!("user{id}")).send_later("/api/resources/home/mine", id.to_string()));
    for visit in visits.collect::<Vec<_>>() {
        visit.await.unwrap().expect(200);
    }
    for id in 10..18 {
        assert_eq!(disk.read(&format!("home/new{id}/mine")), id.to_string());
        let who = || disk.call(&format!("user{id}"));
        assert_eq!(who().get("/api/resources/").await.expect(200).names(), ["home", "share", "datasets"]);
        assert_eq!(who().get("/api/resources/home").await.expect(200).names(), ["mine"]);
        let user = who().get(&format!("/api/users/{id}")).await.expect(200).json();
        assert_eq!((&user["scope"], &user["perm"]["admin"]), (&"/".into(), &false.into()));
    }
}

/// CVE-2026-62685: names are normalized, and two become one.
#[tokio::test]
async fn ghsa_7rc3_names_are_not_tidied_up() {
    let disk = TestDisk::new().await;
    for (number, name) in (20..).zip(["a-x", "a x", "a_x", "a\\x", "a.x", "ａ-x"]) {
        disk.portal.add(number, name);
        let who = || disk.call(&format!("user{number}"));
        assert!(who().get("/api/resources/home").await.expect(200).names().is_empty(), "{name}");
        who().post("/api/resources/home/mine", name).await.expect(200);
        assert_eq!(disk.read(&format!("home/{name}/mine")), name);
    }
    for (number, name) in (40..).zip(["a/x", "/a-x", "a-x/", "a-x/.", "..", ".", "", "home/../a-x", ".YunLab", "a\0x"])
    {
        disk.portal.add(number, name);
        disk.call(&format!("user{number}")).get("/api/resources/home").await.expect(403);
    }
}

/// CVE-2026-35607, CVE-2026-34528, CVE-2026-32760: new users get the commands and the administration permission of the
/// defaults.
#[tokio::test]
async fn ghsa_5gg9_ghsa_7526_ghsa_x8jc_newcomers_get_no_power() {
    let disk = TestDisk::new().await;
    let defaults = json!({ "perm": { "admin": true, "execute": true }, "commands": ["bash", "env"] });
    disk.root().put("/api/settings", json!({ "defaults": defaults }).to_string()).await.expect(200);
    let given = json!({ "what": "user", "which": [], "data": { "username": "bob" } });
    disk.root().post("/api/users", given.to_string()).await.expect(201);
    for (who, id) in [(disk.ann(), 2), (disk.bob(), 3)] {
        let user = who.clone().get(&format!("/api/users/{id}")).await.expect(200).json();
        assert_eq!((&user["perm"]["admin"], &user["perm"]["execute"]), (&false.into(), &false.into()), "{user}");
        assert_eq!(user["commands"], json!([]));
        who.get("/api/settings").await.expect(403);
    }
    // A person who is explicitly given the permission has it.
    let made = json!({ "what": "user", "which": ["perm", "commands"],
        "data": { "perm": { "execute": true }, "commands": ["ls"] } });
    disk.root().put("/api/users/3", made.to_string()).await.expect(200);
    assert_eq!(disk.bob().get("/api/users/3").await.expect(200).json()["perm"]["execute"], true);
}

/// CVE-2026-54089, and GHSA-v3jv: a header asserts an identity, instead of a token or in place of an expired one.
#[tokio::test]
async fn ghsa_xqp3_ghsa_v3jv_a_header_is_nobody() {
    const HEADERS: [&str; 8] = [
        "x-remote-user",
        "remote-user",
        "x-forwarded-user",
        "x-auth-request-user",
        "x-webauth-user",
        "x-user",
        "cf-access-authenticated-user-email",
        "x-forwarded-email",
    ];
    let disk = TestDisk::new().await;
    for header in HEADERS {
        disk.anonymous().header(header, "root").get("/api/resources/").await.expect(401);
        let ann = disk.ann().header(header, "root").get("/api/users/2").await.expect(200);
        assert_eq!(ann.json()["username"], "ann");
        disk.ann().header(header, "root").get("/api/users").await.expect(403);
    }
    disk.clock.advance(Duration::from_secs(24 * 60 * 60));
    for header in HEADERS {
        let expired = disk.ann().header(header, "ann").get("/api/resources/").await.expect(401);
        assert_eq!(expired.text(), "401 Unauthorized (token expired)\n");
    }
}

/// CVE-2026-25889: the present password is only required when `password` is spelled so.
#[tokio::test]
async fn ghsa_hxw8_no_form_of_which_changes_a_password() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/resources/").await.expect(200);
    let forms = [
        json!(["password"]),
        json!(["Password"]),
        json!(["PASSWORD"]),
        json!(["theme", "Password"]),
        json!(["pass\u{0}word"]),
        json!(["password "]),
        json!([]),
        json!(["all"]),
        json!(["All"]),
        json!(null),
        json!(["username"]),
        json!(["Username"]),
    ];
    for which in forms {
        for name in ["password", "Password", "PASSWORD"] {
            let body =
                json!({ "what": "user", "which": which, "data": { "id": 2, name: "stolen2026", "username": "root" } });
            for who in [disk.ann(), disk.root()] {
                let status = who.put("/api/users/2", body.to_string()).await.status;
                assert!(status == 400 || status == 403, "{status}: {body}");
            }
        }
    }
    let seen = disk.root().get("/api/users").await.expect(200);
    assert!(!seen.text().contains("assword\":\"") && !seen.text().contains("stolen"), "{}", seen.text());
}

/// CVE-2025-52901: tokens in URLs. They are accepted there, for clients that cannot set headers, but no response passes
/// them on to other sites.
#[tokio::test]
async fn ghsa_rmwh_no_referrer_carries_a_token() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.html", "<img src=https://elsewhere.example/>");
    for path in ["/api/raw/home/a.html?inline=true&auth=ann", "/api/resources/home?auth=ann", "/api/users/2?auth=ann"] {
        let answer = disk.anonymous().get(path).await.expect(200);
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert!(!answer.text().contains("auth=") && answer.header("location").is_empty());
    }
}

/// CVE-2026-35585: names of files reach a shell through hooks. There are no hooks, whatever the settings say.
#[tokio::test]
async fn ghsa_jvpw_names_of_files_run_nothing() {
    let disk = TestDisk::new().await;
    let mark = disk.real("made");
    let script = format!("touch {}", mark.display());
    let events = ["save", "copy", "rename", "upload", "delete"];
    let events = events.iter().flat_map(|event| [format!("before_{event}"), format!("after_{event}")]);
    let hooks: serde_json::Map<String, serde_json::Value> =
        events.map(|event| (event, json!([script, format!("sh -c \"{script} $FILE\"")]))).collect();
    // Refused or kept, they are never run.
    disk.root().put("/api/settings", json!({ "shell": ["sh", "-c"], "commands": hooks }).to_string()).await;
    let name = "%24(touch%20made)%3B%60touch%20made%60";
    disk.ann().post(&format!("/api/resources/home/{name}"), "x").await.expect(200);
    disk.ann().put(&format!("/api/resources/home/{name}"), "y").await.expect(200);
    disk.ann().change("copy", &format!("/home/{name}"), "/home/b;touch made", "").await.expect(200);
    disk.ann().rename(&format!("/home/{name}"), "/home/c;touch made").await.expect(200);
    disk.ann().delete("/api/resources/home/c%3Btouch%20made").await.expect(200);
    let here = std::env::current_dir().unwrap().join("made");
    assert!(!mark.exists() && !disk.real("home/ann/made").exists() && !here.exists());
}
