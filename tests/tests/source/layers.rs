//! What the parts of a feature must not depend on, checked by reading their lines: the table of the house style.

use std::fs;
use std::path::{Path, PathBuf};

use tests::{files, root};

/// The owners of tables. A new table needs a line here.
const OWNERS: &[(&str, &[&str])] = &[
    ("users", &["users", "quota_ends"]),
    ("groups", &["groups", "group_members", "group_invitations", "former_group_folders"]),
    ("session", &["sign_ins", "sessions", "open_sessions", "spent_tickets", "known_places"]),
    ("app_passwords", &["app_passwords"]),
    ("access_tokens", &["access_tokens"]),
    ("settings", &["settings"]),
    ("logs", &["login_logs", "operate_logs"]),
    ("audit", &["audit_seals", "audit_targets"]),
    ("departures", &["departures", "departure_items"]),
    ("retention", &["retention_runs"]),
    ("servers", &["servers"]),
    ("clusters", &["clusters"]),
    ("joins", &["joins", "engine_authorities"]),
    ("gpus", &["gpus", "gpu_leases", "gpu_samples", "lab_samples", "card_outages", "card_xids", "kernel_log_marks"]),
    ("allocations", &["allocations"]),
    ("watch", &["findings"]),
    ("alerts", &["alerts"]),
    ("announcements", &["announcements"]),
    ("worksheets", &["worksheets", "worksheet_entries", "worksheet_reads"]),
    ("images", &["images", "image_servers", "image_uses", "image_jobs", "registries", "unoffered_images"]),
    ("terminals", &["host_keys", "open_terminals"]),
    ("datasets", &["datasets", "labels", "dataset_labels", "dataset_uses", "dataset_versions", "dataset_limits"]),
    ("disk_space", &["disk_levels", "project_limits", "disk_over"]),
    ("usage", &["usage_days", "usage_groups", "usage_progress"]),
    (
        "instances",
        &[
            "instances",
            "instance_states",
            "instance_ports",
            "instance_samples",
            "server_reports",
            "held_group_folders",
            "told_endings",
        ],
    ),
    ("reservations", &["reservations"]),
    ("peers", &["leads"]),
    ("notices", &["notices", "notice_preferences", "notice_deliveries", "mail_settings", "webhook", "webhook_notices"]),
    ("duties", &["duty_runs"]),
    ("backups", &["backups"]),
    (
        "https",
        &[
            "https_settings",
            "https_tries",
            "https_certificates",
            "acme_accounts",
            "acme_challenges",
            "lab_ca",
            "lab_ca_keys",
        ],
    ),
    ("background", &["jobs", "clock_marks"]),
];

/// Foreign tables that may be joined for reading, because two statements would be worse: a session and its user are
/// read together on every request, and members are listed, searched and sorted by their names. This list may only
/// shrink.
const JOINS: &[(&str, &str)] = &[("session", "users"), ("groups", "users")];

/// What models may name of the database: they are the rows, and run no statements.
const RECORDS: &[&str] = &["Column", "Columns", "Record"];

/// The job table has the progress of jobs; these features may join it with their tables, for reading.
const WITH_JOBS: &[&str] = &["images", "notices"];

/// Where the portal may speak of Docker: the words of that driver, and the script that sets a Docker server up.
const DOCKERS_OWN: &[&str] = &["clusters/mod.rs", "clusters/words_docker.rs", "joins/"];

/// What images have from Docker whatever runs them: the recipe, the names without a registry, the types of manifests.
const OF_IMAGES: &[&str] = &["dockerfile", "docker.io", "vnd.docker"];

/// Types of engines that belong to a driver: the portal has workloads, and an opaque name of what they are made as.
const A_DRIVERS_OWN: &[&str] = &[
    "ContainerRef",
    "ContainerSpec",
    "ContainerState",
    "DockerEngine",
    "DockerRuntime",
    "EngineEvent",
    "NetworkName",
    "NetworkSpec",
    "TerminalId",
    "container_name",
    "exec_id",
];

