//! A writer that works in a folder in every possible way: uploads of all kinds, copies, moves, deletions and restoring
//! from the trash.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tests::{Client, Random, digest, until};

use super::ledger::Change;
use super::site::{Site, address, by, done, one, send, tree};

/// Few, so that each is replaced, moved and deleted again and again.
const NAMES: [&str; 5] = ["a.bin", "b.bin", "图 三.bin", "c%2f.txt", "d"];
const FOLDERS: [&str; 2] = ["one", "two"];

#[derive(Debug)]
pub(super) struct Files {
    owner: &'static str,
    /// For WebDAV.
    password: String,
    /// The folder, in the user's view and on the disk.
    folder: &'static str,
    real: &'static str,
    random: Random,
    known: Value,
    /// The file that the last change must have created.
    came: Option<(String, String)>,
}

impl Files {
    pub(super) async fn new(
        site: &Site,
        owner: &'static str,
        (folder, real): (&'static str, &'static str),
        random: Random,
    ) -> Self {
        let client = site.person(owner);
        let made = client.post("/api/profile/app-passwords", json!({ "name": "WebDAV" })).await.expect(201);
        let password = made["password"].as_str().expect("a password").to_owned();
        send(client, Method::POST, &format!("/resources{folder}/"), "").await;
        Self { owner, password, folder, real, random, known: Value::Null, came: None }
    }

    pub(super) async fn look(&self, site: &Site) -> Value {
        let list = site.person(self.owner).get("/disk/api/trash").await.expect(200);
        let mut trash = by(&list["items"], "id", &["expires"]);
        for (id, item) in trash.as_object_mut().into_iter().flatten() {
            let content = site.real(".yunlab/trash").join(id.replace('-', ""));
            item["content"] = if content.is_dir() { tree(&content) } else { one(&content) };
        }
        json!({ "files": tree(&site.real(self.real)), "trash": trash })
    }

    /// Stores the state before the next change.
    pub(super) fn saw(&mut self, state: &Value) {
        self.known = state.clone();
        if let Some((name, content)) = self.came.take() {
            let found = state["files"][&name].as_str().unwrap_or_default();
            assert!(found.starts_with(&content), "{name}: {found}, expected {content}");
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn any(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.below(of.len())]
    }

    /// Names that are there, of files or of folders.
    fn there(&self, folders: bool) -> Vec<String> {
        let all = self.known["files"].as_object().into_iter().flatten();
        let is_folder = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("folder"));
        let fits = |(name, value): &(&String, &Value)| !name.contains('/') && is_folder(value) == folders;
        all.filter(fits).map(|(name, _)| name.clone()).collect()
    }

    /// Picks one; `None` to create a new file.
    fn pick(&mut self, folders: bool) -> Option<String> {
        let there = self.there(folders);
        (!there.is_empty()).then(|| there[self.random.below(there.len())].clone())
    }

    fn content(&mut self) -> Vec<u8> {
        let largest = if self.below(6) == 0 { 800_000 } else { 20_000 };
        let length = self.below(largest);
        self.random.bytes(length)
    }

    fn at(&self, name: &str) -> String {
        address(&format!("{}/{name}", self.folder))
    }

    async fn dav(&self, site: &Site, method: &str, name: &str, to: Option<&str>, body: Vec<u8>) {
        let verb = Method::from_bytes(method.as_bytes()).expect("a verb");
        let request = site.nobody.request(verb, &format!("/disk/dav{}", self.at(name)));
        let request = request.basic_auth(self.owner, Some(&self.password)).body(body);
        let request = match to {
            Some(to) => request.header("destination", format!("/disk/dav{}", self.at(to))),
            None => request,
        };
        done(method, site.nobody.send(request).await);
    }

    /// Makes one change and returns it.
    pub(super) async fn change(&mut self, site: &Site) -> Change {
        let kind = self.below(20);
        let file = self.pick(false);
        match (kind, file) {
            (0..=6, file) => self.write(site, kind, file).await,
            (7..=12, Some(file)) => self.move_file(site, kind, &file).await,
            (13..=15, _) => self.use_trash(site).await,
            (16..=18, _) => self.use_folder(site).await,
            (_, Some(file)) => self.pack(site, &file).await,
            (_, None) => self.write(site, 0, None).await,
        }
    }

    async fn write(&mut self, site: &Site, kind: usize, there: Option<String>) -> Change {
        let (name, content) = (self.any(&NAMES).to_owned(), self.content());
        let client = site.person(self.owner);
        let (what, name) = match (kind, there) {
            (0..=2, _) => {
                done("upload", client.upload(&self.at(&name), content.clone()).await);
                ("upload", name)
            }
            (3, Some(there)) => {
                send(client, Method::PUT, &format!("/resources{}", self.at(&there)), content.clone()).await;
                ("PUT", there)
            }
            (3 | 4, _) => {
                self.dav(site, "PUT", &name, None, content.clone()).await;
                ("WebDAV PUT", name)
            }
            _ => {
                self.tus(client, &name, &content).await;
                ("tus", name)
            }
        };
        self.came = Some((name.clone(), digest(&content)));
        Change::whole(format!("{what} {name}"))
    }

