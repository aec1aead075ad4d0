//! Instances on a real engine through the SSH gateway of the real binary, with OpenSSH's clients: images have neither
//! sshd nor an open port.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use testkit::TestEngine;
use tests::{Client, Server, until};
use tokio::process::Command;

use crate::compute::{PASSWORD, becomes, form, lab, setup};

const SOON: Duration = Duration::from_secs(60);

/// A user's computer.
struct Computer {
    folder: TempDir,
    port: u64,
}

impl Computer {
    /// Knows the gateway's host key from the page, and has a key in the user's profile.
    async fn new(user: &Client) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut making = Command::new("ssh-keygen");
        making.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.path().join("key"));
        assert!(making.status().await.expect("ssh-keygen, of Debian's openssh-client").success());
        let key = fs::read_to_string(folder.path().join("key.pub")).expect("a key");
        user.post("/api/profile/ssh-keys", json!({ "name": "laptop", "key": key })).await.is(201);
        let mut computer = Self { folder, port: 0 };
        computer.look(user).await;
        computer
    }

    /// Looks where the gateway is. Its key must be the one that is known.
    async fn look(&mut self, user: &Client) {
        let gateway = user.get("/api/ssh-gateway").await.expect(200);
        self.port = gateway["port"].as_u64().expect("a port");
        let key = gateway["hostKey"].as_str().expect("a key");
        let known = format!("[127.0.0.1]:{} {key}\n", self.port);
        fs::write(self.file("known_hosts"), known).expect("a file");
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &str, port: &str) -> Command {
        let mut command = Command::new(program);
        command.args(["-F", "none", port, &self.port.to_string(), "-i"]).arg(self.file("key"));
        for option in ["BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=yes"] {
            command.args(["-o", option]);
        }
        command.arg("-o").arg(format!("UserKnownHostsFile={}", self.file("known_hosts").display()));
        command.env_remove("SSH_AUTH_SOCK").kill_on_drop(true);
        command
    }

    /// Output, errors and exit code of a command in the instance.
    async fn ssh(&self, name: &str, words: &str) -> (String, String, Option<i32>) {
        let mut command = self.command("ssh", "-p");
        let run = command.arg(format!("{name}@127.0.0.1")).arg(words).output();
        let done = tokio::time::timeout(SOON, run).await.expect("in time").expect("ssh");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&done.stdout), text(&done.stderr), done.status.code())
    }
}

#[tokio::test]
async fn an_instance_is_used_by_ssh_alone() {
    let engine = TestEngine::start();
    let mut server = Server::start(setup(&engine)).await;
    let (ann, admin, host) = lab(&server).await;
    let made = ann.post("/api/instances", form(&host)).await.expect(202);
    let (id, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name").to_owned());
    becomes(&ann, id, "running").await;
    let mut computer = Computer::new(&ann).await;

    let (out, err, code) = computer.ssh(&name, "echo 云实验室; echo oh >&2; exit 3").await;
    assert_eq!((out.as_str(), err.as_str(), code), ("云实验室\n", "oh\n", Some(3)));
    let logged = admin.get(&format!("/api/logs/operate?q={name}&action=instance.ssh")).await.expect(200);
    assert_eq!((&logged["items"][0]["username"], &logged["items"][0]["detail"]), (&json!("ann"), &json!("运行命令")));
    fs::write(computer.file("数据"), vec![7; 3_000_000]).expect("a file");
    let mut copy = computer.command("scp", "-P");
    copy.arg(computer.file("数据")).arg(format!("{name}@127.0.0.1:/root/"));
    assert!(copy.status().await.expect("scp").success());
    assert_eq!(engine.docker(&["exec", &name, "sh", "-c", "wc -c </root/数据"]), "3000000");

    others_are_refused(&server, &admin, &name).await;

    // What was detached stays when the portal leaves, and what ran on the connection ends.
    let _ = computer.ssh(&name, "setsid sleep 4711 >/dev/null 2>&1 </dev/null &").await;
    let mut open = computer.command("ssh", "-p");
    let mut open = open.arg(format!("{name}@127.0.0.1")).arg("sleep 4712").spawn().expect("ssh");
    runs(&engine, &name, "sleep 4712", "1").await;
    server.stop().await;
    assert!(!open.wait().await.expect("its end").success());
    runs(&engine, &name, "sleep 4712", "0").await;
    runs(&engine, &name, "sleep 4711", "1").await;
    server.start_again().await;
    let ann = server.sign_in("ann", PASSWORD).await;
    becomes(&ann, id, "running").await;
    let before = fs::read_to_string(computer.file("known_hosts")).expect("a file");
    computer.look(&ann).await;
    let after = fs::read_to_string(computer.file("known_hosts")).expect("a file");
    assert_eq!(before.split_once(' ').map(|(_, key)| key), after.split_once(' ').map(|(_, key)| key));
    until("the engine", SOON, async || (computer.ssh(&name, "true").await.2 == Some(0)).then_some(())).await;

    let open = {
        let mut command = computer.command("ssh", "-p");
        command.arg(format!("{name}@127.0.0.1")).arg("sleep 4713");
        tokio::spawn(async move { command.output().await.expect("ssh") })
    };
    runs(&engine, &name, "sleep 4713", "1").await;
    ann.act(&format!("/api/instances/{id}/stop")).await.is(202);
    let ended = open.await.expect("its end");
    let words = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(words.contains("实例已停止") || ended.status.code() == Some(137), "{ended:?}");
    becomes(&ann, id, "stopped").await;
    let (_, err, code) = computer.ssh(&name, "true").await;
    assert!(code == Some(255) && err.contains("the instance is not running"), "{err}");
}

/// Waits until a program's number of processes in the instance is this.
async fn runs(engine: &TestEngine, name: &str, program: &str, count: &str) {
    let look = format!("ps | grep -c ' {program}$' || true");
    until("its processes", SOON, async || (engine.docker(&["exec", name, "sh", "-c", &look]) == count).then_some(()))
        .await;
}

async fn others_are_refused(server: &Server, admin: &Client, name: &str) {
    admin.post("/api/users", json!({ "username": "bob", "password": PASSWORD })).await.is(201);
    let bob = server.sign_in("bob", PASSWORD).await;
    let computer = Computer::new(&bob).await;
    let (_, err, code) = computer.ssh(name, "true").await;
    assert!(code == Some(255) && err.contains("no such instance"), "{err}");
    let keys = bob.get("/api/profile/ssh-keys").await.expect(200);
    bob.delete(&format!("/api/profile/ssh-keys/{}", keys["items"][0]["id"].as_str().expect("an id"))).await.is(204);
    let (_, err, code) = computer.ssh(name, "true").await;
    assert!(code == Some(255) && err.contains("Permission denied"), "{err}");
}
