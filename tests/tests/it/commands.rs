//! The command panel through real sockets and real processes, File Browser's flaws of it among
//! what is tried.

use std::fs;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use http::Method;
use serde_json::{Value, json};
use tests::{Client, Server, Setup, skipped, until};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

const PASSWORD: &str = "lab2026a";
const SOON: Duration = Duration::from_secs(30);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server, its administrator, and Ann, who may run these programs.
struct Lab {
    server: Server,
    admin: Client,
    ann: Client,
    id: i64,
}

impl Lab {
    /// Nothing where there can be no sandbox.
    async fn with(programs: &[&str]) -> Option<Self> {
        let server = Server::start(Setup::new()).await;
        let admin = server.admin().await;
        if admin.get("/disk/api/settings").await.expect(200)["exec"] != true {
            skipped("bubblewrap can't make a sandbox here");
            return None;
        }
        let new = json!({ "username": "ann", "password": PASSWORD, "name": "Ann" });
        let id = admin.post("/api/users", new).await.expect(201)["id"].as_i64().expect("an id");
        let ann = server.sign_in("ann", PASSWORD).await;
        ann.get("/disk/api/resources/home").await.is(200);
        let lab = Self { server, admin, ann, id };
        lab.permit(json!({ "perm": { "execute": true }, "commands": programs })).await;
        Some(lab)
    }

    /// Changes Ann's disk user.
    async fn permit(&self, change: Value) {
        let which: Vec<&String> = change.as_object().expect("fields").keys().collect();
        let id = self.id;
        let mut data = change.clone();
        data["id"] = json!(id);
        let body = json!({ "what": "user", "which": which, "data": data });
        self.admin.put(&format!("/disk/api/users/{id}"), body).await.is(200);
    }

