//! The first start creates everything, readable only by its account, and shows the password once.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use tests::{ADMIN_PASSWORD, Server, Setup, until};

use crate::admin::{admin, password_in};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).mode() & 0o777
}

fn serve(setup: &Setup, listen: &str) -> tests::Ran {
    let data_dir = setup.data_dir().display().to_string();
    setup.run(&["serve", "--listen", listen, "--data-dir", &data_dir])
}

/// The password in the output, if there is one.
fn announced(printed: &str) -> Option<String> {
    let line = printed.lines().find(|line| line.contains("初始密码"))?;
    line.rsplit_once('：').map(|(_, password)| password.to_owned())
}

#[tokio::test]
async fn files_are_for_us_alone() {
    let server = Server::start(Setup::new()).await;
    server.admin().await.upload("/share/a.txt", "a").await.is(200);
    let data = server.setup().data_dir();
    assert_eq!(mode(&data) & !0o750, 0, "data folder {:o}", mode(&data));
    for file in ["signing-key.pem", "sealing-key", "yunlab.db", "yunlab.db-wal", "yunlab.db-shm", "lock"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
    for folder in ["disk", "disk/home", "disk/share", "disk/.yunlab", "disk/.yunlab/uploads"] {
        assert_eq!(mode(&data.join(folder)) & 0o007, 0, "{folder}");
    }
}

#[tokio::test]
async fn a_made_up_password_is_shown_once() {
    let mut server = Server::start(Setup::new().without("YUNLAB_ADMIN_PASSWORD")).await;
    let password = announced(&server.printed()).expect("the first start says the password");
    server.sign_in("admin", &password).await.get("/api/users").await.is(200);
    assert!(!server.log().contains(&password));
    server.stop().await;
    server.start_again().await;
    assert_eq!(announced(&server.printed()), None, "{}", server.printed());
    server.sign_in("admin", &password).await.get("/api/users").await.is(200);
}

/// A service's output is kept, and read by more people than root.
#[tokio::test]
async fn a_made_up_password_does_not_go_to_the_journal() {
    let setup = Setup::new().without("YUNLAB_ADMIN_PASSWORD");
    // The server's output; systemd signals in the same way that it goes to the journal.
    let journal = setup.dir().join("out.1");
    fs::write(&journal, "").expect("a file");
    let meta = fs::metadata(&journal).expect("a number");
    let server = Server::start(setup.with("JOURNAL_STREAM", &format!("{}:{}", meta.dev(), meta.ino()))).await;
    assert_eq!(announced(&server.printed()), None, "{}", server.printed());
    assert!(server.printed().contains("reset-password admin"), "{}", server.printed());
    let password = password_in(&admin(server.setup(), &["reset-password", "admin"], None));
    let first = serde_json::json!({ "username": "admin", "password": password, "newPassword": "chosen2026" });
    server.anonymous().post("/api/auth", first).await.is(200);
}

#[tokio::test]
async fn a_given_password_is_not_shown_and_not_set_again() {
    let mut server = Server::start(Setup::new()).await;
    assert!(!server.printed().contains(ADMIN_PASSWORD), "{}", server.printed());
    let admin = server.admin().await;
    let changed = serde_json::json!({ "oldPassword": ADMIN_PASSWORD, "newPassword": "other2026" });
    admin.put("/api/users/1/passwd", changed).await.is(204);
    server.stop().await;
    server.start_again().await;
    server.sign_in("admin", "other2026").await.get("/api/users").await.is(200);
}

#[tokio::test]
async fn a_start_that_fails_does_not_swallow_the_password() {
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = other.local_addr().expect("an address").to_string();
    let setup = Setup::new().without("YUNLAB_ADMIN_PASSWORD");
    let failed = serve(&setup, &taken);
    assert!(failed.expect_refused().contains(&taken), "{failed:?}");
    let server = Server::start(setup).await;
    let known = announced(&failed.out).or_else(|| announced(&server.printed()));
    let password = known.expect("one of the starts says the password");
    server.sign_in("admin", &password).await.get("/api/users").await.is(200);
}

#[tokio::test]
async fn a_password_that_the_rules_refuse_changes_nothing() {
    let setup = Setup::new().with("YUNLAB_ADMIN_PASSWORD", "weak");
    let failed = serve(&setup, "127.0.0.1:0");
    assert!(failed.expect_refused().contains("密码"), "{failed:?}");
    let server = Server::start(setup.with("YUNLAB_ADMIN_PASSWORD", ADMIN_PASSWORD)).await;
    server.admin().await.get("/api/users").await.is(200);
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let second = serve(server.setup(), "127.0.0.1:0");
    let said = second.expect_refused();
    assert!(said.contains("data") && said.contains("另一个"), "{said}");
    assert!(second.out.is_empty(), "{second:?}");
    admin.get("/api/users").await.is(200);
}

#[tokio::test]
async fn a_key_that_others_may_read_is_refused() {
    let mut server = Server::start(Setup::new()).await;
    server.stop().await;
    let key = server.setup().data_dir().join("signing-key.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("the key is ours");
    let refused = serve(server.setup(), "127.0.0.1:0");
    assert!(refused.expect_refused().contains("signing-key.pem"), "{refused:?}");
}

#[tokio::test]
async fn it_says_whether_a_container_engine_answers() {
    let setup = Setup::new();
    let socket = setup.dir().join("engine.sock");
    let mut server = Server::start(setup.with("YUNLAB_DOCKER_HOST", &format!("unix://{}", socket.display()))).await;
    assert!(server.log().contains("no local container engine"), "{}", server.log());
    server.admin().await.get("/api/dashboard").await.is(200);
    server.stop().await;
    let _engine = UnixListener::bind(&socket).expect("a socket");
    server.start_again().await;
    assert!(server.log().contains("local container engine answers"), "{}", server.log());
}

#[tokio::test]
async fn an_engine_that_comes_later_is_found() {
    let setup = Setup::new();
    let socket = setup.dir().join("engine.sock");
    let server = Server::start(setup.with("YUNLAB_DOCKER_HOST", &format!("unix://{}", socket.display()))).await;
    let admin = server.admin().await;
    assert_eq!(admin.get("/api/servers").await.json()["total"], 0);
    let _engine = UnixListener::bind(&socket).expect("a socket");
    until("the server of this machine", Duration::from_secs(60), async || {
        let list = admin.get("/api/servers").await.json();
        (list["items"][0]["local"] == true).then_some(())
    })
    .await;
}
