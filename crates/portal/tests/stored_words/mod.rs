//! Columns that keep an enum as a word, or a JSON list of them: what this version does not know is an error, never a
//! default, and never left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use db_kit::{Db, FromQueryResult, Sql};
use kernel::dataset::{DatasetCount, DatasetDifference, DatasetOutcome, DatasetReport, DatasetWork, KeptBy};
use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::Lab;

const UNKNOWN: &str = "of_a_later_version";

/// Every column that the stores of the features read as a word, by feature, table and column, and a call that reads it.
/// `{}` is the id of what [`Furnished`] holds for the feature.
const COLUMNS: &[(&str, &str, &str, &str)] = &[
    ("alerts", "alerts", "kind", "/api/alerts"),
    ("alerts", "alerts", "severity", "/api/alerts"),
    ("alerts", "alerts", "told", "/api/alerts"),
    ("allocations", "allocations", "subject", "/api/allocations"),
    ("backups", "backups", "kind", "/api/backups"),
    ("backups", "backups", "outcome", "/api/backups"),
    ("clusters", "clusters", "kind", "/api/instances"),
    ("datasets", "datasets", "kind", "/api/datasets"),
    ("datasets", "datasets", "visibility", "/api/datasets"),
    ("datasets", "datasets", "state", "/api/datasets"),
    ("datasets", "dataset_versions", "state", "/api/datasets/{}/versions"),
    ("datasets", "dataset_versions", "kept_by", "/api/datasets/{}/versions"),
    ("datasets", "labels", "kind", "/api/labels"),
    ("departures", "departures", "state", "/api/departures"),
    ("departures", "departure_items", "kind", "/api/departures/{}"),
    ("departures", "departure_items", "action", "/api/departures/{}"),
    ("departures", "departure_items", "state", "/api/departures/{}"),
    ("disk_space", "disk_levels", "told", "/api/instances"),
    ("gpus", "gpus", "kind", "/api/gpus"),
    ("gpus", "card_outages", "reason", "/api/gpus/{}/outages"),
    ("gpus", "card_outages", "ending", "/api/gpus/{}/outages"),
    ("groups", "group_members", "origin", "/api/groups/{}/members"),
    ("https", "https_settings", "way", "/api/settings/https"),
    ("images", "images", "visibility", "/api/images"),
    ("images", "image_jobs", "kind", "/api/images/builds/{}"),
    ("images", "jobs", "state", "/api/images/builds"),
    ("instances", "instances", "state", "/api/instances"),
    ("instances", "instances", "desired", "/api/instances"),
    ("instances", "instance_states", "state", "/api/instances/{}"),
    ("instances", "instance_ports", "protocol", "/api/instances"),
    ("joins", "joins", "state", "/api/joins"),
    ("notices", "notices", "kind", "/api/notices"),
    ("notices", "notices", "object_kind", "/api/notices"),
    ("notices", "webhook", "format", "/api/settings/webhook"),
    ("notices", "mail_settings", "security", "/api/settings/mail"),
    ("users", "users", "source", "/api/users"),
    ("watch", "findings", "kind", "/api/findings"),
    ("watch", "findings", "state", "/api/findings"),
    ("worksheets", "worksheets", "kind", "/api/worksheets"),
    ("worksheets", "worksheets", "state", "/api/worksheets"),
    ("worksheets", "worksheets", "decision", "/api/worksheets"),
    ("worksheets", "worksheet_entries", "kind", "/api/worksheets/{}"),
    ("worksheets", "worksheet_entries", "state_from", "/api/worksheets/{}"),
    ("worksheets", "worksheet_entries", "state_to", "/api/worksheets/{}"),
];

/// The same for columns with a JSON list of words, or of what has more fields.
const LISTS: &[(&str, &str, &str, &str)] = &[
    ("access_tokens", "access_tokens", "scopes", "/api/profile/access-tokens"),
    ("instances", "instances", "mounts", "/api/instances"),
    ("joins", "joins", "steps", "/api/joins"),
    ("notices", "mail_settings", "kinds", "/api/settings/mail"),
    ("notices", "notice_preferences", "muted", "/api/profile/notices"),
    ("notices", "webhook", "events", "/api/settings/webhook"),
    ("servers", "servers", "checks", "/api/instances"),
    ("worksheets", "worksheets", "attachments", "/api/worksheets"),
];

/// Stored JSON that is passed over if it cannot be read, each for a reason that is beside it in the code: it is only
/// shown, or comes again. By feature and line.
const PASSED_OVER: &[(&str, &str)] = &[
    ("duties", "serde_json::from_str(&self.failing).unwrap_or_default()"),
    ("instances", "if let Ok(report) = serde_json::from_str::<Report>(&report) {"),
    ("users", "let before = serde_json::from_str(&before).ok()?;"),
];

