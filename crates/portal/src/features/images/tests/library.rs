//! The public library, against a hostile registry.

use rstest::rstest;
use serde_json::json;
use testkit::{Client, TestPortal};

use super::fake_registry::{FakeRegistry, LIST, MANIFEST, sha256};

const CATALOG: &str = "/v2/_catalog?n=1000";

async fn library() -> (TestPortal, Client, FakeRegistry) {
    let (portal, registry) = (TestPortal::new().await, FakeRegistry::start().await);
    let mut settings = portal.admin().get("/api/settings").await.expect(200);
    settings["basic"]["publicImageUrl"] = json!(registry.url);
    portal.admin().put("/api/settings", json!({ "basic": settings["basic"] })).await.is(200);
    let ann = portal.as_user("ann").await;
    (portal, ann, registry)
}

#[tokio::test]
async fn s264_an_unset_public_image_url_is_said() {
    let portal = TestPortal::new().await;
    for path in ["", "/tags?repository=a", "/info?image=a:1"] {
        let answer = portal.admin().get(&format!("/api/images/public{path}")).await;
        assert_eq!(answer.refused(409, "public_image_url_unset"), "公开镜像库访问url未设置，请设置");
    }
}

#[tokio::test]
async fn s054_the_library_is_listed_page_by_page_with_its_newest_images() {
    let (_portal, ann, registry) = library().await;
    registry.say_json(CATALOG, &json!({ "repositories": ["lab/torch", "zoo", "../evil"] }));
    registry.say_with(CATALOG, 200, "link", "</v2/_catalog?last=zoo&n=1000>; rel=\"next\"");
    registry.say_json("/v2/_catalog?last=zoo&n=1000", &json!({ "repositories": ["lab/base", "zoo"] }));
    registry.say_json("/v2/lab/torch/tags/list?n=1000", &json!({ "tags": ["2.9", "2.10", "bad tag"] }));
    registry.say_json("/v2/lab/base/tags/list?n=1000", &json!({ "tags": null }));
    registry.image("lab/torch", "2.10", 700);
    let page = ann.get("/api/images/public?size=2").await.expect(200);
    assert_eq!(page["total"], 3, "once each, and only what is a name");
    let torch = &page["items"][1];
    assert_eq!((&torch["repository"], &torch["tags"]), (&json!("lab/torch"), &json!(["2.10", "2.9"])));
    assert_eq!((&torch["size"], &torch["created"]), (&json!(700), &json!("2026-11-01T08:00:00.000Z")));
    assert_eq!(torch["image"], format!("{}/lab/torch:2.10", registry.host()));
    assert_eq!(page["items"][0]["tag"], json!(null), "all its images were deleted");
    let found = ann.get("/api/images/public?search=TORCH").await.expect(200);
    assert_eq!((&found["total"], &found["items"][0]["repository"]), (&json!(1), &json!("lab/torch")));
    let tags = ann.get("/api/images/public/tags?repository=lab/torch&size=1").await.expect(200);
    assert_eq!((&tags["total"], &tags["items"][0]["tag"]), (&json!(2), &json!("2.10")));
    let asked = registry.asked().iter().filter(|path| path.starts_with("/v2/_catalog")).count();
    assert_eq!(asked, 2, "answers are kept for a while");
}

#[tokio::test]
async fn an_image_shows_what_it_is_made_of_and_for_which_platforms() {
    let (_portal, ann, registry) = library().await;
    let digest = registry.image("lab/torch", "arm", 700);
    let info = ann.get("/api/images/public/info?image=lab/torch:arm").await.expect(200);
    assert_eq!((&info["digest"], &info["size"], &info["platforms"]), (&json!(digest), &json!(700), &json!([])));
    assert_eq!((&info["cmd"], &info["exposedPorts"]), (&json!(["sh"]), &json!(["22/tcp"])));
    let list = json!({ "manifests": [
        { "digest": sha256("arm64"), "platform": { "architecture": "arm64", "os": "linux" } },
        { "digest": digest, "platform": { "architecture": "amd64", "os": "linux" } }] });
    registry.say("/v2/lab/torch/manifests/all", LIST, list.to_string());
    let full = format!("{}/lab/torch:all", registry.host());
    let info = ann.get(&format!("/api/images/public/info?image={full}")).await.expect(200);
    assert_eq!((info["platforms"].as_array().unwrap().len(), &info["layers"][0]["size"]), (2, &json!(700)));
    assert_eq!(info["digest"], sha256(&list.to_string()), "the list's own, which is good for any machine");
    ann.get("/api/images/public/info?image=lab/torch:none").await.is(404);
    ann.get("/api/images/public/info?image=lab/../torch:1").await.faults(&["image"]);
}

