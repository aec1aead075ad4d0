//! A database that a newer version made is left alone.

use std::fs;

use tests::{Server, Setup, digest};

const NEWER: &str = "m9999_from_the_future";

#[tokio::test]
async fn a_newer_database_is_refused_on_sqlite() {
    let server = refused(Setup::new()).await;
    let before = server.sql("update users set introduction = introduction").await;
    assert_eq!(before, 1, "the accounts are still there");
}

#[tokio::test]
async fn a_newer_database_is_refused_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    refused(setup).await;
}

async fn refused(setup: Setup) -> Server {
    let mut server = Server::start(setup).await;
    server.stop().await;
    let insert = format!("insert into portal_migrations (version, applied_at) values ('{NEWER}', 0)");
    assert_eq!(server.sql(&insert).await, 1);
    let file = server.setup().data_dir().join("yunlab.db");
    let content = fs::read(&file).ok().map(|bytes| digest(&bytes));

    let data_dir = server.setup().data_dir().display().to_string();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["admin", "create", "boss"], &["admin", "doctor"]] {
        let arguments = [arguments, &["--data-dir", &data_dir]].concat();
        let output = server.setup().run(&arguments);
        assert!(!output.ok, "{arguments:?} {output:?}");
        let said = format!("{}{}", output.out, output.err);
        assert!(said.contains(NEWER) && !said.contains("已启动"), "{arguments:?} {output:?}");
    }
    let after = fs::read(&file).ok().map(|bytes| digest(&bytes));
    assert_eq!(after, content, "the database was changed");

    assert_eq!(server.sql(&format!("delete from portal_migrations where version = '{NEWER}'")).await, 1);
    server.start_again().await;
    server.admin().await.get("/api/users").await.is(200);
    server.stop().await;
    server
}
