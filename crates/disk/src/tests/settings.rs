//! The disk's settings.

use serde_json::{Value, json};

use super::harness::{Answer, TestDisk};

async fn put(disk: &TestDisk, body: Value) -> Answer {
    disk.root().put("/api/settings", body.to_string()).await
}

async fn settings(disk: &TestDisk) -> Value {
    disk.root().get("/api/settings").await.expect(200).json()
}

#[tokio::test]
async fn s186_s187_s189_the_settings_and_what_they_are_at_first() {
    let disk = TestDisk::new().await;
    let mut seen = settings(&disk).await;
    // On where commands can be confined, which depends on the machine.
    assert!(seen.as_object_mut().unwrap().remove("exec").unwrap().is_boolean());
    // A fraction of the disk, which differs between machines.
    let share = seen["quotas"]["share"].take();
    assert!(share.as_u64().unwrap() >= 1 << 30, "{share}");
    let hooks: Value = ["save", "copy", "rename", "upload", "delete"]
        .iter()
        .flat_map(|event| [format!("before_{event}"), format!("after_{event}")])
        .map(|event| (event, json!([])))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let expected = json!({
        "signup": false, "createUserDir": true,
        "defaults": {
            "scope": "/", "locale": "zh-cn", "viewMode": "list", "singleClick": false,
            "sorting": { "by": "name", "asc": true },
            "perm": { "admin": false, "create": true, "rename": true, "modify": true, "delete": true,
                "download": true, "share": true, "execute": false },
            "commands": [], "rules": [], "lockPassword": false, "hideDotfiles": false, "theme": "light",
            "dateFormat": false, "redirectAfterCopyMove": true, "aceEditorTheme": "",
        },
        "rules": [],
        "branding": { "name": "", "disableExternal": false, "disableUsedPercentage": false, "files": "", "theme": "", "color": "" },
        "shell": [], "commands": hooks, "thumbnails": true, "resizePreview": true, "shareReadOnly": false, "trashDays": 30,
        "quotas": { "share": null, "datasets": 0 },
        "limits": { "datasets": 100, "versions": 20, "shares": 200 },
        "audit": { "readPercent": 0 }, "filebrowserPages": false,
        "tus": { "chunkSize": 10_485_760, "retryCount": 5 }, "hideLoginButton": false, "minimumPasswordLength": 6,
        "userHomeBasePath": "/home",
    });
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn s294_settings_are_for_administrators() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/settings").await.expect(403);
    disk.ann().put("/api/settings", "{\"trashDays\":1}").await.expect(403);
    disk.anonymous().get("/api/settings").await.expect(401);
    disk.anonymous().put("/api/settings", "{}").await.expect(401);
    assert_eq!(settings(&disk).await["trashDays"], 30);
}

#[tokio::test]
async fn what_is_left_out_stays() {
    let mut disk = TestDisk::new().await;
    let before = settings(&disk).await;
    assert_eq!(put(&disk, json!({})).await.expect(200).text(), "200 OK\n");
    assert_eq!(settings(&disk).await, before);
    let changes = [
        json!({ "trashDays": 7 }),
        json!({ "branding": { "name": "实验室网盘", "color": "#166DB6", "theme": "dark" } }),
        json!({ "branding": { "disableExternal": true } }),
        json!({ "defaults": { "perm": { "share": false }, "sorting": { "asc": false } } }),
        json!({ "rules": [{ "path": "/share/secret" }, { "regex": true, "allow": true, "regexp": { "raw": "x$" } }] }),
        json!({ "thumbnails": false, "resizePreview": false, "shareReadOnly": true, "createUserDir": false, "exec": false }),
        json!({ "quotas": { "share": 4096 } }),
        json!({ "shell": [], "commands": { "after_copy": null }, "signup": false }),
    ];
    let mut expected = before;
    for change in changes {
        put(&disk, change.clone()).await.expect(200);
        overlay(&mut expected, change);
    }
    expected["exec"] = false.into();
    expected["commands"]["after_copy"] = json!([]);
    expected["rules"] = json!([
        { "regex": false, "allow": false, "path": "/share/secret", "regexp": { "raw": "" } },
        { "regex": true, "allow": true, "path": "", "regexp": { "raw": "x$" } },
    ]);
    assert_eq!(settings(&disk).await, expected);
    // The response can be sent back unchanged, and the change survives the process.
    put(&disk, expected.clone()).await.expect(200);
    disk.reopen().await;
    assert_eq!(settings(&disk).await, expected);
}