#[rstest]
#[case::huge("huge")]
#[case::elsewhere("elsewhere")]
#[case::next_elsewhere("next")]
#[case::not_json("html")]
#[case::token_elsewhere("token")]
#[tokio::test]
async fn a_hostile_catalog_is_refused(#[case] how: &str) {
    let (_portal, ann, registry) = library().await;
    let other = FakeRegistry::start().await;
    other.say_json(CATALOG, &json!({ "repositories": ["stolen"] }));
    let elsewhere = format!("{}{CATALOG}", other.url);
    match how {
        "huge" => registry.say(CATALOG, "application/json", vec![b' '; 5 << 20]),
        "elsewhere" => registry.say_with(CATALOG, 307, "location", &elsewhere),
        "next" => {
            registry.say_json(CATALOG, &json!({ "repositories": ["a"] }));
            registry.say_with(CATALOG, 200, "link", &format!("<{elsewhere}>; rel=\"next\""));
        }
        "html" => registry.say(CATALOG, "text/html", "{\"repositories\":[]}"),
        _ => registry.say_with(CATALOG, 401, "www-authenticate", &format!("Bearer realm=\"{elsewhere}\"")),
    }
    let _ = ann.get("/api/images/public").await.refused(503, "registry_strange");
    assert_eq!(other.asked(), Vec::<String>::new(), "nobody else is asked");
}

/// A19: whatever a registry does, people read why in Chinese.
#[rstest]
#[case::gone("gone", "镜像仓库暂时无法访问：连接被拒绝，那里没有服务在运行")]
#[case::broken("broken", "镜像仓库暂时无法访问：应答状态 502")]
#[case::teapot("teapot", "镜像仓库的应答不正确：应答状态 418")]
#[case::elsewhere("elsewhere", "镜像仓库的应答不正确：它转到了另一台主机")]
#[case::no_registry("html", "镜像仓库的应答不正确：列表不是 JSON，这个地址可能不是镜像仓库")]
#[tokio::test]
async fn what_a_registry_does_is_told_in_chinese(#[case] how: &str, #[case] words: &str) {
    let (portal, ann, registry) = library().await;
    match how {
        "gone" => {
            let mut settings = portal.admin().get("/api/settings").await.expect(200);
            // Nothing listens on port 1.
            settings["basic"]["publicImageUrl"] = json!("http://127.0.0.1:1");
            portal.admin().put("/api/settings", json!({ "basic": settings["basic"] })).await.is(200);
        }
        "broken" => registry.say_with(CATALOG, 502, "x-served-by", "proxy"),
        "teapot" => registry.say_with(CATALOG, 418, "x-served-by", "proxy"),
        "elsewhere" => registry.say_with(CATALOG, 307, "location", "http://127.0.0.1:1/"),
        _ => registry.say(CATALOG, "text/html", "<p>hello</p>"),
    }
    let answer = ann.get("/api/images/public").await.expect(503);
    assert_eq!(answer["message"], words);
}

#[tokio::test]
async fn content_must_be_what_was_asked_for() {
    let (_portal, ann, registry) = library().await;
    let manifest = json!({ "config": { "digest": sha256("one") }, "layers": [] }).to_string();
    registry.say("/v2/x/manifests/1", MANIFEST, manifest.clone());
    registry.say(&format!("/v2/x/blobs/{}", sha256("one")), "application/json", "another");
    registry.say("/v2/x/manifests/2", "application/vnd.docker.distribution.manifest.v1+prettyjws", manifest);
    registry.say(
        "/v2/x/manifests/3",
        MANIFEST,
        json!({ "config": { "digest": "sha256:../../x" }, "layers": [] }).to_string(),
    );
    for tag in ["1", "2", "3"] {
        let answer = ann.get(&format!("/api/images/public/info?image=x:{tag}")).await;
        let _ = answer.refused(503, "registry_strange");
    }
}
