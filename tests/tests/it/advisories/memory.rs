//! Flaws by which a server takes in too much.

use std::fs;

use futures_util::future::join_all;
use tests::{Server, Setup};

use crate::disk_memory::{MIB, forget_peak, length, memory, share, sparse};

/// GHSA-7xqm-7738-642x: texts are read whole.
#[tokio::test]
async fn ghsa_7xqm_many_large_texts_at_once() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    fs::write(share(&server).join("a.txt"), "a line of text\n".repeat(699_050)).expect("a text");
    sparse(share(&server).join("huge.txt"), 20 << 30);
    admin.get("/disk/api/resources/share/a.txt?kind=listing").await.is(200);
    let before = memory(&server, "VmRSS:");
    forget_peak(&server);
    let lengths = join_all((0..16).map(|_| length(&admin, "/disk/api/resources/share/a.txt"))).await;
    assert!(lengths.iter().all(|length| *length > 10_000_000), "{lengths:?}");
    let lengths = join_all((0..50).map(|_| length(&admin, "/disk/api/resources/share/huge.txt"))).await;
    assert!(lengths.iter().all(|length| *length < 1000), "{lengths:?}");
    let peak = memory(&server, "VmHWM:");
    // A pipe of some chunks for each, instead of 20 MiB and more.
    assert!(peak < before + 80 * MIB, "{} MiB before, {} MiB at most", before / MIB, peak / MIB);
}
