//! What a workload has and keeps, and what is reported about its end.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use engine::{Command, EndCause, LogQuery, Phase, Place, Resources, Workload};
use futures_util::StreamExt;
use serde_json::json;

use crate::lab::{GRACE, Lab, applied, run, sh, until, words};

/// Its log so far.
async fn log(runtime: &dyn engine::Runtime, one: &Workload) -> String {
    let mut log = runtime.logs(&one.id, LogQuery::default());
    let mut text = Vec::new();
    while let Some(piece) = log.next().await {
        text.extend_from_slice(&piece.expect("it can be read").bytes);
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_root_is_kept_whole_and_its_log_until_the_next_start() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("whole");
    applied(&*runtime, &one).await;
    let made = "mkdir /srv && echo text > /srv/file && ln /srv/file /srv/link && chown 1000:1000 /srv/file &&
        rm -r /var && mkdir /var && touch /var/new && rm /bin/vi && mount | grep -c ' / ' && df / | tail -n 1";
    sh(&*runtime, &one.id, made).await;
    runtime.stop(&one.id, GRACE).await.unwrap();
    assert_eq!(log(&*runtime, &one).await, "up\n", "what it wrote before its stop");

    applied(&*runtime, &one).await;
    let kept = sh(
        &*runtime,
        &one.id,
        "stat -c '%h %u' /srv/link; ls /var; ls /bin/vi 2>&1 | grep -c 'No such'; cat /srv/link",
    )
    .await;
    assert_eq!(kept, "2 1000\nnew\n1\ntext");
    assert_eq!(sh(&*runtime, &one.id, "ls -a / | grep -c newroot; ls /.yunlab").await, "0\nbin\nnew\nroot");
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn what_a_root_adds_to_its_image_is_a_layer() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("saved");
    applied(&*runtime, &one).await;
    let made = "mkdir /srv && echo text > /srv/file && chown 1000:7 /srv/file && ln -s file /srv/points &&
        rm /bin/vi && rm -r /root && mkdir /root";
    sh(&*runtime, &one.id, made).await;
    let running = layer(&*runtime, &one).await;
    runtime.stop(&one.id, GRACE).await.unwrap();
    let stopped = layer(&*runtime, &one).await;
    for (name, owner, content) in [
        ("srv/file", (1000, 7), "text\n"),
        ("srv/points", (0, 0), "file"),
        ("bin/.wh.vi", (0, 0), ""),
        ("root/.wh..wh..opq", (0, 0), ""),
    ] {
        let wanted = (owner, content.to_owned());
        assert_eq!((running.get(name), stopped.get(name)), (Some(&wanted), Some(&wanted)), "{name} in {stopped:?}");
    }
    assert!(!stopped.keys().any(|name| name.starts_with(".yunlab")), "{stopped:?}");
    let size = runtime.layers().expect("it can").size(&one.id).await.unwrap();
    assert!((5..100_000).contains(&size), "{size}");
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}

/// What is in a layer by its names: owners, and content or target.
async fn layer(runtime: &dyn engine::Runtime, one: &Workload) -> BTreeMap<String, ((u64, u64), String)> {
    let mut pieces = runtime.layers().expect("it can").read(&one.id).await.unwrap();
    let mut archive = Vec::new();
    while let Some(piece) = pieces.next().await {
        archive.extend_from_slice(&piece.expect("it can be read"));
    }
    let mut archive = tar::Archive::new(archive.as_slice());
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        let link = entry.link_name().unwrap().map(|link| link.display().to_string());
        let owner = (entry.header().uid().unwrap(), entry.header().gid().unwrap());
        (entry.path().unwrap().display().to_string(), (owner, link.unwrap_or(content)))
    });
    entries.collect()
}

