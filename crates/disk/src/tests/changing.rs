//! Renaming, moving and copying.

use std::time::{Duration, SystemTime};

use http::Method;

use super::harness::TestDisk;

#[tokio::test]
async fn s352_s353_copy_and_rename_files_and_folders() {
    let disk = TestDisk::new().await;
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    let seeded = disk.seed("home/ann/d/e/f.txt", "content");
    std::fs::File::options().write(true).open(&seeded).unwrap().set_modified(old).unwrap();
    let time = |path: &str| std::fs::metadata(disk.real(path)).unwrap().modified().unwrap();

    let copied = disk.ann().change("copy", "/home/d", "/share/copies/d2", "").await.expect(200);
    assert_eq!(copied.text(), "200 OK\n");
    assert_eq!(copied.header("location"), "/disk/api/resources/share/copies/d2");
    assert_eq!(disk.read("share/copies/d2/e/f.txt"), "content");
    assert_eq!(time("share/copies/d2/e/f.txt"), old);
    disk.ann().rename("/home/d/e/f.txt", "/home/new/g.txt").await.expect(200);
    assert_eq!(time("home/ann/new/g.txt"), old);
    assert!(!seeded.exists());
    disk.ann().rename("/home/d/", "/home/h/").await.expect(200);
    assert!(disk.real("home/ann/h/e").is_dir() && !disk.real("home/ann/d").exists());
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn the_order_of_checks() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/x", "x");
    disk.seed("home/ann/f", "f");
    let patch = async |query: &str| disk.ann().send(Method::PATCH, &format!("/api/resources{query}"), "").await;
    patch("/home/none?action=rename&destination=/home/f").await.expect(404);
    patch("/home/none?action=copy&destination=/").await.expect(404);
    patch("/home/d?action=rename&destination=/").await.expect(400);
    patch("/?action=copy&destination=/home/x").await.expect(400);
    for to in ["/home/d/inner", "/home/d/x/y", "/home/d/new/deeper"] {
        for action in ["copy", "rename"] {
            let answer = patch(&format!("/home/d?action={action}&destination={to}&override=true")).await.expect(400);
            assert_eq!(answer.text(), "400 Bad Request (into itself)\n");
        }
    }
    assert!(!disk.real("home/ann/d/new").exists());
    patch("/home/f?action=rename&destination=/home/d").await.expect(409);
    patch("/home/f?action=rename&destination=/home/f").await.expect(409);
    patch("/home/f?action=rename&destination=/home/f&override=true").await.expect(200);
    for bad in [
        "",
        "?action=rename",
        "?action=link&destination=/home/y",
        "?destination=/home/y",
        "?action=rename&destination=",
    ] {
        patch(&format!("/home/f{bad}")).await.expect(400);
    }
    assert_eq!(disk.read("home/ann/f"), "f");
}

#[tokio::test]
async fn into_itself_through_a_link() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/inner/x", "x");
    disk.link("d/inner", "home/ann/short");
    for action in ["copy", "rename"] {
        disk.ann().change(action, "/home/d", "/home/short/again", "").await.expect(400);
    }
}

#[tokio::test]
async fn s354_conflicts_and_replacing() {
    let disk = TestDisk::new().await;
    for action in ["rename", "copy"] {
        disk.seed("home/ann/a", "a");
        disk.seed("home/ann/b", "b");
        disk.ann().change(action, "/home/a", "/home/b", "").await.expect(409);
        assert_eq!(disk.read("home/ann/b"), "b");
        disk.ann().change(action, "/home/a", "/home/b", "&override=true").await.expect(200);
        assert_eq!(disk.read("home/ann/b"), "a");
        assert_eq!(disk.real("home/ann/a").exists(), action == "copy");
    }
}

