//! Signing in with a real directory, and trying its settings out.

use std::net::TcpListener;
use std::time::Duration;

use db_kit::Sql;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Answer, TestDirectory, TestPortal, USER_PASSWORD};

const CHECK: &str = "/api/settings/authentication/checkLDAP";

/// The settings for the test directory, with StartTLS.
fn ldap(directory: &TestDirectory) -> Value {
    json!({
        "enabled": true, "url": directory.url(), "startTls": true, "caCertificate": directory.ca(),
        "bindDn": TestDirectory::READER, "bindPassword": TestDirectory::READER_PASSWORD, "bindPasswordSet": false,
        "searches": [
            { "base": "ou=people,dc=lab", "filter": "(&(objectClass=inetOrgPerson)(|(uid={username})(mail={username})))" },
            { "base": "ou=guests,dc=lab", "filter": "(uid={username})" },
        ],
        "attributes": { "username": "uid", "name": "cn", "email": "mail", "phone": "mobile" },
        "groupMapping": [], "createUsers": true,
    })
}

/// Changes some of the settings.
fn with(mut ldap: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else { panic!("fields by their names: {changes}") };
    for (name, value) in changes {
        ldap[name] = value;
    }
    ldap
}

async fn save(portal: &TestPortal, ldap: Value) -> Answer {
    let mut part = portal.admin().get("/api/settings").await.expect(200)["authentication"].clone();
    part["ldap"] = ldap;
    portal.admin().put("/api/settings", json!({ "authentication": part })).await
}

/// A portal that uses a directory of its own.
pub(crate) async fn lab() -> (TestPortal, TestDirectory) {
    let (portal, directory) = (TestPortal::new().await, TestDirectory::start());
    save(&portal, ldap(&directory)).await.is(200);
    (portal, directory)
}

async fn try_in(portal: &TestPortal, username: &str, password: &str) -> Answer {
    portal.anonymous().post("/api/auth", json!({ "username": username, "password": password })).await
}

/// Signs in and gives the account.
async fn account(portal: &TestPortal, username: &str) -> Value {
    try_in(portal, username, TestDirectory::PASSWORD).await.is(200);
    portal.admin().get(&format!("/api/users?q={username}")).await.expect(200)["items"][0].clone()
}

async fn group(portal: &TestPortal, name: &str) -> Value {
    portal.admin().post("/api/groups", json!({ "name": name })).await.expect(201)["id"].clone()
}

fn names(groups: &Value) -> Vec<&str> {
    groups.as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap()).collect()
}

async fn last_result(portal: &TestPortal) -> String {
    let log = portal.admin().get("/api/logs/login?size=1").await.expect(200);
    log["items"][0]["result"].as_str().unwrap().to_owned()
}

async fn check(portal: &TestPortal, ldap: Value, username: &str) -> Value {
    portal.admin().put(CHECK, json!({ "ldap": ldap, "username": username })).await.expect(200)
}

/// `connect+ tls- …`: the steps and how they went.
fn steps(report: &Value) -> String {
    let words = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| format!("{}{}", step["step"].as_str().unwrap(), if step["ok"] == true { '+' } else { '-' }));
    words.collect::<Vec<_>>().join(" ")
}

fn last_message(report: &Value) -> &str {
    report["steps"].as_array().unwrap().last().unwrap()["message"].as_str().unwrap()
}

