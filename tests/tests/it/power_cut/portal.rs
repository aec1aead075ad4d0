//! Writers whose changes are rows of the portal: users and groups, work orders, settings, keys, share links.

use std::collections::{BTreeMap, BTreeSet};

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tests::{Client, Random, digest};

use super::site::{Site, by, done, send};

const COLOURS: [&str; 3] = ["#aa0000", "#00aa00", "#0000aa"];

fn word(random: &mut Random) -> String {
    format!("词{}", random.number() % 1_000_000)
}

/// A field of the object at this position of a list by name.
fn member(known: &Value, at: usize, name: &str) -> Option<Value> {
    let all = known.as_object()?;
    all.values().nth(at % all.len().max(1)).map(|one| one[name].clone())
}

/// The administrator's people and groups.
pub(super) struct People {
    pub(super) random: Random,
    pub(super) known: Value,
}

impl People {
    pub(super) async fn look(&self, site: &Site) -> Value {
        let users = site.admin.get("/api/users?size=100").await.expect(200);
        let mut users = by(&users["items"], "username", &["lastLogin"]);
        users.as_object_mut().expect("people").retain(|name, _| name.starts_with("made"));
        let groups = site.admin.get("/api/groups?size=100").await.expect(200);
        let mut groups = by(&groups["items"], "name", &[]);
        for group in groups.as_object_mut().expect("groups").values_mut() {
            let members = site.admin.get(&format!("/api/groups/{}/members", group["id"])).await.expect(200);
            let names = members["items"].as_array().expect("members").iter().map(|member| &member["user"]["id"]);
            group["members"] = names.cloned().collect();
        }
        json!({ "users": users, "groups": groups })
    }

    pub(super) async fn change(&mut self, site: &Site) -> String {
        let (admin, random) = (&site.admin, &mut self.random);
        let at = random.below(8);
        let user = member(&self.known["users"], at, "id");
        let group = member(&self.known["groups"], at, "id");
        let (what, answer) = match (random.below(9), user, group) {
            (0, Some(id), _) => ("delete", admin.delete(&format!("/api/users/{id}")).await),
            (1 | 2, Some(id), _) => {
                let form = json!({ "what": "user", "which": ["name"], "data": { "name": word(random) } });
                ("rename", admin.put(&format!("/api/users/{id}"), form).await)
            }
            (3, Some(id), _) => {
                let limit = json!({ "instanceLimit": random.below(9) });
                ("limit", admin.put(&format!("/api/users/instanceLimit/{id}"), limit).await)
            }
            (4, Some(id), _) => {
                let form = json!({ "ids": [id], "active": random.below(2) == 0 });
                ("activate", admin.post("/api/users/active", form).await)
            }
            (5, _, Some(id)) => ("delete a group", admin.delete(&format!("/api/groups/{id}")).await),
            (6, Some(user), Some(id)) => {
                let form = json!({ "users": [user] });
                ("add a member", admin.post(&format!("/api/groups/{id}/members"), form).await)
            }
            (6 | 7, user, _) => {
                let members: Vec<Value> = user.into_iter().collect();
                ("make a group", admin.post("/api/groups", json!({ "name": word(random), "members": members })).await)
            }
            _ => {
                let name = format!("made{}", random.number() % 1_000_000);
                let form = json!({ "username": name, "password": super::site::PASSWORD, "name": word(random) });
                ("create", admin.post("/api/users", form).await)
            }
        };
        done(what, answer);
        what.to_owned()
    }
}

/// A user's work orders, and an administrator's work on them.
pub(super) struct Orders {
    pub(super) random: Random,
    pub(super) known: Value,
}

impl Orders {
    pub(super) async fn look(&self, site: &Site) -> Value {
        let list = site.admin.get("/api/worksheets?size=100").await.expect(200);
        let mut orders = by(&list["Worksheets"], "id", &[]);
        for (id, order) in orders.as_object_mut().expect("orders") {
            *order = site.admin.get(&format!("/api/worksheets/{id}")).await.expect(200);
        }
        orders
    }

