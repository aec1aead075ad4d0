//! Cards: device nodes in one container and in no other, and cards of foreign containers.

use std::process::Command;

use engine::probe::{gpu_report, listening_ports, machine_use, missing_device_nodes, read_machine_file};
use engine::{Card, DeviceNode, Engine, Error, Owner};

use crate::support::{Lab, spec};

/// A device node of this test's own, a second `/dev/zero`; removed when dropped.
struct Node(DeviceNode);

impl Node {
    fn new(name: &str) -> Self {
        let path = format!("/dev/yunlab-{}-{name}", std::process::id());
        let made = Command::new("mknod").args([&path, "c", "1", "5"]).status().unwrap();
        assert!(made.success(), "making device nodes needs root");
        Self(path.parse().unwrap())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        std::fs::remove_file(self.0.as_str()).ok();
    }
}

#[tokio::test]
async fn a_device_node_is_in_the_container_that_has_it_and_in_no_other() {
    let lab = Lab::new();
    let (first, second) = (Node::new("a"), Node::new("b"));
    let mut wanted = spec("with-card");
    wanted.cards = vec![Card::device("npu:0", vec![first.0.clone()]).unwrap()];
    let with = lab.started(&wanted).await;
    let without = lab.started(&spec("without-card")).await;

    let look = "ls /dev | grep yunlab || echo none";
    assert_eq!(format!("/dev/{}", lab.sh(&with, look).await), first.0.as_str());
    assert_eq!(lab.sh(&without, look).await, "none");
    assert_eq!(lab.sh(&with, &format!("head -c 3 {} | wc -c", first.0)).await, "3");
    // Made by hand it can't be, and could not be opened.
    assert_eq!(lab.sh(&without, "mknod /tmp/zero c 1 5 2>/dev/null || echo refused").await, "refused");
    assert_eq!(lab.engine.inspect(&with).await.unwrap().nodes, [first.0.as_str()]);
    let Owner::Portal(mark) = lab.engine.inspect(&with).await.unwrap().container.owner else { panic!("not ours") };
    assert_eq!(mark.cards, ["npu:0"]);

    // A missing node fails the start, and can be checked before.
    let gone = second.0.clone();
    let both = [first.0.clone(), gone.clone()];
    assert!(missing_device_nodes(&lab.engine, &both).await.unwrap().is_empty());
    drop(second);
    assert_eq!(missing_device_nodes(&lab.engine, &both).await.unwrap(), [&gone]);
    let mut wanted = spec("with-missing");
    wanted.cards = vec![Card::device("npu:1", vec![gone]).unwrap()];
    let id = lab.engine.create(&wanted).await.unwrap().id;
    assert!(matches!(lab.engine.start(&id).await, Err(Error::Failed(_))));
}

#[tokio::test]
async fn foreign_containers_are_told_apart_with_the_cards_they_hold() {
    let lab = Lab::new();
    let node = Node::new("f");
    let device = format!("--device={}", node.0);
    let create = |extra: &[&str], name: &str| {
        let sleep = [testkit::TestEngine::IMAGE, "sleep", "1000"];
        lab.host.docker(&[&["create", "--name", name][..], extra, &sleep[..]].concat())
    };
    create(&[&device], "holder");
    create(&["--privileged"], "everything");
    create(&["-e", "NVIDIA_VISIBLE_DEVICES=all"], "harmless");
    // Labels as an image that was saved from an instance has them.
    create(&["--label", "yunlab.instance=", "--label", "yunlab.generation="], "from-saved");
    lab.started(&spec("ours-1")).await;
    // The portal's own container is not among them.
    lab.engine.probe().await.unwrap();

    for round in ["asked", "remembered"] {
        let all = lab.engine.list().await.unwrap();
        assert_eq!(all.len(), 5, "{round}: {all:?}");
        let held = |name: &str| match &all.iter().find(|container| container.name == name).unwrap().owner {
            Owner::Foreign(held) => held.clone(),
            Owner::Portal(mark) => panic!("{name} is ours: {mark:?}"),
        };
        assert_eq!(held("holder").nodes, [node.0.as_str()], "{round}");
        assert!(held("everything").all, "{round}");
        assert!(held("harmless").is_empty() && held("from-saved").is_empty(), "{round}");
    }
    // A foreign container's name is never taken over.
    let mut wanted = spec("holder");
    wanted.instance = String::from("id-holder");
    assert!(matches!(lab.engine.create(&wanted).await, Err(Error::NameTaken(_))));
}

#[tokio::test]
async fn the_machine_is_seen_through_the_portals_own_container() {
    let lab = Lab::new();
    let probe = lab.engine.probe().await.unwrap();
    assert_eq!(lab.engine.probe().await.unwrap(), probe);
    // The probe is recreated after it was stopped or removed.
    let _ = lab.host.docker(&["kill", probe.as_str()]);
    lab.engine.probe().await.unwrap();
    let _ = lab.host.docker(&["rm", "-f", probe.as_str()]);
    lab.engine.probe().await.unwrap();

    let marker = lab.host.folder().join("marker of the disk");
    std::fs::write(&marker, "same").unwrap();
    let read = async |path: &str| read_machine_file(&lab.engine, path).await.unwrap();
    assert_eq!(read(&marker.display().to_string()).await.as_deref(), Some(b"same".as_slice()));
    assert_eq!(read("/nowhere/at all").await, None);
    assert_eq!(read("$(id)").await, None);

    let folder = lab.host.folder().display().to_string();
    let found = machine_use(&lab.engine, &[&folder, "/nowhere/at all"]).await.unwrap();
    assert!(found.cpu.total > found.cpu.busy && found.memory_used > 1 << 20, "{found:?}");
    assert!(found.rooms[0].is_some_and(|room| room.total > room.used && room.used > 0), "{found:?}");
    assert_eq!(found.rooms[1..], [None]);
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(listening_ports(&lab.engine).await.unwrap().contains(&port));
    drop(listener);
    assert!(!listening_ports(&lab.engine).await.unwrap().contains(&port));
    // It changes nothing there.
    let refused = lab.engine.exec(&probe, &["/bin/sh", "-c", "touch /usr/x || touch /dev/x"], crate::support::LIMIT);
    assert_ne!(refused.await.unwrap().code, 0);

    let has_driver = Command::new("nvidia-smi").arg("-L").output().is_ok_and(|output| output.status.success());
    let report = gpu_report(&lab.engine).await.unwrap();
    assert_eq!(report.is_some_and(|report| !report.gpus.is_empty()), has_driver);
}
