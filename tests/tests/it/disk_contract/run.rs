//! Runs the table against a server.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use http::{HeaderMap, Method};
use serde_json::{Value, json};
use testkit::Answer;
use tests::{Client, Server, skipped};

use super::document::{Document, EVERYWHERE, Operation};
use super::row::{At, Body, Row, Who};

const PASSWORD: &str = "lab2026a";
const RIGHTS: [&str; 8] = ["admin", "create", "rename", "modify", "delete", "download", "share", "execute"];

/// The users of a disk, and the rows' saved values.
pub(super) struct World<'a> {
    document: &'a Document,
    http: reqwest::Client,
    host: String,
    /// Of Ann, Bob, Eve and the administrator.
    tokens: HashMap<&'static str, String>,
    kept: HashMap<&'static str, String>,
    confined: bool,
}

impl<'a> World<'a> {
    /// `host` is the portal itself, or a storage host of its own.
    pub(super) async fn new(document: &'a Document, portal: &Server, host: &Server) -> Self {
        let admin = portal.admin().await;
        let mut tokens = HashMap::from([("admin", admin.token().to_owned())]);
        let mut kept = HashMap::new();
        for name in ["ann", "bob", "eve", "cui"] {
            let new = json!({ "username": name, "password": PASSWORD });
            let id = admin.post("/api/users", new).await.expect(201)["id"].to_string();
            if name == "bob" {
                let quota = json!({ "what": "user", "which": ["diskQuota"], "data": { "diskQuota": 1 << 20 } });
                admin.put(&format!("/api/users/{id}"), quota).await.is(200);
            }
            // Cui never opens the disk.
            if name != "cui" {
                let person = portal.sign_in(name, PASSWORD).await;
                host.anonymous().with_token(person.token()).get("/disk/api/resources/").await.is(200);
                if name == "ann" {
                    tokens.insert("reader", person.access_token(&["read"]).await.0);
                }
                tokens.insert(name, person.token().to_owned());
            }
            kept.insert(name, id);
        }
        let at_host = host.anonymous().with_token(admin.token());
        let none: serde_json::Map<_, _> = RIGHTS.iter().map(|right| ((*right).to_owned(), json!(false))).collect();
        let change = json!({ "what": "user", "which": ["perm"], "data": { "perm": none } });
        at_host.put(&format!("/disk/api/users/{}", kept["eve"]), change).await.is(200);
        let confined = at_host.get("/disk/api/settings").await.expect(200)["exec"] == true;
        if !confined {
            skipped("bubblewrap can't make a sandbox here");
        }
        let http = Client::builder().pool_max_idle_per_host(0).build().expect("a client");
        Self { document, http, host: host.origin().to_owned(), tokens, kept, confined }
    }

