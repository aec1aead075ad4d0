//! Flaws of share links.

use disk_core::rules::Rule;
use serde_json::json;

use crate::tests::harness::TestDisk;
use crate::tests::shares::{hash, is_open, share};

/// After another user deletes the file, the owner's link stays, and shows a later file with that name.
#[tokio::test]
async fn ghsa_r6pg_deleting_by_another_user_ends_the_link() {
    let disk = TestDisk::new().await;
    disk.seed("share/a", "old");
    let link = share(&disk, "/share/a").await;
    disk.bob().delete("/api/resources/share/a").await.expect(200);
    disk.bob().post("/api/resources/share/a", "new secret").await.expect(200);
    assert!(!is_open(&disk, &link).await);
    // Also when the deleting was not ours to see.
    let link = share(&disk, "/share/a").await;
    std::fs::remove_file(disk.real("share/a")).unwrap();
    disk.seed("share/a", "new secret");
    assert!(!is_open(&disk, &link).await);
}

/// The link of a renamed file stays with any file that gets the name.
#[tokio::test]
async fn ghsa_m8v4_renaming_ends_the_link() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a", "old");
    let (file, folder) = (share(&disk, "/home/d/a").await, share(&disk, "/home/d/").await);
    disk.ann().rename("/home/d/a", "/home/d/b").await.expect(200);
    disk.ann().post("/api/resources/home/d/a", "new secret").await.expect(200);
    assert!(!is_open(&disk, &file).await && is_open(&disk, &folder).await);
    disk.ann().rename("/home/d", "/home/e").await.expect(200);
    disk.ann().post("/api/resources/home/d/a", "new secret").await.expect(200);
    assert!(!is_open(&disk, &folder).await);
}

/// The password's hash and the token that replaces it are revealed.
#[tokio::test]
async fn ghsa_833g_no_secret_is_told() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let made = disk.ann().post("/api/share/home/a", r#"{"password":"secret1"}"#).await.expect(200);
    let anns = disk.ann().get("/api/shares").await.expect(200);
    let of_path = disk.ann().get("/api/share/home/a").await.expect(200);
    let admins = disk.root().get("/api/shares").await.expect(200);
    for answer in [made, anns, of_path, admins] {
        for word in ["secret1", "argon2", "password_hash", "\"password\"", "token"] {
            assert!(!answer.text().contains(word), "{word} in {}", answer.text());
        }
    }
}

/// A slash at the end of the deleted path keeps the link.
#[tokio::test]
async fn ghsa_pp88_deleting_with_a_slash_ends_the_link() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a/x", "");
    let (with, inner) = (share(&disk, "/home/a/").await, share(&disk, "/home/a/x").await);
    disk.ann().delete("/api/resources/home/a/").await.expect(200);
    disk.ann().post("/api/resources/home/a/", "").await.expect(200);
    disk.ann().post("/api/resources/home/a/x", "").await.expect(200);
    assert!(!is_open(&disk, &with).await && !is_open(&disk, &inner).await);
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json(), json!([]));
}

/// CVE-2026-54096: a link to a path that does not exist yet.
#[tokio::test]
async fn ghsa_3q2p_what_is_not_there_is_not_shared() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/share/home/later", "").await.expect(404);
    disk.ann().post("/api/share/home/later/", "").await.expect(404);
    disk.link("later", "home/ann/link");
    disk.ann().post("/api/share/home/link", "").await.expect(404);
    assert_eq!(disk.ann().get("/api/shares").await.expect(200).json(), json!([]));
}

/// CVE-2026-54097: deleting `/a` ends other links, and others' links, that begin with `/a`.
#[tokio::test]
async fn ghsa_5ww9_deleting_ends_no_neighbours_links() {
    let disk = TestDisk::new().await;
    for path in ["home/ann/a/x", "home/ann/ab/x", "home/bob/a/x", "home/ann/a%2Fx"] {
        disk.seed(path, "");
    }
    let mut kept = Vec::new();
    for path in ["/home/ab", "/home/ab/x", "/home/a%252Fx"] {
        kept.push(share(&disk, path).await);
    }
    for path in ["/home/a", "/home/a/x"] {
        kept.push(hash(&disk.bob().post(&format!("/api/share{path}"), "").await.expect(200)));
    }
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    for link in kept {
        assert!(is_open(&disk, &link).await);
    }
}

/// CVE-2026-54091: rules of the owner do not hold below a shared folder.
#[tokio::test]
async fn ghsa_j9jx_the_owners_rules_hold_inside() {
    let denied = Rule { path: "/home/d/secret".into(), ..Rule::default() };
    let disk = TestDisk::with(|config| config.settings.defaults.rules = vec![denied]).await;
    disk.seed("home/ann/d/secret/x", "secret");
    disk.seed("home/ann/d/open", "");
    disk.link("secret", "home/ann/d/alias");
    let link = share(&disk, "/home/d").await;
    let listing = disk.anonymous().get(&format!("/api/public/share/{link}")).await.expect(200);
    assert!(!listing.names().contains(&"secret".to_owned()));
    for path in ["secret", "secret/x", "SECRET/x", "alias", "alias/x"] {
        disk.anonymous().get(&format!("/api/public/share/{link}/{path}")).await.expect(404);
        disk.anonymous().get(&format!("/api/public/dl/{link}/{path}")).await.expect(404);
    }
    disk.ann().post("/api/share/home/d/secret", "").await.expect(403);
}

