//! `yunlab admin support-bundle`: much information, and no secrets.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};
use tests::{ADMIN_PASSWORD, Client, Server, Setup};

use crate::admin::admin;

const SECRETS: [&str; 5] = [
    "portal-secret-of-thirty-two-characters-or-more",
    "ldap-geheim-2026",
    "robot-geheim-2026",
    "hook-path-geheim",
    "mail-geheim-2026",
];

/// The files of a bundle by name.
fn files(bundle: &Path) -> BTreeMap<String, String> {
    let content = zstd::decode_all(fs::File::open(bundle).expect("a bundle")).expect("it is compressed");
    let mut archive = tar::Archive::new(content.as_slice());
    let entries = archive.entries().expect("an archive");
    entries
        .map(|entry| {
            let mut entry = entry.expect("a member");
            let name =
                entry.path().expect("a name").file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("it is text");
            (name, text)
        })
        .collect()
}

/// Settings with everything that is to be kept secret.
async fn set_up(boss: &Client) {
    let mut authentication = boss.get("/api/settings").await.expect(200)["authentication"].clone();
    authentication["ldap"]["url"] = json!("ldap://127.0.0.1:9");
    authentication["ldap"]["bindDn"] = json!("cn=reader,dc=lab");
    authentication["ldap"]["bindPassword"] = json!(SECRETS[1]);
    boss.put("/api/settings", json!({ "authentication": authentication })).await.is(200);
    let robot = json!({
        "enabled": true, "address": format!("http://127.0.0.1:9/{}", SECRETS[3]), "format": "json",
        "events": ["finding"], "secret": SECRETS[2],
    });
    boss.put("/api/settings/webhook", robot).await.is(200);
    let mail = json!({
        "enabled": false, "host": "mail.lab", "port": 25, "security": "none", "username": "lab", "from": "lab@lab.cn",
        "password": SECRETS[4], "fromName": "", "caCertificate": "", "kinds": [],
    });
    boss.put("/api/settings/mail", mail).await.is(200);
}

async fn tells_no_secret(setup: Setup) {
    let key = setup.dir().join("backup-key.txt");
    let ran = admin(&setup, &["make-backup-key", key.to_str().expect("a plain path")], None);
    assert!(ran.ok, "{ran:?}");
    let setup = setup
        .with("YUNLAB_PORTAL_SECRET", SECRETS[0])
        .with("YUNLAB_BACKUP_KEY_FILE", key.to_str().expect("a plain path"));
    let server = Server::start(setup).await;
    let boss = server.admin().await;
    set_up(&boss).await;
    let (token, _) = boss.access_token(&["read"]).await;
    let made = boss.post("/api/profile/app-passwords", json!({ "name": "test" })).await.expect(201);
    let app_password = made["password"].as_str().expect("a password").to_owned();

    let bundle = server.setup().dir().join("support.tar.zst");
    let path = bundle.display().to_string();
    let ran = admin(server.setup(), &["support-bundle", &path], None);
    assert!(ran.expect_ok().contains("没有密码和密钥"), "{ran:?}");
    assert!(admin(server.setup(), &["support-bundle", &path], None).expect_refused().contains("已经存在"));
    let files = files(&bundle);
    let in_files = |name: &str| files.get(name).unwrap_or_else(|| panic!("no {name} in {:?}", files.keys()));
    assert!(in_files("version.txt").starts_with(env!("CARGO_PKG_VERSION")));
    assert!(in_files("config.txt").contains("# portal_secret = \"***\""));
    assert!(in_files("doctor.txt").contains("正常  数据库"), "{}", in_files("doctor.txt"));
    assert!(in_files("machine.txt").contains("MemTotal"));
    let json = |name: &str| -> Value { serde_json::from_str(in_files(name)).expect("it is JSON") };
    assert_eq!(json("database.json")["rows"]["users"], 1);
    assert!(json("database.json")["migrations"].as_array().is_some_and(|steps| steps.len() > 20));
    assert_eq!(json("settings.json")["authentication"]["ldap"]["bindPasswordSet"], true);
    for name in ["duties.json", "servers.json", "backups.json"] {
        assert!(json(name).is_array(), "{name}");
    }

    let data = server.setup().data_dir();
    let keys = ["signing-key.pem", "sealing-key"].map(|name| fs::read_to_string(data.join(name)).expect("a key"));
    let key = fs::read_to_string(key).expect("the key");
    let of_keys = keys.iter().flat_map(|text| text.lines()).filter(|line| !line.starts_with("-----"));
    let of_key = key.lines().filter(|line| line.starts_with("AGE-SECRET-KEY"));
    let others = [ADMIN_PASSWORD, &token, boss.token(), &app_password];
    for secret in SECRETS.into_iter().chain(others).chain(of_keys).chain(of_key) {
        for (name, text) in &files {
            assert!(!text.contains(secret), "{secret} is in {name}");
        }
    }
    for sealed in ["password_hash", "\"tls\": \"", "$argon2"] {
        assert!(files.values().all(|text| !text.contains(sealed)), "{sealed}");
    }
}

#[tokio::test]
async fn a_support_bundle_tells_no_secret() {
    tells_no_secret(Setup::new()).await;
}

#[tokio::test]
async fn likewise_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    tells_no_secret(setup).await;
}

#[tokio::test]
async fn without_a_database_there_is_one_all_the_same() {
    let mut server = Server::start(Setup::new()).await;
    server.stop().await;
    let database = |name: &str| server.setup().data_dir().join(name);
    fs::write(database("yunlab.db"), "no database").expect("the database's file");
    // Its log alone would do for a database so young.
    for name in ["yunlab.db-wal", "yunlab.db-shm"] {
        fs::remove_file(database(name)).ok();
    }
    let bundle = server.setup().dir().join("support.tar.zst");
    let ran = admin(server.setup(), &["support-bundle", bundle.to_str().expect("a plain path")], None);
    assert!(ran.ok, "{ran:?}");
    let files = files(&bundle);
    assert!(files["doctor.txt"].contains("异常  数据库"), "{}", files["doctor.txt"]);
    assert!(files.contains_key("database-error.txt"));
}
