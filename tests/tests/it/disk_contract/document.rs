//! The document, as far as the table is compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use testkit::Contract;
use tests::root;

/// An operation of the document.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) pattern: String,
    pub(super) statuses: BTreeSet<u16>,
    /// It needs no token.
    pub(super) public: bool,
    /// An access token with the scope `read` is enough.
    pub(super) read: bool,
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) operations: BTreeMap<String, Operation>,
    pub(super) contract: Contract,
}

/// Statuses of the layers before every handler, declared for each operation with the same words.
pub(super) const EVERYWHERE: [u16; 6] = [400, 401, 403, 408, 429, 500];

impl Document {
    pub(super) fn read() -> Self {
        let text = fs::read_to_string(root().join("openapi/disk.json")).expect("the document is committed");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let contract = Contract::of(json.clone());
        let operations = contract.operations().into_iter().map(|(id, method, pattern)| {
            let operation = &json["paths"][&pattern][method.to_lowercase()];
            let responses = operation["responses"].as_object().expect("answers");
            for status in ["429", "500"] {
                assert!(responses.contains_key(status), "{id} does not declare {status}");
            }
            let is_own = |status: u16, words: &str| words.is_ascii() || !EVERYWHERE.contains(&status);
            let declared = responses.iter().map(|(status, response)| (status.parse().expect("a status"), response));
            let own = declared
                .filter(|(status, response)| is_own(*status, response["description"].as_str().expect("a description")));
            let statuses = own.map(|(status, _)| status).collect();
            let public = operation["security"] == serde_json::json!([{}]);
            assert_eq!(public, operation["x-access"]["who"] == "public", "{id}");
            let scopes = operation["x-access"]["scopes"].as_array().expect("scopes");
            let read = scopes.iter().any(|scope| scope == "read");
            (id, Operation { method, pattern, statuses, public, read })
        });
        Self { operations: operations.collect(), contract }
    }
}
