//! Forged, spoilt and misplaced tokens; tickets.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use http::Method;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use tests::{Client, Random, Server, Setup, digest};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Error;

/// Between portal and storage host.
const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Refused by both, with these words from the platform API.
async fn refused(server: &Server, token: &str, code: &str) {
    let person = server.anonymous().with_token(token);
    person.get("/api/users/public").await.refused(401, code);
    let disk = person.get("/disk/api/resources/").await;
    disk.is(401);
    if code == "token_malformed" {
        assert_eq!(person.get("/api/users/public").await.json()["message"], "token malformed");
        assert_eq!(disk.text(), "401 Unauthorized (token malformed)\n");
    }
    let in_address = server.anonymous().get(&format!("/disk/api/resources/?auth={}", tests::encoded(token))).await;
    in_address.is(401);
}

fn parts(token: &str) -> [Value; 2] {
    let mut parts = token.split('.').map(|part| {
        let bytes = URL_SAFE_NO_PAD.decode(part).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    });
    [parts.next().expect("a header"), parts.next().expect("claims")]
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn signed(header: &Value, claims: &Value, key: &EncodingKey) -> String {
    let header: Header = serde_json::from_value(header.clone()).expect("a header");
    encode(&header, claims, key).expect("a token")
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("not that late")
}

#[tokio::test]
async fn what_we_did_not_sign_or_no_longer_want_is_refused() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let token = admin.token();
    let pieces: Vec<&str> = token.split('.').collect();
    let [header, claims] = parts(token);

    let two = format!("{}.{}", pieces[0], pieces[1]);
    for malformed in [two.as_str(), "x", "a.b", "a.b.c.d", &"a".repeat(5000)] {
        refused(&server, malformed, "token_malformed").await;
    }

    let mut spoilt = pieces[2].to_owned();
    spoilt.replace_range(..1, if spoilt.starts_with('A') { "B" } else { "A" });
    let none = part(&json!({ "alg": "none", "typ": "JWT", "kid": header["kid"] }));
    let mut promoted = claims.clone();
    promoted["id"] = json!(2);
    let other = SigningKey::from_bytes(&[7; 32]).to_pkcs8_der().expect("a key");
    let other = EncodingKey::from_ed_der(other.as_bytes());
    let keys = admin.get("/.well-known/jwks.json").await.expect(200);
    let public = URL_SAFE_NO_PAD.decode(keys["keys"][0]["x"].as_str().expect("a key")).expect("base64");
    let mut symmetric = header.clone();
    symmetric["alg"] = json!("HS256");
    for forged in [
        format!("{none}.{}.", pieces[1]),
        format!("{none}.{}.{}", pieces[1], pieces[2]),
        format!("{}.{}.{spoilt}", pieces[0], pieces[1]),
        format!("{}.{}.{}", pieces[0], part(&promoted), pieces[2]),
        format!("{}.{}.", pieces[0], pieces[1]),
        signed(&header, &claims, &other),
        signed(&symmetric, &claims, &EncodingKey::from_secret(&public)),
        "..".to_owned(),
    ] {
        refused(&server, &forged, "unauthorized").await;
    }

    let pem = fs::read(server.setup().data_dir().join("signing-key.pem")).expect("the signing key");
    let ours = EncodingKey::from_ed_pem(&pem).expect("a key");
    let (mut expired, mut strange, mut unknown) = (claims.clone(), header.clone(), claims.clone());
    expired["exp"] = json!(now() - 1);
    strange["typ"] = json!("at+jwt");
    unknown["jti"] = json!("0123456789abcdef0123456789abcdef");
    // Shows that the test's signing is right, so that the refusals below have other reasons.
    admin.with_token(signed(&header, &claims, &ours)).get("/api/users/public").await.is(200);
    for past in [signed(&header, &expired, &ours), signed(&strange, &claims, &ours), signed(&header, &unknown, &ours)] {
        refused(&server, &past, "unauthorized").await;
    }
    admin.get("/api/users/public").await.is(200);
}

#[tokio::test]
async fn the_server_decides_when_a_session_expires() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let mut settings = admin.get("/api/settings").await.expect(200);
    let mut authentication = settings["authentication"].take();
    authentication["local"]["sessionHours"] = json!(2);
    admin.put("/api/settings", json!({ "authentication": authentication })).await.is(200);
    let short = server.admin().await;
    let [_, claims] = parts(short.token());
    let life = claims["exp"].as_i64().expect("exp") - claims["iat"].as_i64().expect("iat");
    assert_eq!(life, 2 * 3600);
    let renew = short.get("/disk/api/resources/").await;
    assert_eq!(renew.header("x-renew-token"), "true");

    let statement = format!("update sessions set expires = {} where id = '{}'", now() * 1000 - 1, jti(&short));
    assert_eq!(server.sql(&statement).await, 1);
    refused(&server, short.token(), "unauthorized").await;
    short.act("/api/renew").await.is(401);
}

