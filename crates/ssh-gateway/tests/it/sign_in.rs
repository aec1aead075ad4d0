//! Sign-in, the choice of an instance, and the end of a connection.

use ssh_gateway::{Purpose, Reason, Refusal};

use crate::client::{House, run, until};
use crate::lab::INSTANCE;
use crate::root::Content;

#[tokio::test]
async fn only_known_keys_come_in_and_others_are_told_what_to_do() {
    let house = House::new(Content::Nothing).await;
    house.lab.set_key("SHA256:another".to_owned());
    let said = run(house.ssh(&[], &["/.yunlab/tools", "version"]), b"").await;
    assert_eq!(said.code, Some(255));
    assert!(said.errors.contains("None of your SSH keys is known here"), "{said:?}");
    assert!(said.errors.contains("Permission denied (publickey)"), "{said:?}");
    assert!(house.lab.noted.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_password_comes_in_where_it_is_accepted() {
    let house = House::new(Content::Nothing).await;
    house.lab.set_key("SHA256:another".to_owned());
    let ask = async |password: &str| {
        // OpenSSH asks this program where there is no terminal.
        let asker = house.file("asker");
        std::fs::write(&asker, format!("#!/bin/sh\necho {password}\n")).unwrap();
        std::fs::set_permissions(&asker, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        let mut client = house.ssh(&["-o", "NumberOfPasswordPrompts=1"], &["/.yunlab/tools", "version"]);
        client.env("SSH_ASKPASS", &asker).env("SSH_ASKPASS_REQUIRE", "force");
        run(client, b"").await
    };
    assert!(ask("secret").await.errors.contains("Permission denied (publickey)"));
    *house.lab.password.lock().unwrap() = Some("secret".to_owned());
    assert_eq!(ask("secret").await.good().trim(), env!("CARGO_PKG_VERSION"));
    assert!(ask("wrong").await.errors.contains("Permission denied (publickey,password"));
}

#[tokio::test]
async fn a_person_and_an_instance_are_named_in_three_ways() {
    let house = House::new(Content::Nothing).await;
    for (name, code) in [
        (INSTANCE.to_owned(), 0),
        (format!("ann+{INSTANCE}"), 0),
        (format!("bob+{INSTANCE}"), 255),
        ("ins_bob_GPUabcde".to_owned(), 255),
        ("ann".to_owned(), 255),
    ] {
        let mut client = house.client("ssh");
        client.args(["-o", "BatchMode=yes"]).arg(format!("{name}@127.0.0.1")).args(["/.yunlab/tools", "version"]);
        let said = run(client, b"").await;
        assert_eq!(said.code, Some(code), "{name}: {said:?}");
    }
    let mut client = house.client("ssh");
    client.args(["ann@127.0.0.1", "ls"]);
    assert!(run(client, b"").await.errors.contains("请写明实例"));
}

#[tokio::test]
async fn without_an_instance_there_is_a_list() {
    let house = House::new(Content::Busybox).await;
    house.lab.running.send_replace(false);
    let mut client = house.client("ssh");
    client.args(["-tt", "ann@127.0.0.1"]);
    // Nothing, a number that is none, the instance, its start, and then its shell.
    let said = run(client, b"\r9\r1\rsecho in $0\nexit 4\n").await;
    assert_eq!(said.code, Some(4), "{said:?}");
    let text = said.text();
    assert!(text.contains(&format!("   1  {INSTANCE}  已停止  训练\r\n")), "{text}");
    assert!(text.contains("no such number") && text.contains("in -sh\r\n"), "{text}");
    assert_eq!(*house.lab.noted.lock().unwrap(), [Purpose::Shell]);
    let mut client = house.client("ssh");
    client.args(["-tt", "ann@127.0.0.1"]);
    assert_eq!(run(client, b"q").await.code, Some(0));
}

#[tokio::test]
async fn a_connection_ends_with_the_right_and_says_so() {
    let house = House::new(Content::Busybox).await;
    let client = house.ssh(&["-o", "LogLevel=INFO"], &["echo in; sleep 4713"]);
    let running = tokio::spawn(run(client, b""));
    until("it runs", async || house.lab.root.sh("ps").contains("sleep 4713")).await;
    house.lab.over.send_replace(Some(Refusal::new(Reason::Ended, "您不能再使用这个实例")));
    let said = running.await.unwrap();
    assert_eq!((said.text(), said.code), ("in\n", Some(255)));
    assert!(said.errors.contains("您不能再使用这个实例"), "{said:?}");
    until("it ended there", async || !house.lab.root.sh("ps").contains("sleep 4713")).await;
}

#[tokio::test]
async fn a_gateway_that_stops_tells_everybody() {
    let house = House::new(Content::Busybox).await;
    let running = tokio::spawn(run(house.ssh(&[], &["sleep 4714"]), b""));
    until("it runs", async || house.lab.root.sh("ps").contains("sleep 4714")).await;
    house.gateway.stop().await;
    let said = running.await.unwrap();
    assert!(said.errors.contains("平台正在重启"), "{said:?}");
    let refused = house.run(&["true"]).await;
    assert_eq!(refused.code, Some(255), "{refused:?}");
}

#[tokio::test]
async fn a_stopped_instance_is_not_entered() {
    let house = House::new(Content::Busybox).await;
    house.lab.running.send_replace(false);
    let said = house.run(&["true"]).await;
    assert_eq!(said.code, Some(255));
    assert!(said.errors.contains("实例已停止") && said.errors.contains("YunLab: the instance is not running"));
}