#[tokio::test]
async fn programs_have_no_more_rights_than_on_a_machines_own_engine() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let mut one = lab.workload("rights");
    one.no_new_privileges = true;
    one.environment.set("PRICE", "$(HOME) $$5").unwrap();
    applied(&*runtime, &one).await;
    let status =
        "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -s '\\t\\n' ' '; cat /proc/1/task/1/children";
    let own = sh(&*runtime, &one.id, status).await;
    assert!(own.starts_with("CapEff: 00000000a00405fb CapBnd: 00000000a00405fb NoNewPrivs: 1"), "{own}");
    let child = own.rsplit(' ').find(|word| !word.is_empty()).unwrap();
    let of_program =
        sh(&*runtime, &one.id, &format!("grep -E '^(CapBnd|NoNewPrivs)' /proc/{child}/status | tr -s '\\t\\n' ' '"))
            .await;
    assert_eq!(of_program, "CapBnd: 00000000a00405fb NoNewPrivs: 1");
    for refused in ["mknod /tmp/disk b 8 0", "mount -t tmpfs none /tmp", "unshare -m true"] {
        let argv = words(&["/bin/sh", "-c", refused]);
        let (_, words, code) =
            run(&*runtime, &one.id, &Command { argv, working_dir: None, user: None, terminal: None }).await;
        assert_ne!(code, 0, "{refused}: {words}");
    }
    assert_eq!(sh(&*runtime, &one.id, "echo \"$PRICE\"; env | grep -c ^KUBERNETES_ || true").await, "$(HOME) $$5\n0");
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn folders_of_the_network_disk_are_those_of_the_node() {
    let mut lab = Lab::new().await;
    let disk = lab.cluster.folder().join(&lab.namespace);
    std::fs::create_dir_all(disk.join("home/7")).unwrap();
    std::fs::create_dir_all(disk.join("数据 1")).unwrap();
    std::fs::write(disk.join("数据 1/file"), "data").unwrap();
    lab.storage = disk.display().to_string();
    let runtime = lab.connect();
    let mut one = lab.workload("disk");
    one.places = vec![Place::new("home/7", "/home/ann", false).unwrap(), Place::new("数据 1", "/data", true).unwrap()];
    applied(&*runtime, &one).await;
    let seen = sh(
        &*runtime,
        &one.id,
        "cat /data/file; touch /data/x 2>&1 | grep -c Read-only; echo mine > /home/ann/file; chown 1000 /home/ann/file",
    )
    .await;
    assert_eq!(seen, "data1");
    let file = std::fs::metadata(disk.join("home/7/file")).unwrap();
    assert_eq!((file.uid(), file.gid()), (1000, 0), "as without a user namespace");
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn an_end_is_told_whoever_made_it() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let mut one = lab.workload("ends");
    one.command = Some(words(&["/bin/sh", "-c", "trap 'exit 7' TERM; echo up; while :; do sleep 0.1; done"]));
    applied(&*runtime, &one).await;
    // Past the portal.
    lab.kubectl(&["delete", "pod", &lab.pod(&one.id), "--wait=false"]);
    let end = until("its end", async || match runtime.examine(&one.id).await.unwrap().phase {
        Phase::Ended(end) => end,
        _ => None,
    })
    .await;
    assert_eq!((end.exit.code, end.exit.out_of_memory, end.cause), (7, false, EndCause::Own));
    runtime.tend(engine::Care::Leftovers).await;
    until("the pod to go", async || lab.pod(&one.id).is_empty().then_some(())).await;
    let Phase::Ended(Some(noted)) = runtime.examine(&one.id).await.unwrap().phase else { panic!("it ended") };
    assert_eq!(noted.exit, end.exit, "it was noted before the pod went");
    // Nor does its anchor go by that.
    lab.kubectl(&["delete", "configmap", "-l", "yunlab.instance=ends", "--wait=false"]);
    applied(&*runtime, &one).await;
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn too_much_memory_is_told() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let mut one = lab.workload("memory");
    one.command = Some(words(&["/bin/sh", "-c", "sleep 1; tail /dev/zero"]));
    applied(&*runtime, &one).await;
    let end = until("its end", async || match runtime.examine(&one.id).await.unwrap().phase {
        Phase::Ended(end) => end,
        _ => None,
    })
    .await;
    assert!(end.exit.out_of_memory, "{end:?}");
    assert!(end.exit.finished.is_some());
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn limits_change_in_place() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("resized");
    applied(&*runtime, &one).await;
    let before = lab.pod(&one.id);
    let more = Resources { cpu_quota: 20_000, memory: 128 << 20, pids: 100 };
    runtime.resizing().expect("it can").resize(&one.id, &more).await.unwrap();
    until("the new limit", async || {
        let usage = runtime.usage(&one.id).await.unwrap();
        (usage.memory_limit == 128 << 20).then_some(())
    })
    .await;
    assert_eq!(lab.pod(&one.id), before);
    let usage = runtime.usage(&one.id).await.unwrap();
    assert!(usage.cpu_nanos > 0 && usage.memory > 0 && usage.pids > 1, "{usage:?}");
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn tenants_are_apart_as_far_as_the_cluster_enforces_it() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("apart");
    applied(&*runtime, &one).await;
    let policy = lab.kubectl(&["get", "networkpolicy", "yunlab-apart-7", "-o", "json"]);
    let policy: serde_json::Value = serde_json::from_str(&policy).unwrap();
    let theirs = json!({"matchLabels": {"yunlab.tenant": "7"}});
    assert_eq!(policy["spec"]["podSelector"], theirs);
    assert_eq!(policy["spec"]["ingress"], json!([{"from": [{"podSelector": theirs}]}]));
    // Past the portal.
    lab.kubectl(&["delete", "networkpolicy", "yunlab-apart-7"]);
    runtime.tend(engine::Care::Isolation).await;
    lab.kubectl(&["get", "networkpolicy", "yunlab-apart-7"]);
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}