#[tokio::test]
async fn folders_are_merged_and_a_mismatch_changes_nothing() {
    let disk = TestDisk::new().await;
    for action in ["copy", "rename"] {
        disk.seed("home/ann/from/same/new", "new");
        disk.seed("home/ann/from/same/both", "from");
        disk.seed("home/ann/from/only", "only");
        disk.seed("home/ann/to/same/both", "to");
        disk.seed("home/ann/to/same/old", "old");
        std::fs::create_dir_all(disk.real("home/ann/to/only")).unwrap();
        let clash = disk.ann().change(action, "/home/from", "/home/to", "&override=true").await.expect(409);
        assert_eq!(clash.text(), "409 Conflict (a file and a folder are named only)\n");
        assert_eq!(disk.read("home/ann/to/same/both"), "to");
        assert_eq!(disk.read("home/ann/from/same/new"), "new");
        assert!(disk.leftovers().is_empty());

        std::fs::remove_dir(disk.real("home/ann/to/only")).unwrap();
        disk.ann().change(action, "/home/from", "/home/to", "&override=true").await.expect(200);
        assert_eq!(disk.read("home/ann/to/same/both"), "from");
        assert_eq!(disk.read("home/ann/to/same/old"), "old");
        assert_eq!(disk.read("home/ann/to/same/new"), "new");
        assert_eq!(disk.read("home/ann/to/only"), "only");
        assert_eq!(disk.real("home/ann/from").exists(), action == "copy");
        std::fs::remove_dir_all(disk.real("home/ann/to")).unwrap();
        assert!(disk.leftovers().is_empty());
    }
    disk.seed("home/ann/file", "file");
    disk.seed("home/ann/folder/x", "x");
    disk.ann().change("rename", "/home/file", "/home/folder", "&override=true").await.expect(409);
    disk.ann().change("rename", "/home/folder", "/home/file", "&override=true").await.expect(409);
    assert_eq!((disk.read("home/ann/file"), disk.read("home/ann/folder/x")), ("file".into(), "x".into()));
}

#[tokio::test]
async fn s235_s355_a_free_name_is_chosen_and_told() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/图.tar.gz", "x");
    for number in 1..=3 {
        let copied = disk
            .ann()
            .header("accept", "application/json")
            .change("copy", "/home/%E5%9B%BE.tar.gz", "/home/图.tar.gz", "&rename=true")
            .await
            .expect(200);
        assert_eq!(copied.json()["path"], format!("/home/图.tar({number}).gz"));
        let location = copied.header("location").strip_prefix("/disk").unwrap().to_owned();
        assert_eq!(location, format!("/api/resources/home/%E5%9B%BE.tar({number}).gz"));
        disk.ann().get(&location).await.expect(200);
    }
    // A free name is used unchanged.
    disk.seed("home/ann/dir/x", "x");
    disk.ann().change("rename", "/home/dir", "/share/dir", "&rename=true").await.expect(200);
    assert_eq!(disk.read("share/dir/x"), "x");
    disk.seed("home/ann/dir/y", "y");
    disk.ann().change("rename", "/home/dir", "/share/dir", "&rename=true").await.expect(200);
    assert_eq!(disk.read("share/dir(1)/y"), "y");
}

#[tokio::test]
async fn clients_that_encode_the_destination_twice() {
    let disk = TestDisk::new().await;
    let patch = async |query: &str| disk.ann().send(Method::PATCH, &format!("/api/resources{query}"), "").await;
    disk.seed("home/ann/a b.txt", "x");
    disk.seed("home/ann/文 件/x", "x");
    // Into a folder that exists by the second reading only.
    patch("/home/a%20b.txt?action=copy&destination=/home/%25E6%2596%2587%2520%25E4%25BB%25B6/a%2520b.txt")
        .await
        .expect(200);
    assert_eq!(disk.read("home/ann/文 件/a b.txt"), "x");
    // Under the same name into a folder that exists by both.
    patch("/home/a%20b.txt?action=copy&destination=/share/a%2520b.txt").await.expect(200);
    assert_eq!(disk.read("share/a b.txt"), "x");
    // Onto something that exists: a conflict, not a new file with percent signs.
    patch("/home/a%20b.txt?action=copy&destination=/share/a%2520b.txt").await.expect(409);
    // A new name in an existing folder is decoded once.
    patch("/home/a%20b.txt?action=rename&destination=/home/100%2525.txt").await.expect(200);
    assert_eq!(disk.read("home/ann/100%25.txt"), "x");
    patch("/home/100%2525.txt?action=rename&destination=%2Fhome%2Fplus%2B.txt").await.expect(200);
    assert_eq!(disk.read("home/ann/plus+.txt"), "x");
    // With the slashes encoded too. In the administrator's view the name with percent signs would
    // be a file of the root's.
    let into = "/api/resources/home/plus%2B.txt?action=copy&destination=%252Fhome%252Fnew%2520one.txt";
    disk.root().send(Method::POST, "/api/resources/home/plus%2B.txt", "y").await.expect(200);
    disk.root().send(Method::PATCH, into, "").await.expect(200);
    disk.root().send(Method::GET, "/api/resources/home/new%20one.txt", "").await.expect(200);
}

