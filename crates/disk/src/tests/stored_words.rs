//! What the disk has in its database and cannot read is an error: never a default, and never left out. The same for the
//! portal is in `portal/tests/stored_words`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::harness::TestDisk;
use super::shares::share;
use crate::DiskConfig;

/// Makes a text one that no version writes, and reverts that.
const TEXT: (&str, &str) = ("'x' || {}", "substr({}, 2)");
/// The same for a number, which is never negative.
const NUMBER: (&str, &str) = ("-1 - {}", "-1 - {}");
/// The same for a text that is not always there.
const OPTIONAL: (&str, &str) = ("'x'", "null");

/// Columns with more than a plain text or number, and a call that reads them.
const COLUMNS: &[(&str, &str, (&str, &str), &str)] = &[
    ("disk_trash", "names", TEXT, "/api/trash"),
    ("disk_trash", "size", NUMBER, "/api/trash"),
    ("disk_trash", "length", NUMBER, "/api/trash"),
    ("disk_shares", "device", TEXT, "/api/shares"),
    ("disk_shares", "inode", TEXT, "/api/shares"),
    ("disk_shares", "born", TEXT, "/api/shares"),
    ("disk_shares", "next_entry", OPTIONAL, "/api/shares"),
    ("disk_shares", "downloads", NUMBER, "/api/shares"),
    ("disk_shares", "max_bytes", NUMBER, "/api/shares"),
    ("disk_shares", "max_files", NUMBER, "/api/shares"),
    ("disk_shares", "received_bytes", NUMBER, "/api/shares"),
    ("disk_shares", "received_files", NUMBER, "/api/shares"),
    ("disk_shares", "views", NUMBER, "/api/shares"),
    ("disk_shares", "last_visit", NUMBER, "/api/shares"),
    ("disk_users", "profile", TEXT, "/api/shares"),
    ("disk_settings", "content", TEXT, "/api/shares"),
];

#[tokio::test]
async fn it_is_an_error_wherever_it_is_read() {
    let mut disk = TestDisk::new().await;
    for name in ["deleted", "shared"] {
        disk.seed(&format!("home/ann/{name}"), b"x");
    }
    disk.ann().delete("/api/resources/home/deleted").await.expect(200);
    share(&disk, "/home/shared").await;
    disk.root().put("/api/settings", json!({ "trashDays": 7 }).to_string()).await.expect(200);
    for (table, column, (spoil, revert), call) in COLUMNS {
        for (change, status) in [(spoil, 500), (revert, 200)] {
            let value = change.replace("{}", column);
            disk.sql(&format!("update {table} set {column} = {value}")).await;
            // Profiles and settings are kept for a moment.
            disk.reopen().await;
            assert_eq!(disk.ann().get(call).await.status, status, "{call} with another {table}.{column}");
        }
    }
}

#[tokio::test]
async fn an_interrupted_task_of_a_later_version_stays_and_hides_no_other() {
    let mut disk = TestDisk::new().await;
    let runner = DiskConfig::new(disk.folder.path().to_owned()).process;
    let row = async |number: u8, kind: &str, source: &str| {
        let id = format!("00000000-0000-7000-8000-00000000000{number}");
        disk.sql(&format!(
            "insert into disk_jobs (id, kind, state, owner, runner, renewed, due, tries, error, created) \
            values ('{id}', '{kind}', 'running', 2, '{runner}', 0, 0, 0, '', 0)"
        ))
        .await;
        disk.sql(&format!("insert into disk_tasks (id, source, destination) values ('{id}', '{source}', '/home/to')"))
            .await;
    };
    row(1, "of_a_later_version", "/home/one").await;
    row(2, "copy", "/home/two").await;
    row(3, "move", "/home/../three").await;
    disk.reopen().await;
    let sources = async |disk: &TestDisk| {
        let tasks = disk.ann().get("/api/tasks").await.expect(200).json();
        let items = tasks["items"].as_array().unwrap().clone();
        items.iter().map(|task| task["source"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(sources(&disk).await, ["/home/two"]);
    assert_eq!(disk.number("select count(*) as n from disk_tasks").await, 2);
    disk.sql("update disk_jobs set kind = 'extract' where kind = 'of_a_later_version'").await;
    disk.sql("update disk_tasks set source = '/home/three' where source like '%three'").await;
    disk.reopen().await;
    assert_eq!(sources(&disk).await, ["/home/three", "/home/one"]);
    assert_eq!(disk.number("select count(*) as n from disk_jobs").await, 0);
}

/// Columns with words and JSON that the stores read themselves: those above, a task's kind, and entries of the audit
/// trail, which stay and keep the duty failing that sends them.
const READ: &[(&str, &str)] = &[("tasks", "kind"), ("trail", "event"), ("trash", "names")];

#[test]
fn every_stored_word_is_tried_and_none_is_left_out() {
    let (mut read, mut left_out) = (BTreeSet::new(), Vec::new());
    let sources = ["src", "../disk-core/src"].map(|from| Path::new(env!("CARGO_MANIFEST_DIR")).join(from));
    for feature in sources.iter().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let feature = feature.unwrap();
        let Ok(text) = fs::read_to_string(feature.path().join("store.rs")) else { continue };
        let name = feature.file_name().to_string_lossy().into_owned();
        for line in text.lines().map(str::trim).filter(|_| text.contains("db_kit")) {
            let parsed = ["from_str(&row.", "from_str(&self.", "::parse(&row.", "::parse(&self."];
            let column =
                |start: &&str| line.split_once(*start)?.1.split(|c: char| c != '_' && !c.is_alphabetic()).next();
            let field =
                line.split_once(": ").filter(|(_, kind)| kind.starts_with("Json<") || kind.starts_with("Word<"));
            let found = parsed.iter().find_map(column).or(field.map(|(name, _)| name));
            read.extend(found.map(|column| (name.clone(), column.to_owned())));
            let parses = line.contains("from_str") || line.contains("::parse(") || line.contains("try_parse(");
            if line.contains("filter_map(Row::") || parses && (line.contains(".ok()") || line.contains("unwrap_or")) {
                left_out.push(format!("{name}: {line}"));
            }
        }
    }
    let expected = READ.iter().map(|(feature, column)| ((*feature).to_owned(), (*column).to_owned()));
    assert_eq!(read, expected.collect());
    assert_eq!(left_out, Vec::<String>::new());
}
