//! Resumable uploads with the client that pages use.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use tests::{Client, Random, Server, Setup, digest, root};

const PIECE: usize = 256 * 1024;

struct Upload {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Upload {
    fn start(server: &Server, client: &Client, path: &str, file: &Path, address: Option<&str>) -> Self {
        let endpoint = format!("{}/disk/api/tus{path}", server.origin());
        let mut command = Command::new("node");
        command.arg(root().join("tests/tus-client.mjs")).args([&endpoint, client.token()]).arg(file);
        command.arg(PIECE.to_string()).args(address).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("node starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { child, lines }
    }

    /// Its next line that begins so.
    fn next(&mut self, start: &str) -> String {
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("no more lines before {start:?}")).expect("a line");
            assert!(!line.starts_with("failed"), "{line}");
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim().to_owned();
            }
        }
    }

    fn end(mut self) {
        self.next("done");
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn content(server: &Server, bytes: usize) -> (std::path::PathBuf, Vec<u8>) {
    let content = Random::new(7).bytes(bytes);
    let file = server.setup().dir().join("content");
    std::fs::write(&file, &content).expect("a file to upload");
    (file, content)
}

#[tokio::test]
async fn tus_js_client_uploads_a_file() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let (file, content) = content(&server, 3 * PIECE + 12_345);
    Upload::start(&server, &admin, "/share/%E5%9B%BE%20a.bin", &file, None).end();
    let got = admin.download("/share/%E5%9B%BE%20a.bin").await;
    got.is(200);
    assert_eq!(digest(&got.body), digest(&content));
    let real = server.setup().data_dir().join("disk/share/图 a.bin");
    let modified = std::fs::metadata(real).expect("the file").modified().expect("its time");
    assert_eq!(modified, UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    let empty = server.setup().dir().join("empty");
    std::fs::write(&empty, "").expect("an empty file");
    Upload::start(&server, &admin, "/share/empty", &empty, None).end();
    assert!(admin.download("/share/empty").await.body.is_empty());
}

#[tokio::test]
async fn tus_js_client_goes_on_after_a_reload_and_after_the_server_was_killed() {
    let mut server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let (file, content) = content(&server, 60 * PIECE);
    let mut page = Upload::start(&server, &admin, "/share/a", &file, None);
    let address = page.next("at ");
    page.next("sent ");
    // The page is closed; another one resumes.
    drop(page);
    server.kill_hard();
    let seen = server.setup().data_dir().join("disk/share");
    assert_eq!(std::fs::read_dir(&seen).expect("the share").count(), 0);
    server.start_again().await;
    let admin = server.anonymous().with_token(admin.token());
    let path = address.split_once("/disk/").expect("an address of the disk").1;
    let address = format!("{}/disk/{path}", server.origin());
    let mut page = Upload::start(&server, &admin, "/share/a", &file, Some(&address));
    let first: usize = page.next("sent ").parse().expect("a number");
    assert!(first > PIECE, "it began anew: {first}");
    page.end();
    assert_eq!(digest(&admin.download("/share/a").await.body), digest(&content));
    assert_eq!(std::fs::read_dir(server.setup().data_dir().join("disk/.yunlab/tus")).expect("it").count(), 0);
}
