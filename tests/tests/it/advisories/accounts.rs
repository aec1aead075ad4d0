//! Published flaws of File Browser's accounts and sessions, by their numbers, tried on the whole product. The disk's
//! own tests have those of the disk alone.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use tests::{Client, Server, Setup, encoded, exchange, until};

const PASSWORD: &str = "lab2026a";

async fn make(admin: &Client, username: &str) -> i64 {
    let body = json!({ "username": username, "password": PASSWORD, "name": "安" });
    admin.post("/api/users", body).await.expect(201)["id"].as_i64().expect("an id")
}

/// The statuses on the platform and on the disk, with the token in a header and in the URL.
async fn let_in(person: &Client) -> [u16; 3] {
    let nobody = person.with_token("");
    let in_address = format!("/disk/api/resources/?auth={}", encoded(person.token()));
    [
        person.get("/api/users/public").await.status.as_u16(),
        person.get("/disk/api/resources/").await.status.as_u16(),
        nobody.send(nobody.request(Method::GET, &in_address)).await.status.as_u16(),
    ]
}

/// GHSA-v3jv-rmh2-635j and CVE-2026-54089: an expired token, and none, with a header that names a user.
#[tokio::test]
async fn ghsa_v3jv_ghsa_xqp3_a_header_is_nobody() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    assert_eq!(let_in(&admin).await, [200; 3]);
    assert!(server.sql("update sessions set expires = 1").await > 0);
    // A running portal notices changes of the database within a second.
    let over = async || (let_in(&admin).await == [401; 3]).then_some(());
    until("the session's end", Duration::from_secs(10), over).await;
    for header in ["x-remote-user", "remote-user", "x-forwarded-user", "x-auth-request-user", "x-webauth-user"] {
        for who in [&admin, &server.anonymous()] {
            for path in ["/api/users/public", "/disk/api/resources/", "/disk/api/users"] {
                let asked =
                    who.request(Method::GET, path).header(header, "admin").header("x-forwarded-for", "127.0.0.1");
                who.send(asked).await.is(401);
            }
            let renewed = who.request(Method::POST, "/api/renew").header(header, "admin");
            who.send(renewed).await.is(401);
        }
    }
}

/// CVE-2026-72836 and CVE-2026-62685: two usernames with the same home.
#[tokio::test]
async fn ghsa_576v_ghsa_7rc3_no_two_names_share_a_home() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    make(&admin, "Bob").await;
    let new = |name: &str| json!({ "username": name, "password": PASSWORD, "name": "x" });
    for name in ["bob", "BOB", "bOb"] {
        admin.post("/api/users", new(name)).await.is(409);
    }
    for name in ["a/x", "../bob", "a\\x", "a x", "..", "ｂob", "bob\u{0}", "bob/"] {
        let status = admin.post("/api/users", new(name)).await.status;
        assert!(status == 422 || status == 400, "{name:?}: {status}");
    }
    // The disk uses the account's own spelling, however the name was typed.
    let bob = server.sign_in("bOB", PASSWORD).await;
    bob.upload("/home/mine", "mine").await.is(200);
    assert!(server.setup().data_dir().join("disk/home/Bob/mine").exists());
}

/// CVE-2026-72837, CVE-2026-72839, CVE-2026-35607, CVE-2026-34528, CVE-2026-32760: a new user gets the whole root,
/// another's home, or the defaults' rights.
#[tokio::test]
async fn ghsa_j7jh_ghsa_6759_ghsa_5gg9_newcomers_get_their_own_and_no_power() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let defaults = json!({ "defaults": { "perm": { "admin": true, "execute": true }, "commands": ["bash"] } });
    admin.put("/disk/api/settings", defaults).await.is(200);
    let names = ["ann", "bob", "cui", "dou"];
    for name in names {
        make(&admin, name).await;
    }
    let visit = async |name: &str| {
        let person = server.sign_in(name, PASSWORD).await;
        person.upload("/home/mine", name.to_owned()).await.is(200);
        person
    };
    let (ann, bob, cui, dou) = tokio::join!(visit(names[0]), visit(names[1]), visit(names[2]), visit(names[3]));
    for (name, person) in names.into_iter().zip([ann, bob, cui, dou]) {
        assert_eq!(person.download("/home/mine").await.text(), name);
        person.download("/home/admin/mine").await.is(404);
        person.get("/disk/api/users").await.is(403);
        person.get("/disk/api/settings").await.is(403);
    }
    let users = admin.get("/disk/api/users").await.expect(200);
    for user in users.as_array().expect("a list").iter().filter(|user| user["username"] != "admin") {
        assert_eq!((&user["perm"]["admin"], &user["perm"]["execute"]), (&json!(false), &json!(false)), "{user}");
        assert_eq!((&user["commands"], &user["scope"]), (&json!([]), &json!("/")));
    }
}

