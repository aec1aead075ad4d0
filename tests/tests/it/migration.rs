//! A database of a newer version is left alone, and the rows of an older one are migrated.

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
        assert!(
            said.contains("数据库来自更新的版本") && said.contains(NEWER) && !said.contains("已启动"),
            "{arguments:?} {output:?}"
        );
    }
    let after = fs::read(&file).ok().map(|bytes| digest(&bytes));
    assert_eq!(after, content, "the database was changed");

    assert_eq!(server.sql(&format!("delete from portal_migrations where version = '{NEWER}'")).await, 1);
    server.start_again().await;
    server.admin().await.get("/api/users").await.is(200);
    server.stop().await;
    server
}

#[tokio::test]
async fn rows_of_an_older_version_come_along_on_sqlite() {
    older_rows(Setup::new()).await;
}

#[tokio::test]
async fn rows_of_an_older_version_come_along_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    older_rows(setup).await;
}

/// The tables as they were before the last steps that touch rows, with rows of then.
async fn older_rows(setup: Setup) {
    let mut server = Server::start(setup).await;
    server.stop().await;
    for step in [
        "drop index servers_cluster",
        "alter table servers drop column cluster_id",
        "drop table clusters",
        "alter table servers add column endpoint text not null default ''",
        "alter table servers add column tls text",
        "alter table gpu_leases drop column reservation_id",
        "drop table reservations",
        "alter table disk_trash drop column length",
        "delete from disk_migrations where version = 'm0004_trash_length'",
    ] {
        server.sql(step).await;
    }
    let steps = "delete from portal_migrations where version in ('m0020_kept_by', 'm0021_server_identity', \
        'm0045_clusters', 'm0046_reservations')";
    assert_eq!(server.sql(steps).await, 4);
    // One engine twice, which was not forbidden then.
    for id in ["one", "two"] {
        let sql = format!(
            "insert into servers (id, name, name_key, endpoint, public_host, port_from, port_to, storage_path, \
             enabled, schedulable, maintenance_note, reserved_cpu, reserved_memory, local, reachable, created) \
             values ('{id}', '{id}', '{id}', 'unix:///run/none.sock', 'lab', 30000, 30010, '', true, true, '', 0, 0, \
             false, false, 0)"
        );
        server.sql(&sql).await;
    }
    let sql = "insert into datasets (id, name, name_key, title, description, kind, visibility, user_id, username, licence, \
        source, cover, state, fault, origin, partial, recount, last_version, created, changed) values ('set', 'set', \
        'set', '', '', 'other', 'private', 1, 'admin', '', '', '', 'ready', '', '{}', false, false, 4, 0, 0)";
    server.sql(sql).await;
    // How it was kept, its files, those added and changed since the version before; and how it was kept in truth.
    let versions = [
        ("copy", 10, 2, 1, "mixed"),
        ("copy", 10, 0, 0, "hardlink"),
        ("copy", 10, 10, 0, "copy"),
        ("reflink", 10, 1, 0, "reflink"),
    ];
    for (number, (kept_by, files, added, changed, _)) in (1..).zip(versions) {
        let sql = format!(
            "insert into dataset_versions (dataset_id, number, note, state, fault, size, files, kept_by, difference, \
             added, changed, removed, username, created) values ('set', {number}, '', 'ready', '', 0, {files}, \
             '{kept_by}', '{{}}', {added}, {changed}, 0, 'admin', 0)"
        );
        server.sql(&sql).await;
    }

    server.start_again().await;
    for id in ["one", "two"] {
        let seen = server.admin().await.get(&format!("/api/servers/{id}")).await.json();
        assert_eq!((&seen["state"], &seen["manage"]["misdirected"]), (&"unreachable".into(), &"".into()), "{seen:#}");
    }
    server.stop().await;
    for (number, (.., kept_by)) in (1..).zip(versions) {
        let sql = format!("update dataset_versions set note = note where number = {number} and kept_by = '{kept_by}'");
        assert_eq!(server.sql(&sql).await, 1, "version {number} is kept by {kept_by}");
    }
}