    /// Runs all rows, without stopping at failures, so that all are shown at once.
    pub(super) async fn run(&mut self, rows: &[Row]) {
        let confined = self.confined;
        let mut wrong = Vec::new();
        for row in rows.iter().filter(|row| confined || !row.sandboxed) {
            if AssertUnwindSafe(self.one(row)).catch_unwind().await.is_err() {
                wrong.push((row.operation, row.who, row.tail, row.status));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Runs a row. If it succeeds, callers without the right try it first.
    async fn one(&mut self, row: &Row) {
        let operation = &self.document.operations[row.operation];
        if row.succeeds() && row.who != Who::Nobody && !operation.public {
            self.refused(row, operation, None, 401).await;
            if row.who == Who::Ann && !operation.read {
                self.refused(row, operation, Some("reader"), 403).await;
            }
        }
        let token = match row.who {
            Who::Nobody => None,
            Who::Ann => Some("ann"),
            Who::Bob => Some("bob"),
            Who::Eve => Some("eve"),
            Who::Admin => Some("admin"),
        };
        let mut answer = self.ask(row, operation, token).await;
        for _ in 1..row.tries {
            if answer.status == row.status {
                break;
            }
            answer = self.ask(row, operation, token).await;
        }
        self.check(row, &answer);
    }

    async fn refused(&self, row: &Row, operation: &Operation, token: Option<&str>, status: u16) {
        let answer = self.ask(row, operation, token).await;
        assert_eq!(answer.status, status, "{token:?}: {row:?}: {}", answer.text());
    }

    async fn ask(&self, row: &Row, operation: &Operation, token: Option<&str>) -> Answer {
        let before = operation.pattern.split('{').next().unwrap_or_default();
        let address = format!("{}/disk{before}{}", self.host, self.filled(row.tail));
        let method = Method::from_bytes(operation.method.as_bytes()).expect("a verb");
        let mut headers = HeaderMap::new();
        for (name, value) in &row.headers {
            headers.insert(*name, self.filled(value).parse().expect("a header"));
        }
        let mut request = self.http.request(method, address).headers(headers);
        if let Some(token) = token {
            request = request.bearer_auth(&self.tokens[token]);
        }
        request = match &row.body {
            Body::Text(text) if text.is_empty() => request,
            Body::Text(text) => request.body(self.filled(text)),
            Body::Bytes(bytes) => request.body(bytes.clone()),
        };
        let response = request.send().await.unwrap_or_else(|error| panic!("{row:?}: {error:?}"));
        let (status, headers) = (response.status(), response.headers().clone());
        // The frames of a socket are no body.
        let body = if status == 101 { bytes::Bytes::new() } else { response.bytes().await.expect("a whole answer") };
        let answer = Answer { status, headers, body };
        self.is_documented(operation, &answer);
        answer
    }

    /// Asserts that the status, the JSON and the refusal's words conform to the document.
    fn is_documented(&self, operation: &Operation, answer: &Answer) {
        let (status, method) = (answer.status.as_u16(), &operation.method);
        let json = answer.header("content-type").starts_with("application/json").then(|| answer.json());
        if operation.statuses.contains(&status) || !EVERYWHERE.contains(&status) {
            self.document.contract.check(method, &operation.pattern, status, json.as_ref());
        }
        if status >= 400 && method != "HEAD" {
            let text = answer.text();
            assert!(json.is_none() && text.starts_with(&format!("{status} ")) && text.ends_with('\n'), "{text:?}");
        }
    }

    fn check(&mut self, row: &Row, answer: &Answer) {
        assert_eq!(answer.status, row.status, "{row:?}: {} {:?}", answer.text(), answer.headers);
        for (name, expected) in &row.answers {
            let (value, expected) = (answer.header(name), self.filled(expected));
            let fits = match expected.strip_suffix('*') {
                Some(beginning) => answer.headers.contains_key(*name) && value.starts_with(beginning),
                None => value == expected,
            };
            assert!(fits, "{row:?}: {name} is {value:?} and not {expected:?}");
        }
        let json = answer.json();
        for (pointer, expected) in &row.holds {
            let expected = match expected {
                Value::String(text) => json!(self.filled(text)),
                other => other.clone(),
            };
            assert_eq!(json.pointer(pointer), Some(&expected), "{row:?}: {pointer} in {json:#}");
        }
        if let Some(text) = row.text {
            assert_eq!(answer.text(), text, "{row:?}");
        }
        for (name, at) in &row.keeps {
            let value = match at {
                At::Json(pointer) => match json.pointer(pointer) {
                    Some(Value::String(text)) => text.clone(),
                    Some(other) => other.to_string(),
                    None => panic!("{row:?}: no {pointer} in {json:#}"),
                },
                At::Header(header) => answer.header(header),
                At::EndOf(header) => {
                    let address = answer.header(header);
                    address.rsplit(['/', '=']).next().unwrap_or_default().to_owned()
                }
            };
            assert!(!value.is_empty(), "{row:?}: nothing to keep as {name}: {:?}", answer.headers);
            self.kept.insert(name, value);
        }
    }

    fn filled(&self, text: &str) -> String {
        self.kept.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("<{name}>"), value))
    }
}
