//! Sign-ins, their lifetimes, and the confirmation of the password.

use std::time::{Duration, Instant};

use axum::body::Body;
use db_kit::Sql;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, USER_PASSWORD};

const OWN: &str = "/api/profile/sign-ins";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The same sign-in without its password.
fn bare(client: &Client) -> Client {
    client.with_token(client.token())
}

async fn renewed(client: &Client) -> Client {
    let answer = client.send("POST", "/api/renew", None, Body::empty()).await;
    answer.is(200);
    client.with_token(answer.text())
}

async fn devices(client: &Client) -> Vec<Value> {
    client.get(OWN).await.expect(200)["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn people_see_where_they_are_signed_in_and_end_one_or_all_others() {
    let portal = TestPortal::new().await;
    let first = portal.as_user("ann").await;
    portal.clock.advance(Duration::from_secs(10));
    let (second, third) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("ann", USER_PASSWORD).await);
    let bob = portal.as_user("bob").await;
    let list = devices(&second).await;
    assert_eq!(list.len(), 3);
    assert_eq!(list.iter().filter(|one| one["current"] == true).count(), 1);
    let of =
        |list: &[Value]| list.iter().find(|one| one["current"] == true).unwrap()["id"].as_str().unwrap().to_owned();
    let (one, two) = (of(&devices(&first).await), of(&list));
    // Another user's sign-in answers 404.
    bob.delete(&format!("{OWN}/{one}")).await.is(404);
    second.delete(&format!("{OWN}/{one}")).await.is(204);
    second.delete(&format!("{OWN}/{one}")).await.is(404);
    first.get("/api/dashboard").await.is(401);
    third.get("/api/dashboard").await.is(200);
    assert_eq!(second.delete(OWN).await.expect(200)["ended"], 1);
    third.get("/api/dashboard").await.is(401);
    assert_eq!(devices(&second).await.len(), 1);
    bob.get("/api/dashboard").await.is(200);
    second.delete(&format!("{OWN}/{two}")).await.is(204);
    second.get("/api/dashboard").await.is(401);
    let log = portal.admin().get("/api/logs/operate?q=ann").await.expect(200);
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|item| item["action"].clone()).collect();
    assert!(actions.contains(&json!("sign_in.end")) && actions.contains(&json!("sign_in.end_all")), "{actions:?}");
}

#[tokio::test]
async fn a_renewal_stays_one_device_and_uses_are_noted_by_the_minute() {
    let portal = TestPortal::new().await;
    let old = portal.as_user("ann").await;
    let began = devices(&old).await[0]["created"].clone();
    portal.clock.advance(Duration::from_secs(3600));
    let new = renewed(&old).await;
    portal.clock.advance(Duration::from_secs(59));
    let list = devices(&new).await;
    assert_eq!((list.len(), &list[0]["created"]), (1, &began));
    let used = list[0]["lastUsed"].clone();
    portal.clock.advance(Duration::from_secs(1));
    // A cached lookup is reused until something changes.
    portal.user("bob").await;
    new.get("/api/dashboard").await.is(200);
    assert_ne!(devices(&new).await[0]["lastUsed"], used);
    // Ending the sign-in ends the old token with the new one.
    let id = list[0]["id"].as_str().unwrap();
    portal.sign_in("ann", USER_PASSWORD).await.delete(&format!("{OWN}/{id}")).await.is(204);
    old.get("/api/dashboard").await.is(401);
    new.get("/api/dashboard").await.is(401);
}

#[tokio::test]
async fn administrators_see_and_end_anybodys() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let (first, second) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("ann", USER_PASSWORD).await);
    let (admin, path) = (portal.admin(), format!("/api/users/{id}/sign-ins"));
    let list = admin.get(&path).await.expect(200);
    assert_eq!(list["total"], 2);
    assert!(list["items"].as_array().unwrap().iter().all(|one| one["current"] == false));
    let one = devices(&first).await.iter().find(|one| one["current"] == true).unwrap()["id"].clone();
    first.get(&path).await.is(403);
    admin.delete(&format!("{path}/{}", one.as_str().unwrap())).await.is(204);
    first.get("/api/dashboard").await.is(401);
    assert_eq!(admin.delete(&path).await.expect(200)["ended"], 1);
    second.get("/api/dashboard").await.is(401);
    admin.get("/api/users/999/sign-ins").await.is(404);
    admin.delete("/api/users/999/sign-ins").await.is(404);
    let own = admin.get("/api/users/1/sign-ins").await.expect(200);
    assert_eq!(own["items"][0]["current"], true);
}

