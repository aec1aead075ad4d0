//! Engines that are away, silent, or killed at the worst time.

use std::time::{Duration, Instant};

use engine::{ContainerState, DockerEngine, Engine, EngineAddress, Error, LogQuery, TlsMaterial};
use futures_util::StreamExt;
use futures_util::future::join_all;
use kernel::{Secret, Timestamp};
use testkit::{Certificates, TestEngine};

use crate::support::{Lab, connect, spec, words};

#[tokio::test]
async fn an_engine_that_is_not_there_is_unreachable_at_once() {
    let nowhere = DockerEngine::new(EngineAddress::new("unix:///nowhere/docker.sock", None).unwrap());
    let start = Instant::now();
    assert!(matches!(nowhere.ping().await, Err(Error::Unreachable(_))));
    assert!(matches!(nowhere.list().await, Err(Error::Unreachable(_))));
    assert!(matches!(nowhere.capabilities().await, Err(Error::Unreachable(_))));
    assert!(matches!(nowhere.events().next().await, Some(Err(Error::Unreachable(_)))));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // A value that is refused locally is not even sent.
    let mut hostile = spec("hostile");
    hostile.labels.insert("yunlab.instance".to_owned(), "another".to_owned());
    assert!(matches!(nowhere.create(&hostile).await, Err(Error::Invalid(_))));
    let mut hostile = spec("hostile");
    hostile.command = Some(vec!["a\0b".to_owned()]);
    assert!(matches!(nowhere.create(&hostile).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn an_engine_that_takes_connections_and_says_nothing_is_unreachable_soon() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("socket");
    let _silent = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let engine = DockerEngine::new(EngineAddress::new(&format!("unix://{}", path.display()), None).unwrap());
    let start = Instant::now();
    assert!(matches!(engine.ping().await, Err(Error::Unreachable(_))));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn only_the_right_certificates_on_both_sides() {
    let host = TestEngine::start_with_tls();
    let (right, wrong) = (host.certificates().unwrap().clone(), Certificates::new());
    let engine = |ca: &Certificates, client: &Certificates| {
        let tls = TlsMaterial {
            ca: ca.ca.clone(),
            certificate: client.certificate.clone(),
            key: Secret::new(client.key.clone()),
        };
        DockerEngine::new(EngineAddress::new(&host.address(), Some(&tls)).unwrap())
    };
    let known = engine(&right, &right);
    known.ping().await.unwrap();
    let end = known.capabilities().await.unwrap().certificate_end;
    assert_eq!(end, Some(Timestamp::from_millis(Certificates::SERVER_END)));
    for refused in [engine(&wrong, &right), engine(&right, &wrong)] {
        let error = refused.ping().await.unwrap_err();
        assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
    }
}

#[tokio::test]
async fn containers_are_made_once_though_the_engine_is_killed_meanwhile() {
    let mut host = TestEngine::start();
    let engine = connect(&host);
    let specs: Vec<_> = (0..12).map(|number| spec(&format!("made-{number:02}"))).collect();
    let making = async { join_all(specs.iter().map(|spec| engine.create(spec))).await };
    let killing = async {
        // As soon as the first is there.
        while engine.list().await.is_ok_and(|all| all.is_empty()) {}
        host.kill();
    };
    let (made, ()) = tokio::join!(making, killing);
    for result in made {
        assert!(matches!(result, Ok(_) | Err(Error::Unreachable(_))), "{result:?}");
    }
    host.run();
    for spec in &specs {
        let created = engine.create(spec).await.unwrap();
        engine.start(&created.id).await.unwrap();
    }
    let all = engine.list().await.unwrap();
    assert_eq!(all.len(), specs.len());
    assert!(all.iter().all(|container| container.state == ContainerState::Running), "{all:?}");
}

#[tokio::test]
async fn a_container_keeps_its_root_when_the_engine_is_killed() {
    let mut lab = Lab::new();
    let mut talker = spec("survivor");
    talker.command = Some(words(&["/bin/sh", "-c", "echo up; while :; do sleep 1; done"]));
    let id = lab.started(&talker).await;
    lab.sh(&id, "echo kept > /root/file").await;
    let mut logs = lab.engine.logs(&id, LogQuery { follow: true, ..LogQuery::default() });
    assert_eq!(logs.next().await.unwrap().unwrap().bytes, "up\n");
    lab.host.kill();
    let last = logs.next().await;
    assert!(matches!(last, Some(Err(Error::Unreachable(_)))), "{last:?}");
    assert!(matches!(lab.engine.list().await, Err(Error::Unreachable(_))));

    lab.host.run();
    let found = lab.engine.inspect(&id).await.unwrap().container.state;
    // Without live-restore an engine, at its start, ends containers that outlived it.
    assert!(matches!(found, ContainerState::Exited | ContainerState::Running), "{found:?}");
    lab.engine.start(&id).await.unwrap();
    assert_eq!(lab.sh(&id, "cat /root/file").await, "kept");
}