/// Columns that no call of the API reads: invitations are looked at when a leader invites, seals when the logs are
/// verified.
const OTHER_COLUMNS: &[(&str, &str)] = &[("groups", "state"), ("audit", "kind"), ("audit", "log")];

#[derive(Debug, FromQueryResult)]
struct Stored {
    word: Option<String>,
}

/// Puts an unknown word where a column has the word of one of its rows. Returns that word.
async fn spoil(db: &Db, table: &str, column: &str) -> Option<String> {
    replace(db, table, column, UNKNOWN).await
}

/// Puts this text where a column has that of one of its rows. Returns the text that was there.
async fn replace(db: &Db, table: &str, column: &str, text: &str) -> Option<String> {
    let stored: Stored =
        db.first(&format!("select {column} as word from {table} limit 1"), vec![]).await.unwrap().expect(table);
    change(db, table, column, stored.word.as_deref(), Some(text)).await;
    stored.word
}

async fn change(db: &Db, table: &str, column: &str, from: Option<&str>, to: Option<&str>) {
    let tx = db.begin().await.unwrap();
    let sql = format!("update {table} set {column} = $1 where coalesce({column}, '') = $2");
    let values = vec![to.map(str::to_owned).into(), from.unwrap_or_default().into()];
    assert!(tx.run(&sql, values).await.unwrap() > 0, "{table}.{column}");
    tx.commit().await.unwrap();
}

/// Has the portal keep one of everything.
struct Furnished {
    lab: Lab,
    admin: Client,
    build: Value,
    card: Value,
    dataset: Value,
    departure: Value,
    group: Value,
    instance: Value,
    worksheet: Value,
}

impl Furnished {
    async fn new() -> Self {
        let lab = Lab::new(1).await;
        let (admin, ann_id) = (lab.portal.admin(), lab.portal.user("ann").await);
        let group = admin.post("/api/groups", json!({ "name": "nlp", "leaders": [ann_id] })).await.expect(201);
        let instance = lab.running(&admin, 1).await;
        lab.cluster.machine_tells("7/exe:/tmp/xmrig\0");
        lab.portal.portal.look_for_miners().await.unwrap();
        lab.portal.portal.count_roots().await.unwrap();
        lab.portal.file_systems.fill(99);
        lab.portal.portal.look_for_faults().await.unwrap();
        lab.portal.portal.note_files_backup("restic").await.unwrap();
        let card = json!({ "id": lab.cards[0] });
        for fault in ["掉卡", ""] {
            admin.put(&format!("/api/gpus/{}", lab.cards[0]), json!({ "fault": fault })).await.is(200);
        }
        let build = json!({ "server": lab.server, "repository": "base", "tag": "1", "dockerfile": "FROM scratch\n" });
        let build = admin.post("/api/images/builds", build).await.expect(202);
        lab.portal.portal.finish_jobs().await;
        admin.post("/api/labels", json!({ "name": "COCO", "color": "#1677ff", "kind": "task" })).await.is(201);
        let form = json!({ "name": "mnist", "title": "手写数字", "type": "image", "visibility": "private" });
        let dataset = admin.post("/api/datasets", form).await.expect(202);
        let worksheet = json!({ "type": "fault", "title": "卡 3 报错", "content": "请看一下" });
        let worksheet = admin.post("/api/worksheets", worksheet).await.expect(201);
        let departure = leaves(&admin, lab.portal.user("leaver").await).await;
        let join = json!({ "name": "gpu02", "host": "gpu02.lab", "portal": "http://lab:18100" });
        admin.post("/api/joins", join).await.is(201);
        let furnished = Self { lab, admin, build, card, dataset, departure, group, instance, worksheet };
        furnished.disk_does().await;
        furnished.admin.post(&format!("{}/versions", furnished.at("/api/datasets/{}")), json!({})).await.is(202);
        furnished.disk_does().await;
        furnished.admin.put(&furnished.at("/api/worksheets/{}"), json!({ "state": "doing" })).await.is(200);
        let robot =
            json!({ "enabled": true, "address": "http://127.0.0.1:9/", "format": "json", "events": ["finding"] });
        furnished.admin.put("/api/settings/webhook", robot).await.is(200);
        let mail = json!({
            "enabled": false, "host": "mail.lab", "port": 25, "security": "none", "username": "", "from": "lab@lab.cn",
            "fromName": "", "caCertificate": "", "kinds": [],
        });
        furnished.admin.put("/api/settings/mail", mail).await.is(200);
        let https = json!({
            "way": "off", "names": [], "port": null, "redirect": false, "directory": "", "email": "",
            "caCertificate": "", "eabKeyId": "",
        });
        furnished.admin.put("/api/settings/https", https).await.is(200);
        furnished.admin.put("/api/profile/notices", json!({ "mail": [] })).await.is(200);
        let token = json!({ "name": "backup", "scopes": ["read"], "expires": "2026-12-20T10:00:00Z" });
        furnished.admin.post("/api/profile/access-tokens", token).await.is(201);
        furnished.notice().await;
        furnished
    }