/// What only Docker has: its name, its settings and its folders.
const DOCKERS_WORDS: &[&str] = &["docker", "daemon.json", "live-restore", "live_restore", "nvidia-ctk"];

const STATEMENTS: &[&str] = &["select ", "insert into ", "update ", "delete from "];

/// One source file: its feature (the folder it is in), its name, and its lines without comments
/// and without its own tests.
pub(super) struct Source {
    pub(super) path: PathBuf,
    feature: String,
    name: String,
    pub(super) lines: Vec<String>,
}

impl Source {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("text");
        let (shipped, _) = text.split_once("#[cfg(test)]\nmod ").unwrap_or((&text, ""));
        let lines = shipped.lines().map(str::trim).filter(|line| !line.starts_with("//")).map(str::to_owned).collect();
        let word = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let feature = word(path.parent().and_then(Path::file_name));
        Self { feature, name: word(path.file_name()), lines, path }
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    fn is_http(&self) -> bool {
        self.name == "http.rs" || self.name.starts_with("http_")
    }

    /// A store that became too long is split into several files.
    fn is_store(&self) -> bool {
        self.name == "store.rs" || self.name.starts_with("store_")
    }

    /// Whether a line touches a table that another feature owns.
    fn is_foreign(&self, line: &str) -> bool {
        let owner = |table: &str| OWNERS.iter().find(|(_, tables)| tables.contains(&table)).map(|(owner, _)| *owner);
        let row_of = line.strip_prefix("#[record(table = \"").and_then(|rest| rest.split('"').next());
        if row_of.and_then(owner).is_some_and(|owner| owner != self.feature) {
            return true;
        }
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.windows(2).any(|pair| {
            let feature = self.feature.as_str();
            let of_jobs = pair[1] == "jobs" && WITH_JOBS.contains(&feature);
            let may_be_joined = pair[0] == "join" && (of_jobs || JOINS.contains(&(feature, pair[1])));
            let touches = matches!(pair[0], "from" | "join" | "into" | "update") && !may_be_joined;
            touches && owner(pair[1]).is_some_and(|owner| owner != self.feature)
        })
    }

    /// Lines that mention one of these crates or modules.
    fn mentions(&self, names: &[&str]) -> Vec<String> {
        let mentions = |line: &str, name: &str| {
            line.match_indices(&format!("{name}::")).any(|(at, _)| {
                let before = line[..at].chars().next_back().unwrap_or(' ');
                !before.is_alphanumeric() && before != '_' && before != ':'
            })
        };
        let found = self.lines.iter().filter(|line| names.iter().any(|name| mentions(line, name)));
        found.map(|line| self.shown(line)).collect()
    }

    /// Lines with the beginning of a statement.
    fn statements(&self) -> Vec<String> {
        let is_statement = |line: &&String| STATEMENTS.iter().any(|word| line.contains(&format!("\"{word}")));
        self.lines.iter().filter(is_statement).map(|line| self.shown(line)).collect()
    }

    fn shown(&self, line: &str) -> String {
        format!("{}: {line}", self.path.strip_prefix(root()).unwrap_or(&self.path).display())
    }
}

/// The shipped files of a crate.
pub(super) fn sources(of: &str) -> Vec<Source> {
    let found = files(&root().join("crates").join(of).join("src"), ".rs");
    let sources: Vec<Source> = found.into_iter().map(Source::read).collect();
    assert!(!sources.is_empty(), "{of} has sources");
    sources.into_iter().filter(|source| source.name != "tests.rs" && source.feature != "tests").collect()
}

fn features() -> Vec<Source> {
    ["portal", "disk", "disk-core"].into_iter().flat_map(sources).collect()
}

