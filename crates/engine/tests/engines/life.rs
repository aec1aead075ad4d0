//! A container from its making to its removal, over a socket and over TLS.

use engine::{Container, ContainerRef, ContainerState, Engine, Error, LogQuery, Owner, Resources};
use futures_util::StreamExt;
use testkit::TestEngine;

use crate::support::{GRACE, Lab, spec, until};

async fn listed(lab: &Lab, id: &ContainerRef) -> Container {
    let all = lab.engine.list().await.unwrap();
    all.into_iter().find(|container| container.id == *id).expect("listed")
}

#[tokio::test]
async fn the_whole_life_over_a_socket() {
    whole_life(&Lab::new()).await;
}

#[tokio::test]
async fn the_whole_life_over_tcp_with_tls() {
    whole_life(&Lab::over(TestEngine::start_with_tls())).await;
}

/// A4: the command of bash, python, node and R images is a shell or interpreter that reads its input.
#[tokio::test]
async fn an_image_whose_command_is_a_shell_keeps_running() {
    let lab = Lab::new();
    let mut wanted = spec("ins_ann_GPUshell");
    let _ = lab.host.docker(&["create", "--name", "base", TestEngine::IMAGE, "/bin/true"]);
    let changes = ["--change", r#"CMD ["/bin/sh"]"#];
    let _ = lab.host.docker(&["commit", changes[0], changes[1], "base", "lab/shell:1"]);
    (wanted.image, wanted.command) = ("lab/shell:1".parse().unwrap(), None);
    let shell = lab.started(&wanted).await;
    // An input without an end; without it this is /dev/null, and the shell is gone.
    assert!(lab.sh(&shell, "readlink /proc/1/fd/0").await.starts_with("pipe:"));
    assert_eq!(lab.engine.inspect(&shell).await.unwrap().container.state, ContainerState::Running);
    let logs: Vec<_> = lab.engine.logs(&shell, LogQuery::default()).collect().await;
    assert!(logs.is_empty(), "{logs:?}");
}

async fn whole_life(lab: &Lab) {
    let engine = &lab.engine;
    engine.ping().await.unwrap();
    let mut wanted = spec("ins_ann_GPUabcde");
    let made = engine.create(&wanted).await.unwrap();
    assert!(!made.adopted);
    let id = made.id;

    // Created once, also on a retry; any other container with that name is foreign.
    let again = engine.create(&wanted).await.unwrap();
    assert_eq!((again.adopted, &again.id), (true, &id));
    wanted.generation = 2;
    assert!(matches!(engine.create(&wanted).await, Err(Error::NameTaken(_))));
    wanted.generation = 1;
    wanted.instance = "another".to_owned();
    assert!(matches!(engine.create(&wanted).await, Err(Error::NameTaken(_))));

    let seen = listed(lab, &id).await;
    assert_eq!((seen.state, seen.name.as_str()), (ContainerState::Created, "ins_ann_GPUabcde"));
    let Owner::Portal(mark) = seen.owner else { panic!("not ours: {seen:?}") };
    assert_eq!((mark.instance.as_str(), mark.generation), ("id-ins_ann_GPUabcde", 1));

    // Twice is once.
    engine.start(&id).await.unwrap();
    engine.start(&id).await.unwrap();
    let running = engine.inspect(&id).await.unwrap();
    assert_eq!((running.container.state, running.exit.is_none()), (ContainerState::Running, true));
    assert!(running.started.is_some() && running.address.is_some(), "{running:?}");
    lab.sh(&id, "echo kept > /root/file").await;

    // Its root outlives a stop.
    engine.stop(&id, GRACE).await.unwrap();
    engine.stop(&id, GRACE).await.unwrap();
    let stopped = engine.inspect(&id).await.unwrap();
    assert_eq!(stopped.container.state, ContainerState::Exited);
    assert_eq!(stopped.exit.expect("an end").code, 143, "ended by the signal to stop");
    assert!(matches!(engine.exec(&id, &["/bin/true"], GRACE).await, Err(Error::Conflict(_))));
    engine.start(&id).await.unwrap();
    assert_eq!(lab.sh(&id, "cat /root/file").await, "kept");
    engine.stop(&id, GRACE).await.unwrap();
    engine.start(&id).await.unwrap();
    assert_eq!(lab.sh(&id, "cat /root/file").await, "kept");

    let more = Resources { cpu_quota: 100_000, memory: 128 << 20, pids: 200 };
    engine.update(&id, &more).await.unwrap();
    assert_eq!(engine.inspect(&id).await.unwrap().resources, more);

    // Only a stopped container is removed, completely.
    assert!(matches!(engine.remove(&id).await, Err(Error::Conflict(_))));
    engine.stop(&id, GRACE).await.unwrap();
    engine.remove(&id).await.unwrap();
    assert!(matches!(engine.remove(&id).await, Err(Error::NotFound(_))));
    assert!(matches!(engine.inspect(&id).await, Err(Error::NotFound(_))));
    assert!(engine.list().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_image_that_is_not_there_is_said_so() {
    let lab = Lab::new();
    let mut missing = spec("no-image");
    missing.image = "lab/nothing:1".parse().unwrap();
    assert!(matches!(lab.engine.create(&missing).await, Err(Error::ImageMissing(_))));
    // A program that is not there: its end and the words for it.
    let mut broken = spec("no-program");
    broken.command = Some(vec!["/bin/nothing".to_owned()]);
    let id = lab.started(&broken).await;
    until("the end", async || lab.engine.inspect(&id).await.unwrap().exit.is_some()).await;
    let ended = lab.engine.inspect(&id).await.unwrap();
    assert_eq!((ended.container.state, ended.exit.unwrap().code), (ContainerState::Exited, 127));
    let said = lab.engine.logs(&id, LogQuery::default()).next().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&said.bytes).contains("/bin/nothing"), "{said:?}");
}