    /// Leaves a notice of the administrator, and no other.
    async fn notice(&self) {
        let tx = self.lab.portal.database().await.begin().await.unwrap();
        tx.run("delete from notices", vec![]).await.unwrap();
        let sql = "insert into notices (id, user_id, kind, object_kind, object_id, title, words, link, created) \
            select 'n1', id, 'worksheet_created', 'worksheet', 'w1', '', '', '/', 1 from users where username = 'admin'";
        assert_eq!(tx.run(sql, vec![]).await.unwrap(), 1);
        tx.commit().await.unwrap();
    }

    /// The test is the disk of datasets.
    async fn disk_does(&self) {
        for chore in self.lab.portal.portal.dataset_chores(None).await.unwrap() {
            let outcome = match chore.work {
                DatasetWork::Keep { .. } => DatasetOutcome::Kept {
                    count: DatasetCount::default(),
                    by: KeptBy::Copy,
                    difference: DatasetDifference::default(),
                },
                DatasetWork::Count => DatasetOutcome::Counted(DatasetCount::default()),
                _ => DatasetOutcome::Done,
            };
            self.lab.portal.portal.dataset_report(&DatasetReport { chore, outcome }).await.unwrap();
        }
    }

    fn at(&self, call: &str) -> String {
        let id = match call.split('/').nth(2) {
            Some("datasets") => &self.dataset["id"],
            Some("departures") => &self.departure["id"],
            Some("gpus") => &self.card["id"],
            Some("images") => &self.build["id"],
            Some("groups") => &self.group["id"],
            Some("instances") => &self.instance["id"],
            _ => &self.worksheet["id"],
        };
        call.replace("{}", id.as_str().unwrap_or(&id.to_string()))
    }
}

/// Starts the departure of a user who has nothing.
async fn leaves(admin: &Client, user: i64) -> Value {
    let stamp = admin.get(&format!("/api/departures/holdings/{user}")).await.expect(200)["stamp"].clone();
    let (delete, keep) =
        (json!({ "action": "delete", "receiver": null }), json!({ "action": "keep", "receiver": null }));
    let plan = json!({ "instances": delete, "datasets": delete, "images": delete, "groups": keep, "files": keep });
    let form = json!({ "user": user, "plan": plan, "when": "now", "stamp": stamp });
    admin.post("/api/departures", form).await.expect(202)
}

#[tokio::test]
async fn an_unknown_word_is_an_error_wherever_it_is_read() {
    let furnished = Furnished::new().await;
    let db = furnished.lab.portal.database().await;
    for (_, table, column, call) in COLUMNS {
        let call = furnished.at(call);
        furnished.admin.get(&call).await.is(200);
        let word = spoil(&db, table, column).await;
        let answer = furnished.admin.get(&call).await;
        assert_eq!(answer.status, 500, "{call} with an unknown {table}.{column}");
        change(&db, table, column, Some(UNKNOWN), word.as_deref()).await;
    }
    for (_, table, column, call) in LISTS {
        furnished.admin.get(call).await.is(200);
        let unknown = json!([UNKNOWN]).to_string();
        let words = replace(&db, table, column, &unknown).await;
        let answer = furnished.admin.get(call).await;
        assert_eq!(answer.status, 500, "{call} with an unknown word in {table}.{column}");
        change(&db, table, column, Some(&unknown), words.as_deref()).await;
    }
}

#[tokio::test]
async fn a_token_with_an_unknown_scope_opens_nothing() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let form = json!({ "name": "x", "scopes": ["read"], "expires": "2026-12-20T10:00:00Z" });
    let made = admin.post("/api/profile/access-tokens", form).await.expect(201);
    let script = admin.with_token(made["token"].as_str().unwrap());
    script.get("/api/dashboard").await.is(200);
    let words = json!(["read", UNKNOWN]).to_string();
    replace(&lab.portal.database().await, "access_tokens", "scopes", &words).await;
    script.get("/api/dashboard").await.is(500);
}