/// S311: the first sign-in creates the account; later ones update it from the directory.
#[tokio::test]
async fn the_first_sign_in_makes_the_account_and_later_ones_refresh_it() {
    let (portal, directory) = lab().await;
    let (vision, robots, own) =
        (group(&portal, "视觉").await, group(&portal, "机器人").await, group(&portal, "自选").await);
    let mapping = json!([
        { "dn": "cn=vision,ou=groups,dc=lab", "group": vision },
        { "dn": "CN=robots,ou=groups,dc=lab", "group": robots },
        { "dn": "cn=gone,ou=groups,dc=lab", "group": 99 },
    ]);
    save(&portal, with(ldap(&directory), json!({ "groupMapping": mapping }))).await.is(200);

    let made = account(&portal, "zhangmin").await;
    assert_eq!((&made["name"], &made["email"]), (&json!("张敏"), &json!("zhangmin@lab.cn")));
    assert_eq!((&made["phone"], &made["source"], &made["role"]), (&json!("13800138000"), &json!("ldap"), &json!(2)));
    let defaults = &portal.admin().get("/api/settings").await.expect(200)["basic"]["defaultQuotas"];
    assert_eq!((&made["GPUNumlimit"], &made["diskQuota"]), (&defaults["GPUNumlimit"], &defaults["diskQuota"]));
    // One group lists its members; the other is in the person's `memberOf`.
    assert_eq!(names(&made["groups"]), ["机器人", "视觉"]);

    // Users cannot leave the directory's groups; a membership that was accepted before becomes the directory's.
    let id = made["id"].as_i64().unwrap();
    let db = portal.database().await;
    let tx = db.begin().await.unwrap();
    let accepted = "update group_members set origin = 'invitation' where user_id = $1 and group_id = $2";
    tx.run(accepted, vec![id.into(), robots.as_i64().into()]).await.unwrap();
    tx.commit().await.unwrap();
    let groups = account(&portal, "zhangmin").await["groups"].clone();
    let origins: Vec<&Value> = groups.as_array().unwrap().iter().map(|group| &group["origin"]).collect();
    assert_eq!(origins, ["directory", "directory"]);

    let all = json!({ "groups": [vision, robots, own], "GPUNumlimit": 7 });
    portal.admin().put(&format!("/api/users/{id}"), all).await.is(200);
    directory.modify(
        "dn: cn=张敏,ou=people,dc=lab\nchangetype: modify\nreplace: mail\nmail: min@lab.cn\n-\nreplace: mobile\n\
         mobile: 123\n\n\
         dn: cn=vision,ou=groups,dc=lab\nchangetype: modify\nadd: member\nmember: uid=guolei,ou=people,dc=lab\n-\n\
         delete: member\nmember: cn=张敏,ou=people,dc=lab\n",
    );
    let again = account(&portal, "ZhangMin").await;
    assert_eq!((&again["id"], &again["email"]), (&json!(id), &json!("min@lab.cn")));
    // A value that the platform rejects leaves the old one; the directory does not change quotas.
    assert_eq!((&again["phone"], &again["GPUNumlimit"]), (&json!("13800138000"), &json!(7)));
    assert_eq!(names(&again["groups"]), ["机器人", "自选"]);
    assert_eq!(again["groups"][1]["origin"], "administrator");
    let log = portal.admin().get("/api/logs/operate?username=zhangmin").await.expect(200);
    assert_eq!(
        (&log["items"][0]["detail"], &log["items"][1]["action"]),
        (&json!("登录时按目录更新：邮箱、用户组"), &json!("user.create"))
    );

    let zhangmin = portal.sign_in("zhangmin", TestDirectory::PASSWORD).await;
    let change = json!({ "oldPassword": TestDirectory::PASSWORD, "newPassword": "other2026" });
    let refused = zhangmin.put(&format!("/api/users/{id}/passwd"), change.clone()).await;
    assert!(refused.refused(409, "directory_password").contains("目录服务"));
    portal.admin().put(&format!("/api/users/{id}/passwd"), change).await.is(409);
    assert!(portal.portal.reset_password("zhangmin", None).await.is_err());
}

