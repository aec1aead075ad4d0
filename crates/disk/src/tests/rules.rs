//! Effects of rules, dotfiles, the saved order and a scope on a view.

use disk_core::rules::Rule;

use super::harness::TestDisk;
use super::paths::snapshot;

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

/// Rules that deny the matches of one expression, and one path.
fn scattered() -> Vec<Rule> {
    let found = Rule { regex: true, ..Rule::default() };
    let mut rules = vec![deny("/home/kept/deep/secret"), found];
    rules[1].regexp.raw = r"\.key$".into();
    rules
}

#[tokio::test]
async fn what_holds_something_denied_is_not_copied_moved_or_deleted() {
    let disk = TestDisk::with(|config| config.settings.rules = scattered()).await;
    for path in ["kept/deep/secret", "kept/a", "keys/inner/x.KEY", "free/deep/secret", "single.key", "into/x"] {
        disk.seed(&format!("home/ann/{path}"), "x");
    }
    let before = snapshot(&disk);
    for from in ["/home/kept", "/home/kept/deep", "/home/keys", "/home/keys/inner", "/home/single.key"] {
        for flags in ["", "&override=true", "&rename=true"] {
            for to in ["/home/new", "/home/into", "/share/made/new"] {
                if flags.is_empty() && to == "/home/into" {
                    continue;
                }
                disk.ann().change("copy", from, to, flags).await.expect(403);
                disk.ann().change("rename", from, to, flags).await.expect(403);
            }
        }
        disk.ann().delete(&format!("/api/resources{from}")).await.expect(403);
        disk.ann().delete(&format!("/api/resources{from}/?permanent=true")).await.expect(403);
    }
    assert_eq!(snapshot(&disk), before);
    disk.ann().rename("/home/free", "/home/moved").await.expect(200);
    disk.ann().delete("/api/resources/home/moved").await.expect(200);
}

#[tokio::test]
async fn nothing_comes_to_lie_where_a_rule_denies_it() {
    let disk = TestDisk::with(|config| config.settings.rules = scattered()).await;
    for path in ["source/deep/secret", "source/a", "file", "kept/a", "copy", "free/x"] {
        disk.seed(&format!("home/ann/{path}"), "x");
    }
    let before = snapshot(&disk);
    for action in ["copy", "rename"] {
        for flags in ["", "&override=true", "&rename=true"] {
            for (from, to) in [
                ("/home/source", "/home/kept"),
                ("/home/file", "/home/kept/deep/secret"),
                ("/home/file", "/home/KEPT/deep/SECRET"),
                ("/home/file", "/home/kept/deep/secret/below"),
                ("/home/file", "/home/a.key"),
                ("/home/file", "/home/made.key/inner"),
            ] {
                // Without a flag a taken name is reported first.
                let answer = disk.ann().change(action, from, to, flags).await;
                let taken = flags.is_empty() && to == "/home/kept";
                assert_eq!(answer.status.as_u16(), if taken { 409 } else { 403 }, "{action} {from} {to} {flags}");
            }
        }
    }
    for path in ["/home/kept/deep/secret", "/home/kept/deep/Secret/x", "/home/a.key", "/home/b.key/c/"] {
        disk.ann().post(&format!("/api/resources{path}"), "x").await.expect(403);
        disk.ann().post(&format!("/api/resources{path}?override=true"), "x").await.expect(403);
    }
    assert_eq!(snapshot(&disk), before);
}

#[tokio::test]
async fn a_number_makes_no_denied_name_free() {
    let disk = TestDisk::with(|config| config.settings.rules = vec![deny("/home/file(1)"), deny("/home/d(1)/x")]).await;
    for path in ["file", "d/x", "open/x"] {
        disk.seed(&format!("home/ann/{path}"), "x");
    }
    disk.ann().change("copy", "/home/file", "/home/file", "&rename=true").await.expect(403);
    disk.ann().change("copy", "/home/d", "/home/d", "&rename=true").await.expect(403);
    disk.ann().change("copy", "/home/open", "/home/open", "&rename=true").await.expect(200);
    assert!(!disk.real("home/ann/file(1)").exists() && !disk.real("home/ann/d(1)").exists());
    assert_eq!(disk.read("home/ann/open(1)/x"), "x");
}

#[tokio::test]
async fn an_unrelated_rule_reads_no_tree() {
    let disk = TestDisk::with(|config| config.settings.rules = vec![deny("/share/secret")]).await;
    let mut deep = String::from("home/ann/deep");
    for _ in 0..600 {
        deep.push_str("/d");
    }
    disk.seed(&format!("{deep}/x"), "x");
    disk.ann().rename("/home/deep", "/home/moved").await.expect(200);
    // A rule that matches entries in it does, at any depth and without keeping folders open.
    let disk = TestDisk::with(|config| config.settings.rules = scattered()).await;
    disk.seed(&format!("{deep}/x.key"), "x");
    disk.seed("home/ann/plain/d/d/x", "x");
    disk.ann().rename("/home/deep", "/home/moved").await.expect(403);
    disk.ann().rename("/home/plain", "/home/moved").await.expect(200);
}
