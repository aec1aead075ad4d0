//! Downloads go past the router, and are answered exactly as through it.

use http::{HeaderMap, Method, StatusCode};

use super::harness::{Answer, TestDisk};

/// What every answer has anew.
const OWN: [&str; 2] = ["date", "x-request-id"];

fn told(mut answer: Answer) -> (StatusCode, HeaderMap, Vec<u8>) {
    for name in OWN {
        answer.headers.remove(name);
    }
    (answer.status, answer.headers, answer.body)
}

#[tokio::test]
async fn both_ways_answer_alike() {
    let disk = TestDisk::with(|config| {
        config.origins = vec!["https://lab.example".to_owned()];
        config.settings.defaults.perm.download = true;
    })
    .await;
    disk.seed("home/ann/图 1.txt", "0123456789");
    disk.seed("home/ann/folder/inside", "text");
    disk.seed("home/ann/large", vec![7; 700_000]);
    disk.seed("home/bob/a", "secret");
    let paths = [
        "/api/raw/home/%E5%9B%BE%201.txt",
        "/api/raw/home/%E5%9B%BE%201.txt?inline=true",
        "/api/raw/home/%E5%9B%BE%201.txt?inline=2",
        "/api/raw/home/%E5%9B%BE%201.txt/",
        "/api/raw/home/%FF",
        "/api/raw/home/%2e%2e/bob/a",
        "/api/raw/home/../bob/a",
        "/api/raw/home/none",
        "/api/raw/home/large",
        "/api/raw//home/large",
        "/api/raw/home//large",
        "/api/raw/home/folder?algo=tar",
        "/api/raw/home/folder?algo=none",
        "/api/raw/?algo=tar",
        "/api/raw/",
        "/api/raw",
        "/api/rawhome/large",
    ];
    let headers = [
        ("accept", "*/*"),
        ("range", "bytes=2-5"),
        ("range", "bytes=900000-"),
        ("if-none-match", "*"),
        ("origin", "https://lab.example"),
        ("origin", "https://elsewhere.example"),
        ("accept-encoding", "gzip"),
    ];
    let routed = disk.through_the_router();
    for token in ["ann", "bob", "root", "ended", "disabled", "none", ""] {
        for path in paths {
            for (name, value) in headers {
                for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::POST] {
                    let asked = |call: super::harness::Call| {
                        let call = if token.is_empty() { call } else { call.header("x-auth", token) };
                        call.header(name, value).send(method.clone(), path, "")
                    };
                    let (through, past) = (asked(routed.clone()).await, asked(disk.anonymous()).await);
                    assert_eq!(told(past), told(through), "{token} {method} {path} {name}: {value}");
                }
            }
        }
    }
}