/// S262: typed text never becomes part of the filter, and an empty password is never sent.
#[tokio::test]
async fn hostile_names_find_nobody() {
    let (portal, _directory) = lab().await;
    for name in [
        "*",
        "zhang*",
        "*)(uid=*",
        "zhangmin)(|(uid=*",
        "zhangmin)(objectClass=*",
        "\\2a",
        "zhangmin\\",
        "\u{0}*",
        ")",
        "张敏",
        "",
    ] {
        let answer = try_in(&portal, name, TestDirectory::PASSWORD).await;
        assert_eq!(answer.refused(422, "wrong_credentials"), "用户名或密码错误", "{name:?}");
    }
    for password in ["", "wrong1", "\u{0}", "*"] {
        let _ = try_in(&portal, "zhangmin", password).await.refused(422, "wrong_credentials");
    }
    assert_eq!(portal.admin().get("/api/users").await.expect(200)["total"], 1);
}

#[tokio::test]
async fn expired_and_locked_accounts_are_told_so() {
    let (portal, _directory) = lab().await;
    let right = TestDirectory::PASSWORD;
    let _ = try_in(&portal, "guolei", "wrong1").await.refused(422, "wrong_credentials");
    assert_eq!(last_result(&portal).await, "wrong_credentials");
    assert!(try_in(&portal, "guolei", right).await.refused(422, "account_expired").contains("已过期"));
    assert_eq!(last_result(&portal).await, "expired");
    assert!(try_in(&portal, "sunyue", right).await.refused(422, "password_expired").contains("修改密码"));
    for _ in 0..2 {
        let _ = try_in(&portal, "linjia", "wrong1").await.refused(422, "wrong_credentials");
    }
    assert!(try_in(&portal, "linjia", right).await.refused(422, "account_locked").contains("已锁定"));
    assert_eq!(last_result(&portal).await, "locked");
    let id = account(&portal, "zhangmin").await["id"].clone();
    portal.admin().post("/api/users/active", json!({ "ids": [id], "active": false })).await.is(200);
    let _ = try_in(&portal, "zhangmin", right).await.refused(403, "account_disabled");
    assert_eq!(last_result(&portal).await, "disabled");
}

#[tokio::test]
async fn local_accounts_need_no_directory_and_lose_nothing_to_it() {
    let (portal, mut directory) = lab().await;
    // The directory has an admin too.
    let _ = try_in(&portal, "admin", TestDirectory::PASSWORD).await.refused(422, "wrong_credentials");
    let _ = try_in(&portal, "admin@lab.cn", TestDirectory::PASSWORD).await.refused(409, "username_taken");
    assert_eq!(last_result(&portal).await, "not_admitted");
    let id = account(&portal, "zhangmin").await["id"].clone();
    let taken = json!({ "username": "zhangmin", "password": USER_PASSWORD, "name": "另一人" });
    let _ = portal.admin().post("/api/users", taken).await.refused(409, "username_taken");
    // Another name for the same person counts as tries at their account.
    account(&portal, "zhangmin@lab.cn").await;

    portal.admin().put(&format!("/api/users/{id}"), json!({ "role": 1 })).await.is(200);
    let admins = portal.admin().get("/api/users?role=1&source=local").await.expect(200);
    let local = admins["items"][0]["id"].clone();
    let _ = portal.admin().put(&format!("/api/users/{local}"), json!({ "role": 2 })).await.refused(409, "last_admin");

    directory.stop();
    portal.sign_in("admin", ADMIN_PASSWORD).await.get("/api/settings").await.is(200);
    let refused = try_in(&portal, "zhangmin", TestDirectory::PASSWORD).await.refused(503, "directory_unavailable");
    assert!(refused.contains("连接不上目录服务"), "{refused}");
    assert_eq!(last_result(&portal).await, "directory_unavailable");
    let report = check(&portal, ldap(&directory), "").await;
    assert_eq!(steps(&report), "connect-");
    assert!(last_message(&report).contains("连接被拒绝"), "{report}");
    // Disabled, the directory is not asked, and its accounts have no password here.
    save(&portal, with(ldap(&directory), json!({ "enabled": false }))).await.is(200);
    let _ = try_in(&portal, "zhangmin", TestDirectory::PASSWORD).await.refused(422, "wrong_credentials");
}

