//! A server with its data folder and users.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use http::Method;
use serde_json::{Map, Value};
use tests::{Answer, Client, Server, digest, encoded};

pub(super) const PASSWORD: &str = "lab2026a";
/// Each works on things of their own.
pub(super) const PEOPLE: [&str; 6] = ["files0", "files1", "orders", "keys", "links", "uploads"];

/// The server, its folder and its clients.
pub(super) struct Site {
    pub(super) nobody: Client,
    pub(super) admin: Client,
    /// Whether it runs on what a power cut left.
    pub(super) is_left: bool,
    people: BTreeMap<&'static str, Client>,
    data: PathBuf,
}

impl Site {
    /// A running load: all users sign in.
    pub(super) async fn at_work(server: &Server) -> Self {
        let mut site = Self::left(server, true).await;
        site.is_left = false;
        site
    }

    /// On what a power cut left; before all users existed, only the administrator signs in.
    pub(super) async fn left(server: &Server, everybody: bool) -> Self {
        let (nobody, admin) = (server.anonymous(), server.admin().await);
        let mut people = BTreeMap::new();
        for name in PEOPLE.into_iter().filter(|_| everybody) {
            people.insert(name, server.sign_in(name, PASSWORD).await);
        }
        Self { nobody, admin, is_left: true, people, data: server.setup().data_dir() }
    }

    pub(super) fn person(&self, name: &str) -> &Client {
        &self.people[name]
    }

    /// A folder of the disk's.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        self.data.join("disk").join(path)
    }
}

/// An answer that something was done.
#[track_caller]
pub(super) fn done(what: &str, answer: Answer) -> Answer {
    assert!(answer.status.is_success(), "{what}: {} {}", answer.status, answer.text());
    answer
}

/// Sends a request to the disk and asserts success.
pub(super) async fn send(client: &Client, method: Method, path: &str, body: impl Into<reqwest::Body>) -> Answer {
    let what = format!("{method} {path}");
    done(&what, client.send(client.request(method, &format!("/disk/api{path}")).body(body)).await)
}

/// A path with its slashes, each name encoded.
pub(super) fn address(path: &str) -> String {
    path.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

/// Everything below a folder: content, time and rights of files, rights of folders.
pub(super) fn tree(folder: &Path) -> Value {
    let mut found = Map::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder_here) = waiting.pop() {
        for entry in fs::read_dir(&folder_here).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            found.insert(name, one(&path));
            if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    Value::Object(found)
}

/// The part of an entry that must survive.
pub(super) fn one(path: &Path) -> Value {
    let Ok(meta) = fs::symlink_metadata(path) else { return Value::Null };
    let mode = meta.permissions().mode() & 0o7777;
    if meta.is_dir() {
        return format!("folder {mode:o}").into();
    }
    let content = fs::read(path).map_or_else(|error| error.to_string(), |content| digest(&content));
    format!("{content} {} bytes {mode:o} {}.{:09}", meta.len(), meta.mtime(), meta.mtime_nsec()).into()
}

/// An object without these members.
pub(super) fn without(mut value: Value, names: &[&str]) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !names.contains(&name.as_str()));
    }
    value
}

/// A list as an object, by this member of its items, without the omitted members.
pub(super) fn by(list: &Value, key: &str, left_out: &[&str]) -> Value {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let name = |item: &Value| item[key].as_str().map_or_else(|| item[key].to_string(), str::to_owned);
    Value::Object(items.iter().map(|item| (name(item), without(item.clone(), left_out))).collect())
}
