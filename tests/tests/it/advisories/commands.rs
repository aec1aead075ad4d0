//! Flaws of commands and hooks, tried on real sandboxes.

use std::fs;

use futures_util::{SinkExt, StreamExt};
use http::Method;
use serde_json::json;
use tests::{Server, Setup, until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::commands::{Lab, SOON};

/// CVE-2026-90927: a frame of any size is taken in before anything is checked.
#[tokio::test]
async fn ghsa_39cx_frames_are_small() {
    let Some(lab) = Lab::with(&["ls"]).await else { return };
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", lab.server.process())).expect("the server runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it has memory").to_owned();
        peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    let before = peak();
    for size in [5000, 150_000_000] {
        let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
        // The server closes the connection of a client that keeps sending.
        let _ = socket.send(Message::text("x".repeat(size))).await;
        let end = tokio::time::timeout(SOON, async {
            loop {
                match socket.next().await {
                    Some(Ok(Message::Close(Some(frame)))) => return Some(frame.code),
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        });
        let code = end.await.expect("the server hangs up");
        assert!(code.is_none_or(|code| code == CloseCode::Size), "{code:?}");
    }
    assert!(peak() < before + 64 * 1024, "{} KiB more", peak() - before);
    lab.permit(json!({ "perm": { "execute": false } })).await;
    assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
}

/// CVE-2026-54090, and issue 2480 of the original: a shell gets the line.
#[tokio::test]
async fn ghsa_8c9q_issue_2480_no_shell_reads_the_line() {
    let Some(lab) = Lab::with(&["ls", "echo"]).await else { return };
    for line in ["ls; touch made", "ls\ntouch made", "ls&&touch made", "ls|touch made", "touch made", "`touch made`"] {
        let (lines, code, _) = lab.run("/home", line).await;
        assert_eq!((lines, code), (vec!["Command not allowed.".to_owned()], CloseCode::Policy), "{line:?}");
    }
    for line in ["echo a ; touch made", "echo $(touch made) `touch made`", "echo a > made", "echo a && touch made"] {
        assert_eq!(lab.lines("/home", line).await, [line.strip_prefix("echo ").expect("an echo")], "{line:?}");
    }
    let (lines, code, _) = lab.run("/home", "ls 'open").await;
    assert_eq!((lines, code), (vec!["Unbalanced quotes.".to_owned()], CloseCode::Policy));
    assert!(!lab.home().join("made").exists());
}

/// CVE-2026-35585: names of files reach a shell through hooks. There are none, and names are
/// names for commands too.
#[tokio::test]
async fn ghsa_jvpw_names_of_files_run_nothing() {
    let Some(lab) = Lab::with(&["ls"]).await else { return };
    let mut settings = lab.admin.get("/disk/api/settings").await.expect(200);
    let hooks: Vec<String> =
        settings["commands"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    for hook in hooks {
        settings["commands"][hook] = json!(["touch $FILE.made", "sh -c \"touch $FILE.made\""]);
    }
    // Refused or kept, they are never run.
    lab.admin.put("/disk/api/settings", settings).await;
    let name = "$(touch made);`touch made`";
    let path = "/home/%24(touch%20made)%3B%60touch%20made%60";
    lab.ann.upload(path, "x").await.is(200);
    let rename = format!("/disk/api/resources{path}?action=rename&destination=/home/b%3Btouch%20made");
    lab.ann.send(lab.ann.request(Method::PATCH, &rename)).await.is(200);
    assert_eq!(lab.lines("/home", "ls").await, ["b;touch made"]);
    lab.ann.delete("/disk/api/resources/home/b%3Btouch%20made").await.is(200);
    let left: Vec<_> = fs::read_dir(lab.home()).expect("a home").flatten().map(|entry| entry.file_name()).collect();
    assert!(left.is_empty(), "{left:?} after {name}");
}

/// CVE-2026-54088: text typed at the login becomes part of a command.
#[tokio::test]
async fn ghsa_m93h_signing_in_runs_nothing() {
    let server = Server::start(Setup::new()).await;
    let mark = server.setup().dir().join("made");
    for name in [format!("\";touch {};\"", mark.display()), format!("$(touch {})", mark.display())] {
        let body = json!({ "username": name, "password": name });
        let status = server.anonymous().post("/api/auth", body).await.status.as_u16();
        assert!((400..500).contains(&status), "{status}");
    }
    assert!(!mark.exists());
}

/// CVE-2025-52903 and CVE-2025-52904: allowed programs start others, and read everything.
#[tokio::test]
async fn ghsa_3q2w_ghsa_hc8f_commands_see_only_the_persons_folders() {
    let Some(lab) = Lab::with(&["sh", "cat", "ls"]).await else { return };
    let data = lab.server.setup().data_dir();
    for (path, content) in [("home/bob/secret", "bobs secret"), ("datasets/secret", "bobs"), ("datasets/set/x", "data")]
    {
        let path = data.join("disk").join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let set = json!({ "name": "set", "type": "other", "visibility": "public", "adopt": true });
    lab.admin.post("/api/datasets", set).await.is(202);
    let is_seen = async || (lab.ann.get("/disk/api/resources/datasets/set/x").await.status == 200).then_some(());
    until("the dataset", SOON, is_seen).await;
    lab.admin.upload("/share/y", "shared").await.is(200);
    lab.ann.upload("/home/mine", "mine").await.is(200);
    let key = data.display().to_string();
    for path in [
        "../bob/secret",
        "/home/bob/secret",
        "../../home/bob/secret",
        "/etc/shadow",
        "/etc/passwd",
        "/root",
        "/.yunlab",
        "/home/../.yunlab",
        "/datasets/secret",
        "/proc/1/root/etc/passwd",
        "/proc/1/cwd",
        "/sys",
        key.as_str(),
    ] {
        let (lines, _, reason) = lab.run("/home", &format!("cat {path}")).await;
        assert_ne!(reason, "0", "{path}: {lines:?}");
        let told = lines.iter().any(|line| line.contains("bobs") || line.starts_with("root:"));
        assert!(!told, "{path}: {lines:?}");
    }
    assert_eq!(lab.lines("/", "cat home/mine datasets/set/x share/y").await, ["minedatashared"]);
    // Neither the server's environment, nor its processes, handles or network.
    let environment = lab.lines("/home", "sh -c 'cat /proc/1/environ /proc/self/environ | tr \\\\0 \\\\n'").await;
    assert!(!environment.iter().any(|line| line.contains("YUNLAB") || line.contains(&key)), "{environment:?}");
    let processes = lab.lines("/home", "sh -c 'cat /proc/[0-9]*/comm'").await;
    assert!(!processes.iter().any(|name| name == "yunlab"), "{processes:?}");
    let handles = lab.lines("/home", "sh -c 'ls -l /proc/1/fd /proc/self/fd'").await;
    assert!(!handles.iter().any(|line| line.contains(&key) || line.contains("socket:")), "{handles:?}");
    let network = lab.lines("/home", "sh -c 'tail -n +3 /proc/net/dev; tail -n +2 /proc/net/route'").await;
    assert!(network.iter().all(|line| line.trim_start().starts_with("lo:")), "{network:?}");
    // Nothing but the home and the share can be written.
    let script = "for f in /usr/x /x /etc/x /dev/x /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern \
        /datasets/set/z /home/z /share/z /tmp/z; do (echo x > $f) 2>/dev/null && echo $f; done; true";
    assert_eq!(lab.lines("/home", &format!("sh -c '{script}'")).await, ["/home/z", "/share/z", "/tmp/z"]);
    let capabilities = lab.lines("/home", "sh -c 'grep -E ^Cap /proc/self/status'").await;
    assert!(capabilities.iter().all(|line| line.ends_with("\t0000000000000000")), "{capabilities:?}");
    // A link that leads out of the home leads nowhere in the sandbox.
    std::os::unix::fs::symlink(data.join("disk/home/bob"), lab.home().join("out")).expect("a link");
    assert_ne!(lab.run("/home", "cat out/secret").await.2, "0");
}

/// CVE-2025-52995: the list matches parts of names.
#[tokio::test]
async fn ghsa_w7qc_names_are_compared_whole() {
    let Some(lab) = Lab::with(&["ls"]).await else { return };
    for line in ["lsattr", "false", "lsblk", "LS", "/bin/ls", "./ls", "env ls", "", "'' ls"] {
        let line = if line.is_empty() { "''" } else { line };
        let (lines, code, _) = lab.run("/home", line).await;
        assert_eq!((lines, code), (vec!["Command not allowed.".to_owned()], CloseCode::Policy), "{line}");
    }
}
