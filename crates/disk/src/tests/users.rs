//! Disk users: who may see and change which of their fields.

use serde_json::{Value, json};

use super::harness::{Answer, Call, TestDisk};

const EVERYTHING: [&str; 8] = ["admin", "create", "rename", "modify", "delete", "download", "share", "execute"];

/// Changes these fields of the person with this number.
async fn put(who: Call, id: i64, data: Value) -> Answer {
    let which: Vec<&String> = data.as_object().unwrap().keys().collect();
    let body = json!({ "what": "user", "which": which, "data": data });
    who.put(&format!("/api/users/{id}"), body.to_string()).await
}

async fn user(who: Call, id: i64) -> Value {
    who.get(&format!("/api/users/{id}")).await.expect(200).json()
}

/// A disk on which all three were already.
async fn visited() -> TestDisk {
    let disk = TestDisk::new().await;
    for who in [disk.root(), disk.ann(), disk.bob()] {
        who.get("/api/resources/").await.expect(200);
    }
    disk
}

/// S178–S185, S368: with every field.
#[tokio::test]
async fn a_disk_user_is_made_at_the_first_visit() {
    let disk = TestDisk::new().await;
    disk.root().get("/api/users/2").await.expect(404);
    let ann = user(disk.ann(), 2).await;
    let expected = json!({
        "id": 2, "username": "ann", "scope": "/", "locale": "zh-cn", "viewMode": "list", "singleClick": false,
        "sorting": { "by": "name", "asc": true },
        "perm": { "admin": false, "create": true, "rename": true, "modify": true, "delete": true,
            "download": true, "share": true, "execute": false },
        "commands": [], "rules": [], "lockPassword": false, "hideDotfiles": false, "theme": "light",
        "dateFormat": false, "redirectAfterCopyMove": true, "aceEditorTheme": "",
    });
    assert_eq!(ann, expected);
    assert_eq!(user(disk.root(), 2).await, expected);
    let root = user(disk.root(), 1).await;
    assert!(EVERYTHING.iter().all(|name| root["perm"][name] == true), "{root}");
}

#[tokio::test]
async fn s296_s368_lists_are_for_administrators_and_each_sees_their_own() {
    let disk = visited().await;
    disk.ann().get("/api/users").await.expect(403);
    for id in ["1", "3", "4", "x", "-1", "99999999999999999999"] {
        disk.ann().get(&format!("/api/users/{id}")).await.expect(403);
        disk.ann().put(&format!("/api/users/{id}"), "{}").await.expect(400);
        disk.ann().delete(&format!("/api/users/{id}")).await.expect(403);
    }
    for id in ["4", "x", "0", "2x", "99999999999999999999"] {
        disk.root().get(&format!("/api/users/{id}")).await.expect(404);
        disk.root().delete(&format!("/api/users/{id}")).await.expect(404);
        let body = json!({ "what": "user", "which": ["theme"], "data": { "theme": "dark" } });
        disk.root().put(&format!("/api/users/{id}"), body.to_string()).await.expect(404);
    }
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|user| user["username"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&disk.root().get("/api/users").await.expect(200).json()), ["root", "ann", "bob"]);
    // A deleted account's profile is not listed.
    disk.portal.remove(3);
    assert_eq!(names(&disk.root().get("/api/users").await.expect(200).json()), ["root", "ann"]);
    disk.root().get("/api/users/3").await.expect(404);
    *disk.portal.fails.lock().unwrap() = true;
    disk.root().get("/api/users").await.expect(503);
}

#[tokio::test]
async fn s178_s367_people_change_how_they_see_the_disk() {
    let disk = visited().await;
    let own = json!({
        "viewMode": "mosaic", "singleClick": true, "sorting": { "by": "size", "asc": false }, "hideDotfiles": true,
        "theme": "dark", "locale": "zh-cn",
    });
    for (name, value) in own.as_object().unwrap() {
        let done = put(disk.ann(), 2, json!({ name: value })).await.expect(200);
        assert_eq!(done.text(), "200 OK\n");
        assert_eq!(user(disk.ann(), 2).await[name], *value, "{name}");
        put(disk.ann(), 3, json!({ name: value })).await.expect(403);
    }
    let before = user(disk.root(), 2).await;
    let others = json!({
        "scope": "/home/x", "perm": { "admin": true }, "commands": ["ls"], "rules": [], "lockPassword": false,
    });
    for (name, value) in others.as_object().unwrap() {
        put(disk.ann(), 2, json!({ name: value })).await.expect(403);
        put(disk.ann(), 2, json!({ name: value, "theme": "light" })).await.expect(403);
    }
    for which in [json!([]), json!(["all"]), json!(null)] {
        let body = json!({ "what": "user", "which": which, "data": { "theme": "light" } });
        disk.ann().put("/api/users/2", body.to_string()).await.expect(403);
    }
    assert_eq!(user(disk.root(), 2).await, before);
}