/// GHSA-v7vv-5wj2-gfcj: a password change keeps old tokens. `sessions.rs` has all ends of sessions.
#[tokio::test]
async fn ghsa_v7vv_a_password_change_ends_sessions() {
    let server = Server::start(Setup::new()).await;
    let id = make(&server.admin().await, "ann").await;
    let (ann, elsewhere) = (server.sign_in("ann", PASSWORD).await, server.sign_in("ann", PASSWORD).await);
    assert_eq!(let_in(&elsewhere).await, [200; 3]);
    let body = json!({ "oldPassword": PASSWORD, "newPassword": "other2026" });
    ann.put(&format!("/api/users/{id}/passwd"), body).await.is(204);
    assert_eq!((let_in(&ann).await, let_in(&elsewhere).await), ([401; 3], [401; 3]));
}

/// The session that a token names.
fn session(client: &Client) -> String {
    let claims = client.token().split('.').nth(1).expect("claims");
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("base64")).expect("JSON");
    claims["jti"].as_str().expect("an id").to_owned()
}

/// CVE-2025-53826: a token stays valid after logging out, and can be renewed for ever.
#[tokio::test]
async fn ghsa_7xwp_a_token_is_over_after_logout_and_renewal() {
    let server = Server::start(Setup::new()).await;
    let first = server.admin().await;
    let second = first.with_token(first.act("/api/renew").await.text());
    // An old token serves ten more minutes (`session/http.rs`), and its renewal makes no session of its own.
    assert_eq!((let_in(&first).await, let_in(&second).await), ([200; 3], [200; 3]));
    let third = second.with_token(second.act("/api/renew").await.text());
    let again = first.with_token(first.act("/api/renew").await.text());
    assert_eq!((session(&third), session(&first) == session(&second)), (session(&again), false));
    third.act("/api/auth/logout").await.is(204);
    assert_eq!(let_in(&third).await, [401; 3]);
    for old in [&first, &second, &again] {
        assert_eq!(let_in(old).await, [401; 3]);
    }
    for old in [&first, &second, &third] {
        old.act("/api/renew").await.is(401);
    }
}

/// CVE-2026-25889: the present password is not required when its field is spelled differently.
#[tokio::test]
async fn ghsa_hxw8_nobody_changes_a_password_without_the_present_one() {
    let server = Server::start(Setup::new()).await;
    let id = make(&server.admin().await, "ann").await;
    let ann = server.sign_in("ann", PASSWORD).await;
    for which in [json!(["password"]), json!(["Password"]), json!([]), json!(["all"]), json!(null)] {
        for field in ["password", "Password", "newPassword"] {
            let body = json!({ "what": "user", "which": which, "data": { "id": id, field: "stolen2026" } });
            for path in [format!("/api/users/{id}"), format!("/disk/api/users/{id}")] {
                let status = ann.put(&path, body.clone()).await.status.as_u16();
                // To the platform an empty list names nothing, so nothing is changed.
                let nothing = which == json!([]) && status == 200;
                assert!(nothing || [400, 403, 404, 422].contains(&status), "{path}: {status} for {body}");
            }
        }
    }
    for body in [json!({ "newPassword": "stolen2026" }), json!({ "oldPassword": "", "newPassword": "stolen2026" })] {
        let status = ann.put(&format!("/api/users/{id}/passwd"), body).await.status.as_u16();
        assert!([400, 422].contains(&status), "{status}");
    }
    server.sign_in("ann", PASSWORD).await;
}

/// CVE-2026-23849: the duration of a refused login reveals whether the user exists.
#[tokio::test]
async fn ghsa_43mm_a_login_takes_as_long_for_nobody() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    for n in 0..4 {
        make(&admin, &format!("user{n}")).await;
    }
    let nobody = server.anonymous();
    let time = async |name: String| {
        let begun = Instant::now();
        nobody.post("/api/auth", json!({ "username": name, "password": "wrong2026" })).await.is(422);
        begun.elapsed()
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    // Alternating, so that the machine's other load affects both; few enough for the limits.
    for round in 0..32 {
        known.push(time(format!("user{}", round % 4)).await);
        unknown.push(time(format!("none{}", round % 4)).await);
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2].as_secs_f64()
    };
    let (known, unknown) = (median(&mut known), median(&mut unknown));
    assert!(unknown > known * 0.6 && unknown < known / 0.6, "known {known:.4} s, unknown {unknown:.4} s");
}