fn overlay(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (name, value) in over {
                overlay(base.get_mut(&name).unwrap(), value);
            }
        }
        (base, over) => *base = over,
    }
}

#[tokio::test]
async fn wrong_settings_are_refused_as_a_whole_with_a_reason() {
    let disk = TestDisk::new().await;
    let before = settings(&disk).await;
    let bad = [
        (json!([]), "malformed JSON"),
        (json!(null), "malformed JSON"),
        (json!({ "colour": 1 }), "unknown field \"colour\""),
        (json!({ "branding": { "colour": 1 } }), "unknown field \"colour\""),
        (json!({ "branding": null }), "malformed value"),
        (json!({ "defaults": { "password": "x" } }), "unknown field \"password\""),
        (json!({ "signup": true }), "accounts are made on the platform"),
        (json!({ "shell": ["/bin/sh", "-c"] }), "without one"),
        (json!({ "commands": { "after_upload": ["rm $FILE"] } }), "hooks are not run"),
        (json!({ "commands": { "before_login": [] } }), "unknown field"),
        (json!({ "branding": { "files": "/etc" } }), "branding.files"),
        (json!({ "branding": { "name": "x".repeat(101) } }), "branding.name"),
        (json!({ "branding": { "name": "a\nb" } }), "branding.name"),
        (json!({ "branding": { "color": "red;}" } }), "branding.color"),
        (json!({ "branding": { "theme": "blue" } }), "malformed value"),
        (json!({ "trashDays": -1 }), "malformed value"),
        (json!({ "trashDays": 3651 }), "trashDays"),
        (json!({ "trashDays": "7" }), "malformed value"),
        (json!({ "quotas": { "share": -1 } }), "malformed value"),
        (json!({ "quotas": { "home": 1 } }), "unknown field"),
        (json!({ "thumbnails": null }), "malformed value"),
        (json!({ "rules": [{ "regex": true, "regexp": { "raw": "(" } }] }), "invalid regular expression"),
        (json!({ "rules": [{ "regex": true, "regexp": null }] }), "invalid regular expression"),
        (json!({ "rules": [{ "regex": true, "regexp": { "raw": "(a{1000}){1000}" } }] }), "invalid regular expression"),
        (json!({ "rules": [{ "path": "/../x" }] }), "malformed path in a rule"),
        (json!({ "rules": vec![json!({ "path": "/x" }); 201] }), "too many rules"),
        (json!({ "defaults": { "locale": "e n" } }), "defaults: locale and"),
        (json!({ "tus": { "chunkSize": 0 } }), "tus.chunkSize"),
        (json!({ "defaults": { "scope": "/nowhere" } }), "defaults: scope"),
        (json!({ "defaults": { "rules": [{ "regex": true, "regexp": { "raw": "[" } }] } }), "invalid regular"),
        (json!({ "defaults": { "commands": ["a b"] } }), "defaults: a command"),
    ];
    for (body, reason) in bad {
        let mut with_another = body.clone();
        if let Some(fields) = with_another.as_object_mut() {
            fields.entry("trashDays").or_insert(7.into());
        }
        let refused = put(&disk, with_another).await.expect(400);
        assert!(refused.text().contains(reason), "{body}: {}", refused.text());
    }
    assert_eq!(settings(&disk).await, before);
    disk.ann().get("/api/resources/").await.expect(200);
}

#[tokio::test]
async fn exec_is_on_only_where_commands_can_be_confined() {
    let disk = TestDisk::new().await;
    let on = settings(&disk).await["exec"].as_bool().unwrap();
    put(&disk, json!({ "exec": true })).await.expect(if on { 200 } else { 400 });
    put(&disk, json!({ "exec": false })).await.expect(200);
    assert_eq!(settings(&disk).await["exec"], false);
}