#[tokio::test]
async fn without_making_users_only_known_ones_come_in() {
    let (portal, directory) = lab().await;
    account(&portal, "zhangmin").await;
    save(&portal, with(ldap(&directory), json!({ "createUsers": false }))).await.is(200);
    account(&portal, "zhangmin").await;
    let _ = try_in(&portal, "visitor", TestDirectory::PASSWORD).await.refused(409, "no_account");
    let unfit = json!({ "username": "cn", "name": "cn", "email": "", "phone": "" });
    save(&portal, with(ldap(&directory), json!({ "attributes": unfit }))).await.is(200);
    let _ = try_in(&portal, "zhangmin", TestDirectory::PASSWORD).await.refused(409, "unfit_username");
}

#[tokio::test]
async fn tries_are_limited_whatever_the_spelling() {
    let (portal, _directory) = lab().await;
    for _ in 0..5 {
        try_in(&portal, "zhangmin", "wrong1").await.is(422);
        try_in(&portal, "zhangmin@lab.cn", "wrong1").await.is(422);
    }
    let _ = try_in(&portal, "zhangmin@lab.cn", TestDirectory::PASSWORD).await.refused(429, "too_many_requests");
    assert_eq!(last_result(&portal).await, "limited");
}

/// A machine that accepts connections and never answers.
#[tokio::test]
async fn a_silent_directory_is_not_waited_for() {
    let (portal, directory) = (TestPortal::new().await, TestDirectory::start());
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ldaps://{}", silent.local_addr().unwrap());
    let ldap = with(ldap(&directory), json!({ "url": url, "startTls": false }));
    save(&portal, ldap.clone()).await.is(200);
    let plain = with(ldap.clone(), json!({ "url": url.replace("ldaps", "ldap") }));
    let (signed_in, tls, bind) =
        tokio::join!(try_in(&portal, "zhangmin", "x"), check(&portal, ldap, ""), check(&portal, plain, ""));
    assert!(signed_in.refused(503, "directory_unavailable").contains("没有及时应答"));
    assert_eq!((steps(&tls), steps(&bind)), ("connect+ tls-".to_owned(), "connect+ bind-".to_owned()));
    portal.sign_in("admin", ADMIN_PASSWORD).await.get("/api/settings").await.is(200);
}

