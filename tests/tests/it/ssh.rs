//! SSH terminals against a real `sshd`, of Debian's openssh-server.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, Screen, Server, Setup, free_ports, until};
use tokio::net::{TcpListener, TcpStream};

const SOON: Duration = Duration::from_secs(30);
const TYPED: &str = "not-the-password-of-anybody";

/// An SSH server that accepts its own key, for the user that runs the tests.
struct Sshd {
    folder: TempDir,
    port: u16,
    process: Child,
}

impl Sshd {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        keygen(folder.path(), "host");
        keygen(folder.path(), "person");
        fs::rename(folder.path().join("person.pub"), folder.path().join("authorized")).expect("a key");
        // sshd wants this place, and Debian's service makes it.
        fs::create_dir_all("/run/sshd").expect("root's rights");
        let [port] = free_ports();
        let process = spawn(folder.path(), port);
        let sshd = Self { folder, port, process };
        sshd.answers().await;
        sshd
    }

    /// As after the machine was reinstalled.
    async fn with_another_key(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
        fs::remove_file(self.folder.path().join("host")).expect("a key");
        keygen(self.folder.path(), "host");
        self.process = spawn(self.folder.path(), self.port);
        self.answers().await;
    }

    async fn answers(&self) {
        until("sshd", SOON, async || TcpStream::connect(("127.0.0.1", self.port)).await.ok()).await;
    }

    fn key(&self) -> String {
        fs::read_to_string(self.folder.path().join("person")).expect("a key")
    }

    fn fingerprint(&self) -> String {
        let told = Command::new("ssh-keygen").arg("-lf").arg(self.folder.path().join("host.pub")).output();
        let told = String::from_utf8(told.expect("ssh-keygen").stdout).expect("text");
        told.split(' ').nth(1).expect("a fingerprint").to_owned()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn keygen(folder: &Path, name: &str) {
    let mut command = Command::new("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name));
    assert!(command.status().expect("ssh-keygen, of Debian's openssh-client").success());
}

fn spawn(folder: &Path, port: u16) -> Child {
    let at = |name: &str| folder.join(name).display().to_string();
    let lines = [
        format!("Port {port}"),
        "ListenAddress 127.0.0.1".to_owned(),
        format!("HostKey {}", at("host")),
        format!("AuthorizedKeysFile {}", at("authorized")),
        "PermitRootLogin yes".to_owned(),
        "StrictModes no".to_owned(),
        "UsePAM no".to_owned(),
        "PidFile none".to_owned(),
        "PrintMotd no".to_owned(),
    ];
    fs::write(folder.join("config"), lines.join("\n")).expect("a file");
    let mut command = Command::new("/usr/sbin/sshd");
    command.args(["-D", "-E", &at("log"), "-f", &at("config")]).stdin(Stdio::null());
    command.spawn().expect("sshd, of Debian's openssh-server")
}

fn me() -> String {
    let told = Command::new("id").arg("-un").output().expect("id");
    String::from_utf8(told.stdout).expect("text").trim().to_owned()
}

fn by_password() -> Value {
    json!({ "type": "login", "username": me(), "password": TYPED, "cols": 97, "rows": 31 })
}

fn by_key(key: &str) -> Value {
    json!({ "type": "login", "username": me(), "privateKey": key, "cols": 97, "rows": 31 })
}

#[tokio::test]
async fn s050_ssh_remembers_whom_it_trusted_and_keeps_no_secret() {
    let mut sshd = Sshd::start().await;
    let mut server = Server::start(Setup::new().with("YUNLAB_LOG_LEVEL", "trace")).await;
    let admin = server.admin().await;
    let form = json!({
        "name": "login", "endpoint": "unix:///run/no-engine-here.sock", "publicHost": "127.0.0.1",
        "portRange": { "from": 30000, "to": 30099 },
    });
    let id = admin.post("/api/servers", form).await.expect(201)["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/websocket/ssh/{id}/127.0.0.1/{}", sshd.port);
    let open = async |who: &Client| Screen::open(&server, who, &path, "").await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a" })).await.is(201);
    let ann = server.sign_in("ann", "lab2026a").await;
    assert_eq!(open(&ann).await.err(), Some(404));

    let mut first = open(&admin).await.expect("a socket");
    first.say(by_password()).await;
    let shown = json!({
        "type": "hostKey", "algorithm": "ssh-ed25519", "fingerprint": sshd.fingerprint(), "known": false,
    });
    assert_eq!(first.told().await, shown);
    first.say(json!({ "type": "trust" })).await;
    let wrong = first.told().await;
    assert_eq!((&wrong["type"], &wrong["reason"]), (&json!("error"), &json!("authentication")));
    assert_eq!(wrong["detail"], "用户名或密码错误");
    first.say(by_key("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n")).await;
    assert_eq!(first.told().await["reason"], "privateKey");
    first.say(by_key(&sshd.key())).await;
    assert_eq!(first.told().await, json!({ "type": "ready" }));
    first.enter("stty size; echo 云''实验室").await;
    let shown = first.shows("云实验室\r\n").await;
    assert!(String::from_utf8_lossy(&shown).contains("31 97\r\n"), "{:?}", String::from_utf8_lossy(&shown));
    // Many times more than is sent before the page reads it.
    first.enter("head -c 4000000 /dev/zero | tr '\\0' x; echo al''l").await;
    assert!(first.shows("xall\r\n").await.len() >= 4_000_000);
    first.say(json!({ "type": "resize", "cols": 120, "rows": 40 })).await;
    first.enter("stty size; exit 3").await;
    first.shows("40 120\r\n").await;
    assert_eq!(first.ends().await, (json!({ "type": "exit", "code": 3 }), 1000));

    let mut thrice = open(&admin).await.expect("a socket");
    thrice.say(by_password()).await;
    assert_eq!(thrice.told().await["known"], true);
    for _ in 0..2 {
        assert_eq!(thrice.told().await["reason"], "authentication");
        thrice.say(by_password()).await;
    }
    assert_eq!(thrice.ends().await.1, 4011);

    let trusted = sshd.fingerprint();
    sshd.with_another_key().await;
    let mut changed = open(&admin).await.expect("a socket");
    changed.say(by_key(&sshd.key())).await;
    let (told, code) = changed.ends().await;
    assert_eq!((&told["reason"], code), (&json!("hostKeyChanged"), 4010));
    assert_eq!((&told["expected"], &told["offered"]), (&json!(trusted), &json!(sshd.fingerprint())));
    let keys = format!("/api/servers/{id}/host-keys/127.0.0.1/{}", sshd.port);
    ann.delete(&keys).await.is(403);
    admin.delete(&keys).await.is(204);
    let elsewhere = server.admin().await;
    let mut again = open(&elsewhere).await.expect("a socket");
    again.say(by_key(&sshd.key())).await;
    assert_eq!(again.told().await["known"], false);
    again.say(json!({ "type": "trust" })).await;
    assert_eq!(again.told().await, json!({ "type": "ready" }));
    elsewhere.act("/api/auth/logout").await.is(204);
    let (told, code) = again.ends().await;
    assert_eq!((&told["reason"], code), (&json!("forbidden"), 4003));

    // For a script, its access token is the sign-in.
    let (token, token_id) = admin.access_token(&["compute", "admin"]).await;
    let mut script = open(&admin.with_token(token)).await.expect("a socket");
    script.say(by_key(&sshd.key())).await;
    assert_eq!(script.told().await["known"], true);
    assert_eq!(script.told().await, json!({ "type": "ready" }));
    admin.delete(&format!("/api/profile/access-tokens/{token_id}")).await.is(204);
    assert_eq!(script.ends().await.1, 4003);

    let mut last = open(&admin).await.expect("a socket");
    last.say(by_key(&sshd.key())).await;
    assert_eq!(last.told().await["known"], true);
    assert_eq!(last.told().await, json!({ "type": "ready" }));
    server.ask_to_stop();
    assert_eq!(last.ends().await.1, 1001);
    assert!(server.ended().await.success());

    let log = server.log();
    for typed in [TYPED, "OPENSSH PRIVATE KEY", "stty size"] {
        assert!(!log.contains(typed), "{typed} in {log}");
    }
}

/// A19: where no SSH server answers, people read why in Chinese.
#[tokio::test]
async fn a_server_without_ssh_is_told_in_chinese() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let form = json!({ "name": "login", "endpoint": "unix:///run/no-engine-here.sock", "publicHost": "127.0.0.1" });
    let id = admin.post("/api/servers", form).await.expect(201)["id"].as_str().expect("an id").to_owned();
    // Like a port of an instance in which no sshd runs: it accepts connections, and closes them.
    let closing = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let closed_port = closing.local_addr().expect("an address").port();
    tokio::spawn(async move { while closing.accept().await.is_ok() {} });
    let [free_port] = free_ports();
    for (port, words) in [(free_port, "连接被拒绝，那里没有服务在运行"), (closed_port, "连接被对方断开")]
    {
        let path = format!("/api/websocket/ssh/{id}/127.0.0.1/{port}");
        let mut screen = Screen::open(&server, &admin, &path, "").await.expect("a socket");
        screen.say(by_password()).await;
        let (told, _) = screen.ends().await;
        assert_eq!(told["reason"], "unreachable", "{told:#}");
        let detail = told["detail"].as_str().expect("words");
        assert!(detail.starts_with("SSH 服务器连接失败：") && detail.contains(words), "{told:#}");
    }
}