/// The lock is set at the platform before the disk reports it, also when it comes from the defaults.
#[tokio::test]
async fn s306_a_locked_password_is_locked_at_the_platform() {
    let disk = visited().await;
    let locked = || disk.portal.locked.lock().unwrap().iter().copied().collect::<Vec<_>>();
    put(disk.root(), 2, json!({ "lockPassword": true })).await.expect(200);
    assert_eq!(locked(), [2]);
    put(disk.root(), 2, json!({ "theme": "dark" })).await.expect(200);
    assert_eq!(locked(), [2]);
    *disk.portal.fails.lock().unwrap() = true;
    put(disk.root(), 2, json!({ "lockPassword": false })).await.expect(503);
    *disk.portal.fails.lock().unwrap() = false;
    assert_eq!((locked(), &user(disk.root(), 2).await["lockPassword"]), (vec![2], &json!(true)));
    disk.root().delete("/api/users/2").await.expect(200);
    assert!(locked().is_empty());

    let mut settings = disk.root().get("/api/settings").await.expect(200).json();
    settings["defaults"]["lockPassword"] = json!(true);
    disk.root().put("/api/settings", settings.to_string()).await.expect(200);
    disk.ann().get("/api/resources/").await.expect(200);
    assert_eq!(locked(), [2]);
}

#[tokio::test]
async fn s176_the_saved_order_is_the_order_of_listings() {
    let disk = visited().await;
    for (name, size) in [("a", 2), ("b", 3), ("c", 1)] {
        disk.seed(&format!("home/ann/{name}"), "x".repeat(size));
    }
    put(disk.ann(), 2, json!({ "sorting": { "by": "size", "asc": false } })).await.expect(200);
    let seen = disk.ann().get("/api/resources/home").await.expect(200);
    assert_eq!(seen.names(), ["b", "a", "c"]);
    assert_eq!(seen.json()["sorting"], json!({ "by": "size", "asc": false }));
    assert_eq!(disk.ann().get("/api/resources/home?asc=true").await.expect(200).names(), ["c", "a", "b"]);
    assert_eq!(disk.ann().get("/api/resources/home?sort=name").await.expect(200).names(), ["c", "b", "a"]);
    // Missing members stay, within a field too.
    put(disk.ann(), 2, json!({ "sorting": { "by": "name" } })).await.expect(200);
    assert_eq!(user(disk.ann(), 2).await["sorting"], json!({ "by": "name", "asc": false }));
}

