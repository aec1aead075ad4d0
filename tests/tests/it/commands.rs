//! The command panel through real sockets and real processes. File Browser's flaws of it are tried in
//! `advisories/commands.rs`.

use std::fs;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tests::{Client, Server, Setup, skipped, until};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub(crate) const PASSWORD: &str = "lab2026a";
pub(crate) const SOON: Duration = Duration::from_secs(30);

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server, its administrator, and Ann, who may run these programs.
pub(crate) struct Lab {
    pub(crate) server: Server,
    pub(crate) admin: Client,
    pub(crate) ann: Client,
    pub(crate) id: i64,
}

impl Lab {
    /// Nothing where there can be no sandbox.
    pub(crate) async fn with(programs: &[&str]) -> Option<Self> {
        Self::on(Server::start(Setup::new()).await, programs).await
    }

    /// On a server that was started by the test.
    pub(crate) async fn on(server: Server, programs: &[&str]) -> Option<Self> {
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
    pub(crate) async fn permit(&self, change: Value) {
        let which: Vec<&String> = change.as_object().expect("fields").keys().collect();
        let id = self.id;
        let mut data = change.clone();
        data["id"] = json!(id);
        let body = json!({ "what": "user", "which": which, "data": data });
        self.admin.put(&format!("/disk/api/users/{id}"), body).await.is(200);
    }

    /// Opens the panel in a folder; the status where that is refused.
    pub(crate) async fn open(&self, who: &Client, folder: &str) -> Result<Socket, u16> {
        let address = format!("ws://{}/disk/api/command{folder}?auth={}", self.server.address(), who.token());
        match connect_async(address).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// The output of a command, and the code and reason of its end.
    pub(crate) async fn run(&self, folder: &str, line: &str) -> (Vec<String>, CloseCode, String) {
        let mut socket = self.open(&self.ann, folder).await.expect("the panel opens");
        socket.send(Message::text(line)).await.expect("the command goes out");
        finish(&mut socket).await
    }

    /// The lines of a command that ends well.
    pub(crate) async fn lines(&self, folder: &str, line: &str) -> Vec<String> {
        let (lines, code, reason) = self.run(folder, line).await;
        assert_eq!((code, reason.as_str()), (CloseCode::Normal, "0"), "{lines:?}");
        lines
    }

    pub(crate) fn home(&self) -> std::path::PathBuf {
        self.server.setup().data_dir().join("disk/home/ann")
    }
}

/// Everything until the end: the lines, and the close frame's code and reason.
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
pub(crate) fn runs(mark: &str) -> bool {
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
    // A long line arrives in pieces; invalid UTF-8 is replaced.
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
    // A sandbox cannot enforce rules, so users with rules have none.
    let rule = json!({ "regex": false, "allow": false, "path": "/home/secret", "regexp": { "raw": "" } });
    lab.permit(json!({ "rules": [rule] })).await;
    assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
    lab.permit(json!({ "rules": [] })).await;
    let mut settings = lab.admin.get("/disk/api/settings").await.expect(200);
    settings["exec"] = json!(false);
    lab.admin.put("/disk/api/settings", settings).await.is(200);
    assert_eq!(lab.open(&lab.ann, "/home").await.err(), Some(403));
}

/// Without the right to change files, commands cannot change them either.
#[tokio::test]
async fn folders_are_for_reading_without_the_rights_to_change() {
    let Some(lab) = Lab::with(&["touch", "cat"]).await else { return };
    lab.ann.upload("/home/mine", "mine").await.is(200);
    lab.permit(json!({ "perm": { "delete": false } })).await;
    assert_ne!(lab.run("/home", "touch mine").await.2, "0");
    assert_eq!(lab.lines("/home", "cat mine").await, ["mine"]);
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

/// A killed server ends its sandboxes, whether they are being set up or running.
#[tokio::test]
async fn a_killed_server_takes_its_commands_along() {
    let Some(mut lab) = Lab::with(&["sh"]).await else { return };
    for processes in [1, 2, 3, 4, 5, 2, 3] {
        let mark = format!("87{:03}{processes}", lab.server.address().port());
        let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
        let line = format!("sh -c 'sleep {mark} & sleep {mark}'");
        socket.send(Message::text(line.as_str())).await.expect("the command goes out");
        // Bubblewrap's own processes come first, and have the whole command line.
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
    // More processes than the limit allows.
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

/// L10: an administrator's command sees the files of all users.
#[tokio::test]
async fn an_administrators_command_is_in_the_operate_log() {
    let Some(lab) = Lab::with(&["cat"]).await else { return };
    lab.ann.upload("/home/secret.txt", "hers").await.is(200);
    let users = lab.admin.get("/disk/api/users").await.expect(200);
    let admin =
        users.as_array().expect("users").iter().find(|user| user["username"] == "admin").expect("the first one");
    let id = admin["id"].as_i64().expect("an id");
    let body = json!({ "what": "user", "which": ["commands"], "data": { "id": id, "commands": ["cat"] } });
    lab.admin.put(&format!("/disk/api/users/{id}"), body).await.is(200);
    lab.run("/home", "cat secret.txt").await;
    for line in ["less secret.txt", "cat secret.txt"] {
        let mut socket = lab.open(&lab.admin, "/home/ann").await.expect("the panel opens");
        socket.send(Message::text(line)).await.expect("the command goes out");
        finish(&mut socket).await;
    }
    let rows = until("the entry", SOON, async || {
        let rows = lab.admin.get("/api/logs/operate?action=disk.command").await.expect(200)["items"].clone();
        rows.as_array().filter(|rows| !rows.is_empty()).cloned()
    })
    .await;
    let told = rows.iter().map(|row| (&row["username"], &row["target"], &row["detail"]));
    assert_eq!(told.collect::<Vec<_>>(), [(&json!("admin"), &json!("/home/ann"), &json!("cat secret.txt"))]);
}
