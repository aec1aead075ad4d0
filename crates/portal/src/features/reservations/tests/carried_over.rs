//! A database as it was before clusters and reservations: its servers and what runs on them are carried over.

use std::collections::BTreeMap;

use db_kit::{Db, FromQueryResult, Sql};
use engine::Phase;
use serde_json::json;
use testkit::TestDatabase;

use crate::lab::{Lab, path};

/// The first step that carries something over.
const FIRST: &str = "m0045_clusters";

async fn run(db: &Db, statements: impl IntoIterator<Item = impl AsRef<str>>) {
    let tx = db.begin().await.unwrap();
    for statement in statements {
        let statement = statement.as_ref();
        tx.run(statement, vec![]).await.unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
    tx.commit().await.unwrap();
}

/// A database of the version before.
async fn before() -> (TestDatabase, Db) {
    let database = TestDatabase::new().await;
    let db = Db::connect(database.url()).await.unwrap();
    let steps = portal::MIGRATIONS.iter().position(|step| step.name == FIRST).unwrap();
    db_kit::migrate(&db, "portal_migrations", &portal::MIGRATIONS[..steps]).await.unwrap();
    (database, db)
}

/// `engine` is an SQL literal, as are `tls` and `misdirected`.
fn server(id: &str, endpoint: &str, tls: &str, engine: &str, misdirected: &str) -> String {
    format!(
        "insert into servers (id, name, name_key, endpoint, tls, public_host, port_from, port_to, storage_path, enabled, \
         schedulable, maintenance_note, reserved_cpu, reserved_memory, local, reachable, created, identity, misdirected) \
         values ('{id}', '{id}', '{id}', '{endpoint}', {tls}, 'lab', 30000, 30010, '', true, true, '', 0, 0, false, true, \
         0, {engine}, {misdirected})"
    )
}

fn instance(id: &str, state: &str, created: i64, started: Option<i64>) -> String {
    let started = started.map_or("null".to_owned(), |started| started.to_string());
    format!(
        "insert into instances (id, name, user_id, username, server_id, image, image_digest, note, gpus, cpu_quota, \
         memory, shm_size, pids_limit, env, command, mounts, generation, root_image, desired, state, state_reason, \
         engine_id, missed, resize, attempts, created, changed, started) values ('{id}', 'ins_{id}', 7, 'ann', 's', \
         'x:1', '', '', '[]', 200000, 1024, 64, 100, '{{}}', '[]', '[]', 1, '', 'running', '{state}', '', '', 0, false, 0, \
         {created}, {created}, {started})"
    )
}

fn history(id: &str, states: &[(&str, i64)]) -> Vec<String> {
    let entry = |(state, time): &(&str, i64)| {
        format!(
            "insert into instance_states (instance_id, time, state, reason, actor) values ('{id}', {time}, '{state}', \
             '', '')"
        )
    };
    states.iter().map(entry).collect()
}

fn lease(card: &str, id: &str, since: i64, until: &str) -> String {
    format!(
        "insert into gpu_leases (gpu_id, server_id, instance_id, user_id, since, until) \
         values ('{card}', 's', '{id}', 7, {since}, {until})"
    )
}

#[derive(Debug, FromQueryResult, PartialEq, Eq)]
struct Cluster {
    id: String,
    kind: String,
    address: String,
    tls: Option<String>,
    identity: Option<String>,
    misdirected: String,
}

#[tokio::test]
async fn servers_become_clusters_of_one_node() {
    let (_database, db) = before().await;
    run(
        &db,
        [
            server("s", "tcp://gpu01:2376", "'sealed'", "'engine'", "''"),
            server("t", "unix:///run/x.sock", "null", "null", "'other'"),
        ],
    )
    .await;
    portal::prepare_database(&db).await.unwrap();
    let sql = "select c.id, c.kind, c.address, c.tls, c.identity, c.misdirected from servers s \
        join clusters c on c.id = s.cluster_id where s.id = c.id order by c.id";
    let clusters: Vec<Cluster> = db.all(sql, vec![]).await.unwrap();
    let of = |id: &str, address: &str, tls: Option<&str>, identity: Option<&str>, misdirected: &str| Cluster {
        id: id.to_owned(),
        kind: "docker".to_owned(),
        address: address.to_owned(),
        tls: tls.map(str::to_owned),
        identity: identity.map(str::to_owned),
        misdirected: misdirected.to_owned(),
    };
    let expected = [
        of("s", "tcp://gpu01:2376", Some("sealed"), Some("engine"), ""),
        of("t", "unix:///run/x.sock", None, None, "other"),
    ];
    assert_eq!(clusters, expected);
}

#[derive(Debug, FromQueryResult)]
struct Reservation {
    instance_id: String,
    instance_name: String,
    user_id: i64,
    server_id: String,
    gpu_count: i64,
    state: String,
    granted_cpu: i64,
    granted_memory: i64,
    requested: i64,
    granted: i64,
    ended: Option<i64>,
}

#[derive(Debug, FromQueryResult)]
struct Lease {
    gpu_id: String,
    reservation_id: Option<String>,
}

#[tokio::test]
async fn what_is_held_becomes_reservations_with_the_times_of_then() {
    let (_database, db) = before().await;
    let mut rows = vec![server("s", "unix:///run/x.sock", "null", "null", "''")];
    // Restarted since its cards were leased.
    rows.push(instance("cards", "running", 100, Some(9000)));
    rows.extend(history("cards", &[("queued", 1000), ("running", 1100), ("starting", 8900), ("running", 9000)]));
    rows.extend([lease("a", "cards", 1000, "null"), lease("b", "cards", 1000, "null"), lease("a", "cards", 5, "6")]);
    // Stopped and started once, then restarted.
    rows.push(instance("plain", "running", 100, Some(700)));
    let states =
        [("queued", 100), ("running", 200), ("stopped", 300), ("queued", 400), ("starting", 600), ("running", 700)];
    rows.extend(history("plain", &states));
    // Made while the clock ran ahead.
    rows.push(instance("ahead", "stopping", 9_000_000, Some(210)));
    rows.extend(history("ahead", &[("queued", 9_000_000), ("error", 100), ("queued", 200), ("running", 210)]));
    // Older than the history that is kept.
    rows.extend([instance("old", "running", 10, Some(800)), instance("new", "queued", 900, None)]);
    // Nothing is held by these.
    rows.extend([instance("idle", "stopped", 1, Some(2)), instance("failed", "error", 1, None)]);
    rows.extend([instance("gone", "released", 1, Some(2)), lease("c", "gone", 3, "4")]);
    rows.push(instance("leaving", "releasing", 50, Some(60)));
    rows.extend(history("leaving", &[("queued", 50), ("running", 60), ("releasing", 70)]));
    run(&db, rows).await;
    portal::prepare_database(&db).await.unwrap();

    let sql = "select instance_id, instance_name, user_id, server_id, gpu_count, state, granted_cpu, granted_memory, \
        requested, granted, ended from reservations order by instance_id";
    let all: Vec<Reservation> = db.all(sql, vec![]).await.unwrap();
    for one in &all {
        assert_eq!((one.instance_name.as_str(), one.user_id), (format!("ins_{}", one.instance_id).as_str(), 7));
        assert_eq!((one.server_id.as_str(), one.state.as_str(), one.ended), ("s", "granted", None), "{one:?}");
        assert_eq!((one.granted_cpu, one.granted_memory, one.requested), (200_000, 1024, one.granted), "{one:?}");
    }
    let held: BTreeMap<&str, (i64, i64)> =
        all.iter().map(|one| (one.instance_id.as_str(), (one.granted, one.gpu_count))).collect();
    let expected = [
        ("ahead", (200, 0)),
        ("cards", (1000, 2)),
        ("leaving", (50, 0)),
        ("new", (900, 0)),
        ("old", (800, 0)),
        ("plain", (400, 0)),
    ];
    assert_eq!(held, BTreeMap::from(expected));
    let sql = "select l.gpu_id, l.reservation_id from gpu_leases l join reservations r on r.id = l.reservation_id \
        where l.until is null order by l.gpu_id";
    let open: Vec<Lease> = db.all(sql, vec![]).await.unwrap();
    assert_eq!(open.iter().map(|lease| lease.gpu_id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(open.iter().all(|lease| lease.reservation_id == open[0].reservation_id));
    let closed = "select count(*) as n from gpu_leases where until is not null and reservation_id is null";
    assert_eq!(db.number(closed, vec![]).await.unwrap(), 2);
}

/// Takes back what the steps did.
const BACK: &[&str] = &[
    "alter table gpu_leases drop column reservation_id",
    "drop table reservations",
    "alter table servers add column endpoint text not null default ''",
    "alter table servers add column tls text",
    "alter table servers add column identity text",
    "alter table servers add column misdirected text not null default ''",
    "update servers set endpoint = (select address from clusters c where c.id = cluster_id), \
     tls = (select c.tls from clusters c where c.id = cluster_id), \
     identity = (select c.identity from clusters c where c.id = cluster_id)",
    "create unique index servers_identity_key on servers (identity)",
    "drop index servers_cluster",
    "alter table servers drop column cluster_id",
    "drop table clusters",
    "delete from portal_migrations where version in ('m0045_clusters', 'm0046_reservations')",
];

#[tokio::test]
async fn what_runs_is_left_running() {
    let lab = Lab::new(1).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let pem = |kind: &str| format!("-----BEGIN {kind}-----\nMA==\n-----END {kind}-----\n");
    let certificate = pem("CERTIFICATE");
    let keys = json!({ "ca": certificate, "cert": certificate, "key": pem("PRIVATE KEY") });
    let form = json!({ "name": "gpu02", "endpoint": "tcp://gpu02.lab:2376", "publicHost": "gpu02.lab", "tls": keys });
    admin.post("/api/servers", form).await.is(201);
    let (one, plain) = (lab.running(&ann, 1).await, lab.running(&ann, 0).await);
    let container = || format!("{:?}", lab.cluster.workload(one["name"].as_str().unwrap()));
    let made = container();
    let db = lab.portal.database().await;
    run(&db, BACK).await;

    // Opens the sealed keys of the second server too.
    let portal = lab.portal.again().await;
    for _ in 0..3 {
        portal.reconcile().await.unwrap();
    }
    let running = lab.cluster.phases();
    assert_eq!((running.len(), running.iter().all(|(_, phase)| *phase == Phase::Running)), (2, true), "{running:?}");
    assert_eq!(container(), made);
    for one in [&one, &plain] {
        let seen = lab.get(&ann, &one["id"]).await;
        assert_eq!((&seen["state"], &seen["started"]), (&json!("running"), &one["started"]));
    }
    let servers = admin.get("/api/servers?sort=name").await.expect(200);
    for server in servers["items"].as_array().unwrap() {
        assert_eq!((&server["state"], &server["manage"]["misdirected"]), (&json!("online"), &json!("")), "{server:#}");
    }
    assert_eq!(servers["items"][1]["manage"]["tls"], true);
    let held = "select count(*) as n from reservations where state = 'granted'";
    assert_eq!(db.number(held, vec![]).await.unwrap(), 2);
    let cpu = async || ann.get("/api/dashboard").await.expect(200)["quotas"]["cpu"]["used"].clone();
    assert_eq!(cpu().await, 800_000);
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    portal.reconcile().await.unwrap();
    assert_eq!(cpu().await, 400_000);
    assert_eq!(lab.card_states().await, ["free"]);
    assert_eq!(db.number(held, vec![]).await.unwrap(), 1);
}