    pub(super) async fn change(&mut self, site: &Site) -> String {
        let (admin, person, random) = (&site.admin, site.person("orders"), &mut self.random);
        let open = self.known.as_object().into_iter().flatten().filter(|(_, order)| order["state"] == "undo");
        let open: Vec<&String> = open.map(|(id, _)| id).collect();
        let one = (!open.is_empty()).then(|| format!("/api/worksheets/{}", open[random.below(open.len())]));
        let (what, answer) = match (random.below(7), one) {
            (0, Some(one)) => ("delete", admin.delete(&one).await),
            (1, Some(one)) => ("change", person.put(&one, json!({ "title": word(random) })).await),
            (2 | 3, Some(one)) => {
                ("reply", person.post(&format!("{one}/replies"), json!({ "content": word(random) })).await)
            }
            (4, Some(one)) => {
                let reply = json!({ "content": word(random), "state": "doing" });
                ("take", admin.post(&format!("{one}/replies"), reply).await)
            }
            _ => {
                let order = json!({ "type": "fault", "title": word(random), "content": word(random) });
                ("file", person.post("/api/worksheets", order).await)
            }
        };
        done(what, answer);
        what.to_owned()
    }
}

/// Settings of both sides, announcements and labels.
pub(super) struct Settings {
    pub(super) random: Random,
    pub(super) known: Value,
}

impl Settings {
    pub(super) async fn look(&self, site: &Site) -> Value {
        let announcements = site.admin.get("/api/announcements?size=100").await.expect(200);
        let labels = site.admin.get("/api/labels?size=100").await.expect(200);
        json!({
            "portal": site.admin.get("/api/settings").await.expect(200)["basic"],
            "disk": site.admin.get("/disk/api/settings").await.expect(200),
            "announcements": by(&announcements["items"], "id", &[]),
            "labels": by(&labels["items"], "id", &[]),
        })
    }

    pub(super) async fn change(&mut self, site: &Site) -> String {
        let (admin, random) = (&site.admin, &mut self.random);
        let at = random.below(8);
        let text = |value: Value| value.as_str().map(str::to_owned);
        let announcement = member(&self.known["announcements"], at, "id").and_then(text);
        let label = member(&self.known["labels"], at, "id").map(|id| id.to_string().replace('"', ""));
        let form = json!({ "name": word(random), "color": COLOURS[random.below(3)], "kind": "task" });
        let (what, answer) = match (random.below(8), announcement, label) {
            (0 | 1, _, _) => {
                let mut basic = self.known["portal"].clone();
                basic["thanksText"] = word(random).into();
                ("settings", admin.put("/api/settings", json!({ "basic": basic })).await)
            }
            (2 | 3, _, _) => {
                let days = json!({ "trashDays": 20 + random.below(20) });
                ("disk settings", admin.put("/disk/api/settings", days).await)
            }
            (4, Some(id), _) => ("withdraw", admin.delete(&format!("/api/announcements/{id}")).await),
            (5, Some(id), _) => (
                "announce anew",
                admin.put(&format!("/api/announcements/{id}"), json!({ "title": word(random) })).await,
            ),
            (6, _, Some(id)) => ("delete a label", admin.delete(&format!("/api/labels/{id}")).await),
            (7, _, Some(id)) => ("change a label", admin.put(&format!("/api/labels/{id}"), form).await),
            (6 | 7, _, None) => ("make a label", admin.post("/api/labels", form).await),
            _ => ("announce", admin.post("/api/announcements", json!({ "title": word(random) })).await),
        };
        done(what, answer);
        what.to_owned()
    }
}

/// A writer that creates and ends keys: an ended key opens nothing any more.
pub(super) struct Keys {
    pub(super) random: Random,
    /// Tokens by kind.
    pub(super) tokens: BTreeMap<String, String>,
    /// Tokens that are not valid any more. Too many tries with them are delayed.
    pub(super) ended: BTreeSet<String>,
    pub(super) known: Value,
}

const MOST_TOKENS: usize = 30;
/// Further sign-ins would be delayed.
const MOST_SESSIONS: usize = 5;
/// The most access tokens, and the most app passwords, of one user.
const MOST_OF_A_KIND: usize = 20;

impl Keys {
    pub(super) fn saw(&mut self, state: &Value) {
        let is_ended = |name: &&String| state["opened"].get(name.as_str()).is_none();
        self.ended = self.tokens.keys().filter(is_ended).cloned().collect();
        self.known.clone_from(state);
    }

    pub(super) async fn look(&self, site: &Site) -> Value {
        let person = site.person("keys");
        let mut opened = BTreeMap::new();
        for (name, token) in self.tokens.iter().filter(|(name, _)| site.is_left || !self.ended.contains(*name)) {
            let answer = site.nobody.with_token(token).get("/disk/api/resources/").await;
            // A token that was not created yet opens nothing either.
            if answer.status != StatusCode::UNAUTHORIZED {
                opened.insert(name.clone(), answer.status.as_u16());
            }
        }
        let list =
            async |path: &str| by(&person.get(path).await.expect(200)["items"], "id", &["lastUsed", "lastAddress"]);
        json!({
            "opened": opened,
            "passwords": list("/api/profile/app-passwords").await,
            "tokens": list("/api/profile/access-tokens").await,
        })
    }