#[tokio::test]
async fn s339_a_check_tells_each_step_and_shows_the_person() {
    let (portal, directory) = (TestPortal::new().await, TestDirectory::start());
    let (speech, vision) = (group(&portal, "语音").await, group(&portal, "视觉").await);
    let mapping = json!([
        { "dn": "cn=speech,ou=groups,dc=lab", "group": speech },
        { "dn": "cn=vision,ou=groups,dc=lab", "group": vision },
    ]);
    let good = with(ldap(&directory), json!({ "groupMapping": mapping, "enabled": false }));
    let whole = "connect+ tls+ bind+ search+ search+ groups+ user+";
    let report = check(&portal, good.clone(), " visitor ").await;
    assert_eq!((steps(&report).as_str(), &report["ok"]), (whole, &json!(true)));
    let person = &report["person"];
    assert_eq!((&person["dn"], &person["name"]), (&json!("uid=visitor,ou=guests,dc=lab"), &json!("访客")));
    assert_eq!(person["groups"], json!([speech]));
    let secure = with(good.clone(), json!({ "url": directory.tls_url(), "startTls": false }));
    let report = check(&portal, secure.clone(), "zhangmin").await;
    assert_eq!((steps(&report).as_str(), &report["person"]["groups"]), (whole, &json!([vision])));
    assert!(last_message(&report).contains("首次登录时建立账号 zhangmin"), "{report}");
    // Nothing was made or kept.
    assert_eq!(portal.admin().get("/api/users").await.expect(200)["total"], 1);
    assert_eq!(portal.admin().get("/api/settings").await.expect(200)["authentication"]["ldap"]["url"], "");

    let plain = json!({ "startTls": false, "caCertificate": "", "groupMapping": [] });
    let other_ca = testkit::Certificates::new().ca;
    let nowhere = json!([{ "base": "ou=nobody,dc=lab", "filter": "(uid={username})" }]);
    let nobody = json!([{ "base": "ou=groups,dc=lab", "filter": "(uid={username})" }]);
    let no_group = json!([{ "dn": "cn=gone,ou=groups,dc=lab", "group": 1 }]);
    for (changes, username, expected, words) in [
        (plain, "", "connect+ bind+ search+ search+", "找得到人"),
        (json!({}), "nobody", "connect+ tls+ bind+ search+ search+ groups+ user-", "没有找到用户“nobody”"),
        (json!({}), "*", "connect+ tls+ bind+ search+ search+ groups+ user-", "没有找到"),
        (json!({}), "admin", "connect+ tls+ bind+ search+ search+ groups+ user-", "同名的本地账号"),
        (json!({}), "guolei", "connect+ tls+ bind+ search+ search+ groups+ user-", "已过期"),
        (
            json!({ "createUsers": false }),
            "visitor",
            "connect+ tls+ bind+ search+ search+ groups+ user-",
            "首次登录建账号",
        ),
        (json!({ "caCertificate": other_ca }), "", "connect+ tls-", "不信任目录服务的证书"),
        (json!({ "caCertificate": "" }), "", "connect+ tls-", "不信任目录服务的证书"),
        (
            json!({ "url": directory.url().replace("ldap:", "ldaps:"), "startTls": false }),
            "",
            "connect+ tls-",
            "不是 TLS",
        ),
        (
            json!({ "url": "ldap://no-such-host.invalid" }),
            "",
            "connect-",
            "找不到主机 no-such-host.invalid：没有这个名字",
        ),
        (json!({ "bindPassword": "wrong" }), "", "connect+ tls+ bind-", "绑定账号或密码不正确"),
        (json!({ "bindDn": "nonsense" }), "", "connect+ tls+ bind-", "拒绝了绑定账号"),
        (
            json!({ "bindDn": "", "groupMapping": [] }),
            "",
            "connect+ tls+ bind+ search- search-",
            "不存在，或绑定账号没有权限",
        ),
        (
            json!({ "searches": nowhere, "groupMapping": [] }),
            "x",
            "connect+ tls+ bind+ search-",
            "ou=nobody,dc=lab 不存在",
        ),
        (json!({ "searches": nobody, "groupMapping": [] }), "", "connect+ tls+ bind+ search-", "没有符合过滤条件的人"),
        (json!({ "groupMapping": no_group }), "", "connect+ tls+ bind+ search+ search+ groups-", "cn=gone"),
    ] {
        let report = check(&portal, with(good.clone(), changes.clone()), username).await;
        assert_eq!(
            (steps(&report).as_str(), &report["ok"]),
            (expected, &json!(!expected.contains('-'))),
            "{changes} {report:#}"
        );
        assert!(last_message(&report).contains(words), "{report:#}");
    }
    let zhangmin = portal.as_user("someone").await;
    let _ = zhangmin.put(CHECK, json!({ "ldap": good })).await.refused(403, "forbidden");
}

