//! The audit trail of the real binary: seals, the file of JSON lines, and `yunlab admin audit verify`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tests::{Ran, Server, Setup, until};

use crate::admin::admin;
use crate::duties::until_duty;

const PATIENCE: Duration = Duration::from_secs(60);

fn verify(setup: &Setup, expect: &[&str]) -> Ran {
    admin(setup, &[&["audit", "verify"], expect].concat(), None)
}

async fn make(server: &Server, username: &str) {
    let body = json!({ "username": username, "password": "lab2026a", "name": username });
    server.admin().await.post("/api/users", body).await.is(201);
}

#[tokio::test]
async fn a_row_that_was_changed_is_found_by_the_command() {
    let mut server = Server::start(Setup::new()).await;
    for username in ["ann", "bob"] {
        make(&server, username).await;
    }
    // Everything is sealed at the end.
    server.stop().await;
    let sound = verify(server.setup(), &[]);
    let said = sound.expect_ok();
    assert!(said.contains("日志与封条一致") && said.contains("另有 0 条还没有封存"), "{sound:?}");
    let seal = said.lines().find_map(|line| line.strip_prefix("最后一个封条：")).expect("the last seal");
    let (seal, _) = seal.split_once('（').expect("an explanation");
    assert!(verify(server.setup(), &["--expect", seal]).ok);

    assert_eq!(server.sql("update operate_logs set target = 'eve' where target = 'bob'").await, 1);
    let changed = verify(server.setup(), &[]);
    assert!(changed.expect_refused().contains("日志与封条不一致，发现 1 处"), "{changed:?}");
    assert!(
        changed.out.lines().any(|line| line.starts_with("异常  ") && line.contains("内容或顺序被改过")),
        "{changed:?}"
    );
    assert!(!changed.out.contains("日志与封条一致"), "{changed:?}");

    assert_eq!(server.sql("update operate_logs set target = 'bob' where target = 'eve'").await, 1);
    assert!(verify(server.setup(), &[]).ok, "as it was");
    assert_eq!(server.sql("delete from operate_logs where target = 'bob'").await, 1);
    let removed = verify(server.setup(), &[]);
    assert!(!removed.ok && removed.out.contains("少了 1 条"), "{removed:?}");
    let other = format!("{}:{}", seal.split_once(':').expect("a number").0, "0".repeat(64));
    assert!(!verify(server.setup(), &["--expect", &other]).ok);
}

/// The targets of the rows about accounts.
fn written(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rows = rows.filter(|row| row["kind"] == "row" && row["action"] == "user.create");
    rows.filter_map(|row| row["target"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn the_file_gets_each_row_once_over_restarts() {
    let setup = Setup::new();
    let file = setup.dir().join("audit.jsonl");
    let mut server = Server::start(setup.with("YUNLAB_AUDIT_FILE", &file.display().to_string())).await;
    // A new target starts where the chain ends when it first runs.
    until_duty(&server.admin().await, "forward-file", |here| here["last"].is_object()).await;
    make(&server, "ann").await;
    server.stop().await;
    server.start_again().await;
    make(&server, "bob").await;
    until("ann's row", PATIENCE, async || (written(&file) == ["ann"]).then_some(())).await;
    server.stop().await;
    server.start_again().await;
    until("bob's row", PATIENCE, async || (written(&file) == ["ann", "bob"]).then_some(())).await;
    let text = fs::read_to_string(&file).expect("the file");
    assert!(text.lines().any(|line| line.contains(r#""kind":"seal""#)), "{text}");
    let state = server.admin().await.get("/api/audit").await.expect(200);
    assert_eq!(state["fileState"]["error"], "", "{state:#}");
}
