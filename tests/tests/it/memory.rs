//! Each password hash works on 19 MiB; that memory must not stay with the process.

use std::fs;

use serde_json::json;
use tests::{Server, Setup};

const MIB: u64 = 1024;
/// As many hashes at once as the server allows, each with its memory.
const AT_ONCE: u64 = 4 * 20 * MIB;

/// Resident memory in KiB.
fn resident(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process())).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[tokio::test]
async fn hashing_passwords_does_not_keep_memory() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let before = resident(&server);
    let mut table = "username,password,name\n".to_owned();
    for n in 0..40 {
        table.push_str(&format!("user{n},lab2026a,名字\n"));
    }
    let made = admin.post("/api/users/batch", json!({ "text": table, "dryRun": false })).await.expect(200);
    assert_eq!(made["created"], 40, "{made:#}");
    let wrong = async |name: usize| {
        let body = json!({ "username": format!("user{name}"), "password": "wrong2026" });
        server.anonymous().post("/api/auth", body).await.is(422);
    };
    tokio::join!(wrong(0), wrong(1), wrong(2), wrong(3), wrong(4), wrong(5), wrong(6), wrong(7), wrong(8), wrong(9));
    let after = resident(&server);
    assert!(after < before + AT_ONCE, "{} MiB before, {} MiB after", before / MIB, after / MIB);
}