    /// In one piece with its creation, or in several.
    async fn tus(&mut self, client: &Client, name: &str, content: &[u8]) {
        let path = format!("/disk/api/tus{}?override=true", self.at(name));
        let begin = client.request(Method::POST, &path).header("upload-length", content.len());
        let begun = done("tus", client.send(begin).await);
        let mut offset = 0;
        while offset < content.len() {
            let until = content.len().min(offset + 1 + self.below(content.len()));
            let piece = client.request(Method::PATCH, &begun.header("location")).header("upload-offset", offset);
            let piece = piece.header("content-type", "application/offset+octet-stream");
            done("a piece", client.send(piece.body(content[offset..until].to_vec())).await);
            offset = until;
        }
    }

    async fn move_file(&mut self, site: &Site, kind: usize, file: &str) -> Change {
        let others: Vec<&'static str> = NAMES.into_iter().filter(|name| *name != file).collect();
        let to = self.any(&others);
        let client = site.person(self.owner);
        let what = match kind {
            7 | 8 => "rename",
            9 | 10 => "copy",
            11 => "MOVE",
            _ => "COPY",
        };
        if kind > 10 {
            self.dav(site, what, file, Some(to), Vec::new()).await;
        } else {
            let query = format!("?action={what}&destination={}&override=true", tests::encoded(&self.said(to)));
            send(client, Method::PATCH, &format!("/resources{}{query}", self.at(file)), "").await;
        }
        Change::whole(format!("{what} {file} to {to}"))
    }

    fn said(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    async fn use_trash(&mut self, site: &Site) -> Change {
        let client = site.person(self.owner);
        let deleted: Vec<String> =
            self.known["trash"].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect();
        let kind = self.below(8);
        if deleted.is_empty() || kind < 4 {
            let folders = self.below(4) == 0;
            let Some(name) = self.pick(folders) else { return self.write(site, 0, None).await };
            let query = if kind == 0 { "?permanent=true" } else { "" };
            if kind == 1 {
                self.dav(site, "DELETE", &name, None, Vec::new()).await;
            } else {
                send(client, Method::DELETE, &format!("/resources{}{query}", self.at(&name)), "").await;
            }
            return Change::whole(format!("delete {name}{query}"));
        }
        let id = &deleted[self.below(deleted.len())];
        match kind {
            4 | 5 => {
                send(client, Method::POST, &format!("/trash/{id}/restore?rename=true"), "").await;
                Change::whole(format!("restore {id}"))
            }
            6 => {
                send(client, Method::DELETE, &format!("/trash/{id}"), "").await;
                Change::whole(format!("purge {id}"))
            }
            _ => {
                send(client, Method::DELETE, "/trash", "").await;
                Change::many("empty the trash")
            }
        }
    }

    async fn use_folder(&mut self, site: &Site) -> Change {
        let client = site.person(self.owner);
        let there = self.there(true);
        let free = FOLDERS.into_iter().find(|name| !there.iter().any(|other| other == name));
        let kind = self.below(4);
        match (there.first().cloned(), free) {
            (None, Some(free)) if kind == 0 => {
                self.dav(site, "MKCOL", free, None, Vec::new()).await;
                Change::whole(format!("MKCOL {free}"))
            }
            (Some(folder), Some(free)) if kind < 2 => {
                let action = if kind == 0 { "copy" } else { "rename" };
                let query = format!("?action={action}&destination={}", tests::encoded(&self.said(free)));
                send(client, Method::PATCH, &format!("/resources{}{query}", self.at(&folder)), "").await;
                Change::whole(format!("{action} folder {folder} to {free}"))
            }
            (Some(folder), _) if kind == 2 => {
                send(client, Method::DELETE, &format!("/resources{}", self.at(&folder)), "").await;
                Change::whole(format!("delete folder {folder}"))
            }
            (there, free) => {
                let folder = there.unwrap_or_else(|| free.unwrap_or("one").to_owned());
                let name = format!("{folder}/{}/{}", self.any(&FOLDERS), self.any(&NAMES));
                let content = self.content();
                done("upload", client.upload(&self.at(&name), content.clone()).await);
                self.came = Some((name.clone(), digest(&content)));
                // Its folders are created before it.
                Change::many(format!("upload {name}"))
            }
        }
    }

    /// A task, which has been acknowledged when it was seen to be done.
    async fn pack(&mut self, site: &Site, file: &str) -> Change {
        let client = site.person(self.owner);
        let name = self.any(&NAMES);
        let task = json!({
            "kind": "compress", "paths": [self.said(file)], "destination": self.said(name), "format": "tar",
            "rename": true,
        });
        let begun = done("compress", client.post("/disk/api/tasks", task).await).json();
        let path = format!("/disk/api/tasks/{}", begun["id"].as_str().expect("an id"));
        let ended = until("the task's end", Duration::from_secs(60), async || {
            let task = client.get(&path).await.expect(200);
            (!task["finished"].is_null()).then_some(task)
        })
        .await;
        assert_eq!(ended["state"], "done", "{ended}");
        Change::whole(format!("compress {file} to {name}"))
    }
}