#[tokio::test]
async fn an_unknown_state_of_an_invitation_invites_nobody() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.user("ann").await, lab.portal.user("bob").await);
    let group = json!({ "name": "nlp", "leaders": [ann] });
    let group = lab.portal.admin().post("/api/groups", group).await.expect(201)["id"].clone();
    let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
    let members = format!("/api/groups/{group}/members");
    ann.post(&members, json!({ "users": [bob] })).await.is(200);
    spoil(&lab.portal.database().await, "group_invitations", "state").await;
    ann.post(&members, json!({ "users": [bob] })).await.is(500);
}

#[tokio::test]
async fn an_unknown_word_of_a_seal_is_no_seal() {
    for column in ["kind", "log"] {
        let lab = Lab::new(0).await;
        lab.portal.portal.seal_logs().await.unwrap();
        spoil(&lab.portal.database().await, "audit_seals", column).await;
        assert!(lab.portal.portal.verify_logs(None).await.is_err());
    }
}

/// The lines of the features' stores, each with its feature.
fn lines_of_stores() -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for feature in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/features")).unwrap() {
        let feature = feature.unwrap();
        for file in fs::read_dir(feature.path()).into_iter().flatten() {
            let file = file.unwrap();
            if file.file_name().to_string_lossy().starts_with("store") {
                let name = feature.file_name().to_string_lossy().into_owned();
                let text = fs::read_to_string(file.path()).unwrap();
                lines.extend(text.lines().map(|line| (name.clone(), line.trim().to_owned())));
            }
        }
    }
    lines
}

/// What cannot be read is not passed over either, except where the list above says so.
#[test]
fn no_store_leaves_out_what_it_cannot_read() {
    const READS: [&str; 4] = ["from_str(", "from_str::", "from_value(", "::parse("];
    const SWALLOWS: [&str; 4] = [".ok()", "unwrap_or", "if let Ok", "filter_map(Row::"];
    let found: BTreeSet<(String, String)> = lines_of_stores()
        .into_iter()
        .filter(|(_, line)| SWALLOWS.iter().any(|word| line.contains(word)))
        .filter(|(_, line)| line.contains(SWALLOWS[3]) || READS.iter().any(|word| line.contains(word)))
        .collect();
    let expected = PASSED_OVER.iter().map(|(feature, line)| ((*feature).to_owned(), (*line).to_owned()));
    assert_eq!(found, expected.collect());
}

/// The lists above are all.
#[test]
fn every_stored_word_is_tried() {
    let tried: BTreeSet<(String, String)> = COLUMNS
        .iter()
        .chain(LISTS)
        .map(|(feature, _, column, _)| (*feature, *column))
        .chain(OTHER_COLUMNS.iter().copied())
        .map(|(feature, column)| (feature.to_owned(), column.to_owned()))
        .collect();
    let mut read = BTreeSet::new();
    for feature in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/features")).unwrap() {
        let feature = feature.unwrap();
        for source in sources(&feature.path()) {
            let name = feature.file_name().to_string_lossy().into_owned();
            read.extend(words(&source).into_iter().map(|column| (name.clone(), column)));
        }
    }
    assert_eq!(read, tried);
}

/// The texts of all sources in a folder.
fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(fs::read_to_string(path).unwrap());
        }
    }
    found
}

/// The columns of a source's structs that are words or lists of what is more than a text: by their types, or by the
/// attribute of a record.
fn words(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut attributes = "";
    for line in source.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        if let Some(rest) = line.strip_prefix("#[record(") {
            attributes = rest;
            continue;
        }
        let Some((name, kind)) = line.split_once(": ") else { continue };
        let has = |word: &str| attributes.split([',', ')']).any(|attribute| attribute.trim() == word);
        let is_typed = ["Word<", "Option<Word<"].iter().any(|word| kind.starts_with(word));
        let is_list = ["Vec<", "BTreeSet<"].iter().any(|word| kind.starts_with(word)) && !kind.contains("<String>");
        if has("word") || is_typed || (has("json") && is_list) {
            let column = attributes.split_once("column = \"").and_then(|(_, rest)| rest.split_once('"'));
            let field = name.rsplit(' ').next().unwrap_or(name);
            found.push(column.map_or(field, |(column, _)| column).to_owned());
        }
        attributes = "";
    }
    found
}

#[test]
fn words_are_found() {
    let source = "#[record(word)]\n    pub(super) state: State,\n    name: String,\n    kind: Word<Kind>,\n \
        #[record(column = \"state_to\", word)]\n    to: Option<State>,\n    #[record(json)]\n \
        // How many: all.\n    kinds: BTreeSet<Kind>,\n    #[record(json)]\n    command: Vec<String>,\n";
    assert_eq!(words(source), ["state", "kind", "state_to", "kinds"]);
}