/// Settings that pages need before the sign-in.
#[tokio::test]
async fn s186_s187_s188_s189_what_everybody_may_know() {
    let disk = TestDisk::new().await;
    let public = async || disk.anonymous().get("/api/public/settings").await.expect(200).json();
    let can_confine = settings(&disk).await["exec"].clone();
    let mut expected = json!({
        "authMethod": "json", "loginPage": true, "signup": false, "thumbnails": true, "resizePreview": true,
        "exec": can_confine, "name": "", "theme": "",
    });
    assert_eq!(public().await, expected);
    let change = json!({
        "thumbnails": false, "resizePreview": false, "exec": false, "branding": { "name": "实验室网盘", "theme": "dark" },
    });
    put(&disk, change).await.expect(200);
    for name in ["thumbnails", "resizePreview", "exec"] {
        expected[name] = false.into();
    }
    expected["name"] = "实验室网盘".into();
    expected["theme"] = "dark".into();
    assert_eq!(public().await, expected);
}

#[tokio::test]
async fn settings_hold_at_once() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/secret", "x");
    disk.ann().get("/api/raw/home/secret").await.expect(200);
    put(&disk, json!({ "rules": [{ "path": "/home/secret" }] })).await.expect(200);
    disk.ann().get("/api/raw/home/secret").await.expect(403);
    put(&disk, json!({ "rules": [] })).await.expect(200);
    disk.ann().get("/api/raw/home/secret").await.expect(200);
    // A person's own rules come after the global ones.
    put(&disk, json!({ "rules": [{ "path": "/home" }] })).await.expect(200);
    disk.ann().get("/api/raw/home/secret").await.expect(403);
    let own = json!({ "what": "user", "which": ["rules"], "data": { "rules": [{ "path": "/home", "allow": true }] } });
    disk.root().put("/api/users/2", own.to_string()).await.expect(200);
    disk.ann().get("/api/raw/home/secret").await.expect(200);

    put(&disk, json!({ "shareReadOnly": true })).await.expect(200);
    disk.ann().post("/api/resources/share/x", "x").await.expect(403);
    disk.root().post("/api/resources/share/x", "x").await.expect(200);
}

#[tokio::test]
async fn quotas_of_the_common_folders() {
    let disk = TestDisk::new().await;
    put(&disk, json!({ "quotas": { "share": 64 * 1024, "datasets": 8192 } })).await.expect(200);
    assert_eq!(disk.ann().get("/api/usage/share").await.expect(200).json()["quota"], 65536);
    disk.ann().post("/api/resources/share/small", vec![b'x'; 1000]).await.expect(200);
    disk.ann().post("/api/resources/share/large", vec![b'x'; 100_000]).await.expect(507);
    disk.ann().post("/api/resources/home/large", vec![b'x'; 100_000]).await.expect(200);
    disk.root().post("/api/resources/datasets/large", vec![b'x'; 100_000]).await.expect(507);
}

#[tokio::test]
async fn homes_are_made_by_an_administrator_where_that_is_wanted() {
    let disk = TestDisk::new().await;
    put(&disk, json!({ "createUserDir": false })).await.expect(200);
    assert_eq!(disk.ann().get("/api/resources/").await.expect(200).names(), ["share", "groups", "datasets"]);
    disk.ann().get("/api/resources/home").await.expect(404);
    disk.ann().post("/api/resources/home/x", "x").await.expect(404);
    assert!(!disk.real("home/ann").exists());
    disk.root().post("/api/resources/home/ann/", "").await.expect(200);
    disk.ann().post("/api/resources/home/x", "x").await.expect(200);
    assert_eq!(disk.ann().get("/api/resources/").await.expect(200).names(), ["home", "share", "groups", "datasets"]);
}

#[tokio::test]
async fn defaults_are_for_whoever_comes_next() {
    let disk = TestDisk::new().await;
    disk.ann().get("/api/resources/").await.expect(200);
    put(&disk, json!({ "defaults": { "perm": { "share": false }, "theme": "dark", "hideDotfiles": true } }))
        .await
        .expect(200);
    let ann = disk.ann().get("/api/users/2").await.expect(200).json();
    assert_eq!((&ann["perm"]["share"], &ann["theme"]), (&true.into(), &"light".into()));
    let bob = disk.bob().get("/api/users/3").await.expect(200).json();
    assert_eq!((&bob["perm"]["share"], &bob["theme"]), (&false.into(), &"dark".into()));
}
