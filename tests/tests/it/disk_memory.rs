//! The disk's memory for large responses: pieces, whatever their size.

use std::fs::{self, File};
use std::path::PathBuf;

use reqwest::Method;
use tests::{Client, Random, Server, Setup};

/// In KiB, as the kernel counts memory.
pub(crate) const MIB: u64 = 1024;

/// The process's memory in KiB, now or at its highest since the last [`forget_peak`].
pub(crate) fn memory(server: &Server, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process())).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix(what)).expect("it has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

pub(crate) fn forget_peak(server: &Server) {
    fs::write(format!("/proc/{}/clear_refs", server.process()), "5").expect("the process is ours");
}

/// Reads a response and returns its length.
pub(crate) async fn length(client: &Client, path: &str) -> usize {
    let mut answer = client.request(Method::GET, path).send().await.expect("an answer");
    assert_eq!(answer.status(), 200, "{path}");
    let mut length = 0;
    while let Some(chunk) = answer.chunk().await.expect("a whole answer") {
        length += chunk.len();
    }
    length
}

pub(crate) fn share(server: &Server) -> PathBuf {
    server.setup().data_dir().join("disk/share")
}

pub(crate) fn sparse(path: PathBuf, bytes: u64) {
    File::create(path).expect("a file").set_len(bytes).expect("a long file");
}

#[tokio::test]
async fn a_large_folder_is_never_built_in_memory() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let folder = share(&server).join("many");
    fs::create_dir(&folder).expect("a folder");
    for number in 0..30_000 {
        File::create(folder.join(format!("a file with a name {number}.txt"))).expect("a file");
    }
    admin.get("/disk/api/resources/share").await.is(200);
    let before = memory(&server, "VmRSS:");
    forget_peak(&server);
    assert!(length(&admin, "/disk/api/resources/share/many").await > 6_000_000);
    let peak = memory(&server, "VmHWM:");
    assert!(peak < before + 16 * MIB, "{} MiB before, {} MiB at most", before / MIB, peak / MIB);
}

#[tokio::test]
async fn an_archive_takes_no_more_memory_for_more_files() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let folder = share(&server).join("folder");
    fs::create_dir(&folder).expect("a folder");
    let noise = Random::new(3).bytes(32 << 20);
    fs::write(folder.join("a"), &noise).expect("a file");
    fs::write(folder.join("b"), noise).expect("a file");
    admin.get("/disk/api/resources/share").await.is(200);
    for algorithm in ["tar", "zip"] {
        let before = memory(&server, "VmRSS:");
        forget_peak(&server);
        assert!(length(&admin, &format!("/disk/api/raw/share/folder?algo={algorithm}")).await > 64 << 20);
        let peak = memory(&server, "VmHWM:");
        assert!(peak < before + 16 * MIB, "{algorithm}: {} MiB before, {} MiB at most", before / MIB, peak / MIB);
    }
}