/// CVE-2026-54092: a login of any size is read. Here it is refused unread.
#[tokio::test]
async fn ghsa_w5fm_a_huge_login_is_refused_unread() {
    let server = Server::start(Setup::new()).await;
    let resident = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has memory");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    let before = resident();
    for path in ["/api/auth", "/disk/api/settings", "/disk/api/users/1"] {
        let mut bytes = format!(
            "POST {path} HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
        )
        .into_bytes();
        bytes.extend_from_slice(b"{\"username\":\"admin\",\"password\":\"");
        bytes.resize(bytes.len() + 4 * 1024 * 1024, b'x');
        let answer = exchange(server.address(), &bytes, Duration::from_secs(10)).await;
        assert!(matches!(answer.status, Some(400..=499)), "{path}: {:?}", answer.status);
    }
    assert!(resident() < before + 64 * 1024, "{} KiB more", resident() - before);
}

/// CVE-2025-52901: tokens in addresses. `logging.rs` looks at every line for every secret.
#[tokio::test]
async fn ghsa_rmwh_a_token_in_an_address_stays_there() {
    let mut server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    admin.upload("/share/a.html", "<a href=https://elsewhere.example/>").await.is(200);
    let token = admin.token().to_owned();
    let nobody = server.anonymous();
    // The platform takes none from an address.
    for name in ["auth", "token", "jwt", "access_token"] {
        nobody.get(&format!("/api/users/public?{name}={token}")).await.is(401);
    }
    let raw = nobody.get(&format!("/disk/api/raw/share/a.html?inline=true&auth={token}")).await;
    raw.is(200);
    assert_eq!(raw.header("referrer-policy"), "no-referrer");
    nobody.get(&format!("/disk/api/raw/share/none?auth={token}")).await.is(404);
    server.stop().await;
    let signature = token.rsplit('.').next().expect("a signature");
    assert!(!server.log().contains(signature) && !server.printed().contains(signature));
}

/// CVE-2025-52997: no rules for passwords, no limit on guesses, and a common first password.
#[tokio::test]
async fn ghsa_cm2r_weak_passwords_and_guessing() {
    let server = Server::start(Setup::new().without("YUNLAB_ADMIN_PASSWORD")).await;
    let nobody = server.anonymous();
    for usual in ["admin", "password", "admin123", "123456"] {
        nobody.post("/api/auth", json!({ "username": "admin", "password": usual })).await.is(422);
    }
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let id = make(&admin, "ann").await;
    let ann = server.sign_in("ann", PASSWORD).await;
    for weak in ["", "a1", "12345678", "abcdefgh", "a1b2c", &"a1".repeat(16)] {
        let new = json!({ "username": "bob", "password": weak, "name": "x" });
        admin.post("/api/users", new).await.is(422);
        let own = json!({ "oldPassword": PASSWORD, "newPassword": weak });
        ann.put(&format!("/api/users/{id}/passwd"), own).await.is(422);
        admin.put(&format!("/api/users/{id}/passwd"), json!({ "newPassword": weak })).await.is(422);
        if weak.is_empty() {
            // In a table whose row asks for a random one.
            continue;
        }
        let table = format!("username,password,name\nbob,{weak},x\n");
        let batch = admin.post("/api/users/batch", json!({ "text": table, "dryRun": false })).await;
        assert_ne!(batch.json()["created"], json!(1), "{weak:?}");
    }
    let guess =
        async || server.anonymous().post("/api/auth", json!({ "username": "ANN", "password": "wrong2026" })).await;
    // All at once: one after another, each waits for a password hash, and a try returns every six seconds.
    let guesses = join_all((0..30).map(|_| guess())).await;
    let statuses: Vec<_> = guesses.iter().map(|answer| answer.status.as_u16()).collect();
    assert!(statuses.contains(&422) && statuses.contains(&429), "{statuses:?}");
    // The right password is refused, too, while guesses are limited.
    loop {
        let answer = guess().await;
        if answer.status == 422 {
            // A try had returned; now it is spent.
            continue;
        }
        answer.is(429);
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!(wait > 0);
        if wait >= 4 {
            break;
        }
    }
    let right: Value = json!({ "username": "ann", "password": PASSWORD });
    server.anonymous().post("/api/auth", right).await.is(429);
}
