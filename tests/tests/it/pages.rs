//! The built web pages: small, cached for as long as they may be, and answered for every address
//! of the web app.

use std::fs;
use std::path::PathBuf;

use http::Method;
use serde_json::Value;
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
