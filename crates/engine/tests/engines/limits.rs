//! A container's limits and view of the machine, read from within.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::num::NonZeroU16;
use std::time::Duration;

use engine::{ContainerSpec, Engine, Error, Mount, PortMapping, Protocol, Resources};

use crate::support::{GRACE, Lab, spec, words};

/// Reads a limit of the kernel, in either version of control groups.
fn limit(old: &str, new: &str) -> String {
    format!("cat /sys/fs/cgroup/{old} 2>/dev/null || cat /sys/fs/cgroup/{new}")
}

#[tokio::test]
async fn limits_and_defaults_hold_within() {
    let lab = Lab::new();
    let mut wanted = spec("limited");
    wanted.resources = Resources { cpu_quota: 150_000, memory: 64 << 20, pids: 100 };
    wanted.environment.set("GREETING", "你好 = \"x\"").unwrap();
    let id = lab.started(&wanted).await;

    let memory = limit("memory/memory.limit_in_bytes", "memory.max");
    let pids = limit("pids/pids.max", "pids.max");
    let cpu = limit("cpu/cpu.cfs_quota_us", "cpu.max");
    assert_eq!(lab.sh(&id, &memory).await, (64 << 20).to_string());
    assert_eq!(lab.sh(&id, &pids).await, "100");
    assert_eq!(lab.sh(&id, &cpu).await.split(' ').next(), Some("150000"));
    // Shared memory is never over the memory.
    assert_eq!(lab.sh(&id, "df -k /dev/shm | tail -n 1 | awk '{print $2}'").await, "65536");
    let environment = lab.sh(&id, "env").await;
    for line in ["GREETING=你好 = \"x\"", "NVIDIA_VISIBLE_DEVICES=void", "OMP_NUM_THREADS=2"] {
        assert!(environment.lines().any(|found| found == line), "{line} in {environment}");
    }
    assert_eq!(lab.sh(&id, "cat /proc/1/comm").await, "docker-init");
    assert_eq!(lab.sh(&id, "ulimit -c").await, "0");
    assert_eq!(lab.sh(&id, "grep CapBnd /proc/self/status | tr -d '\\t'").await, "CapBnd:00000000a00405fb");

    assert_eq!(lab.sh(&id, "grep NoNewPrivs /proc/self/status | tr -d '\\t'").await, "NoNewPrivs:0", "sudo works");
    let mut closed = spec("closed");
    closed.no_new_privileges = true;
    let closed = lab.started(&closed).await;
    assert_eq!(lab.sh(&closed, "grep NoNewPrivs /proc/self/status | tr -d '\\t'").await, "NoNewPrivs:1");

    // At once, while it runs.
    lab.engine.update(&id, &Resources { cpu_quota: 50_000, memory: 96 << 20, pids: 50 }).await.unwrap();
    assert_eq!(lab.sh(&id, &memory).await, (96 << 20).to_string());
    assert_eq!(lab.sh(&id, &pids).await, "50");
    assert_eq!(lab.sh(&id, &cpu).await.split(' ').next(), Some("50000"));
    let usage = lab.engine.usage(&id).await.unwrap();
    assert_eq!(usage.memory_limit, 96 << 20);
    assert!(usage.pids >= 1 && usage.memory > 0, "{usage:?}");
}

/// Docker's own flag misses about one in forty such ends on a busy machine.
#[tokio::test]
async fn memory_that_runs_out_is_what_is_said_of_the_end() {
    let lab = Lab::new();
    let mut greedy = spec("greedy");
    greedy.resources.memory = 16 << 20;
    // An engine hears of the memory of a container that has started, so not before.
    let script = "until [ -e /go ]; do sleep 0.1; done; exec tail -c 100m /dev/zero";
    greedy.command = Some(words(&["/bin/sh", "-c", script]));
    for _ in 0..5 {
        let id = lab.started(&greedy).await;
        lab.sh(&id, "touch /go").await;
        crate::support::until("the end", async || lab.engine.inspect(&id).await.unwrap().exit.is_some()).await;
        let exit = lab.engine.inspect(&id).await.unwrap().exit.unwrap();
        assert!(exit.out_of_memory && exit.code == 137, "{exit:?}");
        lab.engine.remove(&id).await.unwrap();
    }
}

#[tokio::test]
async fn folders_are_the_machines_and_never_made() {
    let lab = Lab::new();
    let folder = lab.host.folder().join("home 安");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("here"), "from the disk").unwrap();
    let source = folder.display().to_string();
    let mut wanted = spec("mounted");
    wanted.mounts =
        vec![Mount::new(&source, "/home/ann", false).unwrap(), Mount::new(&source, "/datasets/x", true).unwrap()];
    let id = lab.started(&wanted).await;
    assert_eq!(lab.sh(&id, "cat /home/ann/here; echo back > /home/ann/there").await, "from the disk");
    assert_eq!(std::fs::read_to_string(folder.join("there")).unwrap(), "back\n");
    assert_eq!(lab.sh(&id, "touch /datasets/x/no 2>/dev/null || echo refused").await, "refused");
    let mounts = lab.engine.inspect(&id).await.unwrap().mounts;
    assert!(mounts.iter().any(|mount| mount.target == "/datasets/x" && mount.read_only), "{mounts:?}");

    let missing = lab.host.folder().join("missing");
    let mut wanted = spec("missing");
    wanted.mounts = vec![Mount::new(&missing.display().to_string(), "/home/ann", false).unwrap()];
    assert!(lab.engine.create(&wanted).await.is_err());
    assert!(!missing.exists(), "an engine makes no folders of the machine's");
}

fn with_port(name: &str, host: NonZeroU16) -> ContainerSpec {
    let mut wanted = spec(name);
    wanted.command = Some(words(&["/bin/sh", "-c", "echo hello > /tmp/index.html; exec httpd -f -p 80 -h /tmp"]));
    let container = NonZeroU16::new(80).unwrap();
    wanted.ports = vec![PortMapping { container, host, protocol: Protocol::Tcp, address: None }];
    wanted
}

/// The response at a port of the machine, if there is one within a moment.
fn fetched(port: NonZeroU16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port.get())).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error_of_its_own() {
    let lab = Lab::new();
    let free = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = NonZeroU16::new(free.local_addr().unwrap().port()).unwrap();
    drop(free);
    let wanted = with_port("first", port);
    let first = lab.started(&wanted).await;
    crate::support::until("an answer", async || fetched(port).is_some_and(|answer| answer.contains("hello"))).await;
    let ports = lab.engine.list().await.unwrap().remove(0).ports;
    assert_eq!(ports, wanted.ports);

    let second = lab.engine.create(&with_port("second", port)).await.unwrap().id;
    match lab.engine.start(&second).await {
        Err(Error::PortTaken(words)) => assert!(words.ends_with("failed: port is already allocated"), "{words}"),
        other => panic!("{other:?}"),
    }
    assert!(!lab.engine.inspect(&second).await.unwrap().container.state.is_active());
    // A program outside of containers has the port.
    lab.engine.stop(&first, GRACE).await.unwrap();
    let _holder = std::net::TcpListener::bind(("0.0.0.0", port.get())).unwrap();
    assert!(matches!(lab.engine.start(&second).await, Err(Error::PortTaken(_))));
}