/// `encodeURIComponent`.
fn component(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(byte);
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

const NAMES: [&str; 12] = [
    "改名 #.txt",
    "my file.txt",
    "plain.txt",
    "100%25.txt",
    "100%.txt",
    "%41.txt",
    "%E6%94%B9.txt",
    "a+b&c=d;e.txt",
    "😀?\"|\\<>*:'()!~.txt",
    " two ends ",
    "line\nbreak\ttab",
    "%2F",
];

#[tokio::test]
async fn f1_file_browsers_rename_keeps_the_name() {
    for kind in ["file", "folder"] {
        let disk = TestDisk::new().await;
        let mut now = format!("first {kind} 一.txt");
        match kind {
            "file" => drop(disk.seed(&format!("home/ann/a&b 目录/{now}"), "x")),
            _ => drop(disk.seed(&format!("home/ann/a&b 目录/{now}/inside"), "x")),
        }
        for name in NAMES {
            // Its pages take the folder from the address, where a browser may leave `&` plain.
            for folder in ["/home/a%26b%20%E7%9B%AE%E5%BD%95/", "/home/a&b%20%E7%9B%AE%E5%BD%95/"] {
                let destination = component(&format!("{folder}{}", component(name)));
                let from = format!("/api/resources/home/a%26b%20%E7%9B%AE%E5%BD%95/{}", component(&now));
                let uri = format!("{from}?action=rename&destination={destination}&override=true&rename=false");
                let renamed = disk.ann().send(Method::PATCH, &uri, "").await;
                assert_eq!(renamed.status, 200, "{kind} {now} to {destination}: {}", renamed.text());
                assert!(disk.real(&format!("home/ann/a&b 目录/{name}")).exists(), "{name}: {destination}");
                name.clone_into(&mut now);
            }
        }
    }
}

#[tokio::test]
async fn f1_a_client_that_says_how_often_it_encoded_is_believed() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/now", "x");
    let mut now = "now";
    for name in NAMES {
        let path = component(&format!("/home/{name}"));
        let from = format!("/api/resources/home/{}?action=rename", component(now));
        disk.ann().send(Method::PATCH, &format!("{from}&destination={path}&encoded=1"), "").await.expect(200);
        assert!(disk.real(&format!("home/ann/{name}")).exists(), "{name}");
        now = name;
        let copy = format!("/api/resources/home/{}?action=copy", component(now));
        let twice = component(&component(&format!("/home/copy of {name}")));
        disk.ann().send(Method::PATCH, &format!("{copy}&destination={twice}&encoded=2"), "").await.expect(200);
        assert!(disk.real(&format!("home/ann/copy of {name}")).exists(), "{name}");
    }
    let uri = "/api/resources/home/%252F?action=rename&destination=%2Fhome%2Fb&encoded=3";
    disk.ann().send(Method::PATCH, uri, "").await.expect(400);
}

#[tokio::test]
async fn f1_a_name_that_looks_encoded_is_kept_when_it_moves() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/my%20file.txt", "x");
    disk.seed("home/ann/to/x", "x");
    let uri = "/api/resources/home/my%2520file.txt?action=rename&destination=%2Fhome%2Fto%2Fmy%2520file.txt";
    disk.ann().send(Method::PATCH, uri, "").await.expect(200);
    assert_eq!(disk.read("home/ann/to/my%20file.txt"), "x");
}

#[tokio::test]
async fn two_names_of_one_file() {
    let disk = TestDisk::new().await;
    let one = disk.seed("home/ann/one", "x");
    std::fs::hard_link(&one, disk.real("home/ann/two")).unwrap();
    disk.ann().rename("/home/one", "/home/two").await.expect(409);
    disk.ann().change("rename", "/home/one", "/home/two", "&override=true").await.expect(200);
    assert!(!one.exists());
    assert_eq!(disk.read("home/ann/two"), "x");
}

#[tokio::test]
async fn set_id_bits_are_not_copied() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let disk = TestDisk::new().await;
    let tool = disk.seed("home/ann/tool", "x");
    std::fs::set_permissions(tool, PermissionsExt::from_mode(0o6755)).unwrap();
    disk.ann().change("copy", "/home/tool", "/home/copy", "").await.expect(200);
    assert_eq!(std::fs::metadata(disk.real("home/ann/copy")).unwrap().mode() & 0o7777, 0o755);
}