fn jti(person: &Client) -> String {
    parts(person.token())[1]["jti"].as_str().expect("a session").to_owned()
}

#[tokio::test]
async fn a_token_in_the_address_is_for_the_disk_and_websockets_only() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let nobody = server.anonymous();
    let token = admin.token();
    for path in ["/api/users/public?token=", "/api/users/public?auth=", "/disk/api/resources/?token="] {
        nobody.get(&format!("{path}{token}")).await.is(401);
    }
    nobody.get(&format!("/disk/api/resources/?auth={token}")).await.is(200);
    let rubbish = nobody.request(Method::GET, &format!("/disk/api/resources/?auth={token}"));
    nobody.send(rubbish.header("authorization", "Bearer x.y")).await.is(401);
}

#[tokio::test]
async fn a_ticket_reads_a_file_as_often_as_it_takes() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let nobody = server.anonymous();
    let content = Random::new(3).bytes(5_000_001);
    let path = "/disk/api/resources/share/%E6%95%B0%E6%8D%AE%20%231.bin";
    let request = admin.request(Method::POST, path).body(content.clone());
    admin.send(request).await.is(200);

    let raw = "/disk/api/raw/share/%E6%95%B0%E6%8D%AE%20%231.bin";
    let down = admin.ticket("GET", raw).await;
    let got = nobody.get(&format!("{raw}?auth={down}")).await;
    got.is(200);
    assert_eq!(digest(&got.body), digest(&content));
    let head = nobody.send(nobody.request(Method::HEAD, &format!("{raw}?auth={down}"))).await;
    head.is(200);
    assert_eq!(head.header("content-length"), content.len().to_string());

    let range = nobody.request(Method::GET, &format!("{raw}?auth={down}")).header("range", "bytes=4000000-4000009");
    let part = nobody.send(range).await;
    part.is(206);
    assert_eq!(part.body, content[4_000_000..=4_000_009]);

    // It is valid for its own path only, and is no login token.
    nobody.get(&format!("{path}?auth={down}")).await.is(401);
    nobody.get(&format!("/disk/api/raw/share/x?auth={down}")).await.is(401);
    nobody.send(nobody.request(Method::DELETE, &format!("{path}?auth={down}"))).await.is(401);
    let _ = admin.post("/api/tickets", json!({ "path": path, "method": "POST" })).await.refused(400, "bad_request");
    for call in ["/api/renew", "/api/auth/logout"] {
        nobody.with_token(&down).act(call).await.is(401);
    }
    nobody.with_token(&down).get("/api/users/public").await.is(401);
    let kept = fs::read(server.setup().data_dir().join("disk/share/数据 #1.bin")).expect("the file");
    assert_eq!(digest(&kept), digest(&content));
}

/// L1: an address with a ticket that is logged somewhere opens no second WebSocket.
#[tokio::test]
async fn a_ticket_opens_one_websocket() {
    let server = Server::start(Setup::new()).await;
    one_websocket(&server, &server).await;
}

#[tokio::test]
async fn a_ticket_opens_one_websocket_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let server = Server::start(setup).await;
    one_websocket(&server, &server).await;
}

#[tokio::test]
async fn a_ticket_opens_one_websocket_on_a_storage_host() {
    let portal = Server::start(Setup::new().with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let host = Server::start(Setup::storage_host(portal.origin(), SECRET)).await;
    one_websocket(&portal, &host).await;
}

async fn one_websocket(portal: &Server, disk: &Server) {
    let ann = portal.admin().await;
    for (server, path, parameter) in
        [(portal, "/api/websocket/broadcast", "token"), (disk, "/disk/api/command/", "auth")]
    {
        let ticket = ann.ticket("GET", path).await;
        let address = format!("ws://{}{path}?{parameter}={ticket}", server.address());
        // Where commands have no sandbox, the disk refuses for that.
        assert_ne!(opened(&address).await, 401, "{path}");
        assert_eq!(opened(&address).await, 401, "{path}");
        let another = ann.ticket("GET", path).await;
        assert_ne!(opened(&format!("ws://{}{path}?{parameter}={another}", server.address())).await, 401, "{path}");
    }
}

/// The status of opening a WebSocket there.
pub(crate) async fn opened(address: &str) -> u16 {
    match connect_async(address).await {
        Ok((_, response)) => response.status().as_u16(),
        Err(Error::Http(response)) => response.status().as_u16(),
        Err(other) => panic!("{other}"),
    }
}
