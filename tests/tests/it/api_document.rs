//! `docs/API.md`: its examples are run as written, by shell and by Python.

use std::fs;
use std::process::{Command, Output, Stdio};

use http::Method;
use serde_json::json;
use tests::{Random, Server, Setup, digest, root};

const PIECE: usize = 8 * 1024 * 1024;

/// The example of this number in this language.
fn example(number: usize, language: &str) -> String {
    let document = fs::read_to_string(root().join("docs/API.md")).expect("the document");
    let section = document.split("\n## ").find(|section| section.starts_with(&format!("{number}. ")));
    let section = section.unwrap_or_else(|| panic!("no example {number}"));
    let (_, block) = section.split_once(&format!("```{language}\n")).expect("a block");
    block.split_once("```").expect("the block's end").0.to_owned()
}

/// Runs it in the test's folder, by a program with these flags before the script.
fn attempt(server: &Server, token: &str, number: usize, language: &str, flags: &str) -> Output {
    let program = if language == "bash" { "bash" } else { "python3" };
    Command::new(program)
        .args([flags, &example(number, language)])
        .current_dir(server.setup().dir())
        .env("YUNLAB_URL", server.origin())
        .env("YUNLAB_TOKEN", token)
        .env("PYTHONIOENCODING", "utf-8")
        .env("no_proxy", "*")
        .stdin(Stdio::null())
        .output()
        .expect("bash, curl and python3, of Debian's packages")
}

/// Runs an example; returns its output.
fn run(server: &Server, token: &str, number: usize, language: &str) -> String {
    let output = attempt(server, token, number, language, if language == "bash" { "-euc" } else { "-c" });
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "example {number} in {language}: {said}{complained}");
    said.into_owned()
}

#[tokio::test]
async fn an_example_that_failed_does_not_end_as_if_it_had_worked() {
    let server = Server::start(Setup::new()).await;
    fs::write(server.setup().dir().join("results.bin"), "hello").expect("a file");
    for number in 1..=5 {
        for language in ["bash", "python"] {
            let output = attempt(&server, "wrong", number, language, "-c");
            let failed = !output.status.success() && output.stdout.is_empty() && !output.stderr.is_empty();
            assert!(failed, "example {number} in {language}: {output:?}");
        }
    }
}

#[tokio::test]
async fn the_examples_of_the_document_work_as_they_stand_there() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a", "name": "安" })).await.is(201);
    let ann = server.sign_in("ann", "lab2026a").await;
    let (reader, files) = (ann.access_token(&["read"]).await.0, ann.access_token(&["files"]).await.0);
    let (everything, auditor) = (ann.access_token(&["all"]).await.0, admin.access_token(&["read", "admin"]).await.0);
    ann.upload("/home/%E7%BB%93%E6%9E%9C%201.txt", "hello").await.is(200);
    let content = Random::new(11).bytes(2 * PIECE + 4321);
    fs::write(server.setup().dir().join("results.bin"), &content).expect("a file");

    for language in ["bash", "python"] {
        let said = run(&server, &reader, 1, language);
        assert!(said.lines().any(|line| line == "5\t结果 1.txt"), "{language}: {said}");

        // Half a piece has arrived before: the upload resumes there.
        let begun = ann.request(Method::POST, "/disk/api/tus/home/results.bin?override=true");
        let begun = begun.header("tus-resumable", "1.0.0").header("upload-length", content.len());
        let begun = begun.header("content-type", "application/offset+octet-stream");
        ann.send(begun.body(content[..PIECE / 2].to_vec())).await.is(201);
        let said = run(&server, &files, 2, language);
        let lines: Vec<&str> = said.lines().collect();
        let (first, last) = (format!("{} / {}", PIECE / 2 + PIECE, content.len()), format!("{0} / {0}", content.len()));
        assert_eq!(lines, [first, last], "{language}");
        assert_eq!(digest(&ann.download("/home/results.bin").await.body), digest(&content), "{language}");
        // And from the beginning.
        assert_eq!(run(&server, &files, 2, language).lines().count(), 3, "{language}");

        let said = run(&server, &files, 3, language);
        let address = said.rsplit_once("直接下载：").expect("an address").1.trim();
        let path = address.strip_prefix(server.origin()).expect("an address of ours");
        assert_eq!(digest(&server.anonymous().get(path).await.body), digest(&content), "{language}");

        let said = run(&server, &everything, 4, language);
        assert!(said.starts_with("工单 ") && said.trim_end().ends_with("undo"), "{said}");

        let said = run(&server, &auditor, 5, language);
        let expected = if language == "bash" { "行" } else { "\tann" };
        assert!(said.contains(expected), "{language}: {said}");
        // The examples need no more than the document says.
        let _ = ann.with_token(&files).post("/api/worksheets", json!({})).await.refused(403, "token_scope");
        ann.with_token(&reader).post("/disk/api/share/home/results.bin", json!({})).await.is(403);
    }
    assert_eq!(admin.get("/api/worksheets").await.expect(200)["total"], 2);
    let csv = fs::read_to_string(server.setup().dir().join("operate.csv")).expect("the log");
    assert!(csv.contains("新建工单") && csv.contains("访问令牌 all"), "{csv}");
}
