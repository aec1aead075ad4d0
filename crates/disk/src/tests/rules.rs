//! What rules, dotfiles, the saved order and a scope leave of somebody's view.

use super::harness::TestDisk;
use crate::rules::Rule;

fn deny(path: &str) -> Rule {
    Rule { path: path.into(), ..Rule::default() }
}

#[tokio::test]
async fn listings_leave_out_what_is_denied() {
    let disk = TestDisk::with(|config| {
        config.settings.rules = vec![deny("/home/secret"), deny("/share"), deny("/groups/vision")];
    })
    .await;
    for name in ["secret/x", "Secret/x", "secretary", "open"] {
        disk.seed(&format!("home/ann/{name}"), "x");
    }
    disk.link("secret", "home/ann/alias");
    let seen = disk.ann().get("/api/resources/home").await.expect(200);
    assert_eq!(seen.names(), ["alias", "open", "secretary"]);
    assert_eq!(seen.item("alias")["type"], "invalid_link");
    assert_eq!((&seen.json()["numDirs"], &seen.json()["numFiles"]), (&0.into(), &3.into()));
    assert_eq!(disk.ann().get("/api/resources/").await.expect(200).names(), ["home", "groups", "datasets"]);
    assert!(disk.ann().get("/api/resources/groups").await.expect(200).names().is_empty());
    for path in ["/home/secret", "/home/secret/x", "/home/alias/x", "/share", "/groups/vision"] {
        disk.ann().get(&format!("/api/resources{path}")).await.expect(403);
        disk.ann().get(&format!("/api/usage{path}")).await.expect(403);
    }
    disk.ann().get("/api/raw/home/alias/x").await.expect(403);
}

#[tokio::test]
async fn a_rule_can_deny_the_made_up_folders_themselves() {
    let disk = TestDisk::with(|config| {
        config.settings.rules = vec![deny("/"), Rule { allow: true, ..deny("/home/open") }];
    })
    .await;
    disk.seed("home/ann/open/x", "x");
    for path in ["/", "/home", "/groups", "/groups/vision", "/share"] {
        disk.ann().get(&format!("/api/resources{path}")).await.expect(403);
        disk.ann().get(&format!("/api/usage{path}")).await.expect(403);
    }
    assert_eq!(disk.ann().get("/api/resources/home/open").await.expect(200).names(), ["x"]);
}

#[tokio::test]
async fn dotfiles_are_hidden_where_somebody_wants_that() {
    let disk = TestDisk::with(|config| config.settings.defaults.hide_dotfiles = true).await;
    disk.seed("home/ann/.profile", "x");
    disk.seed("home/ann/seen", "x");
    let seen = disk.ann().get("/api/resources/home").await.expect(200);
    assert_eq!((seen.names(), &seen.json()["numFiles"]), (vec!["seen".to_owned()], &1.into()));
    // Hidden is not forbidden.
    disk.ann().get("/api/resources/home/.profile").await.expect(200);
}
