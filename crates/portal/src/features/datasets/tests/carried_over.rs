//! A database as it was before the instances' names were kept with what they use: its uses are carried over.

use db_kit::{Db, FromQueryResult, Sql};
use testkit::TestDatabase;

/// The step that carries them over.
const STEP: &str = "m0048_uses";

fn instance(id: &str, state: &str) -> String {
    format!(
        "insert into instances (id, name, user_id, username, server_id, image, image_digest, note, gpus, cpu_quota, \
         memory, shm_size, pids_limit, env, command, mounts, generation, root_image, desired, state, state_reason, \
         engine_id, missed, resize, attempts, created, changed) values ('{id}', 'ins_{id}', 7, 'ann', 's', 'x:1', '', '', \
         '[]', 200000, 1024, 64, 100, '{{}}', '[]', '[]', 1, '', 'running', '{state}', '', '', 0, false, 0, 1, 5)"
    )
}

#[derive(Debug, FromQueryResult, PartialEq, Eq)]
struct DatasetUse {
    instance_id: String,
    instance_name: String,
    ended: Option<i64>,
}

#[derive(Debug, FromQueryResult, PartialEq, Eq)]
struct ImageUse {
    instance_id: String,
    instance_name: String,
    image: String,
}

#[tokio::test]
async fn uses_get_the_names_of_their_instances() {
    let database = TestDatabase::new().await;
    let db = Db::connect(database.url()).await.unwrap();
    let steps = portal::MIGRATIONS.iter().position(|step| step.name == STEP).unwrap();
    db_kit::migrate(&db, "portal_migrations", &portal::MIGRATIONS[..steps]).await.unwrap();
    let server = "insert into servers (id, name, name_key, public_host, port_from, port_to, storage_path, enabled, \
        schedulable, maintenance_note, reserved_cpu, reserved_memory, local, reachable, created) values ('s', 's', 's', \
        'lab', 30000, 30010, '', true, true, '', 0, 0, false, true, 0)";
    let dataset = "insert into datasets (id, name, name_key, title, description, kind, visibility, user_id, username, \
        licence, source, cover, state, fault, origin, partial, recount, last_version, created, changed) values ('set', \
        'set', 'set', '', '', 'other', 'private', 7, 'ann', '', '', '', 'ready', '', '{}', false, false, 0, 0, 0)";
    let mut rows = vec![server.to_owned(), dataset.to_owned(), instance("on", "stopped"), instance("over", "released")];
    rows.extend(["on", "over", "forgotten"].map(|id| {
        format!("insert into dataset_uses (dataset_id, instance_id, username, used) values ('set', '{id}', 'ann', 3)")
    }));
    let tx = db.begin().await.unwrap();
    for row in rows {
        tx.run(&row, vec![]).await.unwrap_or_else(|error| panic!("{row}: {error:?}"));
    }
    tx.commit().await.unwrap();
    portal::prepare_database(&db).await.unwrap();

    let uses: Vec<DatasetUse> = db
        .all("select instance_id, instance_name, ended from dataset_uses order by instance_id", vec![])
        .await
        .unwrap();
    let of = |id: &str, name: &str, ended: Option<i64>| DatasetUse {
        instance_id: id.to_owned(),
        instance_name: name.to_owned(),
        ended,
    };
    let expected = [of("forgotten", "", Some(3)), of("on", "ins_on", None), of("over", "ins_over", Some(5))];
    assert_eq!(uses, expected);
    let images: Vec<ImageUse> =
        db.all("select instance_id, instance_name, image from image_uses", vec![]).await.unwrap();
    let expected =
        ImageUse { instance_id: "on".to_owned(), instance_name: "ins_on".to_owned(), image: "x:1".to_owned() };
    assert_eq!(images, [expected]);
}