#[tokio::test]
async fn the_kept_bind_password_goes_to_its_own_directory_only() {
    let (portal, directory) = lab().await;
    let kept = portal.admin().get("/api/settings").await.expect(200)["authentication"]["ldap"].clone();
    assert_eq!((&kept["bindPassword"], &kept["bindPasswordSet"]), (&json!(""), &json!(true)));
    assert_eq!(check(&portal, kept.clone(), "zhangmin").await["ok"], true);
    save(&portal, with(kept.clone(), json!({ "createUsers": false }))).await.is(200);
    account_unchanged(&portal).await;
    for other in [json!({ "url": "ldap://127.0.0.1:1" }), json!({ "startTls": false }), json!({ "bindDn": "cn=x" })] {
        let elsewhere = with(kept.clone(), other);
        save(&portal, elsewhere.clone()).await.faults(&["authentication.ldap.bindPassword"]);
        portal.admin().put(CHECK, json!({ "ldap": elsewhere })).await.faults(&["authentication.ldap.bindPassword"]);
    }
    for (changes, fault) in [
        (json!({ "url": "" , "bindPassword": "x"}), "url"),
        (json!({ "searches": [] }), "searches"),
        (json!({ "searches": [{ "base": "dc=lab", "filter": "(uid=x)" }] }), "searches[0].filter"),
        (json!({ "searches": [{ "base": "dc=lab", "filter": "(uid={username}" }] }), "searches[0].filter"),
        (json!({ "caCertificate": "-----BEGIN CERTIFICATE-----", "bindPassword": "x" }), "caCertificate"),
        (json!({ "url": directory.tls_url(), "bindPassword": "x" }), "startTls"),
        (json!({ "bindPasswordSet": false }), "bindPassword"),
    ] {
        save(&portal, with(kept.clone(), changes)).await.faults(&[&format!("authentication.ldap.{fault}")]);
    }
}

/// The kept password still opens the directory.
async fn account_unchanged(portal: &TestPortal) {
    let _ = try_in(portal, "zhangmin", "wrong1").await.refused(422, "wrong_credentials");
    let _ = try_in(portal, "zhangmin", TestDirectory::PASSWORD).await.refused(409, "no_account");
}

/// Sign-ins and the second question for the password are those of local accounts.
#[tokio::test]
async fn users_of_the_directory_end_sign_ins_and_confirm_with_its_password() {
    const OWN: &str = "/api/profile/sign-ins";
    const APP_PASSWORDS: &str = "/api/profile/app-passwords";
    let (portal, mut directory) = lab().await;
    let (right, app_password) = (TestDirectory::PASSWORD, json!({ "name": "rclone" }));
    let first = portal.sign_in("zhangmin", right).await;
    let other = portal.sign_in("zhangmin@lab.cn", right).await;
    let list = first.get(OWN).await.expect(200);
    assert_eq!(list["total"], 2, "{list:#}");
    assert_eq!(list["items"].as_array().unwrap().iter().filter(|one| one["current"] == true).count(), 1);
    assert_eq!(first.delete(OWN).await.expect(200)["ended"], 1);
    other.get("/api/dashboard").await.is(401);
    assert_eq!(first.get(OWN).await.expect(200)["total"], 1);

    // Without the password, which the test's client sends again by itself.
    let bare = first.with_token(first.token());
    let confirm = async |password: &str| bare.post("/api/auth/confirm", json!({ "password": password })).await;
    let _ = bare.post(APP_PASSWORDS, app_password.clone()).await.refused(422, "password_required");
    for wrong in ["wrong1", ""] {
        confirm(wrong).await.faults(&["password"]);
    }
    let _ = bare.post(APP_PASSWORDS, app_password.clone()).await.refused(422, "password_required");
    confirm(right).await.is(204);
    bare.post(APP_PASSWORDS, app_password.clone()).await.is(201);

    portal.clock.advance(Duration::from_secs(600));
    directory.stop();
    let _ = confirm(right).await.refused(503, "directory_unavailable");
    let _ = bare.post(APP_PASSWORDS, app_password).await.refused(422, "password_required");

    let users = portal.admin().get("/api/users?q=zhangmin").await.expect(200);
    let path = format!("/api/users/{}/sign-ins", users["items"][0]["id"]);
    assert_eq!(portal.admin().get(&path).await.expect(200)["total"], 1);
    assert_eq!(portal.admin().delete(&path).await.expect(200)["ended"], 1);
    bare.get("/api/dashboard").await.is(401);
}
