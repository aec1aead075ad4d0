//! Every call has a rule, and every rule is kept.

use std::collections::BTreeSet;

use axum::body::Body;
use portal::{RULES, Rule};
use testkit::TestPortal;

#[tokio::test]
async fn every_operation_has_exactly_one_rule() {
    let portal = TestPortal::new().await;
    let documented: BTreeSet<String> = portal.contract.operations().into_iter().map(|(id, _, _)| id).collect();
    let ruled: BTreeSet<String> = RULES.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(documented, ruled);
    assert_eq!(RULES.len(), ruled.len(), "a rule stands twice");
}

/// S165, S281, S286: tried at the door, not read off the table alone.
#[tokio::test]
async fn every_rule_is_kept() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let nobody = portal.anonymous();
    for (id, method, pattern) in portal.contract.operations() {
        let rule = RULES.iter().find(|(name, _)| *name == id).unwrap().1;
        let path =
            pattern.replace("{id}", "999").replace("{user}", "999").replace("{server}", "x").replace("{name}", "x");
        let body = || Body::from("{}");
        let without = nobody.send(&method, &path, Some("application/json"), body()).await;
        assert_eq!(without.status == 401, rule != Rule::Public, "{id} without a token: {}", without.status);
        if id == "session_logout" || id == "session_renew" {
            continue;
        }
        let as_user = ann.send(&method, &path, Some("application/json"), body()).await;
        assert_eq!(as_user.status == 403, rule == Rule::Administrator, "{id} as a user: {}", as_user.status);
    }
}
