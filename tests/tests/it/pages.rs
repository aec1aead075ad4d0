//! The built web pages: small, cached for as long as they may be, and answered for every address
//! of the web app.

use std::fs;
use std::path::PathBuf;

use http::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, Server, Setup, root, skipped};

/// The name of a hashed file that was also compressed, if the pages were built.
fn built() -> Option<String> {
    let assets = root().join("web/dist/assets");
    let mut names = fs::read_dir(&assets).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let name = names.find(|name| name.ends_with(".js") && assets.join(format!("{name}.br")).is_file());
    if name.is_none() {
        skipped("web/dist is not built: run `npm run build` in web");
    }
    name.map(|name| format!("/assets/{name}"))
}

fn on_disk(path: &str) -> PathBuf {
    root().join("web/dist").join(path.trim_start_matches('/'))
}

async fn accepting(client: &Client, path: &str, encodings: &str) -> Answer {
    client.send(client.request(Method::GET, path).header("accept-encoding", encodings)).await
}

#[tokio::test]
async fn the_smallest_form_that_the_client_understands_is_sent() {
    let Some(path) = built() else { return };
    let server = Server::start(Setup::new()).await;
    let nobody = server.anonymous();
    for (accepted, encoding, ending) in [
        ("gzip, deflate, br, zstd", "br", ".br"),
        ("BR", "br", ".br"),
        ("gzip", "gzip", ".gz"),
        ("br;q=0, gzip;q=0.5", "gzip", ".gz"),
        ("identity", "", ""),
        ("", "", ""),
    ] {
        let answer = accepting(&nobody, &path, accepted).await;
        answer.is(200);
        assert_eq!(answer.header("content-encoding"), encoding, "{accepted}");
        let file = fs::read(on_disk(&format!("{path}{ending}"))).expect("the file was built");
        assert!(answer.body == file, "{accepted}: other bytes");
        assert_eq!(answer.header("content-length"), file.len().to_string());
        assert_eq!(answer.header("content-type"), "text/javascript; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    // The compressed forms have no address of their own.
    nobody.get(&format!("{path}.br")).await.is(404);
    // An archive on the disk has a page like every other file.
    nobody.get("/netdisk/files/home/data.tar.gz").await.is(200);
}

#[tokio::test]
async fn what_the_client_has_is_not_sent_again() {
    let Some(path) = built() else { return };
    let server = Server::start(Setup::new()).await;
    let nobody = server.anonymous();
    for path in [path.as_str(), "/", "/logo.svg"] {
        let plain = accepting(&nobody, path, "identity").await.header("etag");
        let answer = accepting(&nobody, path, "br").await;
        let small = answer.header("etag");
        let is_small = !answer.header("content-encoding").is_empty();
        assert!(small.starts_with('"') && (plain != small) == is_small, "{path}: one tag for two forms");
        for known in [small.clone(), format!("W/{small}"), format!("\"other\", {small}"), "*".to_owned()] {
            let request = nobody.request(Method::GET, path).header("accept-encoding", "br");
            let answer = nobody.send(request.header("if-none-match", &known)).await;
            assert_eq!(answer.status, 304, "{path} {known}");
            assert!(answer.body.is_empty());
            assert_eq!(answer.header("etag"), small);
        }
        let request = nobody.request(Method::GET, path).header("accept-encoding", "br");
        let of_the_other = nobody.send(request.header("if-none-match", plain)).await;
        of_the_other.is(if is_small { 200 } else { 304 });
    }
}

#[tokio::test]
async fn every_address_of_the_web_app_is_the_page() {
    if built().is_none() {
        return;
    }
    let server = Server::start(Setup::new()).await;
    let nobody = server.anonymous();
    let page = fs::read(on_disk("index.html")).expect("the page was built");
    for path in [
        "/",
        "/index.html",
        "/login",
        "/api/docs",
        "/users/user_list",
        "/netdisk/files/%E6%95%B0%E6%8D%AE/",
        "/a.b/c?d=e",
    ] {
        let answer = accepting(&nobody, path, "identity").await;
        answer.is(200);
        assert!(answer.body == page, "{path} is something else");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
        let policy = answer.header("content-security-policy");
        for part in ["default-src 'self'", "script-src 'self'", "object-src 'none'", "frame-ancestors 'self'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe-eval") && !policy.contains("script-src 'self' 'unsafe-inline'"), "{policy}");
        // L5: an injected script could send nothing to other hosts.
        for part in ["connect-src 'self' ws://127.0.0.1", "img-src 'self' data: blob:;", "frame-src 'self' blob:;"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(answer.header("permissions-policy").contains("camera=()"), "{path}");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("strict-transport-security"), "", "nobody asked for it");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");

        let head = nobody.send(nobody.request(Method::HEAD, path)).await;
        head.is(200);
        assert!(head.body.is_empty());
        assert_eq!(head.header("content-length"), page.len().to_string(), "{path}");
    }
    let page = String::from_utf8_lossy(&page).into_owned();
    assert!(!page.contains("<script>"), "a script in the page that its own policy forbids");
}

#[tokio::test]
async fn answers_of_the_platform_are_kept_by_nobody_and_never_guessed_at() {
    let server = Server::start(Setup::new()).await;
    let nobody = server.anonymous();
    for path in ["/api/settings/public", "/.well-known/jwks.json", "/api/users", "/api/no-such-call"] {
        let answer = nobody.get(path).await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
}

#[tokio::test]
async fn the_api_documents_are_served_as_they_are_committed_and_packed() {
    if built().is_none() {
        return;
    }
    let server = Server::start(Setup::new()).await;
    for name in ["portal.json", "disk.json"] {
        let committed = fs::read(root().join("openapi").join(name)).expect("a document");
        let committed: Value = serde_json::from_slice(&committed).expect("JSON");
        let path = format!("/api/openapi/{name}");
        let plain = accepting(&server.anonymous(), &path, "identity").await;
        assert!(plain.expect(200) == committed, "{path}: build the pages again");
        let packed = accepting(&server.anonymous(), &path, "br").await;
        assert_eq!(packed.header("content-encoding"), "br");
        assert!(packed.body.len() * 4 < plain.body.len(), "{} of {}", packed.body.len(), plain.body.len());
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_answered_with_the_page() {
    let server = Server::start(Setup::new()).await;
    let nobody = server.anonymous();
    let api = nobody.get("/api/nope").await;
    assert!(!api.refused(404, "not_found").is_empty());
    for path in ["/assets/nope.js", "/assets/", "/assets/index.js.map", "/disk/nope"] {
        let answer = nobody.get(path).await;
        answer.is(404);
        assert!(answer.header("content-type").starts_with("text/plain"), "{path}: {answer:?}");
    }
    for path in ["/", "/login", "/assets/nope.js"] {
        nobody.act(path).await.is(405);
    }
}

/// L5: pages connect to the storage hosts that administrators name, and to the one that a link's own page names (SPEC
/// §2).
#[tokio::test]
async fn pages_speak_to_the_storage_hosts_and_nobody_else() {
    if built().is_none() {
        return;
    }
    let server = Server::start(Setup::new()).await;
    let (nobody, admin) = (server.anonymous(), server.admin().await);
    let mut settings = admin.get("/api/settings").await.expect(200);
    settings["basic"]["storageHost"] = json!("https://disk.lab/disk");
    settings["security"]["linkHosts"] = json!(["http://other.lab:8080"]);
    let update = json!({ "basic": settings["basic"], "security": settings["security"] });
    admin.put("/api/settings", update).await.is(200);
    let policy = async |path: &str| nobody.get(path).await.header("content-security-policy");
    let anywhere = policy("/netdisk/home?diskhost=https%3A%2F%2Fevil.example").await;
    assert!(anywhere.contains("frame-src 'self' blob: http://other.lab:8080 https://disk.lab;"), "{anywhere}");
    assert!(anywhere.contains(" wss://disk.lab;") && !anywhere.contains("evil"), "{anywhere}");
    let link = policy("/share/abc?diskhost=https%3A%2F%2Fthird.lab%2Fdisk").await;
    assert!(
        link.contains("img-src 'self' data: blob: http://other.lab:8080 https://disk.lab https://third.lab;"),
        "{link}"
    );
}

/// L5: HSTS is sent only where it breaks nothing.
#[tokio::test]
async fn tls_is_insisted_on_when_it_is_asked_for() {
    if built().is_none() {
        return;
    }
    let server = Server::start(Setup::new().with("YUNLAB_TRUSTED_PROXIES", "127.0.0.1/32")).await;
    let (nobody, admin) = (server.anonymous(), server.admin().await);
    let insisted = async |proto: &str| {
        let request = nobody.request(Method::GET, "/login").header("host", "lab.example");
        nobody.send(request.header("x-forwarded-proto", proto)).await.header("strict-transport-security")
    };
    assert_eq!(insisted("https").await, "");
    admin
        .put(
            "/api/settings",
            json!({ "security": { "linkHosts": [], "hstsDays": 1, "allowedRegistries": [],
        "allowLinkLocal": false } }),
        )
        .await
        .is(200);
    assert_eq!((insisted("https").await, insisted("http").await), ("max-age=86400".to_owned(), String::new()));
    // Instances answer over plain HTTP under this name.
    let form = json!({ "name": "one", "endpoint": "unix:///nowhere.sock", "publicHost": "lab.example" });
    admin.post("/api/servers", form).await.is(201);
    assert_eq!(insisted("https").await, "");
}

/// For the page 关于: the licences of the program's and the pages' dependencies.
#[tokio::test]
async fn the_list_of_third_party_licences_is_served() {
    if built().is_none() {
        return;
    }
    let server = Server::start(Setup::new()).await;
    server.anonymous().get("/third-party.json").await.is(401);
    let list = server.admin().await.get("/third-party.json").await.expect(200);
    let texts = list["texts"].as_array().expect("texts");
    for (name, source) in [("axum", "crates.io"), ("react", "npm")] {
        let packages = list["packages"].as_array().expect("packages");
        let found = packages.iter().find(|one| one["name"] == name && one["source"] == source).expect(name);
        assert_eq!(found["licence"], "MIT");
        let place = found["texts"][0].as_u64().and_then(|place| usize::try_from(place).ok()).expect("a text");
        assert!(texts[place].as_str().is_some_and(|text| text.contains("Permission is hereby granted")), "{name}");
    }
}