#[tokio::test]
async fn renewals_end_thirty_days_after_the_password() {
    let portal = TestPortal::new().await;
    let mut ann = portal.as_user("ann").await;
    for _ in 0..30 {
        portal.clock.advance(DAY - Duration::from_secs(60));
        ann = renewed(&ann).await;
    }
    portal.clock.advance(Duration::from_secs(29 * 60));
    ann.get("/api/dashboard").await.is(200);
    ann = renewed(&ann).await;
    portal.clock.advance(Duration::from_secs(60));
    ann.get("/api/dashboard").await.is(401);
    ann.send("POST", "/api/renew", None, Body::empty()).await.is(401);
    assert_eq!(portal.admin().get("/api/dashboard").await.status, 401);
}

#[tokio::test]
async fn what_nobody_uses_is_over_where_the_settings_say_so() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let mut settings = admin.get("/api/settings").await.expect(200);
    assert_eq!(settings["authentication"]["local"]["idleMinutes"], 0);
    assert_eq!(settings["authentication"]["local"]["signInDays"], 30);
    for wrong in [1, 4] {
        settings["authentication"]["local"]["idleMinutes"] = json!(wrong);
        admin.put("/api/settings", settings.clone()).await.faults(&["authentication.local.idleMinutes"]);
    }
    settings["authentication"]["local"]["idleMinutes"] = json!(30);
    admin.put("/api/settings", settings).await.is(200);
    let (ann, idle) = (portal.as_user("ann").await, portal.sign_in("ann", USER_PASSWORD).await);
    for _ in 0..3 {
        portal.clock.advance(Duration::from_secs(29 * 60));
        ann.get("/api/dashboard").await.is(200);
    }
    idle.get("/api/dashboard").await.is(401);
    assert_eq!(devices(&ann).await.len(), 1);
}

#[tokio::test]
async fn the_password_is_asked_for_before_keys_are_made() {
    let portal = TestPortal::new().await;
    let ann = bare(&portal.as_user("ann").await);
    let token = json!({ "name": "x", "scopes": ["read"], "expires": "2026-12-01T00:00:00Z" });
    let calls = [("/api/profile/app-passwords", json!({ "name": "x" })), ("/api/profile/access-tokens", token)];
    for (path, body) in &calls {
        let _ = ann.post(path, body.clone()).await.refused(422, "password_required");
    }
    ann.post("/api/auth/confirm", json!({ "password": "wrong1" })).await.faults(&["password"]);
    let _ = ann.post(calls[0].0, calls[0].1.clone()).await.refused(422, "password_required");
    // Another sign-in of the same person is not meant.
    portal
        .sign_in("ann", USER_PASSWORD)
        .await
        .post("/api/auth/confirm", json!({ "password": USER_PASSWORD }))
        .await
        .is(204);
    let _ = ann.post(calls[0].0, calls[0].1.clone()).await.refused(422, "password_required");
    ann.post("/api/auth/confirm", json!({ "password": USER_PASSWORD })).await.is(204);
    portal.clock.advance(Duration::from_secs(299));
    for (path, body) in &calls {
        ann.post(path, body.clone()).await.is(201);
    }
    portal.clock.advance(Duration::from_secs(1));
    let _ = ann.post(calls[0].0, calls[0].1.clone()).await.refused(422, "password_required");
    // Faults of the form are reported first.
    ann.post(calls[0].0, json!({ "name": "" })).await.faults(&["name"]);
}

#[tokio::test]
async fn roles_are_changed_only_after_the_password() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let admin = bare(&portal.admin());
    let path = format!("/api/users/{id}");
    let _ = admin.put(&path, json!({ "role": 1 })).await.refused(422, "password_required");
    // A form that sends the role back unchanged changes none.
    admin.put(&path, json!({ "role": 2, "name": "Ann" })).await.is(200);
    admin.post("/api/auth/confirm", json!({ "password": ADMIN_PASSWORD })).await.is(204);
    assert_eq!(admin.put(&path, json!({ "role": 1 })).await.expect(200)["role"], 1);
    // Nor is another way taken to what an administrator may do: a new one, or the password of one who is there.
    portal.clock.advance(Duration::from_secs(600));
    let password = format!("/api/users/{id}/passwd");
    let new = json!({ "newPassword": "lab2026x" });
    let _ = admin
        .post("/api/users", json!({ "username": "eve", "password": "lab2026e", "role": 1 }))
        .await
        .refused(422, "password_required");
    let _ = admin.put(&password, new.clone()).await.refused(422, "password_required");
    admin.post("/api/users", json!({ "username": "bob", "password": "lab2026b", "role": 2 })).await.is(201);
    admin.post("/api/auth/confirm", json!({ "password": ADMIN_PASSWORD })).await.is(204);
    admin.post("/api/users", json!({ "username": "eve", "password": "lab2026e", "role": 1 })).await.is(201);
    admin.put(&password, new).await.is(204);
    // A script has no password to give; its scopes limit it.
    let form = json!({ "name": "x", "scopes": ["all", "admin"], "expires": "2026-12-01T00:00:00Z" });
    let made = admin.post("/api/profile/access-tokens", form).await.expect(201);
    portal.clock.advance(Duration::from_secs(600));
    admin.with_token(made["token"].as_str().unwrap()).put(&path, json!({ "role": 2 })).await.is(200);
}