#[tokio::test]
async fn what_is_no_change_is_400_and_changes_nothing() {
    let disk = visited().await;
    let before = disk.root().get("/api/users").await.expect(200).json();
    let bad = [
        json!(null),
        json!([]),
        json!({}),
        json!({ "what": "settings", "which": ["theme"], "data": { "theme": "dark" } }),
        json!({ "which": ["theme"], "data": { "theme": "dark" } }),
        json!({ "what": "user", "which": ["theme"] }),
        json!({ "what": "user", "which": ["theme"], "data": null }),
        json!({ "what": "user", "which": ["theme"], "data": [] }),
        json!({ "what": "user", "which": ["theme"], "data": {} }),
        json!({ "what": "user", "which": "theme", "data": { "theme": "dark" } }),
        json!({ "what": "user", "which": [1], "data": { "theme": "dark" } }),
        json!({ "what": "user", "which": ["theme", "all"], "data": { "theme": "dark" } }),
        json!({ "what": "user", "which": ["Theme"], "data": { "Theme": "dark" } }),
        json!({ "what": "user", "which": ["colour"], "data": { "colour": "dark" } }),
        json!({ "what": "user", "which": ["colour\r\nX-Evil: 1"], "data": { "theme": "dark" } }),
        json!({ "what": "user", "which": ["id"], "data": { "id": 2 } }),
        json!({ "what": "user", "which": ["username"], "data": { "username": "bob" } }),
        json!({ "what": "user", "which": ["theme"], "data": { "id": 3, "theme": "dark" } }),
        json!({ "what": "user", "which": ["theme"], "data": { "id": "2", "theme": "dark" } }),
        json!({ "what": "user", "which": ["theme"], "data": { "theme": "blue" } }),
        json!({ "what": "user", "which": ["theme"], "data": { "theme": null } }),
        json!({ "what": "user", "which": ["viewMode"], "data": { "viewMode": "tiles" } }),
        json!({ "what": "user", "which": ["locale"], "data": { "locale": "e n" } }),
        json!({ "what": "user", "which": ["singleClick"], "data": { "singleClick": "yes" } }),
        json!({ "what": "user", "which": ["sorting"], "data": { "sorting": { "by": "colour" } } }),
        json!({ "what": "user", "which": ["sorting"], "data": { "sorting": { "colour": 1 } } }),
        json!({ "what": "user", "which": ["sorting"], "data": { "sorting": null } }),
        json!({ "what": "user", "which": ["perm"], "data": { "perm": { "fly": true } } }),
        json!({ "what": "user", "which": ["perm"], "data": { "perm": { "share": 1 } } }),
        json!({ "what": "user", "which": ["commands"], "data": { "commands": ["ls -l"] } }),
        json!({ "what": "user", "which": ["commands"], "data": { "commands": ["/bin/ls"] } }),
        json!({ "what": "user", "which": ["commands"], "data": { "commands": [""] } }),
        json!({ "what": "user", "which": ["commands"], "data": { "commands": ["ls;id", "$(id)"] } }),
        json!({ "what": "user", "which": ["scope"], "data": { "scope": "/home/../bob" } }),
        json!({ "what": "user", "which": ["scope"], "data": { "scope": "/etc" } }),
        json!({ "what": "user", "which": ["scope"], "data": { "scope": "/home//x" } }),
        json!({ "what": "user", "which": ["scope"], "data": { "scope": "/share/.yunlab" } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "path": "/a/../b" }] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "regex": true, "regexp": { "raw": "(" } }] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "regex": true, "regexp": { "raw": "" } }] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "regex": true, "regexp": null }] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "path": "/a", "colour": 1 }] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": [null] } }),
        json!({ "what": "user", "which": ["rules"], "data": { "rules": vec![json!({ "path": "/a" }); 201] } }),
        json!({ "what": "user", "which": ["all"], "data": { "theme": "dark", "colour": 1 } }),
        json!({ "what": "user", "which": ["all"], "data": { "username": "bob", "theme": "dark" } }),
    ];
    for body in bad {
        let refused = disk.root().put("/api/users/2", body.to_string()).await;
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.text().lines().count() == 1 && refused.text().starts_with("400 Bad Request ("), "{body}");
    }
    for text in ["", "{", "\u{0}", "{\"what\":\"user\",\"which\":[\"theme\"],\"data\":{\"theme\":\"\u{1}"] {
        disk.root().put("/api/users/2", text.to_owned()).await.expect(400);
    }
    disk.root().put("/api/users/2", "[".repeat(100_000)).await.expect(400);
    disk.root().put("/api/users/2", " ".repeat(1024 * 1024 + 1)).await.expect(413);
    assert_eq!(disk.root().get("/api/users").await.expect(200).json(), before);
}

#[tokio::test]
async fn s295_s296_the_admin_tick_sets_all_permissions() {
    let disk = visited().await;
    disk.ann().get("/api/settings").await.expect(403);
    put(disk.root(), 2, json!({ "perm": { "admin": true, "delete": false } })).await.expect(200);
    let perm = user(disk.ann(), 2).await["perm"].clone();
    assert!(EVERYTHING.iter().all(|name| perm[name] == true), "{perm}");
    // Effective at once, and for everything that belongs to it; but only the platform's administrators see the whole
    // disk.
    disk.ann().get("/api/settings").await.expect(200);
    assert_eq!(disk.ann().get("/api/users").await.expect(200).json().as_array().unwrap().len(), 3);
    put(disk.ann(), 3, json!({ "perm": { "share": false } })).await.expect(200);
    disk.ann().get("/api/raw/home/bob/x").await.expect(404);
    put(disk.root(), 2, json!({ "perm": { "admin": false } })).await.expect(200);
    disk.ann().get("/api/users").await.expect(403);
}

#[tokio::test]
async fn the_platforms_administrators_have_everything_whatever_is_chosen() {
    let disk = visited().await;
    let nothing: Value =
        EVERYTHING.iter().map(|name| ((*name).to_owned(), false.into())).collect::<serde_json::Map<_, _>>().into();
    put(disk.root(), 1, json!({ "perm": nothing, "scope": "/home/none" })).await.expect(200);
    let root = user(disk.root(), 1).await;
    assert!(EVERYTHING.iter().all(|name| root["perm"][name] == true), "{root}");
    assert_eq!(disk.root().get("/api/resources/").await.expect(200).names(), ["datasets", "groups", "home", "share"]);
    disk.root().get("/api/settings").await.expect(200);
    disk.root().post("/api/resources/share/x", "x").await.expect(200);
}

