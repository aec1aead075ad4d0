//! Who may make a call, said in the API document: `x-access` of every operation.

use kernel::scope::{Scope, opening};
use serde_json::json;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;

/// Anybody, without a token too.
pub const PUBLIC: &str = "public";
/// Anybody who is signed in.
pub const SIGNED_IN: &str = "signed-in";
/// Administrators.
pub const ADMINISTRATOR: &str = "administrator";

/// Adds to every operation `who` may make it, one of the words above, and which scopes of an access
/// token each open it. `base` is where the document's paths begin.
pub fn describe_access(document: &mut OpenApi, base: &str, who: impl Fn(&Operation) -> &'static str) {
    for (path, item) in &mut document.paths.paths {
        let calls = [
            ("GET", &mut item.get),
            ("HEAD", &mut item.head),
            ("OPTIONS", &mut item.options),
            ("POST", &mut item.post),
            ("PUT", &mut item.put),
            ("PATCH", &mut item.patch),
            ("DELETE", &mut item.delete),
        ];
        for (method, operation) in calls {
            let Some(operation) = operation else { continue };
            let who = who(operation);
            let scopes: &[Scope] = if who == PUBLIC { &[] } else { opening(method, &format!("{base}{path}")) };
            let access = json!({ "who": who, "scopes": scopes });
            operation.extensions.get_or_insert_default().insert("x-access".to_owned(), access);
        }
    }
}