#[track_caller]
pub(super) fn none(found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_kernel_touches_no_files_and_no_network() {
    none(
        sources("kernel").iter().flat_map(|source| source.mentions(&["std::fs", "std::net", "tokio", "std::process"])),
    );
}

#[test]
fn the_disks_file_machinery_knows_no_http() {
    none(sources("disk-core").iter().flat_map(|source| source.mentions(&["axum", "dav_server", "http", "http_kit"])));
}

#[test]
fn rules_know_neither_http_nor_sql_nor_tasks() {
    let pure = features().into_iter().filter(|source| source.is(&["model.rs", "policy.rs"]));
    none(pure.flat_map(|source| source.mentions(&["axum", "sea_orm", "sqlx", "tokio"])));
}

#[test]
fn rules_know_of_the_database_only_that_models_are_rows() {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_record = |word: &str| word.is_empty() || RECORDS.contains(&word);
    let of_models = |line: &str| {
        let (_, names) = line.split_once("db_kit::").unwrap_or_default();
        line.contains("use db_kit::") && names.split(|c| !is_word(c)).all(is_record)
    };
    let pure = features().into_iter().filter(|source| source.is(&["model.rs", "policy.rs"]));
    none(pure.flat_map(|source| {
        let found = source.mentions(&["db_kit"]).into_iter();
        let is_model = source.is(&["model.rs"]);
        found.filter(|line| !is_model || !of_models(line)).collect::<Vec<_>>()
    }));
}

#[test]
fn stores_know_no_http_server() {
    let stores = features().into_iter().filter(Source::is_store);
    none(stores.flat_map(|source| source.mentions(&["axum"])));
}

#[test]
fn handlers_hold_no_sql() {
    none(features().into_iter().filter(Source::is_http).flat_map(|source| source.statements()));
}

#[test]
fn handlers_use_no_other_features_store() {
    let handlers = features().into_iter().filter(Source::is_http);
    none(handlers.flat_map(|source| {
        let foreign = |line: &&String| line.contains("features::") && line.contains("::store");
        source.lines.iter().filter(foreign).map(|line| source.shown(line)).collect::<Vec<_>>()
    }));
}

#[test]
fn statements_stand_in_stores_only() {
    let others = features().into_iter().filter(|source| !source.is_store());
    none(others.flat_map(|source| source.statements()));
}

#[test]
fn every_table_has_an_owner_and_nobody_else_touches_it() {
    for path in files(&root().join("crates/portal/migrations"), ".sql") {
        let text = fs::read_to_string(path).expect("text");
        for table in text.split("create table ").skip(1).filter_map(|rest| rest.split_whitespace().next()) {
            assert!(OWNERS.iter().any(|(_, tables)| tables.contains(&table)), "{table} has no owner");
        }
    }
    none(sources("portal").iter().flat_map(|source| {
        let foreign = source.lines.iter().filter(|line| source.is_foreign(line));
        foreign.map(|line| source.shown(line)).collect::<Vec<_>>()
    }));
}

#[test]
fn docker_is_named_where_its_driver_is_put_into_words_only() {
    let portal = sources("portal").into_iter().filter(|source| {
        let path = source.path.to_string_lossy().into_owned();
        !DOCKERS_OWN.iter().any(|own| path.contains(&format!("features/{own}")))
    });
    none(portal.flat_map(|source| {
        let named = |line: &&String| {
            let line = OF_IMAGES.iter().fold(line.to_lowercase(), |line, word| line.replace(word, ""));
            DOCKERS_WORDS.iter().any(|word| line.contains(word))
        };
        source.lines.iter().filter(named).map(|line| source.shown(line)).collect::<Vec<_>>()
    }));
}

#[test]
fn what_is_a_drivers_own_stays_in_the_driver() {
    none(sources("portal").into_iter().flat_map(|source| {
        let named = |line: &&String| A_DRIVERS_OWN.iter().any(|word| has_word(line, word));
        source.lines.iter().filter(named).map(|line| source.shown(line)).collect::<Vec<_>>()
    }));
}

/// Whether an identifier stands in a line by itself.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}