#[tokio::test]
async fn a_taken_right_is_gone_at_once() {
    let disk = visited().await;
    disk.seed("home/ann/a.txt", "text");
    disk.ann().get("/api/raw/home/a.txt").await.expect(200);
    put(disk.root(), 2, json!({ "perm": { "download": false, "modify": false } })).await.expect(200);
    disk.ann().get("/api/raw/home/a.txt").await.expect(403);
    assert_eq!(disk.ann().get("/api/resources/home/a.txt").await.expect(200).json()["type"], "textImmutable");
    put(disk.root(), 2, json!({ "rules": [{ "path": "/home/a.txt" }] })).await.expect(200);
    disk.ann().get("/api/resources/home/a.txt").await.expect(403);
    put(disk.root(), 2, json!({ "rules": null })).await.expect(200);
    disk.ann().get("/api/resources/home/a.txt").await.expect(200);
}

#[tokio::test]
async fn everything_at_once_as_clients_of_the_original_send_it() {
    let disk = visited().await;
    let mut ann = user(disk.root(), 2).await;
    ann["password"] = json!("");
    ann["rules"] = json!([{ "regex": false, "allow": false, "path": "/share/x", "regexp": null }]);
    ann["commands"] = json!(null);
    ann["lockPassword"] = json!(true);
    for which in [json!(["all"]), json!([])] {
        let body = json!({ "what": "user", "which": which, "data": ann });
        disk.root().put("/api/users/2", body.to_string()).await.expect(200);
    }
    let now = user(disk.root(), 2).await;
    assert_eq!(now["rules"][0], json!({ "regex": false, "allow": false, "path": "/share/x", "regexp": { "raw": "" } }));
    assert_eq!((&now["lockPassword"], &now["commands"]), (&true.into(), &json!([])));
    assert!(now.get("password").is_none());
    // Missing fields stay.
    let body = json!({ "what": "user", "which": [], "data": { "theme": "dark" } });
    disk.root().put("/api/users/2", body.to_string()).await.expect(200);
    assert_eq!(
        (&user(disk.root(), 2).await["rules"], &user(disk.root(), 2).await["theme"]),
        (&now["rules"], &"dark".into())
    );
}

#[tokio::test]
async fn s296_a_profile_for_somebody_who_was_never_here() {
    let disk = TestDisk::new().await;
    disk.portal.add(4, "Dora");
    let new = |data: Value| json!({ "what": "user", "which": [], "data": data }).to_string();
    let body = new(json!({ "username": "dORA", "password": "", "perm": { "share": false }, "theme": "dark" }));
    disk.ann().post("/api/users", body.clone()).await.expect(403);
    let made = disk.root().post("/api/users", body.clone()).await.expect(201);
    assert_eq!((made.text().as_str(), made.header("location")), ("201 Created\n", "/disk/api/users/4"));
    let dora = user(disk.call("user4"), 4).await;
    assert_eq!((&dora["username"], &dora["theme"]), (&"Dora".into(), &"dark".into()));
    assert_eq!((&dora["perm"]["share"], &dora["perm"]["create"]), (&false.into(), &true.into()));
    assert_eq!(disk.root().post("/api/users", body).await.expect(409).text(), "409 Conflict (exists)\n");
    for data in [json!({}), json!({ "username": "nobody" }), json!({ "username": 4 }), json!({ "username": "" })] {
        disk.root().post("/api/users", new(data)).await.expect(400);
    }
    disk.root().post("/api/users", new(json!({ "username": "bob", "password": "lab2026a" }))).await.expect(400);
    disk.root().get("/api/users/3").await.expect(404);
}

#[tokio::test]
async fn deleting_a_disk_user_resets_it_and_keeps_the_files() {
    let disk = visited().await;
    disk.seed("home/ann/a", "a");
    put(disk.root(), 2, json!({ "perm": { "create": false }, "theme": "dark", "rules": [{ "path": "/share" }] }))
        .await
        .expect(200);
    // Not for the caller: permissions that were taken away would come back.
    disk.ann().delete("/api/users/2").await.expect(403);
    disk.ann().post("/api/resources/home/b", "b").await.expect(403);
    assert_eq!(disk.root().delete("/api/users/2").await.expect(200).text(), "200 OK\n");
    disk.root().get("/api/users/2").await.expect(404);
    disk.root().delete("/api/users/2").await.expect(404);
    disk.ann().post("/api/resources/home/b", "b").await.expect(200);
    disk.ann().get("/api/resources/share").await.expect(200);
    assert_eq!((user(disk.ann(), 2).await["theme"].clone(), disk.read("home/ann/a")), ("light".into(), "a".into()));
}

