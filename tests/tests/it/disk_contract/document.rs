//! The document, as far as the table is compared with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use testkit::Contract;
use tests::root;

/// One operation of the document.
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

/// What every operation can answer besides, as the document says at its beginning.
pub(super) const EVERYWHERE: [u16; 6] = [400, 401, 403, 408, 429, 500];

impl Document {
    pub(super) fn read() -> Self {
        let text = fs::read_to_string(root().join("openapi/disk.json")).expect("the document is committed");
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let said = json["info"]["description"].as_str().expect("a description");
        for status in EVERYWHERE {
            assert!(said.contains(&status.to_string()), "{status} is not said of every operation: {said}");
        }
        let contract = Contract::of(json.clone());
        let operations = contract.operations().into_iter().map(|(id, method, pattern)| {
            let operation = &json["paths"][&pattern][method.to_lowercase()];
            let responses = operation["responses"].as_object().expect("answers");
            let statuses = responses.keys().map(|status| status.parse().expect("a status")).collect();
            let public = operation["security"] == serde_json::json!([{}]);
            assert_eq!(public, operation["x-access"]["who"] == "public", "{id}");
            let scopes = operation["x-access"]["scopes"].as_array().expect("scopes");
            let read = scopes.iter().any(|scope| scope == "read");
            (id, Operation { method, pattern, statuses, public, read })
        });
        Self { operations: operations.collect(), contract }
    }
}
