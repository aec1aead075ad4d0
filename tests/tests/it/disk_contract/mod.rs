//! The disk's whole contract as a table: each operation of the document with its success, the refusals that requests
//! can cause, and the callers that are refused. The table is run against the real program in the three deployments with
//! a disk.

mod content;
mod document;
mod people;
mod resources;
mod row;
mod run;
mod shares;
mod tasks;
mod uploads;

use std::collections::BTreeSet;

use tests::{Server, Setup};

use document::Document;
use row::{Row, Who};
use run::World;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Operations that require no right except an account.
const FOR_EVERYBODY: &[&str] = &[
    "changeDiskUser", // its own part
    "deleteShare",    // the caller's own
    "deleteTask",
    "getDiskUser",
    "getResource",
    "getTask",
    "getTusCapabilities",
    "getUsage",
    "listShares",
    "listSharesOfResource",
    "listTasks",
    "search",
];

/// Documented responses that requests alone cannot cause, with the reason.
const NOT_BY_CALLS: &[(&str, u16, &str)] = &[
    ("createResource", 413, "HTTP/1.1 itself ends a body where it was announced"),
    ("collectFile", 413, "HTTP/1.1 itself ends a body where it was announced"),
    ("collectFile", 423, "a lock, which WebDAV takes"),
    ("changeResource", 423, "a mounted file system, or a hundred tasks that don't end"),
    ("deleteResource", 423, "a mounted file system"),
    ("purgeFromTrash", 423, "a mounted file system"),
    ("createTask", 423, "a hundred tasks that don't end"),
    ("preview", 423, "a thousand pictures at once"),
    ("createShare", 409, "ten thousand links"),
    ("getUpload", 423, "a piece that hangs and does not end when it is told to"),
    ("terminateUpload", 423, "a piece that hangs and does not end when it is told to"),
    ("createResource", 423, "a lock, which WebDAV takes"),
    ("replaceResource", 423, "a lock, which WebDAV takes"),
    ("createUpload", 423, "a lock, which WebDAV takes"),
    ("appendUpload", 423, "a lock, which WebDAV takes"),
    ("restoreFromTrash", 423, "a lock, which WebDAV takes"),
];

/// Operations that a quota can refuse with 507, by requests alone.
const OF_QUOTAS: &[&str] = &["changeResource", "collectFile", "createResource", "createUpload", "replaceResource"];

/// Requests can't cause a broken disk or a portal that is away (503, see `storage_host.rs`), nor a full file system (507,
/// see `disk_full.rs`).
fn is_of_the_machine(operation: &str, status: u16) -> bool {
    status == 503 || status == 507 && !OF_QUOTAS.contains(&operation)
}

fn table() -> Vec<Row> {
    [resources::rows(), content::rows(), uploads::rows(), tasks::rows(), shares::rows(), people::rows()].concat()
}

#[test]
fn the_table_has_each_operation_with_all_that_it_can_answer() {
    let (document, rows) = (Document::read(), table());
    assert_eq!(document.operations.len(), 40, "the table was made for so many");
    let unknown: Vec<_> = rows.iter().filter(|row| !document.operations.contains_key(row.operation)).collect();
    assert!(unknown.is_empty(), "no such operations: {unknown:?}");
    let mut missing = Vec::new();
    for (id, operation) in &document.operations {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.operation == id).collect();
        let given: BTreeSet<u16> = rows.iter().map(|row| row.status).collect();
        for status in &operation.statuses {
            let is_elsewhere = is_of_the_machine(id, *status)
                || NOT_BY_CALLS.iter().any(|(name, other, _)| name == id && other == status);
            assert!(!(is_elsewhere && given.contains(status)), "{id} {status} has a row and is said to have none");
            if !is_elsewhere && !given.contains(status) {
                missing.push(format!("{id} {status}"));
            }
        }
        if !rows.iter().any(|row| row.succeeds()) {
            missing.push(format!("{id} with success"));
        }
        // Each row that succeeds is first tried without a token.
        let by_nobody = rows.iter().any(|row| row.who == Who::Nobody && row.succeeds());
        assert_eq!(by_nobody, operation.public, "{id}: who may ask without a token");
        let refused = |row: &&&Row| row.who == Who::Eve && row.status == 403;
        let is_open = operation.public || FOR_EVERYBODY.contains(&id.as_str());
        if is_open {
            let allowed = rows.iter().any(|row| row.who == Who::Eve && ![401, 403].contains(&row.status));
            if !operation.public && !allowed {
                missing.push(format!("{id} by somebody without rights"));
            }
        } else if rows.iter().filter(refused).count() == 0 {
            missing.push(format!("{id} refused for want of a right"));
        }
    }
    assert!(missing.is_empty(), "no rows for {missing:#?}");
    for (id, status, why) in NOT_BY_CALLS {
        assert!(document.operations[*id].statuses.contains(status), "{id} does not give {status} ({why})");
    }
}

async fn holds(portal: &Server, host: &Server) {
    let document = Document::read();
    World::new(&document, portal, host).await.run(&table()).await;
    assert!(!host.log().contains("panicked"), "{}", host.last_of_log());
}

#[tokio::test]
async fn the_disk_in_the_portal_keeps_its_contract() {
    let server = Server::start(Setup::new()).await;
    holds(&server, &server).await;
}

#[tokio::test]
async fn the_disk_in_the_portal_keeps_its_contract_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let server = Server::start(setup).await;
    holds(&server, &server).await;
}

#[tokio::test]
async fn a_storage_host_keeps_the_same_contract() {
    let portal = Server::start(Setup::new().with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let host = Server::start(Setup::storage_host(portal.origin(), SECRET)).await;
    holds(&portal, &host).await;
}

#[tokio::test]
async fn a_storage_host_keeps_the_same_contract_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let portal = Server::start(setup.with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let Some(setup) = Setup::storage_host(portal.origin(), SECRET).with_postgres().await else { return };
    let host = Server::start(setup).await;
    holds(&portal, &host).await;
}