#[tokio::test]
async fn a_scope_is_all_that_somebody_sees() {
    let disk = visited().await;
    disk.seed("home/ann/work/deep/a", "a");
    disk.seed("home/ann/works/x", "other");
    disk.seed("home/ann/secret", "secret");
    disk.link("../works/x", "home/ann/work/out");
    disk.link("deep/a", "home/ann/work/in");
    put(disk.root(), 2, json!({ "scope": "/home/work/" })).await.expect(200);
    assert_eq!(user(disk.ann(), 2).await["scope"], "/home/work");
    let seen = disk.ann().get("/api/resources/").await.expect(200);
    assert_eq!(
        (seen.names(), seen.json()["path"].clone()),
        (vec!["deep".into(), "in".into(), "out".into()], "/".into())
    );
    assert_eq!(seen.item("out")["type"], "invalid_link");
    assert_eq!(disk.ann().get("/api/raw/in").await.expect(200).text(), "a");
    disk.ann().get("/api/raw/out").await.expect(403);
    for path in ["/home/secret", "/home", "/share", "/secret", "/s/x"] {
        disk.ann().get(&format!("/api/resources{path}")).await.expect(404);
    }
    for path in ["/../works/x", "/../secret", "/%2e%2e/secret", "/..%2fworks%2fx"] {
        disk.ann().get(&format!("/api/raw{path}")).await.expect(400);
        disk.ann().delete(&format!("/api/resources{path}")).await.expect(400);
    }
    disk.ann().put("/api/resources/out", "evil").await.expect(403);
    disk.ann().delete("/api/resources/").await.expect(403);
    disk.ann().post("/api/resources/new", "x").await.expect(200);
    assert_eq!((disk.read("home/ann/work/new"), disk.read("home/ann/works/x")), ("x".into(), "other".into()));
    // Rules match paths of the whole view, whatever the scope.
    put(disk.root(), 2, json!({ "rules": [{ "path": "/home/work/deep" }] })).await.expect(200);
    disk.ann().get("/api/resources/deep").await.expect(403);

    // Created at the first visit where the person may write, and not at all elsewhere.
    for (scope, status) in [("/home/made/deep", 200), ("/share/made", 200), ("/datasets/none", 404), ("/groups", 200)] {
        put(disk.root(), 2, json!({ "scope": scope })).await.expect(200);
        disk.ann().get("/api/resources/").await.expect(status);
    }
    assert!(disk.real("home/ann/made/deep").is_dir() && disk.real("share/made").is_dir());
    assert!(!disk.real("datasets/none").exists());
    assert_eq!(disk.ann().get("/api/resources/").await.expect(200).names(), ["vision"]);
    disk.ann().post("/api/resources/vision/x", "x").await.expect(200);
    put(disk.root(), 2, json!({ "scope": "/groups/vision" })).await.expect(200);
    assert_eq!(disk.ann().get("/api/resources/").await.expect(200).names(), ["x"]);
    disk.portal.set(2, |ann| ann.groups.clear());
    disk.ann().get("/api/resources/").await.expect(404);
    disk.ann().post("/api/resources/y", "y").await.expect(403);
}

#[tokio::test]
async fn changes_at_once_lose_nothing() {
    let disk = visited().await;
    let done = tokio::join!(
        put(disk.ann(), 2, json!({ "theme": "dark" })),
        put(disk.ann(), 2, json!({ "viewMode": "mosaic" })),
        put(disk.ann(), 2, json!({ "singleClick": true })),
        put(disk.ann(), 2, json!({ "hideDotfiles": true })),
        put(disk.root(), 2, json!({ "perm": { "share": false } })),
    );
    for answer in [done.0, done.1, done.2, done.3, done.4] {
        answer.expect(200);
    }
    let ann = user(disk.ann(), 2).await;
    assert_eq!((&ann["theme"], &ann["viewMode"]), (&"dark".into(), &"mosaic".into()));
    let others = (&ann["singleClick"], &ann["hideDotfiles"], &ann["perm"]["share"]);
    assert_eq!(others, (&true.into(), &true.into(), &false.into()));
}
