//! The part of the portal's database for `yunlab admin support-bundle`: enough to diagnose faults, without secrets.
//! Each part lists its columns, so that a new column is omitted until a developer adds it.

use std::collections::BTreeMap;

use anyhow::Context;
use kernel::Timestamp;
use serde::Serialize;

use crate::Portal;
use crate::features::backups;
use crate::features::duties;
use crate::features::servers::{self, Check, Server, ServerFacts};
use crate::features::settings;

const BACKUPS: i64 = 30;

/// A file of the bundle.
#[derive(Clone, Debug)]
pub struct SupportFile {
    /// Its name.
    pub name: &'static str,
    /// Its content.
    pub text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DatabaseReport {
    kind: &'static str,
    bytes: i64,
    migrations: Vec<String>,
    rows: BTreeMap<String, i64>,
    faults: Vec<String>,
}

/// A server without what its engine is reached with.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerReport {
    id: String,
    name: String,
    endpoint: String,
    tls: bool,
    enabled: bool,
    schedulable: bool,
    local: bool,
    reachable: bool,
    last_seen: Option<Timestamp>,
    facts: Option<ServerFacts>,
    checks: Vec<Check>,
}

impl Portal {
    /// Returns the parts that are in the database.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn support_files(&self) -> anyhow::Result<Vec<SupportFile>> {
        let db = self.db();
        let database = DatabaseReport {
            kind: if db.is_postgres() { "PostgreSQL" } else { "SQLite" },
            bytes: db.bytes().await?,
            migrations: db.migrations().await?,
            rows: db.row_counts().await?,
            faults: db.faults().await?,
        };
        let servers: Vec<ServerReport> = servers::all(db).await?.into_iter().map(ServerReport::from).collect();
        Ok(vec![
            file("database.json", &database)?,
            file("duties.json", &duties::noted(db).await?)?,
            file("settings.json", &settings::shown(self).await?)?,
            file("servers.json", &servers)?,
            file("backups.json", &backups::latest(self, BACKUPS).await?)?,
        ])
    }
}

fn file(name: &'static str, content: &impl Serialize) -> anyhow::Result<SupportFile> {
    Ok(SupportFile { name, text: serde_json::to_string_pretty(content).with_context(|| format!("writing {name}"))? })
}

impl From<Server> for ServerReport {
    fn from(server: Server) -> Self {
        Self {
            id: server.id,
            name: server.name,
            endpoint: server.cluster.address,
            tls: server.cluster.tls.is_some(),
            enabled: server.enabled,
            schedulable: server.schedulable,
            local: server.local,
            reachable: server.reachable,
            last_seen: server.last_seen,
            facts: server.facts,
            checks: server.checks,
        }
    }
}
