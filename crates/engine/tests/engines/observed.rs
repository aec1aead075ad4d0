//! Observations of an engine and its containers: capabilities, events, logs, measurements.

use engine::{CgroupVersion, Engine, EngineEvent, Error, Happening, LogQuery};
use futures_util::StreamExt;

use crate::support::{GRACE, LIMIT, Lab, spec, until, words};

#[tokio::test]
async fn an_engine_says_what_it_is() {
    let lab = Lab::new();
    let found = lab.engine.capabilities().await.unwrap();
    assert_eq!(found.engine_version.split('.').count(), 3, "{found:?}");
    assert!(found.api_version.starts_with("1.") && found.cpus > 0 && found.memory > 1 << 30, "{found:?}");
    assert_eq!((found.default_runtime.as_str(), found.live_restore, found.has_nvidia()), ("runc", false, false));
    assert!(found.data_root.starts_with(&lab.host.folder().display().to_string()), "{found:?}");
    let v2 = std::path::Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
    assert_eq!(found.cgroup_version, if v2 { CgroupVersion::V2 } else { CgroupVersion::V1 });
    assert_eq!(lab.engine.capabilities().await.unwrap().id, found.id);
}

#[tokio::test]
async fn events_are_hints_of_what_happens() {
    let lab = Lab::new();
    let marker = lab.engine.create(&spec("marker")).await.unwrap().id;
    let mut events = lab.engine.events();
    // The engine does not report when it listens, so a name goes back and forth until an event arrives.
    let renames = async {
        let mut looks = tokio::time::interval(std::time::Duration::from_millis(50));
        for name in ["marker-a", "marker-b"].iter().cycle() {
            looks.tick().await;
            let _ = lab.host.docker(&["rename", marker.as_str(), name]);
        }
    };
    tokio::select! {
        first = events.next() => assert_eq!(first.unwrap().unwrap().what, Happening::Other("rename".to_owned())),
        () = renames => {}
    }

    let mut wanted = spec("watched");
    wanted.command = Some(words(&["/bin/sh", "-c", "exit 3"]));
    let id = lab.started(&wanted).await;
    until("the end", async || lab.engine.inspect(&id).await.unwrap().exit.is_some()).await;
    lab.engine.remove(&id).await.unwrap();
    let mut seen: Vec<EngineEvent> = Vec::new();
    while seen.last().is_none_or(|event| event.what != Happening::Removed) {
        let event = events.next().await.unwrap().unwrap();
        if event.container == id.as_str() {
            seen.push(event);
        }
    }
    let what: Vec<Happening> = seen.iter().map(|event| event.what.clone()).collect();
    assert_eq!(what, [Happening::Created, Happening::Started, Happening::Ended(Some(3)), Happening::Removed]);
    assert!(seen.iter().all(|event| event.instance.as_deref() == Some("id-watched")), "{seen:?}");
}

#[tokio::test]
async fn logs_are_read_from_their_end_and_followed() {
    let lab = Lab::new();
    let mut wanted = spec("writer");
    // Each waits for its word: the two outputs have no order between them.
    let script = "mkfifo /tmp/go; for i in 1 2 3 4 5; do echo line $i; done
        read x </tmp/go; echo 坏了 >&2; read x </tmp/go; echo last $x";
    wanted.command = Some(words(&["/bin/sh", "-c", script]));
    let id = lab.started(&wanted).await;
    let text = async |query: LogQuery| {
        let chunks: Vec<_> = lab.engine.logs(&id, query).collect().await;
        let chunks: Vec<_> = chunks.into_iter().map(Result::unwrap).collect();
        let bytes: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.bytes.to_vec()).collect();
        (String::from_utf8(bytes).unwrap(), chunks)
    };
    until("five lines", async || text(LogQuery::default()).await.0.lines().count() == 5).await;
    lab.sh(&id, "echo > /tmp/go").await;
    until("six lines", async || text(LogQuery::default()).await.0.lines().count() == 6).await;
    assert_eq!(text(LogQuery { tail: Some(2), ..LogQuery::default() }).await.0, "line 5\n坏了\n");
    let (_, chunks) = text(LogQuery::default()).await;
    assert_eq!(chunks.iter().filter(|chunk| chunk.stderr).count(), 1);

    // Output from now on, and the end with the program's.
    let mut following = lab.engine.logs(&id, LogQuery { tail: Some(1), follow: true, ..LogQuery::default() });
    assert_eq!(following.next().await.unwrap().unwrap().bytes, "坏了\n");
    // The program ends by this, and may end the shell before that has reported its exit.
    let word = ["/bin/sh", "-c", "echo 你 > /tmp/go"];
    lab.engine.exec(&id, &word, LIMIT).await.expect("the word is given");
    assert_eq!(following.next().await.unwrap().unwrap().bytes, "last 你\n");
    assert!(following.next().await.is_none());

    let nobody = "nobody-here".parse().unwrap();
    let error = lab.engine.logs(&nobody, LogQuery::default()).next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn two_measurements_tell_the_load_until_the_container_ends() {
    let lab = Lab::new();
    let mut wanted = spec("busy");
    wanted.command = Some(words(&["/bin/sh", "-c", "while :; do :; done"]));
    let id = lab.started(&wanted).await;
    let first = lab.engine.usage(&id).await.unwrap();
    let mut second = first;
    until("a second of work", async || {
        second = lab.engine.usage(&id).await.unwrap();
        second.at >= first.at.plus(std::time::Duration::from_secs(1))
    })
    .await;
    let cores = second.cores_since(&first);
    // Its limit is half a core.
    assert!((0.05..0.8).contains(&cores), "{cores}");
    lab.engine.stop(&id, GRACE).await.unwrap();
    assert!(matches!(lab.engine.usage(&id).await, Err(Error::Conflict(_))));
}