/// CVE-2026-35604: a link outlives its owner's rights.
#[tokio::test]
async fn ghsa_v9w4_a_link_lives_on_its_owners_rights() {
    let disk = TestDisk::new().await;
    disk.seed("groups/vision/a", "");
    let link = share(&disk, "/groups/vision/a").await;
    assert!(is_open(&disk, &link).await);
    disk.portal.set(2, |ann| ann.active = false);
    assert!(!is_open(&disk, &link).await);
    disk.portal.set(2, |ann| ann.active = true);
    let mut groups = Vec::new();
    disk.portal.set(2, |ann| groups = std::mem::take(&mut ann.groups));
    assert!(!is_open(&disk, &link).await);
    disk.portal.set(2, |ann| ann.groups = groups);
    for (share, download) in [(false, true), (true, false), (true, true)] {
        let data = json!({ "id": 2, "perm": { "share": share, "download": download } });
        let change = json!({ "what": "user", "which": ["perm"], "data": data });
        disk.root().put("/api/users/2", change.to_string()).await.expect(200);
        assert_eq!(is_open(&disk, &link).await, share && download);
    }
    disk.portal.remove(2);
    assert!(!is_open(&disk, &link).await);
}

/// CVE-2026-32761: sharing circumvents the download permission.
#[tokio::test]
async fn ghsa_68j5_sharing_needs_downloading() {
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/a", "");
    disk.ann().post("/api/share/home/a", "").await.expect(403);
    let disk = TestDisk::without(|may| may.share = false).await;
    disk.seed("home/ann/a", "");
    disk.ann().post("/api/share/home/a", "").await.expect(403);
}

/// CVE-2026-28492: a folder shared without a slash shows its neighbours.
#[tokio::test]
async fn ghsa_mr74_a_shared_folder_shows_no_neighbours() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/x", "");
    disk.seed("home/ann/neighbour/y", "");
    disk.seed("home/ann/d2", "");
    for path in ["/home/d", "/home/d/"] {
        let link = share(&disk, path).await;
        for below in ["neighbour", "neighbour/y", "d/x", "d2", "2", "home/ann/neighbour/y"] {
            disk.anonymous().get(&format!("/api/public/dl/{link}/{below}")).await.expect(404);
            disk.anonymous().get(&format!("/api/public/share/{link}/{below}")).await.expect(404);
        }
        disk.anonymous().get(&format!("/api/public/share/{link}2")).await.expect(404);
    }
    let file = share(&disk, "/home/d/x").await;
    let seen = disk.anonymous().get(&format!("/api/public/share/{file}/../neighbour/y")).await;
    assert!(seen.status == 400 || seen.json()["name"] == "x");
}

/// CVE-2025-64523: any user can end any link.
#[tokio::test]
async fn ghsa_6cqf_only_the_owner_ends_a_link() {
    let disk = TestDisk::new().await;
    disk.seed("share/a", "");
    let link = share(&disk, "/share/a").await;
    disk.bob().delete(&format!("/api/share/{link}")).await.expect(403);
    disk.anonymous().delete(&format!("/api/share/{link}")).await.expect(401);
    assert!(is_open(&disk, &link).await);
    disk.ann().delete(&format!("/api/share/{link}")).await.expect(200);
}

/// CVE-2025-52996: the token of a link gets around its password for good.
#[tokio::test]
async fn ghsa_3v48_a_token_ends_with_the_password() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    let post =
        async |password: &str| disk.ann().post("/api/share/home/a", json!({ "password": password }).to_string()).await;
    let link = hash(&post("first1").await.expect(200));
    let call = disk.anonymous().header("x-share-password", "first1");
    let seen = call.get(&format!("/api/public/share/{link}")).await.expect(200).json();
    let token = seen["token"].as_str().unwrap();
    let with = async || disk.anonymous().get(&format!("/api/public/dl/{link}?token={token}")).await;
    with().await.expect(200);
    post("second2").await.expect(200);
    with().await.expect(401);
    let other = hash(&disk.bob().post("/api/share/share", r#"{"password":"third3"}"#).await.expect(200));
    disk.anonymous().get(&format!("/api/public/share/{other}?token={token}")).await.expect(401);
}

/// Unreported (4): two links of a list have expired, and the list fails.
#[tokio::test]
async fn trap_4_two_expired_links_in_a_list() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "");
    for _ in 0..3 {
        disk.ann().post("/api/share/home/a?expires=1&unit=seconds", "").await.expect(200);
    }
    let permanent = share(&disk, "/home/a").await;
    disk.clock.advance(std::time::Duration::from_secs(2));
    for path in ["/api/shares", "/api/share/home/a"] {
        let list = disk.ann().get(path).await.expect(200).json();
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(list[0]["hash"], permanent.as_str());
    }
}