    /// Opens the panel in a folder; the status where that is refused.
    async fn open(&self, who: &Client, folder: &str) -> Result<Socket, u16> {
        let address = format!("ws://{}/disk/api/command{folder}?auth={}", self.server.address(), who.token());
        match connect_async(address).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// What a command prints, and the code and reason of its end.
    async fn run(&self, folder: &str, line: &str) -> (Vec<String>, CloseCode, String) {
        let mut socket = self.open(&self.ann, folder).await.expect("the panel opens");
        socket.send(Message::text(line)).await.expect("the command goes out");
        finish(&mut socket).await
    }

    /// The lines of a command that ends well.
    async fn lines(&self, folder: &str, line: &str) -> Vec<String> {
        let (lines, code, reason) = self.run(folder, line).await;
        assert_eq!((code, reason.as_str()), (CloseCode::Normal, "0"), "{lines:?}");
        lines
    }

    fn home(&self) -> std::path::PathBuf {
        self.server.setup().data_dir().join("disk/home/ann")
    }
}

/// What comes until the end: the lines, and the close frame's code and reason.
pub(crate) async fn finish(socket: &mut Socket) -> (Vec<String>, CloseCode, String) {
    let mut lines = Vec::new();
    let all = async {
        loop {
            match socket.next().await.expect("a close frame comes last").expect("a frame") {
                Message::Text(text) => lines.push(text.as_str().to_owned()),
                Message::Close(Some(frame)) => return (frame.code, frame.reason.as_str().to_owned()),
                Message::Close(None) => panic!("no reason: {lines:?}"),
                _ => {}
            }
        }
    };
    let (code, reason) = tokio::time::timeout(SOON, all).await.expect("the command ends");
    (lines, code, reason)
}

/// How many processes have this among their arguments.
fn running(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").expect("there is /proc").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())).count()
}

/// Whether any has.
fn runs(mark: &str) -> bool {
    running(mark) > 0
}

#[tokio::test]
async fn s366_output_comes_line_by_line_and_the_exit_status_last() {
    let Some(lab) = Lab::with(&["ls", "sh", "pwd", "cat", "touch", "nonesuch"]).await else { return };
    lab.ann.upload("/home/d/a b.txt", "first\nsecond\n").await.is(200);
    assert_eq!(lab.lines("/home/d", "cat 'a b.txt'").await, ["first", "second"]);
    assert_eq!(lab.lines("/home/d/", "pwd").await, ["/home/d"]);
    assert_eq!(lab.lines("/", "ls").await.first().map(String::as_str), Some("bin"));
    let (lines, code, reason) = lab.run("/home", "sh -c 'echo 1; echo 2 >&2; echo 3; printf 4; exit 7'").await;
    assert_eq!(lines, ["1", "2", "3", "4"]);
    assert_eq!((code, reason.as_str()), (CloseCode::Normal, "7"));
    let (_, code, reason) = lab.run("/home", "sh -c 'kill -9 $$'").await;
    assert_eq!((code, reason.as_str()), (CloseCode::Normal, "137"));
    let (_, code, reason) = lab.run("/home", "nonesuch").await;
    assert!(code == CloseCode::Normal && reason != "0", "{reason}");
    lab.lines("/home/d", "touch made").await;
    assert!(lab.home().join("d/made").exists());
    // A long line comes in pieces, and what is no UTF-8 comes as it can be shown.
    let long = lab.lines("/home", r"sh -c 'head -c 20000 /dev/zero | tr \\0 x; printf \\377'").await;
    assert_eq!(long.concat(), format!("{}\u{fffd}", "x".repeat(20_000)));
}

#[tokio::test]
async fn a_line_comes_before_the_command_ends() {
    let Some(lab) = Lab::with(&["sh"]).await else { return };
    let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
    socket.send(Message::text("  ")).await.expect("a blank line is nothing");
    let wait = "sh -c 'echo waiting; while [ ! -e go ]; do sleep 0.1; done; echo went'";
    socket.send(Message::text(wait)).await.expect("the command goes out");
    let first = async {
        loop {
            if let Message::Text(text) = socket.next().await.expect("a frame").expect("a frame") {
                return text;
            }
        }
    };
    assert_eq!(tokio::time::timeout(SOON, first).await.expect("a line").as_str(), "waiting");
    lab.ann.upload("/home/go", "").await.is(200);
    assert_eq!(finish(&mut socket).await, (vec!["went".to_owned()], CloseCode::Normal, "0".to_owned()));
}

#[tokio::test]
async fn who_may_not_is_refused_before_anything_is_read() {
    let Some(lab) = Lab::with(&["ls"]).await else { return };
    lab.open(&lab.ann, "/home").await.expect("the panel opens");
    assert_eq!(lab.open(&lab.ann, "/home/none").await.err(), Some(404));
    lab.ann.upload("/home/file", "").await.is(200);
    assert_eq!(lab.open(&lab.ann, "/home/file").await.err(), Some(400));
    assert_eq!(lab.open(&lab.ann.with_token("a.b.c"), "/home").await.err(), Some(401));
    lab.ann.get("/disk/api/command/home").await.is(400);
    // Administrators need the list as well.
    let mut socket = lab.open(&lab.admin, "/home").await.expect("the panel opens");
    socket.send(Message::text("ls")).await.expect("the command goes out");
    assert_eq!(finish(&mut socket).await.1, CloseCode::Policy);
    for perm in [json!({ "execute": false }), json!({ "execute": true, "download": false })] {
        lab.permit(json!({ "perm": perm })).await;
        assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
        lab.ann.get("/disk/api/command/home").await.is(403);
    }
    lab.permit(json!({ "perm": { "execute": true, "download": true } })).await;
    lab.open(&lab.ann, "/home").await.expect("the panel opens");
    // A sandbox knows no rules, so there is none where rules hold.
    let rule = json!({ "regex": false, "allow": false, "path": "/home/secret", "regexp": { "raw": "" } });
    lab.permit(json!({ "rules": [rule] })).await;
    assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
    lab.permit(json!({ "rules": [] })).await;
    let mut settings = lab.admin.get("/disk/api/settings").await.expect(200);
    settings["exec"] = json!(false);
    lab.admin.put("/disk/api/settings", settings).await.is(200);
    assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
}

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
        // The server hangs up on whoever goes on sending.
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

/// CVE-2026-54088: what is typed at the login becomes part of a command.
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

/// Who may not change files can't by commands.
#[tokio::test]
async fn folders_are_for_reading_without_the_rights_to_change() {
    let Some(lab) = Lab::with(&["touch", "cat"]).await else { return };
    lab.ann.upload("/home/mine", "mine").await.is(200);
    lab.permit(json!({ "perm": { "delete": false } })).await;
    assert_ne!(lab.run("/home", "touch mine").await.2, "0");
    assert_eq!(lab.lines("/home", "cat mine").await, ["mine"]);
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

#[tokio::test]
async fn whoever_goes_takes_the_command_along() {
    let Some(lab) = Lab::with(&["sh"]).await else { return };
    let mark = format!("86{:03}", lab.server.address().port());
    let line = format!("sh -c 'sleep {mark} & echo started; sleep {mark}'");
    let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
    socket.send(Message::text(line.as_str())).await.expect("the command goes out");
    until("the command", SOON, async || runs(&mark).then_some(())).await;
    drop(socket);
    until("the command's end", SOON, async || (!runs(&mark)).then_some(())).await;
    // And the server, when it stops, all of them, after a word.
    let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
    socket.send(Message::text(line.as_str())).await.expect("the command goes out");
    until("the command", SOON, async || runs(&mark).then_some(())).await;
    lab.server.ask_to_stop();
    let (lines, code, _) = finish(&mut socket).await;
    assert_eq!((lines, code), (vec!["started".to_owned()], CloseCode::Away));
    until("the command's end", SOON, async || (!runs(&mark)).then_some(())).await;
}

/// Killed, the server tells its sandboxes nothing, whether they are being set up or have been for long.
#[tokio::test]
async fn a_killed_server_takes_its_commands_along() {
    let Some(mut lab) = Lab::with(&["sh"]).await else { return };
    for processes in [1, 2, 3, 4, 5, 2, 3] {
        let mark = format!("87{:03}{processes}", lab.server.address().port());
        let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
        let line = format!("sh -c 'sleep {mark} & sleep {mark}'");
        socket.send(Message::text(line.as_str())).await.expect("the command goes out");
        // Bubblewrap's own processes come first, one after the other, and have the whole line.
        let begun = async {
            while running(&mark) + running(&format!("sleep {mark} & sleep {mark}")) < processes {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(SOON, begun).await.expect("the command begins");
        lab.server.kill_hard();
        let over = async || (!runs(&mark) && !runs(&format!("sleep {mark} & sleep {mark}"))).then_some(());
        until("the command's end", SOON, over).await;
        lab.server.start_again().await;
        lab.ann = lab.server.anonymous().with_token(lab.ann.token());
    }
}

#[tokio::test]
async fn a_command_can_not_take_everything() {
    let Some(lab) = Lab::with(&["sh", "yes"]).await else { return };
    // Too many processes, as many as the kernel lets it have.
    let fork = "sh -c 'i=0; while [ $i -lt 400 ]; do sleep 600 & i=$((i+1)); done; wait'";
    let (lines, _, reason) = lab.run("/home", fork).await;
    assert_ne!(reason, "0", "{lines:?}");
    // Endless output.
    let (lines, code, reason) = lab.run("/home", "yes 0123456789012345678901234567890123456789").await;
    assert_eq!(lines.last().map(String::as_str), Some("(killed: too much output)"));
    assert_eq!((code, reason.as_str()), (CloseCode::Normal, "137"));
    // Memory and dumps of each process; more temporary files than there is room for.
    assert_eq!(lab.lines("/home", "sh -c 'ulimit -v; ulimit -c'").await, ["8388608", "0"]);
    assert_ne!(lab.run("/home", "sh -c 'head -c 400M /dev/zero > /tmp/x'").await.2, "0");
    assert_ne!(lab.run("/home", "sh -c 'head -c 400M /dev/zero > /dev/shm/x'").await.2, "0");
}