#[tokio::test]
async fn guessing_the_password_again_is_limited_too() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    // All at once: a try returns while others wait for a password hash.
    let tries = (0..30).map(|_| ann.post("/api/auth/confirm", json!({ "password": "wrong1" })));
    let answers = join_all(tries).await;
    let tried = answers.iter().filter(|answer| answer.status != 429).count();
    assert!(tried < 20, "{tried} of 30 were tried: {answers:?}");
}

#[tokio::test]
async fn ended_sign_ins_are_forgotten() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let db = portal.database().await;
    let rows = async |table: &str| db.number(&format!("select count(*) as n from {table}"), vec![]).await.unwrap();
    renewed(&ann).await;
    assert_eq!((rows("sign_ins").await, rows("sessions").await), (2, 3));
    portal.clock.advance(DAY * 2);
    portal.sign_in("admin", ADMIN_PASSWORD).await;
    portal.portal.forget_ended_sessions().await.unwrap();
    assert_eq!((rows("sign_ins").await, rows("sessions").await), (1, 1));
}

/// D6: failed attempts from elsewhere do not lock the owner out.
#[tokio::test]
async fn the_owner_gets_in_while_strangers_guess() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let try_from = async |address: &str, password: &str, device: Option<&str>| {
        let body = json!({ "username": "ann", "password": password, "device": device });
        portal.from(address).post("/api/auth", body).await
    };
    let first = try_from("10.1.0.1", USER_PASSWORD, None).await.expect(200);
    let device = first["device"].as_str().unwrap().to_owned();
    // Strangers use up the account's minute.
    for n in 0..60 {
        try_from(&format!("10.2.{n}.1"), "wrong1", None).await.is(422);
    }
    assert_eq!(try_from("10.1.0.1", USER_PASSWORD, None).await.status, 200, "from a known address");
    assert_eq!(try_from("10.3.0.1", USER_PASSWORD, Some(&device)).await.status, 200, "from a known device");
    // A made-up mark does not help, and each place has its own budget.
    let began = Instant::now();
    try_from("10.4.0.1", "wrong1", Some("abcdefgh")).await.is(422);
    assert!(began.elapsed() > Duration::from_millis(100), "strangers wait");
    for _ in 0..10 {
        try_from("10.1.0.1", "wrong1", None).await;
    }
    try_from("10.1.0.1", USER_PASSWORD, None).await.is(429);
    try_from("10.3.0.1", USER_PASSWORD, Some(&device)).await.is(200);
    // Ann is notified, once.
    let ann = portal.admin().get(&format!("/api/users/{id}")).await.expect(200);
    assert_eq!(ann["username"], "ann");
    let notices = try_from("10.3.0.1", USER_PASSWORD, Some(&device)).await.expect(200);
    let notices = portal.anonymous().with_token(notices["jwt"].as_str().unwrap()).get("/api/notices").await.expect(200);
    assert_eq!((&notices["total"], &notices["items"][0]["kind"]), (&json!(1), &json!("sign_in_tries")));
}

/// D6: a guesser who stays below every limit is noticed, also one in the owner's own network.
#[tokio::test]
async fn the_owner_hears_of_a_patient_guesser() {
    for address in ["10.9.0.1", "10.1.0.1"] {
        let portal = TestPortal::new().await;
        portal.user("ann").await;
        let attempt = async |password: &str, from: &str| {
            portal.from(from).post("/api/auth", json!({ "username": "ann", "password": password })).await
        };
        attempt(USER_PASSWORD, "10.1.0.1").await.is(200);
        let mut refused = 0;
        for _ in 0..25 {
            refused += u32::from(attempt("wrong1", address).await.status != 200);
        }
        assert_eq!(refused, 25);
        let signed_in = portal.from("10.7.0.1");
        let jwt =
            signed_in.post("/api/auth", json!({ "username": "ann", "password": USER_PASSWORD })).await.expect(200);
        let notices = portal.anonymous().with_token(jwt["jwt"].as_str().unwrap()).get("/api/notices").await.expect(200);
        assert_eq!(
            (&notices["total"], &notices["items"][0]["kind"]),
            (&json!(1), &json!("sign_in_tries")),
            "{address}"
        );
    }
}

#[tokio::test]
async fn addresses_of_one_ipv6_customer_share_their_tries() {
    let portal = TestPortal::new().await;
    portal.user("ann").await;
    let answers = join_all((0..30).map(async |n| {
        let body = json!({ "username": "ann", "password": "wrong1" });
        portal.from(&format!("2001:db8::{n:x}")).post("/api/auth", body).await
    }))
    .await;
    let tried = answers.iter().filter(|answer| answer.status != 429).count();
    assert!(tried < 20, "{tried} of 30 were tried: {answers:?}");
}