    pub(super) async fn change(&mut self, site: &Site) -> String {
        let (person, random) = (site.person("keys"), &mut self.random);
        let number = format!("{:04}", self.tokens.len());
        let ids = |list: &str| -> Vec<String> {
            self.known[list].as_object().into_iter().flatten().map(|(id, _)| id.clone()).collect()
        };
        let (tokens, passwords) = (ids("tokens"), ids("passwords"));
        let opened = self.known["opened"].as_object().into_iter().flatten();
        let session = opened.map(|(name, _)| name).find(|name| name.ends_with("session")).cloned();
        let may_make = self.tokens.len() < MOST_TOKENS && tokens.len() < MOST_OF_A_KIND;
        match (random.below(7), session) {
            (0 | 1, _) if self.tokens.keys().filter(|name| name.ends_with("session")).count() < MOST_SESSIONS => {
                let signed_in = site.nobody.sign_in("keys", super::site::PASSWORD).await;
                self.tokens.insert(format!("{number} session"), signed_in.token().to_owned());
                "sign in".to_owned()
            }
            (2, Some(session)) => {
                done("log out", site.nobody.with_token(&self.tokens[&session]).act("/api/auth/logout").await);
                format!("log out of {session}")
            }
            (3, _) if !tokens.is_empty() => {
                let id = &tokens[random.below(tokens.len())];
                done("revoke", person.delete(&format!("/api/profile/access-tokens/{id}")).await);
                format!("revoke {id}")
            }
            (kind, _) if passwords.len() == MOST_OF_A_KIND || (kind == 4 && !passwords.is_empty()) => {
                let id = &passwords[random.below(passwords.len())];
                done("end", person.delete(&format!("/api/profile/app-passwords/{id}")).await);
                format!("end password {id}")
            }
            (kind, _) if kind == 5 || !may_make => {
                let form = json!({ "name": word(random) });
                done("app password", person.post("/api/profile/app-passwords", form).await);
                "app password".to_owned()
            }
            _ => {
                let (token, id) = person.access_token(&["files"]).await;
                self.tokens.insert(format!("{number} token"), token);
                format!("access token {id}")
            }
        }
    }
}

/// Links to a few files, whose content changes.
pub(super) struct Links {
    pub(super) random: Random,
    pub(super) known: Value,
}

const SHARED: [&str; 3] = ["/home/l0", "/home/l1", "/home/l2"];

impl Links {
    /// Puts the files there.
    pub(super) async fn begin(&mut self, person: &Client) {
        for path in SHARED {
            done("upload", person.upload(path, self.random.bytes(3000)).await);
        }
    }

    pub(super) async fn look(&self, site: &Site) -> Value {
        let person = site.person("links");
        let list = person.get("/disk/api/shares").await.expect(200);
        let mut links = by(&list, "hash", &["downloads"]);
        for (hash, link) in links.as_object_mut().expect("links") {
            // A link without a password, as its visitors see it.
            if link["hasPassword"] == false {
                let seen = site.nobody.get(&format!("/disk/api/public/dl/{hash}")).await;
                link["seen"] = format!("{} {}", seen.status, digest(&seen.body)).into();
            }
        }
        let mut files = BTreeMap::new();
        for path in SHARED {
            files.insert(path, digest(&person.download(path).await.body));
        }
        json!({ "links": links, "files": files })
    }

    pub(super) async fn change(&mut self, site: &Site) -> String {
        let (person, random) = (site.person("links"), &mut self.random);
        let path = SHARED[random.below(SHARED.len())];
        let links: Vec<&String> = self.known["links"].as_object().into_iter().flatten().map(|(hash, _)| hash).collect();
        match random.below(8) {
            0 if !links.is_empty() => {
                let hash = links[random.below(links.len())];
                send(person, Method::DELETE, &format!("/share/{hash}"), "").await;
                format!("end {hash}")
            }
            1..=3 => {
                done("upload", person.upload(path, random.bytes(3000)).await);
                format!("upload over {path}")
            }
            4 => {
                let form = json!({ "password": word(random), "expires": 5, "unit": "days" });
                done("share", person.post(&format!("/disk/api/share{path}"), form).await);
                format!("share {path} with a password")
            }
            kind => {
                let query = if kind == 5 { "" } else { "?expires=7&unit=days" };
                send(person, Method::POST, &format!("/share{path}{query}"), "").await;
                format!("share {path}{query}")
            }
        }
    }
}
