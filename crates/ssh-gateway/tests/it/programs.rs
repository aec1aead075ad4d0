//! Shells and commands.

use ssh_gateway::Purpose;

use crate::client::{House, run};
use crate::root::Content;

#[tokio::test]
async fn a_command_has_its_input_output_errors_and_end() {
    let house = House::new(Content::Busybox).await;
    let said = run(house.ssh(&[], &["tr a-z A-Z; echo 云实验室 >&2; exit 3"]), b"hello\n").await;
    assert_eq!((said.text(), said.errors.as_str(), said.code), ("HELLO\n", "云实验室\n", Some(3)));
    assert_eq!(house.run(&["echo $0 $HOME; pwd"]).await.good(), "sh /root\n/root\n");
    assert_eq!(*house.lab.noted.lock().unwrap(), [Purpose::Command, Purpose::Command]);
}

#[tokio::test]
async fn signals_are_seen_as_such() {
    let house = House::new(Content::Busybox).await;
    // OpenSSH's client ends with 255 and says so.
    let said = house.run(&["kill -TERM $$"]).await;
    assert_eq!(said.code, Some(255), "{said:?}");
    // BUS has no name in SSH.
    assert_eq!(house.run(&["kill -BUS $$"]).await.code, Some(128 + 7));
}

#[tokio::test]
async fn variables_of_the_client_arrive() {
    let house = House::new(Content::Busybox).await;
    let options = ["-o", "SetEnv=LANG=zh_CN.UTF-8 RUN=第1次"];
    let said =
        run(house.ssh(&options, &["echo $LANG $RUN $SECRET_OF_THE_TEST; echo ${SSH_CONNECTION%% *}"]), b"").await;
    assert_eq!(said.good(), "zh_CN.UTF-8 第1次 1\n127.0.0.1\n");
}

#[tokio::test]
async fn a_shell_with_a_terminal() {
    let house = House::new(Content::Busybox).await;
    let said = run(house.ssh(&["-tt"], &[]), b"test -t 0 && echo is-a-terminal; echo $TERM\nexit 5\n").await;
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.text().contains("\nis-a-terminal\r\n"), "{said:?}");
    // What goes on in the background does not hold the session open.
    let said = run(house.ssh(&["-tt"], &["setsid sleep 300 & echo begun"]), b"").await;
    assert_eq!(said.good(), "begun\r\n");
    assert!(house.lab.root.sh("ps").contains("sleep 300"));
}

#[tokio::test]
async fn a_program_that_waits_for_its_output_to_be_read_holds_nothing_up() {
    let house = House::new(Content::Busybox).await;
    let input: Vec<u8> = (0..=250).cycle().take(30_000_000).collect();
    let said = run(house.ssh(&[], &["cat"]), &input).await;
    assert_eq!(said.code, Some(0), "{}", said.errors);
    assert!(said.output == input, "{} of {} bytes", said.output.len(), input.len());
    // Nor one that reads nothing.
    assert_eq!(run(house.ssh(&[], &["true"]), &input).await.code, Some(0));
}

#[tokio::test]
async fn what_ran_on_a_connection_ends_with_it_unless_it_was_detached() {
    let house = House::new(Content::Busybox).await;
    let mut child = house.ssh(&[], &["setsid sleep 4711 >/dev/null 2>&1 & sleep 4712"]).spawn().unwrap();
    let runs = |what: &str| house.lab.root.sh("ps").contains(what);
    crate::client::until("both run", async || runs("sleep 4711") && runs("sleep 4712")).await;
    child.kill().await.unwrap();
    crate::client::until("one ended", async || !runs("sleep 4712")).await;
    assert!(runs("sleep 4711"));
}

#[tokio::test]
async fn a_root_without_a_shell_runs_plain_commands() {
    let house = House::new(Content::Nothing).await;
    assert_eq!(house.run(&["/.yunlab/tools", "version"]).await.good().trim(), env!("CARGO_PKG_VERSION"));
    let said = house.run(&["echo a | cat"]).await;
    assert_eq!(said.code, Some(255));
    assert!(said.errors.contains("没有 shell"), "{said:?}");
}
